//! Finding where an element's four edges are when there are no candidates: on a canvas, or in a picture of a remote desktop.
//!
//! The two axes are searched alike and at once ([`super::axis`]), until every edge is known closely enough, and the judge has said
//! of the middle that it is on it: that is where it will be pressed. That the judge doesn't see it has a probability of its own.

use super::axis::Axis;
use super::odds::{UNSEEN, oftener, spread};
use super::reply::{Reply, Side};
use handeye_scene::Rect;

/// How probable it is at first that the judge doesn't see what it looks for.
const AT_FIRST_UNSEEN: f64 = 0.05;
/// How much of the probability an interval must hold before an edge is said to be in it: of all four, 95 %.
const HELD: f64 = 0.994;
/// How probable it must be that the middle is on it, where nothing else is asked for.
const ON_IT: f64 = 0.9;
/// How probable it is, before anybody was asked of its mark, that what a judge sees there is what is sought.
pub(super) const FIRST: f64 = 0.9;

/// How often a judge may really err: so many times the odds that are told of it, each with its probability at first.
const RATES: [(f64, f64); 3] = [(1.0, 0.6), (2.0, 0.15), (5.0, 0.25)];
/// A rate of errors that is at least so probable, by all answers, is plausible: what is said to be sure must be so at it too.
const PLAUSIBLE: f64 = 0.1;
/// How large what is sought is isn't known: of what is small, the middle is beside it so many times as often as of all sizes.
const DOUBT: f64 = 2.0;

/// A search for the four edges in a picture.
#[derive(Debug, Clone)]
pub struct Edges {
    x: Axis,
    y: Axis,
    /// How probable it must be that the middle is on it.
    sure: f64,
    by_rate: Vec<Rate>,
    asked: usize,
}

/// What is believed together with one rate of errors.
#[derive(Debug, Clone)]
struct Rate {
    error: f64,
    /// How probable the rate is.
    share: f64,
    /// How probable it is then that the judge doesn't see it.
    unseen: f64,
    /// How many times as probable as not it is then, by what was said of its mark, that it is what is sought.
    odds: f64,
}

impl Edges {
    /// Begins one in a picture of `width` by `height` pixels. Each edge is to be known within `precision` pixels (100 in
    /// seed 1; a 64th of the side at the least); `error` is how often a judge errs about one line.
    pub fn new(width: f64, height: f64, precision: f64, error: f64) -> Self {
        Self::held(width, height, (precision, HELD), error)
    }

    /// The same where an interval holds so much of the probability.
    pub(super) fn held(width: f64, height: f64, (precision, held): (f64, f64), error: f64) -> Self {
        let error = if error.is_finite() { error.clamp(0.001, 0.5) } else { 0.1 };
        let long = |length: f64| if length.is_finite() { length.max(1.0) } else { 1.0 };
        let rates = RATES.map(|(times, share)| (oftener(error, times), share));
        let axis = |length: f64| Axis::new(length, (precision, held), &rates);
        let (x, y) = (axis(long(width)), axis(long(height)));
        let by_rate = rates.map(|(error, share)| Rate { error, share, unseen: AT_FIRST_UNSEEN, odds: 1.0 });
        Self { x, y, sure: ON_IT, by_rate: by_rate.into(), asked: 0 }
    }

    /// The same, until it is as probable as this that the middle is on it.
    #[must_use]
    pub fn until(self, sure: f64) -> Self {
        Self { sure, ..self }
    }

    /// Begins one in a cut-out of the same picture that was enlarged, with what is known by now. `precision`: across and down, in
    /// pixels of the enlarged one.
    #[must_use]
    pub fn closer(&self, cut: Rect, zoom: f64, precision: (f64, f64)) -> Self {
        let x = self.x.closer((cut.x, cut.width), zoom, precision.0);
        let y = self.y.closer((cut.y, cut.height), zoom, precision.1);
        let by_rate = self.by_rate.iter().map(|rate| Rate { unseen: AT_FIRST_UNSEEN, ..*rate }).collect();
        Self { x, y, sure: self.sure, by_rate, asked: 0 }
    }

    /// Has the edges known twice as closely; whether that can be, on an axis at least.
    pub(super) fn sharpen(&mut self) -> bool {
        let (x, y) = (self.x.sharpen(), self.y.sharpen());
        x || y
    }

    /// Where to draw the next crosshair; none when all edges are known, and the middle is on it.
    pub fn next(&self) -> Option<(f64, f64)> {
        (!self.is_within() || !self.is_on_it()).then(|| (self.x.line(), self.y.line()))
    }

    /// Whether each edge is known within the precision.
    pub fn is_within(&self) -> bool {
        self.x.is_within() && self.y.is_within()
    }

