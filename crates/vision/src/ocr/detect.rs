//! Detection: how likely each place of a picture is within a line of text.

use super::{
    crop::Planes,
    line::Deadline,
    network::{self, Ocr},
};
use crate::{Picture, VisionError, area::Area};
use handeye_scene::Rect;

/// What the network sees around the part that is used of its answer, in pixels of the map.
pub(super) const CONTEXT: u32 = 64;
/// Widest part in one run, and most pixels of one run: it takes about 200 bytes a pixel while it runs.
const WIDEST: u32 = 2048;
const MOST_PIXELS: u32 = 1_600_000;
/// The network halves its input five times.
const STRIDE: u32 = 32;
/// Smallest input.
const SMALLEST: u32 = 64;

/// Shares of text, from 0 to 255, of a picture scaled to one pixel per unit of its surface.
#[derive(Debug, Clone)]
pub(super) struct Map {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) values: Vec<u8>,
    /// Pixels of the map per pixel of the picture: never more than 1.
    pub(super) factor: f64,
}

impl Map {
    /// A map of a picture on which nothing is known yet.
    pub(super) fn of(picture: &Picture) -> Self {
        let factor = 1.0 / picture.scale().max(1.0);
        let scaled = |length: u32| ((f64::from(length) * factor).round() as u32).max(1);
        let (width, height) = (scaled(picture.width()), scaled(picture.height()));
        Self { width, height, values: vec![0; width as usize * height as usize], factor }
    }

    pub(super) fn area(&self) -> Area {
        Area::new(0, 0, self.width, self.height)
    }

    pub(super) fn row(&self, y: u32) -> &[u8] {
        let width = self.width as usize;
        self.values.get(y as usize * width..(y as usize + 1) * width).unwrap_or_default()
    }

    /// The part of the map that a part of the picture is.
    pub(super) fn scaled(&self, area: Area) -> Area {
        let low = |at: u32| (f64::from(at) * self.factor).floor() as u32;
        let high = |at: u32| (f64::from(at) * self.factor).ceil() as u32;
        Area::new(low(area.left), low(area.top), high(area.right), high(area.bottom)).overlap(self.area())
    }

    /// The part of the picture that a part of the map is.
    pub(super) fn unscaled(&self, area: Area, picture: Area) -> Area {
        let low = |at: u32| (f64::from(at) / self.factor).floor() as u32;
        let high = |at: u32| (f64::from(at) / self.factor).ceil() as u32;
        Area::new(low(area.left), low(area.top), high(area.right), high(area.bottom)).overlap(picture)
    }

    /// The same to the fraction of a pixel, so that parts fit to each other at every scale.
    fn source(&self, area: Area) -> Rect {
        let rect = area.rect();
        let factor = 1.0 / self.factor;
        Rect::new(rect.x * factor, rect.y * factor, rect.width * factor, rect.height * factor)
    }

    /// Looks at one part of the map, which [`pieces`] gave. The number of pixels that went through the network.
    pub(super) fn fill(&mut self, ocr: &Ocr, picture: &Picture, own: Area) -> Result<u64, VisionError> {
        let seen = own.grown(CONTEXT, self.area());
        let source = self.source(seen);
        let rounded = |length: u32| length.max(SMALLEST).next_multiple_of(STRIDE) as usize;
        let (width, height) = (rounded(seen.width()), rounded(seen.height()));
        let mut data = vec![0.0; 3 * width * height];
        let mut planes = Planes { data: &mut data, width, height };
        planes.upright(picture, source, seen.width(), seen.height());
        planes.extend(seen.width() as usize, seen.height() as usize);
        let (shape, shares) = network::run(&ocr.detection, &[1, 3, height, width], data)?;
        if shape != [1, 1, height, width] {
            return Err(VisionError::Model(format!("detection of {width} by {height} pixels gave {shape:?}")));
        }
        self.keep(own, seen, width, &shares);
        Ok((width * height) as u64)
    }

