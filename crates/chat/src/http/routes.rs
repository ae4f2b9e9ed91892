//! The routes, and what every request passes before it reaches one.

use super::admit::App;
use super::agui;
use super::answer::json_of;
use super::chat::chat;
use super::conversations;
use super::openapi::openapi;
use super::pair::pair;
use super::refusals::refusals;
use super::snapshot::snapshot;
use crate::wire::{ChatError, ErrorCode};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_MAX_AGE,
    CONTENT_TYPE, ORIGIN, VARY,
};
use axum::http::{HeaderValue, Method, Request, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;
use std::sync::Arc;

/// All of them.
pub(super) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/v1/agent/chat", post(chat))
        .route("/api/v1/agui", post(agui::run))
        .route("/api/v1/agui/{thread}/events", get(agui::events))
        .route("/api/v1/conversations", get(conversations::list))
        .route("/api/v1/conversations/{session}", get(conversations::read).delete(conversations::delete))
        .route("/api/v1/conversations/{session}/export", get(conversations::export))
        .route("/api/v1/conversations/{session}/cancel", post(conversations::cancel))
        .route("/api/v1/pair", post(pair))
        .route("/api/v1/refusals", post(refusals))
        .route("/api/v1/snapshot", post(snapshot))
        .route("/api/v1/openapi.json", get(openapi))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .fallback(async || ChatError::new(ErrorCode::NotFound, "there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            ChatError::new(ErrorCode::MethodNotAllowed, "this address takes another method")
        })
        .layer(from_fn_with_state(app.clone(), admit))
        .with_state(app)
}

/// Refuses what wasn't sent to us, or by a page that may not; answers what browsers ask before they ask. What somebody who may not tried
/// is noted.
async fn admit(State(app): State<Arc<App>>, request: Request<Body>, next: Next) -> Response {
    let origin = request.headers().get(ORIGIN).cloned();
    let path: String = request.uri().path().chars().take(100).collect();
    let door = app.door.check(request.headers());
    let is_let_in = door.is_ok();
    let mut response = match door {
        Err(error) => error.into_response(),
        Ok(()) if request.method() == Method::OPTIONS && origin.is_some() => preflight(),
        Ok(()) => next.run(request).await,
    };
    let code = response.extensions().get::<ErrorCode>().copied();
    if let Some(code @ (ErrorCode::Forbidden | ErrorCode::Unauthorized | ErrorCode::NotJson)) = code {
        let from = origin.as_ref().map(|origin| format!(" from {}", shown(origin))).unwrap_or_default();
        app.note_refusal(&format!("{} {path}{from}", code.word())).await;
    }
    if let Some(origin) = origin.filter(|_| is_let_in) {
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        response.headers_mut().append(VARY, HeaderValue::from_static("Origin"));
    }
    app.watch.count(response.status().as_u16());
    response
}

/// An origin as it is noted: whoever asks may have made it up.
fn shown(origin: &HeaderValue) -> String {
    String::from_utf8_lossy(origin.as_bytes()).chars().take(100).flat_map(char::escape_default).collect()
}

fn preflight() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, last-event-id, x-user-id"),
        (ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

async fn healthz(State(app): State<Arc<App>>) -> Result<Response, ChatError> {
    app.service.store().ping().await?;
    Ok(json_of(StatusCode::OK, &json!({"status": "ok"})))
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.watch.text(&app.service)).into_response()
}
