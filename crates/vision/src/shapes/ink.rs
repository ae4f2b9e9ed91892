//! Small drawn things that are neither text nor box: icons.

use crate::{Picture, area::Area};

/// Edge of a cell, in units of the surface: what is nearer to each other belongs together.
const CELL: f64 = 3.0;
/// An icon's least and largest edge, in units of the surface, and its longest side by its shortest.
const LEAST: f64 = 8.0;
const MOST: f64 = 56.0;
const LONGEST: f64 = 3.0;
/// A pixel is ink where it differs this much from its left or upper neighbour.
const CONTRAST: u8 = 24;
/// Least pixels of ink in an icon.
const LEAST_INK: u32 = 10;

/// Clusters of ink of an icon's size, leaving out what lies in `taken`.
pub(super) fn icons(picture: &Picture, taken: &[Area]) -> Vec<Area> {
    let cell = ((CELL * picture.scale()).round() as u32).max(1);
    let columns = picture.width().div_ceil(cell) as usize;
    let rows = picture.height().div_ceil(cell) as usize;
    let mut cells = ink(picture, cell, columns, rows, taken);
    let mut found = Vec::new();
    for start in 0..cells.len() {
        if let Some(cluster) = cluster(&mut cells, columns, rows, start)
            && fits(&cluster, picture.scale())
        {
            found.push(cluster.area);
        }
    }
    found
}

/// What is inked of a cell.
#[derive(Clone, Copy)]
struct Ink {
    count: u32,
    area: Area,
}

fn ink(picture: &Picture, cell: u32, columns: usize, rows: usize, taken: &[Area]) -> Vec<Option<Ink>> {
    let mut cells: Vec<Option<Ink>> = vec![None; columns * rows];
    let mut covered = vec![false; columns * rows];
    for area in taken {
        for row in area.top / cell..area.bottom.div_ceil(cell).min(rows as u32) {
            let from = row as usize * columns;
            let (left, right) = ((area.left / cell) as usize, (area.right.div_ceil(cell) as usize).min(columns));
            covered.get_mut(from + left..from + right).unwrap_or_default().fill(true);
        }
    }
    for y in 1..picture.height() {
        let (upper, lower) = (picture.row(y - 1, 0, picture.width()), picture.row(y, 0, picture.width()));
        let pairs = lower.chunks_exact(3).zip(lower.chunks_exact(3).skip(1)).zip(upper.chunks_exact(3).skip(1));
        for (x, ((left, here), above)) in (1..).zip(pairs) {
            let differs = |other: &[u8]| other.iter().zip(here).any(|(a, b)| a.abs_diff(*b) >= CONTRAST);
            if !differs(left) && !differs(above) {
                continue;
            }
            let index = (y / cell) as usize * columns + (x / cell) as usize;
            if covered.get(index).copied().unwrap_or(true) {
                continue;
            }
            let pixel = Area::new(x, y, x + 1, y + 1);
            if let Some(place) = cells.get_mut(index) {
                let before = place.unwrap_or(Ink { count: 0, area: pixel });
                *place = Some(Ink { count: before.count + 1, area: before.area.union(pixel) });
            }
        }
    }
    cells
}

/// The cells that hang together with this one, which are taken out.
fn cluster(cells: &mut [Option<Ink>], columns: usize, rows: usize, start: usize) -> Option<Ink> {
    let mut whole = cells.get_mut(start)?.take()?;
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        let (column, row) = (at % columns, at / columns);
        for near_row in row.saturating_sub(1)..=(row + 1).min(rows - 1) {
            for near_column in column.saturating_sub(1)..=(column + 1).min(columns - 1) {
                let near = near_row * columns + near_column;
                if let Some(ink) = cells.get_mut(near).and_then(Option::take) {
                    whole = Ink { count: whole.count + ink.count, area: whole.area.union(ink.area) };
                    open.push(near);
                }
            }
        }
    }
    Some(whole)
}

fn fits(cluster: &Ink, scale: f64) -> bool {
    let (width, height) = (f64::from(cluster.area.width()) / scale, f64::from(cluster.area.height()) / scale);
    let (short, long) = (width.min(height), width.max(height));
    // Three dots above each other, or side by side, are an icon too.
    let is_dots = short >= 2.0 && (2.0 * LEAST..=MOST / 2.0).contains(&long);
    let is_compact = short >= LEAST && long <= MOST && long <= LONGEST * short;
    cluster.count >= LEAST_INK && (is_compact || is_dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(dark: &[Area]) -> Picture {
        let (width, height) = (200, 100);
        let bytes = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| if dark.iter().any(|area| area.holds(x, y)) { [0; 3] } else { [255; 3] })
            .collect();
        Picture::rgb(width, height, 1.0, bytes).unwrap()
    }

    #[test]
    fn strokes_close_to_each_other_are_one_icon() {
        let menu = [Area::new(50, 40, 66, 42), Area::new(50, 46, 66, 48), Area::new(50, 52, 66, 54)];
        assert_eq!(icons(&drawn(&menu), &[]), [Area::new(50, 40, 67, 55)]);
        assert_eq!(icons(&drawn(&menu), &[Area::new(45, 35, 70, 60)]), [], "what is taken is no icon");
    }

    #[test]
    fn specks_rules_and_large_things_are_no_icons() {
        let others = [Area::new(10, 10, 12, 12), Area::new(0, 30, 200, 31), Area::new(100, 35, 190, 99)];
        assert_eq!(icons(&drawn(&others), &[]), []);
        assert_eq!(icons(&Picture::rgb(1, 1, 1.0, vec![0; 3]).unwrap(), &[]), []);
    }
}
