//! Mapping between a document's own viewport and the main viewport, through frames that may be scaled and rotated.

use handeye_scene::{Point, Rect};

/// An affine map: CSS 2D transforms of frames, and their places, are all of this kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Affine {
    origin: Point,
    across: Point,
    down: Point,
}

impl Affine {
    pub(crate) const IDENTITY: Affine =
        Affine { origin: Point::new(0.0, 0.0), across: Point::new(1.0, 0.0), down: Point::new(0.0, 1.0) };

    /// The map that takes the rectangle 0, 0, `width`, `height` to a quad (corners clockwise from top left).
    pub(crate) fn from_quad(quad: &[f64; 8], width: f64, height: f64) -> Self {
        let (width, height) = (width.max(1.0), height.max(1.0));
        Self {
            origin: Point::new(quad[0], quad[1]),
            across: Point::new((quad[2] - quad[0]) / width, (quad[3] - quad[1]) / width),
            down: Point::new((quad[6] - quad[0]) / height, (quad[7] - quad[1]) / height),
        }
    }

    /// Whether it neither scales nor turns anything.
    pub(crate) fn only_shifts(&self) -> bool {
        let is_near = |v: Point, x: f64, y: f64| (v.x - x).abs() < 1e-6 && (v.y - y).abs() < 1e-6;
        is_near(self.across, 1.0, 0.0) && is_near(self.down, 0.0, 1.0)
    }

    /// Where a point goes.
    pub(crate) fn apply(&self, p: Point) -> Point {
        Point::new(
            self.origin.x + p.x * self.across.x + p.y * self.down.x,
            self.origin.y + p.x * self.across.y + p.y * self.down.y,
        )
    }

    /// This map, then `outer`.
    pub(crate) fn then(&self, outer: &Affine) -> Affine {
        let linear =
            |v: Point| Point::new(v.x * outer.across.x + v.y * outer.down.x, v.x * outer.across.y + v.y * outer.down.y);
        Affine { origin: outer.apply(self.origin), across: linear(self.across), down: linear(self.down) }
    }

    /// Where a point comes from; none when the map flattens everything.
    pub(crate) fn invert(&self, p: Point) -> Option<Point> {
        let det = self.across.x * self.down.y - self.across.y * self.down.x;
        if det.abs() < 1e-9 {
            return None;
        }
        let (x, y) = (p.x - self.origin.x, p.y - self.origin.y);
        Some(Point::new((x * self.down.y - y * self.down.x) / det, (y * self.across.x - x * self.across.y) / det))
    }

    /// The box around where a rectangle goes.
    pub(crate) fn rect(&self, r: Rect) -> Rect {
        if *self == Self::IDENTITY {
            return r;
        }
        let corners = [(r.x, r.y), (r.x + r.width, r.y), (r.x, r.y + r.height), (r.x + r.width, r.y + r.height)]
            .map(|(x, y)| self.apply(Point::new(x, y)));
        let (mut left, mut top, mut right, mut bottom) =
            (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for c in corners {
            (left, top) = (left.min(c.x), top.min(c.y));
            (right, bottom) = (right.max(c.x), bottom.max(c.y));
        }
        let round = |v: f64| (v * 100.0).round() / 100.0;
        Rect::new(round(left), round(top), round(right - left), round(bottom - top))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotated_frame_maps_there_and_back() {
        // A frame of 200 × 100 turned by a right angle, its top left corner at 300, 50.
        let map = Affine::from_quad(&[300.0, 50.0, 300.0, 250.0, 200.0, 250.0, 200.0, 50.0], 200.0, 100.0);
        assert_eq!(map.apply(Point::new(200.0, 0.0)), Point::new(300.0, 250.0));
        assert_eq!(map.invert(Point::new(300.0, 250.0)), Some(Point::new(200.0, 0.0)));
        assert_eq!(map.rect(Rect::new(0.0, 0.0, 20.0, 10.0)), Rect::new(290.0, 50.0, 10.0, 20.0));
    }

    #[test]
    fn nested_frames_add_up() {
        let inner = Affine::from_quad(&[10.0, 20.0, 110.0, 20.0, 110.0, 70.0, 10.0, 70.0], 200.0, 100.0);
        let outer = Affine::from_quad(&[100.0, 0.0, 200.0, 0.0, 200.0, 100.0, 100.0, 100.0], 100.0, 100.0);
        assert_eq!(inner.then(&outer).apply(Point::new(200.0, 100.0)), Point::new(210.0, 70.0));
    }
}
