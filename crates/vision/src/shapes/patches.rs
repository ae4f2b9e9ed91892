//! Patches: connected pixels of one colour, or of colours that change little from one to the next.
//!
//! All colours are labelled in one pass over the rows (runs joined by union-find), so that a page full of gradients takes no
//! longer than a flat one: there is no mask for each colour whose number would have to be capped.

use crate::{Picture, area::Area};

/// Connected pixels of about one colour.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Patch {
    pub(super) bounds: Area,
    /// Its pixels.
    pub(super) size: u64,
    /// Its pixels and all that lies between its first and last one of each row.
    pub(super) hull: u64,
}

impl Patch {
    /// How much of its bounds the patch surrounds: 1 for a rectangle, 0.79 for a circle.
    pub(super) fn roundness(&self) -> f64 {
        self.hull as f64 / self.bounds.size().max(1) as f64
    }

    /// How much of what it surrounds is the patch itself: near 1 for a face, near 0 for an outline.
    pub(super) fn filling(&self) -> f64 {
        self.size as f64 / self.hull.max(1) as f64
    }
}

/// Pixels side by side of about one colour.
struct Run {
    left: u32,
    right: u32,
    patch: u32,
}

/// The patches of a part of the picture that are at least `least` pixels wide and high.
///
/// Two neighbours belong together when no channel differs by more than `tolerance`. A part has at most 2³² runs.
pub(super) fn patches(picture: &Picture, part: Area, tolerance: u8, least: u32) -> Vec<Patch> {
    let mut parents: Vec<u32> = Vec::new();
    let mut rows: Vec<Vec<Run>> = Vec::with_capacity(part.height() as usize);
    for y in part.top..part.bottom {
        let mut row = runs(picture.row(y, part.left, part.right), tolerance, &mut parents);
        if let Some(above) = rows.last() {
            let upper = picture.row(y - 1, part.left, part.right);
            let lower = picture.row(y, part.left, part.right);
            meet(above, &row, &mut parents, |x| near(pixel(upper, x), pixel(lower, x), tolerance));
        }
        row.shrink_to_fit();
        rows.push(row);
    }
    measured(&rows, &mut parents, part)
        .into_iter()
        .filter(|patch| patch.bounds.width() >= least && patch.bounds.height() >= least)
        .collect()
}

fn pixel(row: &[u8], x: u32) -> [u8; 3] {
    match row.get(x as usize * 3..x as usize * 3 + 3) {
        Some(&[r, g, b]) => [r, g, b],
        _ => [0; 3],
    }
}

fn near(a: [u8; 3], b: [u8; 3], tolerance: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= tolerance)
}

fn runs(row: &[u8], tolerance: u8, parents: &mut Vec<u32>) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let mut last = [0; 3];
    for (x, bytes) in (0..).zip(row.chunks_exact(3)) {
        let colour = [bytes[0], bytes[1], bytes[2]];
        match found.last_mut() {
            Some(run) if near(last, colour, tolerance) => run.right = x + 1,
            _ => {
                let patch = parents.len() as u32;
                parents.push(patch);
                found.push(Run { left: x, right: x + 1, patch });
            }
        }
        last = colour;
    }
    found
}

/// Joins the runs of two rows where they touch and their colours do.
fn meet(above: &[Run], here: &[Run], parents: &mut [u32], alike: impl Fn(u32) -> bool) {
    let mut from = 0;
    for run in here {
        while above.get(from).is_some_and(|upper| upper.right <= run.left) {
            from += 1;
        }
        for upper in above.iter().skip(from).take_while(|upper| upper.left < run.right) {
            let (left, right) = (upper.left.max(run.left), upper.right.min(run.right));
            // Of a long stretch in common, both ends: a gradient may part from its neighbour on the way.
            if alike(left) || alike(right - 1) {
                let (a, b) = (root(parents, upper.patch), root(parents, run.patch));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
    }
}

fn root(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        let above = parents[at as usize];
        parents[at as usize] = parents[above as usize];
        at = above;
    }
    at
}

/// What is summed up of a patch, row by row.
#[derive(Clone, Copy)]
struct Sum {
    bounds: Area,
    size: u64,
    hull: u64,
    row: u32,
    left: u32,
    right: u32,
}

fn measured(rows: &[Vec<Run>], parents: &mut [u32], part: Area) -> Vec<Patch> {
    let empty = Sum { bounds: Area::new(u32::MAX, u32::MAX, 0, 0), size: 0, hull: 0, row: u32::MAX, left: 0, right: 0 };
    let mut numbers = vec![u32::MAX; parents.len()];
    let mut sums: Vec<Sum> = Vec::new();
    for (y, row) in (part.top..).zip(rows) {
        for run in row {
            let root = root(parents, run.patch) as usize;
            if numbers[root] == u32::MAX {
                numbers[root] = sums.len() as u32;
                sums.push(empty);
            }
            let sum = &mut sums[numbers[root] as usize];
            let (left, right) = (part.left + run.left, part.left + run.right);
            let here = Area::new(left, y, right, y + 1);
            sum.bounds = if sum.size == 0 { here } else { sum.bounds.union(here) };
            sum.size += u64::from(right - left);
            if sum.row == y {
                // Runs come from left to right.
                sum.right = right;
            } else {
                sum.hull += u64::from(sum.right - sum.left);
                (sum.row, sum.left, sum.right) = (y, left, right);
            }
        }
    }
    let closed = |sum: Sum| {
        let hull = sum.hull + u64::from(sum.right - sum.left);
        Patch { bounds: sum.bounds, size: sum.size, hull }
    };
    sums.into_iter().map(closed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let bytes = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y)).collect();
        Picture::rgb(width, height, 1.0, bytes).unwrap()
    }

    fn of(picture: &Picture, tolerance: u8) -> Vec<Patch> {
        let mut found = patches(picture, picture.area(), tolerance, 2);
        found.sort_by_key(|patch| std::cmp::Reverse(patch.bounds.size()));
        found
    }

    #[test]
    fn an_outline_surrounds_its_face() {
        let edge = |x: u32, y: u32| {
            (x == 10 || x == 29) && (10..20).contains(&y) || (y == 10 || y == 19) && (10..30).contains(&x)
        };
        let found = of(&picture(50, 40, |x, y| if edge(x, y) { [9; 3] } else { [255; 3] }), 0);
        let areas: Vec<Area> = found.iter().map(|patch| patch.bounds).collect();
        assert_eq!(areas, [Area::new(0, 0, 50, 40), Area::new(10, 10, 30, 20), Area::new(11, 11, 29, 19)]);
        assert_eq!((found[1].size, found[1].hull, found[1].roundness()), (56, 200, 1.0));
        assert_eq!(found[2].filling(), 1.0);
    }

    #[test]
    fn a_gradient_is_one_patch_only_with_tolerance() {
        let gradient = picture(64, 64, |x, y| [(x + y) as u8; 3]);
        assert_eq!(of(&gradient, 0).len(), 0, "no two neighbours are of one colour but on diagonals");
        assert_eq!(of(&gradient, 2).len(), 1);
    }

    #[test]
    fn arms_that_meet_below_are_one_patch() {
        let comb = picture(30, 20, |x, y| if y >= 15 || (x / 3) % 2 == 0 { [0; 3] } else { [255; 3] });
        let dark: Vec<Patch> = of(&comb, 0).into_iter().filter(|patch| patch.bounds.bottom == 20).collect();
        assert_eq!(dark.len(), 1);
        assert_eq!(dark[0].hull, 15 * 27 + 5 * 30);
    }
}
