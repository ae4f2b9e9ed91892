//! An answer as its pieces come, whichever wire brings them.

use crate::ModelError;
use handeye_scene::chat::{ChatReply, Delta, Stop, ToolCall, Usage};
use serde_json::Value;

/// What a server says of an error, in either wire's form, whole: the key is taken out of it before it is cut.
pub(crate) fn error_message(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let told = parsed.as_ref().and_then(|body| {
        let error = body.get("error").unwrap_or(body);
        error.get("message").and_then(Value::as_str).or_else(|| error.as_str())
    });
    let text = told.unwrap_or(body).trim();
    if text.is_empty() { "it gives no reason".into() } else { text.to_owned() }
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

    /// The place of the call that the wire numbers so; a new one where there is none yet. Some servers give each call the same
    /// number: one with an identifier of its own is another.
    pub(super) fn call(&mut self, number: u64, id: &str, name: &str) -> Result<(usize, Option<Delta>), ModelError> {
        if let Some(index) = self.numbers.iter().rposition(|known| *known == number)
            && (id.is_empty() || name.is_empty() || self.calls.get(index).is_none_or(|call| call.id == id))
        {
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
            return Err(ModelError::Refused(self.refusal));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces as servers number them: the number, the identifier and name where they tell them, and arguments.
    fn calls(pieces: &[(u64, &str, &str, &str)]) -> Vec<(String, String, String)> {
        let mut coming = Coming::default();
        for (number, id, name, arguments) in pieces {
            let (index, _) = coming.call(*number, id, name).unwrap();
            coming.argue(index, arguments);
        }
        coming.calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    #[test]
    fn calls_are_told_apart_by_number_and_by_identifier() {
        let call = |id: &str, name: &str, arguments: &str| (id.to_owned(), name.to_owned(), arguments.to_owned());
        let two = [call("a", "click", "{\"ref\":1}"), call("b", "click", "{\"ref\":2}")];
        let numbered =
            [(0, "a", "click", "{\"ref\""), (1, "b", "click", "{\"ref\""), (0, "", "", ":1}"), (1, "", "", ":2}")];
        assert_eq!(calls(&numbered), two);
        // Each call whole, and all of one number; then the same in pieces, some of which repeat the identifier.
        assert_eq!(calls(&[(0, "a", "click", "{\"ref\":1}"), (0, "b", "click", "{\"ref\":2}")]), two);
        let pieces =
            [(0, "a", "click", ""), (0, "a", "", "{\"ref\":1}"), (0, "b", "click", "{\"ref\""), (0, "", "", ":2}")];
        assert_eq!(calls(&pieces), two);
        // One that changes from piece to piece tells nothing by itself.
        let pieces = [(0, "a", "click", "{"), (0, "b", "", "}")];
        assert_eq!(calls(&pieces), [call("a", "click", "{}")]);
        // Of what has no identifier, one is made up, and it is the same call.
        assert_eq!(calls(&[(0, "", "click", "{"), (0, "", "", "}")]), [call("call_0", "click", "{}")]);
    }
}
