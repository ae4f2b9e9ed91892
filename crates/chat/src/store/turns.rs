//! What a model answers, and what comes of its calls.

use super::audit::{Note, note};
use super::database::{Store, now};
use super::history::{self, NewMessage, storable};
use super::lease::Lease;
use super::rows;
use crate::decide::offer::offers;
use crate::decide::{Call, Naming, Side, Status, digest};
use crate::wire::{ChatError, Page};
use handeye_models::Usage;
use sqlx::{AnyConnection, Row};

/// An answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn<'a> {
    /// What it said.
    pub text: &'a str,
    /// What it calls.
    pub calls: &'a [NewCall],
    /// The page that the person looks at.
    pub page: Option<&'a Page>,
    /// What the run took so far.
    pub used: Usage,
}

/// A call to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCall {
    /// The tool.
    pub tool: String,
    /// Where it is carried out.
    pub side: Side,
    /// Its arguments.
    pub arguments: String,
    /// Why it can't be made, for the model; none where it can.
    pub fault: Option<String>,
    /// Whether it is carried out here without a question.
    pub is_allowed: bool,
}

/// The calls of an answer that was kept.
pub(crate) struct Kept {
    /// What waits for the person now.
    pub(crate) waiting: Waiting,
    /// What is carried out without a question.
    pub(crate) allowed: Vec<Call>,
}

/// Calls that wait for the person.
#[derive(Default)]
pub(crate) struct Waiting {
    /// Those that the browser carries out, which asks the person itself: the client is told of them.
    pub(crate) offered: Vec<Call>,
    /// Those that are carried out here: the person is to be asked about them.
    pub(crate) to_ask: Vec<Call>,
}

/// How the client is told of calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offering {
    /// What it is told to name them by.
    pub(crate) naming: Naming,
    /// For how long a call waits for the person, in milliseconds.
    pub(crate) waits: i64,
}

/// The calls of a message that the person can be told of now; of the browser's the client is.
async fn offer(
    store: &Store,
    tx: &mut AnyConnection,
    lease: &Lease,
    turn: i64,
    (offering, at): (Offering, i64),
) -> Result<Waiting, ChatError> {
    let mut calls = rows::of_turn(tx, &lease.conversation, turn).await?;
    let ids = offers(&calls, offering.naming);
    calls.retain(|call| ids.contains(&call.id));
    let (to_ask, mut offered): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(|call| call.side == Side::Server);
    for call in &mut offered {
        (call.status, call.expires) = (Status::Offered, at.saturating_add(offering.waits));
        tell(store, tx, lease, call).await?;
    }
    Ok(Waiting { offered, to_ask })
}

/// Keeps that the client is told of a call, and until when it waits.
pub(super) async fn tell(store: &Store, tx: &mut AnyConnection, lease: &Lease, call: &Call) -> Result<(), ChatError> {
    sqlx::query("UPDATE calls SET status = $2, expires = $3, offered = (SELECT next_seq FROM conversations WHERE id = $4) WHERE id = $1")
        .bind(&call.id)
        .bind(Status::Offered.word())
        .bind(call.expires)
        .bind(&lease.conversation)
        .execute(&mut *tx)
        .await?;
    note_call(store, tx, lease, ("proposed", call)).await
}

/// Notes what happened to a call.
pub(super) async fn note_call(
    store: &Store,
    tx: &mut AnyConnection,
    lease: &Lease,
    (event, call): (&str, &Call),
) -> Result<(), ChatError> {
    let detail = format!("{} {} {}", call.id, call.tool, call.hash);
    let (user, conversation) = (&*lease.user, &*lease.conversation);
    note(tx, store.kind(), Note { user, conversation, event, detail: &detail }).await
}

