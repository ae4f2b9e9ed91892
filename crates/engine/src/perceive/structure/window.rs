//! Edges and corners of a window, by which it is made larger, in the border that its window manager draws.

use super::part::{Part, claim, shown_parts};
use handeye_scene::{Capture, Claim, Rect};

/// A border is no wider than this: above a window it is its title.
const WIDEST: f64 = 16.0;

pub(super) fn claims(capture: &Capture) -> Vec<Claim> {
    let Some(outer) = capture.outer else { return Vec::new() };
    let is_frame = |part: &Part| part.at < capture.nodes.len() && part.node.parent.is_none();
    // The window itself is what lies within the border on every side.
    let fits = |part: &Part| {
        let r = part.rect();
        let sides = [r.x - outer.x, outer.x + outer.width - part.right(), outer.y + outer.height - part.bottom()];
        sides.iter().all(|side| (0.0..=WIDEST).contains(side)) && r.y >= outer.y
    };
    let Some(frame) = shown_parts(capture).filter(is_frame).find(fits) else { return Vec::new() };
    let r = frame.rect();
    let (left, right) = (r.x - outer.x, outer.x + outer.width - frame.right());
    let low = outer.y + outer.height - frame.bottom();
    let edges = [
        ("left edge", Rect::new(outer.x, r.y, left, r.height)),
        ("right edge", Rect::new(frame.right(), r.y, right, r.height)),
        ("lower edge", Rect::new(r.x, frame.bottom(), r.width, low)),
        ("lower left corner", Rect::new(outer.x, frame.bottom(), left, low)),
        ("lower right corner", Rect::new(frame.right(), frame.bottom(), right, low)),
    ];
    let drawn = edges.into_iter().filter(|(_, rect)| rect.width >= 1.0 && rect.height >= 1.0);
    let told = drawn.map(|(word, rect)| {
        let reason = format!("{word} of the border around {}", frame.called());
        claim(("window edge", format!("{word} of {}", frame.called())), rect, 0.8, &[frame], reason)
    });
    told.collect()
}
