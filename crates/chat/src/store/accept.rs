//! Takes what a client says: bound to what it is about, stored, and the conversation's lease taken, all in one transaction. Only then
//! is it answered.

use super::again::{self, Kept, Opening, Since};
use super::audit::{Note, note};
use super::conversations::{self, Conversation};
use super::database::{Store, clock, now};
use super::grants::grant;
use super::history::{self, NewMessage, storable};
use super::lease::{HELD, Lease, is_held};
use super::rows;
use super::said::{Returned, Said};
use super::users::{User, chance};
use crate::decide::bind::{self, Bound};
use crate::decide::{Call, Side, Status, digest};
use crate::wire::reply::{Approval, says_failed, says_refused};
use crate::wire::{ChatError, ErrorCode, Page};
use serde_json::Value;
use sqlx::AnyConnection;
use std::time::Duration;
use tokio::time::timeout;

/// How long a request may wait for those before it.
const TAKING: Duration = Duration::from_secs(20);
/// What a model is told of a call that the person went on from.
const SUPERSEDED: &str = "it was not carried out: the person wrote something else instead";
/// The same of a call that the browser carries out: it may have been at it.
const UNKNOWN: &str = "the person wrote something else instead: it isn't known whether it was carried out";
/// What a model is told of a call that was being carried out when the server ended.
const INTERRUPTED: &str = "the server ended while it was carried out: it isn't known what came of it";

/// Whether a tool may be called with some arguments; why not.
pub(crate) type Check<'a> = &'a (dyn Fn(&str, &Value) -> Result<(), String> + Sync);

/// What comes in.
pub struct Incoming<'a> {
    /// From whom.
    pub user: &'a User,
    /// The client's name of the conversation.
    pub session: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// What is said.
    pub said: Said,
    /// The page that the person looks at.
    pub page: Option<&'a Page>,
    /// What makes it the same as an earlier request.
    pub request_id: Option<&'a str>,
    /// Whether the client is told ids of calls.
    pub names_calls: bool,
    /// For how long a call waits for the person, in milliseconds.
    pub waits: i64,
    /// Holds arguments that the person changed to the tool's schema.
    pub check: Check<'a>,
}

/// What was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The conversation, held.
    pub lease: Lease,
    /// How the answer begins.
    pub opening: Opening,
    /// The word that was taken, where it is only known again by whether its answer was heard.
    pub word: Option<i64>,
}

impl Store {
    /// Takes what a client says.
    pub async fn accept(&self, incoming: Incoming<'_>) -> Result<Accepted, ChatError> {
        let busy = |_| ChatError::new(ErrorCode::Database, "too many requests wait for the database").again_after(2);
        let _place = timeout(TAKING, self.door.acquire()).await.map_err(busy)?;
        let mut tx = self.begin().await?;
        let Incoming { user, session, agent, .. } = incoming;
        let conversation = conversations::open(&mut tx, self.kind(), &user.id, session, agent).await?;
        let at = clock(self.kind(), &mut *tx).await?;
        if conversation.run.as_ref().is_some_and(|(_, until)| is_held(*until, at)) {
            let what =
                format!("the conversation `{}` is being answered: wait for the end of that", session.escape_debug());
            return Err(ChatError::new(ErrorCode::RunInProgress, what).again_after(1));
        }
        let mut calls = interrupted(&mut tx, &conversation).await?;
        let taken = take_word(self, &mut tx, &conversation, &incoming, (&mut calls, at)).await;
        let opening = match taken {
            Ok(opening) => opening,
            Err(Refused { error, keeps }) => {
                if keeps {
                    tx.commit().await?;
                } else {
                    drop(tx);
                    self.note(&user.name, "refused", &format!("{} {}", error.code.word(), session)).await?;
                }
                return Err(error);
            }
        };
        let is_bare = incoming.request_id.is_none() && incoming.said.is_known_by_hearing();
        let word = if is_bare { again::same_on_calls(&mut tx, &conversation, &incoming.said).await? } else { None };
        let word = word.map(|word| word.seq);
        let lease = take(&mut tx, &conversation, user, (agent, at)).await?;
        tx.commit().await?;
        Ok(Accepted { lease, opening, word })
    }
}

/// Why nothing is answered, and whether what was written on the way is kept.
struct Refused {
    error: ChatError,
    keeps: bool,
}

impl<E: Into<ChatError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self { error: error.into(), keeps: false }
    }
}

/// The conversation's calls, those settled that a server was at when it died.
async fn interrupted(tx: &mut AnyConnection, conversation: &Conversation) -> Result<Vec<Call>, ChatError> {
    let mut calls = rows::calls(tx, &conversation.id, (rows::CALLS, rows::BYTES)).await?;
    for call in calls.iter_mut().filter(|call| call.status == Status::Running) {
        rows::settle(tx, &call.id, Status::Done, INTERRUPTED, true).await?;
        (call.status, call.result, call.failed) = (Status::Done, Some(INTERRUPTED.to_owned()), true);
    }
    Ok(calls)
}

