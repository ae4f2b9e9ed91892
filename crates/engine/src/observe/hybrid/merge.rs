//! The documents of a page merged into one snapshot.

use super::index::SessionIndex;
use super::outline::{encode, inject, line, outline};
use super::prune::{Pruned, prune};
use super::xpath::prefix;
use handeye_scene::{AxNode, Code, DocumentId, DocumentTree, Notice, Problem, Trees};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// One document of a hybrid snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HybridDocument {
    /// Its place: the first half of the ids of its nodes.
    pub ordinal: usize,
    /// Its id, for the session; none where the page script isn't in it.
    pub id: Option<DocumentId>,
    /// Its address.
    pub url: String,
    /// Its origin; `null` for opaque ones.
    pub origin: String,
    /// Id of the element that shows it; none for the main document, and where the browser can't tell.
    pub owner: Option<String>,
    /// Absolute XPath of that element, which the XPaths of the document's nodes begin with; none where it isn't known.
    pub prefix: Option<String>,
}

/// A node that a person can operate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operable {
    /// Its id in the outline.
    pub id: String,
    /// Its document.
    pub document: DocumentId,
    /// Its DOM node.
    pub backend: i64,
    /// Its role, in the words of a capture.
    pub role: String,
    /// Its name.
    pub name: String,
}

/// The merged trees of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hybrid {
    /// All documents in one outline.
    pub outline: String,
    /// Absolute XPaths of the documents' nodes, by id, whether a line shows them or not.
    pub xpaths: BTreeMap<String, String>,
    /// Where links lead, by id.
    pub urls: BTreeMap<String, String>,
    /// Accessible descriptions, by id.
    pub descriptions: BTreeMap<String, String>,
    /// What can be operated.
    pub operable: Vec<Operable>,
    /// Every document.
    pub documents: Vec<HybridDocument>,
    /// What could not be reached or placed.
    pub notices: Vec<Notice>,
}

/// Characters of the XPaths of nodes that no line shows, at most: those of deep pages grow with the square of their size.
const PATHS: usize = 8_000_000;

/// Roles that a person operates.
const WIDGETS: [&str; 19] = [
    "button",
    "checkbox",
    "combobox",
    "iframe",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "scrollbar",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
];

/// Merges the trees. `pierce`: with what stands in shadow roots.
pub fn hybrid(trees: &Trees, pierce: bool) -> Result<Hybrid, Problem> {
    let indices: Vec<SessionIndex<'_>> = trees.sessions.iter().map(SessionIndex::new).collect();
    let mut out = Hybrid { notices: trees.notices.clone(), ..Hybrid::default() };
    let spots = spots(trees, &indices, pierce, &mut out);
    let mut pruned = Vec::with_capacity(trees.documents.len());
    for (ordinal, document) in trees.documents.iter().enumerate() {
        let Spot { place, left_out } = spots[ordinal];
        let dom = place.map(|at| (&indices[at.session], at.document));
        let known = |backend| dom.and_then(|(index, document)| index.node(document, backend));
        let only_known = !pierce && dom.is_some();
        let from = match trees.focus.filter(|(at, _)| *at == ordinal) {
            Some((_, backend)) if left_out || only_known && known(backend).is_none() => return Err(in_a_root()),
            Some((_, backend)) => Some(from_focus(document, backend, |inner| {
                dom.is_some_and(|(index, at)| index.holds(at, backend, inner))
            })?),
            None => None,
        };
        pruned.push(match left_out {
            true => Pruned::default(),
            false => prune(&document.nodes, from.as_deref(), &known, only_known),
        });
    }
    let shown = put_together(trees, &pruned, &mut out);
    for ordinal in shown {
        let ways = Ways { place: spots[ordinal].place, indices: &indices };
        note_maps(&mut out, ordinal, &trees.documents[ordinal], &pruned[ordinal], ways);
        let focus = trees.focus.filter(|(at, _)| *at == ordinal).map(|(_, backend)| backend);
        note_other_nodes(&mut out, ordinal, &trees.documents[ordinal], focus, ways);
    }
    Ok(out)
}

