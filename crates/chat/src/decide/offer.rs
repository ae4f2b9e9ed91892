//! Which calls a client is told of at a time.

use super::call::{Call, Side, Status};

/// What a client is told to name calls by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Nothing: it knows the document alone. A browser's call can be named by its tool, one of the server's not at all.
    Nothing,
    /// Ids.
    Ids,
    /// Ids, and it decides on one call at a time.
    OneDecision,
}

/// Of the calls of one message, in order, the ids of those to tell the client of now: of what it couldn't tell apart, or decide on at
/// once, the later waits until the earlier is settled.
pub fn offers(calls: &[Call], naming: Naming) -> Vec<String> {
    let mut waiting: Vec<(&str, Side)> = calls
        .iter()
        .filter(|call| call.status == Status::Offered)
        .map(|call| (call.tool.as_str(), call.side))
        .collect();
    let mut offered = Vec::new();
    for call in calls.iter().filter(|call| call.status == Status::Queued) {
        let both_ours = waiting.iter().any(|(_, side)| *side == Side::Server && call.side == Side::Server);
        let same_tool = waiting.iter().any(|(tool, _)| *tool == call.tool);
        let clashes = match naming {
            Naming::Nothing => both_ours || same_tool,
            Naming::Ids => false,
            Naming::OneDecision => both_ours,
        };
        if clashes {
            break;
        }
        waiting.push((&call.tool, call.side));
        offered.push(call.id.clone());
    }
    offered
}
