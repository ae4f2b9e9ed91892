//! What changed between two looks, keyed by element.

use handeye_scene::{
    Capture, Change, DocumentId, Event, NativeId, Node, NodeKind, Probe, Rect, Shown, Source, State, States, Target,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::matching;
use crate::observe::refs::RefTable;
use crate::observe::texts::{Saying, Texts};

/// States that come and go with scrolling and focus and aren't content.
const PASSING: [State; 3] = [State::Offscreen, State::Covered, State::Focused];

/// The property by which a change of the text is told that an element shows beside its name, or without one.
const SAID: &str = "text";
/// The property by which a change of what an element's row is about is told.
const ROW: &str = "row";

/// A look, reduced to what a change is measured by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fingerprint {
    url: String,
    /// The document that the page is.
    page: Option<DocumentId>,
    /// The documents inside the page: the iframe that shows it, and its address.
    inside: HashMap<NativeId, (DocumentId, String)>,
    order: Vec<NativeId>,
    facts: HashMap<NativeId, Arc<Facts>>,
    texts: Arc<Texts>,
}

#[derive(Debug, Clone, PartialEq)]
struct Facts {
    shown: Shown,
    value: Option<String>,
    states: States,
    href: Option<String>,
    rect: Rect,
    /// Whether it is known what its row is about, or that it has none.
    placed: bool,
}

impl Fingerprint {
    /// The digest of a capture.
    pub fn of(capture: &Capture) -> Self {
        let inside = capture.documents.iter().filter_map(|d| Some((d.owner?, (d.id, d.url.clone())))).collect();
        let page = capture.documents.first().filter(|_| capture.surface == "web").map(|d| d.id);
        let mut fingerprint = Self { url: capture.url.clone(), page, inside, ..Self::default() };
        let mut texts = Texts::default();
        for node in &capture.nodes {
            match (node.kind, node.id) {
                (NodeKind::Operable | NodeKind::Frame, Some(id)) => {
                    fingerprint.order.push(id);
                    let placed = !capture.rows_left || node.extra.row.is_some() || !node.states.has(State::Offscreen);
                    fingerprint.facts.insert(id, Arc::new(Facts { placed, ..Facts::of(node) }));
                }
                _ if !node.name.is_empty() => {
                    let text = if node.kind == NodeKind::Text {
                        node.name.clone()
                    } else {
                        format!("{} {}", node.role, node.name)
                    };
                    texts.add(text.into(), node.id);
                }
                _ => {}
            }
        }
        fingerprint.texts = Arc::new(texts);
        fingerprint
    }

    /// The same, with what is as it was in `earlier` held once for both: a session keeps several looks at large pages.
    #[must_use]
    pub fn sharing(mut self, earlier: &Fingerprint) -> Self {
        for (id, facts) in &mut self.facts {
            if let Some(before) = earlier.facts.get(id).filter(|before| *before == facts) {
                facts.clone_from(before);
            }
        }
        if self.texts == earlier.texts {
            self.texts = earlier.texts.clone();
        }
        self
    }

    /// The same with an element as it is at rest, where its probe says that it shows more while it is pointed to.
    pub fn at_rest(mut self, probe: &Probe) -> Self {
        if let (Some((name, said)), Some(facts)) = (&probe.at_rest, self.facts.get_mut(&probe.id)) {
            let facts = Arc::make_mut(facts);
            facts.shown.name.clone_from(name);
            if !said.cut {
                facts.shown.said = Some(said.clone());
            }
        }
        self
    }

    /// What says that the page is another document in `later`: it was loaded again, or is another page. `link`: an address that
    /// it was led to, if it is there.
    pub fn arrived(&self, later: &Fingerprint, link: Option<&str>) -> Option<Event> {
        if self.page? == later.page? {
            return None;
        }
        let led = link.is_some_and(|link| self.was_led(later, link));
        Some(match path_of(&self.url) == path_of(&later.url) && !led {
            true => Event::LoadedAgain,
            false => Event::Navigated { again: false, url: later.url.clone(), document: true },
        })
    }

    /// Whether the page is in `later` where a link led, and wasn't there before.
    pub fn was_led(&self, later: &Fingerprint, link: &str) -> bool {
        self.url != later.url && later.url == link
    }

    /// Elements whose own facts differ in `later`.
    pub fn changed(&self, later: &Fingerprint) -> HashSet<NativeId> {
        self.facts
            .iter()
            .filter(|(id, before)| later.facts.get(id).is_some_and(|after| !before.differences(after).is_empty()))
            .map(|(id, _)| *id)
            .collect()
    }

