//! Conversations: listed, read, deleted, exported, and their answer cancelled.

use super::admit::App;
use super::answer::{Named, json_of};
use crate::decide::Call;
use crate::store::{Body, Entry, Listed, User};
use crate::wire::{ChatError, ErrorCode};
use axum::extract::State;
use axum::http::header::CONTENT_DISPOSITION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;

/// Conversations that are listed at most.
const LISTED: i64 = 500;

/// Who a trusted client says that the user is, where there is no body to say it in.
fn named(headers: &HeaderMap) -> Option<&str> {
    headers.get("x-user-id").and_then(|value| value.to_str().ok()).filter(|name| !name.is_empty() && name.len() <= 200)
}

pub(super) async fn user(app: &App, headers: &HeaderMap) -> Result<User, ChatError> {
    app.user(headers, named(headers)).await
}

pub(super) fn missing(session: &str) -> ChatError {
    ChatError::new(ErrorCode::NotFound, format!("there is no conversation `{}`", session.escape_debug()))
}

fn head(listed: &Listed) -> Value {
    json!({
        "session_id": listed.session,
        "agent_id": listed.agent,
        "created": listed.created,
        "updated": listed.updated,
        "running": listed.is_running,
    })
}

fn call(call: &Call) -> Value {
    json!({
        "id": call.id,
        "tool_name": call.tool,
        "arguments": call.arguments,
        "where": call.side.word(),
        "status": call.status.word(),
        "hash": call.hash,
        "result": call.result,
        "failed": call.failed,
    })
}

fn message(entry: &Entry) -> Option<Value> {
    let mut told = match &entry.body {
        Body::User(text) => json!({"role": "user", "content": text}),
        Body::Assistant(text, calls) => {
            json!({"role": "assistant", "content": text, "tool_calls": calls.iter().map(call).collect::<Vec<_>>()})
        }
        Body::Cut(text) => json!({"role": "assistant", "content": text, "tool_calls": [], "cut": true}),
        Body::Page => return None,
    };
    told["seq"] = json!(entry.seq);
    told["created"] = json!(entry.created);
    if let Some(url) = entry.page.as_ref().and_then(|page| page.url.as_ref()) {
        told["page"] = json!(url);
    }
    Some(told)
}

/// A message as AG-UI has it, and what its calls returned.
pub(super) fn message_of(entry: &Entry) -> Vec<Value> {
    let id = format!("m-{}", entry.seq);
    match &entry.body {
        Body::User(text) => vec![json!({"id": id, "role": "user", "content": text})],
        // The protocol has no member for it.
        Body::Cut(text) => vec![json!({"id": id, "role": "assistant", "content": format!("{text}… [cut off]")})],
        Body::Page => Vec::new(),
        Body::Assistant(text, calls) => {
            let function = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}});
            let mut said = json!({"id": id, "role": "assistant", "content": text});
            if !calls.is_empty() {
                said["toolCalls"] = calls.iter().map(function).collect();
            }
            let result = |call: &Call| {
                let id = format!("r-{}", call.id);
                Some(json!({"id": id, "role": "tool", "toolCallId": call.id, "content": call.result.as_ref()?}))
            };
            std::iter::once(said).chain(calls.iter().filter_map(result)).collect()
        }
    }
}

async fn whole(app: &App, user: &User, session: &str) -> Result<Value, ChatError> {
    let store = app.service.store();
    let listed = store.conversation(&user.id, session).await?.ok_or_else(|| missing(session))?;
    let mut told = head(&listed);
    let (entries, is_cut) = store.kept(&listed.id).await?;
    told["messages"] = entries.iter().filter_map(message).collect();
    // Only the latest of a very long one: whoever keeps it has to know.
    told["cut"] = json!(is_cut);
    Ok(told)
}

pub(super) async fn list(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, ChatError> {
    let user = user(&app, &headers).await?;
    let listed = app.service.store().conversations(&user.id, LISTED).await?;
    Ok(json_of(StatusCode::OK, &json!({"conversations": listed.iter().map(head).collect::<Vec<_>>()})))
}

pub(super) async fn read(
    State(app): State<Arc<App>>,
    Named(session): Named,
    headers: HeaderMap,
) -> Result<Response, ChatError> {
    let user = user(&app, &headers).await?;
    Ok(json_of(StatusCode::OK, &whole(&app, &user, &session).await?))
}

pub(super) async fn export(
    State(app): State<Arc<App>>,
    Named(session): Named,
    headers: HeaderMap,
) -> Result<Response, ChatError> {
    let user = user(&app, &headers).await?;
    let mut told = whole(&app, &user, &session).await?;
    told["format"] = json!("handeye-conversation-1");
    let mut response = json_of(StatusCode::OK, &told);
    let name = HeaderValue::from_static("attachment; filename=\"conversation.json\"");
    response.headers_mut().insert(CONTENT_DISPOSITION, name);
    Ok(response)
}

pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Named(session): Named,
    headers: HeaderMap,
) -> Result<Response, ChatError> {
    let user = user(&app, &headers).await?;
    if app.service.store().delete_conversation(&user, &session).await? {
        return Ok(json_of(StatusCode::OK, &json!({"deleted": true})));
    }
    Err(missing(&session))
}

pub(super) async fn cancel(
    State(app): State<Arc<App>>,
    Named(session): Named,
    headers: HeaderMap,
) -> Result<Response, ChatError> {
    let user = user(&app, &headers).await?;
    let was_running = app.service.cancel(&user, &session).await?;
    Ok(json_of(StatusCode::OK, &json!({"cancelled": was_running})))
}
