//! What goes wrong, as a client can act on it: one closed list of codes, each with its HTTP status.

use serde_json::{Value, json};
use std::fmt;

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The body isn't JSON, or no object.
    BadBody,
    /// A field is missing, of a wrong type, too long or has a value that it can't have.
    BadField,
    /// A tool's schema is no JSON Schema, or its name is taken.
    BadTool,
    /// There is no such agent.
    UnknownAgent,
    /// There is no such model, or the agent may not use it.
    UnknownModel,
    /// The token is missing, wrong or revoked.
    Unauthorized,
    /// The host or the origin isn't one of those served.
    Forbidden,
    /// There is no such thing, or it isn't this user's.
    NotFound,
    /// The method isn't one of this address.
    MethodNotAllowed,
    /// No call waits for this result or approval.
    NoPendingCall,
    /// Several calls wait, and it isn't said which is meant.
    AmbiguousCall,
    /// It was decided otherwise before.
    AlreadyDecided,
    /// The call waited for too long.
    Expired,
    /// What was approved isn't what was proposed.
    NotAsProposed,
    /// The page isn't the one that the call was proposed on.
    PageChanged,
    /// The conversation is being answered already.
    RunInProgress,
    /// The body is too large.
    TooLarge,
    /// The body isn't declared to be JSON.
    NotJson,
    /// Too many requests.
    RateLimited,
    /// The user's tokens for today are used up.
    Spent,
    /// The body didn't come in time.
    Slow,
    /// The model fails.
    ModelFailed,
    /// The model wrote calls that can't be made, again and again.
    ModelConfused,
    /// The session whose page is asked for can't show it.
    SurfaceFailed,
    /// The run was cancelled.
    Cancelled,
    /// The database can't be reached, or is locked or full.
    Database,
    /// The server ends.
    Stopping,
    /// A fault of handeye itself.
    Bug,
}

impl ErrorCode {
    /// The code of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.word() == word)
    }

    /// Every code.
    pub const ALL: [ErrorCode; 28] = [
        Self::BadBody,
        Self::BadField,
        Self::BadTool,
        Self::UnknownAgent,
        Self::UnknownModel,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NoPendingCall,
        Self::AmbiguousCall,
        Self::AlreadyDecided,
        Self::Expired,
        Self::NotAsProposed,
        Self::PageChanged,
        Self::RunInProgress,
        Self::TooLarge,
        Self::NotJson,
        Self::RateLimited,
        Self::Spent,
        Self::Slow,
        Self::ModelFailed,
        Self::ModelConfused,
        Self::SurfaceFailed,
        Self::Cancelled,
        Self::Database,
        Self::Stopping,
        Self::Bug,
    ];

    /// Its word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BadBody => "bad_body",
            Self::BadField => "bad_field",
            Self::BadTool => "bad_tool",
            Self::UnknownAgent => "unknown_agent",
            Self::UnknownModel => "unknown_model",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::NoPendingCall => "no_pending_call",
            Self::AmbiguousCall => "ambiguous_call",
            Self::AlreadyDecided => "already_decided",
            Self::Expired => "expired",
            Self::NotAsProposed => "not_as_proposed",
            Self::PageChanged => "page_changed",
            Self::RunInProgress => "run_in_progress",
            Self::TooLarge => "too_large",
            Self::NotJson => "not_json",
            Self::RateLimited => "rate_limited",
            Self::Spent => "spent",
            Self::Slow => "slow",
            Self::ModelFailed => "model_failed",
            Self::ModelConfused => "model_confused",
            Self::SurfaceFailed => "surface_failed",
            Self::Cancelled => "cancelled",
            Self::Database => "database",
            Self::Stopping => "stopping",
            Self::Bug => "bug",
        }
    }

    /// The HTTP status that it is answered with, where no stream has begun.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadBody => 400,
            Self::BadField | Self::BadTool | Self::UnknownAgent | Self::UnknownModel => 422,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NoPendingCall
            | Self::AmbiguousCall
            | Self::AlreadyDecided
            | Self::NotAsProposed
            | Self::PageChanged
            | Self::RunInProgress => 409,
            Self::Expired => 410,
            Self::TooLarge => 413,
            Self::NotJson => 415,
            Self::RateLimited | Self::Spent => 429,
            Self::Slow => 408,
            Self::ModelFailed | Self::ModelConfused | Self::SurfaceFailed => 502,
            Self::Cancelled => 499,
            Self::Database | Self::Stopping => 503,
            Self::Bug => 500,
        }
    }
}

/// An error of a request or a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ChatError {
    /// What kind it is.
    pub code: ErrorCode,
    /// What was wrong, naming it, and what to do.
    pub message: String,
    /// The field that is wrong, such as `current_page_info.elements[2].id`.
    pub field: Option<String>,
    /// Seconds after which the same request may do better.
    pub retry_after: Option<u32>,
}

impl ChatError {
    /// An error of a kind.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None, retry_after: None }
    }

    /// A field that is wrong: which, and why.
    pub fn field(field: impl Into<String>, why: impl fmt::Display) -> Self {
        let field = field.into();
        let message = format!("`{field}` {why}");
        Self { code: ErrorCode::BadField, message, field: Some(field), retry_after: None }
    }

    /// The same error about a field.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same error, with when to come again.
    #[must_use]
    pub fn again_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Its members on the wire.
    pub fn to_value(&self) -> Value {
        let mut value = json!({"code": self.code.word(), "message": self.message});
        if let Some(field) = &self.field {
            value["field"] = json!(field);
        }
        if let Some(seconds) = self.retry_after {
            value["retry_after"] = json!(seconds);
        }
        value
    }
}

impl fmt::Display for ChatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.word(), self.message)
    }
}
