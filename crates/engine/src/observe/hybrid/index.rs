//! Where the nodes of a session's DOM are: their documents, and the XPaths within them.

use super::xpath::{child_segments, relativize};
use handeye_scene::{DomKind, DomNode, SessionTree};
use std::collections::HashMap;

/// A session's DOM, ready to be asked. Making it takes one pass.
pub struct SessionIndex<'a> {
    nodes: &'a [DomNode],
    segments: Vec<String>,
    by_backend: HashMap<i64, usize>,
    /// The document each node is in.
    documents: Vec<usize>,
    by_frame: HashMap<&'a str, usize>,
    /// The root element of each document.
    tops: HashMap<usize, usize>,
    /// Where what is in each node ends: a node's own follow it.
    ends: Vec<usize>,
    /// What stands in a control that the browser draws as one thing, such as a date field.
    inner: Vec<bool>,
}

/// Hosts whose controls, drawn by the browser, can be named one by one.
const MEDIA: [&str; 2] = ["audio", "video"];

impl<'a> SessionIndex<'a> {
    /// The index of a DOM.
    pub fn new(tree: &'a SessionTree) -> Self {
        let nodes = tree.nodes.as_slice();
        let mut index = Self {
            nodes,
            segments: vec![String::new(); nodes.len()],
            by_backend: HashMap::with_capacity(nodes.len()),
            documents: Vec::with_capacity(nodes.len()),
            by_frame: HashMap::new(),
            tops: HashMap::new(),
            ends: (1..=nodes.len()).collect(),
            inner: Vec::with_capacity(nodes.len()),
        };
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            index.by_backend.entry(node.backend).or_insert(i);
            let above = node.parent.filter(|p| *p < i);
            let document = if node.kind == DomKind::Document { i } else { above.map_or(0, |p| index.documents[p]) };
            index.documents.push(document);
            let drawn =
                node.kind == DomKind::AgentRoot && above.is_some_and(|p| !MEDIA.contains(&nodes[p].name.as_str()));
            index.inner.push(drawn || above.is_some_and(|p| index.inner[p] && node.kind != DomKind::Document));
            let Some(parent) = above else { continue };
            children[parent].push(i);
            if node.kind == DomKind::Element && nodes[parent].kind == DomKind::Document {
                index.tops.entry(parent).or_insert(i);
            }
            if let Some(frame) = nodes[parent].frame.as_deref().filter(|_| node.kind == DomKind::Document) {
                index.by_frame.insert(frame, i);
            }
        }
        for i in (0..nodes.len()).rev() {
            if let Some(parent) = nodes[i].parent.filter(|p| *p < i) {
                index.ends[parent] = index.ends[parent].max(index.ends[i]);
            }
        }
        for own in children {
            let steps = child_segments(&own.iter().map(|i| &nodes[*i]).collect::<Vec<_>>());
            for (child, step) in own.into_iter().zip(steps) {
                index.segments[child] = step;
            }
        }
        index
    }

    /// The document that a frame shows, where it is in this session; the session's own for its first frame.
    pub fn document(&self, frame: &str, first: bool) -> Option<usize> {
        self.by_frame.get(frame).copied().or(if first && !self.nodes.is_empty() { Some(0) } else { None })
    }

    /// A node of a document.
    pub fn node(&self, document: usize, backend: i64) -> Option<&'a DomNode> {
        self.place(document, backend).map(|i| &self.nodes[i])
    }

    /// Whether a node can be named: not what stands in a control that is one thing.
    pub fn is_nameable(&self, document: usize, backend: i64) -> bool {
        self.place(document, backend).is_some_and(|at| !self.inner[at])
    }

    /// A node's path within its document; of the document itself, that of its root element. None where no path leads.
    pub fn xpath(&self, document: usize, backend: i64) -> Option<String> {
        let at = self.place(document, backend).filter(|at| !self.inner[*at])?;
        let at = self.tops.get(&at).copied().unwrap_or(at);
        Some(relativize(&self.path(document), &self.path(at)))
    }

    /// The nodes of a document, in order.
    pub fn nodes_of(&self, document: usize) -> impl Iterator<Item = i64> + '_ {
        let own = (0..self.nodes.len()).filter(move |i| self.documents[*i] == document);
        own.map(|i| self.nodes[i].backend)
    }

    /// Whether a node of a document is another or in it.
    pub fn holds(&self, document: usize, outer: i64, inner: i64) -> bool {
        let (Some(outer), Some(inner)) = (self.place(document, outer), self.place(document, inner)) else {
            return false;
        };
        (outer..self.ends[outer]).contains(&inner)
    }

    fn place(&self, document: usize, backend: i64) -> Option<usize> {
        self.by_backend.get(&backend).copied().filter(|i| self.documents[*i] == document)
    }

    /// A node's path from the top of the session.
    fn path(&self, mut at: usize) -> String {
        let mut steps = Vec::new();
        while let Some(parent) = self.nodes[at].parent.filter(|p| *p < at) {
            steps.push(self.segments[at].as_str());
            at = parent;
        }
        steps.iter().rev().filter(|s| !s.is_empty()).flat_map(|s| ["/", s]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DomKind::{AgentRoot, Document, Element, Root, Text};

    fn node(backend: i64, parent: Option<usize>, kind: DomKind, name: &str) -> DomNode {
        let frame = (name == "iframe").then(|| format!("frame{backend}"));
        DomNode { backend, parent, kind, name: name.into(), frame, ..DomNode::default() }
    }

    fn tree() -> SessionTree {
        SessionTree {
            nodes: vec![
                node(1, None, Document, ""),
                node(2, Some(0), Element, "html"),
                node(3, Some(1), Element, "iframe"),
                node(4, Some(2), Document, ""),
                node(5, Some(3), Element, "html"),
                node(6, Some(4), Element, "div"),
                node(7, Some(5), Root, ""),
                node(8, Some(6), Element, "b"),
                node(9, Some(7), Text, ""),
                node(10, Some(1), Element, "video"),
                node(11, Some(9), AgentRoot, ""),
                node(12, Some(10), Element, "input"),
                node(13, Some(11), AgentRoot, ""),
                node(14, Some(12), Element, "span"),
            ],
        }
    }

    #[test]
    fn paths_begin_at_the_document_of_the_node() {
        let tree = tree();
        let index = SessionIndex::new(&tree);
        let (main, inner) = (index.document("top", true).unwrap(), index.document("frame3", false).unwrap());
        assert_eq!((main, inner), (0, 3));
        assert_eq!(index.xpath(main, 3).as_deref(), Some("/html[1]/iframe[1]"));
        assert_eq!(index.xpath(inner, 5).as_deref(), Some("/html[1]"));
        assert_eq!(index.xpath(inner, 4).as_deref(), Some("/html[1]"));
        assert_eq!(index.xpath(main, 1).as_deref(), Some("/html[1]"));
        assert_eq!(index.xpath(inner, 9).as_deref(), Some("/html[1]/div[1]/#shadow/b[1]/text()[1]"));
        assert_eq!(index.xpath(main, 12).as_deref(), Some("/html[1]/video[1]/#shadow/input[1]"));
    }

    #[test]
    fn a_node_of_another_document_is_not_found_in_this_one() {
        let tree = tree();
        let index = SessionIndex::new(&tree);
        assert_eq!(index.xpath(0, 6), None);
        assert_eq!(index.xpath(3, 3), None);
        assert_eq!(index.xpath(0, 99), None);
        assert!(index.is_nameable(0, 12) && !index.is_nameable(0, 14) && index.xpath(0, 14).is_none());
        assert!(index.holds(3, 6, 9) && index.holds(3, 6, 6) && index.holds(0, 2, 12));
        assert!(!index.holds(3, 9, 6) && !index.holds(0, 2, 9) && !index.holds(0, 3, 10));
        assert_eq!(index.document("elsewhere", false), None);
        assert_eq!(SessionIndex::new(&SessionTree::default()).document("top", true), None);
    }
}
