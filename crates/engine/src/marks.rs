//! Where the numbers of marked targets stand in a picture, so that each can be read (set-of-mark prompting, Yang et al. 2023).
//!
//! Every target has a box, and a label with its number. A label covers no other label, and of the marked targets none that is
//! so small that its text would be hidden. Places are tried in turn, the nearest first (greedy point-feature label placement,
//! Christensen, Marks and Shieber 1995); a target that has no place left is left out and named.
//!
//! Pure: pixels are drawn elsewhere. Coordinates are the picture's, in pixels from its top left corner.

use handeye_scene::Rect;

/// A target to mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToMark {
    /// Its number.
    pub number: u32,
    /// Where it is.
    pub rect: Rect,
}

/// A mark, placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The target's number.
    pub number: u32,
    /// The box: the target's rect, as far as it is in the picture.
    pub outline: Rect,
    /// Where its label stands.
    pub label: Rect,
    /// Whether the label stands away from the box, so that a line must lead to it.
    pub is_led: bool,
}

/// Marks of a picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// Those that have a place.
    pub marks: Vec<Mark>,
    /// Numbers of targets that are in the picture, and that no label could be put to.
    pub omitted: Vec<u32>,
}

/// Size of a digit of a label, and what is left free around them, in pixels at a scale of 1.
const DIGIT: (f64, f64) = (7.0, 11.0);
const MARGIN: f64 = 2.0;
/// A target that is smaller than so many of its labels is small: nothing may stand on it.
const SMALL: f64 = 6.0;
/// How far from its box a label may stand, in heights of a label.
const FARTHEST: u32 = 12;
/// Less than this of a target, in pixels of width or height, is no target to mark.
const LEAST: f64 = 1.0;

/// Places the labels of targets in a picture of this size. `scale` is picture pixels per pixel of the surface; `most` is how
/// many are marked at most, the first ones.
pub fn place(targets: &[ToMark], (width, height): (f64, f64), scale: f64, most: usize) -> Marks {
    let scale = if scale.is_finite() { scale.clamp(0.5, 4.0) } else { 1.0 };
    let seen: Vec<ToMark> = targets.iter().filter_map(|t| clipped(t, width, height)).collect();
    let (kept, left) = seen.split_at(most.min(seen.len()));
    let small: Vec<Rect> = kept.iter().filter(|t| is_small(t, scale)).map(|t| t.rect).collect();
    let mut placed = Marks { marks: Vec::new(), omitted: left.iter().map(|t| t.number).collect() };
    // The small ones have the fewest places.
    let mut order: Vec<&ToMark> = kept.iter().collect();
    order.sort_by(|a, b| area(&a.rect).total_cmp(&area(&b.rect)));
    let mut taken: Vec<Rect> = Vec::new();
    for target in order {
        let size = label(target.number, scale);
        let is_free = |at: &Rect| {
            at.x >= 0.0
                && at.y >= 0.0
                && at.x + at.width <= width
                && at.y + at.height <= height
                && !taken.iter().any(|other| other.intersects(at))
                && !small.iter().any(|other| other.intersects(at))
        };
        match places(&target.rect, size).find(|(at, _)| is_free(at)) {
            Some((at, is_led)) => {
                taken.push(at);
                placed.marks.push(Mark { number: target.number, outline: target.rect, label: at, is_led });
            }
            None => placed.omitted.push(target.number),
        }
    }
    placed.marks.sort_by_key(|mark| mark.number);
    placed.omitted.sort_unstable();
    placed
}

/// Width and height of the label of a number.
pub fn label(number: u32, scale: f64) -> (f64, f64) {
    let digits = f64::from(number.checked_ilog10().unwrap_or(0) + 1);
    (scale * (digits * DIGIT.0 + 2.0 * MARGIN), scale * (DIGIT.1 + 2.0 * MARGIN))
}

fn area(rect: &Rect) -> f64 {
    rect.width * rect.height
}

fn is_small(target: &ToMark, scale: f64) -> bool {
    let (width, height) = label(target.number, scale);
    area(&target.rect) < SMALL * width * height
}

/// What of a target is in the picture.
fn clipped(target: &ToMark, width: f64, height: f64) -> Option<ToMark> {
    let r = target.rect;
    let (left, top) = (r.x.max(0.0), r.y.max(0.0));
    let (right, bottom) = ((r.x + r.width).min(width), (r.y + r.height).min(height));
    let is_place = [r.x, r.y, r.width, r.height].iter().all(|side| side.is_finite());
    (is_place && right - left >= LEAST && bottom - top >= LEAST)
        .then(|| ToMark { rect: Rect::new(left, top, right - left, bottom - top), ..*target })
}

