//! Where the numbers of marked targets stand in a picture, so that each can be read (set-of-mark prompting, Yang et al. 2023).
//!
//! Every target has a box, and a label with its number. A label covers no other label, no small target but its own, and of that
//! only what is plain ground: text and icons of small targets stay in sight, of those without a mark, too. Who has the fewest places chooses first, the
//! cheapest place there is (greedy point-feature label placement, Christensen, Marks and Shieber 1995): at its box before away
//! from it, beside other texts before on them, in full size before a smaller one. A target that has no place left is left out
//! and named.
//!
//! Pure: pixels are drawn elsewhere. Coordinates are the picture's, in pixels from its top left corner.

mod board;
mod places;

use crate::perceive::ink::Ink;
use board::{Grid, steps};
use handeye_scene::Rect;
pub use places::lead;

/// A target to mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToMark {
    /// Its number.
    pub number: u32,
    /// Where it is.
    pub rect: Rect,
}

/// What is to be read in a picture besides the targets to mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beside {
    /// Where it is.
    pub rect: Rect,
    /// Whether it is a target, which gets no mark, and not only text.
    pub is_target: bool,
}

/// A mark, placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The target's number.
    pub number: u32,
    /// The box: the target's rect, as far as it is in the picture.
    pub outline: Rect,
    /// Where its label stands.
    pub label: Rect,
    /// Whether the label stands away from the box, so that a line must lead to it.
    pub is_led: bool,
}

/// Marks of a picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// Those that have a place.
    pub marks: Vec<Mark>,
    /// Numbers of targets that are in the picture, and that no label could be put to.
    pub omitted: Vec<u32>,
    /// How many of those that were to be marked have no label, one that stands away, or one that covers something to read.
    pub crowded: usize,
}

/// Size of a digit of a label, and what is left free around them, in pixels at a unit of 1.
const DIGIT: (f64, f64) = (7.5, 9.5);
const MARGIN: f64 = 2.0;
/// Sizes of labels, the preferred one first, and the least unit that leaves digits legible.
const SIZES: [f64; 4] = [1.0, 0.8, 0.64, 0.5];
const LEGIBLE: f64 = 0.8;
/// A target that is smaller than so many of its labels is small: nothing may stand on what is to be read in it.
const SMALL: f64 = 6.0;
/// So thick the lines of a control are at most, which are nothing to read.
const LINE: f64 = 2.5;
/// Less than this of a target, in pixels of width or height, is no target to mark.
const LEAST: f64 = 1.0;

/// What a place costs: where it comes in the order of places, that the label is smaller, lies in its own box, so close to
/// another one that it may seem to be that one's, or on a large one; and that it covers something to read, and how much.
const ORDER: f64 = 0.02;
const SMALLER: f64 = 0.8;
const INSIDE: f64 = 1.0;
const CLOSE: f64 = 1.5;
const FOREIGN: f64 = 3.0;
const COVERS: (f64, f64) = (5.0, 20.0);
/// And what it costs besides that this is a short text: with a clear place close by, the label stands away.
const WORDS: f64 = 6.0;
/// What a label costs that stands away: by itself, for each pixel of its line at a unit of 1, and each small target on its way.
const AWAY: (f64, f64, f64) = (8.0, 0.1, 3.0);
/// How many pixels of something to read count as none: a stray dot, the rounding of a corner.
const STRAY: usize = 2;

/// Places the labels of targets in a picture of this size, whose digits are `unit` times as large as they need be. `beside`: what
/// else is to be read. `ink`: what can be read in it; without it, labels stay off small targets altogether. `most` is how many
/// are marked at most, the first ones.
pub fn place(
    targets: &[ToMark],
    beside: &[Beside],
    ink: Option<Ink>,
    (width, height): (f64, f64),
    (unit, most): (f64, usize),
) -> Marks {
    let unit = if unit.is_finite() { unit.clamp(0.5, 4.0) } else { 1.0 };
    let size = (width, height);
    let seen: Vec<ToMark> =
        targets.iter().filter_map(|t| Some(ToMark { rect: clipped(t.rect, size)?, ..*t })).collect();
    let (kept, left) = seen.split_at(most.min(seen.len()));
    let marked = kept.iter().map(|t| Standing::new(t.rect, Kind::Marked(t.number), unit));
    let unmarked = left.iter().map(|t| Beside { rect: t.rect, is_target: true });
    let read = beside.iter().filter_map(|b| Some(Beside { rect: clipped(b.rect, size)?, ..*b }));
    let others = unmarked.chain(read).map(|b| {
        let kind = if b.is_target { Kind::Target } else { Kind::Text };
        Standing::new(b.rect, kind, unit)
    });
    let standing: Vec<Standing> = marked.chain(others).collect();
    let mut board =
        Board { standing, ink, size, unit, boxes: Grid::new(size), labels: Grid::new(size), lines: Grid::new(size) };
    board.standing.iter().for_each(|s| board.boxes.put(s.rect));
    let mut placed = Marks { omitted: left.iter().map(|t| t.number).collect(), ..Marks::default() };
    let mut waiting: Vec<(&ToMark, Vec<Choice>)> = kept.iter().map(|t| (t, board.near(t))).collect();
    let good = |choices: &[Choice]| choices.iter().filter(|c| c.cost < COVERS.0).count();
    waiting.sort_by(|(a, of_a), (b, of_b)| good(of_a).cmp(&good(of_b)).then(area(&a.rect).total_cmp(&area(&b.rect))));
    let mut later = Vec::new();
    for (target, choices) in waiting {
        match board.best(&choices) {
            Some(choice) if choice.cost < COVERS.0 => placed.marks.push(board.take(target, choice)),
            _ => later.push((target, choices)),
        }
    }
    placed.crowded = later.len();
    for (target, mut choices) in later {
        choices.extend(board.away(target));
        match board.best(&choices) {
            Some(choice) => placed.marks.push(board.take(target, choice)),
            None => placed.omitted.push(target.number),
        }
    }
    placed.marks.sort_by_key(|mark| mark.number);
    placed.omitted.sort_unstable();
    placed
}

