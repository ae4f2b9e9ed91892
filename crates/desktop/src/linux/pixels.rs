//! Pictures of windows and of the screen.

use super::display::{Fault, Side};
use crate::picture::encode;
use handeye_scene::{Code, Problem, Rect, Shot};
use x11rb::connection::Connection;
use x11rb::protocol::composite::{ConnectionExt as _, Redirect};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, ImageOrder, Window};

impl Side {
    /// A picture of the screen's part `area`.
    pub(crate) fn shoot_screen(&mut self, area: Rect) -> Result<Shot, Fault> {
        let screen = self.screen()?;
        let (left, top) = (area.x.max(0.0).floor(), area.y.max(0.0).floor());
        let right = (area.x + area.width).min(screen.width).ceil();
        let bottom = (area.y + area.height).min(screen.height).ceil();
        if right - left < 1.0 || bottom - top < 1.0 {
            return Err(Fault::Problem(Problem::new(Code::Blocked, "that part isn't on the screen")));
        }
        let part = Rect::new(left, top, right - left, bottom - top);
        self.shoot(self.root, part, part)
    }

    /// A picture of a window, what lies on it left out where the display can do that.
    pub(crate) fn shoot_window(&mut self, window: Window, rect: Rect) -> Result<Shot, Fault> {
        let whole = Rect::new(0.0, 0.0, rect.width, rect.height);
        if !self.composite {
            return self.shoot_screen(rect);
        }
        // Redirected windows have a picture of their own, whatever lies on them.
        self.connection.composite_query_version(0, 4)?.reply()?;
        self.connection.composite_redirect_window(window, Redirect::AUTOMATIC)?.check()?;
        self.sync()?;
        let pixmap = self.connection.generate_id()?;
        let named = self.connection.composite_name_window_pixmap(window, pixmap)?.check();
        let shot = match named {
            Ok(()) => {
                let shot = self.shoot(pixmap, whole, rect);
                self.connection.free_pixmap(pixmap)?;
                shot
            }
            Err(_) => self.shoot_screen(rect),
        };
        self.connection.composite_unredirect_window(window, Redirect::AUTOMATIC)?;
        self.sync()?;
        shot
    }

    fn shoot(&self, drawable: u32, part: Rect, area: Rect) -> Result<Shot, Fault> {
        let (width, height) = (part.width as u16, part.height as u16);
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, drawable, part.x as i16, part.y as i16, width, height, !0)?
            .reply()?;
        let little = self.connection.setup().image_byte_order == ImageOrder::LSB_FIRST;
        let pixels = opaque(&image.data, usize::from(width) * usize::from(height), little).ok_or_else(|| {
            Problem::new(Code::Unsupported, format!("pictures of depth {} can't be read", image.depth))
        })?;
        let bytes = encode(&pixels, width.into(), height.into())?;
        Ok(Shot { bytes, scale: 1.0, area })
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
    fn pixels_are_read_in_either_order() {
        assert_eq!(opaque(&[3, 2, 1, 0], 1, true), Some(vec![1, 2, 3]));
        assert_eq!(opaque(&[0, 1, 2, 3], 1, false), Some(vec![1, 2, 3]));
        assert_eq!(opaque(&[1, 2, 3], 1, true), None);
    }
}
