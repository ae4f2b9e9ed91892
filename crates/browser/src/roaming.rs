//! Frames that go elsewhere by themselves, as those of advertisements do. Where they go, and what is in them, proves nothing of
//! an action, unless it was aimed at what is in them.

use crate::world::World;
use handeye_scene::{DocumentId, Event, NativeId};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// So many times within this, or so many with gaps that are alike up to this share, are a habit. The same as of an element
/// that changes by itself (`browser/page/cause.js`).
const OFTEN: usize = 3;
const OFTEN_WITHIN: Duration = Duration::from_secs(4);
const EVEN: f64 = 1.35;
/// How long it is remembered that a page has loaded itself again.
const LATELY: Duration = Duration::from_secs(600);
/// What a page does so soon after a gesture or a command may come of that: it is answered late, or shows for a while what was done.
const COMES_OF_IT: Duration = Duration::from_secs(5);
/// So many of the frames that were taken out are known.
const GONE: usize = 200;
/// So many addresses within pages are told apart.
const WITHIN: usize = 200;
/// A gesture that has gone on for so long is over.
const LONGEST: Duration = Duration::from_secs(60);
/// Frames in frames are followed so far.
const DEEP: usize = 1000;

/// Times at which something was last done by itself, oldest first.
#[derive(Debug, Clone, Default)]
struct Habit(VecDeque<Instant>);

impl Habit {
    fn note(&mut self, at: Instant) {
        self.0.push_back(at);
        if self.0.len() > OFTEN {
            self.0.pop_front();
        }
    }

    /// Whether it was done often enough in the last while to be the work of a timer.
    fn was_lately(&self, at: Instant) -> bool {
        self.0.len() == OFTEN && self.0.front().is_some_and(|first| at.saturating_duration_since(*first) < LATELY)
    }

    /// Whether it was kept up until then.
    fn holds(&self, at: Instant) -> bool {
        let (Some(first), Some(last)) = (self.0.front(), self.0.back()) else { return false };
        if self.0.len() < OFTEN {
            return false;
        }
        if at.saturating_duration_since(*first) < OFTEN_WITHIN {
            return true;
        }
        let gaps = || self.0.iter().zip(self.0.iter().skip(1)).map(|(a, b)| b.saturating_duration_since(*a));
        let (least, most) = (gaps().min().unwrap_or_default(), gaps().max().unwrap_or_default());
        most <= least.mul_f64(EVEN) && at.saturating_duration_since(*last) <= most.mul_f64(EVEN)
    }
}

/// A frame that was taken out.
#[derive(Debug)]
struct Gone {
    frame: String,
    shown_by: Option<NativeId>,
    roamed: bool,
}

/// Where frames go by themselves.
#[derive(Debug, Default)]
pub(crate) struct Roaming {
    /// When the gesture under way began, and the document that the last one is aimed at.
    since: Option<Instant>,
    aimed: Option<DocumentId>,
    /// When the last one was over.
    over: Option<Instant>,
    /// By frame.
    own: HashMap<String, Habit>,
    /// By the frame they are in, all together.
    inside: HashMap<String, Habit>,
    /// Pages that load themselves again, by frame and address.
    again: HashMap<String, Habit>,
    /// Addresses that the page gives itself without leaving, by what stands before `?` and `#`.
    within: HashMap<String, Habit>,
    gone: VecDeque<Gone>,
}

impl Roaming {
    pub(crate) fn begin(&mut self) {
        (self.since, self.aimed) = (Some(Instant::now()), None);
    }

    pub(crate) fn aim(&mut self, document: DocumentId) {
        self.aimed = Some(document);
    }

    /// What it was aimed at counts until the next one begins: what came of it is looked at now.
    pub(crate) fn end(&mut self) {
        (self.since, self.over) = (None, Some(Instant::now()));
    }

    /// Whether a page that is loaded again does so by itself, as it did before. Only where nothing else can be behind it is it
    /// noted.
    fn loads_again(&mut self, page: String) -> bool {
        if self.again.len() > WITHIN {
            self.again.clear();
        }
        let since = self.since();
        let habit = self.again.entry(page).or_default();
        let holds = habit.was_lately(since.unwrap_or_else(Instant::now));
        if since.is_none() && self.over.is_none_or(|over| over.elapsed() > COMES_OF_IT) {
            habit.note(Instant::now());
        }
        holds
    }

    /// When the gesture under way began, if one is: not every one is waited out.
    fn since(&self) -> Option<Instant> {
        self.since.filter(|since| since.elapsed() < LONGEST)
    }

    /// Notes what was done by itself. What follows a gesture is no habit, unless it was one.
    fn note(habits: &mut HashMap<String, Habit>, frame: &str, since: Option<Instant>) -> bool {
        let now = Instant::now();
        let habit = habits.entry(frame.to_owned()).or_default();
        let holds = habit.holds(since.unwrap_or(now));
        if since.is_none() || holds {
            habit.note(now);
        }
        holds
    }
}

/// An address without what changes of it, as where the time stands in it.
pub(crate) fn path_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

impl World {
    /// The page is another document. One that loads itself again and again, as a board that shows news does, proves nothing.
    /// `was`: its address before.
    pub(crate) fn arrived(&mut self, frame: &str, url: String, document: bool, was: &str) {
        let alike = document && path_of(was) == path_of(&url);
        if alike && self.roaming.loads_again(format!("{frame} {}", path_of(&url))) {
            self.happened(Event::LoadedAgain);
        } else {
            self.happened(Event::Navigated { again: document && was == url, url, document });
        }
    }

