//! Asks the model and hands on its words as they come; its calls are read when the answer is whole.

use super::catalog::Model;
use super::log::RunLog;
use super::meter::Meter;
use crate::decide::scan::{Found, Scanner, Written as WrittenCall};
use crate::prompt::system::Calling;
use crate::wire::chunk::Chunk;
use crate::wire::{ChatError, ErrorCode};
use handeye_models::{Delta, ModelError, Written};
use std::time::Duration;

/// How often a model is asked that fails before it has said anything.
const ATTEMPTS: u32 = 3;
/// Pieces of an answer that are told as they come; more of them are told together, in so many bytes.
const PIECES: (usize, usize) = (8_192, 1_024);
/// How long to wait before it is asked again.
const PAUSE: Duration = Duration::from_millis(400);

/// What a model answered.
pub(super) struct Answer {
    /// Its words.
    pub(super) text: String,
    /// What it calls.
    pub(super) calls: Vec<WrittenCall>,
    /// A call that can't be read, and why.
    pub(super) broken: Option<String>,
}

/// Tells the words of an answer, without what is a call in them.
struct Teller<'a> {
    log: &'a RunLog,
    scanner: Option<Scanner>,
    text: String,
    heard: bool,
    /// Pieces that were told.
    told: usize,
    /// What is told with the next ones.
    gathered: String,
}

impl<'a> Teller<'a> {
    fn new(log: &'a RunLog, calling: Calling) -> Self {
        let scanner = (calling == Calling::Prompt).then(Scanner::default);
        Self { log, scanner, text: String::new(), heard: false, told: 0, gathered: String::new() }
    }

    fn hear(&mut self, piece: &str) {
        self.heard = true;
        let words = match &mut self.scanner {
            Some(scanner) => scanner.push(piece),
            None => piece.to_owned(),
        };
        self.tell(words);
    }

    fn tell(&mut self, words: String) {
        self.text.push_str(&words);
        self.gathered.push_str(&words);
        let (pieces, bytes) = PIECES;
        if self.told < pieces || self.gathered.len() >= bytes {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.gathered.is_empty() {
            self.told += 1;
            let mut words = std::mem::take(&mut self.gathered);
            // Each of many is kept until the run is forgotten.
            words.shrink_to_fit();
            self.log.push(Chunk::Content(words));
        }
    }

    fn finish(mut self) -> (String, Found) {
        let found = match self.scanner.take() {
            Some(scanner) => {
                let (rest, found) = scanner.finish();
                self.tell(rest);
                found
            }
            None => Found::Nothing,
        };
        self.flush();
        (self.text, found)
    }
}

/// Asks once; where nothing was told yet and it may do better, again.
pub(super) async fn ask(
    model: &Model,
    mut request: Written,
    log: &RunLog,
    meter: &mut Meter,
) -> Result<Answer, ChatError> {
    let mut attempt = 1;
    loop {
        meter.ask(request.tokens);
        let mut teller = Teller::new(log, model.calling);
        // Once something was told, it isn't needed any more.
        let mut again = Some(request.clone());
        let mut hear = |delta: Delta| {
            if let Delta::Text(piece) = delta {
                meter.hear(piece.len());
                teller.hear(&piece);
                if !teller.text.is_empty() {
                    again = None;
                }
            }
        };
        let came = model.client.stream_written(request, &mut hear).await;
        match &came {
            Ok(reply) => meter.settle(reply.usage),
            Err(_) => meter.give_up(),
        }
        match came {
            Ok(reply) => {
                // A server that can't stream says everything at once.
                if !teller.heard && !reply.text.is_empty() {
                    teller.hear(&reply.text);
                }
                let (text, found) = teller.finish();
                let mut calls: Vec<WrittenCall> = reply
                    .calls
                    .into_iter()
                    .map(|call| WrittenCall { tool: call.name, arguments: call.arguments })
                    .collect();
                let broken = match found {
                    Found::Nothing => None,
                    Found::Broken(why) => Some(why),
                    Found::Call(call) => {
                        calls.push(call);
                        None
                    }
                };
                return Ok(Answer { text, calls, broken });
            }
            Err(error) => match again.filter(|_| attempt < ATTEMPTS && may_pass(&error)) {
                Some(same) => {
                    tokio::time::sleep(PAUSE * attempt).await;
                    (attempt, request) = (attempt + 1, same);
                }
                None => return Err(failed(&error)),
            },
        }
    }
}

/// Whether it may do better a moment later. A server that asks to wait for longer than there is time won't.
fn may_pass(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::Server { .. } | ModelError::Unreachable { .. } | ModelError::Dropped(_) | ModelError::Garbled(_)
    )
}

/// What a user is told: nothing of keys, addresses or what the server said of the operator's account.
fn failed(error: &ModelError) -> ChatError {
    let what = match error {
        ModelError::Key { .. } => "the model's server refuses this server's key".to_owned(),
        ModelError::Request { status, .. } => format!("the model's server refuses the request (status {status})"),
        ModelError::Redirect { status, .. } => format!("the model's server sends elsewhere (status {status})"),
        ModelError::Later { status, seconds, .. } => {
            format!("the model's server answers with status {status} and asks to wait {seconds} s")
        }
        ModelError::Server { status, .. } => format!("the model's server fails (status {status})"),
        ModelError::Unreachable { .. } => "the model's server can't be reached".to_owned(),
        ModelError::Dropped(_) => "the model's server ended the connection in the middle of its answer".to_owned(),
        ModelError::TimedOut(seconds) => format!("the model didn't answer within {seconds} s"),
        ModelError::Garbled(_) => "the model's answer can't be read".to_owned(),
        ModelError::Refused(why) => format!("the model declines: {why}"),
        ModelError::Spent(_) => "the budget for models is used up".to_owned(),
    };
    ChatError::new(ErrorCode::ModelFailed, what)
}
