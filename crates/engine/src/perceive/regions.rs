//! Numbering what has no element: a region of pixels, shown with its place and its source, and known by what it looks like.

use crate::observe::memory::Memory;
use crate::observe::outline::{Style, target_line};
use crate::observe::refs::{Looks, Region};
use crate::observe::view::{Item, Line, View};
use crate::perceive::overlap::inside;
use crate::perceive::pixels::print;
use handeye_scene::{
    Capture, Claim, DocumentId, Extra, NativeId, Node, Notice, Picture, Point, Rect, Ref, State, States, Surface,
    Target,
};

/// Of a budget of characters, regions take no more than this share.
const SHARE: usize = 2;
/// How many characters a region's line takes beside its texts.
const FRAME: usize = 60;
/// What holds a row must be so much wider than what is in it.
const WIDER: f64 = 1.5;

/// How many of `claims` are listed within a budget, and how many characters they take at most.
pub fn room(claims: &[Claim], budget: Option<usize>, text: usize) -> (usize, usize) {
    let Some(budget) = budget else { return (claims.len(), 0) };
    let mut taken = 0;
    for (count, claim) in claims.iter().enumerate() {
        let reason = claim.reason.as_deref().unwrap_or_default();
        let cost = FRAME + claim.role.len() + claim.name.chars().take(text).count() + reason.chars().count();
        if taken + cost > budget / SHARE {
            return (count, taken);
        }
        taken += cost;
    }
    (claims.len(), taken)
}

/// What lies at the middle of each place that is known by its pixels; none on a desktop, where a window holds it, and where a
/// document doesn't say.
pub async fn hits(surface: &mut dyn Surface, claims: &[Claim]) -> Vec<Option<NativeId>> {
    let mut hits = vec![None; claims.len()];
    let by_pixels: Vec<usize> = (0..claims.len()).filter(|at| claims[*at].anchors.is_empty()).collect();
    if by_pixels.is_empty() || surface.web().is_none() {
        return hits;
    }
    let places: Vec<Point> = by_pixels.iter().map(|at| claims[*at].rect.center()).collect();
    for (at, hit) in by_pixels.into_iter().zip(surface.elements_at(&places).await.unwrap_or_default()) {
        hits[at] = hit;
    }
    hits
}

/// Lists claims, with what was hit at each, after what a view shows, numbered; `left` more are left out. `picture`: of the same
/// moment as the capture.
pub fn list(
    view: &mut View,
    memory: &mut Memory,
    (capture, picture): (&Capture, Option<&Picture>),
    (claims, hits, left): (Vec<Claim>, Vec<Option<NativeId>>, usize),
) {
    for (claim, hit) in claims.into_iter().zip(hits) {
        let region = Region { hit, ..seen(capture, picture, claim) };
        let document = region.document;
        let number = memory.refs.show_region(region.clone());
        view.snapshot.targets.push(target(number, &region));
        let item = Item::Target(view.snapshot.targets.len() - 1);
        view.lines.push(Line { depth: 0, document, parent: None, item, extra: Extra::default() });
    }
    if left > 0 {
        view.snapshot.omitted += left;
        let text = format!("{left} more places were inferred or read: give --budget none, or more characters");
        view.snapshot.notices.push(Notice::new("places", text));
    }
}

/// What is claimed, as it is seen now.
pub(crate) fn seen(capture: &Capture, picture: Option<&Picture>, claim: Claim) -> Region {
    let anchors: Vec<(NativeId, Rect)> =
        claim.anchors.iter().filter_map(|id| Some((*id, place(capture, *id)?))).collect();
    let own = picture.and_then(|p| print(p, claim.rect));
    let anchored = claim.anchors.first().map(|id| id.document());
    let document = anchored.or_else(|| holder(capture, claim.rect)).unwrap_or(DocumentId(0));
    // What is told from elements is held to these.
    let row = if anchors.is_empty() { picture.and_then(|p| row(capture, p, claim.rect, document)) } else { None };
    Region { document, anchors, looks: Looks { own, row }, hit: None, claim }
}

