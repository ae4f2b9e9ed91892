//! Conversations: each belongs to one user, who names it by the client's session.

use super::audit::{Note, note};
use super::database::{Kind, Store, clock, now};
use super::lease::is_held;
use super::users::User;
use crate::wire::{ChatError, ErrorCode};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its id in the database.
    pub id: String,
    /// The number of its next message.
    pub(super) next_seq: i64,
    /// Who answers it, and until when.
    pub(super) run: Option<(String, i64)>,
}

/// A conversation as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its id in the database.
    pub id: String,
    /// The client's name for it.
    pub session: String,
    /// The agent that was asked last.
    pub agent: String,
    /// When it began, in milliseconds since 1970.
    pub created: i64,
    /// When it last changed.
    pub updated: i64,
    /// Whether it is being answered.
    pub is_running: bool,
}

fn listed(row: &AnyRow, at: i64) -> Result<Listed, ChatError> {
    Ok(Listed {
        id: row.try_get("id")?,
        session: row.try_get("session")?,
        agent: row.try_get("agent")?,
        created: row.try_get("created")?,
        updated: row.try_get("updated")?,
        is_running: row.try_get::<Option<String>, _>("run_id")?.is_some() && is_held(row.try_get("run_until")?, at),
    })
}

/// Finds the user's conversation of a session, which nobody else changes before the end of the transaction.
fn held(kind: Kind) -> &'static str {
    match kind {
        Kind::Sqlite => "SELECT * FROM conversations WHERE user_id = $1 AND session = $2",
        Kind::Postgres => "SELECT * FROM conversations WHERE user_id = $1 AND session = $2 FOR UPDATE",
    }
}

/// The user's conversation of a session, made where there is none, and held until the end of the transaction.
pub(super) async fn open(
    tx: &mut AnyConnection,
    kind: Kind,
    user: &str,
    session: &str,
    agent: &str,
) -> Result<Conversation, ChatError> {
    sqlx::query(
        "INSERT INTO conversations (id, user_id, session, agent, created, updated, next_seq, run_until) VALUES ($1, $2, $3, $4, $5, $5, 1, 0) ON CONFLICT (user_id, session) DO NOTHING",
    )
    .bind(super::users::chance("conv_")?)
    .bind(user)
    .bind(session)
    .bind(agent)
    .bind(now())
    .execute(&mut *tx)
    .await?;
    let row = sqlx::query(held(kind)).bind(user).bind(session).fetch_one(&mut *tx).await?;
    let run: Option<String> = row.try_get("run_id")?;
    Ok(Conversation {
        id: row.try_get("id")?,
        next_seq: row.try_get("next_seq")?,
        run: run.map(|run| Ok::<_, sqlx::Error>((run, row.try_get("run_until")?))).transpose()?,
    })
}

impl Store {
    /// A user's conversations, the latest first.
    pub async fn conversations(&self, user: &str, most: i64) -> Result<Vec<Listed>, ChatError> {
        let rows = sqlx::query("SELECT * FROM conversations WHERE user_id = $1 ORDER BY updated DESC, id LIMIT $2")
            .bind(user)
            .bind(most)
            .fetch_all(&self.reads)
            .await?;
        let at = self.clock().await?;
        rows.iter().map(|row| listed(row, at)).collect()
    }

    /// A user's conversation of a session.
    pub async fn conversation(&self, user: &str, session: &str) -> Result<Option<Listed>, ChatError> {
        let row = sqlx::query("SELECT * FROM conversations WHERE user_id = $1 AND session = $2")
            .bind(user)
            .bind(session)
            .fetch_optional(&self.reads)
            .await?;
        let at = self.clock().await?;
        row.as_ref().map(|row| listed(row, at)).transpose()
    }

    /// Deletes a user's conversation with all that belongs to it; the audit log stays. One that is being answered is refused.
    pub async fn delete_conversation(&self, user: &User, session: &str) -> Result<bool, ChatError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(held(self.kind())).bind(&user.id).bind(session).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(false) };
        let at = clock(self.kind(), &mut *tx).await?;
        let is_running =
            row.try_get::<Option<String>, _>("run_id")?.is_some() && is_held(row.try_get("run_until")?, at);
        if is_running {
            let what = "the conversation is being answered: cancel that before it is deleted";
            return Err(ChatError::new(ErrorCode::RunInProgress, what).again_after(1));
        }
        let id: String = row.try_get("id")?;
        sqlx::query("DELETE FROM conversations WHERE id = $1").bind(&id).execute(&mut *tx).await?;
        note(&mut tx, self.kind(), Note { user: &user.name, conversation: &id, event: "deleted", detail: "" }).await?;
        tx.commit().await?;
        Ok(true)
    }
}
