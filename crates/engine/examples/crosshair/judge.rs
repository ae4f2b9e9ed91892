//! A simulated judge: it knows where the element is, and errs.

use handeye_engine::locate::crosshair::{Reply, Side};
use handeye_scene::Rect;
use handeye_testkit::Dice;

/// What the judge looks for.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// This candidate, by its number, which is here.
    Candidate(usize, Rect),
    /// What is here and is no candidate.
    Elsewhere(Rect),
    /// What it doesn't see.
    Unseen,
}

impl Target {
    pub(crate) fn candidate(self) -> Option<usize> {
        match self {
            Target::Candidate(number, _) => Some(number),
            Target::Elsewhere(_) | Target::Unseen => None,
        }
    }
}

/// It errs about each line by itself with this rate, any other answer alike, and about marks half as often.
pub(crate) struct Judge {
    pub(crate) dice: Dice,
    pub(crate) error: f64,
}

impl Judge {
    fn errs(&mut self, rate: f64) -> bool {
        (self.dice.below(1_000_000) as f64) < rate * 1e6
    }

    fn side(&mut self, start: f64, end: f64, line: f64) -> Side {
        let truth = if end <= line {
            Side::Before
        } else if start >= line {
            Side::After
        } else {
            Side::Crosses
        };
        self.err(truth)
    }

    fn err(&mut self, truth: Side) -> Side {
        if !self.errs(self.error) {
            return truth;
        }
        let others: Vec<Side> = Side::ALL.into_iter().filter(|side| *side != truth).collect();
        *self.dice.pick(&others).unwrap_or(&truth)
    }

    /// Of a crosshair.
    pub(crate) fn sides(&mut self, target: Target, (x, y): (f64, f64)) -> Reply {
        let (x, y) = match target {
            Target::Candidate(_, rect) | Target::Elsewhere(rect) => {
                (self.side(rect.x, rect.x + rect.width, x), self.side(rect.y, rect.y + rect.height, y))
            }
            Target::Unseen => (self.err(Side::Unseen), self.err(Side::Unseen)),
        };
        Reply::Sides { x: Some(x), y: Some(y) }
    }

    /// Of one mark around a place: the judge is easy to please, and takes for it whatever shares a pixel with the box.
    pub(crate) fn is_it(&mut self, target: Target, marked: &Rect) -> Reply {
        let truth = match target {
            Target::Candidate(_, rect) | Target::Elsewhere(rect) => rect.intersects(marked),
            Target::Unseen => false,
        };
        if truth == self.errs(self.error / 2.0) { Reply::NoMark } else { Reply::Mark(0) }
    }

    pub(crate) fn mark(&mut self, marked: &[usize], target: Option<usize>) -> Reply {
        let truth = marked.iter().position(|m| Some(*m) == target);
        let said = if self.errs(self.error / 2.0) {
            let others: Vec<Option<usize>> =
                (0..marked.len()).map(Some).chain([None]).filter(|said| *said != truth).collect();
            self.dice.pick(&others).copied().flatten()
        } else {
            truth
        };
        said.map_or(Reply::NoMark, Reply::Mark)
    }
}
