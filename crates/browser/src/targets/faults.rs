//! What goes wrong in pages: exceptions that nothing caught, and requests that failed.

use crate::model::Model;
use crate::model::faults::LENGTH;
use crate::model::text::cut;
use handeye_scene::{Message, NetworkRequest};

/// Kinds of requests that pages depend on; a picture that is missing is no news.
const KINDS: [&str; 5] = ["document", "xhr", "fetch", "script", "eventsource"];

/// Notes an exception that nothing caught.
pub(super) fn note_exception(model: &mut Model, message: &Message) {
    if message.kind != "exception" || message.origin.as_deref().is_some_and(|origin| model.is_read_denied(origin)) {
        return;
    }
    let first = message.text.lines().next().unwrap_or_default();
    model.reports.faults.note("exception", &format!("uncaught {first}"), "handeye errors");
}

/// Notes a request that failed, if it did and was sent since the action began.
pub(super) fn note_failure(model: &mut Model, session: &str, id: &str) {
    let mask = model.policy.mask.clone();
    let Some((exchange, is_new)) = model.network.log.told(session, id) else { return };
    let Some(failure) = failure(exchange) else { return };
    let barred = model.is_read_denied(&exchange.url) || model.is_read_denied(&exchange.document);
    if barred || !KINDS.contains(&exchange.kind.as_str()) || (model.reports.faults.acting && !is_new) {
        return;
    }
    let what = format!("{} {} → {failure}", exchange.method, cut(&mask.of(&exchange.url), LENGTH / 2));
    let next = format!("handeye network show {}", exchange.number);
    model.reports.faults.note("failed_request", &what, &next);
}

/// Why a request failed, in words. One that was given up, as by going elsewhere, didn't.
fn failure(exchange: &NetworkRequest) -> Option<String> {
    match (&exchange.failure, exchange.status) {
        (Some(why), _) if why.starts_with("net::ERR_ABORTED") => None,
        (Some(why), _) => Some(why.clone()),
        (None, Some(status)) if status >= 400 => {
            Some(format!("{status} {}", exchange.status_text).trim_end().to_owned())
        }
        _ => None,
    }
}
