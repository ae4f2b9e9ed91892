//! An answer as its pieces come, whichever wire brings them.

use crate::ModelError;
use handeye_scene::chat::{ChatReply, Delta, Stop, ToolCall, Usage};
use serde_json::Value;

/// What a server says of an error, in either wire's form.
pub(crate) fn error_message(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let told = parsed.as_ref().and_then(|body| {
        let error = body.get("error").unwrap_or(body);
        error.get("message").and_then(Value::as_str).or_else(|| error.as_str())
    });
    let text = told.unwrap_or(body).trim();
    let shown: String = text.chars().take(300).collect();
    if shown.is_empty() { "it gives no reason".into() } else { shown }
}

/// An answer as its pieces come.
#[derive(Debug, Default)]
pub(crate) struct Coming {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) calls: Vec<ToolCall>,
    /// By which number the wire names each call.
    numbers: Vec<u64>,
    pub(crate) stop: Option<Stop>,
    pub(crate) usage: Option<Usage>,
    pub(crate) refusal: String,
    /// The wire said that this was all.
    pub(crate) is_over: bool,
}

/// Tokens of so many bytes of text, roughly.
pub fn estimate(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

/// Calls that one answer may make.
const MOST_CALLS: usize = 128;

impl Coming {
    pub(super) fn say(&mut self, text: &str) -> Option<Delta> {
        if text.is_empty() {
            return None;
        }
        self.text.push_str(text);
        Some(Delta::Text(text.to_owned()))
    }

    /// The place of the call that the wire numbers so; a new one where there is none yet.
    pub(super) fn call(&mut self, number: u64, id: &str, name: &str) -> Result<(usize, Option<Delta>), ModelError> {
        if let Some(index) = self.numbers.iter().position(|known| *known == number) {
            return Ok((index, None));
        }
        let index = self.calls.len();
        if index >= MOST_CALLS {
            return Err(ModelError::Garbled(format!("more than {MOST_CALLS} calls in one answer")));
        }
        let id = if id.is_empty() { format!("call_{index}") } else { id.to_owned() };
        self.numbers.push(number);
        self.calls.push(ToolCall { id: id.clone(), name: name.to_owned(), arguments: String::new() });
        Ok((index, Some(Delta::Call { index, id, name: name.to_owned() })))
    }

    pub(super) fn argue(&mut self, index: usize, piece: &str) -> Option<Delta> {
        if piece.is_empty() {
            return None;
        }
        self.calls.get_mut(index)?.arguments.push_str(piece);
        Some(Delta::Arguments { index, piece: piece.to_owned() })
    }

    /// What it took so far: as the server says, and no less than the words that came, until it says why it stopped.
    pub(crate) fn took(&self) -> Usage {
        let told = self.usage.unwrap_or_default();
        if self.usage.is_some() && self.stop.is_some() {
            return told;
        }
        let came = self.text.len() + self.calls.iter().map(|call| call.arguments.len()).sum::<usize>();
        Usage { output: told.output.max(estimate(came)), ..told }
    }

    /// The whole answer.
    pub(crate) fn finish(self) -> Result<ChatReply, ModelError> {
        if !self.refusal.is_empty() {
            return Err(ModelError::Refused(self.refusal.chars().take(300).collect()));
        }
        if self.text.is_empty() && self.calls.is_empty() && self.stop != Some(Stop::Length) {
            return Err(ModelError::Garbled("it is empty".into()));
        }
        let usage = self.took();
        let stop = self.stop.unwrap_or(if self.calls.is_empty() { Stop::End } else { Stop::Tools });
        Ok(ChatReply { text: self.text, thinking: self.thinking, calls: self.calls, stop, usage })
    }
}

/// A count in an object.
pub(super) fn count(object: &Value, key: &str) -> u64 {
    object.get(key).and_then(Value::as_u64).unwrap_or(0)
}
