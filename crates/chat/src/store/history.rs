//! What was said in a conversation, in order.

use super::database::Store;
use super::rows;
use crate::decide::Call;
use crate::wire::{ChatError, ErrorCode, Page};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Messages of a conversation that are read, the latest.
const MESSAGES: i64 = 2_000;

/// Calls of those messages.
const CALLS: i64 = 8_000;

/// What a message is.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// What the person said.
    User(String),
    /// What the model said, and what it calls.
    Assistant(String, Vec<Call>),
    /// The page changed: it came with a result or a decision.
    Page,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its number.
    pub seq: i64,
    /// What it is.
    pub body: Body,
    /// The page that was looked at.
    pub page: Option<Page>,
    /// When, in milliseconds since 1970.
    pub created: i64,
}

/// Kinds of messages in the database.
pub(super) const USER: &str = "user";
pub(super) const ASSISTANT: &str = "assistant";
pub(super) const PAGE: &str = "page";

/// A message to keep.
pub(super) struct NewMessage<'a> {
    pub(super) kind: &'static str,
    pub(super) body: &'a str,
    pub(super) page: Option<&'a Page>,
    pub(super) request_id: Option<&'a str>,
}

/// Keeps a message, as the conversation's next; its number.
pub(super) async fn add(tx: &mut AnyConnection, conversation: &str, message: NewMessage<'_>) -> Result<i64, ChatError> {
    let next = sqlx::query("UPDATE conversations SET next_seq = next_seq + 1 WHERE id = $1 RETURNING next_seq")
        .bind(conversation)
        .fetch_one(&mut *tx)
        .await?;
    let seq = next.try_get::<i64, _>("next_seq")? - 1;
    let page = message.page.map(serde_json::to_string).transpose();
    let page = page.map_err(|e| ChatError::new(ErrorCode::Bug, format!("a page can't be written as JSON: {e}")))?;
    sqlx::query("INSERT INTO messages (conversation, seq, kind, body, page, request_id, created) VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(conversation)
        .bind(seq)
        .bind(message.kind)
        .bind(storable(message.body))
        .bind(page.map(|page| storable(&page)))
        .bind(message.request_id)
        .bind(super::database::now())
        .execute(&mut *tx)
        .await?;
    Ok(seq)
}

/// A text that PostgreSQL can keep: it has no place for the character 0.
pub(super) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn entry(row: &AnyRow, calls: &[Call]) -> Result<Entry, ChatError> {
    let (kind, text, seq): (String, String, i64) = (row.try_get("kind")?, row.try_get("body")?, row.try_get("seq")?);
    let page: Option<String> = row.try_get("page")?;
    let body = match kind.as_str() {
        USER => Body::User(text),
        ASSISTANT => Body::Assistant(text, calls.iter().filter(|call| call.turn == seq).cloned().collect()),
        _ => Body::Page,
    };
    let page = page.map(|page| serde_json::from_str(&page)).transpose();
    let page =
        page.map_err(|e| ChatError::new(ErrorCode::Bug, format!("a page in the database can't be read: {e}")))?;
    Ok(Entry { seq, body, page, created: row.try_get("created")? })
}

/// A conversation's messages within a transaction, the earliest first.
pub(super) async fn entries(
    tx: &mut AnyConnection,
    conversation: &str,
    calls: &[Call],
) -> Result<Vec<Entry>, ChatError> {
    let found = sqlx::query("SELECT * FROM messages WHERE conversation = $1 ORDER BY seq DESC LIMIT $2")
        .bind(conversation)
        .bind(MESSAGES)
        .fetch_all(&mut *tx)
        .await?;
    found.iter().rev().map(|row| entry(row, calls)).collect()
}

impl Store {
    /// A conversation's messages, the earliest first.
    pub async fn history(&self, conversation: &str) -> Result<Vec<Entry>, ChatError> {
        Ok(self.kept(conversation).await?.0)
    }

    /// The same, and whether that is less than all: it was longer than what is read at a time.
    pub async fn kept(&self, conversation: &str) -> Result<(Vec<Entry>, bool), ChatError> {
        let mut tx = self.reads.begin().await?;
        let calls = rows::calls(&mut tx, conversation, CALLS).await?;
        let entries = entries(&mut tx, conversation, &calls).await?;
        tx.commit().await?;
        // Messages are counted from 1.
        let is_cut = entries.first().is_some_and(|entry| entry.seq > 1) || calls.len() as i64 >= CALLS;
        Ok((entries, is_cut))
    }
}