    /// Whether a judge said that the middle is on it, and that is probable enough, if the region is not all wrong.
    pub fn is_on_it(&self) -> bool {
        let was_asked = self.x.was_asked_of_its_middle() && self.y.was_asked_of_its_middle();
        was_asked && self.at_worst(&self.hits_by_rate()) >= self.sure
    }

    /// How probable it is that the region shares anything with it, if the judge sees it.
    pub fn meets(&self) -> f64 {
        self.over_rates(&self.meets_by_rate())
    }

    fn meets_by_rate(&self) -> Vec<f64> {
        products(&self.x.meets(), &self.y.meets())
    }

    fn on_it_by_rate(&self) -> Vec<f64> {
        products(&self.x.on_it(), &self.y.on_it())
    }

    /// How probable it is at each rate that the middle is on it, if the region shares anything with it.
    fn hits_by_rate(&self) -> Vec<f64> {
        let pairs = self.on_it_by_rate().into_iter().zip(self.meets_by_rate());
        let hits = pairs.map(|(on_it, meets)| if meets > 0.0 { (on_it / meets).min(1.0) } else { 0.0 });
        hits.map(|hits| (1.0 - (1.0 - hits) * DOUBT).max(0.0)).collect()
    }

    /// What is so probable at each rate, whatever the rate is.
    fn over_rates(&self, by_rate: &[f64]) -> f64 {
        self.by_rate.iter().zip(by_rate).map(|(rate, odds)| rate.share * odds).sum()
    }

    /// The same at the worst of the rates that the answers leave plausible. Few answers hardly tell a careful judge from a careless one:
    /// the mean over both would be as sure as the careful one.
    fn at_worst(&self, by_rate: &[f64]) -> f64 {
        let plausible = self.by_rate.iter().zip(by_rate).filter(|(rate, _)| rate.share >= PLAUSIBLE);
        plausible.map(|(_, odds)| *odds).fold(self.over_rates(by_rate), f64::min)
    }

    /// Learns whether a mark around the region was said to be around it; that tells of the judge, too. `loose`: how probable it is at
    /// least that "none" is said of what it is, as the box may not fit it.
    pub(super) fn learn_mark(&mut self, is_it: bool, loose: f64) {
        let meets = self.meets_by_rate();
        for (rate, meets) in self.by_rate.iter_mut().zip(meets) {
            let (wrong, before) = ((rate.error / 2.0).clamp(0.001, 0.25), rate.is_it(meets));
            let (of_it, of_other) = if is_it { (1.0 - wrong, wrong) } else { (wrong.max(loose), 1.0 - wrong) };
            rate.share *= before * of_it + (1.0 - before) * of_other;
            rate.odds = (rate.odds * of_it / of_other).clamp(1e-9, 1e9);
        }
        self.settle();
    }

    /// How many times as probable as not it is, by what was said of its mark, that it is what is sought.
    pub(super) fn odds(&self) -> f64 {
        self.by_rate.iter().map(|rate| rate.share * rate.odds).sum()
    }

    /// How probable it is that the middle of the region is on what is sought, at the worst plausible rate. What was said of its mark was
    /// said of all that shares anything with it: a judge is easy to please.
    pub(super) fn confidence(&self) -> f64 {
        let hits = self.hits_by_rate().into_iter().zip(self.meets_by_rate());
        let by_rate: Vec<f64> =
            self.by_rate.iter().zip(hits).map(|(rate, (hits, meets))| rate.is_it(meets) * hits).collect();
        self.at_worst(&by_rate)
    }

    /// Within what all of it is, most probably: from left to right, and from top to bottom.
    pub(super) fn bounds(&self) -> [(f64, f64); 2] {
        [&self.x, &self.y].map(|axis| axis.bounds())
    }

    /// How probable it is that the middle is on it, if the judge sees it.
    pub fn on_it(&self) -> f64 {
        self.over_rates(&self.on_it_by_rate())
    }

    /// How probable it is that the judge doesn't see it.
    pub fn unseen(&self) -> f64 {
        self.by_rate.iter().map(|rate| rate.share * rate.unseen).sum()
    }

    /// How often the judge errs about one line, as far as its answers tell.
    pub fn error(&self) -> f64 {
        self.by_rate.iter().map(|rate| rate.share * rate.error).sum()
    }

