//! Merging what perceivers claim with the tree and with each other: one thing, one target.
//!
//! Two rectangles are of one thing where they overlap by more than a threshold (intersection over union), or where the one is
//! a part of the other that can't be operated by itself. The tree always wins: it can be acted on through its element.

use crate::matching::normalize;
use crate::observe::view::is_operable;
use crate::perceive::overlap::{area, inside, iou, is_place};
use handeye_scene::{Capture, Claim, Node, NodeKind, Rect, Source, State};

/// From which overlap on two are one, as intersection over union.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// A claim and an element of the tree.
    pub native: f64,
    /// Claims of two sources.
    pub between: f64,
    /// Claims of one source, which tells apart what lies close together.
    pub within: f64,
    /// Least confidence of a claim that is taken.
    pub confidence: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { native: 0.1, between: 0.3, within: 0.5, confidence: 0.7 }
    }
}

/// What is left of claims.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fused {
    /// What the tree doesn't hold: in the order of the sources, then as claimed.
    pub claims: Vec<Claim>,
    /// What is read of elements that say nothing themselves: index in [`Capture::nodes`], and what.
    pub reads: Vec<(usize, String)>,
    /// How many claims of each source were left out for their confidence.
    pub unsure: Vec<(Source, usize)>,
}

/// So much of a rectangle must lie in another to be a part of it.
const PART: f64 = 0.8;
/// An element so many times as large as a text in it is no mere label of it.
const ROOMY: f64 = 20.0;
/// An element may be so many times as large as a handle that is found there to be that handle.
const HANDLE: f64 = 4.0;
/// Roles of what shows pictures of its own, in which other things may be seen.
const DRAWN: [&str; 6] = ["canvas", "img", "figure", "embed", "object", "video"];

/// Merges `claims` with what `capture` holds, and with each other.
pub fn fuse(capture: &Capture, claims: Vec<Claim>, thresholds: Thresholds) -> Fused {
    let claims = claims.into_iter().filter(|c| is_place(&c.rect));
    let (mut claims, unsure): (Vec<Claim>, Vec<Claim>) = claims.partition(|c| c.confidence >= thresholds.confidence);
    claims.sort_by_key(|claim| rank(claim.source));
    name_shapes(&mut claims);
    let tree = Tree::of(capture);
    let mut fused = Fused { unsure: counted(&unsure), ..Fused::default() };
    for claim in claims {
        match tree.holds(&claim, thresholds.native) {
            Held::No => {}
            Held::As(None) => continue,
            Held::As(Some(at)) => {
                read(&mut fused.reads, at, &claim.name);
                continue;
            }
        }
        if !fused.claims.iter().any(|kept| is_one(kept, &claim, thresholds)) {
            fused.claims.push(claim);
        }
    }
    fused
}

/// How many claims are of each source.
fn counted(claims: &[Claim]) -> Vec<(Source, usize)> {
    let mut counts: Vec<(Source, usize)> = Vec::new();
    for claim in claims {
        match counts.iter_mut().find(|(source, _)| *source == claim.source) {
            Some((_, count)) => *count += 1,
            None => counts.push((claim.source, 1)),
        }
    }
    counts
}

/// The surest and most exact first.
const fn rank(source: Source) -> u8 {
    match source {
        Source::Native => 0,
        Source::Ax => 1,
        Source::Structure => 2,
        Source::Shapes => 3,
        Source::Ocr => 4,
        Source::Vision => 5,
        Source::Inferred => 6,
    }
}

/// Whether two claims are of one thing. A text in a box was taken for the box's name before, and counts as a part of it.
fn is_one(kept: &Claim, claim: &Claim, thresholds: Thresholds) -> bool {
    if claim.element.is_some() || kept.element.is_some() {
        return claim.element == kept.element;
    }
    let same = if kept.source == claim.source { thresholds.within } else { thresholds.between };
    let is_label = claim.source == Source::Ocr && kept.source != Source::Ocr && kept.source != Source::Structure;
    iou(&kept.rect, &claim.rect) > same
        || is_label && inside(&claim.rect, &kept.rect) >= PART && says(&kept.name, &claim.name)
}

/// Gives boxes without a name the texts in them, in reading order. A text goes to the smallest box around it.
fn name_shapes(claims: &mut [Claim]) {
    let mut texts: Vec<Claim> = claims.iter().filter(|c| c.source == Source::Ocr).cloned().collect();
    texts.sort_by(|a, b| (a.rect.y, a.rect.x).partial_cmp(&(b.rect.y, b.rect.x)).unwrap_or(std::cmp::Ordering::Equal));
    for text in texts {
        let holds =
            |c: &&mut Claim| matches!(c.source, Source::Shapes | Source::Vision) && inside(&text.rect, &c.rect) >= PART;
        let smallest = claims.iter_mut().filter(holds).min_by(|a, b| area(&a.rect).total_cmp(&area(&b.rect)));
        let Some(shape) = smallest else { continue };
        add(&mut shape.read, &text.name);
        if !says(&shape.name, &text.name) {
            add(&mut shape.name, &text.name);
        }
    }
}

/// Adds a text to what is said already.
fn add(said: &mut String, text: &str) {
    let space = if said.is_empty() { "" } else { " " };
    said.push_str(space);
    said.push_str(text);
}

/// Whether a text says another.
fn says(text: &str, other: &str) -> bool {
    let (text, other) = (normalize(text), normalize(other));
    !other.is_empty() && text.contains(&other)
}

