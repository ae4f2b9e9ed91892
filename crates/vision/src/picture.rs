//! A picture in memory.

use crate::{VisionError, area::Area};

/// Most pixels that a picture may have: a page of 1280 by 78,000.
pub const MAX_PIXELS: u64 = 100_000_000;

/// A picture: opaque colours, row by row from the top left.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    width: u32,
    height: u32,
    scale: f64,
    /// Red, green, blue; `3 * width * height` of them.
    rgb: Vec<u8>,
}

impl Picture {
    /// A picture of `width` by `height` pixels, four bytes each: red, green, blue, alpha. What is transparent shows white.
    ///
    /// `scale` is how many pixels a unit of the surface has: 2 on a display of double density. What is no positive number
    /// counts as 1.
    ///
    /// # Errors
    /// [`VisionError::Picture`] for a picture without pixels, with more than [`MAX_PIXELS`], or whose bytes don't fit its size.
    pub fn rgba(width: u32, height: u32, scale: f64, bytes: &[u8]) -> Result<Self, VisionError> {
        check(width, height, bytes.len(), 4)?;
        let over_white = |value: u8, alpha: u8| {
            let (value, alpha) = (u32::from(value), u32::from(alpha));
            ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8
        };
        let mut rgb = Vec::with_capacity(bytes.len() / 4 * 3);
        for pixel in bytes.chunks_exact(4) {
            match pixel {
                [r, g, b, 255] => rgb.extend([*r, *g, *b]),
                [r, g, b, a] => rgb.extend([*r, *g, *b].map(|value| over_white(value, *a))),
                _ => {}
            }
        }
        Ok(Self { width, height, scale: sane(scale), rgb })
    }

    /// The same of three bytes each: red, green, blue.
    ///
    /// # Errors
    /// As [`Picture::rgba`].
    pub fn rgb(width: u32, height: u32, scale: f64, bytes: Vec<u8>) -> Result<Self, VisionError> {
        check(width, height, bytes.len(), 3)?;
        Ok(Self { width, height, scale: sane(scale), rgb: bytes })
    }

    /// Its width in pixels, at least 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Its height in pixels, at least 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Pixels per unit of the surface, from 0.25 to 8.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    pub(crate) fn area(&self) -> Area {
        Area::new(0, 0, self.width, self.height)
    }

    /// The colour at a place; beyond the edge that of the edge.
    pub(crate) fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let (x, y) = (x.min(self.width - 1), y.min(self.height - 1));
        let start = (y as usize * self.width as usize + x as usize) * 3;
        match self.rgb.get(start..start + 3) {
            Some(&[r, g, b]) => [r, g, b],
            _ => [0; 3],
        }
    }

    /// The bytes of a row from `left` to `right`, which lie within the picture.
    pub(crate) fn row(&self, y: u32, left: u32, right: u32) -> &[u8] {
        let start = y as usize * self.width as usize;
        self.rgb.get((start + left as usize) * 3..(start + right as usize) * 3).unwrap_or_default()
    }
}

fn check(width: u32, height: u32, bytes: usize, each: u64) -> Result<(), VisionError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err(VisionError::Picture(format!("{width} by {height} pixels")));
    }
    if pixels > MAX_PIXELS {
        return Err(VisionError::Picture(format!("{width} by {height} pixels, more than {MAX_PIXELS}")));
    }
    if bytes as u64 != pixels * each {
        return Err(VisionError::Picture(format!("{bytes} bytes for {width} by {height} pixels of {each} bytes")));
    }
    Ok(())
}

fn sane(scale: f64) -> f64 {
    if scale.is_finite() && scale > 0.0 { scale.clamp(0.25, 8.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_must_fit_the_size() {
        let refused = |width, height, bytes: &[u8]| {
            matches!(Picture::rgba(width, height, 1.0, bytes), Err(VisionError::Picture(_)))
        };
        assert!(refused(0, 5, &[]));
        assert!(refused(1, 1, &[1, 2, 3]));
        assert!(refused(u32::MAX, u32::MAX, &[0; 4]));
        assert!(Picture::rgba(1, 1, 1.0, &[1, 2, 3, 255]).is_ok());
    }

    #[test]
    fn transparent_pixels_show_white() {
        let picture = Picture::rgba(3, 1, 1.0, &[10, 20, 30, 255, 0, 0, 0, 0, 0, 0, 0, 128]).unwrap();
        assert_eq!([picture.at(0, 0), picture.at(1, 0), picture.at(2, 0)], [[10, 20, 30], [255; 3], [127; 3]]);
        assert_eq!(picture.at(99, 99), [127; 3]);
    }

    #[test]
    fn a_scale_that_is_no_number_is_one() {
        for (given, used) in [(f64::NAN, 1.0), (-2.0, 1.0), (2.0, 2.0), (1e9, 8.0)] {
            assert_eq!(Picture::rgb(1, 1, given, vec![0; 3]).unwrap().scale(), used);
        }
    }
}
