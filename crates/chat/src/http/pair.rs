//! `POST /api/v1/pair`: a token for a code that `handeye token pair` printed.

use super::admit::{App, body};
use super::answer::json_of;
use crate::wire::fields::Fields;
use crate::wire::json::Json;
use crate::wire::{ChatError, ErrorCode};
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// Tries of everybody in a minute.
pub(super) const TRIES: u32 = 10;
/// Characters of what may be a code.
const CODE: usize = 40;

pub(super) async fn pair(State(app): State<Arc<App>>, request: Request<Body>) -> Result<Response, ChatError> {
    let body = body(request).await?;
    app.pairings.take("", Instant::now()).map_err(|seconds| {
        ChatError::new(ErrorCode::RateLimited, format!("more than {TRIES} codes in a minute")).again_after(seconds)
    })?;
    let body = Json::parse(&body)
        .map_err(|e| ChatError::new(ErrorCode::BadBody, format!("the body can't be read as JSON: {e}")))?;
    let code = Fields::of_body(&body)?.filled("code", CODE)?;
    match app.service.store().pairings().exchange(code).await? {
        Some(paired) => {
            // So that what the client asks first names an agent that there is.
            let agents = app.service.agents();
            let told = json!({"token": paired.token, "id": paired.id, "user": paired.user, "agents": agents});
            Ok(json_of(StatusCode::OK, &told))
        }
        None => {
            let what = "the code is wrong, was used or has expired: `handeye token pair USER` prints another";
            Err(ChatError::new(ErrorCode::Unauthorized, what))
        }
    }
}
