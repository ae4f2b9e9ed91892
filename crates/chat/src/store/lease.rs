//! The lease of a conversation: who answers it now. It is held for some seconds at a time, so that another server goes on where one died.

use super::audit::{Note, note};
use super::database::{Store, now};
use crate::wire::{ChatError, ErrorCode};
use handeye_scene::chat::Usage;
use sqlx::{Any, Transaction};

/// For how long a lease is held without a word, in milliseconds.
pub(super) const HELD: i64 = 15_000;

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

impl Lease {
    /// Makes sure, and for the length of the transaction, that it is still held.
    pub(super) async fn hold(&self, tx: &mut Transaction<'static, Any>) -> Result<(), ChatError> {
        let held = sqlx::query("UPDATE conversations SET run_until = $3, updated = $4 WHERE id = $1 AND run_id = $2")
            .bind(&self.conversation)
            .bind(&self.run)
            .bind(now() + HELD)
            .bind(now())
            .execute(&mut **tx)
            .await?;
        if held.rows_affected() == 1 {
            return Ok(());
        }
        Err(ChatError::new(ErrorCode::Cancelled, "the answer was cancelled, or another server goes on with it"))
    }
}

impl Store {
    /// Holds a lease for longer; an error where it is held no more.
    pub async fn beat(&self, lease: &Lease) -> Result<(), ChatError> {
        let mut tx = self.begin().await?;
        lease.hold(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Gives a lease back, and keeps what the run came to.
    pub async fn end_run(&self, lease: &Lease, outcome: &str, used: Usage) -> Result<(), ChatError> {
        let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE conversations SET run_id = NULL, run_until = 0 WHERE id = $1 AND run_id = $2")
            .bind(&lease.conversation)
            .bind(&lease.run)
            .execute(&mut *tx)
            .await?;
        sqlx::query("UPDATE runs SET ended = $2, outcome = $3, input_tokens = $4, output_tokens = $5 WHERE id = $1")
            .bind(&lease.run)
            .bind(now())
            .bind(outcome)
            .bind(count(used.input))
            .bind(count(used.output))
            .execute(&mut *tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Takes a conversation from whoever answers it: the run, and whether there was one.
    pub async fn cancel_run(&self, conversation: &str, user: &str) -> Result<(Option<String>, bool), ChatError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query("SELECT run_id FROM conversations WHERE id = $1")
            .bind(conversation)
            .fetch_optional(&mut *tx)
            .await?;
        let run: Option<String> = match row {
            Some(row) => sqlx::Row::try_get(&row, "run_id")?,
            None => None,
        };
        sqlx::query("UPDATE conversations SET run_id = NULL, run_until = 0 WHERE id = $1")
            .bind(conversation)
            .execute(&mut *tx)
            .await?;
        let was_running = run.is_some();
        if was_running {
            note(&mut tx, self.kind(), Note { user, conversation, event: "cancelled", detail: "" }).await?;
        }
        tx.commit().await?;
        Ok((run, was_running))
    }

    /// Gives back what a server held that is known to be dead.
    pub async fn forget_leases(&self) -> Result<(), ChatError> {
        sqlx::query("UPDATE conversations SET run_id = NULL, run_until = 0 WHERE run_id IS NOT NULL")
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Tokens that a user has used since a moment.
    pub async fn tokens_since(&self, user: &str, since: i64) -> Result<u64, ChatError> {
        let row = sqlx::query(
            "SELECT CAST(COALESCE(SUM(input_tokens + output_tokens), 0) AS BIGINT) AS used FROM runs WHERE user_id = $1 AND started >= $2",
        )
        .bind(user)
        .bind(since)
        .fetch_one(&self.pool)
        .await?;
        let used: i64 = sqlx::Row::try_get(&row, "used")?;
        Ok(u64::try_from(used).unwrap_or(0))
    }
}
