//! Parts of a picture, scaled for a model: planes of blue, green, red, from -1 to 1.

use super::geometry::Slanted;
use crate::{Picture, area::Area};
use handeye_scene::Rect;

/// What one output pixel takes from a row of input pixels: the first, and the weight of each from there on.
struct Taps {
    first: u32,
    weights: Vec<f32>,
}

/// Triangle filter from `from` (in input pixels) with `length` of them, to `to` output pixels: linear interpolation where it
/// is enlarged, an average of all that is covered where it is made smaller.
fn taps(from: f64, length: f64, to: u32, limit: u32) -> Vec<Taps> {
    let step = length / f64::from(to.max(1));
    let reach = step.max(1.0);
    let one = |index: u32| {
        let center = from + (f64::from(index) + 0.5) * step - 0.5;
        let first = (center - reach).ceil().max(0.0).min(f64::from(limit.saturating_sub(1))) as u32;
        let last = (center + reach).floor().max(f64::from(first)).min(f64::from(limit.saturating_sub(1))) as u32;
        let weights: Vec<f32> =
            (first..=last).map(|at| (1.0 - (f64::from(at) - center).abs() / reach).max(0.0) as f32).collect();
        let sum: f32 = weights.iter().sum();
        if sum <= f32::EPSILON {
            return Taps { first, weights: vec![1.0] };
        }
        Taps { first, weights: weights.into_iter().map(|weight| weight / sum).collect() }
    };
    (0..to).map(one).collect()
}

/// Scales a value of a channel to what the models take.
fn scaled(value: f32) -> f32 {
    value / 127.5 - 1.0
}

/// A tensor of one picture that is filled from the left: its planes are `width` by `height`.
pub(super) struct Planes<'a> {
    pub(super) data: &'a mut [f32],
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Planes<'_> {
    fn put(&mut self, x: usize, y: usize, [r, g, b]: [f32; 3]) {
        let plane = self.width * self.height;
        let at = y * self.width + x;
        for (channel, value) in [b, g, r].into_iter().enumerate() {
            if let Some(place) = self.data.get_mut(channel * plane + at) {
                *place = scaled(value);
            }
        }
    }

    /// Fills what is right of `from` and below `under` with the pixels of the edge: no edge that isn't in the picture.
    pub(super) fn extend(&mut self, from: usize, under: usize) {
        let plane = self.width * self.height;
        for channel in self.data.chunks_exact_mut(plane.max(1)) {
            for row in channel.chunks_exact_mut(self.width.max(1)).take(under) {
                let edge = from.checked_sub(1).and_then(|at| row.get(at)).copied().unwrap_or_default();
                row.iter_mut().skip(from).for_each(|value| *value = edge);
            }
            let last: Vec<f32> =
                channel.chunks_exact(self.width.max(1)).nth(under.saturating_sub(1)).unwrap_or_default().to_vec();
            channel.chunks_exact_mut(self.width.max(1)).skip(under).for_each(|row| row.copy_from_slice(&last));
        }
    }

    /// Fills the top left `width` by `height` with an upright part of the picture.
    pub(super) fn upright(&mut self, picture: &Picture, part: Rect, width: u32, height: u32) {
        let area = Area::of(part, picture.area());
        if area.rect() == part && area.width() == width && area.height() == height {
            return self.copied(picture, area);
        }
        let across = taps(part.x, part.width, width, picture.width());
        let down = taps(part.y, part.height, height, picture.height());
        // Rows are narrowed once each, as they are first needed.
        let mut narrowed: Vec<(u32, Vec<[f32; 3]>)> = Vec::new();
        for (y, rows) in down.iter().enumerate() {
            let needed = rows.first..rows.first + rows.weights.len() as u32;
            narrowed.retain(|(row, _)| needed.contains(row));
            for row in needed.clone() {
                if !narrowed.iter().any(|(have, _)| *have == row) {
                    narrowed.push((row, narrow(picture, row, &across)));
                }
            }
            for x in 0..width as usize {
                let mut sum = [0.0; 3];
                for (row, pixels) in &narrowed {
                    let weight = rows.weights.get((row - rows.first) as usize).copied().unwrap_or_default();
                    let pixel = pixels.get(x).copied().unwrap_or_default();
                    (0..3).for_each(|channel| sum[channel] += weight * pixel[channel]);
                }
                self.put(x, y, sum);
            }
        }
    }

    fn copied(&mut self, picture: &Picture, area: Area) {
        for y in 0..area.height() {
            let row = picture.row(area.top + y, area.left, area.right);
            for (x, pixel) in row.chunks_exact(3).enumerate() {
                self.put(x, y as usize, [pixel[0], pixel[1], pixel[2]].map(f32::from));
            }
        }
    }

    /// Fills the top left `width` by `height` with a turned part of the picture.
    pub(super) fn slanted(&mut self, picture: &Picture, part: &Slanted, width: u32, height: u32) {
        for y in 0..height {
            for x in 0..width {
                let along = (f64::from(x) + 0.5) / f64::from(width) - 0.5;
                let across = (f64::from(y) + 0.5) / f64::from(height) - 0.5;
                let [px, py] = part.place(along, across);
                self.put(x as usize, y as usize, between(picture, px - 0.5, py - 0.5));
            }
        }
    }
}

