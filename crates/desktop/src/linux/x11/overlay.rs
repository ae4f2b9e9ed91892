//! Marks over places of the screen: frames and labels, in windows of our own that input passes through.
//!
//! The server removes them with our connection: a session that ends leaves none.

use crate::linux::x11::server::{Fault, Server};
use handeye_scene::{Colour, Mark, Rect};
use x11rb::connection::Connection as _;
use x11rb::protocol::shape::{ConnectionExt as _, SK, SO};
use x11rb::protocol::xproto::{
    ClipOrdering, ConnectionExt as _, CreateGCAux, CreateWindowAux, Font, Gcontext, Rectangle, Screen, Window,
    WindowClass,
};

/// Width of a frame, in pixels.
const FRAME: i32 = 3;
/// Size of a character of a label, and what is left free around the label, in pixels: those of the font that every server has.
const CHARACTER: (i32, i32) = (6, 13);
const MARGIN: i32 = 3;
/// Characters of a label that are shown.
const LABEL: usize = 40;

/// Where the parts of a mark are.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    /// The window: left, top, width, height.
    whole: (i32, i32, i32, i32),
    /// The frame's strips and the label, within the window.
    parts: Vec<(i32, i32, i32, i32)>,
    /// Where the label's text begins, within the window: its left end and its base line.
    text: Option<(i32, i32)>,
}

/// Puts the frame around a place, and the label above it, or below where there is no room.
fn layout((x, y, width, height): (i32, i32, i32, i32), label: Option<usize>) -> Layout {
    let (across, down) = (width + 2 * FRAME, height + 2 * FRAME);
    let tall = label.map_or(0, |_| CHARACTER.1 + 2 * MARGIN);
    let wide = label.map_or(0, |count| count as i32 * CHARACTER.0 + 2 * MARGIN);
    let is_above = y - FRAME - tall >= 0;
    let (frame_top, label_top) = if is_above { (tall, 0) } else { (0, down) };
    let mut parts = vec![
        (0, frame_top, across, FRAME),
        (0, frame_top + down - FRAME, across, FRAME),
        (0, frame_top, FRAME, down),
        (across - FRAME, frame_top, FRAME, down),
    ];
    if label.is_some() {
        parts.push((0, label_top, wide, tall));
    }
    let top = y - FRAME - frame_top;
    Layout {
        whole: (x - FRAME, top, across.max(wide), down + tall),
        parts,
        text: label.map(|_| (MARGIN, label_top + MARGIN + CHARACTER.1 - 3)),
    }
}

