//! What a person granted for a conversation: a tool, on the pages of one origin.

use super::database::{Store, now};
use crate::decide::Call;
use crate::wire::ChatError;
use handeye_engine::policy::origin;
use sqlx::{AnyConnection, Row};

/// Tools that a person may grant for one conversation.
const MOST: i64 = 1_000;

/// A tool that needs no further question on the pages of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    /// The tool.
    pub(crate) tool: String,
    /// The origin; empty where no page was looked at.
    pub(crate) origin: String,
}

impl Grant {
    /// That of a tool on a page.
    pub(crate) fn of(tool: &str, page: Option<&str>) -> Self {
        Self { tool: tool.to_owned(), origin: page.map(origin::of).unwrap_or_default() }
    }
}

/// Keeps that calls like this one need no further question.
pub(super) async fn grant(tx: &mut AnyConnection, conversation: &str, call: &Call) -> Result<(), ChatError> {
    let Grant { tool, origin } = Grant::of(&call.tool, call.page.as_deref());
    sqlx::query(
        "INSERT INTO grants (conversation, tool, origin, created) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
    )
    .bind(conversation)
    .bind(tool)
    .bind(origin)
    .bind(now())
    .execute(&mut *tx)
    .await?;
    Ok(())
}

impl Store {
    /// What was granted for a conversation.
    pub(crate) async fn grants(&self, conversation: &str) -> Result<Vec<Grant>, ChatError> {
        let rows = sqlx::query("SELECT tool, origin FROM grants WHERE conversation = $1 LIMIT $2")
            .bind(conversation)
            .bind(MOST)
            .fetch_all(&self.reads)
            .await?;
        rows.iter().map(|row| Ok(Grant { tool: row.try_get("tool")?, origin: row.try_get("origin")? })).collect()
    }
}
