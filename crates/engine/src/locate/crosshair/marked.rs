//! Under which numbers candidates are marked. A judge may say the same number whatever it is shown, or what stands first, last or
//! in the middle: what it picks tells of the candidate only as far as the candidate was picked in places that differ.

use super::question::Marks;

/// A place among the marks of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Its number, from 0 on.
    number: usize,
    /// Of so many.
    of: usize,
}

impl Place {
    /// Whether a judge that goes by the place alone may mean this one and the other: by its number, by how many follow, or as
    /// the middle, of which an even number has two.
    fn is_like(self, other: Place) -> bool {
        let alike = |of: fn(Place) -> usize| of(self) == of(other);
        let middle = |of: fn(Place) -> usize| of(self) == self.number && of(other) == other.number;
        alike(|place| place.number)
            || alike(|place| place.of - place.number)
            || middle(|place| (place.of - 1) / 2)
            || middle(|place| place.of / 2)
    }
}

/// What was asked about marks, and answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Marked {
    /// What was marked, question by question.
    shown: Vec<Marks>,
    /// Candidates that were picked, and where they stood.
    picks: Vec<(usize, Place)>,
}

impl Marked {
    /// Learns which of these was picked, if one was.
    pub(super) fn learn(&mut self, shown: &Marks, picked: Option<usize>) {
        let place = shown.candidates.iter().position(|candidate| Some(*candidate) == picked);
        self.picks.extend(picked.zip(place).map(|(at, number)| (at, Place { number, of: shown.candidates.len() })));
        self.shown.push(shown.clone());
    }

    /// With how much room exactly these were marked, under the same numbers, each time.
    pub(super) fn rooms(&self, marked: &[usize]) -> Vec<f64> {
        self.shown.iter().filter(|shown| shown.candidates == marked).map(|shown| shown.room).collect()
    }

    /// Whether a candidate was picked in two places that have nothing in common.
    pub(super) fn is_picked_apart(&self, candidate: usize) -> bool {
        let places = || self.picks.iter().filter(|pick| pick.0 == candidate).map(|pick| pick.1);
        places().any(|a| places().any(|b| !a.is_like(b)))
    }

    /// Candidates, the most probable first, in the order of the numbers that they are to get: at first as they come in the page,
    /// which says nothing of how probable they are; then none has the number that it had, and as little else as can be is alike.
    pub(super) fn arranged(&self, ranked: &[usize]) -> Vec<usize> {
        let mut order = ranked.to_vec();
        order.sort_unstable();
        while let Some((a, b)) = self.better(&order, ranked.first()) {
            order.swap(a, b);
        }
        order
    }

    /// Two whose exchange leaves less alike.
    fn better(&self, order: &[usize], leader: Option<&usize>) -> Option<(usize, usize)> {
        let cost = |at: usize, number: usize| {
            let weight = if order.get(at) == leader { LEADER } else { 1 };
            order.get(at).map_or(0, |candidate| weight * self.alike(*candidate, Place { number, of: order.len() }))
        };
        let pairs = (0..order.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let gain = |(a, b): (usize, usize)| (cost(a, a) + cost(b, b)).saturating_sub(cost(a, b) + cost(b, a));
        pairs
            .map(|pair| (gain(pair), pair))
            .filter(|(gain, _)| *gain > 0)
            .max_by_key(|(gain, _)| *gain)
            .map(|(_, pair)| pair)
    }

    /// How much a place has in common with those where a candidate stood before, above all the last time.
    fn alike(&self, candidate: usize, place: Place) -> usize {
        let before = self.shown.iter().filter_map(|shown| {
            let number = shown.candidates.iter().position(|other| *other == candidate)?;
            Some(Place { number, of: shown.candidates.len() })
        });
        let before: Vec<Place> = before.collect();
        let last = before
            .last()
            .map_or(0, |last| if last.number == place.number { SAME } else { usize::from(last.is_like(place)) });
        last + before.iter().filter(|other| other.is_like(place)).count()
    }
}

/// How much more it matters where the most probable candidate stands, and that a number is the same as the last time.
const LEADER: usize = 1_000;
const SAME: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(candidates: &[usize]) -> Marks {
        Marks { candidates: candidates.to_vec(), room: 0.0 }
    }

    #[test]
    fn none_has_the_number_that_it_had_the_last_time() {
        for count in 2..=5_usize {
            let mut marked = Marked::default();
            let ranked: Vec<usize> = (0..count).rev().collect();
            let mut before = marked.arranged(&ranked);
            assert_eq!(before, (0..count).collect::<Vec<_>>(), "the most probable one isn't first by rule");
            for _ in 0..6 {
                marked.learn(&marks(&before), None);
                let after = marked.arranged(&ranked);
                assert!(before.iter().zip(&after).all(|(a, b)| a != b), "{before:?} {after:?}");
                before = after;
            }
        }
    }

    #[test]
    fn a_candidate_is_picked_apart_where_no_habit_explains_both_picks() {
        let table: [(&[usize], &[usize], bool); 9] = [
            (&[7, 1, 2], &[7, 3, 4], false),
            (&[7, 1, 2], &[1, 7, 2], true),
            (&[1, 2, 7], &[1, 7], false),
            (&[1, 7, 2], &[1, 2, 3, 7, 4], false),
            (&[1, 7, 2], &[1, 2, 3, 4, 7], true),
            (&[1, 7, 2], &[3, 4, 7, 5, 6], false),
            (&[7, 1], &[1, 7], true),
            (&[7], &[7], false),
            (&[7], &[1, 7, 2], false),
        ];
        for (first, second, is_apart) in table {
            let mut marked = Marked::default();
            marked.learn(&marks(first), Some(7));
            assert!(!marked.is_picked_apart(7));
            marked.learn(&marks(second), Some(7));
            assert_eq!(marked.is_picked_apart(7), is_apart, "{first:?} {second:?}");
        }
    }
}
