//! Parts of scroll bars and of number fields.

use super::part::{Part, claim, parts};
use handeye_scene::{Capture, Claim, Rect};

/// A scroll bar shorter than so many of its widths has no room for its parts.
const LONG: f64 = 4.0;
/// Width of the arrows that browsers draw into number fields, and the room beside them, in CSS pixels.
const ARROWS: (f64, f64) = (15.0, 2.0);
/// Least height of a field that has them.
const FIELD: f64 = 12.0;

pub(super) fn claims(capture: &Capture) -> Vec<Claim> {
    let mut found = Vec::new();
    for bar in parts(capture, &["scrollbar"]) {
        scroll_bar(&bar, &mut found);
    }
    if capture.surface == "web" {
        for field in parts(capture, &["spinbutton"]).filter(|f| f.node.extra.kind.as_deref() == Some("number")) {
            arrows(&field, &mut found);
        }
    }
    found
}

/// The ends of a scroll bar, and its thumb where it is known to stand at the start.
fn scroll_bar(bar: &Part, found: &mut Vec<Claim>) {
    let r = bar.rect();
    let is_upright = r.height > r.width;
    let (long, wide) = if is_upright { (r.height, r.width) } else { (r.width, r.height) };
    if long < LONG * wide {
        return;
    }
    let at = |from: f64| match is_upright {
        true => Rect::new(r.x, r.y + from, wide, wide),
        false => Rect::new(r.x + from, r.y, wide, wide),
    };
    let (start, end) = if is_upright { ("upper", "lower") } else { ("left", "right") };
    for (word, from) in [(start, 0.0), (end, long - wide)] {
        let called = bar.called();
        let name = format!("{word} end of {called}");
        found.push(claim(("scroll button", name), at(from), 0.7, &[*bar], format!("{word} end of {called}")));
    }
    let is_at_start =
        bar.node.value.as_deref().and_then(|v| v.trim().parse().ok()).is_some_and(|v: f64| v.abs() < f64::EPSILON);
    if is_at_start {
        // With a button before it or without one, this part of the bar is the thumb's.
        let reason = format!("{} stands at its start", bar.called());
        found.push(claim(("scroll thumb", format!("thumb of {}", bar.called())), at(wide), 0.7, &[*bar], reason));
    }
}

/// The arrows that browsers draw at the right of a number field, one above the other, once it is pointed to.
fn arrows(field: &Part, found: &mut Vec<Claim>) {
    let r = field.rect();
    if r.height < FIELD || r.width < 3.0 * ARROWS.0 {
        return;
    }
    let half = r.height / 2.0;
    for (word, top) in [("up", 0.0), ("down", half)] {
        let rect = Rect::new(field.right() - ARROWS.0 - ARROWS.1, r.y + top, ARROWS.0, half);
        let reason = format!("right end of {}, a number field", field.called());
        found.push(claim(("spin arrow", format!("{word} in {}", field.called())), rect, 0.75, &[*field], reason));
    }
}