    /// Learns the answer about a crosshair at `x`, `y`. What was said of one line counts, whatever was said of the other.
    pub fn learn(&mut self, (x, y): (f64, f64), reply: Reply) {
        self.asked += 1;
        let (said_x, said_y) = match reply {
            Reply::Sides { x, y } => (x, y),
            _ => (None, None),
        };
        // Who doesn't see it says so of both lines: that is one observation, not two.
        let counts = if said_x == Some(Side::Unseen) { said_y.filter(|said| *said != Side::Unseen) } else { said_y };
        let (of_x, of_y) = (self.x.learn(x, said_x), self.y.learn(y, said_y));
        for (rate, (of_x, of_y)) in self.by_rate.iter_mut().zip(of_x.into_iter().zip(of_y)) {
            let odds =
                |said: Option<Side>| said.and_then(|said| spread(&UNSEEN, rate.error).get(said.index()).copied());
            let not_seen = rate.unseen * odds(said_x).unwrap_or(1.0) * odds(counts).unwrap_or(1.0);
            let seen = (1.0 - rate.unseen) * of_x * if counts == said_y { of_y } else { 1.0 };
            if not_seen + seen > 0.0 {
                rate.unseen = (not_seen / (not_seen + seen)).clamp(1e-9, 1.0 - 1e-9);
                rate.share *= not_seen + seen;
            }
        }
        self.settle();
    }

    /// The rates of errors back to a sum of 1.
    fn settle(&mut self) {
        let sum: f64 = self.by_rate.iter().map(|rate| rate.share).sum();
        self.by_rate.iter_mut().for_each(|rate| rate.share = (rate.share / sum.max(f64::MIN_POSITIVE)).max(1e-9));
        self.x.weigh_rates(self.by_rate.iter().map(|rate| rate.share));
        self.y.weigh_rates(self.by_rate.iter().map(|rate| rate.share));
    }

    /// Where it is taken to be: each edge is within its interval.
    pub fn region(&self) -> Rect {
        let ((left, right), (top, bottom)) = (self.x.reach(), self.y.reach());
        Rect::new(left, top, (right - left).max(1.0), (bottom - top).max(1.0))
    }

    /// Intervals of the left, right, top and bottom edge.
    pub fn intervals(&self) -> [(f64, f64); 4] {
        [self.x.first(), self.x.last(), self.y.first(), self.y.last()]
    }

    /// Questions asked so far.
    pub fn asked(&self) -> usize {
        self.asked
    }
}

impl Rate {
    /// How probable it is that what is marked is what is sought.
    fn is_it(&self, meets: f64) -> f64 {
        let first = FIRST * (1.0 - self.unseen) * meets;
        first * self.odds / (first * self.odds + 1.0 - first)
    }
}

