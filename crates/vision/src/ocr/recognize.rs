//! Recognition: what lines say.

use super::{
    crop::Planes,
    ctc::{self, Decoded},
    detect::Map,
    gaps,
    geometry::Slanted,
    line::{Deadline, Line, Word},
    network::{self, Ocr},
};
use crate::{Picture, VisionError, area::Area};
use handeye_scene::Rect;
use std::hash::{BuildHasher, Hasher, RandomState};

/// Height of the model's input.
const HEIGHT: u32 = 48;
/// Narrowest and widest input. What is longer is narrowed.
const NARROWEST: u32 = 48;
const WIDEST: u32 = 3200;
/// Widths of one run together: about a dozen lines of two words.
const MOST_WIDTH: u32 = 2560;
/// How much a detected box grows: for the crop that is read, and for the rect that is reported. Measured on pages: at 1.6 half
/// of the reported boxes overlap the text's own by less than half.
const CROP: f64 = 1.6;
const REPORTED: f64 = 0.4;
/// A box that is this much taller than wide, and this tall in units of the surface, holds a line that runs downwards.
const DOWNWARDS: (f64, f64) = (2.5, 40.0);

/// A line that was seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    /// The box to read, in pixels of the picture.
    crop: Slanted,
    /// The box to report.
    reported: Slanted,
    /// Width of its input.
    width: u32,
}

impl Seen {
    /// The lines of a detected box, which is in pixels of the map: one, or several that stand apart.
    pub(super) fn lines(map: &Map, picture: &Picture, detected: &Slanted) -> Vec<Self> {
        let box_of = detected.times(1.0 / map.factor);
        if detected.height > DOWNWARDS.0 * detected.width && detected.height > DOWNWARDS.1 {
            // Its text is read from top to bottom.
            let [x, y] = box_of.axis;
            let downwards = Slanted { axis: [-y, x], width: box_of.height, height: box_of.width, ..box_of };
            return vec![Self::of(picture, &downwards)];
        }
        if !detected.is_upright() {
            return vec![Self::of(picture, &box_of)];
        }
        let reported = Area::of(box_of.unclipped(REPORTED).bounds(-0.5, 0.5), picture.area());
        let parts = gaps::parts(picture, reported);
        if parts.len() < 2 {
            return vec![Self::of(picture, &box_of)];
        }
        // A detected box is smaller than the ink that it stands for, by what the reported one grows.
        let by = (box_of.unclipped(REPORTED).height - box_of.height) / 2.0;
        let one = |part: &Area| {
            let (left, right) = (f64::from(part.left) + by, f64::from(part.right) - by);
            let middle = (left + right) / 2.0;
            let width = (right - left).max(1.0);
            Self::of(picture, &Slanted { center: [middle, box_of.center[1]], width, ..box_of })
        };
        parts.iter().map(one).collect()
    }

    /// A detected box, in pixels of the picture.
    fn of(picture: &Picture, detected: &Slanted) -> Self {
        let mut crop = detected.unclipped(CROP);
        let mut reported = detected.unclipped(REPORTED);
        if detected.is_upright() {
            crop = whole(&crop, picture);
            reported = whole(&reported, picture);
        }
        let width = (f64::from(HEIGHT) * crop.width / crop.height.max(1.0)).ceil() as u32;
        Self { crop, reported, width: width.clamp(NARROWEST / 2, WIDEST) }
    }

    /// Where it is reported.
    pub(super) fn rect(&self, picture: &Picture) -> Rect {
        Area::of(self.reported.bounds(-0.5, 0.5), picture.area()).rect()
    }

    /// A digest of what its crop shows: the same pixels say the same.
    pub(super) fn digest(&self, picture: &Picture, hash: &RandomState) -> u64 {
        let area = Area::of(self.crop.bounds(-0.5, 0.5), picture.area());
        let mut hasher = hash.build_hasher();
        hasher.write_u32(area.width());
        hasher.write_u64(self.crop.axis[1].to_bits());
        (area.top..area.bottom).for_each(|y| hasher.write(picture.row(y, area.left, area.right)));
        hasher.finish()
    }

