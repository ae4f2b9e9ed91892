//! Pictures of windows and of the screen.

use crate::linux::geometry::around;
use crate::linux::x11::clipboard::Clip;
use crate::linux::x11::ping;
use crate::linux::x11::server::{Fault, Server};
use crate::picture::encode;
use handeye_scene::{Code, Problem, Rect, Shot};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::composite::{ConnectionExt as _, Redirect};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, ImageOrder, Window};

/// How long an app may take to paint a window.
const PAINTS: Duration = Duration::from_millis(1500);
/// How long it must stay the same to be painted: toolkits paint once a frame, and some frames later where they are busy.
const STAYS: Duration = Duration::from_millis(120);
const FRAME: Duration = Duration::from_millis(20);
/// What is seen where no window is.
const GROUND: u8 = 0x80;

/// A picture of the screen's part `area`.
pub(crate) fn shoot_screen(server: &Server, area: Rect) -> Result<Shot, Fault> {
    let part = on_screen(server, area)?;
    shoot(server, server.root, part, part)
}

/// What the screen's part `area` shows, as a number that is the same for the same pixels.
pub(crate) fn print(server: &Server, area: Rect) -> Result<u64, Fault> {
    let part = on_screen(server, area)?;
    let mut hasher = DefaultHasher::new();
    pixels(server, server.root, part)?.hash(&mut hasher);
    Ok(hasher.finish())
}

/// What of a part is on the screen, in whole pixels.
fn on_screen(server: &Server, area: Rect) -> Result<Rect, Fault> {
    let screen = server.screen()?;
    let (left, top) = (area.x.max(0.0).floor(), area.y.max(0.0).floor());
    let right = (area.x + area.width).min(screen.width).ceil();
    let bottom = (area.y + area.height).min(screen.height).ceil();
    if right - left < 1.0 || bottom - top < 1.0 {
        return Err(Fault::Problem(Problem::new(Code::Blocked, "that part isn't on the screen")));
    }
    Ok(Rect::new(left, top, right - left, bottom - top))
}

/// A picture of windows, the topmost first, as they lie on each other and without what else lies on them, where the display
/// can do that.
pub(crate) fn shoot_windows(server: &Server, clip: &mut Clip, windows: &[(Window, Rect)]) -> Result<Shot, Fault> {
    let none = || Problem::new(Code::Blocked, "none of its windows is on the screen");
    let area = windows.iter().map(|(_, rect)| *rect).reduce(around).ok_or_else(none)?;
    if !server.composite {
        return shoot_screen(server, area);
    }
    let mut canvas = Canvas::new(area);
    let mut any = false;
    for (window, rect) in windows.iter().rev() {
        match pictured(server, clip, *window, *rect) {
            Ok((pixels, rect)) => {
                canvas.put(&pixels, rect);
                any = true;
            }
            // It may go away meanwhile, as menus do.
            Err(Fault::Refused) => {}
            Err(fault) => return Err(fault),
        }
    }
    if !any {
        // What lies below it is no picture of it.
        let text = "the window went away while its picture was taken";
        return Err(Problem::new(Code::Stale, text).hint("handeye windows").into());
    }
    let (width, height) = (canvas.width as u32, canvas.height as u32);
    Ok(Shot { bytes: encode(&canvas.pixels, width, height)?, scale: 1.0, area })
}

/// The pixels of a window and where they are: one that is resized meanwhile is looked at again.
fn pictured(server: &Server, clip: &mut Clip, window: Window, rect: Rect) -> Result<(Vec<u8>, Rect), Fault> {
    match redirected(server, clip, window, rect) {
        Err(Fault::Refused) => {}
        other => return other.map(|pixels| (pixels, rect)),
    }
    let now = server.connection.get_geometry(window)?.reply()?;
    let rect = Rect { width: now.width.into(), height: now.height.into(), ..rect };
    Ok((redirected(server, clip, window, rect)?, rect))
}

/// The pixels of a window, whatever lies on it: while it is redirected it has a picture of its own, which its app paints
/// anew where something lay on it.
fn redirected(server: &Server, clip: &mut Clip, window: Window, rect: Rect) -> Result<Vec<u8>, Fault> {
    server.connection.composite_query_version(0, 4)?.reply()?;
    server.connection.composite_redirect_window(window, Redirect::AUTOMATIC)?.check()?;
    let painted = painted(server, clip, window, rect);
    server.connection.composite_unredirect_window(window, Redirect::AUTOMATIC)?;
    server.sync()?;
    painted
}

