//! From patches to boxes: faces and outlines of about the size of a control.

use super::patches::{Patch, patches};
use crate::{Picture, area::Area};

/// Least height and width of a box, and most, in units of the surface.
const LEAST: f64 = 9.0;
const HIGHEST: f64 = 320.0;
const WIDEST: f64 = 1400.0;
/// Least share of its bounds that a box surrounds: a circle has 0.785.
const LEAST_ROUNDNESS: f64 = 0.75;
/// Between these it is neither face nor outline: letters, pictures.
const OUTLINE: f64 = 0.42;
const FACE: f64 = 0.5;
/// Two boxes that overlap by this much are one: an outline and the face within.
const SAME: f64 = 0.72;
/// Differences of neighbours that count as one colour: none, then those of soft gradients.
const TOLERANCES: [u8; 2] = [0, 5];
/// Pixels of one band, and how much of the next one is in it, in units of the surface: boxes higher than that may be missed
/// where bands meet.
const BAND_PIXELS: u32 = 4_000_000;
const BAND_OVERLAP: f64 = HIGHEST;
/// Most boxes of one picture.
const MOST: usize = 3000;

/// A rectangle or circle with one colour inside or around.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) area: Area,
}

/// The boxes of a picture, no two of them the same.
pub(super) fn boxes(picture: &Picture) -> Vec<Frame> {
    let scale = picture.scale();
    let least = (LEAST * scale) as u32;
    let mut found = Vec::new();
    for band in bands(picture) {
        let cut = |area: Area| {
            area.top == band.top && band.top > 0 || area.bottom == band.bottom && band.bottom < picture.height()
        };
        for tolerance in TOLERANCES {
            let seen = patches(picture, band, tolerance, least);
            found.extend(seen.iter().filter(|patch| !cut(patch.bounds)).filter_map(|patch| fitting(patch, scale)));
        }
    }
    distinct(found)
}

/// Parts of the picture that are labelled at once.
fn bands(picture: &Picture) -> Vec<Area> {
    let overlap = (BAND_OVERLAP * picture.scale()) as u32;
    let height = (BAND_PIXELS / picture.width()).max(2 * overlap);
    let mut found = Vec::new();
    let mut top = 0_u32;
    loop {
        let bottom = top.saturating_add(height).min(picture.height());
        found.push(Area::new(0, top, picture.width(), bottom));
        if bottom == picture.height() {
            return found;
        }
        top = bottom - overlap;
    }
}

fn fitting(patch: &Patch, scale: f64) -> Option<Frame> {
    let (width, height) = (f64::from(patch.bounds.width()) / scale, f64::from(patch.bounds.height()) / scale);
    let roundness = patch.roundness();
    let filling = patch.filling();
    let is_one = filling <= OUTLINE || filling >= FACE;
    let fits = height <= HIGHEST && width <= WIDEST && roundness >= LEAST_ROUNDNESS && is_one;
    fits.then_some(Frame { area: patch.bounds })
}

/// Of boxes that are about the same the outermost, which is what can be hit.
fn distinct(mut found: Vec<Frame>) -> Vec<Frame> {
    found.sort_by_key(|one| (std::cmp::Reverse(one.area.size()), one.area));
    let mut kept: Vec<Frame> = Vec::new();
    // By rows of a coarse grid: only neighbours are compared.
    let mut grid: std::collections::HashMap<(u32, u32), Vec<usize>> = std::collections::HashMap::new();
    for one in found {
        let (x, y) = one.area.center();
        let (column, row) = (x / CELL, y / CELL);
        let near = (column.saturating_sub(1)..=column + 1)
            .flat_map(|column| (row.saturating_sub(1)..=row + 1).map(move |row| (column, row)))
            .filter_map(|cell| grid.get(&cell))
            .flatten();
        let is_twin = near.copied().any(|at| kept[at].area.iou(one.area) >= SAME || is_rim(kept[at].area, one.area));
        if !is_twin && kept.len() < MOST {
            grid.entry((column, row)).or_default().push(kept.len());
            kept.push(one);
        }
    }
    kept
}

/// The rim of a box, which is no ink of an icon.
pub(super) fn rim(area: Area, picture: &Picture) -> [Area; 4] {
    const WIDE: u32 = 3;
    let outer = area.grown(WIDE, picture.area());
    let Area { left, top, right, bottom } = outer;
    let (width, height) = ((2 * WIDE).min(outer.width()), (2 * WIDE).min(outer.height()));
    [
        Area::new(left, top, right, top + height),
        Area::new(left, bottom - height, right, bottom),
        Area::new(left, top, left + width, bottom),
        Area::new(right - width, top, right, bottom),
    ]
}

/// Edge of a cell of the grid; the middles of two boxes that are the same lie closer.
const CELL: u32 = 64;

/// Whether the inner area is the outer one without a rim of a few pixels: of a small box, that is much of its size.
fn is_rim(outer: Area, inner: Area) -> bool {
    const RIM: u32 = 4;
    outer.encloses(inner)
        && inner.left - outer.left <= RIM
        && outer.right - inner.right <= RIM
        && inner.top - outer.top <= RIM
        && outer.bottom - inner.bottom <= RIM
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let bytes = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y)).collect();
        Picture::rgb(width, height, 1.0, bytes).unwrap()
    }

    fn areas(picture: &Picture) -> Vec<Area> {
        let mut found: Vec<Area> = boxes(picture).iter().map(|one| one.area).collect();
        found.sort_by_key(|area| (area.top, area.left));
        found
    }

    #[test]
    fn an_outline_and_its_face_are_one_box() {
        let outer = Area::new(20, 10, 120, 40);
        let inner = Area::new(21, 11, 119, 39);
        let drawn = picture(200, 60, |x, y| match (inner.holds(x, y), outer.holds(x, y)) {
            (true, _) => [255; 3],
            (false, true) => [120; 3],
            _ => [240; 3],
        });
        // The page itself, of 200 by 60, is a face as well: whoever asks tells it by its size.
        assert_eq!(areas(&drawn), [Area::new(0, 0, 200, 60), outer]);
    }

    #[test]
    fn a_button_with_a_gradient_is_one_box() {
        let face = Area::new(20, 10, 120, 40);
        let drawn = picture(200, 60, |x, y| if face.holds(x, y) { [200 - 2 * (y as u8), 90, 30] } else { [255; 3] });
        assert!(areas(&drawn).contains(&face));
    }

    #[test]
    fn a_high_picture_is_seen_in_bands_and_each_box_once() {
        let drawn =
            picture(100, 60_000, |x, y| if (20..80).contains(&x) && y % 100 < 30 { [10, 80, 200] } else { [255; 3] });
        let found = boxes(&drawn);
        assert_eq!(found.iter().filter(|one| one.area.height() == 30).count(), 600);
    }

    #[test]
    fn bands_overlap_and_end() {
        for (width, height) in [(1, 1), (1280, 800), (1280, 20_000), (1, 1_000_000), (5000, 2000)] {
            let drawn = Picture::rgb(width, height, 1.0, vec![0; (width * height * 3) as usize]).unwrap();
            let bands = bands(&drawn);
            assert_eq!((bands[0].top, bands[bands.len() - 1].bottom), (0, height));
            assert!(bands.windows(2).all(|pair| pair[1].top < pair[0].bottom && pair[1].top > pair[0].top));
        }
    }
}
