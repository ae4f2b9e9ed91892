//! Pixels of a surface, and where on it they are.

use crate::{Point, Rect};

/// What a surface shows, as pixels: red, green, blue and opacity, 8 bits each, rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
    /// Pixels of the picture per unit of the surface's coordinates.
    scale: f64,
    /// Surface coordinates of its top left corner.
    origin: Point,
}

impl Picture {
    /// A picture of `width` × `height` pixels. None where the bytes aren't four for each pixel, there are none, or the scale
    /// is no positive number.
    pub fn new((width, height): (u32, u32), rgba: Vec<u8>, scale: f64, origin: Point) -> Option<Self> {
        let count = u64::from(width).checked_mul(u64::from(height))?.checked_mul(4)?;
        let is_whole = count > 0 && u64::try_from(rgba.len()).ok()? == count;
        let is_placed = scale.is_finite() && scale > 0.0 && origin.x.is_finite() && origin.y.is_finite();
        (is_whole && is_placed).then_some(Self { width, height, rgba, scale, origin })
    }

    /// Width in pixels.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Four bytes for each pixel.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// The same, to draw into.
    pub fn rgba_mut(&mut self) -> &mut [u8] {
        &mut self.rgba
    }

    /// Pixels per unit of the surface's coordinates.
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// What it shows, in surface coordinates.
    pub fn area(&self) -> Rect {
        let side = |pixels: u32| f64::from(pixels) / self.scale;
        Rect::new(self.origin.x, self.origin.y, side(self.width), side(self.height))
    }

    /// A rectangle of the surface in pixels of this picture, which it may reach beyond.
    pub fn in_pixels(&self, rect: Rect) -> Rect {
        let scale = self.scale;
        Rect::new(
            (rect.x - self.origin.x) * scale,
            (rect.y - self.origin.y) * scale,
            rect.width * scale,
            rect.height * scale,
        )
    }

    /// A rectangle of this picture's pixels in surface coordinates.
    pub fn on_surface(&self, rect: Rect) -> Rect {
        let scale = self.scale;
        Rect::new(
            self.origin.x + rect.x / scale,
            self.origin.y + rect.y / scale,
            rect.width / scale,
            rect.height / scale,
        )
    }

    /// The rows of what a rectangle of the surface covers, whole pixels that it touches; none where part of it is outside
    /// the picture, or it has no size.
    pub fn rows(&self, rect: Rect) -> Option<impl Iterator<Item = &[u8]>> {
        let r = self.in_pixels(rect);
        // A pixel that is only touched by rounding doesn't count.
        const SLACK: f64 = 1e-6;
        let (left, top) = ((r.x + SLACK).floor(), (r.y + SLACK).floor());
        let (right, bottom) = ((r.x + r.width - SLACK).ceil(), (r.y + r.height - SLACK).ceil());
        let inside = left >= 0.0 && top >= 0.0 && right <= f64::from(self.width) && bottom <= f64::from(self.height);
        if !(inside && right > left && bottom > top) {
            return None;
        }
        let (left, right) = (left as usize * 4, right as usize * 4);
        let line = self.width as usize * 4;
        Some(
            (top as usize..bottom as usize).filter_map(move |row| self.rgba.get(row * line + left..row * line + right)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_where_the_scale_and_the_origin_put_them() {
        let rgba: Vec<u8> = (0..4 * 2 * 4).collect();
        let picture = Picture::new((4, 2), rgba, 2.0, Point::new(-1.0, 5.0)).unwrap();
        assert_eq!(picture.area(), Rect::new(-1.0, 5.0, 2.0, 1.0));
        assert_eq!(picture.in_pixels(Rect::new(0.0, 5.0, 1.0, 1.0)), Rect::new(2.0, 0.0, 2.0, 2.0));
        assert_eq!(picture.on_surface(Rect::new(2.0, 0.0, 2.0, 2.0)), Rect::new(0.0, 5.0, 1.0, 1.0));
        let reds = |rect| -> Option<Vec<u8>> {
            Some(picture.rows(rect)?.flat_map(|row| row.iter().step_by(4).copied().collect::<Vec<_>>()).collect())
        };
        assert_eq!(reds(Rect::new(0.0, 5.0, 1.0, 1.0)), Some(vec![8, 12, 24, 28]));
        assert_eq!(reds(Rect::new(0.2, 5.2, 0.1, 0.1)), Some(vec![8]));
        assert_eq!(reds(Rect::new(0.0, 5.0, 1.5, 1.0)), None);
        assert_eq!(reds(Rect::new(0.0, 5.0, 0.0, 1.0)), None);
        assert_eq!(reds(Rect::new(f64::NAN, 5.0, 1.0, 1.0)), None);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let origin = Point::new(0.0, 0.0);
        for (size, bytes, scale) in [((0, 4), 0, 1.0), ((1, 1), 3, 1.0), ((1, 1), 4, 0.0), ((1, 1), 4, f64::NAN)] {
            assert_eq!(Picture::new(size, vec![0; bytes], scale, origin), None);
        }
        assert_eq!(Picture::new((u32::MAX, u32::MAX), Vec::new(), 1.0, origin), None);
    }
}
