//! The rules that are compared: the search, and seed 1's bounds, as written and with the repair.

use crate::judge::Judge;
use handeye_engine::locate::crosshair::{Edges, Question, Reply, Search, Settings, Side};
use handeye_scene::Rect;

/// What came of one trial.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) picked: Option<usize>,
    pub(crate) confidence: f64,
    pub(crate) calls: usize,
    /// What was taken to be it after each answer, and how probable that was said to be.
    pub(crate) believed: Vec<(Option<usize>, f64)>,
}

pub(crate) fn search(rects: &[Rect], target: usize, judge: &mut Judge, settings: Settings) -> Outcome {
    let mut search = Search::new(rects.to_vec(), settings);
    let Some(rect) = rects.get(target) else { return Outcome::default() };
    let mut believed = Vec::new();
    loop {
        let question = match search.next() {
            Ok(question) => question,
            Err(found) => {
                let (picked, confidence, calls) = (found.candidate, found.confidence, search.asked());
                return Outcome { picked, confidence, calls, believed };
            }
        };
        let reply = match &question {
            Question::Crosshair { x, y } => Reply::Sides {
                x: Some(judge.side(rect.x, rect.x + rect.width, *x)),
                y: Some(judge.side(rect.y, rect.y + rect.height, *y)),
            },
            Question::Marks(marked) => judge.mark(marked, target),
        };
        search.learn(&question, reply);
        believed.push(search.belief().best());
    }
}

/// Four intervals, as in the seed; `propagate` is the repair: what is left of a line also begins left of it.
struct Bounds {
    first: (f64, f64),
    last: (f64, f64),
}

impl Bounds {
    fn line(&self) -> Option<f64> {
        if self.first.1 - self.first.0 > 100.0 {
            Some((self.first.0 + self.first.1) / 2.0)
        } else if self.last.1 - self.last.0 > 100.0 {
            Some((self.last.0 + self.last.1) / 2.0)
        } else {
            None
        }
    }

    fn learn(&mut self, line: f64, said: Side, propagate: bool) {
        match said {
            Side::Before => self.last.1 = self.last.1.min(line),
            Side::After => self.first.0 = self.first.0.max(line),
            Side::Crosses => {
                self.first.1 = self.first.1.min(line);
                self.last.0 = self.last.0.max(line);
            }
            Side::Unseen => {}
        }
        if propagate {
            self.first.1 = self.first.1.min(self.last.1);
            self.last.0 = self.last.0.max(self.first.0);
        }
    }

    fn holds(&self, start: f64, end: f64) -> bool {
        end >= self.first.0 && start <= self.last.1
    }
}

pub(crate) fn bounds(
    rects: &[Rect],
    target: usize,
    judge: &mut Judge,
    (view, propagate): ((f64, f64), bool),
) -> Outcome {
    let mut x = Bounds { first: (0.0, view.0), last: (0.0, view.0) };
    let mut y = Bounds { first: (0.0, view.1), last: (0.0, view.1) };
    let Some(rect) = rects.get(target) else { return Outcome::default() };
    let within = |x: &Bounds, y: &Bounds| -> Vec<usize> {
        let holds = |r: &Rect| x.holds(r.x, r.x + r.width) && y.holds(r.y, r.y + r.height);
        rects.iter().enumerate().filter(|(_, r)| holds(r)).map(|(i, _)| i).collect()
    };
    let mut calls = 0;
    let mut left = within(&x, &y);
    while calls < 15 && left.len() > 5 {
        let (line_x, line_y) = (x.line(), y.line());
        if line_x.is_none() && line_y.is_none() {
            break;
        }
        calls += 1;
        if let Some(line) = line_x {
            let said = judge.side(rect.x, rect.x + rect.width, line);
            x.learn(line, said, propagate);
        }
        if let Some(line) = line_y {
            let said = judge.side(rect.y, rect.y + rect.height, line);
            y.learn(line, said, propagate);
        }
        left = within(&x, &y);
    }
    let picked = match left[..] {
        [] => None,
        [one] => Some(one),
        _ if left.len() > 5 => None,
        _ => {
            calls += 1;
            match judge.mark(&left, target) {
                Reply::Mark(at) => left.get(at).copied(),
                _ => left.first().copied(),
            }
        }
    };
    Outcome { picked, calls, ..Outcome::default() }
}

/// The four edges of what no candidate stands for: whether each was found within 100 pixels, whether the middle of the region hits
/// it, and the questions.
pub(crate) fn edges(rect: Rect, (width, height): (f64, f64), judge: &mut Judge) -> (bool, bool, usize) {
    let mut edges = Edges::new(width, height, 100.0, judge.error.max(0.001));
    while let Some((x, y)) = edges.next() {
        if edges.asked() >= 15 {
            break;
        }
        let x_said = judge.side(rect.x, rect.x + rect.width, x);
        let y_said = judge.side(rect.y, rect.y + rect.height, y);
        edges.learn((x, y), Reply::Sides { x: Some(x_said), y: Some(y_said) });
    }
    let truth = [rect.x, rect.x + rect.width, rect.y, rect.y + rect.height];
    let right = edges.intervals().iter().zip(truth).all(|((from, to), edge)| edge >= *from && edge <= *to);
    let middle = edges.region().center();
    let hits = rect.intersects(&Rect::new(middle.x, middle.y, 0.1, 0.1));
    (edges.is_done() && right, hits, edges.asked())
}