/// The document in which a place is seen: of windows the topmost whose frame holds its middle, as they are listed; of a page the
/// innermost. Where none holds it, the first.
fn holder(capture: &Capture, of: Rect) -> Option<DocumentId> {
    let (middle, first) = (of.center(), capture.documents.first()?.id);
    let holds = |r: Rect| (r.x..r.x + r.width).contains(&middle.x) && (r.y..r.y + r.height).contains(&middle.y);
    if capture.documents.iter().any(|d| d.owner.is_some()) {
        let inner = |outer: &DocumentId| {
            let is_shown = |owner: NativeId| owner.document() == *outer && place(capture, owner).is_some_and(holds);
            capture.documents.iter().find(|d| d.id != *outer && d.owner.is_some_and(is_shown)).map(|d| d.id)
        };
        // Documents that own each other would have no end.
        return std::iter::successors(Some(first), inner).take(capture.documents.len()).last();
    }
    let frame = |d: DocumentId| capture.nodes.iter().find(|n| n.document == d && n.parent.is_none()).map(|n| n.rect);
    let held = capture.documents.iter().map(|d| d.id).find(|d| frame(*d).is_some_and(holds));
    Some(held.unwrap_or(first))
}

/// Where an element is, or what says nothing itself.
pub(crate) fn place(capture: &Capture, id: NativeId) -> Option<Rect> {
    let is_it = |n: &&Node| n.id == Some(id) && n.kind != handeye_scene::NodeKind::Text;
    capture.nodes.iter().chain(&capture.holders).find(is_it).map(|n| n.rect)
}

/// Pixels of a window's border at most that count as the window's in its tree.
const BORDER: f64 = 4.0;

/// What lies level with a place in the smallest thing that is much wider: of two rows that have the same button each, this
/// tells which is which.
fn row(capture: &Capture, picture: &Picture, of: Rect, document: DocumentId) -> Option<(Rect, u64)> {
    let holds = |r: &Rect| inside(&of, r) > 0.99 && r.width > WIDER * of.width;
    // A picture to act on a window's part shows that window alone.
    let is_shown = |n: &&Node| capture.surface == "web" || n.document == document;
    let around = capture.nodes.iter().filter(is_shown).map(|n| n.rect).chain(capture.treeless).filter(holds);
    let smallest = around.min_by(|a, b| (a.width * a.height).total_cmp(&(b.width * b.height)))?;
    let area = picture.area();
    // The border that a window manager draws around a window is in no picture of that window.
    let border = if capture.surface == "web" { 0.0 } else { BORDER };
    let left = (smallest.x + border).max(area.x).min(of.x);
    let right = (smallest.x + smallest.width - border).min(area.x + area.width).max(of.x + of.width);
    let band = Rect::new(left, of.y, right - left, of.height);
    Some((band, print(picture, band)?))
}

/// A region as the target that it is shown as.
pub fn target(number: Ref, region: &Region) -> Target {
    let claim = &region.claim;
    Target {
        r#ref: number,
        role: claim.role.clone(),
        name: claim.name.clone(),
        text: None,
        value: None,
        states: States::default(),
        rect: claim.rect,
        document: region.document,
        xpath: None,
        href: None,
        parent: None,
        depth: None,
        source: claim.source,
        confidence: Some(claim.confidence),
        reason: claim.reason.clone(),
        reads: None,
        native: None,
    }
}

/// Whether a target can be seen where its rectangle is.
pub fn is_in_sight(target: &Target) -> bool {
    !target.states.has(State::Offscreen) && !target.states.has(State::Covered)
}

/// A target in a line of a legend.
pub fn legend_line(target: &Target, text: usize) -> String {
    target_line(target, &Extra::default(), Style { text, ..Style::default() })
}
