//! Rectangles and places.

use handeye_scene::{Point, Rect};

/// The part that two have in common.
pub(crate) fn both(a: Rect, b: Rect) -> Option<Rect> {
    let (x, y) = (a.x.max(b.x), a.y.max(b.y));
    let (right, down) = ((a.x + a.width).min(b.x + b.width), (a.y + a.height).min(b.y + b.height));
    (right > x && down > y).then(|| Rect::new(x, y, right - x, down - y))
}

/// The smallest that holds two.
pub(crate) fn around(a: Rect, b: Rect) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    let (right, down) = ((a.x + a.width).max(b.x + b.width), (a.y + a.height).max(b.y + b.height));
    Rect::new(x, y, right - x, down - y)
}

pub(crate) fn contains(rect: Rect, p: Point) -> bool {
    p.x >= rect.x && p.y >= rect.y && p.x < rect.x + rect.width && p.y < rect.y + rect.height
}

/// A rectangle as it lies so far off.
pub(crate) fn moved(rect: Rect, (dx, dy): (f64, f64)) -> Rect {
    Rect::new(rect.x + dx, rect.y + dy, rect.width, rect.height)
}

/// Places of a rectangle, the middle first.
pub(crate) fn places(rect: Rect) -> Vec<Point> {
    let center = rect.center();
    let (w, h) = (rect.width / 4.0, rect.height / 4.0);
    let (far_w, far_h) = (w * 1.7, h * 1.7);
    let by = [
        (0.0, 0.0),
        (-w, 0.0),
        (w, 0.0),
        (0.0, -h),
        (0.0, h),
        (-far_w, -far_h),
        (far_w, -far_h),
        (-far_w, far_h),
        (far_w, far_h),
    ];
    let mut places: Vec<Point> = Vec::with_capacity(by.len());
    for (dx, dy) in by {
        let place = Point::new((center.x + dx).floor(), (center.y + dy).floor());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_what_lies_in_both() {
        let row = Rect::new(10.0, 90.0, 200.0, 40.0);
        assert_eq!(both(row, Rect::new(0.0, 0.0, 100.0, 100.0)), Some(Rect::new(10.0, 90.0, 90.0, 10.0)));
        assert_eq!(both(row, Rect::new(0.0, 0.0, 100.0, 90.0)), None);
    }

    #[test]
    fn places_lie_within_and_begin_in_the_middle() {
        for rect in [Rect::new(10.0, 20.0, 200.0, 40.0), Rect::new(-5.0, 3.0, 1.0, 1.0)] {
            let places = places(rect);
            assert!(places.iter().all(|p| contains(rect, *p)), "{rect:?} {places:?}");
        }
        assert_eq!(places(Rect::new(10.0, 20.0, 200.0, 40.0))[0], Point::new(110.0, 40.0));
    }
}