/// What stands in a picture, for a label to keep off.
#[derive(Debug, Clone, Copy)]
struct Standing {
    rect: Rect,
    kind: Kind,
    is_small: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// A target that gets this number, and a box.
    Marked(u32),
    /// A target without a mark.
    Target,
    /// Text.
    Text,
}

impl Standing {
    fn new(rect: Rect, kind: Kind, unit: f64) -> Self {
        /// As many digits as most numbers have.
        const USUAL: u32 = 10;
        let number = if let Kind::Marked(number) = kind { number } else { USUAL };
        Self { rect, kind, is_small: is_small(&rect, number, unit) }
    }

    fn holds(&self, target: &ToMark) -> bool {
        self.kind == Kind::Marked(target.number) || holds(&self.rect, &target.rect)
    }
}

/// A place that a label may take, and what it costs.
#[derive(Debug, Clone, Copy)]
struct Choice {
    at: Rect,
    is_led: bool,
    cost: f64,
}

struct Board<'a> {
    standing: Vec<Standing>,
    ink: Option<Ink<'a>>,
    size: (f64, f64),
    unit: f64,
    boxes: Grid,
    labels: Grid,
    lines: Grid,
}

impl Board<'_> {
    /// The places at its box that a target's label may take as far as other labels leave them free.
    fn near(&self, target: &ToMark) -> Vec<Choice> {
        let mut choices = Vec::new();
        let legible = |(step, share): &(usize, f64)| *step == 0 || share * self.unit >= LEGIBLE;
        for (step, share) in SIZES.into_iter().enumerate().filter(legible) {
            let size = label(target.number, self.unit * share);
            for (order, (at, is_inside)) in places::near(&target.rect, size).enumerate() {
                let Some(cost) = self.cost(target, &at) else { continue };
                let own = order as f64 * ORDER + step as f64 * SMALLER + if is_inside { INSIDE } else { 0.0 };
                choices.push(Choice { at, is_led: false, cost: cost + own });
            }
        }
        choices
    }

    /// The places away from its box that are open to a target's label.
    fn away(&self, target: &ToMark) -> Vec<Choice> {
        let size = label(target.number, self.unit);
        let mut choices = Vec::new();
        for at in places::away(&target.rect, size) {
            if !self.labels.is_free(&at) {
                continue;
            }
            let (Some(cost), Some(way)) = (self.cost(target, &at), self.way(target, &at)) else { continue };
            choices.push(Choice { at, is_led: true, cost: AWAY.0 + cost + way });
        }
        choices
    }

    /// What it costs that a label stands there; none where it must not.
    fn cost(&self, target: &ToMark, at: &Rect) -> Option<f64> {
        if at.x < 0.0 || at.y < 0.0 || at.x + at.width > self.size.0 || at.y + at.height > self.size.1 {
            return None;
        }
        let (mut cost, mut words) = (0.0, 0.0);
        let close = grown(at, 2.0 * self.unit);
        for number in self.boxes.meeting(close) {
            let other = &self.standing[number];
            let (holds, covers) = (other.holds(target), other.rect.intersects(at));
            match other.kind {
                Kind::Marked(_) if !covers => cost += if holds { 0.0 } else { CLOSE },
                Kind::Marked(_) if !other.is_small => cost += if holds { 0.0 } else { FOREIGN },
                // No label stands in another one's box, whatever is there.
                Kind::Marked(_) if !holds => return None,
                _ if !covers || !other.is_small || self.is_plain(other, holds, at) => {}
                Kind::Marked(_) | Kind::Target => return None,
                Kind::Text => words = WORDS,
            }
        }
        // A quarter of a label's area is as much as any text has.
        let most = (area(at) / 4.0) as usize;
        let ink = self.ink.map_or(0, |ink| ink.under(&self.apart(&target.rect, at), most));
        let share = ink as f64 / area(at);
        Some(cost + if ink > STRAY { COVERS.0 + COVERS.1 * share + words } else { 0.0 })
    }

    /// Whether what a label covers of something is plain ground. Of what has a box, or is around what has one, its line is none.
    fn is_plain(&self, of: &Standing, has_line: bool, at: &Rect) -> bool {
        let line = if has_line { LINE * self.unit } else { 0.0 };
        let Some(within) = shared(&grown(&of.rect, -line), at) else { return true };
        self.ink.is_some_and(|ink| ink.under(&within, STRAY + 1) <= STRAY)
    }

    /// A label without the part that stands on its box's own line.
    fn apart(&self, outline: &Rect, at: &Rect) -> Rect {
        let line = LINE * self.unit;
        let (right, bottom) = (outline.x + outline.width, outline.y + outline.height);
        let clear = |from: f64, to: f64, near: f64, far: f64| {
            let from = if from < near + line && to > near + line && from > near - line { near + line } else { from };
            let to = if to > far - line && from < far - line && to < far + line { far - line } else { to };
            // What ends or begins on the line stands off it.
            let to = if to > near - line && to <= near + line { near - line } else { to };
            let from = if from >= far - line && from < far + line { far + line } else { from };
            (from, (to - from).max(0.0))
        };
        let (x, width) = match at.y < bottom && at.y + at.height > outline.y {
            true => clear(at.x, at.x + at.width, outline.x, right),
            false => (at.x, at.width),
        };
        let (y, height) = match at.x < right && at.x + at.width > outline.x {
            true => clear(at.y, at.y + at.height, outline.y, bottom),
            false => (at.y, at.height),
        };
        Rect::new(x, y, width, height)
    }

    /// What the way from a label to its box costs; none where it crosses a label, or something to read in a small target.
    fn way(&self, target: &ToMark, at: &Rect) -> Option<f64> {
        let line = lead(at, &target.rect);
        let mut crossed: Vec<usize> = Vec::new();
        for step in steps(line, *at) {
            if !self.labels.is_free(&step) {
                return None;
            }
            for number in self.boxes.meeting(step) {
                let other = &self.standing[number];
                let has_line = matches!(other.kind, Kind::Marked(_));
                if !other.is_small || other.holds(target) {
                    continue;
                }
                let is_plain = self.ink.is_none() || self.is_plain(other, has_line, &step);
                match other.kind {
                    Kind::Text if is_plain => continue,
                    Kind::Marked(_) | Kind::Target if !is_plain => return None,
                    _ => {}
                }
                if !crossed.contains(&number) {
                    crossed.push(number);
                }
            }
        }
        let length = (line.0.x - line.1.x).hypot(line.0.y - line.1.y) / self.unit;
        Some(length * AWAY.1 + crossed.len() as f64 * AWAY.2)
    }

    /// The cheapest of these places that no label and no line has taken.
    fn best(&self, choices: &[Choice]) -> Option<Choice> {
        let open = choices.iter().filter(|c| self.labels.is_free(&c.at) && self.lines.is_free(&c.at));
        open.min_by(|a, b| a.cost.total_cmp(&b.cost)).copied()
    }

    fn take(&mut self, target: &ToMark, choice: Choice) -> Mark {
        self.labels.put(choice.at);
        if choice.is_led {
            steps(lead(&choice.at, &target.rect), choice.at).for_each(|step| self.lines.put(step));
        }
        Mark { number: target.number, outline: target.rect, label: choice.at, is_led: choice.is_led }
    }
}

