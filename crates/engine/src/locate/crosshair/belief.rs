//! How probable each candidate is, given every answer so far and how often a judge errs (Bayes' rule).

use super::odds::{UNSEEN, is_among, oftener, spread, truth};
use super::reply::Side;
use super::spans::Spans;
use handeye_scene::Rect;

/// How probable it is at first that the element isn't among the candidates.
pub(super) const ABSENT: f64 = 0.1;
/// How probable it is at first, at most, that the judge sees what it looks for, and it is no candidate.
const ELSEWHERE: f64 = 0.05;

/// How often a judge may really err: so many times the odds that are told of it, each with its probability at first. Of a judge
/// who errs more often than is known, answers that contradict each other tell.
const RATES: [(f64, f64); 3] = [(1.0, 0.3), (2.0, 0.3), (5.0, 0.4)];
/// How probable it is at first that the judge guesses: its answers tell nothing then, whatever they are.
const GUESSES: f64 = 0.005;
/// Places that are told apart, along each axis, of what is no candidate.
const PLACES: usize = 48;

/// What is believed of the candidates.
#[derive(Debug, Clone)]
pub struct Belief {
    rects: Vec<Rect>,
    /// One for each candidate, then for "seen, and none of them", and for "not seen"; they sum to 1.
    weights: Vec<f64>,
    /// How often the judge errs about one line, as far as its answers tell.
    error: f64,
    /// The same weights apart by how often the judge errs.
    by_rate: [Rate; RATES.len()],
    /// How probable it is that it guesses. What it answers changes nothing of the candidates then: they are as they were at first.
    guesses: f64,
    /// What is believed at first.
    first: Vec<f64>,
    /// Lines that were answered, across each axis.
    answered: [Vec<f64>; 2],
}

/// What is believed together with one rate of errors.
#[derive(Debug, Clone)]
struct Rate {
    error: f64,
    weights: Vec<f64>,
    /// Where it is along each axis, if the judge sees it and it is no candidate.
    elsewhere: [Spans; 2],
}

/// Across vertical lines, or across horizontal ones.
#[derive(Debug, Clone, Copy)]
pub(super) enum Axis {
    X,
    Y,
}

impl Axis {
    fn of<T>(self, [x, y]: &[T; 2]) -> &T {
        match self {
            Axis::X => x,
            Axis::Y => y,
        }
    }

    fn of_mut<T>(self, [x, y]: &mut [T; 2]) -> &mut T {
        match self {
            Axis::X => x,
            Axis::Y => y,
        }
    }

    /// From where to where a rect reaches.
    pub(super) fn reach(self, rect: &Rect) -> (f64, f64) {
        match self {
            Axis::X => (rect.x, rect.x + rect.width),
            Axis::Y => (rect.y, rect.y + rect.height),
        }
    }
}

impl Belief {
    /// All candidates alike. `error` is how often a judge answers wrongly about one line, from 0 to 0.5, as far as is known.
    pub fn new(rects: Vec<Rect>, error: f64) -> Self {
        Self::with_absent(rects, error, ABSENT)
    }

    /// The same where it is as probable as `absent` at first that it is none of them.
    pub fn with_absent(rects: Vec<Rect>, error: f64, absent: f64) -> Self {
        let count = rects.len();
        let absent = if absent.is_finite() { absent.clamp(0.001, 0.999) } else { ABSENT };
        let error = if error.is_finite() { error.clamp(0.001, 0.5) } else { 0.1 };
        let absent = if count == 0 { 1.0 } else { absent };
        let mut weights = vec![(1.0 - absent) / count.max(1) as f64; count];
        let elsewhere = (absent / 2.0).min(ELSEWHERE);
        weights.extend([elsewhere, absent - elsewhere]);
        let places = [Axis::X, Axis::Y].map(|axis| places(rects.iter().map(|rect| axis.reach(rect))));
        let by_rate = RATES.map(|(times, share)| Rate {
            error: oftener(error, times),
            weights: weights.iter().map(|weight| weight * share * (1.0 - GUESSES)).collect(),
            elsewhere: places.clone(),
        });
        let mut belief = Self {
            rects,
            first: weights.clone(),
            weights,
            error,
            by_rate,
            guesses: GUESSES,
            answered: [Vec::new(), Vec::new()],
        };
        belief.settle();
        belief
    }

    /// The candidates.
    pub fn rects(&self) -> &[Rect] {
        &self.rects
    }

    /// How probable each candidate is; then that the judge sees it elsewhere, and last that it doesn't see it.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// How probable it is that it is none of the candidates.
    pub fn absent(&self) -> f64 {
        self.elsewhere() + self.unseen()
    }

    /// How probable it is that the judge sees it, and it is none of the candidates.
    pub(super) fn elsewhere(&self) -> f64 {
        self.weight(self.rects.len())
    }

