//! The elements that places are told from, and what is told of them.

use handeye_scene::{Capture, Claim, NativeId, Node, NodeKind, Rect, Source, State};

/// Width of a border that can be dragged, in units of the surface. Toolkits take the press some pixels to either side.
pub(super) const GRIP: f64 = 4.0;
/// How much of it lies on the near side of the edge: a press right on it may count as the next column's.
const NEAR: f64 = 3.0;

/// An element that is in sight.
#[derive(Clone, Copy)]
pub(in crate::perceive) struct Part<'a> {
    /// Its index in the capture; what says nothing itself comes after all nodes.
    pub(in crate::perceive) at: usize,
    pub(in crate::perceive) id: NativeId,
    pub(in crate::perceive) node: &'a Node,
}

impl Part<'_> {
    pub(in crate::perceive) fn rect(&self) -> Rect {
        self.node.rect
    }

    pub(in crate::perceive) fn right(&self) -> f64 {
        self.node.rect.x + self.node.rect.width
    }

    pub(in crate::perceive) fn bottom(&self) -> f64 {
        self.node.rect.y + self.node.rect.height
    }

    /// What it is called in a reason: its role, and its name if it has one.
    pub(in crate::perceive) fn called(&self) -> String {
        crate::wording::targets::called(&self.node.role, &self.node.name)
    }
}

/// The elements in sight that have one of these roles.
pub(in crate::perceive) fn parts<'a>(capture: &'a Capture, roles: &'a [&str]) -> impl Iterator<Item = Part<'a>> {
    shown_parts(capture).filter(move |part| roles.contains(&part.node.role.as_str()))
}

/// The elements in sight.
pub(in crate::perceive) fn shown_parts(capture: &Capture) -> impl Iterator<Item = Part<'_>> {
    let is_shown = |n: &Node| {
        n.kind != NodeKind::Text && crate::perceive::overlap::is_place(&n.rect) && !n.states.has(State::Offscreen)
    };
    let shown = capture.nodes.iter().chain(&capture.holders).enumerate().filter(move |(_, n)| is_shown(n));
    shown.filter_map(|(at, node)| Some(Part { at, id: node.id?, node }))
}

/// The nearest node around one that has one of these roles.
pub(in crate::perceive) fn around(capture: &Capture, at: usize, roles: &[&str]) -> Option<usize> {
    let up = |at: &usize| capture.nodes.get(*at)?.parent.filter(|above| above < at);
    std::iter::successors(up(&at), up).find(|at| roles.contains(&capture.nodes[*at].role.as_str()))
}

/// What is claimed of a place that was told from `from`.
pub(in crate::perceive) fn claim(
    (role, name): (&str, String),
    rect: Rect,
    confidence: f64,
    from: &[Part],
    reason: String,
) -> Claim {
    Claim {
        confidence,
        reason: Some(reason),
        anchors: from.iter().map(|part| part.id).collect(),
        ..Claim::new(Source::Structure, role, name, rect)
    }
}

/// The strip along the right edge of a rectangle by which a column is made wider.
pub(in crate::perceive) fn right_edge(x: f64, y: f64, height: f64) -> Rect {
    Rect::new(x - NEAR, y, GRIP, height)
}

/// The strip along the lower edge of a rectangle by which a row is made higher.
pub(in crate::perceive) fn lower_edge(x: f64, y: f64, width: f64) -> Rect {
    Rect::new(x, y - NEAR, width, GRIP)
}
