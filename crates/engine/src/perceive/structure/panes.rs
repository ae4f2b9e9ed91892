//! Splitters between panes, and handles of fields that can be made larger.

use super::part::{Part, claim, parts};
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
        if first.at == second.at || first.node.parent != second.node.parent {
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
