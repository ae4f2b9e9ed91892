//! AG-UI 1.0: `POST /api/v1/agui` starts a run, `GET /api/v1/agui/THREAD/events` goes on listening to one after a lost connection.

use super::admit::{App, body};
use super::answer::Named;
use super::conversations::{missing, user};
use super::events::{HEARTBEAT, Numbers, STILL_HERE, headers as headers_of_events};
use super::follow::Following;
use crate::decide::Naming;
use crate::run::{Asked, Reader, Run};
use crate::store::{Returned, Said, is_earlier_run};
use crate::wire::ChatError;
use crate::wire::agui::{Act, Encoder, read};
use crate::wire::agui_fields::in_its_words;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Request};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;

pub(super) async fn run(State(app): State<Arc<App>>, request: Request<Body>) -> Result<Response, ChatError> {
    let user = user(&app, request.headers()).await?;
    let (chat, act) = read(&body(request).await?).map_err(in_its_words)?;
    let said = match act {
        Act::Text(text) => Said::Text(text),
        Act::Results(results) => {
            let returned = |(call, text)| Returned { tool: None, call: Some(call), text };
            Said::Results(results.into_iter().map(returned).collect())
        }
        Act::Decision(approval) => Said::Decision(approval),
    };
    let thread = chat.session.clone();
    let run =
        app.service.ask(Asked { user, body: chat, said, naming: Naming::OneDecision }).await.map_err(in_its_words)?;
    Ok(streamed(Listening::new(&thread, &run, 0)))
}

pub(super) async fn events(
    State(app): State<Arc<App>>,
    Named(thread): Named,
    headers: HeaderMap,
) -> Result<Response, ChatError> {
    let user = user(&app, &headers).await?;
    let store = app.service.store();
    let conversation = store.conversation(&user.id, &thread).await?.ok_or_else(|| missing(&thread))?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let last_run = store.last_run(&conversation.id).await?;
    let ours = app.service.latest(&conversation.id);
    let heard = last.rsplit_once(':').filter(|(id, _)| !id.is_empty());
    let is_latest = |run: &Run| last_run.as_ref().is_none_or(|last| last.id == run.lease);
    // Who heard a part of an earlier one would never hear the rest of that.
    let is_meant = |run: &Run| heard.is_none_or(|(id, _)| id == run.id);
    if let Some(run) = ours.as_ref().filter(|run| is_latest(run) && is_meant(run)) {
        let heard = heard.and_then(|(_, at)| at.parse::<usize>().ok());
        return Ok(streamed(Listening::new(&thread, run, heard.map_or(0, |at| at.saturating_add(1)))));
    }
    // Another server's run, one of before a restart, or one after which there was another.
    let is_earlier = match heard {
        None => false,
        // The latest is this server's, and has another name.
        Some(_) if ours.as_ref().is_some_and(is_latest) => true,
        Some((id, _)) => is_earlier_run(store, &conversation.id, id).await?,
    };
    let run = heard.map(|(id, _)| id.to_owned());
    let run = run.or(last_run.map(|last| last.id)).unwrap_or_else(|| "snapshot".to_owned());
    let following = Following::new(app.clone(), &conversation.id, &thread, &run, is_earlier);
    let events = stream::unfold(following, |mut following| async move {
        let text = following.next().await?;
        Some((Ok::<Bytes, Infallible>(text.into()), following))
    });
    Ok((headers_of_events(), Body::from_stream(events)).into_response())
}

/// A client that listens to a run.
struct Listening {
    reader: Reader,
    encoder: Encoder,
    numbers: Numbers,
    has_begun: bool,
}

impl Listening {
    fn new(thread: &str, run: &Run, heard: usize) -> Self {
        let (encoder, numbers) = (Encoder::new(thread, &run.id), Numbers::new(&run.id, heard));
        Self { reader: run.log.reader(), encoder, numbers, has_begun: false }
    }

    async fn next(&mut self) -> Option<String> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Some(self.numbers.told(&[self.encoder.started()]));
        }
        let Ok(chunks) = tokio::time::timeout(HEARTBEAT, self.reader.next()).await else {
            return Some(STILL_HERE.to_owned());
        };
        let events: Vec<Value> = chunks?.iter().flat_map(|chunk| self.encoder.events(chunk)).collect();
        Some(self.numbers.told(&events))
    }
}

fn streamed(listening: Listening) -> Response {
    let events = stream::unfold(listening, |mut listening| async move {
        let text = listening.next().await?;
        Some((Ok::<Bytes, Infallible>(text.into()), listening))
    });
    (headers_of_events(), Body::from_stream(events)).into_response()
}
