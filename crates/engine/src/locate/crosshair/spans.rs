//! Where something may begin and end along one axis, and how probable each of these is.

use super::odds::{spread, truth, truths};
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

    /// First and last edges apart. That tells as much of any line, and there are few of them: many lines are tried for a question.
    pub(super) fn ends(&self) -> Ends {
        let apart = |edge: fn(&(f64, f64, f64)) -> f64| {
            let mut all: Vec<(f64, f64)> = self.0.iter().map(|span| (edge(span), span.2)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all.dedup_by(|next, kept| {
                let is_same = next.0.total_cmp(&kept.0).is_eq();
                kept.1 += if is_same { next.1 } else { 0.0 };
                is_same
            });
            all
        };
        Ends { starts: apart(|span| span.0), ends: apart(|span| span.1), all: self.0.iter().map(|span| span.2).sum() }
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

/// First and last edges apart, each with how probable it is.
pub(super) struct Ends {
    starts: Vec<(f64, f64)>,
    ends: Vec<(f64, f64)>,
    all: f64,
}

impl Ends {
    /// How probable it is that each answer about a line is the true one.
    pub(super) fn truth(&self, line: f64) -> [f64; 4] {
        truths(&self.starts, &self.ends, self.all, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_apart_tell_as_much_of_a_line_as_together() {
        let mut spans =
            Spans::new((0..40).map(|i| (f64::from(i % 7) * 9.0, f64::from(i % 7) * 9.0 + f64::from(i), 1.0)).collect());
        spans.learn(31.0, Side::After, 0.1);
        for line in [-4.0, 0.0, 2.0, 17.5, 31.0, 60.0, 99.0] {
            let (together, apart) = (spans.truth(line), spans.ends().truth(line));
            assert!(together.iter().zip(apart).all(|(a, b)| (a - b).abs() < 1e-9), "{line}: {together:?} {apart:?}");
        }
    }
}
