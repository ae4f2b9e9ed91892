//! Rows that were found in a database, as far as they are told.

use serde_json::Value;

/// Characters of one value.
const VALUE: usize = 1_000;
/// Bytes of all rows: with this many there are enough, however few they are.
const ALL: usize = 1 << 20;

/// Rows, and whether there were more.
pub(super) struct Found {
    pub(super) rows: Vec<Value>,
    pub(super) is_cut: bool,
    most: usize,
    bytes: usize,
}

impl Found {
    /// None yet, of so many at most.
    pub(super) fn new(most: usize) -> Self {
        Self { rows: Vec::new(), is_cut: false, most, bytes: 0 }
    }

    /// Keeps one more; whether there is room for another.
    pub(super) fn add(&mut self, row: Value) -> bool {
        self.bytes += row.to_string().len();
        self.is_cut = self.rows.len() == self.most || self.bytes > ALL;
        if !self.is_cut {
            self.rows.push(row);
        }
        !self.is_cut
    }
}

/// The beginning of a text that is too long.
pub(super) fn cut(text: &str) -> String {
    let mut told: String = text.chars().take(VALUE).collect();
    if told.len() < text.len() {
        told.push('…');
    }
    told
}