/// Adds what is read of an element.
fn read(reads: &mut Vec<(usize, String)>, at: usize, text: &str) {
    match reads.iter_mut().find(|(node, _)| *node == at) {
        _ if text.is_empty() => {}
        Some((_, said)) if says(said, text) => {}
        Some((_, said)) => {
            said.push(' ');
            said.push_str(text);
        }
        None => reads.push((at, text.to_owned())),
    }
}

/// Whether the tree holds what is claimed.
enum Held {
    No,
    /// It does; an element that says nothing itself says then what was claimed.
    As(Option<usize>),
}

/// What of a capture can be seen.
struct Tree<'a> {
    capture: &'a Capture,
    /// Operable elements: index, and whether no other is inside.
    operable: Vec<(usize, bool)>,
}

impl<'a> Tree<'a> {
    fn of(capture: &'a Capture) -> Self {
        let is_seen = |n: &Node| is_place(&n.rect) && !n.states.has(State::Offscreen) && !n.states.has(State::Covered);
        let mut has_inside = vec![false; capture.nodes.len()];
        for node in capture.nodes.iter().filter(|n| is_operable(n)) {
            let mut up = node.parent;
            while let Some(at) = up.filter(|at| has_inside.get(*at) == Some(&false)) {
                has_inside[at] = true;
                up = capture.nodes[at].parent;
            }
        }
        let seen = capture.nodes.iter().enumerate().filter(|(_, n)| n.kind == NodeKind::Operable && is_seen(n));
        Self { capture, operable: seen.map(|(at, _)| (at, !has_inside[at])).collect() }
    }

    fn node(&self, at: usize) -> &Node {
        &self.capture.nodes[at]
    }

    fn holds(&self, claim: &Claim, threshold: f64) -> Held {
        match claim.source {
            Source::Native => Held::No,
            Source::Ax => self.holds_element(claim),
            Source::Structure | Source::Inferred => self.holds_handle(claim, threshold),
            Source::Ocr => self.holds_text(claim, threshold),
            Source::Shapes | Source::Vision => self.holds_box(claim, threshold),
        }
    }

    /// An element is the same by its own name for it.
    fn holds_element(&self, claim: &Claim) -> Held {
        match self.capture.nodes.iter().any(|n| n.id == claim.element && is_operable(n)) {
            true => Held::As(None),
            false => Held::No,
        }
    }

    /// What was told from the tree's own places lies on it by its nature: only what is as small is the same.
    fn holds_handle(&self, claim: &Claim, threshold: f64) -> Held {
        let is_it = |r: &Rect| iou(&claim.rect, r) > threshold && area(r) <= HANDLE * area(&claim.rect);
        match self.operable.iter().find(|(at, _)| is_it(&self.node(*at).rect)) {
            Some((at, _)) => Held::As(self.nameless(*at)),
            None => Held::No,
        }
    }

    fn holds_text(&self, claim: &Claim, threshold: f64) -> Held {
        let lies = |n: &Node| iou(&claim.rect, &n.rect) > threshold || inside(&claim.rect, &n.rect) >= PART;
        // Places are compared first: names may be long, and there are as many comparisons as claims times nodes.
        let is_text = |n: &Node| !is_operable(n) && !DRAWN.contains(&n.role.as_str()) && says(&n.name, &claim.name);
        if self.capture.nodes.iter().any(|n| lies(n) && is_text(n)) {
            return Held::As(None);
        }
        let around = self.operable.iter().map(|(at, _)| *at).filter(|at| !self.is_drawn(*at) && lies(self.node(*at)));
        let smallest = around.min_by(|a, b| area(&self.node(*a).rect).total_cmp(&area(&self.node(*b).rect)));
        let Some(at) = smallest else { return Held::No };
        let node = self.node(at);
        let is_roomy = area(&node.rect) > ROOMY * area(&claim.rect);
        match self.nameless(at) {
            Some(at) if !is_roomy => Held::As(Some(at)),
            _ if is_roomy && !self.says(at, &claim.name) => Held::No,
            _ => Held::As(None),
        }
    }

    fn holds_box(&self, claim: &Claim, threshold: f64) -> Held {
        let mut best: Option<(f64, usize)> = None;
        for (at, is_leaf) in &self.operable {
            let rect = &self.node(*at).rect;
            if self.is_drawn(*at) {
                continue;
            }
            let overlap = iou(&claim.rect, rect);
            let is_part = *is_leaf && inside(&claim.rect, rect) >= PART;
            if (overlap > threshold || is_part) && best.is_none_or(|(most, _)| overlap > most) {
                best = Some((overlap, *at));
            }
        }
        if let Some((_, at)) = best {
            return Held::As(self.nameless(at));
        }
        // What holds several targets is no target but what they stand in.
        let within = self.operable.iter().filter(|(at, _)| inside(&self.node(*at).rect, &claim.rect) >= PART);
        if within.count() > 1 { Held::As(None) } else { Held::No }
    }

    fn is_drawn(&self, at: usize) -> bool {
        DRAWN.contains(&self.node(at).role.as_str())
    }

    /// An element, if it says nothing.
    fn nameless(&self, at: usize) -> Option<usize> {
        let node = self.node(at);
        let says = node.extra.said.as_ref().is_some_and(|said| !said.text.is_empty());
        (node.name.is_empty() && !says && node.value.as_deref().unwrap_or("").is_empty()).then_some(at)
    }

    fn says(&self, at: usize, text: &str) -> bool {
        let node = self.node(at);
        let said = node.extra.said.as_ref().map_or("", |said| said.text.as_str());
        [node.name.as_str(), said, node.value.as_deref().unwrap_or("")].iter().any(|own| says(own, text))
    }
}

#[cfg(test)]
mod tests;