/// Where a label may stand, the best first: at the corners outside and beside the box, in its corners, then ever farther away.
fn places(target: &Rect, (width, height): (f64, f64)) -> impl Iterator<Item = (Rect, bool)> {
    let (left, top) = (target.x, target.y);
    let (right, bottom) = (target.x + target.width, target.y + target.height);
    let near = [
        (left, top - height),
        (right - width, top - height),
        (left, bottom),
        (right - width, bottom),
        (left - width, top),
        (right, top),
        (left - width, bottom - height),
        (right, bottom - height),
        (left, top),
        (right - width, top),
        (left, bottom - height),
        (right - width, bottom - height),
    ];
    let far = (1..=FARTHEST).flat_map(move |ring| {
        let away = f64::from(ring) * height;
        let beside = [left - width - away, left - away, left, right - width, right, right + away];
        let above = [top - height - away, bottom + away];
        let rows = above.into_iter().flat_map(move |y| beside.into_iter().map(move |x| (x, y)));
        let middle = [top, bottom - height].into_iter();
        rows.chain(middle.flat_map(move |y| [left - width - away, right + away].into_iter().map(move |x| (x, y))))
    });
    let rect = move |(x, y): (f64, f64)| Rect::new(x, y, width, height);
    near.into_iter().map(move |at| (rect(at), false)).chain(far.map(move |at| (rect(at), true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_testkit::Dice;

    fn check(marks: &Marks, targets: &[ToMark], (width, height): (f64, f64), scale: f64) {
        for (i, mark) in marks.marks.iter().enumerate() {
            let l = mark.label;
            assert!(l.x >= 0.0 && l.y >= 0.0 && l.x + l.width <= width && l.y + l.height <= height, "{mark:?}");
            assert_eq!((l.width, l.height), label(mark.number, scale));
            for other in marks.marks.iter().skip(i + 1) {
                assert!(!l.intersects(&other.label), "{mark:?} {other:?}");
            }
            for other in marks.marks.iter().filter(|m| m.number != mark.number || !m.label.intersects(&m.outline)) {
                let small = ToMark { number: other.number, rect: other.outline };
                assert!(!is_small(&small, scale) || !l.intersects(&other.outline), "{mark:?} covers {other:?}");
            }
            let target = targets.iter().find(|t| t.number == mark.number).unwrap();
            assert!(target.rect.intersects(&mark.outline));
        }
    }

    #[test]
    fn labels_cover_no_label_and_no_small_target_at_any_density() {
        let view = (1280.0, 800.0);
        for (seed, count) in [(1, 5), (2, 40), (3, 120), (4, 300)] {
            let mut dice = Dice::new(seed);
            let targets: Vec<ToMark> = (0..count)
                .map(|i| {
                    let side = |dice: &mut Dice, most| (8 + dice.below(most)) as f64;
                    let (width, height) = (side(&mut dice, 180), side(&mut dice, 40));
                    let (x, y) = (dice.below(1300) as f64 - 20.0, dice.below(820) as f64 - 20.0);
                    ToMark { number: i * 7 + 1, rect: Rect::new(x, y, width, height) }
                })
                .collect();
            for scale in [1.0, 2.0] {
                let marks = place(&targets, view, scale, 1000);
                check(&marks, &targets, view, scale);
                let whole = marks.marks.len() + marks.omitted.len();
                assert!(whole <= targets.len() && whole + targets.len() / 10 >= targets.len());
                let share = marks.marks.len() as f64 / whole as f64;
                assert!(count > 120 || share > 0.9 || scale > 1.0, "{count}: only {share} are marked");
            }
        }
    }

    #[test]
    fn a_column_of_small_buttons_is_marked_whole() {
        let row = |i: u32| ToMark { number: i + 1, rect: Rect::new(300.0, 40.0 + f64::from(i) * 20.0, 60.0, 18.0) };
        let targets: Vec<ToMark> = (0..30).map(row).collect();
        let marks = place(&targets, (1280.0, 800.0), 1.0, 100);
        check(&marks, &targets, (1280.0, 800.0), 1.0);
        assert_eq!(marks.marks.len(), 30);
        assert!(marks.marks.iter().all(|mark| !mark.is_led));
    }

    #[test]
    fn what_is_outside_is_left_out_and_what_is_too_much_is_named() {
        let at = |number, x| ToMark { number, rect: Rect::new(x, 100.0, 50.0, 20.0) };
        let targets = [at(1, -200.0), at(2, 10.0), at(3, 2000.0), at(4, 600.0), at(5, f64::NAN), at(6, 900.0)];
        let marks = place(&targets, (1280.0, 800.0), 1.0, 2);
        assert_eq!(marks.marks.iter().map(|mark| mark.number).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(marks.omitted, [6]);
        // Where there is no room for a label, there is none.
        assert_eq!(place(&[at(7, 0.0)], (60.0, 8.0), 1.0, 9), Marks::default());
        let tight = ToMark { number: 8, rect: Rect::new(0.0, 0.0, 30.0, 8.0) };
        assert_eq!(place(&[tight], (30.0, 8.0), f64::NAN, 9).omitted, [8]);
    }
}
