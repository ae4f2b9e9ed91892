//! The search: asks, learns, and says when it knows.

use super::belief::{self, Axis, Belief};
use super::boxes;
use super::marked::Marked;
use super::odds::{is_among, truth};
use super::question::{self, Marks, Question};
use super::reply::{Reply, Side};
use handeye_scene::Rect;
use serde::Serialize;
use std::collections::HashSet;

/// So many questions running whose answers can't be read end a search: the next would be no better.
pub const UNREAD: usize = 2;
/// Where lines are drawn across a candidate that no other lines tell of: shares of its width and height.
const ACROSS: [f64; 5] = [0.5, 0.3, 0.7, 0.4, 0.6];
/// Candidates that are as probable as this together are marked: one of them must be picked in any case before it is found.
const LIKELY: f64 = 0.5;

/// The same marks would be answered alike: each time that they are shown again their boxes are larger on each side, by so many pixels
/// or several times that, at most so many times, and after so many times they aren't shown any more.
const LARGER: f64 = 8.0;
const MOST_LARGER: u32 = 8;
const SHOWN: usize = 3;

/// What a search is held to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Questions at most (15 in seed 1).
    pub max_steps: usize,
    /// Marks that a judge is shown at most (5 in seed 1).
    pub marks: usize,
    /// How probable a candidate must be to be returned.
    pub confidence: f64,
    /// How often a judge is taken to err about one line.
    pub error: f64,
    /// How probable it is at first that the element isn't among the candidates.
    pub absent: f64,
}

/// How probable it is at first, at most, that the element isn't among the candidates.
pub(super) const MOST_ABSENT: f64 = 0.6;

impl Settings {
    /// The same among so many candidates where so many more are elsewhere. That it is none at all stays as probable as it ever is.
    #[must_use]
    pub fn among(self, candidates: usize, elsewhere: usize) -> Self {
        let share = elsewhere as f64 / (elsewhere + candidates).max(1) as f64;
        Self { absent: share.clamp(belief::ABSENT, MOST_ABSENT), ..self }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_steps: 15, marks: 5, confidence: 0.99, error: 0.05, absent: belief::ABSENT }
    }
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// One candidate is probable enough.
    Found,
    /// That it is none of them is.
    NotFound,
    /// The questions were used up, or their answers could not be read, before anything was probable enough.
    Undecided,
    /// The time was, whatever questions were left.
    OutOfTime,
    /// No question would tell anything more.
    Indistinct,
    /// There was nothing to ask about.
    NoCandidates,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Found {
    /// The candidate, by its place; only where [`Found::reason`] is `found`.
    pub candidate: Option<usize>,
    /// How probable it is, or that it is none.
    pub confidence: f64,
    /// Why it ended.
    pub reason: Reason,
}

/// A search among candidates.
#[derive(Debug, Clone)]
pub struct Search {
    belief: Belief,
    settings: Settings,
    /// Width and height of the picture.
    size: (f64, f64),
    asked: usize,
    /// Crosshairs that were asked about.
    drawn: Vec<(f64, f64)>,
    /// Those of which both lines were answered, and the answers.
    said: Vec<((f64, f64), (Side, Side))>,
    /// What was asked and said of marks.
    marked: Marked,
    /// What the last answer about marks picked.
    picked: Option<usize>,
    /// Questions whose answers could be read.
    read: usize,
    /// Questions running whose answers could not be read.
    unread: usize,
    /// Candidates for whose mark there was no room among others.
    crowded: HashSet<usize>,
    /// Candidates for whose mark there was none at all.
    unmarkable: HashSet<usize>,
}

impl Search {
    /// Begins one among candidates at these rects.
    pub fn new(rects: Vec<Rect>, settings: Settings) -> Self {
        Self {
            belief: Belief::with_absent(rects, settings.error, settings.absent),
            settings,
            size: (f64::INFINITY, f64::INFINITY),
            asked: 0,
            drawn: Vec::new(),
            said: Vec::new(),
            marked: Marked::default(),
            picked: None,
            read: 0,
            unread: 0,
            crowded: HashSet::new(),
            unmarkable: HashSet::new(),
        }
    }

    /// The same in a picture of this size: no box is drawn beyond it.
    #[must_use]
    pub fn within(self, size: (f64, f64)) -> Self {
        Self { size, ..self }
    }