    /// How probable it is that the judge doesn't see it.
    pub(super) fn unseen(&self) -> f64 {
        self.weight(self.rects.len() + 1)
    }

    /// How often the judge answers wrongly about one line, as far as its answers tell.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// How often the judge picks a wrong mark: half as often as it errs about a line.
    pub fn choice_error(&self) -> f64 {
        self.error / 2.0
    }

    /// The most probable candidate; none where that there is none is more probable.
    pub fn best(&self) -> (Option<usize>, f64) {
        let candidates = self.weights.iter().copied().take(self.rects.len()).enumerate();
        let absent = self.absent();
        match candidates.max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((at, weight)) if weight >= absent => (Some(at), weight),
            _ => (None, absent),
        }
    }

    /// The candidates, the most probable first.
    pub fn ranked(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rects.len()).collect();
        order.sort_by(|a, b| self.weight(*b).total_cmp(&self.weight(*a)));
        order
    }

    /// Of one candidate.
    pub fn weight(&self, candidate: usize) -> f64 {
        self.weights.get(candidate).copied().unwrap_or(0.0)
    }

    /// Learns what a judge said of the two lines of a crosshair, as far as it said something that it hadn't been asked before: of the
    /// same line it says the same again.
    pub fn learn_sides(&mut self, (x, y): (f64, f64), (said_x, said_y): (Option<Side>, Option<Side>)) {
        let said_x = self.is_new(x, Axis::X).then_some(said_x).flatten();
        let said_y = self.is_new(y, Axis::Y).then_some(said_y).flatten();
        self.answered[0].extend(said_x.map(|_| x));
        self.answered[1].extend(said_y.map(|_| y));
        if let Some(said) = said_x {
            self.learn_x(x, said);
        }
        // Who doesn't see it says so of both lines: that is one observation, not two.
        let is_said = said_x == Some(Side::Unseen) && said_y == Some(Side::Unseen);
        if let Some(said) = said_y.filter(|_| !is_said) {
            self.learn_y(y, said);
        }
    }

    /// Whether a line wasn't answered yet.
    fn is_new(&self, line: f64, axis: Axis) -> bool {
        !is_among(axis.of(&self.answered).iter().copied(), line)
    }

    /// Learns what a judge said of a vertical line.
    pub fn learn_x(&mut self, line: f64, said: Side) {
        self.learn_side(line, said, Axis::X);
    }

    /// Learns what a judge said of a horizontal line.
    pub fn learn_y(&mut self, line: f64, said: Side) {
        self.learn_side(line, said, Axis::Y);
    }

    fn learn_side(&mut self, line: f64, said: Side, axis: Axis) {
        if !line.is_finite() {
            return;
        }
        let reaches = self.rects.iter().map(|rect| axis.reach(rect));
        let truths: Vec<[f64; 4]> = reaches.map(|(start, end)| truth(start, end, line)).collect();
        for rate in &mut self.by_rate {
            let error = rate.error;
            let odds = |truth: &[f64; 4]| spread(truth, error).get(said.index()).copied().unwrap_or(0.0);
            let elsewhere = axis.of_mut(&mut rate.elsewhere).learn(line, said, error);
            let all = truths.iter().map(odds).chain([elsewhere, odds(&UNSEEN)]);
            rate.weights.iter_mut().zip(all).for_each(|(weight, odds)| *weight *= odds);
        }
        self.guesses /= UNSEEN.len() as f64;
        self.settle();
    }

    /// Learns which of the marked candidates a judge picked; none of them where that is what it said.
    pub fn learn_choice(&mut self, marked: &[usize], picked: Option<usize>) {
        let others = marked.len().max(1) as f64;
        for rate in &mut self.by_rate {
            let wrong = rate.error / 2.0;
            for (candidate, weight) in rate.weights.iter_mut().enumerate() {
                let should = marked.contains(&candidate).then_some(candidate);
                *weight *= if should == picked { 1.0 - wrong } else { wrong / others };
            }
        }
        self.guesses /= others + 1.0;
        self.settle();
    }

    /// How probable it is that each answer about a line is the true one, of what the judge sees and is none of the candidates.
    pub(super) fn truth_elsewhere(&self, axis: Axis, line: f64) -> [f64; 4] {
        let mut sums = [0.0; 4];
        // Of who guesses nothing more is known than of all the others together.
        let at = self.rects.len();
        let weight = |rate: &Rate| rate.weights.get(at).copied().unwrap_or(0.0);
        let all = self.by_rate.iter().map(weight).sum::<f64>().max(f64::MIN_POSITIVE);
        for rate in &self.by_rate {
            let share = weight(rate) / all;
            let truth = axis.of(&rate.elsewhere).truth(line);
            sums.iter_mut().zip(truth).for_each(|(sum, odds)| *sum += share * odds);
        }
        sums
    }

    /// Back to a sum of 1, and never to nothing: an answer that contradicts all others must not end the search.
    fn settle(&mut self) {
        let sum = self.by_rate.iter().flat_map(|rate| &rate.weights).sum::<f64>() + self.guesses;
        if !(sum.is_finite() && sum > 0.0) {
            let error = self.by_rate[0].error;
            let answered = std::mem::take(&mut self.answered);
            *self = Self { answered, ..Self::new(std::mem::take(&mut self.rects), error) };
            return;
        }
        self.guesses = (self.guesses / sum).max(1e-12);
        self.weights.clear();
        self.weights.extend(self.first.iter().map(|weight| weight * self.guesses));
        for rate in &mut self.by_rate {
            for (all, weight) in self.weights.iter_mut().zip(&mut rate.weights) {
                *weight = (*weight / sum).max(1e-12);
                *all += *weight;
            }
        }
        self.error = expected(&self.by_rate, self.guesses);
    }
}

