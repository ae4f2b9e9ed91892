//! `cargo xtask bench locate`: the crosshair search with simulated judges, beside seed 1's rule as written and the same with
//! bounds that propagate.
//!
//! A simulated judge knows where the element is. It errs about each line by itself with the stated rate, any other answer
//! alike, and about marks half as often.

#![allow(clippy::print_stdout)]

use handeye_engine::locate::crosshair::{Edges, Question, Reply, Search, Settings, Side};
use handeye_scene::Rect;
use handeye_testkit::Dice;

const VIEW: (f64, f64) = (1280.0, 800.0);

/// A rule: which of these rects it takes to be the one, with this judge.
type Rule<'a> = &'a dyn Fn(&[Rect], usize, &mut Judge) -> Outcome;

fn main() {
    let trials = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    println!("{:<24}{:>6}{:>8}{:>10}{:>10}{:>12}", "rule", "of", "wrong", "found", "calls", "false≥0.99");
    for (count, error) in [(50, 0.0), (50, 0.1), (50, 0.2), (200, 0.1), (200, 0.0)] {
        let told = Settings { error: if error > 0.0 { error } else { 0.001 }, ..Settings::default() };
        let rules: [(&str, Rule<'_>); 4] = [
            ("search, rate told", &|rects, target, judge| search(rects, target, judge, told)),
            ("search, default rate", &|rects, target, judge| search(rects, target, judge, Settings::default())),
            ("bounds that propagate", &|rects, target, judge| bounds(rects, target, judge, true)),
            ("seed 1 as written", &|rects, target, judge| bounds(rects, target, judge, false)),
        ];
        for (name, rule) in rules {
            let mut sum = Sum::default();
            for seed in 0..trials {
                let mut dice = Dice::new(seed);
                let rects = layout(count, &mut dice);
                let target = dice.below(rects.len());
                let mut judge = Judge { dice, error };
                let outcome = rule(&rects, target, &mut judge);
                sum.add(&outcome, target);
            }
            sum.print(name, count, error);
        }
    }
    for error in [0.0, 0.1] {
        edges(trials, error);
    }
}

/// What came of one trial.
struct Outcome {
    picked: Option<usize>,
    confidence: f64,
    calls: usize,
}

#[derive(Default)]
struct Sum {
    trials: usize,
    found: usize,
    calls: usize,
    sure: usize,
    sure_and_wrong: usize,
}

impl Sum {
    fn add(&mut self, outcome: &Outcome, target: usize) {
        self.trials += 1;
        self.calls += outcome.calls;
        self.found += usize::from(outcome.picked == Some(target));
        if outcome.confidence >= 0.99 {
            self.sure += 1;
            self.sure_and_wrong += usize::from(outcome.picked != Some(target));
        }
    }

    fn print(&self, name: &str, count: usize, error: f64) {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        println!(
            "{name:<24}{count:>6}{:>7}%{:>9.1}%{:>10.2}{:>11.2}%",
            error * 100.0,
            share(self.found, self.trials),
            self.calls as f64 / self.trials.max(1) as f64,
            share(self.sure_and_wrong, self.sure),
        );
    }
}

/// Rects of controls that don't overlap.
fn layout(count: usize, dice: &mut Dice) -> Vec<Rect> {
    let mut rects: Vec<Rect> = Vec::new();
    let scale = if count > 100 { 0.5 } else { 1.0 };
    let mut tries = 0;
    while rects.len() < count && tries < 200_000 {
        tries += 1;
        let width = scale * (24 + dice.below(200)) as f64;
        let height = scale * (20 + dice.below(28)) as f64;
        let x = dice.below((VIEW.0 - width) as usize) as f64;
        let y = dice.below((VIEW.1 - height) as usize) as f64;
        let rect = Rect::new(x, y, width, height);
        let near = Rect::new(x - 4.0, y - 4.0, width + 8.0, height + 8.0);
        if !rects.iter().any(|other| other.intersects(&near)) {
            rects.push(rect);
        }
    }
    rects
}

struct Judge {
    dice: Dice,
    error: f64,
}

impl Judge {
    fn errs(&mut self, rate: f64) -> bool {
        (self.dice.below(1_000_000) as f64) < rate * 1e6
    }

    fn side(&mut self, start: f64, end: f64, line: f64) -> Side {
        let truth = if end <= line {
            Side::Before
        } else if start >= line {
            Side::After
        } else {
            Side::Crosses
        };
        if !self.errs(self.error) {
            return truth;
        }
        let others: Vec<Side> = Side::ALL.into_iter().filter(|side| *side != truth).collect();
        *self.dice.pick(&others).unwrap_or(&truth)
    }

    fn mark(&mut self, marked: &[usize], target: usize) -> Reply {
        let truth = marked.iter().position(|m| *m == target);
        let said = if self.errs(self.error / 2.0) {
            let others: Vec<Option<usize>> =
                (0..marked.len()).map(Some).chain([None]).filter(|said| *said != truth).collect();
            self.dice.pick(&others).copied().flatten()
        } else {
            truth
        };
        said.map_or(Reply::NoMark, Reply::Mark)
    }
}

fn search(rects: &[Rect], target: usize, judge: &mut Judge, settings: Settings) -> Outcome {
    let mut search = Search::new(rects.to_vec(), settings);
    let Some(rect) = rects.get(target) else { return Outcome { picked: None, confidence: 0.0, calls: 0 } };
    loop {
        let question = match search.next() {
            Ok(question) => question,
            Err(found) => {
                return Outcome { picked: found.candidate, confidence: found.confidence, calls: search.asked() };
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

fn bounds(rects: &[Rect], target: usize, judge: &mut Judge, propagate: bool) -> Outcome {
    let mut x = Bounds { first: (0.0, VIEW.0), last: (0.0, VIEW.0) };
    let mut y = Bounds { first: (0.0, VIEW.1), last: (0.0, VIEW.1) };
    let Some(rect) = rects.get(target) else { return Outcome { picked: None, confidence: 0.0, calls: 0 } };
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
    Outcome { picked, confidence: 0.0, calls }
}

/// Edges without candidates.
fn edges(trials: u64, error: f64) {
    let (mut within, mut calls, mut inside) = (0, 0, 0);
    for seed in 0..trials {
        let mut dice = Dice::new(seed);
        let Some(rect) = layout(1, &mut dice).first().copied() else { continue };
        let mut judge = Judge { dice, error };
        let mut edges = Edges::new(VIEW.0, VIEW.1, 100.0, error.max(0.001));
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
        within += usize::from(edges.is_done() && right);
        calls += edges.asked();
        let middle = edges.region().center();
        inside += usize::from(rect.intersects(&Rect::new(middle.x, middle.y, 0.1, 0.1)));
    }
    let share = |part: usize| 100.0 * part as f64 / trials.max(1) as f64;
    println!(
        "edges, {:>3}% wrong: all four within 100 px {:.1}%, {:.2} calls, middle inside {:.1}%",
        error * 100.0,
        share(within),
        calls as f64 / trials.max(1) as f64,
        share(inside)
    );
}
