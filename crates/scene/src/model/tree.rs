//! The trees that a browser itself keeps of a page: its DOM and its accessibility tree, as the protocol gives them.

use crate::{DocumentId, NativeId, Notice};

/// What the browser's trees should hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeWant {
    /// What stands in shadow roots too.
    pub pierce: bool,
    /// Only the accessibility tree of this element's document and of those inside it; the element is found in the trees.
    pub focus: Option<NativeId>,
}

/// The trees of every document of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trees {
    /// Address of the main document.
    pub url: String,
    /// Title of the main document.
    pub title: String,
    /// One DOM a session: a process's part of the page, with the documents of its own frames in it.
    pub sessions: Vec<SessionTree>,
    /// Every document, parents before children, the main one first.
    pub documents: Vec<DocumentTree>,
    /// Where the focus is: index in [`Trees::documents`], backend node.
    pub focus: Option<(usize, i64)>,
    /// What could not be reached.
    pub notices: Vec<Notice>,
}

/// The DOM of one session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionTree {
    /// Parents before children, children in order; the first is the session's own document.
    pub nodes: Vec<DomNode>,
}

/// One node of a DOM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomNode {
    /// The number that the browser gives it, for as long as it lives.
    pub backend: i64,
    /// Index of its parent; that of a document inside is the frame element.
    pub parent: Option<usize>,
    /// What kind of node it is.
    pub kind: DomKind,
    /// Local name of an element.
    pub name: String,
    /// Its content can be scrolled.
    pub scrollable: bool,
    /// The frame that it shows.
    pub frame: Option<String>,
}

/// Kinds of DOM nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DomKind {
    /// An element.
    Element,
    /// A run of text.
    Text,
    /// A document.
    Document,
    /// A shadow root of the page's making.
    Root,
    /// A shadow root of the browser's making, such as that of media controls.
    AgentRoot,
    /// Comments, doctypes and the like.
    #[default]
    Other,
}

/// One document's place and accessibility tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentTree {
    /// The frame that shows it.
    pub frame: String,
    /// Its id, for the session, where the page script is in it.
    pub id: Option<DocumentId>,
    /// Index of the document that it is inside of.
    pub parent: Option<usize>,
    /// The element that shows it, in its parent's DOM; none when the browser can't tell.
    pub owner: Option<i64>,
    /// Its address.
    pub url: String,
    /// Its origin; `null` for opaque ones.
    pub origin: String,
    /// Index of its session in [`Trees::sessions`].
    pub session: Option<usize>,
    /// Its accessibility tree, in the order of the protocol.
    pub nodes: Vec<AxNode>,
}

/// One node of an accessibility tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AxNode {
    /// Its name within the tree.
    pub id: String,
    /// Names of its children.
    pub children: Vec<String>,
    /// Not there for assistive technology.
    pub ignored: bool,
    /// Role as the browser names it, such as `button`, `StaticText` or `RootWebArea`.
    pub role: String,
    /// The same role in the words of a capture, such as `img` for `image`.
    pub aria: String,
    /// Accessible name.
    pub name: String,
    /// Accessible description.
    pub description: String,
    /// Value, as text.
    pub value: Option<String>,
    /// Properties by name, values as text.
    pub properties: Vec<(String, String)>,
    /// Its DOM node.
    pub backend: Option<i64>,
}

impl AxNode {
    /// A property's value.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Whether a property is `true`.
    pub fn is(&self, name: &str) -> bool {
        self.property(name) == Some("true")
    }
}
