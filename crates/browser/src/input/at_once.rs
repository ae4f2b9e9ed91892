//! Telling what a gesture brought without waiting for quiet: where its own events changed something, and nothing that they began
//! is still under way.

use super::settle::{self, BUSY, elapsed};
use crate::cdp::link::{FRAME_LIMIT, Link};
use crate::cdp::silent;
use handeye_scene::{DocumentId, Event, Settled};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// How long documents may take to tell: where they take longer, quiet is waited for.
const LIMIT: Duration = Duration::from_millis(100);

/// So long at least a page is left alone.
const LEAST: Duration = Duration::from_millis(10);

/// What a document tells of itself.
#[derive(Debug, Clone, Copy, Deserialize)]
struct SoFar {
    /// The gesture's own events changed something.
    changed: bool,
    /// More may come of them.
    more: bool,
}

/// What was seen since the gesture began, once the frame was drawn that shows what its events changed. None: they changed nothing,
/// more may come of them, or some document can't tell.
pub(crate) async fn answered(link: &Link, settled_at: &mut Option<std::time::Instant>) -> Option<Settled> {
    let deadline = link.in_time(Instant::now() + LIMIT);
    let mut documents: Vec<DocumentId> = link.model().pages.active_documents().into_iter().map(|d| d.1).collect();
    let main = link.model().pages.main_document()?;
    documents.retain(|document| *document != main);
    if is_more(link) || documents.iter().any(|document| silent::is_silent(link, *document)) {
        return None;
    }
    let mut changed = false;
    // Frames out of sight draw nothing: they are asked once the page itself has drawn.
    for (some, is_drawn) in [(vec![main], true), (documents, false)] {
        for told in ask(link, &some, is_drawn, deadline).await? {
            if told.more {
                return None;
            }
            changed |= told.changed;
        }
    }
    if !changed || is_more(link) {
        return None;
    }
    *settled_at = link.model().gesture.touched;
    Some(settle::seen(link, true))
}

/// What was seen since the gesture began, once nothing has happened for `rest` since it was over, by our clock and by the page's:
/// what it did while it was looked at is no rest. None: something has happened, or may yet.
pub(crate) async fn calm(link: &Link, rest: Duration) -> Option<Settled> {
    let touched = link.model().gesture.touched?;
    let timer = settle::timer(link, rest.saturating_sub(touched.elapsed()).max(LEAST))?;
    let until = Instant::from_std(touched + rest);
    if link.shared.wait_while(until, || link.model().gesture.touched == Some(touched)).await {
        return None;
    }
    let is_calm = elapsed(link, timer, link.in_time(Instant::now() + BUSY)).await;
    (is_calm && link.model().gesture.touched == Some(touched) && !is_more(link)).then(|| settle::seen(link, true))
}

/// What documents tell, unless a dialog holds them up.
async fn ask(link: &Link, documents: &[DocumentId], is_drawn: bool, deadline: Instant) -> Option<Vec<SoFar>> {
    let asked: Vec<_> =
        documents.iter().map(|document| link.send_to_page(*document, "soFar", &[json!(is_drawn)])).collect();
    let answers = async {
        let mut all = Vec::new();
        for pending in asked {
            all.push(link.page_reply_by::<SoFar>(pending.ok()?, deadline, FRAME_LIMIT).await.ok()?);
        }
        Some(all)
    };
    tokio::select! {
        all = answers => all,
        _ = link.shared.wait_while(deadline, || link.model().pages.dialog().is_none()) => None,
    }
}

/// Whether the browser knows of something that is under way, or has told of what more comes after.
fn is_more(link: &Link) -> bool {
    let model = link.model();
    let is_over = |event: &Event| matches!(event, Event::Navigated { document: false, .. } | Event::FormHeld { .. });
    model.pages.dialog().is_some()
        || !model.gesture.events.iter().all(is_over)
        || model.gesture.asked_away
        || settle::is_under_way(&model)
}