/// The paths and addresses of what no line shows: of all of a document, or of what is in the element that the outline begins at.
fn note_other_nodes(out: &mut Hybrid, ordinal: usize, document: &DocumentTree, focus: Option<i64>, ways: Ways<'_>) {
    let is_meant = |backend: i64| focus.is_none_or(|focus| ways.holds(focus, backend));
    for node in &document.nodes {
        let Some(backend) = node.backend.filter(|backend| is_meant(*backend)) else { continue };
        if let Some(url) = node.property("url").filter(|u| !u.is_empty()) {
            out.urls.entry(encode(ordinal, backend)).or_insert_with(|| url.to_owned());
        }
    }
    let (Some(above), Some(at)) = (out.documents[ordinal].prefix.clone(), ways.place) else { return };
    let (mut written, mut left_out) = (0, 0_usize);
    for backend in ways.indices[at.session].nodes_of(at.document).filter(|backend| is_meant(*backend)) {
        let id = encode(ordinal, backend);
        if out.xpaths.contains_key(&id) {
            continue;
        }
        if written > PATHS {
            left_out += 1;
        } else if let Some(path) = ways.path(backend) {
            written += path.len();
            out.xpaths.insert(id, prefix(&above, &path));
        }
    }
    if left_out > 0 {
        let text = format!("the XPaths of {left_out} nodes of {} are left out: they are too long", document.url);
        out.notices.push(Notice::new("partial", text));
    }
}

/// Where a document is in the DOMs.
#[derive(Clone, Copy)]
struct Place {
    session: usize,
    document: usize,
}

/// What is known of where a document stands.
#[derive(Clone, Copy)]
struct Spot {
    /// Where it is in the DOMs, if it was found there.
    place: Option<Place>,
    /// The element that shows it, or one further out, stands in a shadow root, and those are left out.
    left_out: bool,
}

/// Finds every document in the DOMs and the prefix of its XPaths, from the main one down.
fn spots(trees: &Trees, indices: &[SessionIndex<'_>], pierce: bool, out: &mut Hybrid) -> Vec<Spot> {
    let mut spots: Vec<Spot> = Vec::with_capacity(trees.documents.len());
    for (ordinal, document) in trees.documents.iter().enumerate() {
        let above = document.parent.filter(|p| *p < ordinal);
        let first = above.is_none_or(|p| trees.documents[p].session != document.session);
        let place = document.session.and_then(|session| {
            Some(Place { session, document: indices.get(session)?.document(&document.frame, first)? })
        });
        let owner = above.zip(document.owner);
        let own = match (above, owner) {
            (None, _) => Some(String::new()),
            (_, None) => None,
            (_, Some((parent, backend))) => spots[parent].place.and_then(|at| {
                let path = indices[at.session].xpath(at.document, backend)?;
                Some(prefix(out.documents[parent].prefix.as_deref()?, &path))
            }),
        };
        // The DOMs were read without what stands in shadow roots.
        let is_unknown = |(parent, backend): (usize, i64)| {
            spots[parent].place.is_some_and(|at| indices[at.session].node(at.document, backend).is_none())
        };
        let left_out = !pierce && (above.is_some_and(|p| spots[p].left_out) || owner.is_some_and(is_unknown));
        if own.is_none() && !left_out {
            let text = format!("the element that shows {} can't be found: its nodes have no XPaths", document.url);
            out.notices.push(Notice::new("partial", text));
        }
        out.documents.push(HybridDocument {
            ordinal,
            id: document.id,
            url: document.url.clone(),
            origin: document.origin.clone(),
            owner: owner.map(|(parent, backend)| encode(parent, backend)),
            prefix: own,
        });
        spots.push(Spot { place, left_out });
    }
    spots
}

fn in_a_root() -> Problem {
    let text = "the element to focus on stands in a shadow root, and --no-pierce leaves those out";
    Problem::new(Code::NotFound, text).hint("handeye snapshot").hint("handeye snapshot --no-pierce")
}

/// Where the outline of a document begins: at the element itself, or, where the tree doesn't have it, at what is in it.
fn from_focus(document: &DocumentTree, backend: i64, inside: impl Fn(i64) -> bool) -> Result<Vec<usize>, Problem> {
    let nodes = &document.nodes;
    if let Some(at) = nodes.iter().position(|n| n.backend == Some(backend)) {
        return Ok(vec![at]);
    }
    let is_inside = |n: &AxNode| n.backend.is_some_and(&inside);
    let below: HashSet<&str> =
        nodes.iter().filter(|n| is_inside(n)).flat_map(|n| n.children.iter().map(String::as_str)).collect();
    let tops: Vec<usize> =
        (0..nodes.len()).filter(|i| is_inside(&nodes[*i]) && !below.contains(nodes[*i].id.as_str())).collect();
    if tops.is_empty() {
        let text = "the element to focus on isn't in the accessibility tree: it is not rendered, or hidden";
        return Err(Problem::new(Code::NotFound, text).hint("handeye snapshot").hint("handeye state --all"));
    }
    Ok(tops)
}

/// The ways to the nodes of a document.
#[derive(Clone, Copy)]
struct Ways<'a> {
    place: Option<Place>,
    indices: &'a [SessionIndex<'a>],
}

