//! Where something may begin and end along one axis, and how probable each of these is.

use super::odds::{spread, truth};
use super::reply::Side;

/// First edges, last edges, and probabilities, which sum to 1.
#[derive(Debug, Clone)]
pub(super) struct Spans(Vec<(f64, f64, f64)>);

impl Spans {
    /// With weights that need not sum to 1.
    pub(super) fn new(spans: Vec<(f64, f64, f64)>) -> Self {
        let mut spans = Self(spans);
        spans.settle();
        spans
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(f64, f64, f64)> {
        self.0.iter()
    }

    /// How probable it is that each answer about a line is the true one.
    pub(super) fn truth(&self, line: f64) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for (start, end, weight) in &self.0 {
            sums.iter_mut().zip(truth(*start, *end, line)).for_each(|(sum, odds)| *sum += weight * odds);
        }
        sums
    }

    /// Learns what a judge said of a line who errs at this rate; how probable that answer was.
    pub(super) fn learn(&mut self, line: f64, said: Side, error: f64) -> f64 {
        for span in &mut self.0 {
            let odds = spread(&truth(span.0, span.1, line), error);
            span.2 *= odds.get(said.index()).copied().unwrap_or(0.0);
        }
        self.settle()
    }

    /// Back to a sum of 1, and nothing to 0; what the sum was.
    fn settle(&mut self) -> f64 {
        let sum: f64 = self.0.iter().map(|span| span.2).sum();
        if sum.is_finite() && sum > 0.0 {
            self.0.iter_mut().for_each(|span| span.2 = (span.2 / sum).max(1e-12));
        }
        sum
    }
}
