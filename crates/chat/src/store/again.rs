//! A word that comes again, since its answer got lost: it is taken once, and what was answered is told again.
//!
//! It is known by its `request_id`. Without one, the person's words are known by being the very same as the latest, and a word on a call
//! by being the same as one whose answer was never heard; a client that has heard the answer may say the same of the next call.

use super::conversations::Conversation;
use super::database::{Store, now};
use super::history::{self, Body, Entry, NewMessage, storable};
use super::said::Said;
use crate::decide::{Call, Status};
use crate::wire::chunk::REJECTED;
use crate::wire::{ChatError, ErrorCode, Page};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// How many words on calls are looked through for the same one.
const LOOKED_BACK: i64 = 64;

/// How the answer begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// With whatever comes next.
    Go,
    /// With these words, and ends.
    Say(&'static str),
    /// It was given before: it is told again.
    Replay(Past),
    /// A part of it was given before: that is told again, and then comes the rest.
    Resume(Past),
}

/// What was answered before.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// What was said of a refusal.
    pub words: Option<&'static str>,
    /// Calls of an earlier message that the client was told of then.
    pub calls: Vec<Call>,
    /// What the model answered.
    pub entries: Vec<Entry>,
}

/// A word that was taken before.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// The number of its message.
    pub(super) seq: i64,
    kind: String,
    /// The person's words; of a word on calls its print, and the call.
    body: String,
    is_heard: bool,
}

impl Kept {
    fn of(row: &AnyRow) -> Result<Self, ChatError> {
        let heard: Option<i64> = row.try_get("heard")?;
        Ok(Self {
            seq: row.try_get("seq")?,
            kind: row.try_get("kind")?,
            body: row.try_get("body")?,
            is_heard: heard.is_some(),
        })
    }

    /// Whether it says the same.
    fn is(&self, said: &Said) -> bool {
        match said {
            Said::Text(text) => self.kind == history::USER && self.body == storable(text),
            said => self.kind == history::PAGE && said.print().as_deref() == self.body.split(' ').next(),
        }
    }

    /// The call that it is about.
    pub(super) fn call<'a>(&self, calls: &'a [Call]) -> Option<&'a Call> {
        let (_, id) = self.body.split_once(' ').filter(|_| self.kind == history::PAGE)?;
        calls.iter().find(|call| call.id == id)
    }
}

/// The word that was taken by a `request_id`.
async fn by_request(tx: &mut AnyConnection, conversation: &str, id: &str) -> Result<Option<Kept>, ChatError> {
    let row = sqlx::query("SELECT seq, kind, body, heard FROM messages WHERE conversation = $1 AND request_id = $2")
        .bind(conversation)
        .bind(id)
        .fetch_optional(&mut *tx)
        .await?;
    row.as_ref().map(Kept::of).transpose()
}

/// The latest word of the client, and whether nothing came after it but what was cut off of its answer, and pages that it came with again.
async fn latest(tx: &mut AnyConnection, conversation: &Conversation) -> Result<Option<(Kept, bool)>, ChatError> {
    let row = sqlx::query(
        "SELECT seq, kind, body, heard, (SELECT MAX(seq) FROM messages WHERE conversation = $1 AND kind <> $3 AND NOT (kind = $4 AND body = '')) AS last FROM messages WHERE conversation = $1 AND kind NOT IN ($2, $3) AND body <> '' ORDER BY seq DESC LIMIT 1",
    )
    .bind(&conversation.id)
    .bind(history::ASSISTANT)
    .bind(history::CUT)
    .bind(history::PAGE)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let kept = Kept::of(&row)?;
    let is_last = row.try_get::<Option<i64>, _>("last")? == Some(kept.seq);
    Ok(Some((kept, is_last)))
}

/// The word that this one is once more; none where it is a new one.
pub(super) async fn earlier(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    (said, request_id): (&Said, Option<&str>),
    calls: &[Call],
) -> Result<Option<Kept>, ChatError> {
    if let Some(id) = request_id {
        let Some(kept) = by_request(tx, &conversation.id, id).await? else { return Ok(None) };
        if kept.is(said) {
            return Ok(Some(kept));
        }
        let what = format!("something else was sent with the request_id `{}`", id.escape_debug());
        return Err(ChatError::new(ErrorCode::AlreadyDecided, what).at("request_id"));
    }
    match said {
        Said::Text(_) => {
            let latest = latest(tx, conversation).await?;
            Ok(latest.filter(|(kept, is_last)| *is_last && kept.is(said)).map(|(kept, _)| kept))
        }
        // One that names its calls can be about no other.
        said if said.names_calls() => Ok(None),
        said => unheard(tx, conversation, said, calls).await,
    }
}

/// The words on calls since the person last wrote, the latest first.
async fn on_calls(tx: &mut AnyConnection, conversation: &str) -> Result<Vec<Kept>, ChatError> {
    let rows = sqlx::query(
        "SELECT seq, kind, body, heard FROM messages WHERE conversation = $1 AND kind = $2 AND body <> '' AND seq > \
         (SELECT COALESCE(MAX(seq), 0) FROM messages WHERE conversation = $1 AND kind = $3) ORDER BY seq DESC LIMIT $4",
    )
    .bind(conversation)
    .bind(history::PAGE)
    .bind(history::USER)
    .bind(LOOKED_BACK)
    .fetch_all(&mut *tx)
    .await?;
    rows.iter().map(Kept::of).collect()
}

