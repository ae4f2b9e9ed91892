//! `POST /api/v1/agent/chat`: the document's own wire.

use super::admit::{App, body};
use crate::decide::Naming;
use crate::run::{Asked, Reader, said};
use crate::wire::chunk::Chunk;
use crate::wire::{ChatBody, ChatError};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;

pub(super) async fn chat(State(app): State<Arc<App>>, request: Request<Body>) -> Result<Response, ChatError> {
    let shown = app.shown(request.headers()).await?;
    let naming = if shown.is_some() { Naming::Ids } else { Naming::Nothing };
    let read = ChatBody::read(&body(request).await?, shown.is_none())?;
    let user = match (shown, &read.user) {
        (Some(user), _) => user,
        (None, Some(name)) => app.trusted(name).await?,
        (None, None) => return Err(ChatError::field("user_id", "is missing")),
    };
    app.count(&user)?;
    let said = said(&read)?;
    let run = app.service.ask(Asked { user, body: read, said, naming }).await?;
    Ok(streamed(run.log.reader()))
}

/// What a run tells, as server-sent events.
fn streamed(reader: Reader) -> Response {
    let events = stream::unfold(reader, |mut reader| async move {
        let chunks = reader.next().await?;
        let text: String = chunks.iter().map(Chunk::event).collect();
        Some((Ok::<Bytes, Infallible>(text.into()), reader))
    });
    // Proxies that gather answers would hold back what is streamed.
    let headers = [
        (CONTENT_TYPE.as_str(), "text/event-stream; charset=utf-8"),
        (CACHE_CONTROL.as_str(), "no-cache"),
        ("x-accel-buffering", "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}
