//! From the map of shares to boxes of lines: the post-processing of DB (Liao et al., 2020). Threshold, connected components,
//! the smallest box around each, its score.

use super::{
    detect::Map,
    geometry::{Slanted, smallest_box},
};
use crate::area::Area;

/// Shares from here on are text (0.3).
const TEXT: u8 = 77;
/// Least mean share within a box (0.5).
const LEAST_SCORE: f64 = 127.5;
/// Thinnest box, in pixels of the map.
const THINNEST: f64 = 3.0;
/// Most boxes of one picture; the largest are kept.
pub(super) const MOST: usize = 4000;
/// A box is taken as turned where the smallest box that may be turned has less than this share of the upright one, and turned
/// by more than this much (as the sine).
const TURNED: (f64, f64) = (0.8, 0.05);

/// Stretches of text in one row: left, right (outside), component.
struct Run {
    left: u32,
    right: u32,
    component: usize,
}

/// What is known of a component while rows are read.
#[derive(Clone)]
struct Component {
    parent: usize,
    bounds: Area,
    /// Pixels, and the corners of its runs.
    size: u64,
    corners: Vec<[f64; 2]>,
}

/// The boxes of text in the map, in its pixels; not yet grown.
pub(super) fn boxes(map: &Map) -> Vec<Slanted> {
    let mut found: Vec<(u64, Slanted)> =
        components(map).iter().filter_map(|component| Some((component.size, fitted(map, component)?))).collect();
    found.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    found.truncate(MOST);
    found.into_iter().map(|(_, slanted)| slanted).collect()
}

fn fitted(map: &Map, component: &Component) -> Option<Slanted> {
    let bounds = component.bounds;
    let rect = bounds.rect();
    let middle = rect.center();
    let upright = Slanted { center: [middle.x, middle.y], axis: [1.0, 0.0], width: rect.width, height: rect.height };
    if upright.width.min(upright.height) < THINNEST {
        return None;
    }
    let turned = smallest_box(&component.corners)
        .filter(|slanted| slanted.axis[1].abs() > TURNED.1)
        .filter(|slanted| slanted.width * slanted.height < TURNED.0 * rect.width * rect.height);
    let fitted = turned.unwrap_or(upright);
    if fitted.width.min(fitted.height) < THINNEST {
        return None;
    }
    (score(map, bounds, &fitted) >= LEAST_SCORE).then_some(fitted)
}

/// The mean share within the box.
fn score(map: &Map, bounds: Area, fitted: &Slanted) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u64);
    for y in bounds.top..bounds.bottom {
        let row = map.row(y).get(bounds.left as usize..bounds.right as usize).unwrap_or_default();
        for (x, share) in (bounds.left..).zip(row) {
            if fitted.is_upright() || inside(fitted, f64::from(x) + 0.5, f64::from(y) + 0.5) {
                sum += f64::from(*share);
                count += 1;
            }
        }
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}

fn inside(part: &Slanted, x: f64, y: f64) -> bool {
    let (dx, dy) = (x - part.center[0], y - part.center[1]);
    let along = dx * part.axis[0] + dy * part.axis[1];
    let across = dy * part.axis[0] - dx * part.axis[1];
    along.abs() <= part.width / 2.0 && across.abs() <= part.height / 2.0
}

/// Connected components of text, by runs: those of a row join those of the row above that they touch, corners included.
fn components(map: &Map) -> Vec<Component> {
    let mut components: Vec<Component> = Vec::new();
    let mut above: Vec<Run> = Vec::new();
    for y in 0..map.height {
        let mut here: Vec<Run> = Vec::new();
        let mut from = 0;
        for (left, right) in runs(map, y) {
            let component = components.len();
            let corner = |x: u32, y: u32| [f64::from(x), f64::from(y)];
            components.push(Component {
                parent: component,
                bounds: Area::new(left, y, right, y + 1),
                size: u64::from(right - left),
                corners: vec![corner(left, y), corner(right, y), corner(left, y + 1), corner(right, y + 1)],
            });
            while above.get(from).is_some_and(|run: &Run| run.right < left) {
                from += 1;
            }
            let mut at = from;
            while let Some(run) = above.get(at).filter(|run| run.left <= right) {
                join(&mut components, run.component, component);
                at += 1;
            }
            here.push(Run { left, right, component });
        }
        above = here;
    }
    let whole = |(index, component): &(usize, Component)| component.parent == *index;
    components.into_iter().enumerate().filter(whole).map(|(_, component)| component).collect()
}

