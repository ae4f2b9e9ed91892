//! A page as a tree, read from the markup that a browser writes of it.
//!
//! That markup is regular: each element but void ones has its end tag, each value stands in double quotes. So it is read as it is
//! written, and nothing is moved as a parser for markup of people would do: the tree is the one that the browser has.

use std::collections::HashMap;

/// Elements that have no end tag.
const VOID: [&str; 18] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
];
/// Elements whose content is written as it is, and is never shown.
const RAW: [&str; 8] = ["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext"];
/// Elements of a page at most; what comes later isn't read.
const MOST: usize = 1_000_000;

/// Elements inside of one at most: an item holds fewer, and what holds more isn't looked through for each item again.
const WITHIN: usize = 3_000;

/// An element's place in the tree.
pub type NodeId = usize;

/// The tree. Element 0 stands for the document.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

/// An element.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Its name, in small letters.
    pub tag: String,
    attributes: Vec<(String, String)>,
    parent: NodeId,
    content: Vec<Content>,
    /// Which of its kind it is among its siblings, from 1.
    pub place: usize,
    /// Whether it, or what it stands in, is marked as hidden.
    pub is_hidden: bool,
}

#[derive(Debug, Clone)]
enum Content {
    Element(NodeId),
    Text(String),
}

impl Node {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Names of its attributes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|(name, _)| name.as_str())
    }

    /// Its classes.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.attribute("class").unwrap_or_default().split_ascii_whitespace()
    }

    fn says_hidden(&self) -> bool {
        let style = self.attribute("style").unwrap_or_default();
        let style: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
        self.attribute("hidden").is_some()
            || self.tag == "template"
            || style.contains("display:none")
            || style.contains("visibility:hidden")
    }
}

impl Tree {
    /// Reads markup.
    pub fn read(markup: &str) -> Self {
        let mut reader = Reader { tree: Self { nodes: vec![Node::default()] }, open: vec![0], places: HashMap::new() };
        reader.all(markup);
        reader.tree
    }

    /// An element.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// The elements of a kind, in order.
    pub fn all(&self, tag: &str) -> impl Iterator<Item = NodeId> {
        (1..self.nodes.len()).filter(move |id| self.nodes[*id].tag == tag)
    }

    /// Every element, in order.
    pub fn every(&self) -> std::ops::Range<NodeId> {
        1..self.nodes.len()
    }

    /// What an element stands in; none of the outermost.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        Some(self.nodes[id].parent).filter(|parent| *parent != 0)
    }

    /// The element and all that it stands in, from the inside out.
    pub fn outwards(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// The elements directly in one.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.nodes[id].content.iter().filter_map(|content| match content {
            Content::Element(id) => Some(*id),
            Content::Text(_) => None,
        })
    }

    /// The element and what is in it, in order; of what holds very much only the first part.
    pub fn inside(&self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut left) = (Vec::new(), vec![id]);
        while let Some(id) = left.pop().filter(|_| found.len() < WITHIN) {
            found.push(id);
            let from = left.len();
            left.extend(self.children(id));
            left[from..].reverse();
        }
        found
    }

    /// What an element says, white space made plain; of what is hidden in it nothing.
    pub fn text(&self, id: NodeId) -> String {
        let mut words = String::new();
        let mut left: Vec<(NodeId, usize)> = vec![(id, 0)];
        while let Some((id, at)) = left.pop() {
            match self.nodes[id].content.get(at) {
                None if is_inline(&self.nodes[id].tag) => {}
                None => words.push(' '),
                Some(Content::Text(text)) => {
                    words.push_str(text);
                    left.push((id, at + 1));
                }
                Some(Content::Element(inner)) => {
                    left.push((id, at + 1));
                    if !self.nodes[*inner].is_hidden {
                        if !is_inline(&self.nodes[*inner].tag) {
                            words.push(' ');
                        }
                        left.push((*inner, 0));
                    }
                }
            }
        }
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The element at an absolute path, as handeye writes it; none where it isn't in this document.
    pub fn at(&self, path: &str) -> Option<NodeId> {
        let mut at = 0;
        for step in path.split('/').filter(|step| !step.is_empty()) {
            let (tag, place) = step.strip_suffix(']')?.split_once('[')?;
            let place: usize = place.parse().ok()?;
            let tag = tag.to_ascii_lowercase();
            at = self.children(at).find(|id| self.nodes[*id].tag == tag && self.nodes[*id].place == place)?;
        }
        (at != 0).then_some(at)
    }

    /// The absolute path of an element.
    pub fn path(&self, id: NodeId) -> String {
        let mut steps: Vec<String> =
            self.outwards(id).map(|id| format!("/{}[{}]", self.nodes[id].tag, self.nodes[id].place)).collect();
        steps.reverse();
        steps.concat()
    }
}

