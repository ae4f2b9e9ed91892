//! The members of an object, read one by one: what is wrong with one is told with its place.

use super::error::{ChatError, ErrorCode};
use super::json::Json;

/// An object at a place of the body.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    object: &'a Json,
    place: &'a str,
}

impl<'a> Fields<'a> {
    /// The body itself.
    pub fn of_body(body: &'a Json) -> Result<Self, ChatError> {
        match body {
            Json::Object(_) => Ok(Self { object: body, place: "" }),
            _ => Err(ChatError::new(ErrorCode::BadBody, "the body is no JSON object")),
        }
    }

    /// An object inside it.
    pub fn of(value: &'a Json, place: &'a str) -> Result<Self, ChatError> {
        match value {
            Json::Object(_) => Ok(Self { object: value, place }),
            other => Err(ChatError::field(place, format!("is {}, not an object", kind(other)))),
        }
    }

    /// Where a member stands in the body.
    pub fn path(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    /// A member; none where it is missing or null.
    pub fn get(&self, name: &str) -> Option<&'a Json> {
        self.object.get(name).filter(|value| **value != Json::Null)
    }

    /// A text of at most so many characters; none where it is missing or null.
    pub fn text(&self, name: &str, most: usize) -> Result<Option<&'a str>, ChatError> {
        match self.get(name) {
            None => Ok(None),
            Some(Json::Text(text)) if text.chars().count() <= most => Ok(Some(text)),
            Some(Json::Text(_)) => Err(ChatError::field(self.path(name), format!("has more than {most} characters"))),
            Some(other) => Err(ChatError::field(self.path(name), format!("is {}, not a string", kind(other)))),
        }
    }

    /// A text that must be there.
    pub fn needed(&self, name: &str, most: usize) -> Result<&'a str, ChatError> {
        self.text(name, most)?.ok_or_else(|| ChatError::field(self.path(name), "is missing"))
    }

    /// A text that must be there and not be empty.
    pub fn filled(&self, name: &str, most: usize) -> Result<&'a str, ChatError> {
        match self.needed(name, most)? {
            text if text.trim().is_empty() => Err(ChatError::field(self.path(name), "is empty")),
            text if text.chars().any(char::is_control) => {
                Err(ChatError::field(self.path(name), "has control characters"))
            }
            text => Ok(text),
        }
    }

    /// The client's name of a conversation. It is a part of addresses, in which a dot or two lead elsewhere.
    pub fn session(&self, name: &str, most: usize) -> Result<&'a str, ChatError> {
        match self.filled(name, most)? {
            dots @ ("." | "..") => {
                Err(ChatError::field(self.path(name), format!("is `{dots}`, which no address can name")))
            }
            text => Ok(text),
        }
    }

    /// A list of at most so many items; empty where it is missing or null.
    pub fn list(&self, name: &str, most: usize) -> Result<&'a [Json], ChatError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Json::List(items)) if items.len() <= most => Ok(items),
            Some(Json::List(_)) => Err(ChatError::field(self.path(name), format!("has more than {most} items"))),
            Some(other) => Err(ChatError::field(self.path(name), format!("is {}, not an array", kind(other)))),
        }
    }

    /// `true` or `false`; none where it is missing or null.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, ChatError> {
        match self.get(name) {
            None => Ok(None),
            Some(Json::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(ChatError::field(self.path(name), format!("is {}, not true or false", kind(other)))),
        }
    }
}

/// What a value is, in words.
pub fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::Text(_) => "a string",
        Json::List(_) => "an array",
        Json::Object(_) => "an object",
    }
}
