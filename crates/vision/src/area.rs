//! Rectangles of whole pixels.

use handeye_scene::Rect;

/// A rectangle of pixels: left and top inside, right and bottom outside. Never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Area {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) right: u32,
    pub(crate) bottom: u32,
}

impl Area {
    pub(crate) const fn new(left: u32, top: u32, right: u32, bottom: u32) -> Self {
        Self { left, top, right, bottom }
    }

    pub(crate) const fn width(self) -> u32 {
        self.right.saturating_sub(self.left)
    }

    pub(crate) const fn height(self) -> u32 {
        self.bottom.saturating_sub(self.top)
    }

    pub(crate) const fn size(self) -> u64 {
        self.width() as u64 * self.height() as u64
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.size() == 0
    }

    /// What both cover; empty where they don't meet.
    pub(crate) fn overlap(self, other: Self) -> Self {
        let left = self.left.max(other.left);
        let top = self.top.max(other.top);
        Self::new(left, top, self.right.min(other.right).max(left), self.bottom.min(other.bottom).max(top))
    }

    /// The smallest area that holds both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self::new(
            self.left.min(other.left),
            self.top.min(other.top),
            self.right.max(other.right),
            self.bottom.max(other.bottom),
        )
    }

    /// Larger by `by` on each side, as far as `within` goes.
    pub(crate) fn grown(self, by: u32, within: Self) -> Self {
        Self::new(
            self.left.saturating_sub(by),
            self.top.saturating_sub(by),
            self.right.saturating_add(by),
            self.bottom.saturating_add(by),
        )
        .overlap(within)
    }

    pub(crate) const fn holds(self, x: u32, y: u32) -> bool {
        x >= self.left && x < self.right && y >= self.top && y < self.bottom
    }

    pub(crate) const fn encloses(self, other: Self) -> bool {
        other.left >= self.left && other.top >= self.top && other.right <= self.right && other.bottom <= self.bottom
    }

    pub(crate) const fn center(self) -> (u32, u32) {
        (self.left + self.width() / 2, self.top + self.height() / 2)
    }

    /// Intersection over union.
    pub(crate) fn iou(self, other: Self) -> f64 {
        let both = self.overlap(other).size();
        let either = self.size() + other.size() - both;
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    pub(crate) fn rect(self) -> Rect {
        Rect::new(f64::from(self.left), f64::from(self.top), f64::from(self.width()), f64::from(self.height()))
    }

    /// The pixels that a rect touches.
    pub(crate) fn of(rect: Rect, within: Self) -> Self {
        // The cast saturates: what isn't a number, or negative, is zero.
        let low = |at: f64| at.floor() as u32;
        let high = |at: f64| at.ceil() as u32;
        Self::new(low(rect.x), low(rect.y), high(rect.x + rect.width), high(rect.y + rect.height)).overlap(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_that_do_not_meet_overlap_in_nothing() {
        let (a, b) = (Area::new(0, 0, 10, 10), Area::new(20, 5, 30, 8));
        assert!(a.overlap(b).is_empty());
        assert_eq!(a.iou(b), 0.0);
        assert_eq!(a.union(b), Area::new(0, 0, 30, 10));
    }

    #[test]
    fn growing_stops_at_the_edge() {
        let within = Area::new(0, 0, 12, 100);
        assert_eq!(Area::new(4, 50, 10, 60).grown(5, within), Area::new(0, 45, 12, 65));
        assert_eq!(Area::new(0, 0, 12, 100).grown(u32::MAX, within), within);
    }

    #[test]
    fn a_rect_outside_touches_no_pixel() {
        let within = Area::new(0, 0, 10, 10);
        assert!(Area::of(Rect::new(f64::NAN, -50.0, 20.0, 20.0), within).is_empty());
        assert_eq!(Area::of(Rect::new(1.5, 2.5, 3.0, 4.0), within), Area::new(1, 2, 5, 7));
    }
}
