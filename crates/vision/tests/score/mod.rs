//! How much of what is on a page was found.

use handeye_testkit::rendered::{Known, Rendered};
use handeye_vision::{Line, Picture, Shape};

/// A share, and what is missing from it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Score {
    pub(crate) found: usize,
    pub(crate) of: usize,
    pub(crate) missed: Vec<String>,
}

impl Score {
    pub(crate) fn share(&self) -> f64 {
        self.found as f64 / self.of.max(1) as f64
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.found += other.found;
        self.of += other.of;
        self.missed.extend(other.missed.iter().cloned());
    }

    fn note(&mut self, found: bool, what: impl FnOnce() -> String) {
        self.of += 1;
        self.found += usize::from(found);
        if !found {
            self.missed.push(what());
        }
    }
}

pub(crate) fn picture(page: &Rendered) -> Picture {
    Picture::rgb(page.width, page.height, page.scale, page.rgb.clone()).unwrap()
}

/// A word is found where the lines over it, read together, have it: every character, in order.
pub(crate) fn words(page: &Rendered, lines: &[Line]) -> Score {
    let mut score = Score::default();
    for word in &page.words {
        let over: String = lines.iter().filter(|line| meet(word, line)).map(|line| plain(&line.text)).collect();
        score.note(over.contains(&plain(&word.text)), || format!("{} in {over:?}", word.text));
    }
    score
}

/// A control is found where a shape's middle lies in it, one shape for each control.
pub(crate) fn controls(page: &Rendered, shapes: &[Shape]) -> Score {
    let mut score = Score::default();
    let mut used = vec![false; shapes.len()];
    // The smallest first, so that a large one doesn't use up what hits a small one within.
    let mut order: Vec<&Known> = page.controls.iter().collect();
    order.sort_by(|a, b| (a.rect[2] * a.rect[3]).total_cmp(&(b.rect[2] * b.rect[3])));
    for control in order {
        let [x, y, width, height] = control.rect;
        let hit = shapes.iter().enumerate().position(|(at, shape)| {
            let middle = shape.rect.center();
            !used[at] && middle.x > x && middle.x < x + width && middle.y > y && middle.y < y + height
        });
        if let Some(at) = hit {
            used[at] = true;
        }
        score.note(hit.is_some(), || format!("{} {:?} at {:?}", control.kind, control.text, control.rect));
    }
    score
}

fn meet(word: &Known, line: &Line) -> bool {
    let [x, y, width, height] = word.rect;
    let r = line.rect;
    x < r.x + r.width && r.x < x + width && y < r.y + r.height && r.y < y + height
}

/// Without white space; punctuation of full and half width is the same.
fn plain(text: &str) -> String {
    let half = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2013}' | '\u{2014}' => '-',
        '\u{a5}' => '\u{a5}',
        other => other,
    };
    text.chars().map(half).filter(|c| !c.is_whitespace()).collect()
}
