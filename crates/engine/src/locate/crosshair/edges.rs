//! Finding where an element's four edges are when there are no candidates: on a canvas, or in a picture of a remote desktop.
//!
//! The two axes are searched alike and at once. On each, every pair of a first and a last edge on a grid has a probability, and
//! the next line is the one whose answer tells most; so a wrong answer is outvoted instead of ending the search. That the judge
//! doesn't see it has a probability of its own.

use super::odds::{UNSEEN, spread, truth};
use super::reply::{Reply, Side};
use super::spans::Spans;
use handeye_scene::Rect;

/// Positions of an edge that are told apart at first, along one axis.
const CELLS: usize = 64;
/// How much of the probability an interval must hold before an edge is said to be in it: of all four, 95 %.
const HELD: f64 = 0.987;
/// How probable it is at first that the judge doesn't see what it looks for.
const AT_FIRST_UNSEEN: f64 = 0.05;
/// A line that told nothing is not drawn again, nor one as near to it as so many cells.
const APART: f64 = 2.5;

/// What is believed of where an element begins and ends along one axis, if the judge sees it.
#[derive(Debug, Clone)]
struct Axis {
    length: f64,
    spans: Spans,
    error: f64,
    /// Lines that told nothing since the last that did.
    silent: Vec<f64>,
}

impl Axis {
    fn new(length: f64, error: f64) -> Self {
        let step = length / CELLS as f64;
        let mut spans = Vec::new();
        for first in 0..CELLS {
            for last in first..CELLS {
                // Small things are likelier than large ones: as probable from 20 to 40 pixels wide as from 40 to 80.
                let cells = (last - first + 1) as f64;
                let place = |cell: usize| (cell as f64 + 0.5) * step;
                let (start, end) = if first == last {
                    (place(first) - step / 4.0, place(first) + step / 4.0)
                } else {
                    (place(first), place(last))
                };
                spans.push((start, end, 1.0 / cells / (CELLS as f64 - cells + 1.0)));
            }
        }
        Self { length, spans: Spans::new(spans), error, silent: Vec::new() }
    }

    /// Learns what was said of a line, if anything; how probable that was of what the judge sees.
    fn learn(&mut self, line: f64, said: Option<Side>) -> f64 {
        match said {
            None | Some(Side::Unseen) => self.silent.push(line),
            Some(_) => self.silent.clear(),
        }
        said.map_or(1.0, |said| self.spans.learn(line, said, self.error))
    }

    /// The shortest interval that holds an edge, of those that begin and end between cells.
    fn interval(&self, edge: impl Fn(&(f64, f64, f64)) -> f64) -> (f64, f64) {
        let step = self.length / CELLS as f64;
        let mut held = [0.0; CELLS];
        for span in self.spans.iter() {
            let cell = ((edge(span) / step).max(0.0) as usize).min(CELLS - 1);
            if let Some(sum) = held.get_mut(cell) {
                *sum += span.2;
            }
        }
        let mut best = (0, CELLS);
        for from in 0..CELLS {
            let mut sum = 0.0;
            for to in from..CELLS {
                sum += held.get(to).copied().unwrap_or(0.0);
                if sum >= HELD {
                    if to + 1 - from < best.1 - best.0 {
                        best = (from, to + 1);
                    }
                    break;
                }
            }
        }
        (best.0 as f64 * step, best.1 as f64 * step)
    }

    fn first(&self) -> (f64, f64) {
        self.interval(|span| span.0)
    }

    fn last(&self) -> (f64, f64) {
        self.interval(|span| span.1)
    }

    fn is_within(&self, precision: f64) -> bool {
        [self.first(), self.last()].iter().all(|(from, to)| to - from <= precision)
    }

    /// The most telling line, of those that aren't near to one that told nothing.
    fn line(&self) -> f64 {
        let step = self.length / CELLS as f64;
        let is_silent = |line: f64| self.silent.iter().any(|silent| (silent - line).abs() < APART * step);
        let lines = (1..CELLS).map(|cell| cell as f64 * step);
        let told = lines.map(|line| (!is_silent(line), self.information(line), line));
        let most = told.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        most.map_or(self.length / 2.0, |(_, _, line)| line)
    }

    fn information(&self, line: f64) -> f64 {
        let mut answers = [0.0; 4];
        for (start, end, weight) in self.spans.iter() {
            let odds = spread(&truth(*start, *end, line), self.error);
            answers.iter_mut().zip(odds).for_each(|(sum, p)| *sum += weight * p);
        }
        answers.iter().filter(|p| **p > 0.0).map(|p| -p * p.log2()).sum()
    }
}

/// A search for the four edges in a picture.
#[derive(Debug, Clone)]
pub struct Edges {
    x: Axis,
    y: Axis,
    precision: f64,
    error: f64,
    unseen: f64,
    asked: usize,
}

impl Edges {
    /// Begins one in a picture of `width` by `height` pixels. It ends when each edge is known within `precision` pixels (100 in
    /// seed 1; a 64th of the longer side at the least); `error` is how often a judge errs about one line.
    pub fn new(width: f64, height: f64, precision: f64, error: f64) -> Self {
        let error = if error.is_finite() { error.clamp(0.001, 0.5) } else { 0.1 };
        let long = |length: f64| if length.is_finite() { length.max(1.0) } else { 1.0 };
        let axis = |length| Axis::new(long(length), error);
        Self {
            x: axis(width),
            y: axis(height),
            precision: precision.max(1.0),
            error,
            unseen: AT_FIRST_UNSEEN,
            asked: 0,
        }
    }

    /// Where to draw the next crosshair; none when all edges are known.
    pub fn next(&self) -> Option<(f64, f64)> {
        (!self.is_done()).then(|| (self.x.line(), self.y.line()))
    }

    /// Whether each edge is known within the precision.
    pub fn is_done(&self) -> bool {
        self.x.is_within(self.precision) && self.y.is_within(self.precision)
    }

    /// How probable it is that the judge doesn't see it.
    pub fn unseen(&self) -> f64 {
        self.unseen
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
        let odds = |said: Option<Side>| said.and_then(|said| spread(&UNSEEN, self.error).get(said.index()).copied());
        let not_seen = self.unseen * odds(said_x).unwrap_or(1.0) * odds(counts).unwrap_or(1.0);
        let (of_x, of_y) = (self.x.learn(x, said_x), self.y.learn(y, said_y));
        let seen = (1.0 - self.unseen) * of_x * if counts == said_y { of_y } else { 1.0 };
        if not_seen + seen > 0.0 {
            self.unseen = (not_seen / (not_seen + seen)).clamp(1e-9, 1.0 - 1e-9);
        }
    }

    /// The region between the middles of the four intervals.
    pub fn region(&self) -> Rect {
        let middle = |(from, to): (f64, f64)| (from + to) / 2.0;
        let (left, right) = (middle(self.x.first()), middle(self.x.last()));
        let (top, bottom) = (middle(self.y.first()), middle(self.y.last()));
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
            assert!(edges.is_done() && edges.asked() <= 12, "{rect:?}: {}", edges.asked());
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
        assert!(edges.is_done() && rect.intersects(&edges.region()), "{:?}", edges.region());
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(Edges::new(odd, odd, 1.0, odd).next().is_none_or(|(x, y)| x.is_finite() && y.is_finite()));
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
            assert!(edges.y.spans.truth(y)[Side::After.index()] > 0.9, "{other:?}");
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
