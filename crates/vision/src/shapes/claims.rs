//! Puts boxes, icons and lines together: what each place is taken for.

use super::{
    boxes::Frame,
    marks::Mark,
    pieces::{Piece, pieces},
    shape::{Kind, Shape},
};
use crate::{Line, Picture, area::Area};

/// Most shapes of one picture.
const MOST: usize = 2000;
/// Sizes in units of the surface: heights of buttons and of inputs, narrowest input.
const BUTTON: (f64, f64) = (14.0, 76.0);
const INPUT: (f64, f64) = (16.0, 72.0);
const NARROWEST_INPUT: f64 = 48.0;
/// How thick a line between two cells is at most.
const RULE: f64 = 3.0;
/// How far right of a checkbox its label may begin.
const LABEL_GAP: f64 = 20.0;
/// What a box that looks like its kind is worth; and one that only might be.
const LIKELY: f32 = 0.8;
const POSSIBLE: f32 = 0.5;

/// What was seen beside the text.
pub(super) struct Seen {
    pub(super) frames: Vec<Frame>,
    pub(super) icons: Vec<Area>,
    pub(super) marks: Vec<Mark>,
}

/// All shapes, in reading order.
pub(super) fn combined(picture: &Picture, lines: &[Line], seen: &Seen) -> Vec<Shape> {
    let scale = picture.scale();
    let is_mark = |area: Area| seen.marks.iter().any(|mark| mark.area.iou(area) > 0.3 || mark.area.encloses(area));
    let mut frames: Vec<Frame> = seen.frames.iter().filter(|one| is_control_sized(one.area, scale)).copied().collect();
    frames.retain(|one| !is_mark(one.area));
    frames.sort_by_key(|one| one.area.size());
    let mut pieces = pieces(picture, lines, &frames, &seen.marks);
    frames.retain(|one| !is_letter(one, &pieces));
    let mut shapes: Vec<Shape> = seen.marks.iter().map(|mark| marked(mark, &pieces, scale)).collect();
    let mut done: Vec<Area> = seen.marks.iter().map(|mark| mark.area).collect();
    let cells = cells(&frames, &pieces, scale);
    // The smallest first: what holds controls of its own is no control, but for an icon in a field.
    for one in frames.iter().filter(|one| !cells.contains(&one.area)) {
        let inner: Vec<Area> = done.iter().filter(|area| one.area.encloses(**area)).copied().collect();
        if let Some(shape) = control(picture, one.area, &inner, &mut pieces, &seen.icons) {
            done.push(one.area);
            shapes.push(shape);
        }
    }
    for icon in seen.icons.iter().filter(|icon| !is_mark(**icon)) {
        let (x, y) = icon.center();
        if !done.iter().any(|area| area.holds(x, y)) {
            shapes.push(Shape { rect: icon.rect(), kind: Kind::Icon, text: String::new(), confidence: POSSIBLE });
        }
    }
    for piece in pieces.iter().filter(|piece| !piece.used) {
        let (rect, confidence) = (piece.area.rect(), piece.confidence);
        shapes.push(Shape { rect, kind: Kind::Text, text: piece.text(), confidence });
    }
    shapes.sort_by(|a, b| a.rect.y.total_cmp(&b.rect.y).then(a.rect.x.total_cmp(&b.rect.x)).then(a.kind.cmp(&b.kind)));
    shapes.truncate(MOST);
    shapes
}

/// The boxes that are cells of a table, of which what is in them is text: each has one beside it and one above or below it that
/// share a whole side with it, and most texts don't stand in the middle, as those of keys do.
fn cells(frames: &[Frame], pieces: &[Piece], scale: f64) -> Vec<Area> {
    let near = |a: u32, b: u32| f64::from(a.abs_diff(b)) <= RULE * scale;
    let level = |a: &Area, b: &Area| near(a.top, b.top) && near(a.bottom, b.bottom);
    let upright = |a: &Area, b: &Area| near(a.left, b.left) && near(a.right, b.right);
    let beside = |a: &Area, b: &Area| level(a, b) && (near(a.right, b.left) || near(b.right, a.left));
    let below = |a: &Area, b: &Area| upright(a, b) && (near(a.bottom, b.top) || near(b.bottom, a.top));
    let all: Vec<Area> = frames.iter().map(|one| one.area).collect();
    let is_cell = |of: &&Area| all.iter().any(|one| beside(of, one)) && all.iter().any(|one| below(of, one));
    let cells: Vec<Area> = all.iter().filter(is_cell).copied().collect();
    let text = |cell: &Area| {
        let inside = |piece: &&Piece| cell.holds(piece.center().0, piece.center().1);
        pieces.iter().filter(inside).map(|piece| piece.area).reduce(Area::union)
    };
    let texts: Vec<bool> = cells.iter().filter_map(|cell| Some(is_centered(*cell, text(cell)?, scale))).collect();
    let centered = texts.iter().filter(|is_centered| **is_centered).count();
    if centered * 2 < texts.len() { cells } else { Vec::new() }
}

fn is_control_sized(area: Area, scale: f64) -> bool {
    let height = f64::from(area.height()) / scale;
    (BUTTON.0..=BUTTON.1).contains(&height) && f64::from(area.width()) / scale >= BUTTON.0
}

/// Whether a frame is the outline of a letter, or of the inside of one.
fn is_letter(one: &Frame, pieces: &[Piece]) -> bool {
    let (x, y) = one.area.center();
    pieces.iter().any(|piece| piece.area.holds(x, y) && one.area.height() <= piece.area.height() + 1)
}

