//! Where the documents of a tab are, in the space of the main viewport.

use super::transform::Affine;
use crate::cdp::link::{CALL_LIMIT, FRAME_LIMIT, Link};
use crate::cdp::silent;
use crate::cdp::transport::PendingReply;
use crate::protocol::{BoxModelReply, FrameOwner, Resolved};
use handeye_scene::{DocumentId, NativeId, Point, Problem, Rect};
use serde_json::json;
use std::collections::HashMap;
use tokio::time::Instant;

/// A frame as a part of the tab.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) frame: String,
    pub(crate) document: DocumentId,
    pub(crate) parent: Option<DocumentId>,
    /// Number of the element that shows it, in its parent.
    pub(crate) owner: Option<u32>,
    /// From its own viewport to the main one.
    pub(crate) map: Affine,
}

/// Where every document of the tab is; those whose owner can't be found are left out.
pub(crate) async fn places(
    link: &Link,
    sizes: &HashMap<DocumentId, (f64, f64)>,
) -> Result<HashMap<DocumentId, Placed>, Problem> {
    let documents = link.model().pages.active_documents();
    let mut out: HashMap<DocumentId, Placed> = HashMap::new();
    let mut quads = HashMap::new();
    // All owners are asked for at once; a tab of many frames costs one trip.
    let mut waiting = Vec::new();
    // Their sizes are known from a look; without one they are asked for too.
    let unknown = if sizes.is_empty() { documents.as_slice() } else { &[] };
    let asking: Vec<_> = unknown.iter().map(|(_, d)| (*d, ask_size(link, *d))).collect();
    for (frame, document) in documents.iter().skip(1) {
        let Some((parent, owner)) = owner_of(link, frame).await else { continue };
        if silent::is_silent(link, parent) {
            continue;
        }
        let Some(session) = link.model().pages.document(parent).map(|d| d.session.clone()) else { continue };
        let pending = link.connection.send(Some(&session), "DOM.getBoxModel", json!({ "backendNodeId": owner.1 }));
        waiting.push((*document, parent, owner.0, pending));
    }
    let deadline = Instant::now() + FRAME_LIMIT;
    for (document, parent, owner, pending) in waiting {
        // An owner that isn't rendered has no box: its document can't be seen.
        if let Ok(reply) = link.answer_by::<BoxModelReply>(pending, deadline, FRAME_LIMIT).await {
            quads.insert(document, (parent, owner, reply.model.content));
        }
    }
    let mut sizes = sizes.clone();
    for (document, pending) in asking {
        let Some(pending) = pending else { continue };
        let deadline = deadline.min(Instant::now() + silent::frame_limit(link, document));
        if let Ok(size) = link.page_reply_by::<(f64, f64)>(pending, deadline, FRAME_LIMIT).await {
            sizes.insert(document, size);
        }
    }
    for (i, (frame, document)) in documents.into_iter().enumerate() {
        if i == 0 {
            out.insert(document, Placed { frame, document, parent: None, owner: None, map: Affine::IDENTITY });
            continue;
        }
        let Some((parent, owner, quad)) = quads.get(&document) else { continue };
        let Some(root) = root_map(link, *parent, &out) else { continue };
        let size = sizes.get(&document).copied().unwrap_or((quad[2] - quad[0], quad[7] - quad[1]));
        let map = Affine::from_quad(quad, size.0, size.1).then(&root);
        out.insert(document, Placed { frame, document, parent: Some(*parent), owner: Some(*owner), map });
    }
    Ok(out)
}

/// A place of the main viewport as a document has it.
pub(crate) enum InDocument {
    /// The tab's own has it alike.
    Alike,
    /// One in a frame has it there, and has it missed by so many of its own pixels at most; that is how it is shown.
    At(Point, f64, Affine),
    /// Nobody can say where its frame is.
    Unknown,
}

/// How far from where it was aimed a press may come, in pixels of the tab: what maps places into frames rounds.
pub(crate) const BESIDE: f64 = 3.0;

/// Where a document has a place of the main viewport.
pub(crate) async fn in_document(link: &Link, document: DocumentId, at: Point) -> Result<InDocument, Problem> {
    if link.model().pages.main_document() == Some(document) {
        return Ok(InDocument::Alike);
    }
    let places = places(link, &HashMap::new()).await?;
    let Some(placed) = places.get(&document) else { return Ok(InDocument::Unknown) };
    let beside = [Point::new(at.x + BESIDE, at.y), Point::new(at.x, at.y + BESIDE)];
    let within = placed.map.invert(at).map(|own| {
        let off = beside.iter().filter_map(|beside| placed.map.invert(*beside));
        (own, off.map(|off| (off.x - own.x).hypot(off.y - own.y)).fold(1.0, f64::max))
    });
    Ok(within.map_or(InDocument::Unknown, |(own, near)| InDocument::At(own, near, placed.map)))
}