impl Ways<'_> {
    fn path(self, backend: i64) -> Option<String> {
        let at = self.place?;
        self.indices[at.session].xpath(at.document, backend)
    }

    fn holds(self, outer: i64, inner: i64) -> bool {
        self.place.is_some_and(|at| self.indices[at.session].holds(at.document, outer, inner))
    }

    /// What isn't in the DOM that was read came later, and may be named.
    fn is_inner(self, backend: i64) -> bool {
        self.place.is_some_and(|at| {
            let index = &self.indices[at.session];
            index.node(at.document, backend).is_some() && !index.is_nameable(at.document, backend)
        })
    }
}

fn note_maps(out: &mut Hybrid, ordinal: usize, document: &DocumentTree, pruned: &Pruned, ways: Ways<'_>) {
    let above = out.documents[ordinal].prefix.clone();
    for (kept, _) in pruned.walk() {
        let node = &document.nodes[kept.source];
        let Some(backend) = node.backend else { continue };
        let id = encode(ordinal, backend);
        if let Some(xpath) = above.as_deref().and_then(|above| Some(prefix(above, &ways.path(backend)?))) {
            out.xpaths.insert(id.clone(), xpath);
        }
        if let Some(url) = node.property("url").filter(|u| !u.is_empty()) {
            out.urls.insert(id.clone(), url.to_owned());
        }
        let description = super::text::clean(&node.description);
        if !description.is_empty() {
            out.descriptions.insert(id.clone(), description);
        }
        if ways.is_inner(backend) {
            continue;
        }
        let operable = !node.ignored && (WIDGETS.contains(&node.aria.as_str()) || node.is("focusable"));
        if let Some(in_session) = document.id.filter(|_| operable && node.role != "RootWebArea") {
            out.operable.push(Operable {
                id,
                document: in_session,
                backend,
                role: node.aria.clone(),
                name: kept.name.clone(),
            });
        }
    }
}

/// Puts every outline below the line of the element that shows it; those without such a line stand at the end, unless the
/// outline begins at one element. Gives the documents that are in it.
fn put_together(trees: &Trees, pruned: &[Pruned], out: &mut Hybrid) -> Vec<usize> {
    let first = trees.focus.map_or(0, |f| f.0);
    let outlines: Vec<String> =
        pruned.iter().zip(&trees.documents).enumerate().map(|(i, (p, d))| outline(p, &d.nodes, i)).collect();
    let owner = |ordinal: usize| out.documents[ordinal].owner.clone();
    let inner: HashMap<String, String> = (0..outlines.len())
        .filter(|i| *i != first && !outlines[*i].is_empty())
        .filter_map(|i| Some((owner(i)?, outlines[i].clone())))
        .collect();
    let (mut all, mut placed) = inject(outlines.get(first).map_or("", |o| o), &inner);
    if trees.focus.is_none() {
        for ordinal in (0..outlines.len()).filter(|i| *i != first && !outlines[*i].is_empty()) {
            if owner(ordinal).is_some_and(|o| !placed.insert(o)) {
                continue;
            }
            // Its owner is unknown, or hidden from assistive technology.
            let url = &out.documents[ordinal].url;
            let text = format!("the document {url} stands at the end: no line shows its place");
            out.notices.push(Notice::new("partial", text));
            line(&mut all, 0, None, "document", &super::text::clean(url));
            let (below, more) = inject(&outlines[ordinal], &inner);
            placed.extend(more);
            all.extend(below.lines().flat_map(|l| ["\n  ", l]));
        }
    }
    out.outline = all;
    let is_shown = |i: &usize| *i == first || owner(*i).map_or(trees.focus.is_none(), |o| placed.contains(&o));
    (0..outlines.len()).filter(is_shown).collect()
}
