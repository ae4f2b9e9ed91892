//! What targets are called in messages.

use crate::wording::shown::quote;
use handeye_scene::Ref;

/// An element as messages name it: `[3] button "Next"`.
pub fn describe(number: Ref, role: &str, name: &str) -> String {
    format!("{number} {}", called(role, name))
}

/// What something is called in a message: its role, and what it says, if anything.
pub fn called(role: &str, words: &str) -> String {
    match words {
        "" => format!("{role} without a name"),
        words => format!("{role} {}", quote(words, 80)),
    }
}
