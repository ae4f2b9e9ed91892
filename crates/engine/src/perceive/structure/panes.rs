//! Splitters between panes, and handles of fields that can be made larger.

use super::part::{GRIP, Part, claim, parts, shown_parts};
use handeye_scene::{Capture, Claim, Rect};

/// What lies beside each other with something between that moves both.
const PANES: [&str; 11] = [
    "complementary",
    "form",
    "group",
    "grid",
    "iframe",
    "main",
    "navigation",
    "region",
    "tabpanel",
    "tree",
    "treegrid",
];
/// Width of a splitter, at least and at most.
const GAP: (f64, f64) = (2.0, 12.0);
/// Panes are so long beside each other, and reach so far along what holds them.
const LEVEL: f64 = 0.9;
const FAR: f64 = 0.4;
/// Least side of a pane.
const PANE: f64 = 60.0;
/// Side of the handle at the corner of a text area, in CSS pixels.
const HANDLE: f64 = 15.0;

pub(super) fn claims(capture: &Capture) -> Vec<Claim> {
    let mut found = splitters(capture);
    found.extend(split_panes(capture));
    if capture.surface == "web" {
        let areas = parts(capture, &["textbox"]).filter(|f| f.node.extra.tag.as_deref() == Some("textarea"));
        found.extend(areas.filter_map(|area| corner(&area)));
    }
    found
}

/// What lies between two panes side by side, or one above the other.
fn splitters(capture: &Capture) -> Vec<Claim> {
    let panes: Vec<Part> =
        parts(capture, &PANES).filter(|p| p.rect().width >= PANE && p.rect().height >= PANE).collect();
    let mut found = Vec::new();
    for (first, second) in panes.iter().flat_map(|a| panes.iter().map(move |b| (a, b))) {
        let are_nodes = [first, second].map(|part| part.at < capture.nodes.len());
        if first.at == second.at || are_nodes != [true, true] || first.node.parent != second.node.parent {
            continue;
        }
        let (a, b) = (first.rect(), second.rect());
        let name = || format!("between {} and {}", first.called(), second.called());
        let reason = format!("what lies between {} and {}", first.called(), second.called());
        let (top, bottom) = (a.y.max(b.y), first.bottom().min(second.bottom()));
        if is_gap(b.x - first.right()) && is_level(bottom - top, a.height, b.height, capture.viewport.height) {
            let rect = Rect::new(first.right(), top, b.x - first.right(), bottom - top);
            found.push(claim(("splitter", name()), rect, 0.75, &[*first, *second], reason.clone()));
        }
        let (left, right) = (a.x.max(b.x), first.right().min(second.right()));
        if is_gap(b.y - first.bottom()) && is_level(right - left, a.width, b.width, capture.viewport.width) {
            let rect = Rect::new(left, first.bottom(), right - left, b.y - first.bottom());
            found.push(claim(("splitter", name()), rect, 0.75, &[*first, *second], reason));
        }
    }
    found
}

/// What lies between the two parts of a split pane, which the tree tells of as such.
fn split_panes(capture: &Capture) -> Vec<Claim> {
    let is_pane = |part: &Part| part.node.extra.kind.as_deref() == Some("pane") && part.node.parent.is_some();
    let panes: Vec<Part> =
        shown_parts(capture).filter(|part| part.at >= capture.nodes.len() && is_pane(part)).collect();
    let mut found = Vec::new();
    for (first, second) in panes.iter().flat_map(|a| panes.iter().map(move |b| (a, b))) {
        let is_other = first.at != second.at && first.node.document == second.node.document;
        if !is_other || first.node.parent != second.node.parent {
            continue;
        }
        let (a, b) = (first.rect(), second.rect());
        let (top, bottom) = (a.y.max(b.y), first.bottom().min(second.bottom()));
        let (left, right) = (a.x.max(b.x), first.right().min(second.right()));
        let rect = match (b.x - first.right(), b.y - first.bottom()) {
            (gap, _) if (0.0..=GAP.1).contains(&gap) && bottom > top => {
                let (x, width) = grip(first.right(), gap);
                Rect::new(x, top, width, bottom - top)
            }
            (_, gap) if (0.0..=GAP.1).contains(&gap) && right > left => {
                let (y, height) = grip(first.bottom(), gap);
                Rect::new(left, y, right - left, height)
            }
            _ => continue,
        };
        let (one, other) = (called(first), called(second));
        let reason = format!("what lies between {one} and {other}, the parts of a split pane");
        found.push(claim(("splitter", format!("between {one} and {other}")), rect, 0.95, &[*first, *second], reason));
    }
    found
}

/// A pane in words; most have no name.
fn called(pane: &Part) -> String {
    match pane.node.name.trim() {
        "" => format!("a pane at {:.0},{:.0}", pane.rect().x, pane.rect().y),
        _ => pane.called(),
    }
}

/// What is drawn between two panes may be a line, and takes the press some pixels to either side.
fn grip(from: f64, gap: f64) -> (f64, f64) {
    let wide = gap.max(GRIP);
    (from + (gap - wide) / 2.0, wide)
}

fn is_gap(gap: f64) -> bool {
    gap >= GAP.0 && gap <= GAP.1
}

fn is_level(shared: f64, one: f64, other: f64, whole: f64) -> bool {
    shared >= LEVEL * one.max(other) && shared >= FAR * whole
}

/// The handle at the lower right corner of a text area.
fn corner(area: &Part) -> Option<Claim> {
    let r = area.rect();
    if r.width < 2.0 * HANDLE || r.height < 2.0 * HANDLE {
        return None;
    }
    let rect = Rect::new(area.right() - HANDLE, area.bottom() - HANDLE, HANDLE, HANDLE);
    let reason = format!("lower right corner of {}, a text area", area.called());
    Some(claim(("resize handle", format!("corner of {}", area.called())), rect, 0.75, &[*area], reason))
}