/// Whether words on both sides of an element's edge are one word.
fn is_inline(tag: &str) -> bool {
    matches!(
        tag,
        "a" | "abbr"
            | "b"
            | "bdi"
            | "em"
            | "font"
            | "i"
            | "mark"
            | "s"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "u"
            | "wbr"
    )
}

struct Reader {
    tree: Tree,
    open: Vec<NodeId>,
    places: HashMap<(NodeId, String), usize>,
}

impl Reader {
    fn all(&mut self, markup: &str) {
        let mut rest = markup;
        while !rest.is_empty() && self.tree.nodes.len() < MOST {
            let Some(at) = rest.find('<') else {
                self.text(rest);
                break;
            };
            self.text(&rest[..at]);
            rest = self.tag(&rest[at..]);
        }
    }

    /// Reads what begins with `<`, and gives what comes behind it.
    fn tag<'a>(&mut self, text: &'a str) -> &'a str {
        if let Some(comment) = text.strip_prefix("<!--") {
            return comment.split_once("-->").map_or("", |(_, rest)| rest);
        }
        if text.starts_with("<!") || text.starts_with("<?") {
            return text.split_once('>').map_or("", |(_, rest)| rest);
        }
        if let Some(end) = text.strip_prefix("</") {
            let (name, rest) = end.split_once('>').unwrap_or((end, ""));
            self.close(&name.trim().to_ascii_lowercase());
            return rest;
        }
        if !text[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.text("<");
            return &text[1..];
        }
        self.element(&text[1..])
    }

    fn close(&mut self, name: &str) {
        let at = self.open.iter().rposition(|id| *id != 0 && self.tree.nodes[*id].tag == name);
        if let Some(at) = at {
            self.open.truncate(at);
        }
    }

    fn element<'a>(&mut self, text: &'a str) -> &'a str {
        let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/').unwrap_or(text.len());
        let tag = text[..end].to_ascii_lowercase();
        let (attributes, rest) = attributes(&text[end..]);
        let parent = self.open.last().copied().unwrap_or(0);
        let id = self.tree.nodes.len();
        let place = self.places.entry((parent, tag.clone())).or_insert(0);
        *place += 1;
        let mut node = Node { tag, attributes, parent, place: *place, ..Node::default() };
        node.is_hidden = self.tree.nodes[parent].is_hidden || node.says_hidden();
        let (is_void, is_raw) = (VOID.contains(&node.tag.as_str()), RAW.contains(&node.tag.as_str()));
        let name = node.tag.clone();
        self.tree.nodes.push(node);
        self.tree.nodes[parent].content.push(Content::Element(id));
        if is_raw {
            return behind(rest, &name);
        }
        if !is_void {
            self.open.push(id);
        }
        rest
    }

    fn text(&mut self, text: &str) {
        let parent = self.open.last().copied().unwrap_or(0);
        if parent != 0 && !text.trim().is_empty() {
            self.tree.nodes[parent].content.push(Content::Text(plain(text)));
        } else if parent != 0 && !text.is_empty() {
            self.tree.nodes[parent].content.push(Content::Text(" ".to_owned()));
        }
    }
}

/// What stands behind the end tag of content that is written as it is.
fn behind<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        let end = &rest[at + 2..];
        if end.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return end.split_once('>').map_or("", |(_, rest)| rest);
        }
        rest = end;
    }
    ""
}

