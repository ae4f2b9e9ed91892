//! The rules that are compared: the search, and seed 1's bounds, as written and with the repair.

use crate::judge::{Judge, Target, holds_middle};
use handeye_engine::locate::crosshair::pinpoint::{Ask, Closely, Cut};
use handeye_engine::locate::crosshair::search::Reason;
use handeye_engine::locate::crosshair::{Edges, Pinpoint, Question, Reply, Search, Settings, Side};
use handeye_scene::Rect;

/// From this confidence on, what is said counts as sure.
pub(crate) const SURE: f64 = 0.99;

/// What came of one trial.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) picked: Option<usize>,
    pub(crate) confidence: f64,
    pub(crate) calls: usize,
    /// Whether it ended with that it is none of them.
    pub(crate) is_not_found: bool,
    /// What was taken to be it after each answer, and how probable that was said to be.
    pub(crate) believed: Vec<(Option<usize>, f64)>,
}

pub(crate) fn search(
    (rects, view): (&[Rect], (f64, f64)),
    target: Target,
    judge: &Judge,
    settings: Settings,
) -> Outcome {
    let target = target.seen(view);
    // As a view without more to scroll to is searched.
    let mut search = Search::new(rects.to_vec(), settings.among(rects.len(), 0)).within(view);
    let mut believed = Vec::new();
    loop {
        let question = match search.next() {
            Ok(question) => question,
            Err(found) => {
                let (picked, confidence, calls) = (found.candidate, found.confidence, search.asked());
                let is_not_found = found.reason == Reason::NotFound;
                return Outcome { picked, confidence, calls, is_not_found, believed };
            }
        };
        let reply = match &question {
            Question::Crosshair { x, y } => judge.sides(target, (*x, *y), None),
            Question::Marks(marks) => judge.mark((&marks.candidates, &search.boxes(marks)), target),
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

pub(crate) fn bounds(rects: &[Rect], target: Target, judge: &Judge, (view, propagate): ((f64, f64), bool)) -> Outcome {
    let mut x = Bounds { first: (0.0, view.0), last: (0.0, view.0) };
    let mut y = Bounds { first: (0.0, view.1), last: (0.0, view.1) };
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
        let (at_x, at_y) = (line_x.unwrap_or_default(), line_y.unwrap_or_default());
        if let Reply::Sides { x: Some(said_x), y: Some(said_y) } = judge.sides(target, (at_x, at_y), None) {
            line_x.iter().for_each(|line| x.learn(*line, said_x, propagate));
            line_y.iter().for_each(|line| y.learn(*line, said_y, propagate));
        }
        left = within(&x, &y);
    }
    let picked = match left[..] {
        [] => None,
        [one] => Some(one),
        _ if left.len() > 5 => None,
        _ => {
            calls += 1;
            let boxes: Vec<Rect> = left.iter().filter_map(|at| rects.get(*at)).copied().collect();
            match judge.mark((&left, &boxes), target) {
                Reply::Mark(at) => left.get(at).copied(),
                _ => left.first().copied(),
            }
        }
    };
    Outcome { picked, calls, ..Outcome::default() }
}

/// What came of a search for what no candidate stands for.
#[derive(Default)]
pub(crate) struct Edged {
    /// Each edge is known within the precision, and is there.
    pub(crate) is_within: bool,
    /// The middle of the region hits it.
    pub(crate) is_hit: bool,
    /// It ended with a region.
    pub(crate) is_found: bool,
    /// It ended with that the judge doesn't see it.
    pub(crate) is_unseen: bool,
    pub(crate) confidence: f64,
    pub(crate) calls: usize,
}

impl Edged {
    /// Whether it is said to be there and sure.
    pub(crate) fn is_sure(&self) -> bool {
        self.is_found && self.confidence >= SURE
    }

    /// Whether it is said not to be there and sure.
    pub(crate) fn is_surely_unseen(&self) -> bool {
        self.is_unseen && self.confidence >= SURE
    }
}

/// How closely edges are searched for, in pixels, and what the judge is shown at most.
const PRECISION: f64 = 100.0;
const LONGEST: f64 = 1568.0;

/// The four edges of what no candidate stands for; without a rect, of what the judge doesn't see.
pub(crate) fn edges(rect: Option<Rect>, (width, height): (f64, f64), judge: &Judge) -> Edged {
    let mut edges = Edges::new(width, height, PRECISION, judge.error.max(0.001));
    let target = rect.map_or(Target::Unseen, Target::At);
    while let Some(lines) = edges.next().filter(|_| edges.asked() < 15) {
        edges.learn(lines, judge.sides(target, lines, None));
        if edges.unseen() >= SURE {
            return Edged { is_unseen: true, confidence: edges.unseen(), calls: edges.asked(), ..Edged::default() };
        }
    }
    let found = Edged { calls: edges.asked(), is_found: edges.next().is_none(), ..Edged::default() };
    let Some(rect) = rect else { return found };
    let truth = [rect.x, rect.x + rect.width, rect.y, rect.y + rect.height];
    let right = edges.intervals().iter().zip(truth).all(|((from, to), edge)| edge >= *from && edge <= *to);
    Edged { is_within: edges.is_within() && right, is_hit: holds_middle(&rect, &edges.region()), ..found }
}

/// A picture that is searched part after part, as large ones are: of these rects, each is what is sought in its part.
pub(crate) fn pinpoint_in_parts(rects: &[Option<Rect>], size: (f64, f64), judge: &Judge, settings: Settings) -> Edged {
    let mut sum = Edged { is_unseen: true, confidence: 1.0, ..Edged::default() };
    for (part, rect) in rects.iter().enumerate() {
        let judge = Judge { seed: judge.seed + part as u64 * PART, ..*judge };
        let settings = Settings { max_steps: settings.max_steps - sum.calls, ..settings };
        let ended = pinpoint((*rect, rects.len() - part - 1), size, &judge, settings);
        sum = Edged { calls: sum.calls + ended.calls, confidence: sum.confidence * ended.confidence, ..sum };
        if !ended.is_unseen {
            return Edged { calls: sum.calls, ..ended };
        }
    }
    sum
}

/// Seeds of a judge are apart by this in the parts of a picture, each of which is another picture.
const PART: u64 = 1 << 40;

/// The whole path to a region: edges, the closer look, and whether it is that. Beside the rect stands how many more parts there are.
fn pinpoint((rect, later): (Option<Rect>, usize), size: (f64, f64), judge: &Judge, settings: Settings) -> Edged {
    let mut pinpoint = Pinpoint::new(Closely { size, precision: PRECISION, longest: LONGEST }, settings).among(later);
    let target = rect.map_or(Target::Unseen, Target::At);
    loop {
        let ask = match pinpoint.ask() {
            Ok(ask) => ask,
            Err(ended) => {
                let region = ended.region;
                let is_hit = region.zip(rect).is_some_and(|(region, rect)| holds_middle(&rect, &region));
                return Edged {
                    is_within: false,
                    is_hit,
                    is_found: region.is_some(),
                    is_unseen: ended.reason == Reason::NotFound,
                    confidence: ended.confidence,
                    calls: pinpoint.asked(),
                };
            }
        };
        let reply = match ask {
            Ask::Crosshair { x, y, cut: None } => judge.sides(target, (x, y), None),
            Ask::Crosshair { x, y, cut: Some(cut) } => judge.sides(within(rect, &cut), (x, y), Some(cut.rect)),
            Ask::Mark(marked) => judge.is_it(target, &marked),
        };
        pinpoint.learn(&ask, reply);
    }
}

/// What a cut-out shows of it.
fn within(rect: Option<Rect>, cut: &Cut) -> Target {
    let Some(rect) = rect.filter(|rect| rect.intersects(&cut.rect)) else { return Target::Unseen };
    let of = |at: f64, origin: f64| (at - origin) * cut.zoom;
    let (x, y) = (of(rect.x, cut.rect.x), of(rect.y, cut.rect.y));
    Target::At(Rect::new(x, y, rect.width * cut.zoom, rect.height * cut.zoom))
}
