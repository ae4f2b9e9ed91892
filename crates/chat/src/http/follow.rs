//! A run of another server, or of before a restart, followed by what the database knows of it: until it ends, then told whole. One after
//! which there was another is over: what came of that other is no part of it.

use super::admit::App;
use super::conversations::message_of;
use super::events::{HEARTBEAT, Numbers, STILL_HERE};
use crate::decide::{Call, Side, Status};
use crate::store::{Body, Entry, LastRun, RunState};
use crate::wire::agui::Encoder;
use crate::wire::chunk::{CallChunk, Chunk};
use crate::wire::{ChatError, ErrorCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How often the database is asked whether the run is over.
const LOOK: Duration = Duration::from_millis(500);
/// How long a run is followed.
const FOLLOWED: Duration = Duration::from_secs(3_600);

/// How far it is told.
enum Told {
    Nothing,
    Start,
    All,
}

/// A client that follows a run.
pub(super) struct Following {
    app: Arc<App>,
    conversation: String,
    encoder: Encoder,
    numbers: Numbers,
    told: Told,
    since: Instant,
    /// Whether another run came after the one that is followed.
    is_earlier: bool,
}

impl Following {
    pub(super) fn new(app: Arc<App>, conversation: &str, thread: &str, run: &str, is_earlier: bool) -> Self {
        Self {
            app,
            conversation: conversation.to_owned(),
            encoder: Encoder::new(thread, run),
            numbers: Numbers::new(run, 0),
            told: Told::Nothing,
            since: Instant::now(),
            is_earlier,
        }
    }

    pub(super) async fn next(&mut self) -> Option<String> {
        match self.told {
            Told::All => None,
            Told::Nothing => {
                self.told = Told::Start;
                let started = [self.encoder.started()];
                Some(self.numbers.told(&started))
            }
            Told::Start => {
                let events = match self.ended().await {
                    Ok(None) => return Some(STILL_HERE.to_owned()),
                    Ok(Some(events)) => events,
                    Err(error) => self.ending([Chunk::Failed(Box::new(error))]),
                };
                self.told = Told::All;
                Some(self.numbers.told(&events))
            }
        }
    }

    /// Waits for the end of the run, for as long as a client may be left without a word.
    async fn ended(&mut self) -> Result<Option<Vec<Value>>, ChatError> {
        let silent = Instant::now();
        if self.is_earlier {
            let (_, mut events) = self.snapshot().await?;
            events.extend(self.ending([]));
            return Ok(Some(events));
        }
        loop {
            let state = self.app.service.store().last_run(&self.conversation).await?.map(|LastRun { state, .. }| state);
            if state != Some(RunState::Running) {
                let (entries, mut events) = self.snapshot().await?;
                let waiting = entries.iter().flat_map(calls).filter(|call| call.status == Status::Offered);
                let waiting = waiting.map(|call| Chunk::Waits(Box::new(told(call))));
                events.extend(self.ending(waiting.chain(failure(state))));
                return Ok(Some(events));
            }
            if self.since.elapsed() > FOLLOWED {
                return Err(ChatError::new(ErrorCode::Slow, "the answer takes too long to be followed"));
            }
            if silent.elapsed() + LOOK > HEARTBEAT {
                return Ok(None);
            }
            sleep(LOOK).await;
        }
    }

    /// The conversation, and the event that tells it whole.
    async fn snapshot(&self) -> Result<(Vec<Entry>, Vec<Value>), ChatError> {
        let entries = self.app.service.store().history(&self.conversation).await?;
        let messages: Vec<Value> = entries.iter().flat_map(message_of).collect();
        Ok((entries, vec![json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})]))
    }

    fn ending(&mut self, chunks: impl IntoIterator<Item = Chunk>) -> Vec<Value> {
        chunks.into_iter().chain([Chunk::Done]).flat_map(|chunk| self.encoder.events(&chunk)).collect()
    }
}

fn calls(entry: &Entry) -> &[Call] {
    match &entry.body {
        Body::Assistant(_, calls) => calls,
        _ => &[],
    }
}

fn told(call: &Call) -> CallChunk {
    CallChunk {
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
        id: call.id.clone(),
        hash: call.hash.clone(),
        expires: call.expires,
        is_named: true,
        is_ours: call.side == Side::Server,
        question: call.question.clone(),
    }
}

/// Why a run came to nothing; none where it came to its end.
fn failure(state: Option<RunState>) -> Option<Chunk> {
    let error = match state? {
        RunState::Running => return None,
        RunState::Ended(word) => ChatError::new(ErrorCode::of(&word)?, "the answer failed: send the message again"),
        RunState::Lost => ChatError::new(ErrorCode::Stopping, "the server that answered ended: send the message again"),
    };
    Some(Chunk::Failed(Box::new(error)))
}