    /// The next question, or how it ended. A candidate is found once it is probable enough, the last answer about marks picked it
    /// (lines alone don't tell what the judge saw), and another answer speaks for it: a judge that errs once errs seldom twice alike.
    pub fn next(&self) -> Result<Question, Found> {
        if self.belief.rects().is_empty() {
            return Err(Found { candidate: None, confidence: 0.0, reason: Reason::NoCandidates });
        }
        let (candidate, confidence) = self.belief.best();
        let ended =
            |reason| Err(Found { candidate: candidate.filter(|_| reason == Reason::Found), confidence, reason });
        let is_sure = confidence >= self.settings.confidence;
        let is_picked = is_sure && candidate.is_some() && candidate == self.picked;
        match candidate {
            Some(candidate) if is_picked && self.is_confirmed(candidate) => return ended(Reason::Found),
            None if is_sure && self.read > 0 => return ended(Reason::NotFound),
            _ => {}
        }
        if self.asked >= self.settings.max_steps || self.unread >= UNREAD {
            return ended(Reason::Undecided);
        }
        if let Some(candidate) = candidate.filter(|_| is_picked) {
            let lines = question::best(&self.belief, Marks::default(), &self.drawn).or_else(|| self.across(candidate));
            return lines.map_or_else(|| ended(Reason::Indistinct), Ok);
        }
        let marked = self.to_mark();
        let held: f64 = marked.iter().map(|candidate| self.belief.weight(*candidate)).sum();
        let room = self.room(&marked);
        let marks = |candidates| room.map(|room| Marks { candidates, room });
        let unpicked = candidate.filter(|candidate| self.picked != Some(*candidate) && (is_sure || held >= LIKELY));
        let question = match unpicked {
            Some(candidate) if room.is_some() && !self.unmarkable.contains(&candidate) => {
                marks(marked).map(Question::Marks)
            }
            Some(_) if is_sure => None,
            _ => {
                let lead = || self.belief.ranked().first().copied();
                question::best(&self.belief, marks(marked).unwrap_or_default(), &self.drawn)
                    .or_else(|| self.across(lead()?))
            }
        };
        question.map_or_else(|| ended(Reason::Indistinct), Ok)
    }

    /// Whether an answer besides the pick of its mark speaks for a candidate: one about lines that is true of where it is, or
    /// another pick, which no habit of the judge's explains together with the first.
    fn is_confirmed(&self, candidate: usize) -> bool {
        let Some(rect) = self.belief.rects().get(candidate) else { return false };
        let may_be = |axis: Axis, line: f64, said: Side| {
            let (start, end) = axis.reach(rect);
            truth(start, end, line).get(said.index()).is_some_and(|odds| *odds > 0.0)
        };
        let agrees = |((x, y), (said_x, said_y)): &((f64, f64), (Side, Side))| {
            may_be(Axis::X, *x, *said_x) && may_be(Axis::Y, *y, *said_y)
        };
        self.said.iter().any(agrees) || self.marked.is_picked_apart(candidate)
    }

    /// Another crosshair on a candidate.
    fn across(&self, candidate: usize) -> Option<Question> {
        let rect = self.belief.rects().get(candidate)?;
        let (drawn_xs, drawn_ys): (Vec<f64>, Vec<f64>) = self.drawn.iter().copied().unzip();
        let new = |axis: Axis, drawn: &[f64]| {
            let (start, end) = axis.reach(rect);
            let mut lines = ACROSS.into_iter().map(|share| start + share * (end - start));
            lines.find(|line| line.is_finite() && !is_among(drawn.iter().copied(), *line))
        };
        let (x, y) = (new(Axis::X, &drawn_xs), new(Axis::Y, &drawn_ys));
        // Where there is no new one across one axis, one that was drawn stands for it.
        let (x, y) = (x.or(y.and(drawn_xs.first().copied())), y.or(x.and(drawn_ys.first().copied())));
        x.zip(y).map(|(x, y)| Question::Crosshair { x, y })
    }

    /// The candidates to be marked, in the order of their numbers.
    fn to_mark(&self) -> Vec<usize> {
        self.marked.arranged(&self.likely())
    }

