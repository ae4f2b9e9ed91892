//! How probable each candidate is, given every answer so far and how often a judge errs (Bayes' rule).

use super::reply::Side;
use handeye_scene::Rect;

/// Within so many pixels of an edge a judge may say that a line crosses, and may not: it is told to when it is hard to tell.
pub const NEAR: f64 = 3.0;
/// How probable it is at first that the element isn't among the candidates.
const ABSENT: f64 = 0.02;

/// What is believed of the candidates.
#[derive(Debug, Clone)]
pub struct Belief {
    rects: Vec<Rect>,
    /// One for each candidate, and the last for "none of them"; they sum to 1.
    weights: Vec<f64>,
    error: f64,
}

impl Belief {
    /// All candidates alike. `error` is how often a judge answers wrongly about one line, from 0 to 0.5.
    pub fn new(rects: Vec<Rect>, error: f64) -> Self {
        let count = rects.len();
        let error = if error.is_finite() { error.clamp(0.001, 0.5) } else { 0.1 };
        let each = if count == 0 { 0.0 } else { (1.0 - ABSENT) / count as f64 };
        let mut weights = vec![each; count];
        weights.push(if count == 0 { 1.0 } else { ABSENT });
        Self { rects, weights, error }
    }

    /// The candidates.
    pub fn rects(&self) -> &[Rect] {
        &self.rects
    }

    /// How probable each candidate is, and last that it is none of them.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// How often a judge answers wrongly about one line.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// How often a judge picks a wrong mark: half as often as it errs about a line.
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
        if !line.is_finite() {
            return;
        }
        let tables: Vec<_> = self.rects.iter().map(|r| self.odds(r.x, r.x + r.width, line)).collect();
        self.learn_side(&tables, said);
    }

    /// Learns what a judge said of a horizontal line.
    pub fn learn_y(&mut self, line: f64, said: Side) {
        if !line.is_finite() {
            return;
        }
        let tables: Vec<_> = self.rects.iter().map(|r| self.odds(r.y, r.y + r.height, line)).collect();
        self.learn_side(&tables, said);
    }

    fn learn_side(&mut self, tables: &[[f64; 4]], said: Side) {
        let absent = spread(&[0.0, 0.0, 0.0, 1.0], self.error);
        let tables = tables.iter().chain([&absent]);
        for (weight, odds) in self.weights.iter_mut().zip(tables) {
            *weight *= odds.get(said.index()).copied().unwrap_or(0.0);
        }
        self.settle();
    }

    /// Learns which of the marked candidates a judge picked; none of them where that is what it said.
    pub fn learn_choice(&mut self, marked: &[usize], picked: Option<usize>) {
        let wrong = self.choice_error();
        let others = marked.len().max(1) as f64;
        for (candidate, weight) in self.weights.iter_mut().enumerate() {
            let should = marked.contains(&candidate).then_some(candidate);
            *weight *= if should == picked { 1.0 - wrong } else { wrong / others };
        }
        self.settle();
    }

    /// How probable each answer is about a line at `line`, of what reaches from `start` to `end`.
    pub fn odds(&self, start: f64, end: f64, line: f64) -> [f64; 4] {
        spread(&truth(start, end, line), self.error)
    }

    /// Back to a sum of 1, and never to nothing: an answer that contradicts all others must not end the search.
    fn settle(&mut self) {
        let sum: f64 = self.weights.iter().sum();
        if !(sum.is_finite() && sum > 0.0) {
            *self = Self::new(std::mem::take(&mut self.rects), self.error);
            return;
        }
        self.weights.iter_mut().for_each(|weight| *weight = (*weight / sum).max(1e-12));
    }
}

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
