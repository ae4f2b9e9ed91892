//! The lease of a conversation: who answers it now. It is held for some seconds at a time, so that another server goes on where one died.

use super::audit::{Note, note};
use super::database::{Kind, Store, clock, now};
use super::history::{self, NewMessage};
use crate::wire::{ChatError, ErrorCode};
use handeye_scene::chat::Usage;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

/// Leases that are held for longer by one statement.
const TOGETHER: usize = 500;
/// For how long a lease is held without a word, in milliseconds.
pub(super) const HELD: i64 = 15_000;

/// Whether a lease is held at a time. One until later than any can be taken for is of before a clock was set back.
pub(super) fn is_held(until: i64, now: i64) -> bool {
    until > now && until <= now.saturating_add(HELD)
}

/// A conversation that is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The conversation.
    pub conversation: String,
    /// The run.
    pub run: String,
    /// Whose conversation it is.
    pub user: String,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// It goes on.
    Running,
    /// It came to this.
    Ended(String),
    /// Its server died, or was taken from the conversation.
    Lost,
}

/// The latest run of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRun {
    /// Its id in the database.
    pub id: String,
    /// How far it is.
    pub state: RunState,
}

impl Lease {
    /// Makes sure, and for the length of the transaction, that it is still held; the database's time.
    pub(super) async fn hold(&self, tx: &mut AnyConnection, kind: Kind) -> Result<i64, ChatError> {
        let at = clock(kind, &mut *tx).await?;
        let held = sqlx::query("UPDATE conversations SET run_until = $3, updated = $4 WHERE id = $1 AND run_id = $2")
            .bind(&self.conversation)
            .bind(&self.run)
            .bind(at + HELD)
            .bind(now())
            .execute(&mut *tx)
            .await?;
        if held.rows_affected() == 1 {
            return Ok(at);
        }
        Err(ChatError::new(ErrorCode::Cancelled, "the answer was cancelled, or another server goes on with it"))
    }
}

/// Finds who answers a conversation, which nobody else changes before the end of the transaction.
fn holder(kind: Kind) -> &'static str {
    match kind {
        Kind::Sqlite => "SELECT run_id FROM conversations WHERE id = $1",
        Kind::Postgres => "SELECT run_id FROM conversations WHERE id = $1 FOR UPDATE",
    }
}

