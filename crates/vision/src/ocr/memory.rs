//! What was read of a surface, kept so that the next look reads only what changed.
//!
//! Two things are kept: the map of where text is, which is renewed where tiles of the picture changed, and what each crop
//! of pixels said, so that lines are recognized again only where their pixels are new. Both are renewed by the same code as
//! in a first look.

use super::{
    ctc::Decoded,
    detect::{self, Map},
    line::{Budget, Deadline, Reading, Spent},
    network::Ocr,
    recognize::{self, Seen},
    regions,
    tiles::{self, Tiles},
};
use crate::{Picture, VisionError, area::Area};
use handeye_scene::Problem;
use std::{collections::HashMap, hash::RandomState};

/// Around what changed, this much of the map is renewed with it, in pixels of the map.
const AROUND: u32 = 16;
/// A text is kept for so many looks in which it wasn't seen.
const KEPT_LOOKS: u64 = 8;

impl Ocr {
    /// Reads a picture, with nothing kept from before.
    ///
    /// # Errors
    /// `bug` when a model can't be run.
    pub fn read(&self, picture: &Picture, budget: Budget) -> Result<Reading, Problem> {
        Memory::default().look(self, picture, budget)
    }
}

/// What is kept of one surface between looks. Empty at first; about a byte a pixel.
#[derive(Debug, Default)]
pub struct Memory {
    last: Option<Last>,
    texts: HashMap<u64, Kept>,
    /// Its keys are random: no page can make up pixels with a known digest.
    hash: RandomState,
    looks: u64,
}

/// The last look.
#[derive(Debug)]
struct Last {
    width: u32,
    height: u32,
    scale: f64,
    tiles: Tiles,
    map: Map,
    /// Parts of the map that there was no time for.
    unread: Vec<Area>,
}

#[derive(Debug)]
struct Kept {
    decoded: Decoded,
    look: u64,
}

impl Memory {
    /// Reads a picture of the surface. Of a picture that isn't as large as the last one, or of another scale, all is read.
    ///
    /// # Errors
    /// `bug` when a model can't be run.
    pub fn look(&mut self, ocr: &Ocr, picture: &Picture, budget: Budget) -> Result<Reading, Problem> {
        Ok(self.look_checked(ocr, picture, budget)?)
    }

    /// Forgets all: the next look reads everything.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    fn look_checked(&mut self, ocr: &Ocr, picture: &Picture, budget: Budget) -> Result<Reading, VisionError> {
        let mut deadline = Deadline::new(budget);
        self.looks += 1;
        let (mut last, pieces) = self.prepared(picture);
        let (unread, detected_pixels) = detect::look(&mut last.map, ocr, picture, &pieces, &mut deadline)?;
        last.unread = unread;
        let seen: Vec<Seen> =
            regions::boxes(&last.map).iter().flat_map(|part| Seen::lines(&last.map, picture, part)).collect();
        deadline.new_stage();
        let (texts, spent) = self.texts(ocr, picture, &seen, &mut deadline)?;
        let mut reading = Reading { spent: Spent { detected_pixels, ..spent }, ..Reading::default() };
        let unseen = last.unread.iter().map(|area| last.map.unscaled(*area, picture.area()).rect());
        reading.unread.extend(unseen);
        for (seen, text) in seen.iter().zip(&texts) {
            match text {
                Some(decoded) => reading.lines.extend(seen.line(picture, decoded)),
                None => reading.unread.push(seen.rect(picture)),
            }
        }
        reading.lines.sort_by(|a, b| a.rect.y.total_cmp(&b.rect.y).then(a.rect.x.total_cmp(&b.rect.x)));
        self.last = Some(last);
        let looks = self.looks;
        self.texts.retain(|_, kept| kept.look + KEPT_LOOKS > looks);
        reading.spent.time = deadline.elapsed();
        Ok(reading)
    }

    /// What is known from the last look, and the parts of the map to look at.
    fn prepared(&mut self, picture: &Picture) -> (Last, Vec<Area>) {
        let tiles = Tiles::of(picture, &self.hash);
        let (width, height, scale) = (picture.width(), picture.height(), picture.scale());
        let fits = |last: &Last| (last.width, last.height) == (width, height) && last.scale == scale;
        match self.last.take().filter(fits) {
            Some(mut last) => {
                let changed = tiles.changed(&last.tiles, picture.area());
                let within = last.map.area();
                let mut parts: Vec<Area> =
                    changed.iter().map(|area| last.map.scaled(*area).grown(AROUND, within)).collect();
                parts.append(&mut last.unread);
                last.tiles = tiles;
                (last, tiles::grouped(parts).into_iter().flat_map(detect::pieces).collect())
            }
            None => {
                let map = Map::of(picture);
                let pieces = detect::pieces(map.area());
                (Last { width, height, scale, tiles, map, unread: Vec::new() }, pieces)
            }
        }
    }

    /// What lines say, in the order given: known from before, or read now.
    fn texts(
        &mut self,
        ocr: &Ocr,
        picture: &Picture,
        seen: &[Seen],
        deadline: &mut Deadline,
    ) -> Result<(Vec<Option<Decoded>>, Spent), VisionError> {
        let digests: Vec<u64> = seen.iter().map(|seen| seen.digest(picture, &self.hash)).collect();
        let is_new = |digest: &u64| !self.texts.contains_key(digest);
        let new: Vec<usize> = (0..seen.len()).filter(|at| is_new(&digests[*at])).collect();
        let lines: Vec<Seen> = new.iter().map(|at| seen[*at].clone()).collect();
        let read = recognize::read(ocr, picture, &lines, deadline)?;
        let recognized = read.iter().flatten().count();
        for (at, decoded) in new.iter().zip(read) {
            if let Some(decoded) = decoded {
                self.texts.insert(digests[*at], Kept { decoded, look: self.looks });
            }
        }
        let looks = self.looks;
        let known = |digest: &u64| {
            let kept = self.texts.get_mut(digest)?;
            kept.look = looks;
            Some(kept.decoded.clone())
        };
        let texts = digests.iter().map(known).collect();
        Ok((texts, Spent { recognized, reused: seen.len() - new.len(), ..Spent::default() }))
    }
}
