//! Checkboxes and radio buttons: small squares and circles, alone or before the text that they belong to.
//!
//! They are told by their silhouette against what is around them: each row counts from its first to its last pixel that differs.
//! A square fills its bounds, a circle 0.785 of it, and both look the same from left and right, from above and below.

use super::shape::Kind;
use crate::{Picture, area::Area};

/// Edges of a mark, in units of the surface.
const EDGE: (f64, f64) = (9.0, 24.0);
/// Longest side by shortest.
const LONGEST: f64 = 1.2;
/// A pixel differs from the ground when a channel does by this much.
const CONTRAST: u8 = 22;
/// Shares of their bounds: what is less than a circle's, between a circle's and a square's with rounded corners.
const LEAST_ROUND: f64 = 0.7;
const LEAST_SQUARE: f64 = 0.89;
/// By this much, in pixels, a silhouette may be lopsided.
const LOPSIDED: u32 = 2;
/// Between a mark and the text after it there is at least this, in units of the surface.
const GAP: f64 = 2.5;
/// And at least this share of the mark's height: a capital O is up to a fifth of its own away from the next letter.
const GAP_OF_HEIGHT: f64 = 0.25;

/// A mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mark {
    pub(super) area: Area,
    pub(super) kind: Kind,
}

/// The mark at a place, if it is one. The place may be a few pixels too large or too small.
pub(super) fn at(picture: &Picture, place: Area) -> Option<Mark> {
    const AROUND: u32 = 3;
    let scale = picture.scale();
    let most = (EDGE.1 * scale) as u32 + 4;
    if place.width() > most || place.height() > most {
        return None;
    }
    let window = place.grown(AROUND, picture.area());
    let ground = ground(picture, window)?;
    let area = tight(picture, window, ground)?;
    let (width, height) = (f64::from(area.width()) / scale, f64::from(area.height()) / scale);
    let fits = width.min(height) >= EDGE.0 && width.max(height) <= EDGE.1;
    // What reaches the window's edge goes on beyond it.
    let alone =
        area.left > window.left && area.top > window.top && area.right < window.right && area.bottom < window.bottom;
    if !fits || !alone || width.max(height) > LONGEST * width.min(height) {
        return None;
    }
    let rows = silhouette(picture, area, ground)?;
    let filled: u32 = rows.iter().map(|(left, right)| right - left).sum();
    let share = f64::from(filled) / area.size() as f64;
    let lopsided = (LOPSIDED as f64 * scale) as u32;
    let even = rows.iter().zip(rows.iter().rev()).all(|(row, mirrored)| {
        let (before, after) = (row.0 - area.left, area.right - row.1);
        before.abs_diff(after) <= lopsided && row.0.abs_diff(mirrored.0) <= lopsided
    });
    let kind = if share >= LEAST_SQUARE { Kind::Checkbox } else { Kind::Radio };
    (even && share >= LEAST_ROUND && is_closed(picture, area, ground)).then_some(Mark { area, kind })
}

/// The mark that a line of text begins with, if it does: what stands first, apart from the rest.
pub(super) fn leading(picture: &Picture, line: Area) -> Option<Mark> {
    let scale = picture.scale();
    let reach = (EDGE.1 * scale) as u32 + 6;
    let window = line.grown((4.0 * scale) as u32, picture.area());
    let window = Area { right: window.right.min(window.left + reach + (8.0 * scale) as u32), ..window };
    let ground = ground(picture, Area { right: window.right.min(window.left + 4), ..window })?;
    let inked = |x: u32| (window.top..window.bottom).any(|y| differs(picture.at(x, y), ground));
    let is_free = |from: u32, gap: f64| (from..from + gap.round() as u32).all(|x| x < picture.width() && !inked(x));
    let first = (window.left..window.right).find(|x| inked(*x))?;
    let end = (first..window.right).find(|x| is_free(*x, GAP * scale))?;
    let column = Area { left: first, right: end, ..window };
    let mark = at(picture, tight(picture, column, ground)?)?;
    is_free(end, GAP_OF_HEIGHT * f64::from(mark.area.height())).then_some(mark)
}

/// The colour around a mark: that of its window's corners, if they have the same.
fn ground(picture: &Picture, window: Area) -> Option<[u8; 3]> {
    if window.is_empty() {
        return None;
    }
    let corners = [
        picture.at(window.left, window.top),
        picture.at(window.right - 1, window.top),
        picture.at(window.left, window.bottom - 1),
        picture.at(window.right - 1, window.bottom - 1),
    ];
    corners.iter().all(|corner| !differs(*corner, corners[0])).then_some(corners[0])
}

fn differs(colour: [u8; 3], ground: [u8; 3]) -> bool {
    colour.iter().zip(ground).any(|(a, b)| a.abs_diff(b) >= CONTRAST)
}

/// The smallest area that holds all of the window that differs from the ground.
fn tight(picture: &Picture, window: Area, ground: [u8; 3]) -> Option<Area> {
    let inked = (window.top..window.bottom)
        .flat_map(|y| (window.left..window.right).map(move |x| (x, y)))
        .filter(|(x, y)| differs(picture.at(*x, *y), ground));
    inked.map(|(x, y)| Area::new(x, y, x + 1, y + 1)).reduce(Area::union)
}

/// First and last pixel (outside) of each row that differ from the ground; nothing where a row has none.
fn silhouette(picture: &Picture, area: Area, ground: [u8; 3]) -> Option<Vec<(u32, u32)>> {
    let row = |y: u32| {
        let inked = |x: &u32| differs(picture.at(*x, y), ground);
        let left = (area.left..area.right).find(inked)?;
        let right = (area.left..area.right).rev().find(inked)?;
        Some((left, right + 1))
    };
    (area.top..area.bottom).map(row).collect()
}