/// The pixels of a redirected window once its app has painted it: when it has read that it is to, and they stay the same.
fn painted(server: &Server, clip: &mut Clip, window: Window, rect: Rect) -> Result<Vec<u8>, Fault> {
    server.sync()?;
    let begun = Instant::now();
    // One that doesn't know how to answer is looked at all the same.
    let _ = ping::ping(server, clip, window, PAINTS);
    let pixmap = server.connection.generate_id()?;
    server.connection.composite_name_window_pixmap(window, pixmap)?.check()?;
    let pixels = settled(server, pixmap, Rect::new(0.0, 0.0, rect.width, rect.height), begun);
    server.connection.free_pixmap(pixmap)?;
    pixels
}

/// The pixels of a pixmap once they stay the same.
fn settled(server: &Server, pixmap: u32, whole: Rect, begun: Instant) -> Result<Vec<u8>, Fault> {
    let mut last = pixels(server, pixmap, whole)?;
    let mut since = Instant::now();
    while since.elapsed() < STAYS && begun.elapsed() < PAINTS {
        std::thread::sleep(FRAME);
        let now = pixels(server, pixmap, whole)?;
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    Ok(last)
}

fn shoot(server: &Server, drawable: u32, part: Rect, area: Rect) -> Result<Shot, Fault> {
    let bytes = encode(&pixels(server, drawable, part)?, part.width as u32, part.height as u32)?;
    Ok(Shot { bytes, scale: 1.0, area })
}

/// Red, green and blue of each pixel of a part of something that is drawn into.
fn pixels(server: &Server, drawable: u32, part: Rect) -> Result<Vec<u8>, Fault> {
    let (width, height) = (part.width as u16, part.height as u16);
    let image = server
        .connection
        .get_image(ImageFormat::Z_PIXMAP, drawable, part.x as i16, part.y as i16, width, height, !0)?
        .reply()?;
    let little = server.connection.setup().image_byte_order == ImageOrder::LSB_FIRST;
    let pixels = opaque(&image.data, usize::from(width) * usize::from(height), little)
        .ok_or_else(|| Problem::new(Code::Unsupported, format!("pictures of depth {} can't be read", image.depth)))?;
    Ok(pixels)
}

/// A picture that others are put together in.
struct Canvas {
    left: f64,
    top: f64,
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(area: Rect) -> Self {
        let (width, height) = (area.width as usize, area.height as usize);
        Self { left: area.x, top: area.y, width, height, pixels: vec![GROUND; width * height * 3] }
    }

    fn put(&mut self, pixels: &[u8], rect: Rect) {
        let (x, y) = ((rect.x - self.left) as usize, (rect.y - self.top) as usize);
        let width = rect.width as usize;
        for (row, line) in pixels.chunks_exact(width.max(1) * 3).enumerate() {
            let line = &line[..line.len().min(self.width.saturating_sub(x) * 3)];
            let at = ((y + row) * self.width + x) * 3;
            if let Some(part) = self.pixels.get_mut(at..at + line.len()) {
                part.copy_from_slice(line);
            }
        }
    }
}

/// Red, green, blue of each pixel, from 32-bit pixels; none where they aren't.
fn opaque(data: &[u8], count: usize, little: bool) -> Option<Vec<u8>> {
    if data.len() < count * 4 {
        return None;
    }
    let order = |p: &[u8]| if little { [p[2], p[1], p[0]] } else { [p[1], p[2], p[3]] };
    Some(data[..count * 4].chunks_exact(4).flat_map(order).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_put_together_as_they_lie() {
        let mut canvas = Canvas::new(Rect::new(-1.0, 5.0, 3.0, 2.0));
        canvas.put(&[1; 6], Rect::new(-1.0, 5.0, 2.0, 1.0));
        canvas.put(&[2; 3], Rect::new(0.0, 5.0, 1.0, 1.0));
        canvas.put(&[3; 3], Rect::new(1.0, 6.0, 1.0, 1.0));
        let reds: Vec<u8> = canvas.pixels.iter().step_by(3).copied().collect();
        assert_eq!(reds, [1, 2, GROUND, GROUND, GROUND, 3]);
        // What grew beyond the picture is cut off at its edge.
        let mut canvas = Canvas::new(Rect::new(0.0, 0.0, 2.0, 2.0));
        canvas.put(&[4; 12], Rect::new(1.0, 0.0, 2.0, 2.0));
        let reds: Vec<u8> = canvas.pixels.iter().step_by(3).copied().collect();
        assert_eq!(reds, [GROUND, 4, GROUND, 4]);
    }

    #[test]
    fn pixels_are_read_in_either_order() {
        assert_eq!(opaque(&[3, 2, 1, 0], 1, true), Some(vec![1, 2, 3]));
        assert_eq!(opaque(&[0, 1, 2, 3], 1, false), Some(vec![1, 2, 3]));
        assert_eq!(opaque(&[1, 2, 3], 1, true), None);
    }
}
