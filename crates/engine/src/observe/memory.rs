//! What a session has seen: the numbers given out and the states they were given in.

use crate::matching::without_digits;
use crate::observe::diff::{Differences, Fingerprint};
use crate::observe::refs::RefTable;
use handeye_scene::{DocumentId, Generation, Mask, NativeId};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// After so many changes in a row while nothing was being done, an element's changes prove nothing.
const RESTLESS: u8 = 2;
/// How many states are kept to tell changes from.
const KEPT: usize = 4;

/// What a session has seen.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Every number given out.
    pub refs: RefTable,
    /// Counts the snapshots.
    pub generation: Generation,
    /// What the last states showed, for "the change since".
    shown: VecDeque<(Generation, Arc<Fingerprint>)>,
    /// The last look of any kind.
    latest: Option<Arc<Fingerprint>>,
    /// How many looks in a row found an element changed by itself, such as a clock.
    idle_changes: HashMap<NativeId, u8>,
    /// The same of texts, which have no identity: up to digits.
    idle_texts: HashMap<String, u8>,
    /// The last action, if nothing was seen to come of it.
    pub(crate) effectless: Option<Effectless>,
    /// Where and when the last action was done, by the session's clock.
    pub(crate) acted: Option<(DocumentId, Duration)>,
    /// What came up by itself and is still to be told.
    pub(crate) came_up: Vec<String>,
    /// Counts the gestures of which something reached the surface, or may have.
    gestures: u64,
    /// How texts are shown; set anew with each call.
    pub mask: Mask,
}

/// An action that nothing was seen to come of.
#[derive(Debug, Clone)]
pub(crate) struct Effectless {
    pub(crate) words: String,
    pub(crate) document: DocumentId,
    pub(crate) at: Duration,
}

impl Memory {
    /// The surface is another one: what was seen of the last one says nothing of it, and its numbers mean nothing here.
    pub fn replace_surface(&mut self) {
        self.refs.part();
        self.shown.clear();
        self.latest = None;
        self.idle_changes.clear();
        self.idle_texts.clear();
        self.effectless = None;
        self.acted = None;
        self.came_up.clear();
    }

    /// Goes on after what was shown of another surface: neither numbers nor generations are used twice.
    pub fn go_on_after(&mut self, other: &Memory) {
        self.refs.go_on_after(&other.refs);
        self.generation = self.generation.max(other.generation);
        self.gestures = self.gestures.max(other.gestures);
    }

    /// How many gestures so far reached a surface, or may have: counted from before they are sent, so that one that is cut off counts.
    pub fn gestures(&self) -> u64 {
        self.gestures
    }

    /// Something is sent to the surface from here on.
    pub fn begin_gesture(&mut self) {
        self.gestures += 1;
    }

    /// Nothing of what was sent last reached anything.
    pub(crate) fn take_back_gesture(&mut self) {
        self.gestures = self.gestures.saturating_sub(1);
    }

    /// The next generation.
    pub fn advance(&mut self) -> Generation {
        self.generation.0 += 1;
        self.generation
    }

    /// Keeps what the state of the current generation shows.
    pub fn keep(&mut self, fingerprint: Fingerprint) {
        // With what stays: the latest look, such as one after an action, is replaced by this one.
        let fingerprint = Arc::new(match self.shown.back() {
            Some((_, earlier)) => fingerprint.sharing(earlier),
            None => fingerprint,
        });
        if self.shown.len() == KEPT {
            self.shown.pop_front();
        }
        self.shown.push_back((self.generation, fingerprint.clone()));
        self.look(fingerprint);
    }

    /// What was shown is of another page: no change to it is asked for.
    pub fn forget_shown(&mut self) {
        self.shown.clear();
    }

    /// What the last state showed.
    pub fn last_shown(&self) -> Option<Arc<Fingerprint>> {
        self.shown.back().map(|(_, fingerprint)| fingerprint.clone())
    }

    /// What the state of a generation showed, if it is kept.
    pub fn shown_at(&self, generation: Generation) -> Option<Arc<Fingerprint>> {
        self.shown.iter().find(|(g, _)| *g == generation).map(|(_, fingerprint)| fingerprint.clone())
    }

    /// Generations of which it is kept what they showed.
    pub fn kept(&self) -> impl Iterator<Item = Generation> {
        self.shown.iter().map(|(g, _)| *g)
    }

    /// Takes note of a look that no action of ours lies before. After one without effect what changed may be its late effect, and
    /// isn't counted as a change by itself.
    pub fn look(&mut self, fingerprint: impl Into<Arc<Fingerprint>>) {
        let fingerprint = fingerprint.into();
        if let Some(latest) = self.latest.as_ref().filter(|_| self.effectless.is_none()) {
            let changed = latest.changed(&fingerprint);
            self.idle_changes.retain(|id, _| changed.contains(id));
            for id in changed {
                let count = self.idle_changes.entry(id).or_default();
                *count = count.saturating_add(1);
            }
            let texts = latest.changed_texts(&fingerprint);
            self.idle_texts.retain(|text, _| texts.contains(text));
            for text in texts {
                let count = self.idle_texts.entry(text).or_default();
                *count = count.saturating_add(1);
            }
        }
        self.latest = Some(fingerprint);
    }

    /// Takes note of a look right after an action of ours.
    pub fn look_after_action(&mut self, fingerprint: impl Into<Arc<Fingerprint>>) {
        self.latest = Some(fingerprint.into());
    }

    /// The last look.
    pub fn latest(&self) -> Option<Arc<Fingerprint>> {
        self.latest.clone()
    }

    /// Whether a text, up to digits, changes by itself.
    pub fn is_restless_text(&self, text: &str) -> bool {
        self.idle_texts.get(&without_digits(text)).is_some_and(|n| *n >= RESTLESS)
    }

    /// Whether an element changes by itself.
    pub fn is_restless(&self, id: NativeId) -> bool {
        self.idle_changes.get(&id).is_some_and(|n| *n >= RESTLESS)
    }
}

impl Differences {
    /// Without what changes by itself, as earlier looks tell: that proves nothing of an action.
    #[must_use]
    pub fn without_noise(mut self, memory: &Memory) -> Self {
        self.changed.retain(|c| !memory.is_restless(c.0));
        self.texts_added.retain(|t| !memory.is_restless_text(t));
        self.texts_removed.retain(|t| !memory.is_restless_text(t));
        self
    }
}
