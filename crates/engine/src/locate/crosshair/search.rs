//! The search: asks, learns, and says when it knows.

use super::belief::{self, Belief};
use super::question::{self, Question};
use super::reply::Reply;
use handeye_scene::Rect;
use serde::Serialize;

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
    /// The questions were used up before anything was probable enough.
    Undecided,
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
    asked: usize,
}

impl Search {
    /// Begins one among candidates at these rects.
    pub fn new(rects: Vec<Rect>, settings: Settings) -> Self {
        Self { belief: Belief::with_absent(rects, settings.error, settings.absent), settings, asked: 0 }
    }

    /// The next question, or how it ended.
    pub fn next(&self) -> Result<Question, Found> {
        if self.belief.rects().is_empty() {
            return Err(Found { candidate: None, confidence: 0.0, reason: Reason::NoCandidates });
        }
        let (candidate, confidence) = self.belief.best();
        let ended =
            |reason| Err(Found { candidate: candidate.filter(|_| reason == Reason::Found), confidence, reason });
        if confidence >= self.settings.confidence {
            return ended(if candidate.is_some() { Reason::Found } else { Reason::NotFound });
        }
        if self.asked >= self.settings.max_steps {
            return ended(Reason::Undecided);
        }
        match question::best(&self.belief, self.settings.marks) {
            Some(question) => Ok(question),
            None => ended(Reason::Indistinct),
        }
    }

    /// Learns the answer to a question. One that can't be read, or that belongs to another question, tells nothing.
    pub fn learn(&mut self, question: &Question, reply: Reply) {
        self.asked += 1;
        match (question, reply) {
            (Question::Crosshair { x, y }, Reply::Sides { x: said_x, y: said_y }) => {
                if let Some(side) = said_x {
                    self.belief.learn_x(*x, side);
                }
                if let Some(side) = said_y {
                    self.belief.learn_y(*y, side);
                }
            }
            (Question::Marks(marked), Reply::Mark(number)) => {
                if let Some(picked) = marked.get(number) {
                    self.belief.learn_choice(marked, Some(*picked));
                }
            }
            (Question::Marks(marked), Reply::NoMark) => self.belief.learn_choice(marked, None),
            _ => {}
        }
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
mod tests {
    use super::super::reply::Side;
    use super::*;

    fn grid() -> Vec<Rect> {
        let place = |i: i32| Rect::new(f64::from(i % 6) * 200.0, f64::from(i / 6) * 90.0, 120.0, 32.0);
        (0..48).map(place).collect()
    }

    /// Answers truly, but where `lie` gives another answer for that question.
    fn run(target: usize, lie: impl Fn(usize, &Question) -> Option<Reply>) -> (Search, Found) {
        let rects = grid();
        let rect = rects[target];
        let mut search = Search::new(rects, Settings::default());
        loop {
            let question = match search.next() {
                Ok(question) => question,
                Err(found) => return (search, found),
            };
            let side = |start: f64, end: f64, line: f64| match () {
                () if end <= line => Side::Before,
                () if start >= line => Side::After,
                () => Side::Crosses,
            };
            let truth = match &question {
                Question::Crosshair { x, y } => Reply::Sides {
                    x: Some(side(rect.x, rect.x + rect.width, *x)),
                    y: Some(side(rect.y, rect.y + rect.height, *y)),
                },
                Question::Marks(marked) => marked.iter().position(|m| *m == target).map_or(Reply::NoMark, Reply::Mark),
            };
            let reply = lie(search.asked(), &question).unwrap_or(truth);
            search.learn(&question, reply);
        }
    }

    #[test]
    fn every_candidate_is_found_in_a_few_questions_and_in_spite_of_a_wrong_answer() {
        for target in (0..48).step_by(5) {
            let (search, found) = run(target, |_, _| None);
            assert_eq!((found.reason, found.candidate), (Reason::Found, Some(target)));
            assert!(search.asked() <= 5, "{target}: {}", search.asked());
            let wrong = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Before) };
            for at in [0, 1] {
                let (search, found) =
                    run(target, |n, q| (n == at && matches!(q, Question::Crosshair { .. })).then_some(wrong));
                assert_eq!(found.candidate, Some(target), "wrong at {at}");
                assert!(search.asked() <= 12, "{target}: {}", search.asked());
            }
        }
    }

    #[test]
    fn what_is_not_there_is_not_found_and_never_returned() {
        let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
        let none = |_: usize, q: &Question| Some(if matches!(q, Question::Marks(_)) { Reply::NoMark } else { unseen });
        let (search, found) = run(3, none);
        assert_eq!((found.reason, found.candidate), (Reason::NotFound, None));
        assert!(search.asked() <= 6, "{}", search.asked());
    }

    #[test]
    fn answers_that_say_nothing_end_undecided_within_the_limit() {
        for reply in [Reply::Garbled, Reply::Mark(usize::MAX), Reply::Sides { x: None, y: None }] {
            let (search, found) = run(3, |_, _| Some(reply));
            assert_eq!((found.reason, found.candidate), (Reason::Undecided, None), "{reply:?}");
            assert_eq!(search.asked(), 15);
        }
        let empty = Search::new(Vec::new(), Settings::default());
        let ended = empty.next().unwrap_err();
        assert_eq!((ended.reason, ended.confidence), (Reason::NoCandidates, 0.0), "nobody was asked");
    }
}
