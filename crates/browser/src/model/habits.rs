//! What is done by itself, often or evenly enough to be the work of a timer: where frames go, and pages that load
//! themselves again.

use handeye_scene::NativeId;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// How many times within this make a habit, or how many with gaps that are alike up to this share. The same as of an element
/// that changes by itself (`browser/page/changes/cause.js`).
const OFTEN: usize = 3;
const OFTEN_WITHIN: Duration = Duration::from_secs(4);
const EVEN: f64 = 1.35;
/// How long it is remembered that a page has loaded itself again.
const LATELY: Duration = Duration::from_secs(600);
/// What a page does so soon after a gesture or a command may come of that: it is answered late, or shows for a while what was done.
const COMES_OF_IT: Duration = Duration::from_secs(5);
/// How many of the frames that were taken out are known.
pub(crate) const GONE: usize = 200;
/// How many addresses within pages are told apart.
pub(crate) const WITHIN: usize = 200;
/// A gesture that has gone on for so long is over.
const LONGEST: Duration = Duration::from_secs(60);

/// Times at which something was last done by itself, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habit(VecDeque<Instant>);

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
    pub(crate) fn holds(&self, at: Instant) -> bool {
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
pub(crate) struct Gone {
    pub(crate) frame: String,
    pub(crate) shown_by: Option<NativeId>,
    pub(crate) navigated_itself: bool,
}

/// Where frames go by themselves.
#[derive(Debug, Default)]
pub(crate) struct Habits {
    /// When the gesture under way began, and when its first input was sent.
    since: Option<Instant>,
    sent: Option<Instant>,
    /// When the look began that it is compared with.
    looked: Option<Instant>,
    /// The frames that the last one is aimed into, as they were then: one that goes elsewhere takes those in it out first.
    pub(crate) aimed: Vec<String>,
    /// When the last one was over.
    over: Option<Instant>,
    /// By frame.
    pub(crate) own: HashMap<String, Habit>,
    /// By the frame they are in, all together.
    pub(crate) inside: HashMap<String, Habit>,
    /// Pages that load themselves again, by frame and address.
    again: HashMap<String, Habit>,
    /// Addresses that the page gives itself without leaving, by what stands before `?` and `#`.
    pub(crate) within: HashMap<String, Habit>,
    pub(crate) gone: VecDeque<Gone>,
}

impl Habits {
    pub(crate) fn begin(&mut self) {
        (self.since, self.sent) = (Some(Instant::now()), None);
        self.aimed.clear();
    }

    /// A look begins that the next gesture is compared with.
    pub(crate) fn looks(&mut self) {
        if self.since().is_none() {
            self.looked = Some(Instant::now());
        }
    }

    /// From when on what comes is seen as a change.
    pub(crate) fn compares_since(&self) -> Option<Instant> {
        self.since().map(|since| self.looked.unwrap_or(since))
    }

    /// Input is about to be sent: what was asked for until now is none of its doing.
    pub(crate) fn sends(&mut self) {
        self.sent.get_or_insert_with(Instant::now);
    }

    /// From when on something may be the doing of the gesture under way.
    pub(crate) fn acts_since(&self) -> Option<Instant> {
        self.since().map(|since| self.sent.unwrap_or(since))
    }

    /// What it was aimed at counts until the next one begins: what came of it is looked at now.
    pub(crate) fn end(&mut self) {
        (self.since, self.looked, self.over) = (None, None, Some(Instant::now()));
    }

    /// Whether a page that is loaded again does so by itself, as it did before. Only where nothing else can be behind it is it
    /// noted.
    pub(crate) fn loads_again(&mut self, page: String) -> bool {
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
    pub(crate) fn since(&self) -> Option<Instant> {
        self.since.filter(|since| since.elapsed() < LONGEST)
    }

    /// Notes what was done by itself. What follows a gesture is no habit, unless it was one.
    pub(crate) fn note(habits: &mut HashMap<String, Habit>, frame: &str, since: Option<Instant>) -> bool {
        let now = Instant::now();
        let habit = habits.entry(frame.to_owned()).or_default();
        let holds = habit.holds(since.unwrap_or(now));
        if since.is_none() || holds {
            habit.note(now);
        }
        holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_loads_itself_again_if_nothing_else_was_behind_it_three_times() {
        let mut habits = Habits::default();
        let page = || "frame http://a/".to_owned();
        for _ in 0..3 {
            assert!(!habits.loads_again(page()));
        }
        assert!(habits.loads_again(page()));
        assert!(!habits.loads_again("frame http://a/other".into()));
        // What comes within a gesture, or soon after it, is no habit.
        let mut habits = Habits::default();
        for _ in 0..9 {
            habits.begin();
            assert!(!habits.loads_again(page()), "within");
            habits.end();
            assert!(!habits.loads_again(page()), "soon after");
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
