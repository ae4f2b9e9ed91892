//! Which calls a client is told of at a time.

use super::call::{Call, Side, Status};

/// Of the calls of one message, in order, the ids of those to tell the client of now. `names_calls`: whether the client is told ids. One
/// that isn't can name a browser's call by its tool alone, and one of the server's not at all: of what it couldn't tell apart, the
/// later waits until the earlier is settled.
pub fn offers(calls: &[Call], names_calls: bool) -> Vec<String> {
    let mut waiting: Vec<(&str, Side)> = calls
        .iter()
        .filter(|call| call.status == Status::Offered)
        .map(|call| (call.tool.as_str(), call.side))
        .collect();
    let mut offered = Vec::new();
    for call in calls.iter().filter(|call| call.status == Status::Queued) {
        let clashes =
            waiting.iter().any(|(tool, side)| *tool == call.tool || *side == Side::Server && call.side == Side::Server);
        if !names_calls && clashes {
            break;
        }
        waiting.push((&call.tool, call.side));
        offered.push(call.id.clone());
    }
    offered
}
