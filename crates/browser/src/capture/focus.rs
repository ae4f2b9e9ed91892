//! Which element is at a place, and which has the keyboard focus, through the frames above.

use super::cover::Called;
use super::placement::{self, Placed};
use super::transform::Affine;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::silent;
use handeye_scene::{Code, DocumentId, NativeId, Point, Problem};
use serde_json::json;
use std::collections::HashMap;
use std::time::Instant;

/// The deepest element at each of these places of the surface; a problem where the document there doesn't say.
pub(crate) async fn hits(link: &Link, points: &[Point]) -> Result<Vec<Result<Option<NativeId>, Problem>>, Problem> {
    link.check_dialog()?;
    link.wait_for_main_document(CALL_LIMIT).await?;
    let places = placement::places(link, &HashMap::new()).await?;
    let mut found = Vec::with_capacity(points.len());
    let deadline = Instant::now() + CALL_LIMIT;
    for point in points {
        // A page that doesn't answer isn't asked for each place anew.
        let late = || Problem::new(Code::Timeout, "the page doesn't say in time what lies there").hint("handeye state");
        found.push(if Instant::now() < deadline { hit(link, &places, *point).await } else { Err(late()) });
    }
    Ok(found)
}

/// The deepest element at a place of the surface, through the frames that are there.
async fn hit(link: &Link, places: &HashMap<DocumentId, Placed>, point: Point) -> Result<Option<NativeId>, Problem> {
    let Some(mut document) = link.model().pages.main_document() else { return Ok(None) };
    for _ in 0..64 {
        let map = places.get(&document).map_or(Affine::IDENTITY, |p| p.map);
        let Some(at) = map.invert(point) else { return Ok(None) };
        let is_main = link.model().pages.is_main(document);
        let limit = if is_main { CALL_LIMIT } else { silent::frame_limit(link, document) };
        let hit: Option<Called> = link.page_call_now(document, "hitAt", &[json!(at.x), json!(at.y)], limit).await?;
        let Some(hit) = hit else { return Ok(None) };
        match places.values().find(|p| p.parent == Some(document) && p.owner == Some(hit.n)) {
            Some(inner) => document = inner.document,
            None => return Ok(Some(NativeId::new(document, hit.n))),
        }
    }
    Ok(None)
}

/// The element that has the keyboard focus, through the frames that have it.
pub(crate) async fn focused(link: &Link) -> Result<Option<NativeId>, Problem> {
    link.check_dialog()?;
    link.wait_for_main_document(CALL_LIMIT).await?;
    let Some(mut document) = link.model().pages.main_document() else { return Ok(None) };
    let mut places = None;
    for _ in 0..64 {
        let Some(n) = link.page_call_now::<Option<u32>>(document, "focused", &[], CALL_LIMIT).await? else {
            return Ok(None);
        };
        if link.model().pages.active_documents().len() < 2 {
            return Ok(Some(NativeId::new(document, n)));
        }
        if places.is_none() {
            places = Some(placement::places(link, &HashMap::new()).await?);
        }
        let inner = places.iter().flatten().map(|(_, p)| p).find(|p| p.parent == Some(document) && p.owner == Some(n));
        match inner {
            Some(inner) => document = inner.document,
            None => return Ok(Some(NativeId::new(document, n))),
        }
    }
    Ok(None)
}
