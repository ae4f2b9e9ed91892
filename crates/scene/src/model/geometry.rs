//! Points and rectangles in a surface's coordinates (see the crate's head for units).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in surface coordinates. Written `[x, y]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
#[schemars(with = "[f64; 2]")]
pub struct Point {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
}

impl Point {
    /// The place at `x`, `y`.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

impl From<[f64; 2]> for Point {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { x, y }
    }
}

impl From<Point> for [f64; 2] {
    fn from(point: Point) -> Self {
        [point.x, point.y]
    }
}

/// An axis-aligned rectangle in surface coordinates. Written `[x, y, width, height]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
#[schemars(with = "[f64; 4]")]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Extent to the right; never negative.
    pub width: f64,
    /// Extent downwards; never negative.
    pub height: f64,
}

impl Rect {
    /// The rectangle with its top left corner at `x`, `y`.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// Its middle.
    pub fn center(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether the two share any area.
    pub fn intersects(&self, other: &Rect) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    /// Whether its middle lies inside `area`, edges included.
    pub fn centered_in(&self, area: &Rect) -> bool {
        let c = self.center();
        c.x >= area.x && c.x <= area.x + area.width && c.y >= area.y && c.y <= area.y + area.height
    }
}

impl From<[f64; 4]> for Rect {
    fn from([x, y, width, height]: [f64; 4]) -> Self {
        Self { x, y, width, height }
    }
}

impl From<Rect> for [f64; 4] {
    fn from(r: Rect) -> Self {
        [r.x, r.y, r.width, r.height]
    }
}
