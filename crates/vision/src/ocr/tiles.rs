//! Which parts of a picture are others than they were.

use super::detect::{self, CONTEXT};
use crate::{Picture, area::Area};
use std::hash::{BuildHasher, Hasher, RandomState};

/// Edge of a tile, in pixels of the picture.
pub(super) const TILE: u32 = 32;
/// With more changed places than this, what lies around all of them is one part.
const MOST_PLACES: usize = 48;

/// A digest of each tile of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tiles {
    columns: u32,
    digests: Vec<u64>,
}

impl Tiles {
    pub(super) fn of(picture: &Picture, hash: &RandomState) -> Self {
        let columns = picture.width().div_ceil(TILE);
        let mut digests = Vec::with_capacity((columns * picture.height().div_ceil(TILE)) as usize);
        for top in (0..picture.height()).step_by(TILE as usize) {
            let bottom = (top + TILE).min(picture.height());
            for left in (0..picture.width()).step_by(TILE as usize) {
                let right = (left + TILE).min(picture.width());
                let mut hasher = hash.build_hasher();
                (top..bottom).for_each(|y| hasher.write(picture.row(y, left, right)));
                digests.push(hasher.finish());
            }
        }
        Self { columns, digests }
    }

    /// The parts of the picture that aren't as in `before`: whole tiles, grouped where that is cheaper to look at.
    pub(super) fn changed(&self, before: &Self, picture: Area) -> Vec<Area> {
        let tiles = self.digests.iter().zip(&before.digests).enumerate().filter(|(_, (now, before))| now != before);
        let mut places: Vec<Area> = Vec::new();
        for (index, _) in tiles {
            let (column, row) = (index as u32 % self.columns.max(1), index as u32 / self.columns.max(1));
            let tile = Area::new(column * TILE, row * TILE, (column + 1) * TILE, (row + 1) * TILE).overlap(picture);
            // Tiles come row by row: most of them continue the last place.
            match places.last_mut() {
                Some(last) if last.right == tile.left && last.bottom == tile.bottom && last.top == tile.top => {
                    *last = last.union(tile);
                }
                _ => places.push(tile),
            }
        }
        grouped(places)
    }
}

/// Puts places together where one look at both costs less than one at each.
pub(super) fn grouped(mut places: Vec<Area>) -> Vec<Area> {
    if places.len() > MOST_PLACES {
        places = bands(places);
    }
    loop {
        let cheaper = (0..places.len()).find_map(|a| {
            let b = (a + 1..places.len()).find(|b| {
                let apart = cost(places[a]) + cost(places[*b]);
                cost(places[a].union(places[*b])) <= apart
            })?;
            Some((a, b))
        });
        let Some((a, b)) = cheaper else { return places };
        let other = places.swap_remove(b);
        places[a] = places[a].union(other);
    }
}

/// Joins what follows each other closely from top to bottom, then, if they are still too many, all of it.
fn bands(places: Vec<Area>) -> Vec<Area> {
    let mut joined: Vec<Area> = Vec::new();
    for place in places {
        match joined.last_mut() {
            Some(last) if place.top <= last.bottom + CONTEXT => *last = last.union(place),
            _ => joined.push(place),
        }
    }
    if joined.len() > MOST_PLACES {
        joined = joined.into_iter().reduce(Area::union).into_iter().collect();
    }
    joined
}

fn cost(area: Area) -> u64 {
    detect::work(area)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, dark: &[(u32, u32)]) -> Picture {
        let mut bytes = vec![255; (width * height * 3) as usize];
        for (x, y) in dark {
            bytes[((y * width + x) * 3) as usize] = 0;
        }
        Picture::rgb(width, height, 1.0, bytes).unwrap()
    }

    fn changed(dark: &[(u32, u32)]) -> Vec<Area> {
        let hash = RandomState::new();
        let (before, now) = (picture(1000, 600, &[]), picture(1000, 600, dark));
        Tiles::of(&now, &hash).changed(&Tiles::of(&before, &hash), now.area())
    }

    #[test]
    fn one_pixel_changes_one_tile() {
        assert_eq!(changed(&[]), []);
        assert_eq!(changed(&[(40, 70)]), [Area::new(32, 64, 64, 96)]);
        assert_eq!(changed(&[(999, 599)]), [Area::new(992, 576, 1000, 600)], "tiles end with the picture");
    }

    #[test]
    fn near_changes_are_one_part_and_far_ones_two() {
        assert_eq!(changed(&[(40, 70), (75, 70), (40, 110)]), [Area::new(32, 64, 96, 128)]);
        assert_eq!(changed(&[(5, 5), (990, 590)]).len(), 2);
    }

    #[test]
    fn many_changes_are_few_parts() {
        let all: Vec<(u32, u32)> =
            (0..1000).step_by(60).flat_map(|x| (0..600).step_by(60).map(move |y| (x, y))).collect();
        assert!(changed(&all).len() <= 2);
    }
}
