//! A key that can't be printed by accident.

use std::fmt;

/// Shorter ones, and shorter parts of one, in bytes, can't be told from other text.
pub(crate) const LEAST: usize = 4;

/// A key. Its debug form hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Holds a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into().trim().to_owned())
    }

    /// The key itself, for the one header that carries it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// How many bytes at the end of a text may be the start of the key.
    pub(crate) fn begun(&self, text: &str) -> usize {
        if self.0.len() < LEAST {
            return 0;
        }
        let mut starts = self.0.char_indices().rev().map(|(end, _)| &self.0[..end]);
        starts.find(|start| text.ends_with(start)).map_or(0, str::len)
    }

    /// A text without the key, should a server repeat it.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.len() < LEAST { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}
