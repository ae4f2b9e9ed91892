//! What a run takes, in tokens: what models told of it, and an estimate of what one was at when the run ended.

use handeye_models::{Usage, estimate};

/// Counts the tokens of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Meter {
    /// Of answers that came to their end.
    told: Usage,
    /// Of the answer that is under way: no model tells of one that is broken off, and it costs all the same.
    asking: Usage,
    /// Bytes of that answer.
    heard: usize,
}

impl Meter {
    /// A model is asked something of so many tokens.
    pub(super) fn ask(&mut self, tokens: u64) {
        self.give_up();
        self.asking.input = tokens;
    }

    /// It said more.
    pub(super) fn hear(&mut self, bytes: usize) {
        self.heard = self.heard.saturating_add(bytes);
        self.asking.output = estimate(self.heard);
    }

    /// Its answer came to its end.
    pub(super) fn settle(&mut self, told: Usage) {
        (self.asking, self.heard) = (Usage::default(), 0);
        self.told.add(told);
    }

    /// It failed. Where it had said something, that counts.
    pub(super) fn give_up(&mut self) {
        if self.heard > 0 {
            self.told.add(self.asking);
        }
        (self.asking, self.heard) = (Usage::default(), 0);
    }

    /// All so far.
    pub(super) fn total(&self) -> Usage {
        let mut total = self.told;
        total.add(self.asking);
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_off_counts_and_what_never_began_does_not() {
        let mut meter = Meter::default();
        meter.ask(2);
        assert_eq!(meter.total(), Usage { input: 2, output: 0 });
        meter.give_up();
        assert_eq!(meter.total(), Usage::default());
        meter.ask(2);
        (0..3).for_each(|_| meter.hear(3));
        assert_eq!(meter.total(), Usage { input: 2, output: 3 });
        meter.ask(2);
        meter.settle(Usage { input: 10, output: 20 });
        assert_eq!(meter.total(), Usage { input: 12, output: 23 });
    }
}
