//! What a model takes of OpenAI's wire, as its server's refusals tell: the newest want the limit of an answer under another name,
//! and no temperature. Which those are changes too often for a list.

use crate::Endpoint;
use bytes::Bytes;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A member of a request that some models refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    /// `max_tokens`; they take `max_completion_tokens`.
    MaxTokens,
    /// `temperature`; they have one of their own.
    Temperature,
}

impl Member {
    /// The member that a server's refusal names as one that the model doesn't take.
    pub(crate) fn refused(status: u16, body: &str) -> Option<Self> {
        let body: Value = serde_json::from_str(body).ok().filter(|_| status == 400)?;
        let told = |key: &str| body.pointer(&format!("/error/{key}")).and_then(Value::as_str);
        match (told("code")?, told("param")?) {
            ("unsupported_parameter" | "unsupported_value", "max_tokens") => Some(Self::MaxTokens),
            ("unsupported_parameter" | "unsupported_value", "temperature") => Some(Self::Temperature),
            _ => None,
        }
    }

    /// A request without it; none where that can't be read.
    pub(crate) fn left_out(self, body: &Bytes) -> Option<Bytes> {
        let mut body: Value = serde_json::from_slice(body).ok()?;
        let members = body.as_object_mut()?;
        match self {
            Self::MaxTokens => {
                let limit = members.remove("max_tokens")?;
                members.insert("max_completion_tokens".to_owned(), limit);
            }
            Self::Temperature => drop(members.remove("temperature")?),
        }
        Some(body.to_string().into())
    }
}

/// What is left out of requests to a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The limit of an answer goes by its newer name.
    pub(crate) newer_limit: bool,
    /// No temperature is sent.
    pub(crate) no_temperature: bool,
    /// The model has answered a request that was written so.
    pub(crate) is_taken: bool,
}

impl Dialect {
    /// Whether a member is left out already.
    pub(crate) const fn is_without(self, member: Member) -> bool {
        match member {
            Member::MaxTokens => self.newer_limit,
            Member::Temperature => self.no_temperature,
        }
    }

    /// The same without a member, too.
    pub(crate) const fn without(mut self, member: Member) -> Self {
        match member {
            Member::MaxTokens => self.newer_limit = true,
            Member::Temperature => self.no_temperature = true,
        }
        self.is_taken = false;
        self
    }
}

/// What was learned of models, for as long as a session lives.
#[derive(Debug, Default)]
pub(crate) struct Dialects(Mutex<HashMap<(String, String), Dialect>>);

impl Dialects {
    pub(crate) fn of(&self, endpoint: &Endpoint) -> Dialect {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&key(endpoint)).copied().unwrap_or_default()
    }

    pub(crate) fn learn(&self, endpoint: &Endpoint, refused: Member) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let dialect = known.entry(key(endpoint)).or_default();
        *dialect = dialect.without(refused);
    }

    /// Notes that the model takes what it is sent.
    pub(crate) fn take(&self, endpoint: &Endpoint) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(key(endpoint)).or_default().is_taken = true;
    }
}

fn key(endpoint: &Endpoint) -> (String, String) {
    (endpoint.base.to_string(), endpoint.model.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_left_out_of_what_is_sent_again() {
        let body = Bytes::from_static(br#"{"max_tokens":5,"messages":[],"temperature":0.0}"#);
        let without = |member: Member| serde_json::from_slice::<Value>(&member.left_out(&body).unwrap()).unwrap();
        let newer = serde_json::json!({"max_completion_tokens": 5, "messages": [], "temperature": 0.0});
        assert_eq!(without(Member::MaxTokens), newer);
        assert_eq!(without(Member::Temperature), serde_json::json!({"max_tokens": 5, "messages": []}));
        for body in ["", "[]", "{}", "no"] {
            assert_eq!(Member::MaxTokens.left_out(&Bytes::from_static(body.as_bytes())), None, "{body}");
        }
    }

    #[test]
    fn only_a_typed_refusal_of_the_member_itself_counts() {
        let body =
            |code: &str, param: &str| format!(r#"{{"error":{{"code":"{code}","param":"{param}","message":"m"}}}}"#);
        for (status, body, refused) in [
            (400, body("unsupported_parameter", "max_tokens"), Some(Member::MaxTokens)),
            (400, body("unsupported_value", "temperature"), Some(Member::Temperature)),
            (400, body("unsupported_parameter", "temperature"), Some(Member::Temperature)),
            (400, body("unsupported_parameter", "tools"), None),
            (400, body("context_length_exceeded", "max_tokens"), None),
            (400, body("invalid_value", "temperature"), None),
            (429, body("unsupported_parameter", "max_tokens"), None),
            (400, r#"{"error":{"message":"use 'max_completion_tokens' instead of max_tokens"}}"#.into(), None),
            (400, r#"{"error":"max_tokens"}"#.into(), None),
            (400, "max_tokens is unsupported".into(), None),
            (400, String::new(), None),
        ] {
            assert_eq!(Member::refused(status, &body), refused, "{status} {body}");
        }
    }
}
