//! What a session has seen: the numbers given out and the states they were given in.

use crate::observe::diff::{Differences, Fingerprint};
use crate::observe::refs::RefTable;
use crate::observe::texts::Saying;
use handeye_scene::{DocumentId, Generation, Mask, NativeId};
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;
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
    /// The same of texts.
    idle_texts: HashMap<Saying, u8>,
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
        match self.latest.as_ref().filter(|_| self.effectless.is_none()) {
            // What another page shows didn't change by itself.
            Some(latest) if !latest.is_of(&fingerprint) => {
                self.idle_changes.clear();
                self.idle_texts.clear();
            }
            Some(latest) => {
                count(&mut self.idle_changes, latest.changed(&fingerprint));
                count(&mut self.idle_texts, latest.sayings(&fingerprint));
            }
            None => {}
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

    /// Whether an element changes by itself.
    pub fn is_restless(&self, id: NativeId) -> bool {
        self.idle_changes.get(&id).is_some_and(|n| *n >= RESTLESS)
    }
}

/// Counts what changed once more, and forgets what didn't.
fn count<K: Eq + Hash>(all: &mut HashMap<K, u8>, changed: HashSet<K>) {
    all.retain(|one, _| changed.contains(one));
    for one in changed {
        let count = all.entry(one).or_default();
        *count = count.saturating_add(1);
    }
}

impl Differences {
    /// Without what changes by itself, as earlier looks tell: that proves nothing of an action.
    #[must_use]
    pub fn without_noise(mut self, memory: &Memory) -> Self {
        self.changed.retain(|c| !memory.is_restless(c.0));
        self.retain_sayings(|one| memory.idle_texts.get(one).is_some_and(|n| *n >= RESTLESS));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::{Capture, Document, Node, NodeKind};

    /// What texts say on a page: by whom, and what.
    fn look(page: u32, said: &[(u32, &str)]) -> Fingerprint {
        let document = DocumentId(page);
        let node = |(number, name): &(u32, &str)| Node {
            id: (*number > 0).then(|| NativeId::new(document, *number)),
            document,
            ..crate::replay::node(NodeKind::Text, 1, "text", name)
        };
        let url = format!("http://a/{page}");
        let documents = vec![Document { id: document, url: url.clone(), origin: "http://a".into(), owner: None }];
        let nodes = said.iter().map(node).collect();
        Fingerprint::of(&Capture { surface: "web".into(), url, documents, nodes, ..Capture::default() })
    }

    #[test]
    fn a_text_is_noise_where_who_says_it_kept_changing_on_this_page() {
        // The page and what it says at each look, the last two before and after an action; how much of that is no noise.
        type Looks = [(u32, &'static [(u32, &'static str)]); 4];
        let rows: [(Looks, usize); 7] = [
            ([(1, &[(1, "4")]), (1, &[(1, "5")]), (1, &[(1, "6")]), (1, &[(1, "7")])], 0),
            ([(1, &[(1, "4")]), (1, &[(1, "4")]), (1, &[(1, "6")]), (1, &[(1, "7")])], 2),
            // Another's number.
            (
                [
                    (1, &[(1, "4"), (2, "0")]),
                    (1, &[(1, "5"), (2, "0")]),
                    (1, &[(1, "6"), (2, "0")]),
                    (1, &[(1, "7"), (2, "1")]),
                ],
                2,
            ),
            // One that is written anew each time, and one that nobody is known to say.
            ([(1, &[(1, "4")]), (1, &[(2, "5")]), (1, &[(3, "6")]), (1, &[(4, "7")])], 0),
            ([(1, &[(0, "4")]), (1, &[(0, "5")]), (1, &[(0, "6")]), (1, &[(0, "7")])], 0),
            // What another page says.
            ([(1, &[(1, "4")]), (2, &[(1, "5")]), (3, &[(1, "6")]), (3, &[(1, "7")])], 2),
            ([(1, &[(0, "4")]), (2, &[(0, "5")]), (3, &[(0, "6")]), (3, &[(0, "7")])], 2),
        ];
        for (looks, left) in rows {
            let mut memory = Memory::default();
            let [before @ .., after] = looks.map(|(page, said)| look(page, said));
            before.iter().for_each(|look| memory.look(look.clone()));
            assert_eq!(before[2].differences(&after).without_noise(&memory).count(), left, "{looks:?}");
        }
    }
}