/// A place in an element, from its top left corner: in pixels of the main viewport, and as its document has it, which a frame shows
/// by `map`. None: nobody can say.
pub(crate) async fn offset_in_document(link: &Link, id: NativeId, map: &Affine, offset: Point) -> Option<Point> {
    if map.only_shifts() {
        return Some(offset);
    }
    let own = rect_of(link, id).await?;
    let shown = map.rect(own);
    let place = map.invert(Point::new(shown.x + offset.x, shown.y + offset.y))?;
    Some(Point::new(place.x - own.x, place.y - own.y))
}

/// Where an element is in its document's own viewport.
async fn rect_of(link: &Link, id: NativeId) -> Option<Rect> {
    let args = [json!(id.number())];
    let sides = link.page_call::<Option<[f64; 4]>>(id.document(), "rect", &args, CALL_LIMIT).await.ok()??;
    Some(Rect::new(sides[0], sides[1], sides[2], sides[3]))
}

/// Quads are relative to the root of their session: where that is.
fn root_map(link: &Link, parent: DocumentId, placed: &HashMap<DocumentId, Placed>) -> Option<Affine> {
    let model = link.model();
    let session = model.pages.document(parent)?.session.clone();
    let root = model.pages.sessions.get(&session)?;
    let document = model.pages.frames.get(root)?.document?;
    placed.get(&document).map(|p| p.map)
}

pub(crate) fn ask_size(link: &Link, document: DocumentId) -> Option<PendingReply> {
    let (session, context) = {
        let model = link.model();
        let document = model.pages.document(document)?;
        (document.session.clone(), document.context.clone())
    };
    let params =
        json!({ "expression": "[innerWidth, innerHeight]", "uniqueContextId": context, "returnByValue": true });
    Some(link.connection.send(Some(&session), "Runtime.evaluate", params))
}

/// The element that shows a frame: parent document, its number there, its backend node.
pub(crate) async fn owner_of(link: &Link, frame: &str) -> Option<(DocumentId, (u32, i64))> {
    let (session, parent, context, known) = {
        let model = link.model();
        let entry = model.pages.frames.get(frame)?;
        let parent = model.pages.frames.get(entry.parent.as_deref()?)?.document?;
        let document = model.pages.document(parent)?;
        (document.session.clone(), parent, document.context_id, entry.owner)
    };
    if let Some((document, number, backend)) = known
        && document == parent
    {
        return Some((parent, (number, backend)));
    }
    // One that hangs doesn't tell, and would be waited for once for each frame in it.
    if silent::is_silent(link, parent) {
        return None;
    }
    let owner: FrameOwner =
        link.call(Some(&session), "DOM.getFrameOwner", json!({ "frameId": frame }), FRAME_LIMIT).await.ok()?;
    let backend = owner.backend_node_id;
    let params = json!({ "backendNodeId": backend, "executionContextId": context });
    let resolved: Resolved = link.call(Some(&session), "DOM.resolveNode", params, FRAME_LIMIT).await.ok()?;
    let params = json!({
        "functionDeclaration": "function () { return handeye.number(this); }",
        "objectId": resolved.object.object_id?, "returnByValue": true,
    });
    let pending = link.connection.send(Some(&session), "Runtime.callFunctionOn", params);
    let number: u32 = link.page_reply(pending, FRAME_LIMIT).await.ok()?;
    if let Some(entry) = link.model().pages.frames.get_mut(frame) {
        entry.owner = Some((parent, number, backend));
        entry.shown_by = Some(NativeId::new(parent, number));
    }
    Some((parent, (number, backend)))
}

/// The documents from the main one's child down to `document`.
pub(crate) fn chain(document: DocumentId, places: &HashMap<DocumentId, Placed>) -> Vec<Placed> {
    let mut out = Vec::new();
    let mut at = Some(document);
    while let Some(placed) = at.and_then(|d| places.get(&d)) {
        if placed.parent.is_none() || out.len() > 64 {
            break;
        }
        out.push(placed.clone());
        at = placed.parent;
    }
    out.reverse();
    out
}
