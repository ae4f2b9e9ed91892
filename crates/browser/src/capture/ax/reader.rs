//! Reads the protocol's nested description of a DOM into a flat list, however the members are ordered.

use crate::protocol::json::mend;
use handeye_scene::{DomKind, DomNode};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// How deep a description may nest: the browser's own limit lies far below, and each level costs stack.
const DEEPEST: usize = 400;

/// A node as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) node: DomNode,
    /// How many children the browser says it has.
    pub(crate) declared: usize,
    /// How many of them were told.
    pub(crate) told: usize,
    /// Its description was replaced by a fuller one.
    pub(crate) dead: bool,
}

/// Reads the member `key` of an answer (`root` or `node`), and appends it to `list` as a child of `parent`.
/// Gives its index.
pub(crate) fn read(
    text: &str,
    key: &str,
    parent: Option<usize>,
    list: &mut Vec<Read>,
) -> Result<usize, serde_json::Error> {
    let before = list.len();
    read_once(text, key, parent, list).or_else(|error| {
        list.truncate(before);
        match mend(text) {
            Some(mended) => read_once(&mended, key, parent, list),
            None => Err(error),
        }
    })
}

fn read_once(text: &str, key: &str, parent: Option<usize>, list: &mut Vec<Read>) -> Result<usize, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let at = list.len();
    Answer { key, list, parent }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    if list.len() == at {
        return Err(serde_json::Error::custom(format!("it has no `{key}`")));
    }
    Ok(at)
}

/// The answer around the description.
struct Answer<'a> {
    key: &'a str,
    list: &'a mut Vec<Read>,
    parent: Option<usize>,
}

impl<'de> DeserializeSeed<'de> for Answer<'_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Answer<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer with a DOM node")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == self.key {
                map.next_value_seed(One { list: &mut *self.list, parent: self.parent, depth: 0 })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// One node.
struct One<'a> {
    list: &'a mut Vec<Read>,
    parent: Option<usize>,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for One<'_> {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth > DEEPEST {
            return Err(D::Error::custom("the DOM nests too deep"));
        }
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for One<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a DOM node")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (at, depth) = (self.list.len(), self.depth + 1);
        self.list.push(Read { node: DomNode { parent: self.parent, ..DomNode::default() }, ..Read::default() });
        let (mut kind, mut root) = (0, String::new());
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "backendNodeId" => self.list[at].node.backend = map.next_value()?,
                "nodeType" => kind = map.next_value()?,
                "localName" => self.list[at].node.name = map.next_value()?,
                "childNodeCount" => self.list[at].declared = map.next_value()?,
                "frameId" => self.list[at].node.frame = map.next_value()?,
                "isScrollable" => self.list[at].node.scrollable = map.next_value()?,
                "shadowRootType" => root = map.next_value()?,
                "children" => {
                    let told = map.next_value_seed(Many { list: &mut *self.list, parent: at, depth })?;
                    self.list[at].told = told;
                }
                "shadowRoots" => {
                    map.next_value_seed(Many { list: &mut *self.list, parent: at, depth })?;
                }
                "contentDocument" => {
                    map.next_value_seed(One { list: &mut *self.list, parent: Some(at), depth })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        self.list[at].node.kind = kind_of(kind, &root);
        Ok(())
    }
}

/// A list of nodes; gives how many.
struct Many<'a> {
    list: &'a mut Vec<Read>,
    parent: usize,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Many<'_> {
    type Value = usize;
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Many<'_> {
    type Value = usize;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of DOM nodes")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<usize, A::Error> {
        let mut n = 0;
        while seq
            .next_element_seed(One { list: &mut *self.list, parent: Some(self.parent), depth: self.depth })?
            .is_some()
        {
            n += 1;
        }
        Ok(n)
    }
}

fn kind_of(node_type: u8, root: &str) -> DomKind {
    match (node_type, root) {
        (1, _) => DomKind::Element,
        (3 | 4, _) => DomKind::Text,
        (9, _) => DomKind::Document,
        (11, "user-agent") => DomKind::AgentRoot,
        (11, _) => DomKind::Root,
        _ => DomKind::Other,
    }
}

