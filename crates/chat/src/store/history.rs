//! What was said in a conversation, in order.

use super::database::Store;
use super::rows;
use crate::decide::Call;
use crate::wire::{ChatError, ErrorCode, Page};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use std::collections::HashMap;

/// Messages of a conversation that are read, the latest.
const MESSAGES: i64 = 2_000;
/// Bytes of their texts: where they have more, fewer are read.
const BYTES: i64 = 4 << 20;
/// Calls of those messages.
const CALLS: i64 = 8_000;
/// Bytes of their arguments, results and questions.
const CALLED: i64 = 16 << 20;

/// What a message is.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// What the person said.
    User(String),
    /// What the model said, and what it calls.
    Assistant(String, Vec<Call>),
    /// What the model had said when it was stopped: no answer.
    Cut(String),
    /// The page changed: it came with a result or a decision.
    Page,
}

impl Body {
    /// Whether it is a word that the next one goes by: neither a page, nor what was cut off of an answer.
    pub fn is_said(&self) -> bool {
        matches!(self, Self::User(_) | Self::Assistant(..))
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its number.
    pub seq: i64,
    /// What it is.
    pub body: Body,
    /// The page that was looked at: whole in the latest message that has one, before that its address alone.
    pub page: Option<Page>,
    /// When, in milliseconds since 1970.
    pub created: i64,
}

/// Kinds of messages in the database.
pub(super) const USER: &str = "user";
pub(super) const ASSISTANT: &str = "assistant";
pub(super) const PAGE: &str = "page";
pub(super) const CUT: &str = "cut";

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
    sqlx::query("INSERT INTO messages (conversation, seq, kind, body, page, url, request_id, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
        .bind(conversation)
        .bind(seq)
        .bind(message.kind)
        .bind(storable(message.body))
        .bind(written(message.page)?)
        .bind(address(message.page))
        .bind(message.request_id)
        .bind(super::database::now())
        .execute(&mut *tx)
        .await?;
    Ok(seq)
}

/// Puts another page, or none, in place of a message's.
pub(super) async fn set_page(
    tx: &mut AnyConnection,
    conversation: &str,
    seq: i64,
    page: Option<&Page>,
) -> Result<(), ChatError> {
    sqlx::query("UPDATE messages SET page = $3, url = $4 WHERE conversation = $1 AND seq = $2")
        .bind(conversation)
        .bind(seq)
        .bind(written(page)?)
        .bind(address(page))
        .execute(&mut *tx)
        .await?;
    Ok(())
}

fn written(page: Option<&Page>) -> Result<Option<String>, ChatError> {
    let page = page.map(serde_json::to_string).transpose();
    let page = page.map_err(|e| ChatError::new(ErrorCode::Bug, format!("a page can't be written as JSON: {e}")))?;
    Ok(page.map(|page| storable(&page)))
}

fn address(page: Option<&Page>) -> Option<String> {
    page.and_then(|page| page.url.as_deref()).map(storable)
}

/// A text that PostgreSQL can keep: it has no place for the character 0.
pub(super) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn entry(row: &AnyRow, calls: &mut HashMap<i64, Vec<Call>>) -> Result<Entry, ChatError> {
    let (kind, text, seq): (String, String, i64) = (row.try_get("kind")?, row.try_get("body")?, row.try_get("seq")?);
    let (page, url): (Option<String>, Option<String>) = (row.try_get("page")?, row.try_get("url")?);
    let body = match kind.as_str() {
        USER => Body::User(text),
        ASSISTANT => Body::Assistant(text, calls.remove(&seq).unwrap_or_default()),
        CUT => Body::Cut(text),
        _ => Body::Page,
    };
    let page = page.map(|page| serde_json::from_str(&page)).transpose();
    let page =
        page.map_err(|e| ChatError::new(ErrorCode::Bug, format!("a page in the database can't be read: {e}")))?;
    let page = page.or_else(|| url.map(|url| Page { url: Some(url), ..Page::default() }));
    Ok(Entry { seq, body, page, created: row.try_get("created")? })
}

/// The latest messages of a conversation, none of which takes the texts of all together far beyond what is read; of pages the latest.
const LATEST: &str = "SELECT m.seq AS seq, m.kind AS kind, m.body AS body, m.url AS url, m.created AS created, CASE WHEN m.seq = (SELECT MAX(seq) FROM messages WHERE conversation = $1 AND page IS NOT NULL) THEN m.page END AS page FROM messages AS m JOIN (SELECT seq, SUM(size) OVER (ORDER BY seq DESC) - size AS before FROM (SELECT seq, OCTET_LENGTH(body) AS size FROM messages WHERE conversation = $1 AND seq > $2 ORDER BY seq DESC LIMIT $3) AS sizes) AS reach ON reach.seq = m.seq WHERE m.conversation = $1 AND reach.before < $4 ORDER BY m.seq";

/// The rows of the latest messages after one.
async fn latest(tx: &mut AnyConnection, conversation: &str, after: i64) -> Result<Vec<AnyRow>, ChatError> {
    let found = sqlx::query(LATEST).bind(conversation).bind(after).bind(MESSAGES).bind(BYTES);
    Ok(found.fetch_all(&mut *tx).await?)
}

fn entries(rows: &[AnyRow], calls: Vec<Call>) -> Result<Vec<Entry>, ChatError> {
    let mut of_turn: HashMap<i64, Vec<Call>> = HashMap::new();
    for call in calls {
        of_turn.entry(call.turn).or_default().push(call);
    }
    rows.iter().map(|row| entry(row, &mut of_turn)).collect()
}

/// A conversation's messages after one, within a transaction, the earliest first. `calls`: its latest calls.
pub(super) async fn since(
    tx: &mut AnyConnection,
    conversation: &str,
    after: i64,
    calls: &[Call],
) -> Result<Vec<Entry>, ChatError> {
    let calls = calls.iter().filter(|call| call.turn > after).cloned().collect();
    entries(&latest(tx, conversation, after).await?, calls)
}

/// The last thing that the person said before a message.
async fn last_words(tx: &mut AnyConnection, conversation: &str, before: i64) -> Result<Option<Entry>, ChatError> {
    let row = sqlx::query("SELECT seq, kind, body, url, created, NULL AS page FROM messages WHERE conversation = $1 AND kind = $2 AND seq < $3 ORDER BY seq DESC LIMIT 1")
        .bind(conversation)
        .bind(USER)
        .bind(before)
        .fetch_optional(&mut *tx)
        .await?;
    row.as_ref().map(|row| entry(row, &mut HashMap::new())).transpose()
}

impl Store {
    /// A conversation's latest messages, the earliest first, with what the person said last.
    pub async fn history(&self, conversation: &str) -> Result<Vec<Entry>, ChatError> {
        let mut tx = self.reads.begin().await?;
        let (mut entries, _) = kept(&mut tx, conversation).await?;
        let has_words = entries.iter().any(|entry| matches!(entry.body, Body::User(_)));
        if let Some(first) = entries.first().filter(|_| !has_words).map(|entry| entry.seq)
            && let Some(words) = last_words(&mut tx, conversation, first).await?
        {
            entries.insert(0, words);
        }
        tx.commit().await?;
        Ok(entries)
    }

    /// Its latest messages, and whether that is less than all: it was longer than what is read at a time.
    pub async fn kept(&self, conversation: &str) -> Result<(Vec<Entry>, bool), ChatError> {
        let mut tx = self.reads.begin().await?;
        let kept = kept(&mut tx, conversation).await?;
        tx.commit().await?;
        Ok(kept)
    }
}

async fn kept(tx: &mut AnyConnection, conversation: &str) -> Result<(Vec<Entry>, bool), ChatError> {
    let rows = latest(tx, conversation, 0).await?;
    let calls = rows::calls(tx, conversation, (CALLS, CALLED)).await?;
    // Of an answer all calls are told, or it isn't: of the earliest that was read some may be missing.
    let whole = calls.first().map_or(0, |first| if first.place == 0 { first.turn } else { first.turn + 1 });
    let is_cut = rows::are_before(tx, conversation, whole).await?;
    let mut entries = entries(&rows, calls)?;
    if is_cut {
        entries.retain(|entry| entry.seq >= whole);
    }
    // Messages are counted from 1.
    let is_cut = is_cut || entries.first().is_some_and(|entry| entry.seq > 1);
    Ok((entries, is_cut))
}
