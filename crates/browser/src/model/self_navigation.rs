//! Frames that go elsewhere by themselves, as those of advertisements do. Where they go, and what is in them, proves nothing of
//! an action, unless it was aimed at what is in them.

use super::Model;
use super::habits::{GONE, Gone, Habits, WITHIN};
use handeye_scene::{DocumentId, Event, NativeId};
use std::collections::HashSet;
use std::time::Instant;

/// An address without what changes of it, as where the time stands in it.
pub(crate) fn path_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

impl Model {
    /// The page is another document. One that loads itself again and again, as a board that shows news does, proves nothing.
    /// `was`: its address before.
    pub(crate) fn arrived(&mut self, frame: &str, url: String, document: bool, was: &str) {
        let alike = document && path_of(was) == path_of(&url);
        let again = alike && self.habits.loads_again(format!("{frame} {}", path_of(&url)));
        if again {
            self.happened(Event::LoadedAgain);
        } else if document && self.was_under_way(frame) {
            self.happened(Event::WentItself { url, inside: false });
        } else {
            self.happened(Event::Navigated { again: document && was == url, url, document });
        }
    }

    /// A frame inside the page has gone elsewhere.
    pub(crate) fn went(&mut self, frame: &str, url: String) {
        let since = self.habits.since();
        let parent = self.pages.frames.get(frame).and_then(|f| f.parent.clone()).unwrap_or_default();
        let own = Habits::note(&mut self.habits.own, frame, since);
        let inside = Habits::note(&mut self.habits.inside, &parent, since);
        let (is_aimed_in, was_under_way) = (self.is_aimed_in(frame), self.was_under_way(frame));
        if was_under_way && is_aimed_in {
            // What the gesture did there is gone with what it was done to.
            self.happened(Event::WentItself { url, inside: true });
        } else if was_under_way || (own || inside) && !is_aimed_in {
            self.gesture.moved.by_itself = true;
        } else {
            self.happened(Event::DocumentNavigated { url });
        }
    }

    /// Whether the document that a frame shows now came since the look that the gesture under way is compared with, and was asked
    /// for before any input was sent.
    fn was_under_way(&self, frame: &str) -> bool {
        let Some(frame) = self.pages.frames.get(frame) else { return false };
        let asked = frame.asked.as_ref().filter(|(loader, _)| *loader == frame.loader).map(|(_, at)| *at);
        match (self.habits.compares_since().zip(self.habits.acts_since()), asked, frame.came) {
            (Some((compares_since, acts_since)), Some(asked), Some(came)) => {
                asked < acts_since && compares_since <= came
            }
            _ => false,
        }
    }

    /// The page has another address without being another document. One that it keeps changing, as it does to note where it
    /// was scrolled to or what is played, proves nothing; nor does one that it had before (`is_there`).
    pub(crate) fn went_within(&mut self, frame: &str, url: String, is_there: bool) {
        self.pages.arrivals += 1;
        if is_there {
            return;
        }
        let since = self.habits.since();
        if self.habits.within.len() > WITHIN {
            self.habits.within.clear();
        }
        if Habits::note(&mut self.habits.within, &format!("{frame} {}", path_of(&url)), since) {
            self.gesture.moved.by_itself = true;
        } else {
            self.happened(Event::Navigated { again: false, url, document: false });
        }
    }

    /// A frame is about to be forgotten.
    pub(crate) fn gone(&mut self, frame: &str) {
        let shown_by = self.pages.frames.get(frame).and_then(|f| f.shown_by);
        let gone = Gone { frame: frame.to_owned(), shown_by, navigated_itself: self.navigates_itself(frame) };
        self.habits.own.remove(frame);
        self.habits.inside.remove(frame);
        self.habits.gone.push_back(gone);
        if self.habits.gone.len() > GONE {
            self.habits.gone.pop_front();
        }
    }

    /// Whether a frame, or one that it is in, goes elsewhere by itself.
    pub(crate) fn navigates_itself(&self, frame: &str) -> bool {
        if self.habits.own.is_empty() {
            return false;
        }
        let at = self.habits.since().unwrap_or_else(Instant::now);
        let is_one = |id: &str| self.habits.own.get(id).is_some_and(|h| h.holds(at)) && !self.is_aimed_in(id);
        self.pages.above(frame).any(is_one)
    }

    /// Whether the document that has this context is in such a frame.
    pub(crate) fn navigates_itself_in(&self, session: &str, context: i64) -> bool {
        let document = self.pages.living().rev().find(|d| d.context_id == context && d.session == session);
        document.is_some_and(|d| self.navigates_itself(&d.frame))
    }

    /// Whether any does.
    pub(crate) fn any_navigates_itself(&self) -> bool {
        self.habits.own.keys().any(|frame| self.navigates_itself(frame))
    }

    /// What frames that go elsewhere by themselves, or were on their way there before, show, and what shows them; and what is in
    /// those that are shown by what changes by itself. Number 0 of a document stands for all that is in it.
    pub(crate) fn navigated_itself(&self, self_changing: &HashSet<NativeId>) -> HashSet<NativeId> {
        let shown = |by: &Option<NativeId>| by.is_some_and(|element| self_changing.contains(&element));
        let moving: HashSet<&str> = {
            let here = self
                .pages
                .frames
                .iter()
                .filter(|(id, f)| self.navigates_itself(id) || self.was_under_way(id) || shown(&f.shown_by))
                .map(|(id, _)| id);
            let gone = self.habits.gone.iter().filter(|g| g.navigated_itself || shown(&g.shown_by)).map(|g| &g.frame);
            here.chain(gone).map(String::as_str).collect()
        };
        if moving.is_empty() {
            return HashSet::new();
        }
        let shows = moving.iter().filter_map(|id| self.pages.frames.get(*id)?.shown_by);
        let inside =
            self.pages.documents.iter().filter(|(_, d)| self.pages.above(&d.frame).any(|f| moving.contains(f)));
        shows.chain(inside.map(|(id, _)| NativeId::new(id, 0))).collect()
    }

    /// The gesture is aimed at something in this document.
    pub(crate) fn aim(&mut self, document: DocumentId) {
        let frame = self.pages.document(document).map(|document| document.frame.clone());
        self.habits.aimed =
            frame.map(|frame| self.pages.above(&frame).map(str::to_owned).collect()).unwrap_or_default();
    }

    /// Whether what the gesture is aimed at is in this frame.
    pub(crate) fn is_aimed_in(&self, frame: &str) -> bool {
        self.habits.aimed.iter().any(|aimed| aimed == frame)
    }
}