/// Whether each outermost row and column is inked in one stretch, as those of a square and a circle are; a letter M has two
/// strokes at its top.
fn is_closed(picture: &Picture, area: Area, ground: [u8; 3]) -> bool {
    let one_stretch = |places: Vec<(u32, u32)>| {
        let inked: Vec<usize> = (0..places.len())
            .filter(|at| places.get(*at).is_some_and(|(x, y)| differs(picture.at(*x, *y), ground)))
            .collect();
        inked.first().zip(inked.last()).is_some_and(|(first, last)| last - first < inked.len() + 1)
    };
    let row = |y: u32| (area.left..area.right).map(|x| (x, y)).collect();
    let column = |x: u32| (area.top..area.bottom).map(|y| (x, y)).collect();
    [row(area.top), row(area.bottom - 1), column(area.left), column(area.right - 1)].into_iter().all(one_stretch)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White, and grey where a function says so, smoothed by four samples a pixel and side.
    fn drawn(shape: impl Fn(f64, f64) -> bool) -> Picture {
        let samples = [0.125, 0.375, 0.625, 0.875];
        let value = |x: u32, y: u32| {
            let hits = samples.iter().flat_map(|dx| samples.iter().map(move |dy| (*dx, *dy)));
            let count = hits.filter(|(dx, dy)| shape(f64::from(x) + dx, f64::from(y) + dy)).count();
            255 - (count * 145 / 16) as u8
        };
        let bytes = (0..60).flat_map(|y| (0..160).map(move |x| (x, y))).flat_map(|(x, y)| [value(x, y); 3]).collect();
        Picture::rgb(160, 60, 1.0, bytes).unwrap()
    }

    fn ring(x: f64, y: f64, middle: (f64, f64), radius: f64) -> bool {
        let far = (x - middle.0).hypot(y - middle.1);
        far <= radius && far >= radius - 1.0
    }

    fn square(x: f64, y: f64, left: f64, top: f64, edge: f64) -> bool {
        let (x, y) = (x - left, y - top);
        let inside = |rim: f64| x >= rim && y >= rim && x < edge - rim && y < edge - rim;
        inside(0.0) && !inside(1.0)
    }

    #[test]
    fn an_outlined_circle_is_a_radio_button_and_a_square_a_checkbox() {
        for (edge, at_y) in [(13.0, 20.0), (13.0, 20.4), (16.0, 20.0), (20.0, 20.0)] {
            let place = Area::new(30, 20, 30 + edge as u32, 20 + edge as u32);
            let circle = drawn(|x, y| ring(x, y, (30.0 + edge / 2.0, at_y + edge / 2.0), edge / 2.0));
            assert_eq!(at(&circle, place).map(|mark| mark.kind), Some(Kind::Radio), "{edge} at {at_y}");
            let square = drawn(|x, y| square(x, y, 30.0, at_y, edge));
            assert_eq!(at(&square, place).map(|mark| mark.kind), Some(Kind::Checkbox), "{edge} at {at_y}");
        }
    }

    #[test]
    fn a_mark_before_a_text_is_found_and_a_letter_is_none() {
        let stroke = |x: f64, y: f64, at: f64| (at..at + 2.0).contains(&x) && (20.0..33.0).contains(&y);
        let line = Area::new(29, 18, 120, 35);
        let marked = drawn(|x, y| ring(x, y, (36.5, 26.5), 6.5) || stroke(x, y, 50.0) || stroke(x, y, 60.0));
        let mark = leading(&marked, line).unwrap();
        assert_eq!(mark, Mark { area: Area::new(30, 20, 43, 33), kind: Kind::Radio });
        let letters = drawn(|x, y| stroke(x, y, 30.0) || stroke(x, y, 35.0) || stroke(x, y, 50.0));
        assert_eq!(leading(&letters, line), None);
        let joined = drawn(|x, y| ring(x, y, (36.5, 26.5), 6.5) || stroke(x, y, 44.0));
        assert_eq!(leading(&joined, line), None, "a letter O in a word");
        let large = drawn(|x, y| ring(x, y, (39.0, 29.0), 9.0) || stroke(x, y, 51.5));
        assert_eq!(
            leading(&large, Area::new(29, 18, 120, 40)),
            None,
            "a large O, and the next letter 3.5 pixels after it"
        );
        let spaced = drawn(|x, y| ring(x, y, (39.0, 29.0), 9.0) || stroke(x, y, 53.0));
        assert_eq!(leading(&spaced, Area::new(29, 18, 120, 40)).map(|mark| mark.kind), Some(Kind::Radio));
    }

    #[test]
    fn lopsided_and_large_things_are_no_marks() {
        let triangle = drawn(|x, y| (30.0..44.0).contains(&x) && (20.0..34.0).contains(&y) && x - 30.0 <= y - 20.0);
        assert_eq!(at(&triangle, Area::new(30, 20, 44, 34)), None);
        let letter = |x: f64, y: f64| {
            (20.0..34.0).contains(&y) && (0..3).any(|i| ((30 + 6 * i) as f64..(33 + 6 * i) as f64).contains(&x))
        };
        assert_eq!(at(&drawn(letter), Area::new(30, 20, 45, 34)), None, "a letter M");
        let large = drawn(|x, y| square(x, y, 20.0, 10.0, 40.0));
        assert_eq!(at(&large, Area::new(20, 10, 60, 50)), None);
        assert_eq!(at(&drawn(|_, _| true), Area::new(0, 0, 12, 12)), None);
        assert_eq!(at(&drawn(|_, _| false), Area::new(5, 5, 5, 5)), None);
    }
}
