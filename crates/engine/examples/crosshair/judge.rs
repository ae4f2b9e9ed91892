//! A simulated judge: it knows where the element is, and errs.

use handeye_engine::locate::crosshair::{Reply, Side};
use handeye_testkit::Dice;

/// It errs about each line by itself with this rate, any other answer alike, and about marks half as often.
pub(crate) struct Judge {
    pub(crate) dice: Dice,
    pub(crate) error: f64,
}

impl Judge {
    fn errs(&mut self, rate: f64) -> bool {
        (self.dice.below(1_000_000) as f64) < rate * 1e6
    }

    pub(crate) fn side(&mut self, start: f64, end: f64, line: f64) -> Side {
        let truth = if end <= line {
            Side::Before
        } else if start >= line {
            Side::After
        } else {
            Side::Crosses
        };
        if !self.errs(self.error) {
            return truth;
        }
        let others: Vec<Side> = Side::ALL.into_iter().filter(|side| *side != truth).collect();
        *self.dice.pick(&others).unwrap_or(&truth)
    }

    pub(crate) fn mark(&mut self, marked: &[usize], target: usize) -> Reply {
        let truth = marked.iter().position(|m| *m == target);
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
