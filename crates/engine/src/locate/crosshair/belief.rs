//! How probable each candidate is, given every answer so far and how often a judge errs (Bayes' rule).

use super::reply::Side;
use handeye_scene::Rect;

/// Within so many pixels of an edge a judge may say that a line crosses, and may not: it is told to when it is hard to tell.
pub const NEAR: f64 = 3.0;
/// How probable it is at first that the element isn't among the candidates.
pub(super) const ABSENT: f64 = 0.02;

/// How often a judge may really err: so many times as often as is told of it, each with its probability at first. Of a judge
/// who errs more often than is known, answers that contradict each other tell.
const RATES: [(f64, f64); 3] = [(1.0, 0.5), (2.0, 0.25), (4.0, 0.25)];

/// What is believed of the candidates.
#[derive(Debug, Clone)]
pub struct Belief {
    rects: Vec<Rect>,
    /// One for each candidate, and the last for "none of them"; they sum to 1.
    weights: Vec<f64>,
    /// How often the judge errs about one line, as far as its answers tell.
    error: f64,
    /// The same weights apart by how often the judge errs.
    by_rate: [Rate; RATES.len()],
}

/// What is believed together with one rate of errors.
#[derive(Debug, Clone)]
struct Rate {
    error: f64,
    weights: Vec<f64>,
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
        let each = if count == 0 { 0.0 } else { (1.0 - absent) / count as f64 };
        let mut weights = vec![each; count];
        weights.push(if count == 0 { 1.0 } else { absent });
        let by_rate = RATES.map(|(times, share)| Rate {
            error: (error * times).min(0.5),
            weights: weights.iter().map(|weight| weight * share).collect(),
        });
        let error = expected(&by_rate);
        Self { rects, weights, error, by_rate }
    }

    /// The candidates.
    pub fn rects(&self) -> &[Rect] {
        &self.rects
    }

    /// How probable each candidate is, and last that it is none of them.
    pub fn weights(&self) -> &[f64] {
        &self.weights
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
        let most = self.weights.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        let (at, weight) = most.unwrap_or((0, 0.0));
        ((at < self.rects.len()).then_some(at), weight)
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

    /// Learns what a judge said of a vertical line.
    pub fn learn_x(&mut self, line: f64, said: Side) {
        self.learn_side(line, said, |r| (r.x, r.x + r.width));
    }

    /// Learns what a judge said of a horizontal line.
    pub fn learn_y(&mut self, line: f64, said: Side) {
        self.learn_side(line, said, |r| (r.y, r.y + r.height));
    }

    fn learn_side(&mut self, line: f64, said: Side, reach: impl Fn(&Rect) -> (f64, f64)) {
        if !line.is_finite() {
            return;
        }
        let truths: Vec<[f64; 4]> = self.rects.iter().map(&reach).map(|(start, end)| truth(start, end, line)).collect();
        for rate in &mut self.by_rate {
            for (weight, truth) in rate.weights.iter_mut().zip(truths.iter().chain([&UNSEEN])) {
                *weight *= spread(truth, rate.error).get(said.index()).copied().unwrap_or(0.0);
            }
        }
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
        self.settle();
    }

    /// How probable each answer is about a line at `line`, of what reaches from `start` to `end`.
    pub fn odds(&self, start: f64, end: f64, line: f64) -> [f64; 4] {
        spread(&truth(start, end, line), self.error)
    }

    /// Back to a sum of 1, and never to nothing: an answer that contradicts all others must not end the search.
    fn settle(&mut self) {
        let sum: f64 = self.by_rate.iter().flat_map(|rate| &rate.weights).sum();
        if !(sum.is_finite() && sum > 0.0) {
            let error = self.by_rate[0].error;
            *self = Self::new(std::mem::take(&mut self.rects), error);
            return;
        }
        self.weights.fill(0.0);
        for rate in &mut self.by_rate {
            for (all, weight) in self.weights.iter_mut().zip(&mut rate.weights) {
                *weight = (*weight / sum).max(1e-12);
                *all += *weight;
            }
        }
        self.error = expected(&self.by_rate);
    }
}

/// The rate of errors that is to be expected.
fn expected(by_rate: &[Rate]) -> f64 {
    by_rate.iter().map(|rate| rate.error * rate.weights.iter().sum::<f64>()).sum::<f64>().clamp(0.001, 0.5)
}

/// What is said of what isn't there.
const UNSEEN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// What a judge who never errs says: for certain, but for what is near an edge.
pub(super) fn truth(start: f64, end: f64, line: f64) -> [f64; 4] {
    let before = inside(line - end);
    let after = inside(start - line);
    [before, (1.0 - before - after).max(0.0), after, 0.0]
}

/// From 0 where a line is well inside an edge to 1 where it is well outside; half on the edge itself.
fn inside(distance: f64) -> f64 {
    ((distance + NEAR) / (2.0 * NEAR)).clamp(0.0, 1.0)
}

/// The same of a judge who errs: any other answer is as probable as the next.
pub(super) fn spread(truth: &[f64; 4], error: f64) -> [f64; 4] {
    truth.map(|odds| odds * (1.0 - error) + (1.0 - odds) * error / 3.0)
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
        assert!(belief.weight(2) > 0.4 && belief.weight(3) > 0.4 && belief.weight(0) < 0.05, "{belief:?}");
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
    fn unseen_lowers_all_alike() {
        let mut belief = Belief::new(row(), 0.1);
        for _ in 0..3 {
            belief.learn_x(190.0, Side::Unseen);
        }
        assert_eq!(belief.best().0, None);
        assert!(belief.best().1 > 0.9);
        let first = belief.weight(0);
        assert!((1..4).all(|i| (belief.weight(i) - first).abs() < 1e-9));
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
        assert_eq!(Belief::new(Vec::new(), 0.1).best(), (None, 1.0));
    }
}