fn products(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x * y).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rect: Rect, lie: impl Fn(usize) -> Option<Reply>) -> Edges {
        let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
        while let Some((x, y)) = edges.next() {
            if edges.asked() >= 15 {
                break;
            }
            let side = |start: f64, end: f64, line: f64| match () {
                () if end <= line => Side::Before,
                () if start >= line => Side::After,
                () => Side::Crosses,
            };
            let truth = Reply::Sides {
                x: Some(side(rect.x, rect.x + rect.width, x)),
                y: Some(side(rect.y, rect.y + rect.height, y)),
            };
            edges.learn((x, y), lie(edges.asked()).unwrap_or(truth));
        }
        edges
    }

    #[test]
    fn four_edges_are_found_within_the_precision() {
        for rect in [
            Rect::new(900.0, 600.0, 120.0, 32.0),
            Rect::new(10.0, 10.0, 40.0, 20.0),
            Rect::new(0.0, 300.0, 1280.0, 200.0),
            Rect::new(1250.0, 780.0, 24.0, 16.0),
        ] {
            let edges = run(rect, |_| None);
            assert!(edges.next().is_none() && edges.asked() <= 12, "{rect:?}: {}", edges.asked());
            let truth = [rect.x, rect.x + rect.width, rect.y, rect.y + rect.height];
            for ((from, to), edge) in edges.intervals().into_iter().zip(truth) {
                assert!(from - 1.0 <= edge && edge <= to + 1.0 && to - from <= 100.0, "{rect:?}: {from} {edge} {to}");
            }
        }
    }

    #[test]
    fn one_wrong_answer_is_outvoted() {
        let rect = Rect::new(900.0, 600.0, 120.0, 32.0);
        let wrong = Reply::Sides { x: Some(Side::Before), y: Some(Side::Before) };
        let edges = run(rect, |n| (n == 0).then_some(wrong));
        assert!(edges.next().is_none() && rect.intersects(&edges.region()), "{:?}", edges.region());
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(Edges::new(odd, odd, 1.0, odd).next().is_none_or(|(x, y)| x.is_finite() && y.is_finite()));
        }
    }

    #[test]
    fn the_middle_is_where_most_answers_agree_that_it_is_on_it() {
        let mut edges = Edges::held(832.0, 592.0, (96.0, 0.9), 0.05);
        // It reaches from 336 to 388; of 299 it was said wrongly that it crosses it.
        let said = [(338.0, Side::Crosses), (364.0, Side::Crosses), (390.0, Side::Before), (377.0, Side::Crosses)];
        for (x, said) in said.into_iter().chain([(299.0, Side::Crosses), (286.0, Side::After)]) {
            edges.learn((x, 300.0), Reply::Sides { x: Some(said), y: None });
        }
        assert!((336.0..388.0).contains(&edges.x.middle()), "{}", edges.x.middle());
    }

    #[test]
    fn what_is_sure_is_so_of_a_careless_judge_as_far_as_the_judge_may_be_one() {
        let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
        let (by_rate, least) = ([1.0, 0.95, 0.5], 0.5);
        assert!((edges.at_worst(&by_rate) - least).abs() < 1e-9, "nothing was answered yet");
        // Answers that agree with each other tell of a careful one.
        let rect = Rect::new(300.0, 200.0, 120.0, 60.0);
        let side = |start: f64, end: f64, line: f64| match () {
            () if end <= line => Side::Before,
            () if start >= line => Side::After,
            () => Side::Crosses,
        };
        for (x, y) in [(640.0, 400.0), (320.0, 220.0), (360.0, 230.0), (200.0, 100.0), (340.0, 240.0), (480.0, 300.0)] {
            let (x_said, y_said) = (side(rect.x, rect.x + rect.width, x), side(rect.y, rect.y + rect.height, y));
            edges.learn((x, y), Reply::Sides { x: Some(x_said), y: Some(y_said) });
        }
        assert!(edges.at_worst(&by_rate) > 0.9, "{:?}", edges.by_rate);
        // A denial of what is all but certain tells of a careless one again.
        let before = edges.error();
        edges.learn_mark(false, 0.0);
        assert!(edges.error() > before, "{before} {}", edges.error());
    }

    #[test]
    fn what_the_middle_is_on_is_met_whatever_was_said() {
        let both = |said: Side| Reply::Sides { x: Some(said), y: Some(said) };
        for turn in 0..64_usize {
            let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.1);
            for question in 0..12 {
                let Some(line) = edges.next() else { break };
                edges.learn(line, both(Side::ALL[(turn >> (question % 6)) % 3]));
                assert!(edges.meets() >= edges.on_it() - 1e-9, "{turn}: {} {}", edges.meets(), edges.on_it());
            }
        }
    }

    #[test]
    fn that_it_is_not_seen_is_believed_as_far_as_it_is_said() {
        let both = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
        let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
        assert!(edges.unseen() < 0.1);
        let mut probable = Vec::new();
        for _ in 0..4 {
            let line = edges.next().unwrap();
            edges.learn(line, both);
            probable.push(edges.unseen());
        }
        // Once it may be a slip; it takes more to be sure, and then it is surer than a judge's rate of errors.
        assert!(probable[0] < 0.9 && probable[2] > 0.99 && probable[3] > 0.999, "{probable:?}");
        assert!(probable.windows(2).all(|pair| pair[0] < pair[1]), "{probable:?}");
        // Answers about a place speak against it.
        for said in [Side::Before, Side::After, Side::Before, Side::Crosses] {
            let line = edges.next().unwrap();
            edges.learn(line, Reply::Sides { x: Some(said), y: Some(said) });
        }
        assert!(edges.unseen() < 0.1, "{}", edges.unseen());
    }

    #[test]
    fn of_two_lines_the_one_that_was_answered_counts() {
        for other in [Some(Side::Unseen), None] {
            let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
            let (x, y) = edges.next().unwrap();
            edges.learn((x, y), Reply::Sides { x: other, y: Some(Side::After) });
            assert!(edges.y.truth(y)[Side::After.index()] > 0.9, "{other:?}");
            assert!(edges.next().unwrap().1 > y, "{other:?}");
        }
    }

    #[test]
    fn a_line_that_told_nothing_is_not_drawn_again() {
        for nothing in [
            Reply::Garbled,
            Reply::Sides { x: None, y: None },
            Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) },
        ] {
            let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
            let mut drawn: Vec<(f64, f64)> = Vec::new();
            for _ in 0..10 {
                let (x, y) = edges.next().unwrap();
                let is_near = |at: &(f64, f64)| (at.0 - x).abs() < 40.0 || (at.1 - y).abs() < 25.0;
                assert!(!drawn.iter().any(is_near), "{nothing:?}: {drawn:?} {x} {y}");
                drawn.push((x, y));
                edges.learn((x, y), nothing);
            }
        }
    }
}
