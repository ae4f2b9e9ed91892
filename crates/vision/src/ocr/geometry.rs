//! Boxes that may be turned.

use handeye_scene::Rect;

/// A rectangle turned about its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slanted {
    /// Its middle.
    pub(super) center: [f64; 2],
    /// The direction of its long text side, of length one.
    pub(super) axis: [f64; 2],
    /// Extent along the axis.
    pub(super) width: f64,
    /// Extent across.
    pub(super) height: f64,
}

impl Slanted {
    /// The place at a share of its extent along and across, from -0.5 to 0.5.
    pub(super) fn place(&self, along: f64, across: f64) -> [f64; 2] {
        let [ax, ay] = self.axis;
        let (u, v) = (along * self.width, across * self.height);
        [self.center[0] + ax * u - ay * v, self.center[1] + ay * u + ax * v]
    }

    /// The upright rectangle around the part from one share of its length to another.
    pub(super) fn bounds(&self, from: f64, to: f64) -> Rect {
        let corners =
            [(from, -0.5), (to, -0.5), (from, 0.5), (to, 0.5)].map(|(along, across)| self.place(along, across));
        let low = |i: usize| corners.iter().map(|c| c[i]).fold(f64::INFINITY, f64::min);
        let high = |i: usize| corners.iter().map(|c| c[i]).fold(f64::NEG_INFINITY, f64::max);
        Rect::new(low(0), low(1), high(0) - low(0), high(1) - low(1))
    }

    /// Grown as DB's "unclip" does (Liao et al., "Real-time scene text detection with differentiable binarization", 2020):
    /// by area times ratio over perimeter, on each side.
    pub(super) fn unclipped(&self, ratio: f64) -> Self {
        let around = 2.0 * (self.width + self.height);
        let by = if around > 0.0 { self.width * self.height * ratio / around } else { 0.0 };
        Self { width: self.width + 2.0 * by, height: self.height + 2.0 * by, ..*self }
    }

    /// In another scale: `factor` times as large.
    pub(super) fn times(&self, factor: f64) -> Self {
        let [x, y] = self.center;
        Self { center: [x * factor, y * factor], width: self.width * factor, height: self.height * factor, ..*self }
    }

    pub(super) fn is_upright(&self) -> bool {
        self.axis == [1.0, 0.0]
    }
}

/// The smallest rectangle around points, which may be turned; its axis is the side nearer to the horizontal.
///
/// Rotating calipers over the convex hull: one side of the smallest rectangle lies on a side of the hull.
pub(super) fn smallest_box(points: &[[f64; 2]]) -> Option<Slanted> {
    let hull = hull(points);
    let mut best: Option<(f64, Slanted)> = None;
    for (i, from) in hull.iter().enumerate() {
        let to = hull[(i + 1) % hull.len()];
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let length = dx.hypot(dy);
        if length < 1e-9 {
            continue;
        }
        let axis = near_horizontal([dx / length, dy / length]);
        let along = extent(&hull, axis);
        let across = extent(&hull, [-axis[1], axis[0]]);
        let (width, height) = (along.1 - along.0, across.1 - across.0);
        if best.as_ref().is_none_or(|(area, _)| width * height < *area) {
            let (u, v) = ((along.0 + along.1) / 2.0, (across.0 + across.1) / 2.0);
            let center = [axis[0] * u - axis[1] * v, axis[1] * u + axis[0] * v];
            best = Some((width * height, Slanted { center, axis, width, height }));
        }
    }
    best.map(|(_, slanted)| slanted)
}

/// The same line's direction, turned by quarters until it points right more than anywhere else.
fn near_horizontal([x, y]: [f64; 2]) -> [f64; 2] {
    let turned = if x.abs() >= y.abs() { [x, y] } else { [y, -x] };
    if turned[0] < 0.0 { [-turned[0], -turned[1]] } else { turned }
}

fn extent(points: &[[f64; 2]], axis: [f64; 2]) -> (f64, f64) {
    let on = |p: &[f64; 2]| p[0] * axis[0] + p[1] * axis[1];
    points.iter().map(on).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
}

/// The convex hull (Andrew's monotone chain).
fn hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let half = |points: &mut dyn Iterator<Item = &[f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = chain.as_slice()
                && (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) <= 0.0
            {
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut sorted.iter());
    lower.extend(half(&mut sorted.iter().rev()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_rectangle_is_found_again() {
        let angle = 0.3_f64;
        let given = Slanted { center: [100.0, 50.0], axis: [angle.cos(), angle.sin()], width: 80.0, height: 12.0 };
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (0.0, 0.1)].map(|(u, v)| given.place(u, v));
        let found = smallest_box(&corners).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{found:?}");
        near(found.center[0], 100.0);
        near(found.center[1], 50.0);
        near(found.width, 80.0);
        near(found.height, 12.0);
        near(found.axis[1], angle.sin());
    }

    #[test]
    fn no_points_and_one_point_have_no_box() {
        assert_eq!(smallest_box(&[]), None);
        assert_eq!(smallest_box(&[[3.0, 4.0], [3.0, 4.0]]), None);
    }

    #[test]
    fn unclip_grows_by_area_over_perimeter() {
        let line = Slanted { center: [50.0, 50.0], axis: [1.0, 0.0], width: 60.0, height: 20.0 };
        // 1200 * 0.4 / 160 = 3 on each side.
        let grown = line.unclipped(0.4);
        assert_eq!((grown.width, grown.height), (66.0, 26.0));
        assert_eq!(grown.bounds(-0.5, 0.5), Rect::new(17.0, 37.0, 66.0, 26.0));
    }
}
