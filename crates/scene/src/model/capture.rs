//! One raw look at a surface, before anything is decided about it.

use crate::{Destination, DocumentId, Hint, NativeId, Rect, RowLabel, Said, Source, States};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a capture should hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Want {
    /// Only the subtree of this element, and the documents shown in it.
    pub scope: Option<NativeId>,
    /// With `scope`: instead, the smallest subtree that holds both elements. Nothing, if one of them is gone.
    pub until: Option<NativeId>,
    /// What the rows are about of every control that shares its name, not only of those in the viewport and some more.
    pub rows: bool,
    /// Rows of tables that are out of sight, too, where a surface tells of those in sight alone.
    pub away: bool,
    /// XPaths, tags and test ids too.
    pub detail: bool,
    /// What comes of a gesture will be held against this look: what changes by itself from here on is to be told apart from that.
    pub compared: bool,
    /// By what the surface is looked at.
    pub via: Via,
}

/// By what a surface is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// The script in the page: fast, and it sees what is operable by listeners alone.
    #[default]
    Script,
    /// The browser's own accessibility tree: roles, names and states as the browser computes them, also inside of
    /// controls that the browser draws itself.
    Ax,
}

/// One raw look at a surface.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Capture {
    /// Kind of surface: `web` or `desktop`.
    pub surface: String,
    /// The window or tab, as the surface names it.
    pub window: String,
    /// The process behind it, such as `chromium`.
    pub process: String,
    /// Address of the main document; of a window, its handle.
    pub url: String,
    /// Title of the main document or window.
    pub title: String,
    /// The visible area; its origin is 0, 0. On a desktop, the screen.
    pub viewport: Rect,
    /// Pixels of the device to one of these coordinates' units: on a page, to one CSS pixel. None where nobody could say.
    #[serde(default)]
    pub scale: Option<f64>,
    /// Every document that was reached, parents before children.
    pub documents: Vec<Document>,
    /// Every node, in reading order; a child document's nodes follow its owner.
    pub nodes: Vec<Node>,
    /// Whether rows were left out of controls that share their names, outside the viewport.
    #[serde(default)]
    pub rows_left: bool,
    /// What happened since the last capture and what this one could not reach.
    pub notices: Vec<Notice>,
    /// Where the current window is, if no tree tells of what it shows: its pixels alone do.
    #[serde(default)]
    pub treeless: Option<Rect>,
    /// What says nothing to an agent and holds or moves other things (split panes and their parts, scroll bars, tables), with its
    /// place: for perceivers. A parent is one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<Node>,
    /// The border that the window manager draws around the current window, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub border: Option<Border>,
}

/// What is drawn around a window by its manager.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Border {
    /// The window's place with it.
    pub outer: Rect,
    /// The window's place without it.
    pub inner: Rect,
}

/// One frame's document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Its id, for the session.
    pub id: DocumentId,
    /// Its address.
    pub url: String,
    /// Its origin as the browser reports it; `null` for opaque ones.
    pub origin: String,
    /// The iframe element that shows it; none for the main document.
    pub owner: Option<NativeId>,
}

/// What a node is to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A run of visible text.
    Text,
    /// A named thing to read: heading, list item, image, cell.
    Item,
    /// A person can operate it.
    Operable,
    /// Shows another document.
    Frame,
}

/// One node of a capture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The element; of a run of text, the element that holds it.
    pub id: Option<NativeId>,
    /// Its document.
    pub document: DocumentId,
    /// Index in [`Capture::nodes`] of the nearest kept ancestor, across documents.
    pub parent: Option<usize>,
    /// What it is to an agent.
    pub kind: NodeKind,
    /// ARIA role.
    pub role: String,
    /// Accessible name, or the text itself.
    pub name: String,
    /// Value of a control; passwords come masked.
    pub value: Option<String>,
    /// States.
    pub states: States,
    /// Where it is.
    pub rect: Rect,
    /// The rest, where it applies.
    pub extra: Extra,
}

/// Members of a node that only some have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Extra {
    /// Tag name (with detail).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Input type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Where a link leads, resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// How many options a select has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<u32>,
    /// The first labels of its options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opts: Vec<String>,
    /// Heading level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Placeholder text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Title attribute, where it isn't the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What its row is about, where others have its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<RowLabel>,
    /// What it says where it has no name: the text that it begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// The text it shows, where that isn't its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// It keeps changing by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub self_changing: bool,
    /// Where it leads. None: the surface can't tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads: Option<Destination>,
    /// Options of a select that stand for other values than their labels, with those before and between them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<(String, String)>,
    /// What is read at its place in the surface's pixels, where it has neither name nor text. Nothing is held to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
    /// Who saw it.
    #[serde(skip_serializing_if = "is_native")]
    pub source: Source,
    /// A word that tells an unnamed icon apart: never a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// That word is of a picture, all that is shown of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub icon: bool,
    /// Absolute XPath, with the prefix of its document (with detail).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xpath: Option<String>,
    /// Test id attribute (with detail).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub testid: Option<String>,
}

/// Whether a node is of the surface's own tree, which need not be said.
fn is_native(source: &Source) -> bool {
    *source == Source::Native
}

/// Something the agent should know beside the targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// What kind of thing happened, such as `dialog`, `new_tab`, `download`, `partial`, `lost_document`.
    pub kind: String,
    /// It, in words.
    pub text: String,
    /// Commands to run next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
}

impl Notice {
    /// A notice of `kind` saying `text`.
    pub fn new(kind: impl Into<String>, text: impl Into<String>) -> Self {
        Self { kind: kind.into(), text: text.into(), hints: Vec::new() }
    }

    /// The same with a command to run next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }
}