/// Takes what is said: as a new word, or as one that comes again.
async fn take_word(
    store: &Store,
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    (calls, at): (&mut Vec<Call>, i64),
) -> Result<Opening, Refused> {
    if let Some(kept) = again::earlier(tx, conversation, (&incoming.said, incoming.request_id), calls).await? {
        return repeated(store, tx, conversation, incoming, calls, &kept).await;
    }
    match &incoming.said {
        Said::Text(text) => said(store, tx, conversation, incoming, calls, text).await,
        Said::Results(results) => returned(store, tx, conversation, incoming, (calls, results)).await,
        Said::Decision(approval) => {
            let bound = bind::approval(calls, approval, incoming.page, !incoming.names_calls, (at, incoming.waits));
            // Where nothing waits, the same word again is that word.
            if bound.as_ref().is_err_and(|error| error.code == ErrorCode::NoPendingCall)
                && let Some(kept) = again::same(tx, conversation, &incoming.said).await?
            {
                return repeated(store, tx, conversation, incoming, calls, &kept).await;
            }
            decided(store, tx, conversation, incoming, calls, (bound, approval)).await
        }
    }
}

/// Takes a word that was taken before.
async fn repeated(
    store: &Store,
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    calls: &[Call],
    kept: &Kept,
) -> Result<Opening, Refused> {
    let call = kept.call(calls);
    let since = match call {
        Some(call) => Since { turn: call.turn, word: Some(kept.seq) },
        None => Since { turn: kept.seq, word: None },
    };
    let opening = again::again(tx, conversation, calls, since, incoming.page).await?;
    let Said::Decision(approval) = &incoming.said else { return Ok(opening) };
    if let Some(call) = call {
        audit(store, tx, conversation, incoming, "repeated", call).await?;
    }
    Ok(if approval.approved { opening } else { again::refused(opening) })
}

/// Takes the person's words.
async fn said(
    store: &Store,
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    calls: &[Call],
    text: &str,
) -> Result<Opening, Refused> {
    for call in calls.iter().filter(|call| !call.status.is_settled()) {
        let told = if call.side == Side::Browser && call.status == Status::Offered { UNKNOWN } else { SUPERSEDED };
        rows::settle(tx, &call.id, Status::Void, told, true).await?;
        audit(store, tx, conversation, incoming, "superseded", call).await?;
    }
    let message = NewMessage { kind: history::USER, body: text, page: incoming.page, request_id: incoming.request_id };
    history::add(tx, &conversation.id, message).await?;
    Ok(Opening::Go)
}

/// Takes what browser tools returned: all of it, or nothing.
async fn returned(
    store: &Store,
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    (calls, results): (&mut Vec<Call>, &[Returned]),
) -> Result<Opening, Refused> {
    let (mut settled, mut turn) = (None, None);
    for Returned { tool, call, text } in results {
        // A client that repeats all that was returned since the model spoke tells us of what we carried out ourselves, too.
        let is_told = |known: &&Call| known.side == Side::Server && known.status.is_settled();
        if results.len() > 1 && calls.iter().filter(is_told).any(|known| Some(&known.id) == call.as_ref()) {
            continue;
        }
        let text = storable(text);
        match bind::result(calls, tool.as_deref(), call.as_deref(), &text)? {
            Bound::Settles(id) => {
                let failed = says_failed(&text);
                rows::settle(tx, &id, Status::Done, &text, failed).await?;
                // The browser asks the person itself: its result says what came of that.
                let event = if says_refused(&text) { "rejected" } else { "result" };
                audit(store, tx, conversation, incoming, event, one(calls, &id)?).await?;
                settled = Some(id.clone());
                for call in calls.iter_mut().filter(|call| call.id == id) {
                    (call.status, call.result, call.failed) = (Status::Done, Some(text.clone()), failed);
                }
            }
            Bound::Repeats(id) => turn = Some(one(calls, &id)?.turn),
            Bound::Voids(id, error) => return void(store, tx, conversation, incoming, one(calls, &id)?, error).await,
        }
    }
    match (settled, turn) {
        (Some(id), _) => keep(tx, conversation, incoming, &id).await,
        (None, Some(turn)) => {
            Ok(again::again(tx, conversation, calls, Since { turn, word: None }, incoming.page).await?)
        }
        (None, None) => Err(ChatError::new(ErrorCode::NoPendingCall, "no call waits for what was returned").into()),
    }
}