/// A row of the picture, scaled to the output's width.
fn narrow(picture: &Picture, row: u32, across: &[Taps]) -> Vec<[f32; 3]> {
    let bytes = picture.row(row, 0, picture.width());
    let one = |taps: &Taps| {
        let mut sum = [0.0; 3];
        let pixels = bytes.get(taps.first as usize * 3..).unwrap_or_default().chunks_exact(3);
        for (pixel, weight) in pixels.zip(&taps.weights) {
            (0..3).for_each(|channel| sum[channel] += weight * f32::from(pixel[channel]));
        }
        sum
    };
    across.iter().map(one).collect()
}

/// The colour between four pixels; outside the picture that of its edge.
fn between(picture: &Picture, x: f64, y: f64) -> [f32; 3] {
    let (left, top) = (x.floor(), y.floor());
    let (right_share, lower_share) = ((x - left) as f32, (y - top) as f32);
    // The cast saturates: what lies outside is the edge.
    let at = |dx: f64, dy: f64| picture.at((left + dx) as u32, (top + dy) as u32).map(f32::from);
    let mix = |a: [f32; 3], b: [f32; 3], share: f32| {
        let mut mixed = [0.0; 3];
        (0..3).for_each(|channel| mixed[channel] = a[channel] + (b[channel] - a[channel]) * share);
        mixed
    };
    let upper = mix(at(0.0, 0.0), at(1.0, 0.0), right_share);
    let lower = mix(at(0.0, 1.0), at(1.0, 1.0), right_share);
    mix(upper, lower, lower_share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let bytes = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y)).collect();
        Picture::rgb(width, height, 1.0, bytes).unwrap()
    }

    fn upright(picture: &Picture, area: Area, width: u32, height: u32) -> Vec<f32> {
        let mut data = vec![9.0; (3 * width * height) as usize];
        let mut planes = Planes { data: &mut data, width: width as usize, height: height as usize };
        planes.upright(picture, area.rect(), width, height);
        data
    }

    #[test]
    fn channels_are_blue_green_red_from_minus_one_to_one() {
        let picture = picture(1, 1, |_, _| [255, 0, 51]);
        let data = upright(&picture, picture.area(), 1, 1);
        assert_eq!(data, [-0.6, -1.0, 1.0]);
    }

    #[test]
    fn halving_averages_what_is_covered() {
        let stripes = picture(16, 16, |x, _| [if x % 2 == 0 { 0 } else { 255 }; 3]);
        for value in upright(&stripes, Area::new(4, 4, 12, 12), 4, 4) {
            assert!(value.abs() < 0.01, "{value}");
        }
    }

    #[test]
    fn enlarging_keeps_a_flat_colour() {
        let flat = picture(3, 3, |_, _| [255; 3]);
        assert!(upright(&flat, flat.area(), 50, 48).iter().all(|value| (value - 1.0).abs() < 1e-5));
    }

    #[test]
    fn what_is_beyond_the_edge_is_the_edge() {
        let picture = picture(2, 2, |x, y| [(100 * x + 50 * y) as u8; 3]);
        let mut data = vec![0.0; 3 * 16];
        let mut planes = Planes { data: &mut data, width: 4, height: 4 };
        planes.upright(&picture, picture.area().rect(), 2, 2);
        planes.extend(2, 2);
        let row =
            |y: usize| data[y * 4..y * 4 + 4].iter().map(|v| ((v + 1.0) * 127.5).round() as u8).collect::<Vec<_>>();
        assert_eq!([row(0), row(1), row(3)], [[0, 100, 100, 100], [50, 150, 150, 150], [50, 150, 150, 150]]);
    }
}