    /// The most probable candidates, as many as may be marked; the most probable alone where it got no mark among others.
    fn likely(&self) -> Vec<usize> {
        let mut ranked = self.belief.ranked();
        ranked.retain(|candidate| !self.unmarkable.contains(candidate));
        match ranked.first() {
            Some(first) if self.crowded.contains(first) => ranked.truncate(1),
            _ => ranked.retain(|candidate| !self.crowded.contains(candidate)),
        }
        ranked.truncate(self.settings.marks.max(1));
        ranked
    }

    /// The boxes of these marks, as far as they are in the picture.
    pub fn boxes(&self, marks: &Marks) -> Vec<Rect> {
        let rects = marks.candidates.iter().filter_map(|candidate| self.belief.rects().get(*candidate));
        rects.map(|rect| boxes::clipped(&boxes::grown(rect, |_| marks.room), self.size)).collect()
    }

    /// How much larger than the candidates, on each side, the boxes of these marks are to be: as little as makes another picture of it
    /// than any before, but never so that a larger box is around the middle of another candidate, too. None where there is no such
    /// room, or they were shown often enough.
    fn room(&self, marked: &[usize]) -> Option<f64> {
        let boxes = |room: f64| self.boxes(&Marks { candidates: marked.to_vec(), room });
        let before: Vec<Vec<Rect>> = self.marked.rooms(marked).into_iter().map(boxes).collect();
        let is_like = |a: &[Rect], b: &[Rect]| a.iter().zip(b).all(|(a, b)| boxes::is_like(a, b));
        let rooms = (0..=MOST_LARGER).map(|times| LARGER * f64::from(times));
        let mut new = rooms.filter(|room| {
            let boxes = boxes(*room);
            !before.iter().any(|before| is_like(before, &boxes)) && (*room == 0.0 || !self.hold_another(marked, &boxes))
        });
        if before.len() < SHOWN { new.next() } else { None }
    }

    /// Whether one of these boxes holds the middle of a candidate that it isn't the box of.
    fn hold_another(&self, marked: &[usize], boxes: &[Rect]) -> bool {
        let seen = |rect: &Rect| boxes::middle(&boxes::clipped(rect, self.size));
        let middles: Vec<Rect> = self.belief.rects().iter().map(seen).collect();
        let holds = |(own, area): (&usize, &Rect)| {
            middles.iter().enumerate().any(|(at, middle)| at != *own && area.intersects(middle))
        };
        marked.iter().zip(boxes).any(holds)
    }

    /// Notes which of the candidates that were to be marked got no mark.
    pub fn unshown(&mut self, asked: &[usize], shown: &[usize]) {
        let into = if asked.len() > 1 { &mut self.crowded } else { &mut self.unmarkable };
        into.extend(asked.iter().filter(|candidate| !shown.contains(candidate)));
    }

    /// Learns the answer to a question. One that can't be read, or that belongs to another question, tells nothing.
    pub fn learn(&mut self, question: &Question, reply: Reply) {
        self.asked += 1;
        if let Question::Crosshair { x, y } = question {
            self.drawn.push((*x, *y));
        }
        let is_read = match (question, reply) {
            (Question::Crosshair { x, y }, Reply::Sides { x: said_x, y: said_y }) => {
                self.belief.learn_sides((*x, *y), (said_x, said_y));
                self.said.extend(said_x.zip(said_y).map(|said| ((*x, *y), said)));
                said_x.is_some() || said_y.is_some()
            }
            (Question::Marks(marked), Reply::Mark(number)) => {
                let picked = marked.candidates.get(number).copied();
                if picked.is_some() {
                    self.picked = picked;
                    self.marked.learn(marked, picked);
                    self.belief.learn_choice(&marked.candidates, picked);
                }
                picked.is_some()
            }
            (Question::Marks(marked), Reply::NoMark) => {
                self.picked = None;
                self.marked.learn(marked, None);
                self.belief.learn_choice(&marked.candidates, None);
                true
            }
            _ => false,
        };
        self.read += usize::from(is_read);
        self.unread = if is_read { 0 } else { self.unread + 1 };
    }

    /// What is believed now.
    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// Questions asked so far.
    pub fn asked(&self) -> usize {
        self.asked
    }
}

#[cfg(test)]
mod tests;
