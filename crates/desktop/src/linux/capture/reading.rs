//! What was read of a window, as records in the order of its tree.

use crate::record::Record;
use std::collections::HashSet;
use std::time::Duration;

/// Most nodes of one window.
pub(crate) const MOST_NODES: usize = 20_000;
/// How long one window may take.
pub(crate) const BUDGET: Duration = Duration::from_millis(4000);

/// What was read of a window.
#[derive(Default, Clone)]
pub(crate) struct Reading {
    /// The objects, parents before children, in reading order.
    pub(crate) records: Vec<Record>,
    /// What is missing, in words.
    pub(crate) partial: Option<String>,
}

/// Takes records out, with all that is in them. Parents stand before their children.
pub(crate) fn leave_out(records: &mut Vec<Record>, these: &HashSet<usize>) {
    if these.is_empty() {
        return;
    }
    let mut places: Vec<Option<usize>> = Vec::with_capacity(records.len());
    let mut kept = Vec::with_capacity(records.len());
    for (i, mut record) in std::mem::take(records).into_iter().enumerate() {
        let above = record.parent.map(|parent| places[parent]);
        if these.contains(&i) || above == Some(None) {
            places.push(None);
            continue;
        }
        record.parent = above.flatten();
        places.push(Some(kept.len()));
        kept.push(record);
    }
    *records = kept;
}