impl Store {
    /// Keeps an answer with its calls.
    pub(crate) async fn keep_turn(&self, lease: &Lease, turn: Turn<'_>, offering: Offering) -> Result<Kept, ChatError> {
        let mut tx = self.begin().await?;
        let at = lease.hold(&mut tx, self.kind()).await?;
        lease.count(&mut tx, turn.used).await?;
        let message = NewMessage { kind: history::ASSISTANT, body: turn.text, page: None, request_id: None };
        let seq = history::add(&mut tx, &lease.conversation, message).await?;
        for (place, call) in turn.calls.iter().enumerate() {
            let id = super::users::chance(crate::decide::bind::OURS)?;
            let (tool, arguments) = (storable(&call.tool), storable(&call.arguments));
            let hash = digest::proposal((&*id, call.side), &tool, &arguments, turn.page);
            let status = match call {
                NewCall { fault: Some(_), .. } => Status::Done,
                NewCall { is_allowed: true, side: Side::Server, .. } => Status::Approved,
                _ => Status::Queued,
            };
            sqlx::query("INSERT INTO calls (id, conversation, turn, place, tool, side, arguments, hash, status, page, result, failed, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0)")
                .bind(id)
                .bind(&lease.conversation)
                .bind(seq)
                .bind(i64::try_from(place).unwrap_or(i64::MAX))
                .bind(tool)
                .bind(if call.fault.is_some() { Side::Nowhere.word() } else { call.side.word() })
                .bind(arguments)
                .bind(hash)
                .bind(status.word())
                .bind(turn.page.and_then(Page::address))
                .bind(call.fault.as_deref().map(storable))
                .bind(i64::from(call.fault.is_some()))
                .bind(now())
                .execute(&mut *tx)
                .await?;
        }
        let mut allowed = rows::of_turn(&mut tx, &lease.conversation, seq).await?;
        allowed.retain(|call| call.status == Status::Approved);
        for call in &allowed {
            note_call(self, &mut tx, lease, ("allowed", call)).await?;
        }
        let waiting = offer(self, &mut tx, lease, seq, (offering, at)).await?;
        tx.commit().await?;
        Ok(Kept { waiting, allowed })
    }

    /// Of the latest answer, the calls that the person can be told of now: what was held back because of one that is settled since, or
    /// what a server was about to ask when it died.
    pub(crate) async fn offer_next(&self, lease: &Lease, offering: Offering) -> Result<Waiting, ChatError> {
        let mut tx = self.begin().await?;
        let at = lease.hold(&mut tx, self.kind()).await?;
        let last = sqlx::query("SELECT MAX(turn) AS turn FROM calls WHERE conversation = $1");
        let last = last.bind(&lease.conversation).fetch_one(&mut *tx).await?;
        let waiting = match last.try_get::<Option<i64>, _>("turn")? {
            Some(turn) => offer(self, &mut tx, lease, turn, (offering, at)).await?,
            None => Waiting::default(),
        };
        tx.commit().await?;
        Ok(waiting)
    }

    /// A call that was agreed to and isn't carried out yet.
    pub(crate) async fn agreed(&self, lease: &Lease) -> Result<Option<Call>, ChatError> {
        // Who holds the lease alone writes: where there is none now, there is none.
        let agreed =
            sqlx::query("SELECT * FROM calls WHERE conversation = $1 AND status = $2 ORDER BY turn, place LIMIT 1");
        let agreed = agreed.bind(&lease.conversation).bind(Status::Approved.word()).fetch_optional(&self.reads).await?;
        agreed.as_ref().map(rows::call).transpose()
    }

    /// Keeps what came of a call that was carried out here.
    pub(crate) async fn settle(&self, lease: &Lease, call: &Call, result: &str, failed: bool) -> Result<(), ChatError> {
        let mut tx = self.begin().await?;
        lease.hold(&mut tx, self.kind()).await?;
        rows::settle(&mut tx, &call.id, Status::Done, &storable(result), failed).await?;
        let detail = format!("{} {} {}", call.id, call.tool, if failed { "failed" } else { "done" });
        let (user, conversation) = (&*lease.user, &*lease.conversation);
        note(&mut tx, self.kind(), Note { user, conversation, event: "carried_out", detail: &detail }).await?;
        tx.commit().await
    }
}