    /// Iframes, as the targets they are, that show another document in `later`: from which address to which.
    pub fn moved<'a>(&'a self, later: &'a Fingerprint) -> Vec<(NativeId, &'a str, &'a str)> {
        let same = later.order.iter().filter_map(|owner| {
            let ((before, from), (after, to)) = (self.inside.get(owner)?, later.inside.get(owner)?);
            (before != after).then_some((*owner, from.as_str(), to.as_str()))
        });
        same.collect()
    }

    /// Who says what is new in `later`, and who said what is gone.
    pub(super) fn sayings(&self, later: &Fingerprint) -> HashSet<Saying> {
        let of =
            |here: &Texts, there: &Texts| here.sayings(there, &here.surplus(there)).into_values().flatten().collect();
        let (new, gone): (Vec<_>, Vec<_>) = (of(&later.texts, &self.texts), of(&self.texts, &later.texts));
        new.into_iter().chain(gone).collect()
    }

    /// What differs from this look to `later`. New targets are numbered in `refs`, for they are about to be shown.
    pub fn differences(&self, later: &Fingerprint) -> Differences {
        let mut found = Differences::default();
        for id in &later.order {
            let after = &later.facts[id];
            match self.facts.get(id) {
                None => found.added.push(*id),
                Some(before) => {
                    found.changed.extend(before.differences(after).into_iter().map(|(p, from, to)| (*id, p, from, to)));
                }
            }
        }
        // Of a list that is written anew, what is in the rows says more than that every control has another row.
        found.changed.sort_by_key(|(_, property, _, _)| *property == ROW);
        found.removed = self.order.iter().filter(|id| !later.facts.contains_key(id)).copied().collect();
        found.texts_added = later.texts.surplus(&self.texts);
        found.texts_removed = self.texts.surplus(&later.texts);
        // What an element says is told as its own: others may say the same.
        for (_, property, from, to) in &found.changed {
            if *property == SAID {
                drop_one(&mut found.texts_added, to);
                drop_one(&mut found.texts_removed, from);
            }
        }
        (found.earlier, found.later) = (self.texts.clone(), later.texts.clone());
        found
    }
}

fn drop_one(texts: &mut Vec<String>, text: &str) {
    if let Some(at) = texts.iter().position(|one| one == text) {
        texts.remove(at);
    }
}

/// Whether what an element shows is its name, and no more.
fn says_its_name(shown: &Shown) -> bool {
    shown.said.as_ref().is_none_or(|said| !said.cut && said.text == shown.name)
}

impl Facts {
    fn of(node: &Node) -> Self {
        let states = PASSING.iter().fold(node.states, |s, p| s.without(*p));
        Self {
            shown: matching::shown_of(node, None),
            value: node.value.clone(),
            states,
            href: node.extra.href.clone(),
            rect: node.rect,
            placed: true,
        }
    }

    fn differences(&self, after: &Facts) -> Vec<(&'static str, String, String)> {
        let mut out = Vec::new();
        let mut note = |property, from: &str, to: &str| {
            if from != to {
                out.push((property, from.to_owned(), to.to_owned()));
            }
        };
        let (was, now) = (&self.shown, &after.shown);
        note("role", &was.role, &now.role);
        note("name", &was.name, &now.name);
        let said = |shown: &Shown| shown.said.as_ref().map(|s| s.text.clone()).unwrap_or_default();
        // What says its name alone is told of by that.
        if !(says_its_name(was) && says_its_name(now)) {
            note(SAID, &said(was), &said(now));
        }
        note("value", self.value.as_deref().unwrap_or(""), after.value.as_deref().unwrap_or(""));
        note("states", &words(self.states), &words(after.states));
        note("href", self.href.as_deref().unwrap_or(""), after.href.as_deref().unwrap_or(""));
        // What tells rows apart may be found elsewhere in a row that says the same.
        if let (Some(from), Some(to)) = (&was.row, &now.row)
            && !matching::same_row(from, &to.text)
        {
            out.push((ROW, from.text.clone(), to.text.clone()));
        }
        out
    }
}

/// States as text, none as nothing.
pub fn words(states: States) -> String {
    states.iter().map(State::word).collect::<Vec<_>>().join(" ")
}

/// The differences between two looks, not yet shown to anyone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Differences {
    /// New targets.
    pub added: Vec<NativeId>,
    /// Targets that are gone.
    pub removed: Vec<NativeId>,
    /// Properties that changed: whose, which, from, to.
    pub changed: Vec<(NativeId, &'static str, String, String)>,
    /// Texts that appeared.
    pub texts_added: Vec<String>,
    /// Texts that are gone.
    pub texts_removed: Vec<String>,
    /// All the texts of both.
    earlier: Arc<Texts>,
    later: Arc<Texts>,
}

