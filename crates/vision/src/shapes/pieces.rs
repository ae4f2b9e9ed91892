//! Pieces of text: a line without the mark before it, in parts where its words lie in several boxes or have several colours.

use super::{boxes::Frame, marks::Mark};
use crate::{Line, Picture, Word, area::Area};

/// Difference between the largest and the smallest channel from which on a colour isn't grey like its neighbour: a link within
/// a sentence has another colour.
const COLOURED: u8 = 70;

/// A piece of text.
pub(super) struct Piece<'a> {
    pub(super) area: Area,
    pub(super) confidence: f32,
    /// Whether it is the text of a shape.
    pub(super) used: bool,
    words: Vec<&'a str>,
}

impl Piece<'_> {
    pub(super) fn text(&self) -> String {
        self.words.join(" ")
    }

    pub(super) fn center(&self) -> (u32, u32) {
        self.area.center()
    }
}

/// The pieces of all lines. `frames` come smallest first.
pub(super) fn pieces<'a>(picture: &Picture, lines: &'a [Line], frames: &[Frame], marks: &[Mark]) -> Vec<Piece<'a>> {
    lines.iter().flat_map(|line| of_line(picture, line, frames, marks)).filter(|piece| !piece.area.is_empty()).collect()
}

fn of_line<'a>(picture: &Picture, line: &'a Line, frames: &[Frame], marks: &[Mark]) -> Vec<Piece<'a>> {
    let area = Area::of(line.rect, picture.area());
    let mark = marks.iter().find(|mark| area.holds(mark.area.center().0, mark.area.center().1));
    let start = mark.filter(|mark| mark.area.left < area.left + area.height()).map(|mark| mark.area.right + 1);
    // A line that is nothing but the mark.
    if start.is_some_and(|start| start + 4 > area.right) {
        return Vec::new();
    }
    let mut found: Vec<Piece> = Vec::new();
    let mut last = None;
    for (index, word) in line.words.iter().enumerate() {
        let mut place = Area::of(word.rect, picture.area());
        let Some(text) = unmarked(word, place, start, index) else { continue };
        place.left = place.left.max(start.unwrap_or(0).min(place.right));
        let here = (home(frames, place, area), is_coloured(picture, place, area));
        match found.last_mut().filter(|_| last == Some(here)) {
            Some(piece) => {
                piece.area = piece.area.union(place);
                piece.words.push(text);
            }
            None => found.push(Piece { area: place, words: vec![text], confidence: line.confidence, used: false }),
        }
        last = Some(here);
    }
    found
}

/// What a word says without the mark before it, which is read as a sign or as a letter.
fn unmarked(word: &Word, place: Area, start: Option<u32>, index: usize) -> Option<&str> {
    let text = word.text.as_str();
    let Some(start) = start.filter(|_| index == 0) else { return Some(text) };
    if place.center().0 < start && place.right < start + place.height() / 2 {
        return None;
    }
    let rest = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !"([{<\"'¥￥$€+-#@/.（《“".contains(c));
    Some(rest).filter(|rest| !rest.is_empty())
}

/// The smallest frame that a word lies in, as high as its line: a letter's outline is none.
fn home(frames: &[Frame], word: Area, line: Area) -> Option<usize> {
    let (x, y) = word.center();
    frames.iter().position(|one| one.area.holds(x, y) && one.area.height() + 2 >= line.height())
}

/// Whether a word is written in a colour, by its pixel that is least like the ground.
fn is_coloured(picture: &Picture, word: Area, line: Area) -> bool {
    // A word's ends are uncertain.
    let inset = (line.height() / 3).min(word.width() / 4);
    let ground = picture.at(line.left, line.top);
    let far = |colour: &[u8; 3]| colour.iter().zip(ground).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>();
    let pixels = (word.top..word.bottom)
        .flat_map(|y| (word.left + inset..word.right.saturating_sub(inset)).map(move |x| (x, y)))
        .map(|(x, y)| picture.at(x, y));
    let ink = pixels.max_by_key(far).unwrap_or(ground);
    let spread = |colour: [u8; 3]| colour.iter().max().unwrap_or(&0) - colour.iter().min().unwrap_or(&0);
    spread(ink).saturating_sub(spread(ground)) >= COLOURED
}