/// A checkbox or radio button, with the text right of it. That stays a shape of its own: a label can be clicked as well.
fn marked(mark: &Mark, pieces: &[Piece], scale: f64) -> Shape {
    let gap = (LABEL_GAP * scale) as u32;
    let (_, middle) = mark.area.center();
    let beside = pieces.iter().filter(|piece| {
        let starts = piece.area.left + 2 >= mark.area.right && piece.area.left <= mark.area.right + gap;
        starts && piece.area.top <= middle && middle < piece.area.bottom
    });
    let text = beside.min_by_key(|piece| piece.area.left).map(Piece::text).unwrap_or_default();
    let confidence = if text.is_empty() { POSSIBLE } else { LIKELY };
    Shape { rect: mark.area.rect(), kind: mark.kind, text, confidence }
}

/// What a frame of a control's size is, if it is something. The texts in it are taken.
fn control(picture: &Picture, area: Area, inner: &[Area], pieces: &mut [Piece], icons: &[Area]) -> Option<Shape> {
    let scale = picture.scale();
    let (width, height) = (f64::from(area.width()) / scale, f64::from(area.height()) / scale);
    // A bar or a row that holds several controls, or one that takes most of it, is none itself.
    let covered: u64 = inner.iter().map(|inner| inner.size()).sum();
    if inner.len() > 2 || covered * 2 > area.size() {
        return None;
    }
    let inside = |piece: &Piece| area.holds(piece.center().0, piece.center().1) && !piece.used;
    let texts: Vec<usize> = (0..pieces.len()).filter(|at| inside(&pieces[*at])).collect();
    let areas: Vec<Area> = texts.iter().map(|at| pieces[*at].area).collect();
    if stand_apart(&areas) {
        return None;
    }
    let extent = areas.into_iter().reduce(Area::union);
    let has_icon = icons.iter().any(|icon| area.encloses(*icon));
    let (kind, confidence) = match extent {
        Some(extent) if is_centered(area, extent, scale) => (Kind::Button, LIKELY),
        // A heading or the chosen item of a menu has a face as well, but no border.
        Some(_) if !is_bordered(picture, area) => return None,
        Some(_) => (Kind::Input, LIKELY),
        None if width >= NARROWEST_INPUT && width >= 2.0 * height => {
            (Kind::Input, if is_bordered(picture, area) { LIKELY } else { POSSIBLE })
        }
        None => (Kind::Button, if has_icon { LIKELY } else { POSSIBLE }),
    };
    let fits = kind == Kind::Button || (INPUT.0..=INPUT.1).contains(&height) && width >= NARROWEST_INPUT;
    if !fits || extent.is_none() && kind == Kind::Button && !inner.is_empty() {
        return None;
    }
    let text = texts.iter().map(|at| pieces[*at].text()).collect::<Vec<_>>().join(" ");
    texts.iter().for_each(|at| pieces[*at].used = true);
    Some(Shape { rect: area.rect(), kind, text, confidence })
}

/// Whether texts lie beside each other with more between them than within one label.
fn stand_apart(texts: &[Area]) -> bool {
    let apart = |a: &Area, b: &Area| {
        let beside = a.top < b.bottom && b.top < a.bottom;
        let gap = b.left.saturating_sub(a.right).max(a.left.saturating_sub(b.right));
        beside && gap * 3 > a.height().min(b.height()) * 2
    };
    texts.iter().enumerate().any(|(index, a)| texts.iter().skip(index + 1).any(|b| apart(a, b)))
}

/// Whether a text stands in the middle of a box.
fn is_centered(area: Area, text: Area, scale: f64) -> bool {
    let (before, after) = (text.left.saturating_sub(area.left), area.right.saturating_sub(text.right));
    let slack = f64::from(area.width()) * 0.12 + 6.0 * scale;
    f64::from(before.abs_diff(after)) <= slack
}

/// Whether a line of another colour than inside and outside runs along at least three sides.
fn is_bordered(picture: &Picture, area: Area) -> bool {
    const STEPS: i64 = 4;
    const CONTRAST: u8 = 9;
    let differ = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).any(|(a, b)| a.abs_diff(b) >= CONTRAST);
    // From inside to outside across an edge, at a place along it.
    let crosses = |x: u32, y: u32, dx: i64, dy: i64| {
        let at = |step: i64| {
            let place = |value: u32, direction: i64| (i64::from(value) + direction * step).max(0) as u32;
            picture.at(place(x, dx), place(y, dy))
        };
        let (inner, outer) = (at(-STEPS), at(STEPS));
        (1 - STEPS..STEPS).any(|step| differ(at(step), inner) && differ(at(step), outer))
    };
    let along = |from: u32, length: u32| [1, 2, 3].map(|quarter| from + length * quarter / 4);
    let (across, down) = (along(area.left, area.width()), along(area.top, area.height()));
    let most = |hits: [bool; 3]| hits.iter().filter(|hit| **hit).count() >= 2;
    let sides = [
        most(across.map(|x| crosses(x, area.top, 0, -1))),
        most(across.map(|x| crosses(x, area.bottom - 1, 0, 1))),
        most(down.map(|y| crosses(area.left, y, -1, 0))),
        most(down.map(|y| crosses(area.right - 1, y, 1, 0))),
    ];
    sides.iter().filter(|side| **side).count() >= 3
}
