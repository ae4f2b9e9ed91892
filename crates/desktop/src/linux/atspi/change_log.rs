//! What changed when: told by the apps' events, and kept to tell what changes by itself from what comes of a gesture.
//!
//! What changes again and again while nothing is done is restless, and goes on being so while it keeps changing. What was watched for
//! too short a time, or changed once lately, is doubtful: what it does after a gesture may be no more than it would have done.
//!
//! What listens for input does its work before the app answers the next question. A text or a number that changes after that answer
//! is late: it may have been a timer of the app's own that was due by then. What changed before an answer that was long in coming is
//! doubtful.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Changes within such a while are one: toolkits tell of a text that is replaced in several events.
const ONE: Duration = Duration::from_millis(60);
/// What comes so soon after a gesture is hardly anything's own doing.
const PROMPT: Duration = Duration::from_millis(60);
/// So long after a gesture was judged, something may still come of it.
const AFTER: Duration = Duration::from_millis(300);
/// Changes of so long ago are remembered.
const KEPT: Duration = Duration::from_secs(5);
/// So many changes in that time, while nothing is done, make something restless.
const RESTLESS: usize = 2;
/// What hasn't changed for so long is at rest: longer than clocks of seconds take twice.
pub(crate) const STILL: Duration = Duration::from_millis(2200);
/// So long after its first change something must change again to be taken for what does so by itself: longer than a clock of seconds
/// takes.
pub(crate) const AGAIN: Duration = Duration::from_millis(1150);
/// So many objects are kept.
const MOST: usize = 4096;

/// What an event says of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// It says or holds something else.
    Words,
    /// Other things are in it.
    Parts,
}

/// An object: its app's name on the bus, and its path.
pub(crate) type Object = (String, String);

/// What is known of one object.
#[derive(Debug, Default)]
struct Changes {
    /// When it changed, while nothing was done, or late after something was.
    own: VecDeque<Instant>,
    /// When it changed last.
    last: Option<Instant>,
    /// When it changed since the gesture began: the first of each change.
    since: Vec<Instant>,
    /// Whether other things came into it since.
    parts: bool,
    restless: bool,
}

/// Changes of all objects.
#[derive(Debug, Default)]
pub(crate) struct ChangeLog {
    objects: HashMap<Object, Changes>,
    /// When each app was first heard of or looked at.
    met: HashMap<String, Instant>,
    /// When the gesture that is judged began, and when it was made.
    begun: Option<Instant>,
    made: Option<Instant>,
    /// The app that answered after it, and when it did.
    answered: Option<(String, Instant)>,
    /// When the last one was judged.
    judged: Option<Instant>,
}

/// What changed since a gesture began.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Since {
    /// What does so by itself.
    pub(crate) restless: Vec<Object>,
    /// What may do so by itself, and changed again.
    pub(crate) unsure: Vec<Object>,
    /// What changed after its app had answered, and nothing else of which changed.
    pub(crate) late: Vec<Object>,
    /// Until when it must be watched to tell.
    pub(crate) until: Option<Instant>,
}

impl ChangeLog {
    /// An app is there from now on, if it wasn't known.
    pub(crate) fn meet(&mut self, app: &str, now: Instant) {
        if !self.met.contains_key(app) {
            self.met.insert(app.to_owned(), now);
        }
    }

    /// Something changed; whether it is restless.
    pub(crate) fn note(&mut self, app: &str, path: &str, told: Told, now: Instant) -> bool {
        self.meet(app, now);
        if self.objects.len() >= MOST {
            self.objects.retain(|_, changes| changes.last.is_some_and(|last| now - last < KEPT));
        }
        if self.objects.len() >= MOST {
            return false;
        }
        let is_prompt = match (self.begun, self.made, self.judged) {
            (Some(_), None, _) => true,
            (Some(_), Some(made), _) => now.saturating_duration_since(made) <= PROMPT,
            (None, _, judged) => judged.is_some_and(|judged| now.saturating_duration_since(judged) <= AFTER),
        };
        let changes = self.objects.entry((app.to_owned(), path.to_owned())).or_default();
        let is_new = changes.last.is_none_or(|last| now.saturating_duration_since(last) > ONE);
        changes.last = Some(now);
        changes.parts |= self.begun.is_some() && told == Told::Parts;
        if is_new && !is_prompt {
            changes.own.push_back(now);
            changes.own.retain(|at| now.saturating_duration_since(*at) < KEPT);
        }
        if self.begun.is_some() && (is_new || changes.since.is_empty()) {
            changes.since.push(now);
        } else if self.begun.is_none() && changes.own.len() >= RESTLESS {
            changes.restless = true;
        }
        changes.restless
    }