/// The list in document order without what was replaced, shadow roots and documents inside in front of children.
pub(crate) fn in_order(list: &[Read]) -> Vec<DomNode> {
    let mut first: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
    for (i, read) in list.iter().enumerate() {
        if let Some(parent) = read.node.parent.filter(|_| !read.dead) {
            first[parent].push(i);
        }
    }
    let mut out: Vec<DomNode> = Vec::with_capacity(list.len());
    let mut stack: Vec<(usize, Option<usize>)> = list.first().map(|_| (0, None)).into_iter().collect();
    while let Some((at, parent)) = stack.pop() {
        let index = out.len();
        out.push(DomNode { parent, ..list[at].node.clone() });
        stack.extend(first[at].iter().rev().map(|child| (*child, Some(index))));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(list: &[Read]) -> Vec<String> {
        let nodes = in_order(list);
        nodes
            .iter()
            .map(|n| format!("{} {:?} {} in {:?}", n.backend, n.kind, n.name, n.parent.map(|p| nodes[p].backend)))
            .collect()
    }

    #[test]
    fn documents_inside_and_roots_of_every_kind_are_read_in_any_order_of_members() {
        let text = r##"{"root":{"backendNodeId":1,"nodeType":9,"localName":"","children":[
            {"children":[{"nodeType":3,"backendNodeId":4,"nodeValue":"half \ud800"}],"childNodeCount":1,"nodeType":1,
             "shadowRoots":[{"backendNodeId":3,"nodeType":11,"shadowRootType":"closed"}],"localName":"div","backendNodeId":2},
            {"backendNodeId":5,"nodeType":1,"localName":"iframe","frameId":"F","childNodeCount":0,
             "contentDocument":{"backendNodeId":6,"nodeType":9,"childNodeCount":2}},
            {"backendNodeId":7,"nodeType":1,"localName":"video","isScrollable":true,
             "shadowRoots":[{"backendNodeId":8,"nodeType":11,"shadowRootType":"user-agent"}],
             "pseudoElements":[{"backendNodeId":9,"nodeType":1}]}]}}"##;
        let mut list = Vec::new();
        assert_eq!(read(text, "root", None, &mut list).unwrap(), 0);
        assert_eq!(
            lines(&list),
            [
                "1 Document  in None",
                "2 Element div in Some(1)",
                "4 Text  in Some(2)",
                "3 Root  in Some(2)",
                "5 Element iframe in Some(1)",
                "6 Document  in Some(5)",
                "7 Element video in Some(1)",
                "8 AgentRoot  in Some(7)"
            ]
        );
        let short: Vec<i64> = list.iter().filter(|r| r.told < r.declared).map(|r| r.node.backend).collect();
        assert_eq!(short, [6]);
        assert!(list.iter().any(|r| r.node.scrollable && r.node.name == "video"));
    }

    #[test]
    fn what_nests_without_end_is_refused_and_leaves_nothing() {
        let deep = format!(r#"{{"root":{}1"#, r#"{"backendNodeId":1,"children":["#.repeat(100_000));
        let mut list = Vec::new();
        assert!(read(&deep, "root", None, &mut list).unwrap_err().to_string().contains("too deep"));
        assert!(list.is_empty());
        assert!(read(r#"{"other":1}"#, "root", None, &mut list).is_err());
    }

    #[test]
    fn a_fuller_description_takes_the_place_of_the_short_one() {
        let mut list = Vec::new();
        read(r#"{"root":{"backendNodeId":1,"nodeType":9,"childNodeCount":2,"children":[{"backendNodeId":2,"nodeType":1,"localName":"a"}]}}"#, "root", None, &mut list)
            .unwrap();
        list[1].dead = true;
        for (backend, name) in [(2, "a"), (3, "b")] {
            let text = format!(r#"{{"node":{{"backendNodeId":{backend},"nodeType":1,"localName":"{name}"}}}}"#);
            read(&text, "node", Some(0), &mut list).unwrap();
        }
        assert_eq!(lines(&list), ["1 Document  in None", "2 Element a in Some(1)", "3 Element b in Some(1)"]);
    }
}