/// Tokens as the database counts them.
fn tokens(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Lease {
    /// Sets aside what a run may take in all, `reserved`, where the user's other runs of a time and what it took itself leave something
    /// of what they may take; else what was taken.
    pub async fn reserve(
        &self,
        store: &Store,
        user: &str,
        (taken, reserved): (u64, Usage),
        (length, most): (i64, u64),
    ) -> Result<Result<(), u64>, ChatError> {
        let mut tx = store.begin().await?;
        let at = self.hold(&mut tx, store.kind()).await?;
        if store.kind() == Kind::Postgres {
            // Runs of one user are counted one after the other. A file is written to by one at a time.
            sqlx::query("SELECT 1 AS held FROM users WHERE id = $1 FOR NO KEY UPDATE")
                .bind(user)
                .fetch_one(&mut *tx)
                .await?;
        }
        let row = sqlx::query(
            "SELECT CAST(COALESCE(SUM(input_tokens + output_tokens), 0) AS BIGINT) AS used FROM runs WHERE user_id = $1 AND started >= $2 AND id <> $3",
        )
        .bind(user)
        .bind(at.saturating_sub(length))
        .bind(&self.run)
        .fetch_one(&mut *tx)
        .await?;
        let used = u64::try_from(row.try_get::<i64, _>("used")?).unwrap_or(0).saturating_add(taken);
        if used >= most {
            return Ok(Err(used));
        }
        self.count(&mut tx, reserved).await?;
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// Writes what the run took so far: where its server dies, that counts.
    pub(super) async fn count(&self, tx: &mut AnyConnection, used: Usage) -> Result<(), ChatError> {
        sqlx::query("UPDATE runs SET input_tokens = $2, output_tokens = $3 WHERE id = $1")
            .bind(&self.run)
            .bind(tokens(used.input))
            .bind(tokens(used.output))
            .execute(&mut *tx)
            .await?;
        Ok(())
    }
}

/// Keeps what was told of an answer that was cut off, where nothing was said since and nobody else answers.
async fn keep_cut(tx: &mut AnyConnection, lease: &Lease, text: &str, before: i64) -> Result<(), ChatError> {
    // It changes nothing, and waits for whoever is at the conversation: of a server's database a mere look tells what was before them.
    let free = "UPDATE conversations SET updated = updated WHERE id = $1 AND next_seq = $2 AND (run_id IS NULL OR run_id = $3)";
    let free = sqlx::query(free).bind(&lease.conversation).bind(before + 1).bind(&lease.run).execute(&mut *tx).await?;
    if free.rows_affected() == 1 {
        let message = NewMessage { kind: history::CUT, body: text, page: None, request_id: None };
        history::add(tx, &lease.conversation, message).await?;
    }
    Ok(())
}

/// Whether a run isn't the conversation's latest, by what its client calls it, as far as that can be told: something was said after
/// the word that it answers.
pub async fn is_earlier_run(store: &Store, conversation: &str, run: &str) -> Result<bool, ChatError> {
    let row = sqlx::query(
        "SELECT 1 AS earlier FROM messages AS word JOIN messages AS later ON later.conversation = word.conversation AND later.seq > word.seq WHERE word.conversation = $1 AND word.request_id = $2 AND (later.kind = $3 OR later.kind = $4 AND later.body <> '') UNION ALL SELECT 1 FROM runs AS run JOIN runs AS later ON later.conversation = run.conversation AND (later.started, later.id) > (run.started, run.id) WHERE run.conversation = $1 AND run.id = $2 LIMIT 1",
    )
    .bind(conversation)
    .bind(run)
    .bind(history::USER)
    .bind(history::PAGE)
    .fetch_optional(&store.reads)
    .await?;
    Ok(row.is_some())
}

impl Store {
    /// Holds the leases of these runs for longer; of those, the runs whose leases are held still.
    pub async fn beat(&self, runs: &[String]) -> Result<Vec<String>, ChatError> {
        let mut tx = self.begin().await?;
        let until = clock(self.kind(), &mut *tx).await? + HELD;
        let mut held = Vec::new();
        for some in runs.chunks(TOGETHER) {
            let places: Vec<String> = (0..some.len()).map(|at| format!("${}", at + 2)).collect();
            let sql = format!(
                "UPDATE conversations SET run_until = $1 WHERE run_id IN ({}) RETURNING run_id",
                places.join(", ")
            );
            // The statement is made of numbers alone.
            let asked = some.iter().fold(sqlx::query(AssertSqlSafe(sql)).bind(until), |query, run| query.bind(run));
            for row in asked.fetch_all(&mut *tx).await? {
                held.push(row.try_get("run_id")?);
            }
        }
        tx.commit().await?;
        Ok(held)
    }

    /// The latest run of a conversation, on whichever server.
    pub async fn last_run(&self, conversation: &str) -> Result<Option<LastRun>, ChatError> {
        let row = sqlx::query(
            "SELECT runs.id AS id, runs.outcome AS outcome, runs.ended AS ended, conversations.run_id AS holder, conversations.run_until AS until FROM runs JOIN conversations ON conversations.id = runs.conversation WHERE runs.conversation = $1 ORDER BY runs.started DESC, runs.id DESC LIMIT 1",
        )
        .bind(conversation)
        .fetch_optional(&self.reads)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let (id, outcome): (String, String) = (row.try_get("id")?, row.try_get("outcome")?);
        let (ended, holder): (Option<i64>, Option<String>) = (row.try_get("ended")?, row.try_get("holder")?);
        let holds = holder.as_ref() == Some(&id) && is_held(row.try_get("until")?, self.clock().await?);
        let state = match (ended, holds) {
            (Some(_), _) => RunState::Ended(outcome),
            (None, true) => RunState::Running,
            (None, false) => RunState::Lost,
        };
        Ok(Some(LastRun { id, state }))
    }

    /// Gives a lease back, and keeps what the run came to. `cut`: what was told of an answer that wasn't finished, and the number of the
    /// message before it.
    pub async fn end_run(
        &self,
        lease: &Lease,
        outcome: &str,
        used: Usage,
        cut: Option<&(String, i64)>,
    ) -> Result<(), ChatError> {
        let mut tx = self.begin().await?;
        if let Some((text, before)) = cut {
            keep_cut(&mut tx, lease, text, *before).await?;
        }
        sqlx::query("UPDATE conversations SET run_id = NULL, run_until = 0 WHERE id = $1 AND run_id = $2")
            .bind(&lease.conversation)
            .bind(&lease.run)
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "UPDATE runs SET ended = COALESCE(ended, $2), outcome = CASE WHEN ended IS NULL THEN $3 ELSE outcome END, input_tokens = $4, output_tokens = $5 WHERE id = $1",
        )
            .bind(&lease.run)
            .bind(now())
            .bind(outcome)
            .bind(tokens(used.input))
            .bind(tokens(used.output))
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// Takes a conversation from whoever answers it: the run, and whether there was one.
    pub async fn cancel_run(&self, conversation: &str, user: &str) -> Result<(Option<String>, bool), ChatError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(holder(self.kind())).bind(conversation).fetch_optional(&mut *tx).await?;
        let run: Option<String> = match row {
            Some(row) => row.try_get("run_id")?,
            None => None,
        };
        sqlx::query("UPDATE conversations SET run_id = NULL, run_until = 0 WHERE id = $1")
            .bind(conversation)
            .execute(&mut *tx)
            .await?;
        let was_running = run.is_some();
        if was_running {
            // Its server hears of it later, and adds what it took.
            sqlx::query("UPDATE runs SET ended = $2, outcome = 'cancelled' WHERE id = $1 AND ended IS NULL")
                .bind(&run)
                .bind(now())
                .execute(&mut *tx)
                .await?;
            note(&mut tx, self.kind(), Note { user, conversation, event: "cancelled", detail: "" }).await?;
        }
        tx.commit().await?;
        Ok((run, was_running))
    }

    /// Gives back what a server held that is known to be dead.
    pub async fn forget_leases(&self) -> Result<(), ChatError> {
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE conversations SET run_id = NULL, run_until = 0 WHERE run_id IS NOT NULL")
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    /// Tokens that a user has used in the last so many milliseconds.
    pub async fn tokens_within(&self, user: &str, length: i64) -> Result<u64, ChatError> {
        let since = self.clock().await?.saturating_sub(length);
        let row = sqlx::query(
            "SELECT CAST(COALESCE(SUM(input_tokens + output_tokens), 0) AS BIGINT) AS used FROM runs WHERE user_id = $1 AND started >= $2",
        )
        .bind(user)
        .bind(since)
        .fetch_one(&self.reads)
        .await?;
        let used: i64 = row.try_get("used")?;
        Ok(u64::try_from(used).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_held_for_its_time_whatever_the_clock_does() {
        let now = 1_000_000;
        for (until, held) in [(now + 1, true), (now + HELD, true), (now, false), (now - 1, false), (0, false)] {
            assert_eq!(is_held(until, now), held, "{until}");
        }
        // One that was taken before the clock was set back, or on: nobody waits for an hour.
        assert!(!is_held(now + HELD + 1, now) && !is_held(now + 3_600_000, now) && !is_held(i64::MAX, now));
        assert!(!is_held(i64::MAX, i64::MAX) && !is_held(now, i64::MIN));
    }
}