    fn keep(&mut self, own: Area, seen: Area, width: usize, shares: &[f32]) {
        for y in own.top..own.bottom {
            let start = (y - seen.top) as usize * width + (own.left - seen.left) as usize;
            let from = shares.get(start..start + own.width() as usize).unwrap_or_default();
            let at = y as usize * self.width as usize + own.left as usize;
            let to = self.values.get_mut(at..at + own.width() as usize).unwrap_or_default();
            // The cast saturates, and what isn't a number is zero.
            to.iter_mut().zip(from).for_each(|(to, share)| *to = (share * 255.0) as u8);
        }
    }

    /// Nothing is known about a part any more.
    pub(super) fn clear(&mut self, area: Area) {
        for y in area.top..area.bottom {
            let at = y as usize * self.width as usize + area.left as usize;
            self.values.get_mut(at..at + area.width() as usize).unwrap_or_default().fill(0);
        }
    }
}

/// Cuts a part of the map into parts that the network takes at once.
pub(super) fn pieces(area: Area) -> Vec<Area> {
    let mut found = Vec::new();
    let columns = area.width().div_ceil(WIDEST - 2 * CONTEXT).max(1);
    let across = area.width().div_ceil(columns).max(1);
    let tallest = MOST_PIXELS / (across + 2 * CONTEXT) - 2 * CONTEXT;
    let rows = area.height().div_ceil(tallest).max(1);
    let down = area.height().div_ceil(rows).max(1);
    for row in 0..rows {
        for column in 0..columns {
            let (left, top) = (area.left + column * across, area.top + row * down);
            let piece = Area::new(left, top, left + across, top + down).overlap(area);
            if !piece.is_empty() {
                found.push(piece);
            }
        }
    }
    found
}

/// Size of the work that a piece is.
pub(super) fn work(piece: Area) -> u64 {
    u64::from(piece.width() + 2 * CONTEXT) * u64::from(piece.height() + 2 * CONTEXT)
}

/// Looks at pieces until the time is over; those that weren't looked at.
pub(super) fn look(
    map: &mut Map,
    ocr: &Ocr,
    picture: &Picture,
    pieces: &[Area],
    deadline: &mut Deadline,
) -> Result<(Vec<Area>, u64), VisionError> {
    let (mut unread, mut pixels) = (Vec::new(), 0);
    for piece in pieces {
        match deadline.piece(work(*piece), || map.fill(ocr, picture, *piece)) {
            Some(done) => pixels += done?,
            None => {
                map.clear(*piece);
                unread.push(*piece);
            }
        }
    }
    Ok((unread, pixels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once_and_are_small_enough() {
        for (width, height) in [(1, 1), (1280, 800), (1280, 20_000), (20_000, 3), (3840, 2160), (2048, 2048)] {
            let area = Area::new(10, 20, 10 + width, 20 + height);
            let pieces = pieces(area);
            assert_eq!(pieces.iter().map(|piece| piece.size()).sum::<u64>(), area.size());
            for (i, piece) in pieces.iter().enumerate() {
                assert!(area.encloses(*piece) && work(*piece) <= u64::from(MOST_PIXELS), "{piece:?}");
                assert!(pieces.iter().skip(i + 1).all(|other| piece.overlap(*other).is_empty()));
            }
        }
    }

    #[test]
    fn a_picture_of_double_density_is_looked_at_in_single_density() {
        let picture = Picture::rgb(200, 100, 2.0, vec![0; 60_000]).unwrap();
        let map = Map::of(&picture);
        assert_eq!((map.width, map.height), (100, 50));
        assert_eq!(map.scaled(Area::new(1, 0, 21, 10)), Area::new(0, 0, 11, 5));
        assert_eq!(map.unscaled(Area::new(0, 0, 11, 5), picture.area()), Area::new(0, 0, 22, 10));
    }
}
