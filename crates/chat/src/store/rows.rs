//! Rows of calls.

use crate::decide::{Call, Side, Status};
use crate::wire::{ChatError, ErrorCode};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// Calls of a conversation that something said may be about, the latest.
pub(super) const CALLS: i64 = 400;
/// Bytes of the arguments, results and questions of these. Those of the latest message are read in any case.
pub(super) const BYTES: i64 = 1 << 20;

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
        offered: row.try_get::<Option<i64>, _>("offered")?.unwrap_or(0),
    })
}

/// The latest calls, none of which takes all together far beyond what is read.
const LATEST: &str = "SELECT c.* FROM calls AS c JOIN (SELECT id, SUM(size) OVER (ORDER BY turn DESC, place DESC) - size AS before FROM (SELECT id, turn, place, OCTET_LENGTH(arguments) + COALESCE(OCTET_LENGTH(result), 0) + COALESCE(OCTET_LENGTH(question), 0) AS size FROM calls WHERE conversation = $1 ORDER BY turn DESC, place DESC LIMIT $2) AS sizes) AS reach ON reach.id = c.id WHERE reach.before < $3 OR c.turn = (SELECT MAX(turn) FROM calls WHERE conversation = $1) ORDER BY c.turn, c.place";

/// The latest calls of a conversation, so many and with so many bytes, the earliest first.
pub(super) async fn calls(
    tx: &mut AnyConnection,
    conversation: &str,
    (most, bytes): (i64, i64),
) -> Result<Vec<Call>, ChatError> {
    let rows = sqlx::query(LATEST).bind(conversation).bind(most).bind(bytes).fetch_all(&mut *tx).await?;
    rows.iter().map(call).collect()
}

/// The calls of one message.
pub(super) async fn of_turn(tx: &mut AnyConnection, conversation: &str, turn: i64) -> Result<Vec<Call>, ChatError> {
    let rows = sqlx::query("SELECT * FROM calls WHERE conversation = $1 AND turn = $2 ORDER BY place")
        .bind(conversation)
        .bind(turn)
        .fetch_all(&mut *tx)
        .await?;
    rows.iter().map(call).collect()
}

/// Whether a conversation has calls of messages before one.
pub(super) async fn are_before(tx: &mut AnyConnection, conversation: &str, turn: i64) -> Result<bool, ChatError> {
    let found = sqlx::query("SELECT 1 AS found FROM calls WHERE conversation = $1 AND turn < $2 LIMIT 1")
        .bind(conversation)
        .bind(turn)
        .fetch_optional(&mut *tx)
        .await?;
    Ok(found.is_some())
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