/// The same word on a call, where its answer was never heard: not told to its end, and no later word is about a call that it told of.
async fn unheard(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    said: &Said,
    calls: &[Call],
) -> Result<Option<Kept>, ChatError> {
    let mut told = 0;
    for kept in on_calls(tx, &conversation.id).await? {
        if kept.is(said) {
            return Ok((!kept.is_heard && told <= kept.seq).then_some(kept));
        }
        told = told.max(kept.call(calls).map_or(0, |call| call.offered));
    }
    Ok(None)
}

/// The latest word on a call that says the same, whether its answer was heard or not.
pub(super) async fn same_on_calls(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    said: &Said,
) -> Result<Option<Kept>, ChatError> {
    Ok(on_calls(tx, &conversation.id).await?.into_iter().find(|kept| kept.is(said)))
}

/// The latest word, where it says the same, whether its answer was heard or not.
pub(super) async fn same(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    said: &Said,
) -> Result<Option<Kept>, ChatError> {
    Ok(latest(tx, conversation).await?.map(|(kept, _)| kept).filter(|kept| kept.is(said)))
}

/// Keeps a word on calls, with the page that came with it; its number.
pub(super) async fn keep(
    tx: &mut AnyConnection,
    conversation: &str,
    (said, call): (&Said, &str),
    page: Option<&Page>,
    request_id: Option<&str>,
) -> Result<i64, ChatError> {
    let body = said.print().map(|print| format!("{print} {call}")).unwrap_or_default();
    history::add(tx, conversation, NewMessage { kind: history::PAGE, body: &body, page, request_id }).await
}

/// Where an answer is looked for.
pub(super) struct Since {
    /// The message that it comes after.
    pub(super) turn: i64,
    /// The word that it answers, where that is kept by itself.
    pub(super) word: Option<i64>,
}

/// What was answered since is told again; where nothing was yet, it is answered now, on the page that came with the word this time.
pub(super) async fn again(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    calls: &[Call],
    Since { turn, word }: Since,
    page: Option<&Page>,
) -> Result<Opening, ChatError> {
    let entries = history::since(tx, &conversation.id, turn, calls).await?;
    let of_turn = || calls.iter().filter(|call| call.turn == turn);
    let offered = || of_turn().filter(|call| call.status == Status::Offered);
    let told: Vec<Call> = offered().filter(|call| word.is_some_and(|word| call.offered > word)).cloned().collect();
    let is_answered = entries.iter().any(|entry| matches!(entry.body, Body::Assistant(..)));
    let is_agreed_to = of_turn().any(|call| matches!(call.status, Status::Approved | Status::Running));
    let is_held_back = of_turn().any(|call| call.status == Status::Queued);
    let waits = is_held_back || !is_answered && offered().next().is_none();
    if is_agreed_to || told.is_empty() && waits {
        turn_page(tx, conversation, word.unwrap_or(turn), page).await?;
        return Ok(Opening::Go);
    }
    let is_left = is_held_back || is_left(&entries);
    let past = Past { words: None, calls: told, entries };
    if !is_left {
        return Ok(Opening::Replay(past));
    }
    turn_page(tx, conversation, word.unwrap_or(turn), page).await?;
    Ok(Opening::Resume(past))
}

/// The same of a refusal, which is answered by words of ours.
pub(super) fn refused(opening: Opening) -> Opening {
    let words = Some(REJECTED);
    match opening {
        Opening::Replay(past) => Opening::Replay(Past { words, ..past }),
        Opening::Resume(past) => Opening::Resume(Past { words, ..past }),
        Opening::Go | Opening::Say(_) => Opening::Say(REJECTED),
    }
}

/// Whether a server died between a call that needed nobody and the model's next words, or before the person was asked about one.
fn is_left(entries: &[Entry]) -> bool {
    let last = entries.iter().rev().find(|entry| entry.body.is_said());
    let Some(Body::Assistant(_, calls)) = last.map(|entry| &entry.body) else { return false };
    if calls.iter().any(|call| call.status == Status::Queued) {
        return true;
    }
    let goes_on = |call: &Call| call.status.is_settled() || call.status == Status::Approved;
    calls.iter().all(goes_on) && calls.iter().any(|call| matches!(call.status, Status::Done | Status::Approved))
}

/// Keeps the page that came with a word this time: what the model is told and what rules judge by are the same.
async fn turn_page(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    seq: i64,
    page: Option<&Page>,
) -> Result<(), ChatError> {
    if seq + 1 == conversation.next_seq {
        return history::set_page(tx, &conversation.id, seq, page).await;
    }
    if page.is_some() {
        let message = NewMessage { kind: history::PAGE, body: "", page, request_id: None };
        history::add(tx, &conversation.id, message).await?;
    }
    Ok(())
}

/// Notes that the answer to a word was told to its end.
pub async fn heard(store: &Store, conversation: &str, seq: i64) -> Result<(), ChatError> {
    let mut tx = store.begin().await?;
    sqlx::query("UPDATE messages SET heard = $3 WHERE conversation = $1 AND seq = $2 AND heard IS NULL")
        .bind(conversation)
        .bind(seq)
        .bind(now())
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}
