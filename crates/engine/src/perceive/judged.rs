//! What a judge is shown: a screenshot with a crosshair, or with a few numbered marks, drawn on it. Never anything in the page.
//!
//! Coordinates are the picture's, in pixels from its top left corner. Lines and boxes have a
//! white rim, so that they stand out from any background, and colours that [`CROSSHAIR`] and [`MARKS`] give names to, by which
//! prompts speak of them.

use super::marks::{self, Mark, ToMark};
use handeye_scene::{Picture, Rect};

/// Red, green and blue.
pub type Colour = [u8; 3];

/// Colours of the vertical and of the horizontal line: magenta and cyan.
pub const CROSSHAIR: (Colour, Colour) = ([255, 0, 255], [0, 190, 255]);
/// Colours of the marks from 1 on: red, blue, green, orange, purple.
pub const MARKS: [Colour; 5] = [[220, 20, 40], [0, 80, 255], [0, 140, 20], [255, 120, 0], [140, 0, 200]];
const RIM: Colour = [255, 255, 255];
/// Half the width of a line of the crosshair, without its rim.
const HALF: i64 = 1;
/// Size of a mark's label, in units of [`marks::label`].
const LABEL_SCALE: f64 = 2.0;

/// With a vertical line at `x` and a horizontal one at `y`, through all of it.
#[must_use]
pub fn with_crosshair(mut picture: Picture, x: f64, y: f64) -> Picture {
    let (x, y) = (whole(x), whole(y));
    let (width, height) = (i64::from(picture.width()), i64::from(picture.height()));
    fill(&mut picture, (x - HALF - 1, 0), (x + HALF + 1, height), RIM);
    fill(&mut picture, (0, y - HALF - 1), (width, y + HALF + 1), RIM);
    fill(&mut picture, (x - HALF, 0), (x + HALF, height), CROSSHAIR.0);
    fill(&mut picture, (0, y - HALF), (width, y + HALF), CROSSHAIR.1);
    picture
}

/// With a numbered box around each of these, from 1 on, and which of them got one: where there is no room for its number, a
/// rect gets none.
pub fn with_marks(mut picture: Picture, rects: &[Rect]) -> (Picture, Vec<usize>) {
    let targets: Vec<ToMark> = rects.iter().zip(1..).map(|(rect, number)| ToMark { number, rect: *rect }).collect();
    let view = (f64::from(picture.width()), f64::from(picture.height()));
    let placed = marks::place(&targets, &[], None, view, (LABEL_SCALE, MARKS.len()));
    // Numbers without a gap are asked for.
    let kept: Vec<usize> = placed.marks.iter().map(|mark| mark.number as usize - 1).collect();
    for (mark, number) in placed.marks.iter().zip(1..) {
        draw_mark(&mut picture, mark, number);
    }
    (picture, kept)
}

fn draw_mark(picture: &mut Picture, mark: &Mark, number: u32) {
    let colour = MARKS.get(number as usize - 1).copied().unwrap_or(MARKS[0]);
    let outline = corners(&mark.outline);
    if mark.is_led {
        let label = corners(&mark.label);
        lead(picture, (label.0, label.1), (outline.0, outline.1), colour);
    }
    frame(picture, outline, 3, RIM);
    frame(picture, (outline.0 + 1, outline.1 + 1, outline.2 - 1, outline.3 - 1), 2, colour);
    let (left, top, right, bottom) = corners(&mark.label);
    fill(picture, (left, top), (right, bottom), RIM);
    fill(picture, (left + 1, top + 1), (right - 1, bottom - 1), colour);
    digits(picture, number, (left, top, right, bottom));
}

/// An angled line from one place to another: first along, then up or down.
fn lead(picture: &mut Picture, (x, y): (i64, i64), (to_x, to_y): (i64, i64), colour: Colour) {
    fill(picture, (x.min(to_x), y), (x.max(to_x) + 1, y + 1), colour);
    fill(picture, (to_x, y.min(to_y)), (to_x + 1, y.max(to_y) + 1), colour);
}

/// A frame of this thickness, inwards from these edges.
fn frame(picture: &mut Picture, (left, top, right, bottom): (i64, i64, i64, i64), thick: i64, colour: Colour) {
    fill(picture, (left, top), (right, top + thick), colour);
    fill(picture, (left, bottom - thick), (right, bottom), colour);
    fill(picture, (left, top), (left + thick, bottom), colour);
    fill(picture, (right - thick, top), (right, bottom), colour);
}

