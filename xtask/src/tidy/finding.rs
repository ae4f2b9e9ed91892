//! What a rule has to say.

use super::source::File;
use std::fmt;

/// What a rule has to say, and about which line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.what)
    }
}

pub(super) fn add(found: &mut Vec<Finding>, file: &File, line: usize, rule: &'static str, what: impl Into<String>) {
    found.push(Finding { path: file.path.clone(), line, rule, what: what.into() });
}