/// Where what is no candidate may be along an axis: anywhere between the candidates, which reach so, and a little beyond.
fn places(reaches: impl Iterator<Item = (f64, f64)>) -> Spans {
    let reaches: Vec<(f64, f64)> = reaches.filter(|(start, end)| start.is_finite() && end.is_finite()).collect();
    let first = reaches.iter().map(|reach| reach.0).fold(f64::INFINITY, f64::min);
    let last = reaches.iter().map(|reach| reach.1).fold(f64::NEG_INFINITY, f64::max);
    let mean = reaches.iter().map(|(start, end)| end - start).sum::<f64>() / reaches.len().max(1) as f64;
    if !(first.is_finite() && last.is_finite() && mean.is_finite()) {
        return Spans::new(vec![(0.0, 1.0, 1.0)]);
    }
    let mean = mean.max(1.0);
    let (from, to) = (first - 2.0 * mean, last + 2.0 * mean);
    let middle = |place: usize| from + (to - from) * (place as f64 + 0.5) / PLACES as f64;
    let lengths = [mean / 4.0, mean];
    let spans = (0..PLACES)
        .flat_map(|place| lengths.map(|length| (middle(place) - length / 2.0, middle(place) + length / 2.0, 1.0)));
    Spans::new(spans.collect())
}

