//! Rows of calls.

use crate::decide::{Call, Side, Status};
use crate::wire::{ChatError, ErrorCode};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Calls of a conversation that something said may be about, the latest.
pub(super) const CALLS: i64 = 400;

/// A call of a row.
pub(super) fn call(row: &AnyRow) -> Result<Call, ChatError> {
    let (side, status): (String, String) = (row.try_get("side")?, row.try_get("status")?);
    let odd = |what: &str, word: &str| {
        ChatError::new(ErrorCode::Bug, format!("a call in the database has the {what} `{word}`"))
    };
    let question: Option<String> = row.try_get("question")?;
    let question = question.map(|text| serde_json::from_str(&text)).transpose();
    let question = question
        .map_err(|e| ChatError::new(ErrorCode::Bug, format!("a question in the database can't be read: {e}")))?;
    Ok(Call {
        id: row.try_get("id")?,
        turn: row.try_get("turn")?,
        place: row.try_get("place")?,
        tool: row.try_get("tool")?,
        side: Side::of(&side).ok_or_else(|| odd("side", &side))?,
        arguments: row.try_get("arguments")?,
        hash: row.try_get("hash")?,
        status: Status::of(&status).ok_or_else(|| odd("status", &status))?,
        page: row.try_get("page")?,
        client_ref: row.try_get("client_ref")?,
        result: row.try_get("result")?,
        failed: row.try_get::<i64, _>("failed")? != 0,
        expires: row.try_get("expires")?,
        question,
    })
}

/// The latest calls of a conversation, the earliest first.
pub(super) async fn calls(tx: &mut AnyConnection, conversation: &str, most: i64) -> Result<Vec<Call>, ChatError> {
    let rows = sqlx::query("SELECT * FROM calls WHERE conversation = $1 ORDER BY turn DESC, place DESC LIMIT $2")
        .bind(conversation)
        .bind(most)
        .fetch_all(&mut *tx)
        .await?;
    rows.iter().rev().map(call).collect()
}

/// A call of a conversation.
pub(super) async fn one(tx: &mut AnyConnection, conversation: &str, id: &str) -> Result<Call, ChatError> {
    let row = sqlx::query("SELECT * FROM calls WHERE conversation = $1 AND id = $2")
        .bind(conversation)
        .bind(id)
        .fetch_one(&mut *tx)
        .await?;
    call(&row)
}

/// Sets how far a call is.
pub(super) async fn set_status(tx: &mut AnyConnection, id: &str, status: Status) -> Result<(), ChatError> {
    sqlx::query("UPDATE calls SET status = $2 WHERE id = $1").bind(id).bind(status.word()).execute(&mut *tx).await?;
    Ok(())
}

/// Sets what came of a call.
pub(super) async fn settle(
    tx: &mut AnyConnection,
    id: &str,
    status: Status,
    result: &str,
    failed: bool,
) -> Result<(), ChatError> {
    sqlx::query("UPDATE calls SET status = $2, result = $3, failed = $4 WHERE id = $1")
        .bind(id)
        .bind(status.word())
        .bind(result)
        .bind(i64::from(failed))
        .execute(&mut *tx)
        .await?;
    Ok(())
}
