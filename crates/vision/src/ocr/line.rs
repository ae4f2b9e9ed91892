//! What reading gives, and how long it may take.

use handeye_scene::Rect;
use std::time::{Duration, Instant};

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Where it is, in pixels of the picture; upright, also where the text is turned.
    pub rect: Rect,
    /// What it says, without white space at its ends; never empty.
    pub text: String,
    /// How sure the model is, from 0 to 1: the mean over its characters.
    pub confidence: f32,
    /// Its words, as white space separates them. Their rects are estimates, about a character's width off.
    pub words: Vec<Word>,
}

/// A word of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// Where it is, in pixels of the picture.
    pub rect: Rect,
    /// What it says.
    pub text: String,
}

/// How long reading may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The limit. It is looked at before each piece of work (up to 1.6 megapixels of detection, about a dozen lines of
    /// recognition), and a piece isn't begun that would pass it, judging by those before. The first piece of each kind has
    /// none to judge by: the limit may be passed by as long as that takes.
    pub time: Duration,
}

impl Budget {
    /// So much time.
    pub const fn of(time: Duration) -> Self {
        Self { time }
    }
}

impl Default for Budget {
    /// Ten seconds.
    fn default() -> Self {
        Self::of(Duration::from_secs(10))
    }
}

/// What one look gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The lines, from top to bottom, then from left to right.
    pub lines: Vec<Line>,
    /// What the budget left unread, in pixels of the picture: parts that weren't looked at, and lines that were seen but
    /// not read. Empty when all was read. The next look at the same surface begins with them.
    pub unread: Vec<Rect>,
    /// What it cost.
    pub spent: Spent,
}

/// What a look cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Time of the whole look.
    pub time: Duration,
    /// Pixels that went into detection, after scaling and with what overlaps.
    pub detected_pixels: u64,
    /// Lines that were recognized anew.
    pub recognized: usize,
    /// Lines whose text was known from a look before.
    pub reused: usize,
}

/// When reading has to end, and how long its pieces take.
pub(crate) struct Deadline {
    begun: Instant,
    limit: Duration,
    /// Seconds per unit of work, by the slowest piece so far.
    pace: f64,
}

impl Deadline {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { begun: Instant::now(), limit: budget.time, pace: 0.0 }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// A stage with work of another kind begins.
    pub(crate) fn new_stage(&mut self) {
        self.pace = 0.0;
    }

    /// Does a piece of work of this size, if there is time for it.
    pub(crate) fn piece<T>(&mut self, size: u64, work: impl FnOnce() -> T) -> Option<T> {
        let expected = self.pace * size as f64;
        if self.begun.elapsed().as_secs_f64() + expected >= self.limit.as_secs_f64() {
            return None;
        }
        let begun = Instant::now();
        let result = work();
        self.pace = self.pace.max(begun.elapsed().as_secs_f64() / size.max(1) as f64);
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_time_no_piece_is_begun() {
        let mut deadline = Deadline::new(Budget::of(Duration::ZERO));
        assert_eq!(deadline.piece(1, || 5), None);
        let mut deadline = Deadline::new(Budget::of(Duration::from_secs(3600)));
        assert_eq!(deadline.piece(1, || 5), Some(5));
        deadline.pace = 10.0;
        assert_eq!(deadline.piece(1_000_000, || 5), None, "it would take longer than there is time");
        deadline.new_stage();
        assert_eq!(deadline.piece(1_000_000, || 5), Some(5));
    }
}
