//! Questions to the person about calls that are carried out here: kept with the call, answered by a later request, to whichever server.

use super::database::Store;
use super::lease::Lease;
use super::rows;
use super::turns::{note_call, tell};
use crate::decide::{Call, Status};
use crate::wire::{ChatError, ErrorCode};
use handeye_commands::core::question;
use handeye_scene::{Consented, Question};
use sqlx::AnyConnection;

/// Asks the person about a call: what became of the question, and the call as it is then. Who is told that they agreed is at it from
/// here on, and nobody is told so again.
pub(crate) async fn ask(
    store: &Store,
    lease: &Lease,
    call: &str,
    (question, waits): (&Question, i64),
) -> Result<(Consented, Call), ChatError> {
    let mut tx = store.begin().await?;
    let at = lease.hold(&mut tx, store.kind()).await?;
    let mut call = rows::one(&mut tx, &lease.conversation, call).await?;
    let (status, consented) = match call.status {
        Status::Queued => {
            call.expires = at.saturating_add(waits);
            keep(&mut tx, &mut call, question).await?;
            tell(store, &mut tx, lease, &call).await?;
            (Status::Offered, Consented::Kept)
        }
        Status::Offered if call.is_late(at, waits) => {
            let why = question::refusal(Some(Consented::Late)).unwrap_or_default();
            let told = format!("it was not carried out: the policy wants a person's consent, {why}");
            rows::settle(&mut tx, &call.id, Status::Void, &told, true).await?;
            note_call(store, &mut tx, lease, (ErrorCode::Expired.word(), &call)).await?;
            (Status::Void, Consented::Late)
        }
        Status::Approved => {
            rows::set_status(&mut tx, &call.id, Status::Running).await?;
            (Status::Running, Consented::Yes)
        }
        Status::Offered => (Status::Offered, Consented::Kept),
        Status::Rejected => (Status::Rejected, Consented::No),
        other @ (Status::Running | Status::Done | Status::Void) => (other, Consented::Late),
    };
    tx.commit().await?;
    call.status = status;
    Ok((consented, call))
}
/// Keeps a question with its call.
async fn keep(tx: &mut AnyConnection, call: &mut Call, question: &Question) -> Result<(), ChatError> {
    let text = serde_json::to_string(question);
    let text = text.map_err(|e| ChatError::new(ErrorCode::Bug, format!("a question can't be written as JSON: {e}")))?;
    let sql = sqlx::query("UPDATE calls SET question = $2 WHERE id = $1");
    sql.bind(&call.id).bind(super::history::storable(&text)).execute(&mut *tx).await?;
    call.question = Some(Box::new(question.clone()));
    Ok(())
}
