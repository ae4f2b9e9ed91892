//! Drawing marks into a picture: a box around every marked target, and a label with its number (set-of-mark prompting).
//!
//! Every line is dark with a white one around it, and every label dark with white digits and a white rim: that can be told from
//! any background. Digits are those of DejaVu Sans Mono Bold (`digits/`).

use crate::observe::view::is_operable;
use crate::perceive::ink::Ink;
use crate::perceive::marks::{self, Beside, Mark, Marks, ToMark};
use crate::perceive::pixels;
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use handeye_scene::{Annotation, Capture, Code, NativeId, Picture, Problem, Rect, Ref, State, Target};
use std::collections::{HashMap, HashSet};
use tiny_skia::{Color, Paint, PathBuilder, PixmapMut, Stroke, Transform};

/// The digits of a font that may be shipped; its licence stands beside it.
const DIGITS: &[u8] = include_bytes!("digits/digits.ttf");
/// Width of a digit by the font's size: that of every glyph of this font.
const ADVANCE: f32 = 0.602;
/// Height of a digit by the font's size.
const HEIGHT: f32 = 0.729;

/// Colours by role, red, green and blue: all dark enough for white digits (contrast 4.5 or more, WCAG 2.2, 1.4.3), each told
/// from the others by its hue.
const COLOURS: [(&[&str], [u8; 3]); 6] = [
    (&["button", "togglebutton", "menuitem", "menuitemcheckbox", "menuitemradio", "tab"], [0xb3, 0x12, 0x2f]),
    (&["link"], [0x0b, 0x4f, 0xc4]),
    (&["textbox", "searchbox", "combobox", "spinbutton", "listbox", "date", "slider"], [0x0b, 0x6b, 0x2e]),
    (&["checkbox", "radio", "switch", "option"], [0x7a, 0x1f, 0xa2]),
    (&["cell", "gridcell", "row", "columnheader", "rowheader", "treeitem", "listitem"], [0x00, 0x5f, 0x6b]),
    (
        &["column border", "resize handle", "row border", "scroll button", "scroll thumb", "spin arrow", "splitter"],
        [0x8a, 0x3b, 0x00],
    ),
];
/// That of any other role.
const OTHER: [u8; 3] = [0x33, 0x33, 0x4d];

/// The colour of what has a role.
pub fn colour(role: &str) -> [u8; 3] {
    COLOURS.iter().find(|(roles, _)| roles.contains(&role)).map_or(OTHER, |(_, colour)| *colour)
}

/// A crowded picture is drawn so many times as large, with labels so much larger in pixels, if no side gets longer than this.
const ENLARGED: (u32, f64, u32) = (2, 1.6, 4_096);
/// A picture is crowded if more than one in so many labels stands away, covers something to read, or has no room.
const CROWDED: usize = 20;

