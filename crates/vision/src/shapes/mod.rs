//! Places that look like controls: boxes and icons, combined with the lines of text. No model takes part.
//!
//! Boxes come from patches of one colour (`patches.rs`, `boxes.rs`), icons from small drawn things beside the text
//! (`ink.rs`), checkboxes and radio buttons from their silhouettes (`marks.rs`); `claims.rs` puts them and the lines together and guesses what each is.

mod boxes;
mod claims;
mod ink;
mod marks;
mod patches;
mod pieces;
mod shape;

pub use shape::{Kind, Shape};

use crate::{Line, Picture, area::Area};
use marks::Mark;

/// What looks like a control or a text in the picture, from top to bottom, then from left to right; at most 2000.
///
/// `lines` are those that were read in the same picture; without any, boxes have no text. Takes 0.1 to 0.5 s for a screen.
pub fn shapes(picture: &Picture, lines: &[Line]) -> Vec<Shape> {
    let within = picture.area();
    let texts: Vec<Area> = lines.iter().map(|line| Area::of(line.rect, within)).collect();
    let frames = boxes::boxes(picture);
    let rims: Vec<Area> = frames.iter().flat_map(|one| boxes::rim(one.area, picture)).collect();
    let taken: Vec<Area> = texts.iter().copied().chain(rims).collect();
    let mut icons = ink::icons(picture, &taken);
    icons.truncate(MOST_ICONS);
    let squares = frames.iter().map(|one| one.area);
    let single = squares.chain(icons.iter().copied()).chain(texts.iter().copied());
    let leading = texts.iter().filter_map(|text| marks::leading(picture, *text));
    let marks = distinct(leading.chain(single.filter_map(|place| marks::at(picture, place))));
    claims::combined(picture, lines, &claims::Seen { frames, icons, marks })
}

/// Each is held against each other: a pattern of small squares has no end of them.
const MOST_ICONS: usize = 4000;

/// No mark twice.
fn distinct(marks: impl Iterator<Item = Mark>) -> Vec<Mark> {
    let mut kept: Vec<Mark> = Vec::new();
    for mark in marks {
        if !kept.iter().any(|other| other.area.iou(mark.area) > 0.3) {
            kept.push(mark);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
