//! What many trials come to.

use crate::rules::{Outcome, SURE};
use std::fmt;

#[derive(Default)]
pub(crate) struct Sum {
    trials: usize,
    found: usize,
    calls: usize,
    sure: usize,
    sure_and_wrong: usize,
    not_found: usize,
}

impl Sum {
    pub(crate) fn add(&mut self, outcome: &Outcome, target: Option<usize>) {
        self.trials += 1;
        self.calls += outcome.calls;
        self.found += usize::from(outcome.picked.is_some() && outcome.picked == target);
        self.not_found += usize::from(outcome.is_not_found);
        if outcome.confidence >= SURE && (outcome.picked.is_some() || outcome.is_not_found) {
            self.sure += 1;
            self.sure_and_wrong += usize::from(outcome.picked != target);
        }
    }

    /// Where it was said that it is none of them, in percent.
    pub(crate) fn not_found(&self) -> f64 {
        percent(self.not_found, self.trials)
    }

    /// Of all, where a wrong one was returned as sure, in percent.
    pub(crate) fn falsely_found(&self) -> f64 {
        percent(self.sure_and_wrong, self.trials)
    }

    /// In percent.
    pub(crate) fn found(&self) -> f64 {
        percent(self.found, self.trials)
    }

    pub(crate) fn calls(&self) -> f64 {
        self.calls as f64 / self.trials.max(1) as f64
    }

    /// How many were sure.
    pub(crate) fn sure(&self) -> usize {
        self.sure
    }

    /// How many of these were wrong.
    pub(crate) fn wrong(&self) -> usize {
        self.sure_and_wrong
    }

    /// Of what was sure, in percent.
    pub(crate) fn wrong_though_sure(&self) -> f64 {
        percent(self.sure_and_wrong, self.sure)
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>9.1}%{:>10.2}{:>11.2}%", self.found(), self.calls(), self.wrong_though_sure())
    }
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

/// Where one row of the table of calibration ends and the next begins.
const EDGES: [f64; 8] = [0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1.000_001];

/// How often what was said to be probable was so: number, sum of what was said, how often it was right.
#[derive(Default)]
pub(crate) struct Bins([(usize, f64, usize); EDGES.len() - 1]);

impl Bins {
    pub(crate) fn add(&mut self, said: f64, right: bool) {
        let at = EDGES.iter().skip(1).position(|edge| said < *edge).unwrap_or(EDGES.len() - 2);
        if let Some((count, sum, hits)) = self.0.get_mut(at) {
            (*count, *sum, *hits) = (*count + 1, *sum + said, *hits + usize::from(right));
        }
    }

    pub(crate) fn print(&self) {
        println!("{:<16}{:>10}{:>14}{:>10}", "said", "times", "said, mean", "so");
        for (edges, (count, sum, hits)) in EDGES.windows(2).zip(&self.0) {
            if let [from, to] = edges {
                let range = format!("{from}–{}", to.min(1.0));
                let mean = 100.0 * sum / (*count).max(1) as f64;
                println!("{range:<16}{count:>10}{mean:>13.2}%{:>9.2}%", percent(*hits, *count));
            }
        }
    }
}
