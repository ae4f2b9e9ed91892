//! Why a daemon, or the folder that it is called in, can't be had.

use std::io;

/// Why there is no connection.
pub(crate) enum Unconnected {
    /// Nobody listens.
    Nobody,
    /// It is someone else's: who, in words.
    Stranger(String),
    /// It can't be told.
    Failed(io::Error),
}

impl From<io::Error> for Unconnected {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Why a folder can't be used as one that is closed to others.
pub(crate) enum Unfit {
    /// It can't be made.
    Unmade(io::Error),
    /// It isn't closed to others, or not a folder at all: why, and what helps.
    Open { why: String, hint: Option<String> },
}

impl Unfit {
    pub(super) fn because(why: impl ToString) -> Self {
        Self::Open { why: why.to_string(), hint: None }
    }
}
