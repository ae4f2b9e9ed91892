//! Where a label may stand by its box, and how far away.

use handeye_scene::{Point, Rect};

/// How far from its box a label may stand, in heights of a label.
const FARTHEST: u32 = 8;

/// A place for a label, and whether it lies all in the box.
pub(super) type Near = (Rect, bool);

/// Places at the box, the best first: outside at its corners and sides, then across these, then inside.
pub(super) fn near(target: &Rect, (width, height): (f64, f64)) -> impl Iterator<Item = Near> {
    let (left, top) = (target.x, target.y);
    let (right, bottom) = (target.x + target.width, target.y + target.height);
    let (far_x, far_y) = (right - width, bottom - height);
    let (mid_x, mid_y) = (left.midpoint(far_x), top.midpoint(far_y));
    let (above, below) = (top - height, bottom);
    let (before, after) = (left - width, right);
    let outside = [
        (left, above),
        (far_x, above),
        (left, below),
        (far_x, below),
        (before, top),
        (after, top),
        (before, far_y),
        (after, far_y),
        (mid_x, above),
        (mid_x, below),
        (before, mid_y),
        (after, mid_y),
        // Across the corners.
        (left - width / 2.0, above),
        (after - width / 2.0, above),
        (left - width / 2.0, below),
        (after - width / 2.0, below),
        // Across the upper and the lower line.
        (left, top - height / 2.0),
        (far_x, top - height / 2.0),
        (left, bottom - height / 2.0),
        (far_x, bottom - height / 2.0),
    ];
    let inside = [
        (left, top),
        (far_x, top),
        (left, far_y),
        (far_x, far_y),
        (mid_x, top),
        (mid_x, far_y),
        (left, mid_y),
        (far_x, mid_y),
    ];
    let fits = width <= target.width && height <= target.height;
    let rect = move |(x, y): (f64, f64)| Rect::new(x, y, width, height);
    let inside = inside.into_iter().filter(move |_| fits).map(move |at| (rect(at), true));
    outside.into_iter().map(move |at| (rect(at), false)).chain(inside)
}

/// Places away from the box, the nearest first: short lines cross few other targets.
pub(super) fn away(target: &Rect, (width, height): (f64, f64)) -> Vec<Rect> {
    let (left, top) = (target.x, target.y);
    let (right, bottom) = (target.x + target.width, target.y + target.height);
    let mut places: Vec<(f64, f64)> = Vec::new();
    for ring in 1..=FARTHEST {
        let out = f64::from(ring) * height;
        let beside = [left - width - out, left - out, left, right - width, right, right + out];
        places.extend([top - height - out, bottom + out].into_iter().flat_map(|y| beside.map(|x| (x, y))));
        let level = [top, bottom - height];
        places.extend(level.into_iter().flat_map(|y| [left - width - out, right + out].map(|x| (x, y))));
    }
    let middle = target.center();
    let distance = |&(x, y): &(f64, f64)| (x + width / 2.0 - middle.x).hypot(y + height / 2.0 - middle.y);
    places.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    places.into_iter().map(|(x, y)| Rect::new(x, y, width, height)).collect()
}

/// The line from a label that stands away to the nearest place on its box.
pub fn lead(label: &Rect, outline: &Rect) -> (Point, Point) {
    let from = label.center();
    let x = from.x.clamp(outline.x, outline.x + outline.width);
    let y = from.y.clamp(outline.y, outline.y + outline.height);
    (from, Point::new(x, y))
}