/// The rate of errors that is to be expected: who guesses among four answers errs in three of them.
fn expected(by_rate: &[Rate], guesses: f64) -> f64 {
    let erring: f64 = by_rate.iter().map(|rate| rate.error * rate.weights.iter().sum::<f64>()).sum();
    (erring + 0.75 * guesses).clamp(0.001, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Vec<Rect> {
        (0..4).map(|i| Rect::new(f64::from(i) * 100.0, 0.0, 80.0, 30.0)).collect()
    }

    #[test]
    fn answers_raise_what_they_agree_with_and_rule_nothing_out() {
        let mut belief = Belief::new(row(), 0.1);
        belief.learn_x(190.0, Side::After);
        assert!(belief.weight(2) > 0.4 && belief.weight(3) > 0.4 && belief.weight(0) < 0.06, "{belief:?}");
        belief.learn_x(290.0, Side::Before);
        assert_eq!(belief.best().0, Some(2));
        // Contradicted again and again, it gives way; it was never at nothing.
        for _ in 0..4 {
            belief.learn_x(90.0, Side::Before);
        }
        assert_eq!(belief.best().0, Some(0));
        assert!((belief.weights().iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn answers_that_contradict_each_other_tell_of_a_judge_who_errs_more_than_is_known() {
        let mut agreed = Belief::new(row(), 0.05);
        let mut torn = agreed.clone();
        for _ in 0..2 {
            agreed.learn_x(190.0, Side::After);
            agreed.learn_x(290.0, Side::Before);
            torn.learn_x(190.0, Side::After);
            torn.learn_x(190.0, Side::Before);
        }
        assert!(agreed.error() < Belief::new(row(), 0.05).error(), "{}", agreed.error());
        assert!(torn.error() > 0.12, "{}", torn.error());
        // The same answer counts for less then.
        torn.learn_x(290.0, Side::Before);
        let mut trusting = Belief::new(row(), 0.05);
        trusting.learn_x(190.0, Side::After);
        trusting.learn_x(290.0, Side::Before);
        assert!(torn.best().1 < trusting.best().1);
    }

    #[test]
    fn who_picks_at_random_is_not_believed() {
        // Of four marks it picks one more often than the others, as guesses do.
        let mut guessed = Belief::new(row(), 0.05);
        let picks = [2, 0, 2, 3, 1, 2, 0];
        for pick in picks {
            guessed.learn_choice(&[0, 1, 2, 3], Some(pick));
        }
        assert!(guessed.best().1 < 0.7, "{:?}", guessed.weights());
        // One that errs once is.
        let mut erring = Belief::new(row(), 0.05);
        for pick in [2, 0, 2, 2, 2] {
            erring.learn_choice(&[0, 1, 2, 3], Some(pick));
        }
        assert_eq!(erring.best().0, Some(2));
        assert!(erring.best().1 > 0.95, "{:?}", erring.weights());
    }

    #[test]
    fn unseen_lowers_all_alike() {
        let mut belief = Belief::new(row(), 0.1);
        for _ in 0..4 {
            belief.learn_x(190.0, Side::Unseen);
        }
        assert_eq!(belief.best().0, None);
        assert!(belief.best().1 > 0.9);
        let first = belief.weight(0);
        assert!((1..4).all(|i| (belief.weight(i) - first).abs() < 1e-9));
    }

    #[test]
    fn what_fits_no_candidate_is_seen_elsewhere() {
        // Of the middle of a lone candidate it is said again and again that what is sought lies right of it and below.
        let mut lone = Belief::new(vec![Rect::new(100.0, 50.0, 80.0, 30.0)], 0.05);
        for at in [0.0, 4.0, 8.0] {
            lone.learn_sides((140.0 + at, 65.0 + at), (Some(Side::After), Some(Side::After)));
        }
        assert_eq!(lone.best().0, None);
        assert!(lone.elsewhere() > 0.9 && lone.unseen() < 0.05, "{:?}", lone.weights());
        // A candidate that fits all answers stays before it.
        let mut among = Belief::new(row(), 0.05);
        for (line, said) in [(190.0, Side::After), (290.0, Side::Before), (240.0, Side::Crosses)] {
            among.learn_sides((line, line / 20.0), (Some(said), Some(Side::Crosses)));
        }
        assert_eq!(among.best().0, Some(2));
        assert!(among.best().1 > 0.98, "{:?}", among.weights());
        // "None of them" speaks for both ways to be absent.
        let (elsewhere, unseen) = (among.elsewhere(), among.unseen());
        among.learn_choice(&[0, 1, 2, 3], None);
        assert!(among.elsewhere() > 10.0 * elsewhere && among.unseen() > 10.0 * unseen, "{:?}", among.weights());
    }

    #[test]
    fn that_it_is_not_seen_is_one_observation_whatever_the_lines() {
        let (mut both, mut one) = (Belief::new(row(), 0.1), Belief::new(row(), 0.1));
        both.learn_sides((190.0, 15.0), (Some(Side::Unseen), Some(Side::Unseen)));
        one.learn_sides((190.0, 15.0), (Some(Side::Unseen), None));
        assert_eq!(both.weights(), one.weights());
        assert!(both.unseen() > 0.05 && both.elsewhere() < ELSEWHERE, "{:?}", both.weights());
    }

    #[test]
    fn the_same_line_counts_once_whatever_other_line_it_was_drawn_with() {
        let (mut again, mut once) = (Belief::new(row(), 0.1), Belief::new(row(), 0.1));
        for belief in [&mut again, &mut once] {
            belief.learn_sides((190.0, 15.0), (Some(Side::After), None));
        }
        // What wasn't answered the first time still counts.
        again.learn_sides((190.9, 15.4), (Some(Side::After), Some(Side::Before)));
        once.learn_sides((240.0, 15.4), (None, Some(Side::Before)));
        assert_eq!(again.weights(), once.weights());
        again.learn_sides((191.0, 15.0), (Some(Side::After), Some(Side::Before)));
        once.learn_sides((191.0, 80.0), (Some(Side::After), None));
        assert_eq!(again.weights(), once.weights());
    }

    #[test]
    fn a_choice_is_evidence_not_a_verdict() {
        let mut belief = Belief::new(row(), 0.2);
        belief.learn_choice(&[1, 3], Some(3));
        assert_eq!(belief.best().0, Some(3));
        assert!(belief.best().1 < 0.99);
        belief.learn_choice(&[1, 3], None);
        assert!(belief.weight(1) < belief.weight(0));
    }

    #[test]
    fn odd_rates_and_no_candidates_are_borne() {
        for error in [0.0, -1.0, 2.0, f64::NAN, f64::INFINITY] {
            let mut belief = Belief::new(row(), error);
            let before = belief.weights().to_vec();
            belief.learn_x(f64::NAN, Side::Before);
            assert_eq!(belief.weights(), before, "no line, no answer");
            belief.learn_y(1e300, Side::After);
            assert!(belief.weights().iter().all(|w| w.is_finite()), "{error}: {belief:?}");
        }
        let (none, all) = Belief::new(Vec::new(), 0.1).best();
        assert!(none.is_none() && (all - 1.0).abs() < 1e-9, "{none:?} {all}");
    }
}
