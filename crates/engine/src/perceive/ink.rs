//! Where a picture has something to read: text, icons and edges, as against plain ground.

use handeye_scene::{Picture, Rect};

/// Neighbouring pixels of plain ground differ by no more than this in any channel: gradients and noise are plain.
const PLAIN: u8 = 24;

/// The pixels of a picture, asked for what can be read in them.
#[derive(Debug, Clone, Copy)]
pub struct Ink<'a> {
    width: usize,
    height: usize,
    rgba: &'a [u8],
}

impl<'a> Ink<'a> {
    /// That of a picture.
    pub fn of(picture: &'a Picture) -> Self {
        Self { width: picture.width() as usize, height: picture.height() as usize, rgba: picture.rgba() }
    }

    /// How many pixels in a rectangle of the picture differ from the one before or above them in it, up to `most`. What lies
    /// at the rectangle's sides doesn't count.
    pub fn under(&self, rect: &Rect, most: usize) -> usize {
        let side = |from: f64, to: f64, length: usize| {
            let whole = |at: f64| at.clamp(0.0, length as f64) as usize;
            whole(from.floor())..whole(to.ceil())
        };
        let columns = side(rect.x, rect.x + rect.width, self.width);
        let rows = side(rect.y, rect.y + rect.height, self.height);
        let mut found = 0;
        let mut above: &[u8] = &[];
        for row in rows {
            let from = row * self.width;
            let line = self.rgba.get((from + columns.start) * 4..(from + columns.end) * 4).unwrap_or_default();
            for at in 0..columns.len() {
                let before = at.checked_sub(1).and_then(|before| pixel(line, before));
                let here = pixel(line, at);
                if [before, pixel(above, at)].into_iter().flatten().any(|other| here.is_some_and(|h| differ(h, other)))
                {
                    found += 1;
                    if found >= most {
                        return found;
                    }
                }
            }
            above = line;
        }
        found
    }
}

fn pixel(line: &[u8], at: usize) -> Option<&[u8]> {
    line.get(at * 4..at * 4 + 3)
}

fn differ(one: &[u8], other: &[u8]) -> bool {
    one.iter().zip(other).any(|(a, b)| a.abs_diff(*b) > PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Point;

    #[test]
    fn what_differs_from_its_ground_is_ink_and_a_gradient_is_not() {
        let mut rgba: Vec<u8> = (0..20 * 10).flat_map(|i| [(i % 20 * 10) as u8, 128, 128, 255]).collect();
        // A mark of 2 by 2 pixels at 8, 4.
        for (x, y) in [(8, 4), (9, 4), (8, 5), (9, 5)] {
            rgba[(y * 20 + x) * 4 + 1] = 0;
        }
        let picture = Picture::new((20, 10), rgba, 1.0, Point::new(0.0, 0.0)).unwrap();
        let ink = Ink::of(&picture);
        assert!(ink.under(&Rect::new(0.0, 0.0, 20.0, 10.0), 100) >= 4);
        assert_eq!(ink.under(&Rect::new(0.0, 0.0, 20.0, 10.0), 2), 2);
        for plain in [[0.0, 0.0, 8.0, 10.0], [10.0, 0.0, 10.0, 10.0], [0.0, 0.0, 20.0, 4.0], [8.0, 4.0, 2.0, 2.0]] {
            assert_eq!(ink.under(&Rect::from(plain), 100), 0, "{plain:?}");
        }
        assert_eq!(ink.under(&Rect::new(-50.0, 90.0, 10.0, 10.0), 100), 0);
        assert_eq!(ink.under(&Rect::new(f64::NAN, 0.0, 10.0, 10.0), 100), 0);
    }
}