/// Attributes up to the end of a tag, and what stands behind it.
fn attributes(text: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if let Some(behind) = rest.strip_prefix('>') {
            return (found, behind);
        }
        if rest.is_empty() {
            return (found, rest);
        }
        let end =
            rest.find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '>' || c == '/').unwrap_or(rest.len());
        // A name may begin with what else ends one.
        let end = end.max(rest.chars().next().map_or(0, char::len_utf8));
        let name = rest[..end].to_ascii_lowercase();
        rest = &rest[end..];
        let mut value = "";
        if let Some(given) = rest.strip_prefix('=') {
            (value, rest) = match given.chars().next() {
                Some(quote @ ('"' | '\'')) => given[1..].split_once(quote).unwrap_or((&given[1..], "")),
                _ => given.split_at(given.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(given.len())),
            };
        }
        found.push((name, plain(value)));
    }
}

/// Text without the few references that a browser writes.
fn plain(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let text = text.replace("&nbsp;", "\u{a0}").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_testkit::fuzz::survive;
    use handeye_testkit::trials;

    #[test]
    fn a_tree_is_the_one_that_the_markup_writes() {
        let tree = Tree::read(
            "<html><head><title>T</title><script>if (a</b>c) '</scr'</script></head><body><!-- <p>no --><ul id=\"l\"><li class=\"a b\">One &amp; <b>tw</b>o</li><li hidden=\"\">x<br>y</li></ul><p>a<p>b</p></p><noscript><i></noscript><template><a href=\"/t\"></a></template><a href=\"/x?a=1&amp;b=2\">&lt;X&gt;</a></body></html>",
        );
        let at = |path: &str| tree.at(path).unwrap_or_else(|| panic!("{path}"));
        let first = at("/html[1]/body[1]/ul[1]/li[1]");
        assert_eq!(
            (tree.text(first).as_str(), tree.path(first).as_str()),
            ("One & two", "/html[1]/body[1]/ul[1]/li[1]")
        );
        assert_eq!(tree.node(first).classes().collect::<Vec<_>>(), ["a", "b"]);
        assert!(tree.node(at("/html[1]/body[1]/ul[1]/li[2]")).is_hidden);
        assert_eq!(tree.text(at("/html[1]/body[1]/ul[1]")), "One & two", "what is hidden isn't said");
        // A paragraph in a paragraph, which only a script can have made, stays there.
        assert_eq!(tree.text(at("/html[1]/body[1]/p[1]/p[1]")), "b");
        let link = at("/html[1]/body[1]/a[1]");
        assert_eq!((tree.node(link).attribute("href"), tree.text(link).as_str()), (Some("/x?a=1&b=2"), "<X>"));
        assert_eq!(tree.all("a").filter(|id| !tree.node(*id).is_hidden).count(), 1);
        assert_eq!(tree.at("/html[1]/body[1]/iframe[1]/html[1]"), None);
        assert_eq!(tree.at("/html[1]/body[1]/div[1]/#shadow/a[1]"), None);
    }

    #[test]
    fn markup_that_nobody_closes_is_read_to_its_end() {
        for markup in [
            "",
            "<",
            "<a",
            "<a href=",
            "<a href=\"x",
            "</",
            "<!--",
            "<script>",
            "a < b <3",
            "<a =x>",
            "<a/>",
            "<é>",
            "</x></y>",
        ] {
            Tree::read(markup);
        }
        let deep = "<div>".repeat(50_000);
        let tree = Tree::read(&deep);
        assert_eq!(tree.text(1), "");
        assert_eq!(tree.inside(1).len(), WITHIN);
    }

    #[test]
    fn changed_markup_ends_nothing() {
        let samples = [
            "<html><body><ul class=\"l\"><li><a href=\"/p/1\" rel=\"next\">One</a></li></ul></body></html>",
            "<body><p>a<b>登录</b>&amp;&nbsp;</p><script>x</script><img src=\"a\"><!-- c --></body>",
        ];
        let take = |markup: &str| {
            let tree = Tree::read(markup);
            for id in tree.every().take(20) {
                let _ = (tree.text(id), tree.at(&tree.path(id)), tree.inside(id));
            }
        };
        survive("markup of a page", 71, trials(200, 100_000), move |m| m.text(&samples), take);
    }
}