    /// A gesture begins.
    pub(crate) fn begin(&mut self, now: Instant) {
        (self.begun, self.made, self.answered) = (Some(now), None, None);
        for changes in self.objects.values_mut() {
            changes.since.clear();
            changes.parts = false;
            changes.own.retain(|at| now.saturating_duration_since(*at) < KEPT);
            let is_at_rest = changes.last.is_none_or(|last| now.saturating_duration_since(last) > STILL);
            changes.restless &= !is_at_rest;
        }
    }

    /// It was made.
    pub(crate) fn made(&mut self, now: Instant) {
        self.made = Some(now);
    }

    /// An app answered what it was asked after it had got the gesture: what comes from `at` on isn't what listened for that.
    pub(crate) fn answered(&mut self, app: &str, at: Instant) {
        self.answered.get_or_insert_with(|| (app.to_owned(), at));
    }

    /// Whether it is known when an app answered after the gesture.
    pub(crate) fn has_answered(&self) -> bool {
        self.answered.is_some()
    }

    /// It was judged.
    pub(crate) fn judged(&mut self, now: Instant) {
        if self.begun.take().is_some() {
            self.judged = Some(now);
        }
    }

    /// What of all that changed since the gesture began may have done so by itself.
    pub(crate) fn since(&self) -> Since {
        let mut found = Since::default();
        let Some(begun) = self.begun else { return found };
        for (object, changes) in self.objects.iter().filter(|(_, changes)| !changes.since.is_empty()) {
            let before = |at: &&Instant| **at < begun && begun.saturating_duration_since(**at) < STILL;
            let met = self.met.get(&object.0).map(|met| begun.saturating_duration_since(*met));
            let came = self.came(&object.0, changes.since[0]);
            if came == Came::Late && !changes.restless && !changes.parts {
                found.late.push(object.clone());
                continue;
            }
            let is_doubtful = met.is_none_or(|met| met < STILL)
                || changes.own.iter().any(|at| before(&at))
                || came == Came::Slowly && !changes.parts;
            match (changes.restless, is_doubtful, &changes.since[..]) {
                (true, ..) => found.restless.push(object.clone()),
                (false, true, [_, _, ..]) => found.unsure.push(object.clone()),
                (false, true, [first]) => found.until = found.until.max(Some(*first + AGAIN)),
                _ => {}
            }
        }
        found
    }

    /// When something came, by when its app had answered.
    fn came(&self, app: &str, at: Instant) -> Came {
        let Some((_, answered)) = self.answered.as_ref().filter(|(answering, _)| answering == app) else {
            return Came::Unknown;
        };
        let is_prompt = self.made.is_none_or(|made| at.saturating_duration_since(made) <= PROMPT);
        match (is_prompt, at > *answered) {
            (true, _) => Came::AtOnce,
            (false, false) => Came::Slowly,
            (false, true) => Came::Late,
        }
    }
}

