//! AG-UI 1.0: `POST /api/v1/agui` starts a run, `GET /api/v1/agui/THREAD/events` goes on listening to one after a lost connection.

use super::admit::{App, body};
use super::conversations::{message_of, missing, user};
use crate::decide::Naming;
use crate::run::{Asked, Reader, Run};
use crate::store::Said;
use crate::wire::ChatError;
use crate::wire::agui::{Act, Encoder, read};
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, Request};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// After so long without an event a comment is sent, by which a dead connection is noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);

pub(super) async fn run(State(app): State<Arc<App>>, request: Request<Body>) -> Result<Response, ChatError> {
    let user = user(&app, request.headers()).await?;
    let (chat, act) = read(&body(request).await?)?;
    let said = match act {
        Act::Text(text) => Said::Text(text),
        Act::Result { call, text } => Said::Result { tool: None, call: Some(call), text },
        Act::Decision(approval) => Said::Decision(approval),
    };
    let run = app.service.ask(Asked { user: &user, body: &chat, said, naming: Naming::OneDecision }).await?;
    Ok(streamed(Listening::new(&chat.session, &run, 0)))
}

pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ChatError> {
    let user = user(&app, &headers).await?;
    let store = app.service.store();
    let conversation = store.conversation(&user.id, &thread).await?.ok_or_else(|| missing(&thread))?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if let Some(run) = app.service.latest(&conversation.id) {
        // Events of another run are all new to the client.
        let heard = last.rsplit_once(':').filter(|(id, _)| *id == run.id).and_then(|(_, at)| at.parse::<usize>().ok());
        return Ok(streamed(Listening::new(&thread, &run, heard.map_or(0, |at| at.saturating_add(1)))));
    }
    // Another server's run, or one of before a restart: what is kept is told whole.
    let messages: Vec<Value> = store.history(&conversation.id).await?.iter().flat_map(message_of).collect();
    let id = if last.is_empty() { "snapshot" } else { last.rsplit_once(':').map_or(last, |(id, _)| id) };
    let all = [
        json!({"type": "RUN_STARTED", "threadId": thread, "runId": id}),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": messages}),
        json!({"type": "RUN_FINISHED", "threadId": thread, "runId": id, "outcome": {"type": "success"}}),
    ];
    let text: String = all.iter().map(|event| format!("data: {event}\n\n")).collect();
    Ok((sse(), Body::from(text)).into_response())
}

/// A client that listens to a run.
struct Listening {
    reader: Reader,
    encoder: Encoder,
    run: String,
    /// The number of the next event.
    at: usize,
    /// How many it has heard already.
    heard: usize,
}

impl Listening {
    fn new(thread: &str, run: &Run, heard: usize) -> Self {
        let encoder = Encoder::new(thread, &run.id);
        Self { reader: run.log.reader(), encoder, run: run.id.clone(), at: 0, heard }
    }

    /// Events with their ids, but for those that were heard.
    fn told(&mut self, events: &[Value]) -> String {
        let mut text = String::new();
        for event in events {
            if self.at >= self.heard {
                let _ = write!(text, "id: {}:{}\ndata: {event}\n\n", self.run, self.at);
            }
            self.at += 1;
        }
        text
    }

    async fn next(&mut self) -> Option<String> {
        if self.at == 0 {
            let started = [self.encoder.started()];
            return Some(self.told(&started));
        }
        let Ok(chunks) = tokio::time::timeout(HEARTBEAT, self.reader.next()).await else {
            return Some(": still here\n\n".to_owned());
        };
        let events: Vec<Value> = chunks?.iter().flat_map(|chunk| self.encoder.events(chunk)).collect();
        Some(self.told(&events))
    }
}

fn sse() -> [(&'static str, &'static str); 3] {
    // Proxies that gather answers would hold back what is streamed.
    [(CONTENT_TYPE.as_str(), "text/event-stream"), (CACHE_CONTROL.as_str(), "no-cache"), ("x-accel-buffering", "no")]
}

fn streamed(listening: Listening) -> Response {
    let events = stream::unfold(listening, |mut listening| async move {
        let text = listening.next().await?;
        Some((Ok::<Bytes, Infallible>(text.into()), listening))
    });
    (sse(), Body::from_stream(events)).into_response()
}
