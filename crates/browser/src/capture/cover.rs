//! What lies over an element of a document inside the page: what covers the frames above, and modal dialogs that keep a
//! person from what is in a frame.

use super::placement::{Placed, chain};
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use handeye_scene::model::role::known;
use handeye_scene::{Cover, DocumentId, NativeId, Point, Problem};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;

/// An element as the page script names it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Called {
    pub(super) n: u32,
    role: String,
    name: String,
}

pub(crate) fn as_cover(document: DocumentId, called: Called) -> Cover {
    let id = (called.n > 0).then(|| NativeId::new(document, called.n));
    Cover { id, role: known(&called.role).to_owned(), name: called.name }
}

/// The modal dialog of a document above that keeps a person from a frame.
pub(super) async fn behind_above(
    link: &Link,
    document: DocumentId,
    places: &HashMap<DocumentId, Placed>,
) -> Result<Option<Cover>, Problem> {
    for placed in chain(document, places) {
        let (Some(parent), Some(owner)) = (placed.parent, placed.owner) else { continue };
        match link.page_call::<Option<Called>>(parent, "behindOf", &[json!(owner)], CALL_LIMIT).await {
            Ok(Some(called)) => return Ok(Some(as_cover(parent, called))),
            Ok(None) | Err(PageError::Gone) => {}
            Err(PageError::Problem(problem)) => return Err(problem),
        }
    }
    Ok(None)
}

/// What lies over a point in one of the documents above, if anything does.
pub(super) async fn cover_above(
    link: &Link,
    point: Option<Point>,
    document: DocumentId,
    places: &HashMap<DocumentId, Placed>,
) -> Result<Option<Cover>, Problem> {
    let Some(point) = point else { return Ok(None) };
    for placed in chain(document, places) {
        let (Some(parent), Some(owner)) = (placed.parent, placed.owner) else { continue };
        let Some(at) = places.get(&parent).and_then(|p| p.map.invert(point)) else { continue };
        let passes =
            link.page_call::<bool>(parent, "framePass", &[json!(owner), json!(at.x), json!(at.y)], CALL_LIMIT).await;
        if passes.unwrap_or(false) {
            continue;
        }
        let over = link.page_call::<Option<Called>>(parent, "hitAt", &[json!(at.x), json!(at.y)], CALL_LIMIT).await;
        let over = over.ok().flatten();
        return Ok(Some(over.map_or_else(
            || Cover { id: None, role: "document".into(), name: "the part of the page that is out of view".into() },
            |c| Cover { id: Some(NativeId::new(parent, c.n)), role: known(&c.role).to_owned(), name: c.name },
        )));
    }
    Ok(None)
}