/// A label in the characters that the font has.
fn latin(label: &str) -> Vec<u8> {
    label.chars().take(LABEL).map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

fn rectangle((x, y, width, height): (i32, i32, i32, i32)) -> Rectangle {
    let size = |n: i32| u16::try_from(n.clamp(1, 32_000)).unwrap_or(1);
    let place = |n: i32| i16::try_from(n.clamp(-16_000, 16_000)).unwrap_or(0);
    Rectangle { x: place(x), y: place(y), width: size(width), height: size(height) }
}

/// The marks that are shown.
#[derive(Default)]
pub(crate) struct Overlay {
    windows: Vec<Window>,
}

/// The part of a place that is on the screen; none where nothing is.
fn on_screen(rect: Rect, screen: Rect) -> Option<(i32, i32, i32, i32)> {
    let (left, top) = (rect.x.max(screen.x).round(), rect.y.max(screen.y).round());
    let right = (rect.x + rect.width).min(screen.x + screen.width).round();
    let bottom = (rect.y + rect.height).min(screen.y + screen.height).round();
    let is_there = right > left && bottom > top;
    is_there.then_some((left as i32, top as i32, (right - left) as i32, (bottom - top) as i32))
}

/// Shows marks until they are hidden. What is off the screen gets none.
pub(crate) fn show(server: &Server, overlay: &mut Overlay, marks: &[Mark]) -> Result<(), Fault> {
    hide(server, overlay)?;
    let found = server.connection.setup().roots.iter().find(|screen| screen.root == server.root).cloned();
    let Some(screen) = found else { return Err(Fault::Refused) };
    let area = server.screen()?;
    for mark in marks {
        let Some(place) = on_screen(mark.rect, area) else { continue };
        overlay.windows.push(show_mark(server, mark, place, &screen)?);
    }
    server.sync()
}

/// Takes the marks away.
pub(crate) fn hide(server: &Server, overlay: &mut Overlay) -> Result<(), Fault> {
    for window in std::mem::take(&mut overlay.windows) {
        server.connection.destroy_window(window)?;
    }
    server.sync()
}

fn show_mark(server: &Server, mark: &Mark, place: (i32, i32, i32, i32), screen: &Screen) -> Result<Window, Fault> {
    let text = mark.label.as_deref().map(latin);
    let layout = layout(place, text.as_ref().map(Vec::len));
    let whole = rectangle(layout.whole);
    let ground = pixel(server, mark.colour, screen)?;
    let window = server.connection.generate_id()?;
    // What is drawn on its background stays, whatever lies over it for a while.
    let paint = server.connection.generate_id()?;
    let (width, height) = (whole.width, whole.height);
    server.connection.create_pixmap(screen.root_depth, paint, server.root, width, height)?;
    let gc: Gcontext = server.connection.generate_id()?;
    let aux = CreateGCAux::new().foreground(ground).background(ground).graphics_exposures(0);
    server.connection.create_gc(gc, paint, &aux)?;
    let all = Rectangle { x: 0, y: 0, width, height };
    server.connection.poly_fill_rectangle(paint, gc, &[all])?;
    if let (Some(text), Some(at)) = (&text, layout.text) {
        write_label(server, paint, gc, text, at, (mark.colour, screen))?;
    }
    let aux = CreateWindowAux::new().background_pixmap(paint).override_redirect(1);
    let class = WindowClass::INPUT_OUTPUT;
    server.connection.create_window(0, window, server.root, whole.x, whole.y, width, height, 0, class, 0, &aux)?;
    let parts: Vec<Rectangle> = layout.parts.iter().copied().map(rectangle).collect();
    server.connection.shape_rectangles(SO::SET, SK::BOUNDING, ClipOrdering::UNSORTED, window, 0, 0, &parts)?;
    // Nothing of it takes input.
    server.connection.shape_rectangles(SO::SET, SK::INPUT, ClipOrdering::UNSORTED, window, 0, 0, &[])?;
    server.connection.map_window(window)?;
    server.connection.free_gc(gc)?;
    server.connection.free_pixmap(paint)?;
    Ok(window)
}

/// Writes a label, dark on light colours and light on dark ones. A server without the font shows none.
fn write_label(
    server: &Server,
    on: u32,
    gc: Gcontext,
    text: &[u8],
    (x, y): (i32, i32),
    (colour, screen): (Colour, &Screen),
) -> Result<(), Fault> {
    let font: Font = server.connection.generate_id()?;
    if server.connection.open_font(font, b"fixed")?.check().is_err() {
        return Ok(());
    }
    let is_light = u32::from(colour.0) * 3 + u32::from(colour.1) * 6 + u32::from(colour.2) > 1_400;
    let ink = if is_light { screen.black_pixel } else { screen.white_pixel };
    let aux = x11rb::protocol::xproto::ChangeGCAux::new().font(font).foreground(ink);
    server.connection.change_gc(gc, &aux)?;
    let place = rectangle((x, y, 1, 1));
    server.connection.image_text8(on, gc, place.x, place.y, text)?;
    server.connection.close_font(font)?;
    Ok(())
}

fn pixel(server: &Server, Colour(r, g, b): Colour, screen: &Screen) -> Result<u32, Fault> {
    let wide = |n: u8| u16::from(n) * 257;
    let map = screen.default_colormap;
    Ok(server.connection.alloc_color(map, wide(r), wide(g), wide(b))?.reply()?.pixel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_stands_above_the_frame_or_below_where_there_is_no_room() {
        let high = layout((100, 100, 50, 20), Some(2));
        assert_eq!(high.whole, (97, 78, 56, 45));
        assert_eq!(high.parts.last(), Some(&(0, 0, 18, 19)));
        assert_eq!(high.parts.first(), Some(&(0, 19, 56, 3)));
        let low = layout((100, 5, 50, 20), Some(2));
        assert_eq!(low.whole, (97, 2, 56, 45));
        assert_eq!(low.parts.last(), Some(&(0, 26, 18, 19)));
        let bare = layout((0, 0, 10, 10), None);
        assert_eq!((bare.whole, bare.parts.len(), bare.text), ((-3, -3, 16, 16), 4, None));
    }

    #[test]
    fn only_what_is_on_the_screen_is_marked() {
        let screen = Rect::new(0.0, 0.0, 1000.0, 600.0);
        assert_eq!(on_screen(Rect::new(-40.0, 10.2, 100.0, 90_000.0), screen), Some((0, 10, 60, 590)));
        for outside in [Rect::new(1000.0, 0.0, 50.0, 50.0), Rect::new(5.0, -90.0, 50.0, 50.0)] {
            assert_eq!(on_screen(outside, screen), None);
        }
    }

    #[test]
    fn what_the_font_lacks_is_a_question_mark() {
        assert_eq!(latin("Aé中"), b"A\xe9?");
        assert_eq!(latin(&"x".repeat(100)).len(), LABEL);
    }
}
