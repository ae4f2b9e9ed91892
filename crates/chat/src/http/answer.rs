//! Errors and JSON as answers, and what an address names.

use crate::wire::{ChatError, ErrorCode};
use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A value as the whole answer.
pub(super) fn json_of(status: StatusCode, value: &Value) -> Response {
    let headers = [(CONTENT_TYPE, "application/json; charset=utf-8"), (CACHE_CONTROL, "no-store")];
    (status, headers, Body::from(format!("{value}\n"))).into_response()
}

/// What an address names: its one part that varies. Where that can't be read, the refusal has the form of every other.
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = ChatError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ChatError> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(why) => Err(ChatError::new(ErrorCode::BadBody, format!("the address can't be read: {why}"))),
        }
    }
}

impl IntoResponse for ChatError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = json_of(status, &json!({"error": self.to_value()}));
        // What is refused is noted by who hands the answer on.
        response.extensions_mut().insert(self.code);
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code == ErrorCode::Unauthorized {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