    /// A frame inside the page has gone elsewhere.
    pub(crate) fn went(&mut self, frame: &str, url: String) {
        let since = self.roaming.since();
        let parent = self.frames.get(frame).and_then(|f| f.parent.clone()).unwrap_or_default();
        let own = Roaming::note(&mut self.roaming.own, frame, since);
        let inside = Roaming::note(&mut self.roaming.inside, &parent, since);
        if (own || inside) && !self.is_aimed_in(frame) {
            self.moved.by_itself = true;
        } else {
            self.happened(Event::DocumentNavigated { url });
        }
    }

    /// The page has another address without being another document. One that it keeps changing, as it does to note where it
    /// was scrolled to or what is played, proves nothing.
    pub(crate) fn went_within(&mut self, frame: &str, url: String) {
        self.arrivals += 1;
        let since = self.roaming.since();
        if self.roaming.within.len() > WITHIN {
            self.roaming.within.clear();
        }
        if Roaming::note(&mut self.roaming.within, &format!("{frame} {}", path_of(&url)), since) {
            self.moved.by_itself = true;
        } else {
            self.happened(Event::Navigated { again: false, url, document: false });
        }
    }

    /// A frame is about to be forgotten.
    pub(crate) fn gone(&mut self, frame: &str) {
        let shown_by = self.frames.get(frame).and_then(|f| f.shown_by);
        let gone = Gone { frame: frame.to_owned(), shown_by, roamed: self.roams(frame) };
        self.roaming.own.remove(frame);
        self.roaming.inside.remove(frame);
        self.roaming.gone.push_back(gone);
        if self.roaming.gone.len() > GONE {
            self.roaming.gone.pop_front();
        }
    }

    /// Whether a frame, or one that it is in, goes elsewhere by itself.
    pub(crate) fn roams(&self, frame: &str) -> bool {
        if self.roaming.own.is_empty() {
            return false;
        }
        let at = self.roaming.since().unwrap_or_else(Instant::now);
        let is_one = |id: &str| self.roaming.own.get(id).is_some_and(|h| h.holds(at)) && !self.is_aimed_in(id);
        self.above(frame).any(is_one)
    }

    /// Whether the document that has this context is in such a frame.
    pub(crate) fn roams_in(&self, session: &str, context: i64) -> bool {
        let document = self.living().rev().find(|d| d.context_id == context && d.session == session);
        document.is_some_and(|d| self.roams(&d.frame))
    }

    /// Whether any does.
    pub(crate) fn any_roams(&self) -> bool {
        self.roaming.own.keys().any(|frame| self.roams(frame))
    }

    /// What frames that go elsewhere by themselves show, and what shows them; and what is in those that are shown by what
    /// changes by itself. Number 0 of a document stands for all that is in it.
    pub(crate) fn roamed(&self, restless: &HashSet<NativeId>) -> HashSet<NativeId> {
        let shown = |by: &Option<NativeId>| by.is_some_and(|element| restless.contains(&element));
        let moving: HashSet<&str> = {
            let here = self.frames.iter().filter(|(id, f)| self.roams(id) || shown(&f.shown_by)).map(|(id, _)| id);
            let gone = self.roaming.gone.iter().filter(|g| g.roamed || shown(&g.shown_by)).map(|g| &g.frame);
            here.chain(gone).map(String::as_str).collect()
        };
        if moving.is_empty() {
            return HashSet::new();
        }
        let shows = moving.iter().filter_map(|id| self.frames.get(*id)?.shown_by);
        let inside = self.documents.iter().filter(|(_, d)| self.above(&d.frame).any(|f| moving.contains(f)));
        shows.chain(inside.map(|(id, _)| NativeId::new(id, 0))).collect()
    }

    /// Whether what the gesture is aimed at is in this frame.
    fn is_aimed_in(&self, frame: &str) -> bool {
        let aimed = self.roaming.aimed.and_then(|id| self.document(id));
        aimed.is_some_and(|document| self.above(&document.frame).any(|f| f == frame))
    }

    /// A frame and those it is in.
    fn above<'a>(&'a self, frame: &'a str) -> impl Iterator<Item = &'a str> {
        let parent = |id: &&'a str| self.frames.get(*id).and_then(|f| f.parent.as_deref());
        std::iter::successors(Some(frame), parent).take(DEEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_loads_itself_again_if_nothing_else_was_behind_it_three_times() {
        let mut roaming = Roaming::default();
        let page = || "frame http://a/".to_owned();
        for _ in 0..3 {
            assert!(!roaming.loads_again(page()));
        }
        assert!(roaming.loads_again(page()));
        assert!(!roaming.loads_again("frame http://a/other".into()));
        // What comes within a gesture, or soon after it, is no habit.
        let mut roaming = Roaming::default();
        for _ in 0..9 {
            roaming.begin();
            assert!(!roaming.loads_again(page()), "within");
            roaming.end();
            assert!(!roaming.loads_again(page()), "soon after");
        }
    }

    #[test]
    fn what_is_done_often_or_evenly_is_a_habit() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let holds = |times: &[f64], then: f64| {
            let mut habit = Habit::default();
            times.iter().for_each(|t| habit.note(at(*t)));
            habit.holds(at(then))
        };
        assert!(holds(&[1.0, 1.5, 3.0], 4.0), "often");
        assert!(!holds(&[1.0, 1.5], 4.0), "twice");
        assert!(!holds(&[1.0, 1.5, 3.0], 9.0), "long ago");
        assert!(holds(&[0.0, 30.0, 61.0], 80.0), "evenly");
        assert!(!holds(&[0.0, 30.0, 61.0], 130.0), "evenly, and then no more");
        assert!(!holds(&[0.0, 10.0, 61.0], 62.0), "now and then");
    }
}