/// When a change came after a gesture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    AtOnce,
    /// Before its app had answered, which took it a while.
    Slowly,
    /// After its app had answered.
    Late,
    /// Its app wasn't asked.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = ":1.5";

    /// What is told of one object: `before` and `after` the gesture at 10 s, in milliseconds, of an app met at `met`.
    fn told(met: i64, before: &[i64], after: &[i64]) -> (bool, bool, bool) {
        let start = Instant::now();
        let at = |ms: i64| start + Duration::from_millis(u64::try_from(10_000 + ms).unwrap_or_default());
        let mut log = ChangeLog::default();
        log.meet(APP, at(met));
        for ms in before {
            log.note(APP, "/clock", Told::Words, at(*ms));
        }
        log.begin(at(0));
        log.made(at(20));
        for ms in after {
            log.note(APP, "/clock", Told::Words, at(*ms));
        }
        let since = log.since();
        (!since.restless.is_empty(), !since.unsure.is_empty(), since.until.is_some())
    }

    #[test]
    fn what_changes_by_itself_is_told_from_what_comes_of_a_gesture() {
        let (restless, unsure, watched, counts) =
            ((true, false, false), (false, true, false), (false, false, true), (false, false, false));
        for (met, before, after, wanted) in [
            // A clock of seconds, and one that is faster.
            (-9000, vec![-2500, -1500, -500], vec![500], restless),
            (-700, vec![-600, -400, -200], vec![10], restless),
            // One that stands still counts again.
            (-9000, vec![-6000, -5000, -4000], vec![500], counts),
            // What was seen at rest for long enough counts, at once or late, once or again.
            (-9000, vec![], vec![30], counts),
            (-9000, vec![], vec![300], counts),
            (-9000, vec![], vec![30, 230, 430], counts),
            // What is new, or changed lately, is watched, and not known of when it changes again.
            (-500, vec![], vec![30], watched),
            (-500, vec![], vec![300], watched),
            (-500, vec![], vec![30, 1030], unsure),
            (-9000, vec![-700], vec![300], watched),
            (-9000, vec![-700], vec![300, 1300], unsure),
            // Several events of one change are one.
            (-500, vec![], vec![30, 31, 33], watched),
            (-9000, vec![-700, -699, -698], vec![300], watched),
            (-9000, vec![-2500, -1500], vec![], counts),
        ] {
            assert_eq!(told(met, &before, &after), wanted, "met {met}, {before:?}, then {after:?}");
        }
    }

    #[test]
    fn what_a_gesture_brings_about_makes_nothing_restless() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut log = ChangeLog::default();
        log.meet(APP, at(0));
        for round in 1..6 {
            let begun = round * 3000;
            log.begin(at(begun));
            log.made(at(begun + 20));
            log.note(APP, "/count", Told::Words, at(begun + 40));
            assert_eq!(log.since(), Since::default(), "{round}");
            log.judged(at(begun + 200));
            // What it sets off late is none of its own yet.
            log.note(APP, "/count", Told::Words, at(begun + 400));
        }
    }

    #[test]
    fn a_text_that_changes_after_its_app_has_answered_is_late() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(10_000 + ms);
        let answer = |app: &str, answered: u64, told: Told, changed: u64| {
            let mut log = ChangeLog::default();
            log.meet(APP, start);
            log.begin(at(0));
            log.made(at(20));
            log.answered(app, at(answered));
            // It answers each time that it is waited for: the first counts.
            log.answered(app, at(5000));
            log.note(APP, "/label", told, at(changed));
            let since = log.since();
            assert_eq!((since.restless.len(), since.unsure.len()), (0, 0));
            (!since.late.is_empty(), since.until.is_some())
        };
        let (late, watched, counts) = ((true, false), (false, true), (false, false));
        for (app, answered, told, changed, wanted) in [
            (APP, 30, Told::Words, 25, counts),
            // What an app does as soon as it is idle.
            (APP, 30, Told::Words, 60, counts),
            (APP, 30, Told::Words, 120, late),
            (APP, 30, Told::Words, 700, late),
            // It was busy for a while.
            (APP, 400, Told::Words, 390, watched),
            (APP, 400, Told::Words, 410, late),
            // What comes and goes, and what another app tells.
            (APP, 30, Told::Parts, 700, counts),
            (":1.6", 30, Told::Words, 700, counts),
        ] {
            assert_eq!(answer(app, answered, told, changed), wanted, "{app} answered {answered}, changed {changed}");
        }
    }
}
