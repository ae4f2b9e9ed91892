//! Finding where an element's four edges are when there are no candidates: on a canvas, or in a picture of a remote desktop.
//!
//! The two axes are searched alike and at once. On each, every pair of a first and a last edge on a grid has a probability, and
//! the next line is the one whose answer tells most; so a wrong answer is outvoted instead of ending the search.

use super::belief::{spread, truth};
use super::reply::{Reply, Side};
use handeye_scene::Rect;

/// Positions of an edge that are told apart at first, along one axis.
const CELLS: usize = 64;
/// How much of the probability an interval must hold before an edge is said to be in it.
const HELD: f64 = 0.95;

/// What is believed of where an element begins and ends along one axis.
#[derive(Debug, Clone)]
struct Axis {
    length: f64,
    /// First edge, last edge, probability.
    spans: Vec<(f64, f64, f64)>,
    error: f64,
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
        let mut axis = Self { length, spans, error };
        axis.settle();
        axis
    }

    fn settle(&mut self) {
        let sum: f64 = self.spans.iter().map(|s| s.2).sum();
        if sum.is_finite() && sum > 0.0 {
            self.spans.iter_mut().for_each(|s| s.2 = (s.2 / sum).max(1e-12));
        }
    }

    fn learn(&mut self, line: f64, said: Side) {
        for span in &mut self.spans {
            let odds = spread(&truth(span.0, span.1, line), self.error);
            span.2 *= odds.get(said.index()).copied().unwrap_or(0.0);
        }
        self.settle();
    }

    /// The shortest interval that holds an edge, of those that begin and end between cells.
    fn interval(&self, edge: impl Fn(&(f64, f64, f64)) -> f64) -> (f64, f64) {
        let step = self.length / CELLS as f64;
        let mut held = [0.0; CELLS];
        for span in &self.spans {
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

    /// The most telling line.
    fn line(&self) -> f64 {
        let step = self.length / CELLS as f64;
        let lines = (1..CELLS).map(|cell| cell as f64 * step);
        let told = lines.map(|line| (self.information(line), line));
        told.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(self.length / 2.0, |(_, line)| line)
    }

    fn information(&self, line: f64) -> f64 {
        let mut answers = [0.0; 4];
        for (start, end, weight) in &self.spans {
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
    unseen: usize,
    asked: usize,
}

impl Edges {
    /// Begins one in a picture of `width` by `height` pixels. It ends when each edge is known within `precision` pixels (100 in
    /// seed 1; a 64th of the longer side at the least); `error` is how often a judge errs about one line.
    pub fn new(width: f64, height: f64, precision: f64, error: f64) -> Self {
        let error = if error.is_finite() { error.clamp(0.001, 0.5) } else { 0.1 };
        let long = |length: f64| if length.is_finite() { length.max(1.0) } else { 1.0 };
        let axis = |length| Axis::new(long(length), error);
        Self { x: axis(width), y: axis(height), precision: precision.max(1.0), unseen: 0, asked: 0 }
    }

    /// Where to draw the next crosshair; none when all edges are known.
    pub fn next(&self) -> Option<(f64, f64)> {
        (!self.is_done()).then(|| (self.x.line(), self.y.line()))
    }

    /// Whether each edge is known within the precision.
    pub fn is_done(&self) -> bool {
        self.x.is_within(self.precision) && self.y.is_within(self.precision)
    }

    /// Whether the judge sees nothing, oftener than not.
    pub fn is_unseen(&self) -> bool {
        self.unseen >= 2 && self.unseen * 2 > self.asked
    }

    /// Learns the answer about a crosshair at `x`, `y`.
    pub fn learn(&mut self, (x, y): (f64, f64), reply: Reply) {
        self.asked += 1;
        let Reply::Sides { x: said_x, y: said_y } = reply else { return };
        if said_x == Some(Side::Unseen) || said_y == Some(Side::Unseen) {
            self.unseen += 1;
            return;
        }
        if let Some(said) = said_x {
            self.x.learn(x, said);
        }
        if let Some(said) = said_y {
            self.y.learn(y, said);
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
    fn one_wrong_answer_is_outvoted_and_unseen_is_told() {
        let rect = Rect::new(900.0, 600.0, 120.0, 32.0);
        let wrong = Reply::Sides { x: Some(Side::Before), y: Some(Side::Before) };
        let edges = run(rect, |n| (n == 0).then_some(wrong));
        assert!(edges.is_done() && rect.intersects(&edges.region()), "{:?}", edges.region());
        let unseen = run(rect, |_| Some(Reply::Sides { x: Some(Side::Unseen), y: None }));
        assert!(unseen.is_unseen() && !unseen.is_done());
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(Edges::new(odd, odd, 1.0, odd).next().is_none_or(|(x, y)| x.is_finite() && y.is_finite()));
        }
    }
}
