//! A simulated judge: it knows where the element is, and errs.

use handeye_engine::locate::crosshair::{Reply, Side};
use handeye_scene::Rect;
use handeye_testkit::Dice;

/// What the judge looks for.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// What is here, a candidate or not.
    At(Rect),
    /// What it doesn't see.
    Unseen,
}

impl Target {
    /// What of it is seen in a picture of this size.
    pub(crate) fn seen(self, (width, height): (f64, f64)) -> Self {
        let Target::At(rect) = self else { return self };
        let (left, top) = (rect.x.max(0.0), rect.y.max(0.0));
        let (right, bottom) = ((rect.x + rect.width).min(width), (rect.y + rect.height).min(height));
        Target::At(Rect::new(left, top, right - left, bottom - top))
    }
}

/// It errs about each line by itself with this rate, any other answer alike, and about marks half as often. What it answers depends
/// on the line or on the boxes alone, and on the seed: the same line is answered alike, however often and with whatever other one it is
/// drawn, and so are the same boxes, so a repeat tells nothing.
pub(crate) struct Judge {
    pub(crate) seed: u64,
    pub(crate) error: f64,
    /// What it errs about marks by.
    pub(crate) by: By,
}

/// What a judge errs about marks by.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// Each question is another chance to be right.
    Question,
    /// It takes something else for what is sought, or doesn't, however that is marked: this candidate, or whatever is in a box that isn't
    /// around what is sought.
    Lookalike(usize),
}

/// What is asked: its kind, and what is drawn on the picture, to the pixel.
struct Asked(Dice);

impl Asked {
    fn new(seed: u64, kind: u64, drawn: &[f64]) -> Self {
        let mixed = |before: u64, more: u64| Dice::new(before ^ more).roll();
        let all = drawn.iter().map(|at| at.round() as i64 as u64);
        Self(Dice::new(all.fold(mixed(mixed(0, seed), kind), mixed)))
    }

    fn errs(&mut self, rate: f64) -> bool {
        (self.0.below(1_000_000) as f64) < rate * 1e6
    }
}

/// Kinds of questions: a vertical line, a horizontal one, a box around a place, and candidates with marks.
const ACROSS: u64 = 1;
const DOWN: u64 = 2;
const BOX: u64 = 3;
const MARKS: u64 = 4;

impl Judge {
    fn err(&self, truth: Side, mut asked: Asked) -> Side {
        if !asked.errs(self.error) {
            return truth;
        }
        let others: Vec<Side> = Side::ALL.into_iter().filter(|side| *side != truth).collect();
        *asked.0.pick(&others).unwrap_or(&truth)
    }

    /// Of a crosshair on the picture, or on a cut-out of it.
    pub(crate) fn sides(&self, target: Target, (x, y): (f64, f64), cut: Option<Rect>) -> Reply {
        let cut = cut.map_or([0.0; 4], |cut| [cut.x, cut.y, cut.width, cut.height]);
        let of = |kind: u64, reach: fn(&Rect) -> (f64, f64), line: f64| {
            let truth = match target {
                Target::At(rect) => side(reach(&rect), line),
                Target::Unseen => Side::Unseen,
            };
            // By the line and what it is drawn on: the other line is no matter.
            let drawn = [line, cut[0], cut[1], cut[2], cut[3]];
            Some(self.err(truth, Asked::new(self.seed, kind, &drawn)))
        };
        Reply::Sides {
            x: of(ACROSS, |rect| (rect.x, rect.x + rect.width), x),
            y: of(DOWN, |rect| (rect.y, rect.y + rect.height), y),
        }
    }

    /// Of one box around a place: the judge is easy to please, and takes for it whatever shares a pixel with the box.
    pub(crate) fn is_it(&self, target: Target, marked: &Rect) -> Reply {
        let truth = match target {
            Target::At(rect) => rect.intersects(marked),
            Target::Unseen => false,
        };
        let drawn = [marked.x, marked.y, marked.width, marked.height];
        let mut asked = Asked::new(self.seed, BOX, if matches!(self.by, By::Question) { &drawn } else { &[] });
        if truth == asked.errs(self.error / 2.0) { Reply::NoMark } else { Reply::Mark(0) }
    }

    /// Of marked candidates, with boxes at these places: each that is around the middle of what it looks for may be picked.
    pub(crate) fn mark(&self, (marked, boxes): (&[usize], &[Rect]), target: Target) -> Reply {
        let is_around = |area: &Rect| match target {
            Target::At(rect) => holds_middle(area, &rect),
            Target::Unseen => false,
        };
        if let By::Lookalike(other) = self.by
            && Asked::new(self.seed, MARKS, &[]).errs(self.error / 2.0)
            && let Some(at) = marked.iter().position(|candidate| *candidate == other)
        {
            return Reply::Mark(at);
        }
        let all = (0..boxes.len()).map(Some).chain([None]);
        let mut right: Vec<Option<usize>> = (0..boxes.len()).filter(|at| is_around(&boxes[*at])).map(Some).collect();
        if right.is_empty() {
            right.push(None);
        }
        let drawn = boxes.iter().flat_map(|area| [area.x, area.y, area.width, area.height]);
        let drawn: Vec<f64> = marked.iter().map(|at| *at as f64).chain(drawn).collect();
        let mut asked = Asked::new(self.seed, MARKS, &drawn);
        let wrong: Vec<Option<usize>> = all.filter(|said| !right.contains(said)).collect();
        let from = if asked.errs(self.error / 2.0) && !wrong.is_empty() { &wrong } else { &right };
        asked.0.pick(from).copied().flatten().map_or(Reply::NoMark, Reply::Mark)
    }
}

/// Whether the middle of a rect is in another.
pub(crate) fn holds_middle(area: &Rect, rect: &Rect) -> bool {
    let middle = rect.center();
    area.intersects(&Rect::new(middle.x, middle.y, 0.1, 0.1))
}

fn side((start, end): (f64, f64), line: f64) -> Side {
    if end <= line {
        Side::Before
    } else if start >= line {
        Side::After
    } else {
        Side::Crosses
    }
}