/// Takes the person's decision.
async fn decided(
    store: &Store,
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    calls: &[Call],
    (bound, approval): (Result<Bound, ChatError>, &Approval),
) -> Result<Opening, Refused> {
    let id = match bound? {
        Bound::Settles(id) => id,
        Bound::Repeats(id) => {
            let call = one(calls, &id)?;
            audit(store, tx, conversation, incoming, "repeated", call).await?;
            if !approval.approved {
                return Ok(Opening::Say(crate::wire::chunk::REJECTED));
            }
            let since = Since { turn: call.turn, word: None };
            return Ok(again::again(tx, conversation, calls, since, incoming.page).await?);
        }
        Bound::Voids(id, error) => return void(store, tx, conversation, incoming, one(calls, &id)?, error).await,
    };
    let call = one(calls, &id)?;
    sqlx::query("UPDATE calls SET client_ref = $2 WHERE id = $1")
        .bind(&id)
        .bind(&approval.id)
        .execute(&mut *tx)
        .await?;
    if !approval.approved {
        let reason = approval.reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
        let told = storable(&format!("{}{reason}", crate::wire::chunk::REJECTED));
        rows::settle(tx, &id, Status::Rejected, &told, true).await?;
        audit(store, tx, conversation, incoming, "rejected", call).await?;
        keep(tx, conversation, incoming, &id).await?;
        return Ok(Opening::Say(crate::wire::chunk::REJECTED));
    }
    let mut agreed = call.clone();
    if let Some(arguments) = &approval.arguments {
        if !arguments.is_exact() {
            let why = "can't be used: a whole number has more than 64 bits";
            return Err(ChatError::field("message.arguments", why).into());
        }
        (incoming.check)(&call.tool, &arguments.to_value())
            .map_err(|why| ChatError::field("message.arguments", format!("can't be used: {why}")))?;
        let arguments = storable(&arguments.python());
        let untold = Page { url: call.page.clone(), ..Page::default() };
        let page = incoming.page.unwrap_or(&untold);
        let hash = digest::proposal((&*id, call.side), &call.tool, &arguments, Some(page));
        sqlx::query("UPDATE calls SET arguments = $2, hash = $3 WHERE id = $1")
            .bind(&id)
            .bind(&arguments)
            .bind(&hash)
            .execute(&mut *tx)
            .await?;
        (agreed.arguments, agreed.hash) = (arguments, hash);
        audit(store, tx, conversation, incoming, "edited", &agreed).await?;
    }
    if approval.grants && agreed.side == Side::Server {
        grant(tx, &conversation.id, &agreed).await?;
        audit(store, tx, conversation, incoming, "granted", &agreed).await?;
    }
    rows::set_status(tx, &id, Status::Approved).await?;
    audit(store, tx, conversation, incoming, "approved", &agreed).await?;
    keep(tx, conversation, incoming, &id).await
}

fn one<'a>(calls: &'a [Call], id: &str) -> Result<&'a Call, ChatError> {
    calls
        .iter()
        .find(|call| call.id == id)
        .ok_or_else(|| ChatError::new(ErrorCode::Bug, "a call that was found is gone"))
}

/// Keeps that a call came to nothing, and refuses what was said about it.
async fn void(
    store: &Store,
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    call: &Call,
    error: ChatError,
) -> Result<Opening, Refused> {
    let told = format!("it was not carried out: {}", error.message);
    rows::settle(tx, &call.id, Status::Void, &told, true).await?;
    audit(store, tx, conversation, incoming, error.code.word(), call).await?;
    Err(Refused { error, keeps: true })
}

/// Keeps a word on calls, with the page that came with it.
async fn keep(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    call: &str,
) -> Result<Opening, Refused> {
    again::keep(tx, &conversation.id, (&incoming.said, call), incoming.page, incoming.request_id).await?;
    Ok(Opening::Go)
}

async fn audit(
    store: &Store,
    tx: &mut AnyConnection,
    conversation: &Conversation,
    incoming: &Incoming<'_>,
    event: &str,
    call: &Call,
) -> Result<(), ChatError> {
    let detail = format!("{} {} {}", call.id, call.tool, call.hash);
    let (user, conversation) = (&*incoming.user.name, &*conversation.id);
    note(tx, store.kind(), Note { user, conversation, event, detail: &detail }).await
}

/// Takes the lease.
async fn take(
    tx: &mut AnyConnection,
    conversation: &Conversation,
    user: &User,
    (agent, at): (&str, i64),
) -> Result<Lease, ChatError> {
    let run = chance("run_")?;
    sqlx::query("UPDATE conversations SET run_id = $2, run_until = $3, updated = $4, agent = $5 WHERE id = $1")
        .bind(&conversation.id)
        .bind(&run)
        .bind(at + HELD)
        .bind(now())
        .bind(agent)
        .execute(&mut *tx)
        .await?;
    sqlx::query("INSERT INTO runs (id, user_id, conversation, started, outcome, input_tokens, output_tokens) VALUES ($1, $2, $3, $4, 'running', 0, 0)")
        .bind(&run)
        .bind(&user.id)
        .bind(&conversation.id)
        .bind(at)
        .execute(&mut *tx)
        .await?;
    Ok(Lease { conversation: conversation.id.clone(), run, user: user.name.clone() })
}
