//! Parts of a line that stand apart: items of a menu, links of a table's cell. Detection takes them for one line where they
//! are less than about two characters apart.

use crate::{Picture, area::Area};

/// A gap is this wide, by the height of the line. A space has about a third, what follows a Chinese comma about two thirds.
const WIDE: f64 = 0.9;
/// A column is blank where its pixels differ by no more than this: a rule between two items is blank as well.
const EVEN: u8 = 30;

/// The parts of an upright line, each from its first to its last inked column; the whole where nothing stands apart.
pub(super) fn parts(picture: &Picture, line: Area) -> Vec<Area> {
    let wide = ((f64::from(line.height()) * WIDE) as u32).max(4);
    let mut found: Vec<Area> = Vec::new();
    for (offset, inked) in (0..).zip(inked(picture, line)) {
        let x = line.left + offset;
        if !inked {
            continue;
        }
        match found.last_mut() {
            Some(last) if x - last.right < wide => last.right = x + 1,
            _ => found.push(Area { left: x, right: x + 1, ..line }),
        }
    }
    if found.len() < 2 { vec![line] } else { found }
}

/// For each column whether its pixels differ.
fn inked(picture: &Picture, line: Area) -> Vec<bool> {
    let mut low = picture.row(line.top, line.left, line.right).to_vec();
    let mut high = low.clone();
    for y in line.top..line.bottom {
        let row = picture.row(y, line.left, line.right);
        low.iter_mut().zip(row).for_each(|(low, value)| *low = (*low).min(*value));
        high.iter_mut().zip(row).for_each(|(high, value)| *high = (*high).max(*value));
    }
    let differs = |(low, high): (&[u8], &[u8])| low.iter().zip(high).any(|(low, high)| high - low > EVEN);
    low.chunks_exact(3).zip(high.chunks_exact(3)).map(differs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A white picture with a letter's stroke in each of these columns; `rule` is dark from top to bottom.
    fn drawn(strokes: &[u32], rule: u32) -> Picture {
        let dark = |x: u32, y: u32| x == rule || strokes.contains(&x) && (5..15).contains(&y);
        let bytes = (0..20)
            .flat_map(|y| (0..100).map(move |x| (x, y)))
            .flat_map(|(x, y)| if dark(x, y) { [0; 3] } else { [255; 3] })
            .collect();
        Picture::rgb(100, 20, 1.0, bytes).unwrap()
    }

    #[test]
    fn what_is_far_apart_is_two_parts_and_words_are_one() {
        let line = Area::new(0, 3, 100, 17);
        let near = drawn(&[10, 12, 18, 24], 200);
        assert_eq!(parts(&near, line), [line]);
        let far = drawn(&[10, 12, 40, 45], 25);
        assert_eq!(parts(&far, line), [Area::new(10, 3, 13, 17), Area::new(40, 3, 46, 17)]);
    }

    #[test]
    fn a_line_without_ink_is_left_as_it_is() {
        let line = Area::new(0, 3, 100, 17);
        assert_eq!(parts(&drawn(&[], 200), line), [line]);
        assert_eq!(parts(&drawn(&[3], 200), Area::new(3, 5, 3, 5)), [Area::new(3, 5, 3, 5)]);
    }
}