/// Stretches of text in a row. As PP-OCR is trained for, text is one pixel larger to the right and downwards.
fn runs(map: &Map, y: u32) -> Vec<(u32, u32)> {
    let upper = map.row(y.saturating_sub(1));
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (x, (share, above)) in (0..).zip(map.row(y).iter().zip(upper)) {
        if *share <= TEXT && *above <= TEXT {
            continue;
        }
        let right = (x + 2).min(map.width);
        match found.last_mut() {
            Some(last) if last.1 >= x => last.1 = right,
            _ => found.push((x, right)),
        }
    }
    found
}

fn root(components: &mut [Component], mut at: usize) -> usize {
    while components[at].parent != at {
        let above = components[at].parent;
        components[at].parent = components[above].parent;
        at = above;
    }
    at
}

/// Makes two components one: the smaller becomes a part of the larger.
fn join(components: &mut [Component], a: usize, b: usize) {
    let (a, b) = (root(components, a), root(components, b));
    if a == b {
        return;
    }
    let (keep, give) = if components[a].corners.len() >= components[b].corners.len() { (a, b) } else { (b, a) };
    let given = Component { corners: std::mem::take(&mut components[give].corners), ..components[give].clone() };
    components[give].parent = keep;
    let kept = &mut components[keep];
    kept.bounds = kept.bounds.union(given.bounds);
    kept.size += given.size;
    kept.corners.extend(given.corners);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(width: u32, height: u32, share: impl Fn(u32, u32) -> u8) -> Map {
        let values = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| share(x, y)).collect();
        Map { width, height, values, factor: 1.0 }
    }

    fn bounds(found: &[Slanted]) -> Vec<[f64; 4]> {
        let mut all: Vec<[f64; 4]> = found.iter().map(|part| part.bounds(-0.5, 0.5).into()).collect();
        all.sort_by(|a, b| a[1].total_cmp(&b[1]).then(a[0].total_cmp(&b[0])));
        all
    }

    #[test]
    fn two_lines_are_two_boxes() {
        let line = |x: u32, y: u32| (10..60).contains(&x) && (10..18).contains(&y);
        let other = |x: u32, y: u32| (10..40).contains(&x) && (30..38).contains(&y);
        let found = boxes(&map(100, 50, |x, y| if line(x, y) || other(x, y) { 250 } else { 3 }));
        assert_eq!(bounds(&found), [[10.0, 10.0, 51.0, 9.0], [10.0, 30.0, 31.0, 9.0]]);
    }

    #[test]
    fn arms_that_meet_further_down_are_one_box() {
        let found =
            boxes(&map(30, 30, |x, y| if y < 20 && (x / 5) % 2 == 0 || (20..25).contains(&y) { 255 } else { 0 }));
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn specks_and_faint_places_are_no_lines() {
        let speck = |x: u32, y: u32| x == 50 && y == 20;
        let faint = |x: u32, y: u32| (10..40).contains(&x) && (30..38).contains(&y);
        let found = boxes(&map(100, 50, |x, y| {
            if speck(x, y) {
                255
            } else if faint(x, y) {
                90
            } else {
                0
            }
        }));
        assert_eq!(found, []);
    }

    #[test]
    fn a_turned_line_has_a_turned_box() {
        let found = boxes(&map(120, 120, |x, y| if (i64::from(x) - 2 * i64::from(y)).abs() < 8 { 255 } else { 0 }));
        assert_eq!(found.len(), 1);
        assert!((found[0].axis[1] - 0.447).abs() < 0.05, "{:?}", found[0]);
        assert!(found[0].height < 14.0);
    }

    #[test]
    fn noise_and_edges_end() {
        let noise = map(300, 300, |x, y| if (x * 7 + y * 13) % 3 == 0 { 255 } else { 0 });
        assert!(boxes(&noise).len() <= MOST);
        assert_eq!(bounds(&boxes(&map(5, 5, |_, _| 255))), [[0.0, 0.0, 5.0, 5.0]]);
        assert_eq!(boxes(&map(1, 1, |_, _| 255)), []);
    }
}