impl Differences {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.added.len() + self.removed.len() + self.changed.len() + self.texts_added.len() + self.texts_removed.len()
    }

    /// How many elements and texts changed, are new, are gone.
    pub fn tally(&self) -> (usize, usize, usize) {
        let elements: HashSet<NativeId> = self.changed.iter().map(|c| c.0).collect();
        (elements.len(), self.added.len() + self.texts_added.len(), self.removed.len() + self.texts_removed.len())
    }

    /// Without what changes by itself, as the surface tells.
    #[must_use]
    pub fn without(mut self, self_changing: &HashSet<NativeId>) -> Self {
        // Number 0 of a document stands for all of it.
        let moves =
            |id: &NativeId| self_changing.contains(id) || self_changing.contains(&NativeId::new(id.document(), 0));
        self.later.without(&self.earlier, &mut self.texts_added, |id| moves(&id));
        self.earlier.without(&self.later, &mut self.texts_removed, |id| moves(&id));
        self.changed.retain(|c| !moves(&c.0));
        self.added.retain(|id| !moves(id));
        self.removed.retain(|id| !moves(id));
        self
    }

    /// Without the texts that are said by what keeps changing.
    pub(super) fn retain_sayings(&mut self, keeps_changing: impl Fn(&Saying) -> bool) {
        let sides = [
            (&self.later, &self.earlier, &mut self.texts_added),
            (&self.earlier, &self.later, &mut self.texts_removed),
        ];
        for (here, there, texts) in sides {
            let surplus = texts.clone();
            let said = here.sayings(there, &surplus);
            texts.retain(|text| !said[text.as_str()].iter().all(&keeps_changing));
        }
    }

    /// The differences as shown to the agent, at most `limit` of them (what changed first, then what is new, then what is
    /// gone, and some of each), and how many are left out. What is shown is numbered, and noted as last shown.
    pub fn show(
        &self,
        before: &Fingerprint,
        later: &Fingerprint,
        refs: &mut RefTable,
        limit: usize,
    ) -> (Vec<Change>, usize) {
        let mut shown = Vec::new();
        // What is shown is held to its row: what isn't known to be in one is left for a state to show.
        let placed: Vec<_> = self.added.iter().filter(|id| later.facts[*id].placed).collect();
        // Only what the agent knows by number can be said to be gone.
        let known: Vec<_> = self.removed.iter().filter_map(|id| Some((*id, refs.number(*id)?))).collect();
        let counts = [self.changed.len(), self.texts_added.len(), placed.len(), known.len(), self.texts_removed.len()];
        let [changed, texts_added, added, removed, texts_removed] = shares(counts, limit);
        for (id, property, from, to) in self.changed.iter().take(changed) {
            let facts = &later.facts[id];
            let Some(number) = refs.number(*id) else {
                if !facts.placed {
                    continue;
                }
                // A target the agent never saw is shown as it is now, not as a change.
                shown.push(Change::Added { target: Box::new(target(*id, facts, refs)) });
                continue;
            };
            // Only what is printed counts as shown.
            refs.note(number, |shown| match *property {
                "role" => shown.role.clone_from(&facts.shown.role),
                "name" => {
                    shown.name.clone_from(&facts.shown.name);
                    if says_its_name(&facts.shown) {
                        shown.said.clone_from(&facts.shown.said);
                    }
                }
                SAID => shown.said.clone_from(&facts.shown.said),
                "href" => shown.leads.clone_from(&facts.shown.leads),
                ROW => shown.row.clone_from(&facts.shown.row),
                _ => {}
            });
            shown.push(Change::Changed {
                r#ref: number,
                property: (*property).to_owned(),
                from: from.clone(),
                to: to.clone(),
            });
        }
        let texts = self.texts_added.iter().map(|text| Change::TextAdded { text: text.clone() });
        shown.extend(texts.take(texts_added));
        for id in placed.into_iter().take(added) {
            shown.push(Change::Added { target: Box::new(target(*id, &later.facts[id], refs)) });
        }
        for (id, number) in known.into_iter().take(removed) {
            let facts = &before.facts[&id].shown;
            shown.push(Change::Removed { r#ref: number, role: facts.role.clone(), name: facts.name.clone() });
        }
        let texts = self.texts_removed.iter().map(|text| Change::TextRemoved { text: text.clone() });
        shown.extend(texts.take(texts_removed));
        let left_out = self.count() - shown.len().min(self.count());
        (shown, left_out)
    }
}

/// How many of each kind are shown: a few of every one, so that none is lost behind many of another, and then the first ones.
fn shares<const N: usize>(counts: [usize; N], limit: usize) -> [usize; N] {
    let few = limit.div_ceil(8);
    let mut shares = [0; N];
    let mut left = limit;
    for most in [few, limit] {
        for (share, count) in shares.iter_mut().zip(counts) {
            let more = count.min(most).saturating_sub(*share).min(left);
            *share += more;
            left -= more;
        }
    }
    shares
}

fn target(id: NativeId, facts: &Facts, refs: &mut RefTable) -> Target {
    Target {
        r#ref: refs.show_as(id, facts.shown.clone()),
        role: facts.shown.role.clone(),
        name: facts.shown.name.clone(),
        text: facts.shown.said.as_ref().map(|said| said.text.clone()).filter(|text| !text.is_empty()),
        value: facts.value.clone(),
        states: facts.states,
        rect: facts.rect,
        document: id.document(),
        xpath: None,
        href: facts.href.clone(),
        parent: None,
        depth: None,
        source: Source::Native,
        confidence: None,
        reason: None,
        reads: None,
        native: Some(id),
    }
}

impl Fingerprint {
    /// Whether the main document has the same address.
    pub fn same_page(&self, other: &Fingerprint) -> bool {
        self.url == other.url
    }

    /// Whether another look is of the same document at the same address.
    pub(crate) fn is_of(&self, other: &Fingerprint) -> bool {
        self.page == other.page && self.url == other.url
    }

    /// Role and words of a target, where it holds it.
    pub(crate) fn called(&self, id: NativeId) -> Option<(&str, &str)> {
        let shown = &self.facts.get(&id)?.shown;
        Some((&shown.role, shown.words()))
    }

    /// How many targets it holds.
    pub fn targets(&self) -> usize {
        self.order.len()
    }
}

/// An address without what pages change of it as they load themselves again.
fn path_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::{Document, Extra};

    #[test]
    fn some_of_every_kind_of_change_are_shown() {
        for (counts, limit, shown) in [
            ([3, 2, 1, 0, 1], 12, [3, 2, 1, 0, 1]),
            ([20, 0, 0, 1, 0], 12, [11, 0, 0, 1, 0]),
            ([20, 9, 9, 9, 9], 12, [4, 2, 2, 2, 2]),
            ([1, 0, 30, 2, 0], 8, [1, 0, 6, 1, 0]),
            ([5, 5, 5, 5, 5], 2, [1, 1, 0, 0, 0]),
            ([5, 5, 5, 5, 5], 0, [0; 5]),
        ] {
            assert_eq!(shares(counts, limit), shown, "{counts:?} of {limit}");
        }
    }

    #[test]
    fn what_is_as_it_was_is_held_once() {
        let look = |second: &str, text: &str| {
            let node = |id, kind, name: &str| Node {
                id: Some(NativeId::new(DocumentId(1), id)),
                kind,
                role: "button".into(),
                name: name.into(),
                document: DocumentId(1),
                parent: None,
                value: None,
                states: States::default(),
                rect: Rect::default(),
                extra: Extra::default(),
            };
            let nodes = vec![
                node(1, NodeKind::Operable, "Save"),
                node(2, NodeKind::Operable, second),
                node(3, NodeKind::Text, text),
            ];
            Fingerprint::of(&Capture { nodes, ..Capture::default() })
        };
        let earlier = look("Send", "3 rows");
        for (second, text, held) in [
            ("Send", "3 rows", [true, true, true]),
            ("Sent", "3 rows", [true, false, true]),
            ("Send", "4 rows", [true, true, false]),
        ] {
            let later = look(second, text).sharing(&earlier);
            let is_one = |id| {
                let id = NativeId::new(DocumentId(1), id);
                Arc::ptr_eq(&later.facts[&id], &earlier.facts[&id])
            };
            assert_eq!([is_one(1), is_one(2), Arc::ptr_eq(&later.texts, &earlier.texts)], held, "{second}, {text}");
            assert_eq!(later, look(second, text));
        }
    }

    #[test]
    fn a_page_that_is_another_document_was_loaded_again_or_is_another_page() {
        let fingerprint = |surface: &str, document: u32, url: &str| {
            let documents =
                vec![Document { id: DocumentId(document), url: url.into(), origin: "http://a".into(), owner: None }];
            Fingerprint::of(&Capture { surface: surface.into(), url: url.into(), documents, ..Capture::default() })
        };
        let to = |url: &str| Some(Event::Navigated { again: false, url: url.into(), document: true });
        for (surface, document, url, link, told) in [
            ("web", 1, "http://a/?t=2", None, None),
            ("web", 2, "http://a/?t=2", None, Some(Event::LoadedAgain)),
            ("web", 2, "http://a/", Some("http://a/"), Some(Event::LoadedAgain)),
            ("web", 2, "http://a/?t=2", Some("http://a/?t=2"), to("http://a/?t=2")),
            ("web", 2, "http://a/else", None, to("http://a/else")),
            ("desktop", 2, "http://a/else", None, None),
        ] {
            let earlier = fingerprint(surface, 1, "http://a/");
            assert_eq!(earlier.arrived(&fingerprint(surface, document, url), link), told, "{surface} {url} {link:?}");
        }
    }
}