    /// The line with the text that was read; nothing where there is none.
    pub(super) fn line(&self, picture: &Picture, decoded: &Decoded) -> Option<Line> {
        let words = words(decoded);
        if words.is_empty() {
            return None;
        }
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        // Shares of the crop's length, as shares of the reported box's.
        let scale = self.crop.width / self.reported.width.max(1.0);
        let share = |at: f32| ((f64::from(at) - 0.5) * scale).clamp(-0.5, 0.5);
        let last = words.len() - 1;
        let placed = words.into_iter().enumerate().map(|(index, word)| {
            // The ends of the line are known better than its characters' places.
            let from = if index == 0 { -0.5 } else { share(word.from) };
            let to = if index == last { 0.5 } else { share(word.to) };
            let rect = Area::of(self.reported.bounds(from, to.max(from)), picture.area()).rect();
            Word { rect, text: word.text }
        });
        let placed = placed.collect();
        Some(Line { rect: self.rect(picture), text, confidence: decoded.confidence, words: placed })
    }
}

/// The box with whole pixels as its sides, within the picture.
fn whole(part: &Slanted, picture: &Picture) -> Slanted {
    let rect = Area::of(part.bounds(-0.5, 0.5), picture.area()).rect();
    let center = rect.center();
    Slanted { center: [center.x, center.y], axis: part.axis, width: rect.width.max(1.0), height: rect.height.max(1.0) }
}

/// A word by the shares of the crop's length where it begins and ends.
struct Spelled {
    text: String,
    from: f32,
    to: f32,
}

/// Words as white space separates them. A character reaches half way to its neighbours.
fn words(decoded: &Decoded) -> Vec<Spelled> {
    let characters = &decoded.characters;
    let mut found: Vec<Spelled> = Vec::new();
    let mut apart = true;
    for (index, (text, at)) in characters.iter().enumerate() {
        if text.trim().is_empty() {
            apart = true;
            continue;
        }
        let before =
            index.checked_sub(1).and_then(|i| characters.get(i)).map_or(0.0, |(_, before)| (before + at) / 2.0);
        let after = characters.get(index + 1).map_or(1.0, |(_, after)| (after + at) / 2.0);
        match found.last_mut().filter(|_| !apart) {
            Some(word) => {
                word.text.push_str(text);
                word.to = after;
            }
            None => found.push(Spelled { text: text.clone(), from: before, to: after }),
        }
        apart = false;
    }
    found
}

/// Lines that one run reads, by their places in the list of all: those of about the same width together.
pub(super) fn batches(lines: &[Seen]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| lines[*at].width);
    let mut found: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let wide = lines[at].width;
        match found.last_mut().filter(|batch| (batch.len() as u32 + 1) * wide <= MOST_WIDTH) {
            Some(batch) => batch.push(at),
            None => found.push(vec![at]),
        }
    }
    found
}

/// Reads lines, as far as there is time: what each says, in the order given.
pub(super) fn read(
    ocr: &Ocr,
    picture: &Picture,
    lines: &[Seen],
    deadline: &mut Deadline,
) -> Result<Vec<Option<Decoded>>, VisionError> {
    let mut texts = vec![None; lines.len()];
    for batch in batches(lines) {
        let seen: Vec<&Seen> = batch.iter().map(|at| &lines[*at]).collect();
        let wide = padded(&seen);
        let Some(done) = deadline.piece(u64::from(wide) * seen.len() as u64, || run(ocr, picture, &seen)) else {
            break;
        };
        for (at, decoded) in batch.into_iter().zip(done?) {
            texts[at] = Some(decoded);
        }
    }
    Ok(texts)
}

fn padded(seen: &[&Seen]) -> u32 {
    seen.iter().map(|seen| seen.width).max().unwrap_or_default().max(NARROWEST).next_multiple_of(8)
}

