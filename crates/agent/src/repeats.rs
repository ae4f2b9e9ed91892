//! Calls that go round in circles: the same ones again and again, with the same results.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Longest circle that is looked for, in calls.
const LONGEST: usize = 4;
/// How often a circle is gone round before the next round is refused.
const ROUNDS: usize = 3;
/// How often a refusal is told before the task is ended.
pub const WARNINGS: usize = 3;

/// What was called, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Past {
    call: u64,
    result: u64,
}

/// The calls so far.
#[derive(Debug, Default)]
pub struct Repeats {
    past: Vec<Past>,
    /// How often a call was refused for going round.
    warned: usize,
}

impl Repeats {
    /// Notes a call that was carried out.
    pub fn note(&mut self, call: &str, result: &str) {
        self.past.push(Past { call: digest(call), result: digest(result) });
    }

    /// Whether a call would begin another round of a circle. Counting up is no circle: its results differ.
    pub fn goes_round(&self, call: &str) -> bool {
        let call = digest(call);
        (1..=LONGEST).any(|length| {
            let Some(start) = self.past.len().checked_sub(length * ROUNDS) else { return false };
            let rounds: Vec<&[Past]> = self.past[start..].chunks(length).collect();
            rounds.iter().all(|round| *round == rounds[0]) && rounds[0][0].call == call
        })
    }

    /// Counts a refusal; whether it was one too many.
    pub fn warn(&mut self) -> bool {
        self.warned += 1;
        self.warned >= WARNINGS
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_with_the_same_result_is_a_circle_and_progress_is_none() {
        let goes = |past: &[(&str, &str)], next: &str| {
            let mut repeats = Repeats::default();
            past.iter().for_each(|(call, result)| repeats.note(call, result));
            repeats.goes_round(next)
        };
        let same = [("a", "x"), ("a", "x"), ("a", "x")];
        /// What it is, calls with their results, the next call, whether it goes round.
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, bool);
        let cases: [Case; 8] = [
            ("nothing yet", &[], "a", false),
            ("twice", &same[..2], "a", false),
            ("three times", &same, "a", true),
            ("another call", &same, "b", false),
            ("counting up", &[("a", "1"), ("a", "2"), ("a", "3")], "a", false),
            ("to and fro", &[("a", "x"), ("b", "y"), ("a", "x"), ("b", "y"), ("a", "x"), ("b", "y")], "a", true),
            (
                "to and fro, out of turn",
                &[("a", "x"), ("b", "y"), ("a", "x"), ("b", "y"), ("a", "x"), ("b", "y")],
                "b",
                false,
            ),
            ("broken off", &[("a", "x"), ("a", "x"), ("b", "y"), ("a", "x")], "a", false),
        ];
        for (what, past, next, wanted) in cases {
            assert_eq!(goes(past, next), wanted, "{what}");
        }
        let mut repeats = Repeats::default();
        assert_eq!([repeats.warn(), repeats.warn(), repeats.warn()], [false, false, true]);
    }
}
