//! What is shown of a capture: the lines of its outline, and its nodes as targets.

use handeye_scene::{Capture, DocumentId, NativeId, Node, NodeKind, Rect, Ref, Shown, Snapshot, Target};

/// One line of the outline.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// How deep it is nested.
    pub depth: usize,
    /// Its document.
    pub document: DocumentId,
    /// Index of the node that it is nested in, for texts that belong together.
    pub parent: Option<usize>,
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
    /// What is folded here, by index in the snapshot.
    Fold(usize),
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
    /// The visible area.
    pub viewport: Rect,
    /// Its outline in reading order.
    pub lines: Vec<Line>,
    /// How many texts outside the viewport were left out.
    pub texts_omitted: usize,
}

/// What stands in a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Says {
    /// Its name.
    Name,
    /// The text in it, which has no line of its own then.
    Inside,
    /// All that it shows, of which no line inside it tells.
    All,
}

/// A node that gets a line, if it isn't folded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OutlineRow {
    /// Its index in the capture.
    pub(crate) node: usize,
    /// The element to number.
    pub(crate) number: Option<NativeId>,
    pub(crate) depth: usize,
    pub(crate) says: Says,
    /// Characters that its line takes at most.
    pub(crate) cost: usize,
}

pub(crate) fn is_operable(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Operable | NodeKind::Frame)
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

/// All that is shown of a node.
pub fn shown(capture: &Capture, index: usize) -> Shown {
    crate::matching::shown_of(&capture.nodes[index], Some(&said(capture, index)))
}

/// A node as the target that it is shown as.
pub fn target(node: &Node, id: NativeId, number: Ref) -> Target {
    Target {
        r#ref: number,
        role: node.role.clone(),
        name: node.name.clone(),
        text: node.extra.said.as_ref().map(|said| said.text.clone()).filter(|text| !text.is_empty()),
        value: node.value.clone(),
        states: node.states,
        rect: node.rect,
        document: node.document,
        xpath: node.extra.xpath.clone(),
        href: node.extra.href.clone(),
        parent: None,
        depth: None,
        source: node.extra.source,
        confidence: None,
        reason: None,
        reads: node.extra.reads.clone(),
        native: Some(id),
    }
}
