//! Events of a gesture that the debugger stops before each listener.

use crate::cdp::link::Link;
use crate::cdp::transport::read;
use crate::protocol::json::parse;
use crate::protocol::{Evaluated, Paused, PausedCheck};
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};

/// An event of a gesture has stopped before a listener: the page script judges it.
pub(super) fn paused(link: &Link, session: &str, paused: &Paused) {
    let contexts = {
        let mut model = link.model();
        model.pages.stopped();
        model.guard.thawing.take_if(|thawing| thawing == session);
        model.guard.paused_checks.get(session).cloned().unwrap_or_default()
    };
    // A page may stop itself, by a statement of its own.
    if contexts.is_empty() || paused.reason != "EventListener" {
        link.connection.notify(Some(session), "Debugger.resume", json!({}));
        return;
    }
    // An event that no document knows can't be judged, and isn't let through.
    let left = Arc::new(Mutex::new((contexts.len(), PausedCheck { seen: false, pass: true })));
    for context in contexts {
        let (left, connection, shared) = (left.clone(), link.connection.clone(), link.shared.clone());
        let session_id = session.to_owned();
        let params = json!({
            "expression": "handeye.checkPaused()",
            "uniqueContextId": context, "returnByValue": true, "silent": true,
        });
        link.connection.then(Some(session), "Runtime.evaluate", params, move |reply| {
            let evaluated = reply.ok().and_then(|raw| read::<Evaluated>("Runtime.evaluate", &raw).ok());
            // A document that has left since knows of no event.
            let check = evaluated.and_then(|e| e.result.value).and_then(|v| parse::<PausedCheck>(v.get()).ok());
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            left.0 -= 1;
            if let Some(check) = check.filter(|check| check.seen) {
                left.1.seen = true;
                left.1.pass &= check.pass;
            }
            if left.0 == 0 {
                let terminate = !(left.1.seen && left.1.pass);
                // Of those that came meanwhile, too.
                shared.model().pages.stopped();
                connection.notify(Some(&session_id), "Debugger.resume", json!({ "terminateOnResume": terminate }));
            }
        });
    }
}
