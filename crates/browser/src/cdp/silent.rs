//! Documents that don't answer: how long each is waited for.

use super::link::{FRAME_LIMIT, Link};
use handeye_scene::DocumentId;
use serde_json::json;
use std::time::Duration;

/// How long a document that hung is waited for.
const STILL_SILENT: Duration = Duration::from_millis(100);
/// How long all documents together are waited for that a gesture isn't aimed at: one that hangs takes no input either.
pub(crate) const OTHERS_LIMIT: Duration = Duration::from_secs(1);

/// How long a document inside the page is waited for: one that hung the last time, and has said nothing since, a moment.
pub(crate) fn frame_limit(link: &Link, document: DocumentId) -> Duration {
    if is_silent(link, document) { STILL_SILENT } else { FRAME_LIMIT }
}

/// How long a document is waited for that a gesture isn't aimed at: one that hangs takes no input either.
pub(crate) fn bystander_limit(link: &Link, document: DocumentId) -> Duration {
    if is_silent(link, document) { STILL_SILENT } else { OTHERS_LIMIT }
}

/// Whether a document hung the last time, and has said nothing since.
pub(crate) fn is_silent(link: &Link, document: DocumentId) -> bool {
    link.model().pages.document(document).is_some_and(|d| d.silent)
}

/// A document inside the page didn't answer in time. It says itself when it does again.
pub(crate) fn note(link: &Link, document: DocumentId) {
    let Some((session, context)) = link.model().pages.document_mut(document).and_then(|d| {
        let first = !std::mem::replace(&mut d.silent, true);
        first.then(|| (d.session.clone(), d.context.clone()))
    }) else {
        return;
    };
    let shared = link.shared.clone();
    let ping = json!({ "expression": "0", "uniqueContextId": context });
    link.connection.then(Some(&session), "Runtime.evaluate", ping, move |_| {
        if let Some(document) = shared.model().pages.document_mut(document) {
            document.silent = false;
        }
    });
}
