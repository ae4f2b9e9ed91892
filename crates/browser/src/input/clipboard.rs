//! That the clipboard changed since a gesture began, where the page's own events don't tell of it.

use crate::capture::closed_roots;
use crate::cdp::link::{FRAME_LIMIT, Link};
use crate::cdp::page_call::PageError;
use crate::targets::clipboard;
use handeye_scene::{Cause, Mutation, Stirred};
use serde_json::json;
use tokio::time::Instant;

/// Characters of what was copied that are told.
const TOLD: usize = 500;

/// Adds that it changed, if so. Who changed it isn't known: that is no more than something after the gesture.
pub(super) async fn note(link: &Link, found: &mut Stirred) {
    let Some(kinds) = link.model().clipboard.changed.clone() else { return };
    let known = found.mutations.iter_mut().find(|m| m.property == "clipboard");
    if known.as_ref().is_some_and(|known| !known.to.is_empty()) {
        return;
    }
    let to = match readable(link).await {
        Some(text) if text.is_empty() => kinds,
        Some(text) => link.model().cut(&text, TOLD),
        None => String::new(),
    };
    match known {
        Some(known) => known.to = to,
        None => found.mutations.push(Mutation {
            near: None,
            own: false,
            tag: "body".into(),
            property: "clipboard".into(),
            from: String::new(),
            to,
            cause: Cause::Later,
        }),
    }
}

/// The text on the clipboard, if it may be told: it may come of any document of the tab, or of a field for passwords.
async fn readable(link: &Link) -> Option<String> {
    let (documents, all) = {
        let model = link.model();
        (model.readable_documents(), model.pages.active_documents().len())
    };
    if documents.len() < all {
        return None;
    }
    let text = clipboard::text(link).await?;
    if text.is_empty() {
        return Some(text);
    }
    closed_roots::find(link, &documents).await.ok()?;
    let deadline = link.in_time(Instant::now() + FRAME_LIMIT);
    let asked: Vec<_> =
        documents.iter().map(|(_, document)| link.send_to_page(*document, "tellsPassword", &[json!(text)])).collect();
    for pending in asked {
        let told = match pending {
            Ok(pending) => link.page_reply_by::<bool>(pending, deadline, FRAME_LIMIT).await,
            Err(gone) => Err(gone),
        };
        match told {
            Ok(false) | Err(PageError::Gone) => {}
            Ok(true) | Err(PageError::Problem(_)) => return None,
        }
    }
    Some(text)
}
