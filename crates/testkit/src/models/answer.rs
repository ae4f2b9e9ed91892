//! What a model server does.

use super::Asked;
use serde_json::json;
use std::time::Duration;

/// What a model server does.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Says something.
    Say(String),
    /// Says something, and waits for so long before each piece of it.
    Paced(String, Duration),
    /// Calls tools: name and arguments as text.
    Call(Vec<(String, String)>),
    /// Declines.
    Refuse(String),
    /// Fails with this status, these headers and this body.
    Fail(u16, &'static str, String),
    /// Answers with this body, of this media type, whatever the wire.
    Raw(&'static str, String),
    /// Ends the connection in the middle of an answer that says this.
    Cut(String),
    /// Says nothing for so long, then ends the connection.
    Stall(Duration),
}

impl Answer {
    /// What OpenAI's newest models refuse of a request, as their server says it: the older name of the limit, and a temperature.
    pub fn of_the_newest(asked: &Asked) -> Option<Self> {
        let refused = |member: &str, code: &str, message: &str| {
            let error = json!({"message": message, "type": "invalid_request_error", "param": member, "code": code});
            let is_sent = asked.body.get(member).is_some();
            is_sent.then(|| Self::Fail(400, "", json!({"error": error}).to_string()))
        };
        let limit = "Unsupported parameter: 'max_tokens' is not supported with this model.";
        let temperature = "Unsupported value: 'temperature' does not support 0 with this model.";
        refused("max_tokens", "unsupported_parameter", limit)
            .or_else(|| refused("temperature", "unsupported_value", temperature))
    }
}
