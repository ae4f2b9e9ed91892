//! Edges and corners of a window, by which it is made larger, in the border that its window manager draws.

use super::part::{Part, claim, shown_parts};
use handeye_scene::{Border, Capture, Claim, Rect};

/// A border is no wider than this: above a window it is its title.
const WIDEST: f64 = 16.0;
/// What is thinner can't be pressed for sure.
const THINNEST: f64 = 2.0;

pub(super) fn claims(capture: &Capture) -> Vec<Claim> {
    let Some(Border { outer, inner: r }) = capture.border else { return Vec::new() };
    let (right_of, below) = (r.x + r.width, r.y + r.height);
    let (left, right) = (r.x - outer.x, outer.x + outer.width - right_of);
    let low = outer.y + outer.height - below;
    if [left, right, low].iter().any(|side| !(0.0..=WIDEST).contains(side)) || r.y < outer.y {
        return Vec::new();
    }
    // Toolkits tell of a window's place with its border or without.
    let is_frame = |part: &Part| {
        let is_root = part.at < capture.nodes.len() && part.node.parent.is_none();
        is_root && [r, outer].iter().any(|place| is_at(place, &part.rect()))
    };
    let Some(frame) = shown_parts(capture).find(is_frame) else { return Vec::new() };
    let edges = [
        ("left edge", Rect::new(outer.x, r.y, left, r.height)),
        ("right edge", Rect::new(right_of, r.y, right, r.height)),
        ("lower edge", Rect::new(r.x, below, r.width, low)),
        ("lower left corner", Rect::new(outer.x, below, left, low)),
        ("lower right corner", Rect::new(right_of, below, right, low)),
    ];
    let drawn = edges.into_iter().filter(|(_, rect)| rect.width >= THINNEST && rect.height >= THINNEST);
    let told = drawn.map(|(word, rect)| {
        let reason = format!("{word} of the border around {}", frame.called());
        claim(("window edge", format!("{word} of {}", frame.called())), rect, 0.8, &[frame], reason)
    });
    told.collect()
}

/// Whether two places are the same, to a pixel.
fn is_at(a: &Rect, b: &Rect) -> bool {
    [a.x - b.x, a.y - b.y, a.width - b.width, a.height - b.height].iter().all(|apart| apart.abs() <= 1.0)
}
