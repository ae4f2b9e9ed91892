//! What goes wrong with models, as a caller can act on it.

use crate::{Secret, secret};
use handeye_scene::{Code, Problem};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The server refuses the key. Never sent again.
    #[error("the model server refuses the key ({status}): {message}")]
    Key {
        /// The HTTP status.
        status: u16,
        /// What the server said.
        message: String,
    },
    /// The server refuses the request: an unknown model, too long a prompt. Never sent again.
    #[error("the model server refuses the request ({status}): {message}")]
    Request {
        /// The HTTP status.
        status: u16,
        /// What the server said.
        message: String,
    },
    /// The server sends elsewhere. Never followed: that would take the key along.
    #[error(
        "the model server redirects ({status}), which isn't followed: set the model's `url` to where it leads, {to}"
    )]
    Redirect {
        /// The HTTP status.
        status: u16,
        /// The address to set, as far as the server says it.
        to: String,
    },
    /// The server is overloaded or failing, each time.
    #[error("the model server failed {attempts} times, at last with {status}: {message}")]
    Server {
        /// The last HTTP status.
        status: u16,
        /// What the server said.
        message: String,
        /// How often it was asked.
        attempts: u32,
    },
    /// The server asks to be left alone for longer than there is time.
    #[error(
        "the model server answered {status} and asks to wait {seconds} s, which is longer than the time that is left: {message}"
    )]
    Later {
        /// The HTTP status.
        status: u16,
        /// What the server said.
        message: String,
        /// How long it asks for.
        seconds: u64,
    },
    /// No connection.
    #[error("the model server at {address} can't be reached: {message}")]
    Unreachable {
        /// Where it should be.
        address: String,
        /// Why.
        message: String,
    },
    /// The connection ended before the answer did, each time.
    #[error("the model server ended the connection in the middle of its answer: {0}")]
    Dropped(String),
    /// No answer in time.
    #[error("the model didn't answer within {0} s")]
    TimedOut(u64),
    /// An answer that isn't of the wire.
    #[error("the model server's answer can't be read: {0}")]
    Garbled(String),
    /// The model declines.
    #[error("the model declines: {0}")]
    Refused(String),
    /// The budget is used up.
    #[error("the budget for models is used up: {0}")]
    Spent(String),
}

impl ModelError {
    /// The same error without the key, should the server have repeated it, and no longer than can be read.
    pub(crate) fn shown(mut self, key: Option<&Secret>) -> Self {
        match &mut self {
            Self::Key { message, .. }
            | Self::Request { message, .. }
            | Self::Redirect { to: message, .. }
            | Self::Server { message, .. }
            | Self::Later { message, .. }
            | Self::Unreachable { message, .. }
            | Self::Dropped(message)
            | Self::Garbled(message)
            | Self::Refused(message)
            | Self::Spent(message) => *message = shown(message, key),
            Self::TimedOut(_) => {}
        }
        self
    }

    /// Whether the same request may do better a moment later.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Server { .. } | Self::Unreachable { .. } | Self::Dropped(_))
    }
}

/// Of what a server says so much is shown, characters.
const SHOWN: usize = 300;

/// A text without the key, or the part of it that stands where the text was cut.
fn shown(text: &str, key: Option<&Secret>) -> String {
    let Some(key) = key else { return text.chars().take(SHOWN).collect() };
    let whole: String = key.redact(text).chars().take(SHOWN).collect();
    let begun = key.begun(&whole);
    if begun < secret::LEAST { whole } else { format!("{}[key]", &whole[..whole.len() - begun]) }
}

impl From<ModelError> for Problem {
    fn from(error: ModelError) -> Self {
        let code = match error {
            ModelError::Key { .. } | ModelError::Spent(_) => Code::Denied,
            ModelError::Request { .. } | ModelError::Redirect { .. } => Code::BadRequest,
            ModelError::TimedOut(_) => Code::Timeout,
            ModelError::Unreachable { .. }
            | ModelError::Dropped(_)
            | ModelError::Server { .. }
            | ModelError::Later { .. } => Code::Unreachable,
            ModelError::Garbled(_) | ModelError::Refused(_) => Code::Unavailable,
        };
        Problem::new(code, error.to_string()).hint("handeye config show")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_taken_out_before_a_message_is_cut() {
        let key = Secret::new(format!("sk-{}", "k".repeat(160)));
        for before in [0, 100, 200, 290, 299, 300, 400] {
            let said = format!("{}{}{}", "a".repeat(before), key.reveal(), "z".repeat(400));
            let ModelError::Refused(shown) = ModelError::Refused(said).shown(Some(&key)) else { panic!() };
            assert!(!shown.contains("sk-k") && shown.chars().count() <= SHOWN + 5, "{before}: {shown}");
        }
        // One that the server had cut itself, too.
        let said = format!("{}sk-kkkkkkkk", "a".repeat(289));
        let ModelError::Refused(shown) = ModelError::Refused(said).shown(Some(&key)) else { panic!() };
        assert!(shown.ends_with("a[key]"), "{shown}");
    }
}
