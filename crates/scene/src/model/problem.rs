//! Errors that a caller can act on.

use crate::model::hint::Hint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of problem it is: closed, so that every front end maps all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request itself is wrong: unknown command, option, format or value.
    BadRequest,
    /// Nothing matches.
    NotFound,
    /// Several targets match and one was asked for.
    Ambiguous,
    /// The ref's element is gone or its document was navigated away.
    Stale,
    /// It can't be done now: the target is covered, disabled, hidden or moving, a dialog is open, or a form would be sent again.
    Blocked,
    /// This surface or element can't do that.
    Unsupported,
    /// The policy refuses it.
    Denied,
    /// A wait reached its limit.
    Timeout,
    /// The address can't be loaded.
    Unreachable,
    /// The browser, window, tab or daemon is gone.
    Lost,
    /// Something that is needed is not installed or not permitted.
    Unavailable,
    /// A file can't be read or written.
    File,
    /// A fault of handeye itself.
    Bug,
}

impl Code {
    /// Its word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Code::BadRequest => "bad_request",
            Code::NotFound => "not_found",
            Code::Ambiguous => "ambiguous",
            Code::Stale => "stale",
            Code::Blocked => "blocked",
            Code::Unsupported => "unsupported",
            Code::Denied => "denied",
            Code::Timeout => "timeout",
            Code::Unreachable => "unreachable",
            Code::Lost => "lost",
            Code::Unavailable => "unavailable",
            Code::File => "file",
            Code::Bug => "bug",
        }
    }
}

/// An error a caller can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// What kind it is.
    pub code: Code,
    /// What was wrong, naming it.
    pub message: String,
    /// Commands to run next, most helpful first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// Whether the command had begun to do something by then, so that it may have been done, in part or as a whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun: bool,
}

impl Problem {
    /// A problem of kind `code`.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hints: Vec::new(), begun: false }
    }

    /// Adds a command to run next.
    #[must_use]
    pub fn hint(mut self, command: impl Into<Hint>) -> Self {
        self.hints.push(command.into());
        self
    }

    /// Its message, with whether it may have been done.
    pub fn told(&self) -> String {
        match self.begun {
            true => format!("{}; it had begun by then, and may have been done", self.message),
            false => self.message.clone(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.word(), self.message)
    }
}

impl std::error::Error for Problem {}