/// A number in the middle of a box, as large as fits.
fn digits(picture: &mut Picture, number: u32, (left, top, right, bottom): (i64, i64, i64, i64)) {
    let text = number.to_string();
    let count = text.len() as i64;
    let unit = ((right - left - 4) / (count * 6)).min((bottom - top - 4) / 7).max(1);
    let (x, y) = ((left + right - count * 6 * unit + unit) / 2, (top + bottom - 7 * unit) / 2);
    for (place, digit) in text.bytes().enumerate() {
        let rows = DIGITS.get(usize::from(digit - b'0')).copied().unwrap_or_default();
        for (row, bits) in rows.into_iter().enumerate() {
            for column in (0..5).filter(|column| bits & (16 >> column) != 0) {
                let at = (x + (place as i64 * 6 + column) * unit, y + row as i64 * unit);
                fill(picture, at, (at.0 + unit, at.1 + unit), RIM);
            }
        }
    }
}

/// Fills from one corner to the one beyond another, as far as that is inside.
fn fill(picture: &mut Picture, (left, top): (i64, i64), (right, bottom): (i64, i64), colour: Colour) {
    let clamp = |at: i64, most: u32| at.clamp(0, i64::from(most)) as usize;
    let (left, right) = (clamp(left, picture.width()), clamp(right, picture.width()));
    let row = picture.width() as usize * 4;
    for y in clamp(top, picture.height())..clamp(bottom, picture.height()) {
        let part = picture.rgba_mut().get_mut(y * row + left * 4..y * row + right.max(left) * 4).unwrap_or_default();
        let [red, green, blue] = colour;
        part.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[red, green, blue, u8::MAX]));
    }
}

/// The nearest pixel; what is far outside stays outside.
fn whole(at: f64) -> i64 {
    at.round().clamp(-1e6, 1e6) as i64
}

/// Left, top, right and bottom in whole pixels.
fn corners(rect: &Rect) -> (i64, i64, i64, i64) {
    (whole(rect.x), whole(rect.y), whole(rect.x + rect.width), whole(rect.y + rect.height))
}

/// Digits of 5 by 7 points, a row each, the leftmost point first.
const DIGITS: [[u8; 7]; 10] = [
    [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
    [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
    [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
    [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
];

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Point;

    const GREY: Colour = [90, 90, 90];

    fn plain(width: u32, height: u32) -> Picture {
        let rgba = [90, 90, 90, u8::MAX].repeat(width as usize * height as usize);
        Picture::new((width, height), rgba, 1.0, Point::new(0.0, 0.0)).unwrap()
    }

    fn at(picture: &Picture, x: u32, y: u32) -> Colour {
        let from = (y * picture.width() + x) as usize * 4;
        picture.rgba()[from..from + 3].try_into().unwrap()
    }

    #[test]
    fn a_crosshair_goes_through_all_of_the_picture_where_it_is_told_to() {
        let picture = with_crosshair(plain(60, 40), 20.0, 30.0);
        for y in (0..28).chain(32..40) {
            assert_eq!((at(&picture, 19, y), at(&picture, 20, y)), (CROSSHAIR.0, CROSSHAIR.0), "{y}");
            assert_eq!((at(&picture, 18, y), at(&picture, 21, y)), (RIM, RIM), "{y}");
            assert_eq!((at(&picture, 17, y), at(&picture, 22, y)), (GREY, GREY), "{y}");
        }
        assert!((0..60).all(|x| at(&picture, x, 29) == CROSSHAIR.1 && at(&picture, x, 30) == CROSSHAIR.1));
        assert_eq!(with_crosshair(plain(3, 3), -50.0, 1e300), plain(3, 3), "what is outside is not drawn");
    }

    #[test]
    fn marks_are_boxes_of_their_colours_with_numbers_beside() {
        let rects = [Rect::new(20.0, 60.0, 80.0, 20.0), Rect::new(150.0, 60.0, 60.0, 20.0)];
        let (picture, kept) = with_marks(plain(300, 200), &rects);
        assert_eq!(kept, [0, 1]);
        for (rect, colour) in rects.iter().zip(MARKS) {
            let (x, y) = (rect.x as u32, rect.y as u32);
            assert_eq!(at(&picture, x + 1, y + 10), colour);
            assert_eq!(at(&picture, x + 30, y + 10), GREY, "what is marked stays as it is");
        }
        // No room for a number: no mark.
        let (_, kept) = with_marks(plain(20, 9), &[Rect::new(1.0, 1.0, 10.0, 5.0)]);
        assert!(kept.is_empty());
    }
}