/// Width and height of the label of a number.
pub fn label(number: u32, unit: f64) -> (f64, f64) {
    let digits = f64::from(number.checked_ilog10().unwrap_or(0) + 1);
    (unit * (digits * DIGIT.0 + 2.0 * MARGIN), unit * (DIGIT.1 + 2.0 * MARGIN))
}

fn area(rect: &Rect) -> f64 {
    rect.width * rect.height
}

fn grown(rect: &Rect, by: f64) -> Rect {
    Rect::new(rect.x - by, rect.y - by, (rect.width + 2.0 * by).max(0.0), (rect.height + 2.0 * by).max(0.0))
}

/// Whether a rectangle lies in another, up to a pixel.
fn holds(outer: &Rect, inner: &Rect) -> bool {
    let outer = grown(outer, 1.0);
    outer.x <= inner.x
        && outer.y <= inner.y
        && outer.x + outer.width >= inner.x + inner.width
        && outer.y + outer.height >= inner.y + inner.height
}

fn shared(a: &Rect, b: &Rect) -> Option<Rect> {
    let (left, top) = (a.x.max(b.x), a.y.max(b.y));
    let (right, bottom) = ((a.x + a.width).min(b.x + b.width), (a.y + a.height).min(b.y + b.height));
    (right > left && bottom > top).then(|| Rect::new(left, top, right - left, bottom - top))
}

fn is_small(rect: &Rect, number: u32, unit: f64) -> bool {
    let (width, height) = label(number, unit);
    area(rect) < SMALL * width * height
}

/// What of a place is in the picture.
fn clipped(r: Rect, (width, height): (f64, f64)) -> Option<Rect> {
    let is_place = [r.x, r.y, r.width, r.height].iter().all(|side| side.is_finite());
    let seen = shared(&r, &Rect::new(0.0, 0.0, width, height)).filter(|_| is_place)?;
    (seen.width >= LEAST && seen.height >= LEAST).then_some(seen)
}

#[cfg(test)]
mod tests;
