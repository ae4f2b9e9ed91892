//! How far rectangles lie on each other.

use handeye_scene::Rect;

/// Area of a rectangle.
pub(super) fn area(r: &Rect) -> f64 {
    r.width * r.height
}

/// The area that two rectangles share.
pub(super) fn shared(a: &Rect, b: &Rect) -> f64 {
    let side = |from: f64, to: f64, other_from: f64, other_to: f64| (to.min(other_to) - from.max(other_from)).max(0.0);
    side(a.x, a.x + a.width, b.x, b.x + b.width) * side(a.y, a.y + a.height, b.y, b.y + b.height)
}

/// Intersection over union, from 0 (apart) to 1 (the same).
pub(super) fn iou(a: &Rect, b: &Rect) -> f64 {
    let shared = shared(a, b);
    let union = area(a) + area(b) - shared;
    if union > 0.0 { shared / union } else { 0.0 }
}

/// How much of a rectangle lies in another, from 0 to 1.
pub(super) fn inside(a: &Rect, of: &Rect) -> f64 {
    let whole = area(a);
    if whole > 0.0 { shared(a, of) / whole } else { 0.0 }
}

/// Whether it is a rectangle that something can be in.
pub(super) fn is_place(r: &Rect) -> bool {
    [r.x, r.y, r.width, r.height].iter().all(|side| side.is_finite()) && r.width > 0.0 && r.height > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_shares_of_areas() {
        let a = Rect::new(0.0, 0.0, 10.0, 10.0);
        let b = Rect::new(5.0, 0.0, 10.0, 10.0);
        assert_eq!((shared(&a, &b), iou(&a, &b), inside(&a, &b)), (50.0, 50.0 / 150.0, 0.5));
        let nothing = Rect::new(3.0, 3.0, 0.0, 0.0);
        assert_eq!(
            (iou(&nothing, &nothing), inside(&nothing, &a), iou(&a, &Rect::new(40.0, 0.0, 5.0, 5.0))),
            (0.0, 0.0, 0.0)
        );
        assert!(is_place(&a) && !is_place(&nothing) && !is_place(&Rect::new(f64::NAN, 0.0, 1.0, 1.0)));
    }
}
