//! From a capture to what the agent is shown: numbered targets in an outline of readable text.

use crate::eye::Eye;
use handeye_scene::{
    Capture, DocumentId, DocumentInfo, Generation, NativeId, Node, NodeKind, Notice, Ref, Snapshot, Source, State,
    Target,
};

/// From so many on, covered targets are counted instead of listed: a dialog lies over the page, and they wait behind it.
const COVERED_MANY: usize = 8;

/// What to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Show {
    /// Numbers for every named node, not only for what can be operated.
    pub all: bool,
    /// Only what lies in the viewport.
    pub visible: bool,
}

/// One line of the outline.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// How deep it is nested.
    pub depth: usize,
    /// Its document.
    pub document: DocumentId,
    /// What stands there.
    pub item: Item,
    /// Details for text output.
    pub extra: handeye_scene::Extra,
}

/// What stands in a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A target, by index in the snapshot.
    Target(usize),
    /// Something to read, without a number.
    Text {
        /// `text`, `heading`, `listitem`…
        role: String,
        /// What it says.
        text: String,
        /// Heading level.
        level: Option<u32>,
    },
}

/// A snapshot and its outline.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The indexed state.
    pub snapshot: Snapshot,
    /// Its outline in reading order.
    pub lines: Vec<Line>,
    /// How many texts outside the viewport were left out.
    pub texts_omitted: usize,
}

/// Shows a capture: numbers what is shown, notes it as last shown, and counts what is left out.
pub fn see(capture: &Capture, eye: &mut Eye, show: Show, generation: Generation, timestamp: String) -> View {
    let covered = capture.nodes.iter().filter(|n| is_operable(n) && n.states.has(State::Covered)).count();
    let mut seeing = Seeing {
        capture,
        eye,
        show,
        folds_covered: !show.all && covered >= COVERED_MANY,
        targets: Vec::new(),
        lines: Vec::new(),
        depths: vec![0; capture.nodes.len()],
        omitted: 0,
        texts_omitted: 0,
    };
    for index in 0..capture.nodes.len() {
        seeing.node(index);
    }
    let Seeing { targets, lines, omitted, texts_omitted, folds_covered, .. } = seeing;
    let mut notices = capture.notices.clone();
    if folds_covered {
        notices.push(Notice::new(
            "covered",
            format!("{covered} targets are covered by what lies on top: handeye state --all"),
        ));
    }
    let documents = capture
        .documents
        .iter()
        .map(|d| DocumentInfo {
            id: d.id,
            url: d.url.clone(),
            origin: d.origin.clone(),
            parent_ref: d.owner.and_then(|o| eye.book.number(o)),
        })
        .collect();
    let snapshot = Snapshot {
        surface: capture.surface.clone(),
        window: capture.window.clone(),
        process: capture.process.clone(),
        url: capture.url.clone(),
        title: capture.title.clone(),
        timestamp,
        screenshot: None,
        generation,
        documents,
        targets,
        omitted,
        notices,
    };
    View { snapshot, lines, texts_omitted }
}

struct Seeing<'a> {
    capture: &'a Capture,
    eye: &'a mut Eye,
    show: Show,
    folds_covered: bool,
    targets: Vec<Target>,
    lines: Vec<Line>,
    /// Depth at which a node's children stand.
    depths: Vec<usize>,
    omitted: usize,
    texts_omitted: usize,
}

impl Seeing<'_> {
    fn node(&mut self, index: usize) {
        let node = &self.capture.nodes[index];
        let depth = node.parent.map_or(0, |p| self.depths[p]);
        self.depths[index] = depth;
        let operable = is_operable(node);
        let numbered = node.id.filter(|_| operable || self.show.all);
        // An element that has a line of its own isn't numbered again for the text in it.
        let numbered = numbered.filter(|id| {
            node.kind != NodeKind::Text || !self.targets.iter().rev().take(50).any(|t| t.native == Some(*id))
        });
        let away = node.states.has(State::Offscreen);
        // What is said outside the viewport is read when it is scrolled to, or asked for.
        let left_out = away && (self.show.visible || !operable && !self.show.all);
        if left_out || self.folds_covered && node.states.has(State::Covered) {
            self.omitted += usize::from(operable);
            self.texts_omitted += usize::from(!operable && !node.name.is_empty());
            return;
        }
        let item = match numbered {
            Some(id) => {
                let said = said(self.capture, index);
                let number = self.eye.book.show_in_row(id, &node.role, &said, node.extra.row.as_ref());
                self.targets.push(target(node, id, number));
                Item::Target(self.targets.len() - 1)
            }
            None if node.name.is_empty() => return,
            None => Item::Text { role: node.role.clone(), text: node.name.clone(), level: node.extra.level },
        };
        // Only what nests content indents it; runs of text have none.
        self.depths[index] = depth + usize::from(nests(node));
        self.lines.push(Line { depth, document: node.document, item, extra: node.extra.clone() });
    }
}

fn is_operable(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Operable | NodeKind::Frame)
}

fn nests(node: &Node) -> bool {
    node.kind != NodeKind::Text
}

/// What a node says: its name, or, where it has none, the first text inside it. That is what the agent was shown of it.
pub fn said(capture: &Capture, index: usize) -> String {
    let node = &capture.nodes[index];
    if !node.name.is_empty() {
        return node.name.clone();
    }
    let inside = capture.nodes[index + 1..].iter().take_while(|n| n.parent.is_some_and(|p| p >= index));
    inside
        .filter(|n| n.parent == Some(index) && n.kind == NodeKind::Text)
        .map(|n| n.name.clone())
        .next()
        .unwrap_or_default()
}

/// A node as the target that it is shown as.
pub fn target(node: &Node, id: NativeId, number: Ref) -> Target {
    Target {
        r#ref: number,
        role: node.role.clone(),
        name: node.name.clone(),
        value: node.value.clone(),
        states: node.states,
        rect: node.rect,
        document: node.document,
        xpath: node.extra.xpath.clone(),
        href: node.extra.href.clone(),
        source: Source::Native,
        native: Some(id),
    }
}
