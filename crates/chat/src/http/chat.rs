//! `POST /api/v1/agent/chat`: the document's own wire.

use super::admit::{App, body};
use crate::decide::Naming;
use crate::run::{Asked, Hearing, Reader, Word, said};
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
use std::time::Duration;
use tokio::time::sleep;

/// How long a broken connection may take to be noticed, once what was said last is on its way.
const SETTLING: Duration = Duration::from_millis(20);

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
    let (said, session) = (said(&read)?, read.session.clone());
    let run = app.service.ask(Asked { user: user.clone(), body: read, said, naming }).await?;
    let hearing = run.word.as_ref().and_then(|_| app.service.hears(&user, &session));
    Ok(streamed(Telling { reader: run.log.reader(), app, word: run.word, hearing, end: None, has_failed: false }))
}

/// What a run tells, on its way to the client.
struct Telling {
    reader: Reader,
    app: Arc<App>,
    /// The word that is answered, until it is noted that the answer was heard.
    word: Option<Word>,
    /// Until then the client's next word waits.
    hearing: Option<Hearing>,
    /// The last event, which is told once that is noted.
    end: Option<String>,
    has_failed: bool,
}

impl Telling {
    async fn next(&mut self) -> Option<String> {
        if let Some(end) = self.end.take() {
            // Whoever hung up meanwhile has this dropped, before it is noted.
            sleep(SETTLING).await;
            if let Some(word) = self.word.take() {
                self.app.service.heard(&word).await;
            }
            self.hearing = None;
            return Some(end);
        }
        let chunks = self.reader.next().await?;
        self.has_failed |= chunks.iter().any(|chunk| matches!(chunk, Chunk::Failed(_)));
        if chunks.last() != Some(&Chunk::Done) || self.word.is_none() || self.has_failed {
            return Some(chunks.iter().map(Chunk::event).collect());
        }
        let (end, before) = chunks.split_last()?;
        self.end = Some(end.event());
        Some(before.iter().map(Chunk::event).collect())
    }
}

/// What a run tells, as server-sent events.
fn streamed(telling: Telling) -> Response {
    let events = stream::unfold(telling, |mut telling| async move {
        let text = telling.next().await?;
        Some((Ok::<Bytes, Infallible>(text.into()), telling))
    });
    // Proxies that gather answers would hold back what is streamed.
    let headers = [
        (CONTENT_TYPE.as_str(), "text/event-stream; charset=utf-8"),
        (CACHE_CONTROL.as_str(), "no-cache"),
        ("x-accel-buffering", "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}