fn run(ocr: &Ocr, picture: &Picture, seen: &[&Seen]) -> Result<Vec<Decoded>, VisionError> {
    let (width, height) = (padded(seen) as usize, HEIGHT as usize);
    let each = 3 * width * height;
    let mut data = vec![0.0; each * seen.len()];
    for (seen, data) in seen.iter().zip(data.chunks_exact_mut(each)) {
        let mut planes = Planes { data, width, height };
        if seen.crop.is_upright() {
            planes.upright(picture, seen.crop.bounds(-0.5, 0.5), seen.width, HEIGHT);
        } else {
            planes.slanted(picture, &seen.crop, seen.width, HEIGHT);
        }
    }
    let (shape, scores) = network::run(&ocr.recognition, &[seen.len(), 3, height, width], data)?;
    let (lines, steps, classes) = match shape[..] {
        [lines, steps, classes] if lines == seen.len() && classes == ocr.classes.len() => (lines, steps, classes),
        _ => return Err(VisionError::Model(format!("recognition of {} lines gave {shape:?}", seen.len()))),
    };
    let per_line = scores.chunks_exact((steps * classes).max(1)).take(lines);
    let used = |seen: &Seen| (seen.width as usize * steps).div_ceil(width).clamp(1, steps) * classes;
    Ok(per_line.zip(seen).map(|(scores, seen)| ctc::decode(&scores[..used(seen)], &ocr.classes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(width: f64) -> Seen {
        let part = Slanted { center: [width / 2.0, 24.0], axis: [1.0, 0.0], width, height: 48.0 };
        Seen { crop: part, reported: part, width: width as u32 }
    }

    fn decoded(text: &str) -> Decoded {
        let count = text.chars().count() as f32;
        let characters = text.chars().enumerate().map(|(i, c)| (c.to_string(), (i as f32 + 0.5) / count)).collect();
        Decoded { characters, confidence: 0.75 }
    }

    #[test]
    fn words_share_a_line_by_their_characters() {
        let picture = Picture::rgb(200, 60, 1.0, vec![0; 36_000]).unwrap();
        let line = seen(100.0).line(&picture, &decoded(" ab  cd")).unwrap();
        assert_eq!((line.text.as_str(), line.confidence), ("ab cd", 0.75));
        let places: Vec<(&str, f64, f64)> =
            line.words.iter().map(|w| (w.text.as_str(), w.rect.x, w.rect.width)).collect();
        assert_eq!(places, [("ab", 0.0, 43.0), ("cd", 71.0, 29.0)]);
        assert_eq!(seen(100.0).line(&picture, &decoded("  ")), None);
        assert_eq!(seen(100.0).line(&picture, &decoded("")), None);
    }

    #[test]
    fn batches_hold_every_line_once_and_are_not_too_wide() {
        let lines: Vec<Seen> = (0..100).map(|i| seen(f64::from(24 + (i * 37) % 3100))).collect();
        let batches = batches(&lines);
        let mut all: Vec<usize> = batches.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        for batch in &batches {
            let widest = batch.iter().map(|at| lines[*at].width).max().unwrap();
            assert!(batch.len() == 1 || widest * batch.len() as u32 <= MOST_WIDTH);
        }
    }

    #[test]
    fn a_tall_box_is_read_downwards_but_a_single_stroke_is_not() {
        let picture = Picture::rgb(400, 400, 1.0, vec![0; 480_000]).unwrap();
        let map = Map::of(&picture);
        let part = |width, height| Slanted { center: [200.0, 200.0], axis: [1.0, 0.0], width, height };
        assert_eq!(Seen::lines(&map, &picture, &part(20.0, 120.0))[0].crop.axis, [-0.0, 1.0]);
        assert_eq!(Seen::lines(&map, &picture, &part(4.0, 12.0))[0].crop.axis, [1.0, 0.0], "the letter I");
    }
}