/// Marks these targets in a picture, at most `most`, as far as there is room for their labels. `beside`: what else is to be read.
/// A picture that is too crowded for labels beside their targets becomes larger. All rectangles are the surface's.
pub fn annotate(
    picture: &mut Picture,
    targets: &[&Target],
    beside: &[Beside],
    most: usize,
) -> Result<Annotation, Problem> {
    // Strokes and labels grow with the device's pixels, not below one of them.
    let mut unit = picture.scale().clamp(1.0, 4.0);
    let mut placed = placed(picture, (targets, beside), unit, most);
    let (times, larger, longest) = ENLARGED;
    let is_crowded = placed.crowded * CROWDED > placed.marks.len() + placed.crowded;
    if is_crowded && picture.width().max(picture.height()) <= longest / times {
        let enlarged = pixels::enlarged(picture, times)?;
        let roomier = self::placed(&enlarged, (targets, beside), unit * larger, most);
        if roomier.crowded < placed.crowded {
            (*picture, placed, unit) = (enlarged, roomier, unit * larger);
        }
    }
    let colours: HashMap<u32, [u8; 3]> = targets.iter().map(|t| (t.r#ref.0, colour(&t.role))).collect();
    draw(picture, &placed, unit as f32, |number| colours.get(&number).copied().unwrap_or(OTHER))?;
    Ok(Annotation {
        marked: placed.marks.iter().map(|m| Ref(m.number)).collect(),
        unmarked: placed.omitted.iter().map(|n| Ref(*n)).collect(),
        scale: picture.scale(),
        area: picture.area(),
        base64: None,
    })
}

/// What of a capture can be seen besides the targets that are listed: targets that are folded or counted, and text.
pub fn beside(capture: &Capture, listed: &[&Target]) -> Vec<Beside> {
    let listed: HashSet<NativeId> = listed.iter().filter_map(|target| target.native).collect();
    let seen = capture.nodes.iter().filter(|n| !n.states.has(State::Offscreen) && !n.states.has(State::Covered));
    let unlisted = seen.filter(|n| match n.id.filter(|_| is_operable(n)) {
        Some(id) => !listed.contains(&id),
        None => !n.name.is_empty(),
    });
    unlisted.map(|n| Beside { rect: n.rect, is_target: is_operable(n) }).collect()
}

fn placed(picture: &Picture, (targets, beside): (&[&Target], &[Beside]), unit: f64, most: usize) -> Marks {
    let to_mark: Vec<ToMark> =
        targets.iter().map(|t| ToMark { number: t.r#ref.0, rect: picture.in_pixels(t.rect) }).collect();
    let beside: Vec<Beside> = beside.iter().map(|b| Beside { rect: picture.in_pixels(b.rect), ..*b }).collect();
    let size = (f64::from(picture.width()), f64::from(picture.height()));
    marks::place(&to_mark, &beside, Some(Ink::of(picture)), size, (unit, most))
}

/// Draws marks: boxes first, then the lines to labels that stand away, then the labels over all of them.
fn draw(picture: &mut Picture, marks: &Marks, unit: f32, colour: impl Fn(u32) -> [u8; 3]) -> Result<(), Problem> {
    let bug = |what: &str| Problem::new(Code::Bug, format!("marks can't be drawn: {what}"));
    let font = FontRef::try_from_slice(DIGITS).map_err(|_| bug("the font of the digits can't be read"))?;
    let (width, height) = (picture.width(), picture.height());
    let mut canvas =
        PixmapMut::from_bytes(picture.rgba_mut(), width, height).ok_or_else(|| bug("the picture has no size"))?;
    // No white line lies on another box's colour.
    for mark in &marks.marks {
        boxed(&mut canvas, mark.outline, unit, (1.5, WHITE, 200));
    }
    for mark in &marks.marks {
        boxed(&mut canvas, mark.outline, unit, (0.5, colour(mark.number), u8::MAX));
    }
    for mark in marks.marks.iter().filter(|m| m.is_led) {
        led(&mut canvas, mark, unit, colour(mark.number));
    }
    for mark in &marks.marks {
        labelled(&mut canvas, mark, unit, colour(mark.number), &font);
    }
    Ok(())
}

fn paint([red, green, blue]: [u8; 3], opacity: u8) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba8(red, green, blue, opacity));
    paint
}

const WHITE: [u8; 3] = [u8::MAX; 3];

fn rect(r: Rect, grow: f32) -> Option<tiny_skia::Rect> {
    let (x, y) = (r.x as f32 - grow, r.y as f32 - grow);
    tiny_skia::Rect::from_xywh(x, y, r.width as f32 + 2.0 * grow, r.height as f32 + 2.0 * grow)
}

/// A box along the outside of a target's edges, so that what it says stays in sight, as far as the picture reaches.
fn boxed(canvas: &mut PixmapMut, outline: Rect, unit: f32, (away, colour, opacity): (f32, [u8; 3], u8)) {
    let thick = unit * 1.25;
    let (width, height) = (canvas.width() as f32, canvas.height() as f32);
    let Some(edge) = rect(outline, away * thick) else { return };
    let (left, top) = (edge.left().max(thick / 2.0), edge.top().max(thick / 2.0));
    let (right, bottom) = (edge.right().min(width - thick / 2.0), edge.bottom().min(height - thick / 2.0));
    let Some(edge) = tiny_skia::Rect::from_ltrb(left, top, right, bottom) else { return };
    let stroke = Stroke { width: thick, ..Stroke::default() };
    let path = PathBuilder::from_rect(edge);
    canvas.stroke_path(&path, &paint(colour, opacity), &stroke, Transform::identity(), None);
}

/// A line from a label to the nearest edge of its box.
fn led(canvas: &mut PixmapMut, mark: &Mark, unit: f32, colour: [u8; 3]) {
    let (from, to) = marks::lead(&mark.label, &mark.outline);
    let mut line = PathBuilder::new();
    line.move_to(from.x as f32, from.y as f32);
    line.line_to(to.x as f32, to.y as f32);
    let Some(path) = line.finish() else { return };
    for (wide, colour, opacity) in [(2.5, WHITE, 150), (1.0, colour, u8::MAX)] {
        let stroke = Stroke { width: unit * wide, ..Stroke::default() };
        canvas.stroke_path(&path, &paint(colour, opacity), &stroke, Transform::identity(), None);
    }
}

fn labelled(canvas: &mut PixmapMut, mark: &Mark, unit: f32, colour: [u8; 3], font: &FontRef) {
    let label = mark.label;
    let rim = f64::from(0.75 * unit);
    let plate = Rect::new(label.x + rim, label.y + rim, label.width - 2.0 * rim, label.height - 2.0 * rim);
    let plates = [(label, WHITE), (plate, colour)].into_iter().chain(joined(mark, rim).map(|tab| (tab, colour)));
    for (plate, colour) in plates {
        if let Some(plate) = rect(plate, 0.0) {
            canvas.fill_rect(plate, &paint(colour, u8::MAX), Transform::identity(), None);
        }
    }
    let digits = mark.number.to_string();
    let room = label.width as f32 - 3.0 * unit;
    let size = (room / digits.len() as f32 / ADVANCE).min((label.height as f32 - 3.0 * unit) / HEIGHT);
    let font = font.as_scaled(PxScale::from(size * font_height(font)));
    let wide = ADVANCE * size * digits.len() as f32;
    let mut x = label.x as f32 + (label.width as f32 - wide) / 2.0;
    let base = label.y as f32 + (label.height as f32 + HEIGHT * size) / 2.0;
    for digit in digits.chars() {
        let glyph = font.scaled_glyph(digit);
        let glyph = ab_glyph::Glyph { position: point(x, base), ..glyph };
        x += ADVANCE * size;
        let Some(outlined) = font.outline_glyph(glyph) else { continue };
        let bounds = outlined.px_bounds();
        outlined.draw(|dx, dy, cover| {
            let (x, y) = (bounds.min.x as i64 + i64::from(dx), bounds.min.y as i64 + i64::from(dy));
            whiten(canvas, (x, y), cover);
        });
    }
}

/// What joins a label that stands outside at its box to the line of that: of two boxes between which it stands, it is that one's.
fn joined(mark: &Mark, rim: f64) -> Option<Rect> {
    let (label, outline) = (mark.label, mark.outline);
    let span = |from: f64, long: f64, other: f64, other_long: f64| {
        let from = (from + rim).max(other);
        (from, (from.max(other) + long).min(other + other_long).min(from + long - 2.0 * rim) - from)
    };
    let reach = 3.0 * rim;
    let is_at = |edge: f64, line: f64| (edge - line).abs() <= reach;
    let (x, width) = span(label.x, label.width, outline.x, outline.width);
    let (y, height) = span(label.y, label.height, outline.y, outline.height);
    let (right, bottom) = (outline.x + outline.width, outline.y + outline.height);
    let tab = if mark.is_led {
        return None;
    } else if is_at(label.y + label.height, outline.y) {
        Rect::new(x, label.y + label.height - rim, width, rim + rim)
    } else if is_at(label.y, bottom) {
        Rect::new(x, label.y - rim, width, rim + rim)
    } else if is_at(label.x + label.width, outline.x) {
        Rect::new(label.x + label.width - rim, y, rim + rim, height)
    } else if is_at(label.x, right) {
        Rect::new(label.x - rim, y, rim + rim, height)
    } else {
        return None;
    };
    (tab.width > 0.0 && tab.height > 0.0).then_some(tab)
}

/// A font's whole height by its size, as the rasteriser counts.
fn font_height(font: &FontRef) -> f32 {
    let units = font.units_per_em().unwrap_or(2048.0);
    font.height_unscaled() / units
}

/// Makes a pixel so much whiter.
fn whiten(canvas: &mut PixmapMut, (x, y): (i64, i64), cover: f32) {
    let (width, height) = (i64::from(canvas.width()), i64::from(canvas.height()));
    if !(0..width).contains(&x) || !(0..height).contains(&y) {
        return;
    }
    let at = (y * width + x) as usize * 4;
    let cover = cover.clamp(0.0, 1.0);
    for channel in canvas.data_mut()[at..at + 3].iter_mut() {
        *channel = (f32::from(*channel) + (255.0 - f32::from(*channel)) * cover).round() as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::node;
    use handeye_scene::{NodeKind, Point};

    /// Relative luminance and contrast, WCAG 2.2.
    fn luminance(colour: [u8; 3]) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
    }

    #[test]
    fn white_digits_can_be_read_on_every_colour() {
        for colour in COLOURS.iter().map(|(_, colour)| *colour).chain([OTHER]) {
            let contrast = 1.05 / (luminance(colour) + 0.05);
            assert!(contrast >= 4.5, "{colour:?}: {contrast}");
        }
        let mut roles: Vec<&str> = COLOURS.iter().flat_map(|(roles, _)| roles.iter().copied()).collect();
        roles.iter().for_each(|role| assert_eq!(handeye_scene::model::role::known(role), *role));
        roles.sort_unstable();
        assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "{roles:?}");
    }

    fn target(number: u32, role: &str, rect: Rect) -> Target {
        let node = handeye_scene::Node { rect, ..node(NodeKind::Operable, number, role, "") };
        crate::observe::view::target(&node, node.id.unwrap(), Ref(number))
    }

    #[test]
    fn marks_are_drawn_where_their_targets_are() {
        for (scale, origin) in [(1.0, Point::new(0.0, 0.0)), (2.0, Point::new(-300.0, 40.0))] {
            for ground in [0_u8, 128, 255] {
                let mut rgba = vec![ground; 400 * 300 * 4];
                rgba.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
                let mut picture = Picture::new((400, 300), rgba, scale, origin).unwrap();
                let rect = picture.on_surface(Rect::new(100.0, 120.0, 160.0, 60.0));
                let away = picture.on_surface(Rect::new(900.0, 120.0, 160.0, 60.0));
                let (button, far) = (target(27, "button", rect), target(28, "link", away));
                let mark = placed(&picture, (&[&button], &[]), scale, 10).marks[0];
                let told = annotate(&mut picture, &[&button, &far], &[], 10).unwrap();
                assert_eq!((told.marked, told.unmarked), (vec![Ref(27)], Vec::new()));
                let at = |x: usize, y: usize| {
                    let from = (y * 400 + x) * 4;
                    <[u8; 3]>::try_from(&picture.rgba()[from..from + 3]).unwrap()
                };
                // The middle stays as it was, the edge has the role's colour, and the label too, with white in it.
                assert_eq!(at(180, 150), [ground; 3]);
                let close = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 40);
                assert!(close(at(180, 119), colour("button")), "{:?}", at(180, 119));
                let label = mark.label;
                // Without the rim.
                let edge = 2 * scale as usize;
                let (left, top) = (label.x as usize + edge, label.y as usize + edge);
                let (right, bottom) =
                    ((label.x + label.width) as usize - edge, (label.y + label.height) as usize - edge);
                let inside = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
                let (mut dark, mut white) = (0, 0);
                for (x, y) in inside {
                    dark += usize::from(close(at(x, y), colour("button")));
                    white += usize::from(close(at(x, y), WHITE));
                }
                assert!(dark > 40 && white > 12, "{dark} {white}");
                assert_eq!(at(5, 5), [ground; 3]);
            }
        }
    }

    #[test]
    fn what_is_seen_and_not_listed_is_beside() {
        let nodes = vec![
            node(NodeKind::Operable, 1, "button", "Listed"),
            node(NodeKind::Text, 1, "text", "Listed"),
            node(NodeKind::Operable, 2, "button", "Folded"),
            node(NodeKind::Text, 3, "text", "Words"),
            node(NodeKind::Text, 4, "text", ""),
            node(NodeKind::Operable, 5, "button", "Below"),
        ];
        let mut capture = Capture { nodes, ..Capture::default() };
        for (i, node) in capture.nodes.iter_mut().enumerate() {
            node.rect = Rect::new(i as f64, 0.0, 10.0, 10.0);
        }
        capture.nodes[5].states = handeye_scene::States::default().with(State::Offscreen);
        let listed = target(1, "button", Rect::default());
        let found: Vec<(f64, bool)> = beside(&capture, &[&listed]).iter().map(|b| (b.rect.x, b.is_target)).collect();
        assert_eq!(found, [(1.0, false), (2.0, true), (3.0, false)]);
    }

    #[test]
    fn a_crowded_picture_becomes_larger_and_its_boxes_stay_around_their_targets() {
        // A month of days, with a figure as high as half a day in each.
        let mut rgba = vec![u8::MAX; 400 * 300 * 4];
        let days: Vec<Target> = (0..35)
            .map(|i| {
                let (x, y) = (60 + i % 7 * 32, 60 + i / 7 * 26);
                for (dx, dy) in
                    (8..22).flat_map(|dx| (6..18).map(move |dy| (dx, dy))).filter(|(dx, dy)| (dx + dy) % 3 == 0)
                {
                    rgba[((y + dy) * 400 + x + dx) * 4..][..3].fill(0);
                }
                target(100 + i as u32, "button", Rect::new(x as f64, y as f64, 30.0, 24.0))
            })
            .collect();
        let mut picture = Picture::new((400, 300), rgba, 1.0, Point::new(0.0, 0.0)).unwrap();
        let before = picture.clone();
        let told = annotate(&mut picture, &days.iter().collect::<Vec<_>>(), &[], 100).unwrap();
        assert_eq!((told.scale, told.area, told.marked.len()), (2.0, before.area(), 35));
        let close = |a: &[u8], b: [u8; 3]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 40);
        let at = |x: f64, y: f64| &picture.rgba()[(y as usize * 800 + x as usize) * 4..][..3];
        for day in &days {
            let r = picture.in_pixels(day.rect);
            // Right above its upper line's right half and below its lower line's left: a line or the label.
            for (x, y) in [(r.x + r.width * 0.75, r.y - 1.0), (r.x + r.width * 0.25, r.y + r.height)] {
                assert!(close(at(x, y), colour("button")) || at(x, y) == WHITE, "{day:?} {:?}", at(x, y));
            }
            // What it says is as it was.
            for (dx, dy) in (8..22).flat_map(|dx| (6..18).map(move |dy| (dx, dy))) {
                let (x, y) = (day.rect.x as usize + dx, day.rect.y as usize + dy);
                assert_eq!(at(x as f64 * 2.0, y as f64 * 2.0), &before.rgba()[(y * 400 + x) * 4..][..3], "{day:?}");
            }
        }
    }
}
