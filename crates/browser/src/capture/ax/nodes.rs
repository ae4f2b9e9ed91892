//! From one document's accessibility tree, and what the page script says of where its elements are, to a capture's rows.

use crate::capture::raw::Row;
use handeye_scene::model::text::is_glyph;
use handeye_scene::{AxNode, Extra, NodeKind, Rect, State, States};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};

/// Roles that a person operates.
const WIDGETS: &str = " button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio \
    scrollbar searchbox slider spinbutton switch tab textbox treeitem ";
/// Things to read.
const ITEMS: &str = " alert alertdialog article banner blockquote caption cell code columnheader complementary contentinfo \
    definition dialog feed figure form grid gridcell group heading img list listbox listitem log main math menu menubar \
    meter navigation note progressbar radiogroup region row rowheader scrollbar search separator status table tablist \
    tabpanel term timer toolbar tooltip tree treegrid ";
/// Elements whose inside is said by them alone.
const CLOSED: &str = " select input textarea canvas object embed progress meter img math iframe frame ";
/// Longest mask of a password.
const MASK: usize = 8;

/// What `describe` of the page script says of one node.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Wire")]
pub(crate) struct Described {
    n: u32,
    tag: String,
    /// Operable by the page's own making: 0 no, 1 perhaps, 2 surely.
    operable: u8,
    rect: Rect,
    states: u32,
    extra: Extra,
    value: Option<String>,
}

type Wire = (u32, String, u8, f64, f64, f64, f64, u32, Option<Extra>, Option<String>);

impl From<Wire> for Described {
    fn from((n, tag, operable, x, y, w, h, states, extra, value): Wire) -> Self {
        let extra = extra.unwrap_or_default();
        let round = |v: f64| (v * 100.0).round() / 100.0;
        Self { n, tag, operable, rect: Rect::new(round(x), round(y), round(w), round(h)), states, extra, value }
    }
}

fn among(list: &str, word: &str) -> bool {
    !word.is_empty() && list.contains(&format!(" {word} "))
}

/// Whether the page script has to be asked about a node.
pub(crate) fn is_asked(node: &AxNode) -> bool {
    !node.ignored && !matches!(node.role.as_str(), "InlineTextBox" | "LineBreak" | "ListMarker" | "RootWebArea")
}

/// The nearest node that holds all of some DOM nodes; none when one of them isn't in the tree.
pub(crate) fn holder_of(nodes: &[AxNode], ends: &[i64]) -> Option<usize> {
    let by_id: HashMap<&str, usize> = nodes.iter().enumerate().map(|(i, n)| (n.id.as_str(), i)).collect();
    let mut parents: HashMap<usize, usize> = HashMap::new();
    for (i, node) in nodes.iter().enumerate() {
        parents.extend(node.children.iter().filter_map(|c| Some((*by_id.get(c.as_str())?, i))));
    }
    // From the top down to each; no way is longer than there are nodes.
    let way = |end: &i64| {
        let at = nodes.iter().position(|n| n.backend == Some(*end))?;
        let mut way: Vec<usize> =
            std::iter::successors(Some(at), |i| parents.get(i).copied()).take(nodes.len()).collect();
        way.reverse();
        Some(way)
    };
    let ways: Vec<Vec<usize>> = ends.iter().map(way).collect::<Option<_>>()?;
    let (first, rest) = ways.split_first()?;
    let shared = first.iter().enumerate().take_while(|(i, at)| rest.iter().all(|way| way.get(*i) == Some(at)));
    shared.last().map(|(_, at)| *at)
}

/// What holds below a node.
#[derive(Clone, Copy)]
struct Above {
    /// Index of the row that it is in.
    row: Option<usize>,
    /// The row whose words are said already.
    said: Option<usize>,
    /// The nearest node that isn't ignored.
    holder: usize,
    /// In a control by nature or role.
    control: bool,
}

/// The rows of a document, or of what is at and below `from`.
pub(crate) fn rows(nodes: &[AxNode], from: Option<usize>, described: &HashMap<i64, Described>) -> Vec<Row> {
    let by_id: HashMap<&str, usize> = nodes.iter().enumerate().map(|(i, n)| (n.id.as_str(), i)).collect();
    let mut making = Making { described, rows: Vec::new(), perhaps: Vec::new(), text: None, names: names(nodes) };
    let start = from.or(if nodes.is_empty() { None } else { Some(0) });
    let above = Above { row: None, said: None, holder: 0, control: false };
    let mut stack: Vec<(usize, Above)> = start.map(|i| (i, above)).into_iter().collect();
    let mut seen = vec![false; nodes.len()];
    while let Some((at, above)) = stack.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let node = &nodes[at];
        let Some(below) = making.node(at, node, above) else { continue };
        stack.extend(node.children.iter().rev().filter_map(|c| Some((*by_id.get(c.as_str())?, below))));
    }
    without_regions(making.rows, &making.perhaps)
}

/// Names of what can be operated: a label that says one needn't be said again.
fn names(nodes: &[AxNode]) -> HashSet<String> {
    nodes.iter().filter(|n| among(WIDGETS, &n.aria)).map(|n| fold(&n.name)).filter(|n| !n.is_empty()).collect()
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

struct Making<'a> {
    described: &'a HashMap<i64, Described>,
    rows: Vec<Row>,
    /// Rows of what may only be a region that listens or can be focused.
    perhaps: Vec<usize>,
    /// The last row, where it is a text that may go on: what holds it.
    text: Option<usize>,
    names: HashSet<String>,
}

impl Making<'_> {
    /// Adds a node's row, if it gets one; none when nothing in it is to be listed.
    fn node(&mut self, at: usize, node: &AxNode, above: Above) -> Option<Above> {
        let holder = if node.ignored { above.holder } else { at };
        let through = Above { holder, ..above };
        if node.ignored || node.role == "RootWebArea" {
            return Some(through);
        }
        let described = node.backend.and_then(|b| self.described.get(&b));
        if node.role == "StaticText" {
            self.add_text(node, described, above);
            return None;
        }
        let described = described?;
        let kind = kind(node, described, above.control);
        let Some(kind) = kind else { return Some(through) };
        let row = self.rows.len();
        self.text = None;
        if kind == NodeKind::Operable && described.operable == 1 {
            self.perhaps.push(self.rows.len());
        }
        self.rows.push(row_of(node, described, kind, above.row));
        let speaks = kind == NodeKind::Operable || node.aria == "heading";
        let said = if speaks && !node.name.is_empty() { Some(row) } else { above.said };
        let control = above.control || kind == NodeKind::Operable && described.operable != 1;
        (!among(CLOSED, &described.tag)).then_some(Above { row: Some(row), said, holder, control })
    }

    fn add_text(&mut self, node: &AxNode, described: Option<&Described>, above: Above) {
        let text = fold(&node.name);
        let Some(described) = described else { return };
        let said = above.said.map(|i| &self.rows[i]);
        let is_said = said.is_some_and(|row| {
            fold(&row.name).contains(&text) || row.value.as_ref().is_some_and(|v| fold(v).contains(&text))
        });
        if text.is_empty() || is_said || self.names.contains(&text) {
            return;
        }
        let last = self.rows.last_mut().filter(|_| self.text == Some(above.holder));
        if let Some(last) = last.filter(|last| last.parent == above.row) {
            last.name.push_str(&node.name);
            last.rect = union(last.rect, described.rect);
            last.states &= described.states;
            return;
        }
        self.text = Some(above.holder);
        self.rows.push(Row {
            n: described.n,
            parent: above.row,
            kind: NodeKind::Text,
            role: "text".into(),
            name: node.name.clone(),
            value: None,
            states: described.states,
            rect: described.rect,
            extra: None,
        });
    }
}

/// What only listens for what is inside it is no target: it is read, or left out.
fn without_regions(mut rows: Vec<Row>, perhaps: &[usize]) -> Vec<Row> {
    let mut holds = vec![false; rows.len()];
    for i in (0..rows.len()).rev() {
        if let Some(parent) = rows[i].parent {
            holds[parent] |= holds[i] || rows[i].kind == NodeKind::Operable;
        }
    }
    let regions: HashSet<usize> = perhaps.iter().copied().filter(|i| holds[*i]).collect();
    let mut places: Vec<Option<usize>> = Vec::with_capacity(rows.len());
    let mut next = 0;
    for (i, row) in rows.iter_mut().enumerate() {
        if row.kind == NodeKind::Text {
            row.name = one_line(&row.name);
        }
        row.parent = row.parent.and_then(|p| places[p]);
        let left_out = regions.contains(&i) && !among(ITEMS, &row.role);
        if regions.contains(&i) {
            row.kind = NodeKind::Item;
        }
        places.push(if left_out { row.parent } else { Some(next) });
        next += usize::from(!left_out);
    }
    let mut index = 0..;
    rows.retain(|row| {
        let is_region = index.next().is_some_and(|i: usize| regions.contains(&i));
        !is_region || among(ITEMS, &row.role)
    });
    rows
}

fn union(a: Rect, b: Rect) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect::new(x, y, (a.x + a.width).max(b.x + b.width) - x, (a.y + a.height).max(b.y + b.height) - y)
}

fn kind(node: &AxNode, described: &Described, in_control: bool) -> Option<NodeKind> {
    let there = described.rect.width >= 2.0 && described.rect.height >= 2.0;
    match node.aria.as_str() {
        "iframe" => there.then_some(NodeKind::Frame),
        _ if described.operable == 2 => Some(NodeKind::Operable),
        role if among(WIDGETS, role) && there && described.operable > 0 => Some(NodeKind::Operable),
        _ if described.operable == 1 && !in_control && there => Some(NodeKind::Operable),
        role if among(ITEMS, role) && !in_control => Some(NodeKind::Item),
        "heading" => Some(NodeKind::Item),
        _ => None,
    }
}

fn row_of(node: &AxNode, described: &Described, kind: NodeKind, parent: Option<usize>) -> Row {
    let mut extra = described.extra.clone();
    extra.level = node.property("level").and_then(|l| l.parse().ok());
    let title = extra.title.take();
    extra.title = title.filter(|t| *t != node.name);
    Row {
        n: described.n,
        parent,
        kind,
        role: role(node, described).to_owned(),
        name: name(node, described),
        value: value(node, described),
        states: states(node, &described.tag).0 | described.states,
        rect: described.rect,
        extra: Some(Box::new(extra)),
    }
}

/// A field of rich text is a text field to whoever types into it; HTML gives it no role. A part of a table of layout that
/// can be operated is what HTML says, as it is to whoever acts on it: whether a table is one of layout is the browser's guess.
fn role<'a>(node: &'a AxNode, described: &Described) -> &'a str {
    let is_field = described.operable == 2 && States(described.states).has(State::Editable);
    match node.role.as_str() {
        _ if is_field && node.aria == "generic" => "textbox",
        "LayoutTable" if described.operable > 0 => "table",
        "LayoutTableRow" if described.operable > 0 => "row",
        "LayoutTableCell" if described.operable > 0 => "cell",
        _ => &node.aria,
    }
}

/// A table of layout alone is generic to ARIA, which lets nothing generic be named (ARIA 1.2, 5.2.8.6).
fn name(node: &AxNode, described: &Described) -> String {
    let is_generic = node.role.starts_with("LayoutTable") && described.operable == 0;
    if is_generic { String::new() } else { one_line(&node.name) }
}

/// Text with every run of white space one space.
/// On one line, without the glyphs of icon fonts, which are no text.
fn one_line(text: &str) -> String {
    let said = text.replace(is_glyph, "");
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn value(node: &AxNode, described: &Described) -> Option<String> {
    // The browser writes dates and files as a person reads them, not as they are set.
    if let Some(value) = &described.value {
        return Some(value.clone());
    }
    if described.tag == "input" {
        return None;
    }
    let spoken = node.property("valuetext").map(str::to_owned).filter(|v| !v.is_empty());
    let value = spoken.or_else(|| node.value.clone())?;
    let masked = !value.is_empty() && value.chars().all(|c| c == '•');
    Some(if masked { value.chars().take(MASK).collect() } else { value })
}

fn states(node: &AxNode, tag: &str) -> States {
    let flags = [
        ("disabled", State::Disabled),
        ("required", State::Required),
        ("readonly", State::Readonly),
        ("focused", State::Focused),
        ("busy", State::Busy),
        ("multiselectable", State::Multiple),
        ("modal", State::Modal),
        ("selected", State::Selected),
    ];
    let mut states =
        flags.iter().filter(|(name, _)| node.is(name)).fold(States::default(), |s, (_, state)| s.with(*state));
    // That a select is closed goes without saying.
    states = match node.property("expanded").filter(|_| tag != "select") {
        Some("true") => states.with(State::Expanded),
        Some("false") => states.with(State::Collapsed),
        _ => states,
    };
    states = match node.property("checked") {
        Some("true") => states.with(State::Checked),
        Some("mixed") => states.with(State::Mixed),
        _ => states,
    };
    states = match node.property("pressed") {
        Some("true") => states.with(State::Pressed),
        Some("mixed") => states.with(State::Pressed).with(State::Mixed),
        _ => states,
    };
    let popup = node.property("hasPopup").is_some_and(|p| !p.is_empty() && p != "false");
    if popup { states.with(State::Haspopup) } else { states }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(n: u32, tag: &str, operable: u8) -> Described {
        (n, tag.to_owned(), operable, 1.0, 2.0, 30.0, 10.0, 0, None, None).into()
    }

    /// Rows of a tree of `role name operable` lines, two spaces a level; `-` before what is ignored.
    fn told(tree: &str) -> Vec<String> {
        let mut nodes: Vec<AxNode> = Vec::new();
        let mut facts = HashMap::new();
        let mut open: Vec<usize> = Vec::new();
        for (i, line) in tree.lines().enumerate() {
            let level = (line.len() - line.trim_start().len()) / 2;
            let mut words = line.trim_start().split('|');
            let (role, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let operable = words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
            open.truncate(level);
            if let Some(parent) = open.last() {
                nodes[*parent].children.push(i.to_string());
            }
            open.push(i);
            let (ignored, role) = role.strip_prefix('-').map_or((false, role), |r| (true, r));
            facts.insert(i as i64, described(i as u32, if role == "combobox" { "select" } else { "div" }, operable));
            nodes.push(AxNode {
                id: i.to_string(),
                ignored,
                role: role.into(),
                aria: role.into(),
                name: name.into(),
                backend: Some(i as i64),
                ..AxNode::default()
            });
        }
        rows(&nodes, None, &facts)
            .iter()
            .map(|r| {
                format!(
                    "{} {:?} {} {:?} in {}",
                    r.n,
                    r.kind,
                    r.role,
                    r.name,
                    r.parent.map_or("-1".to_owned(), |p| p.to_string())
                )
            })
            .collect()
    }

    #[test]
    fn a_region_that_listens_for_what_is_inside_it_is_no_target() {
        assert_eq!(
            told("RootWebArea|Page\n  list|L|1\n    generic||1\n      button|A|2\n  generic||1\n    StaticText|Click"),
            [
                r#"1 Item list "L" in -1"#,
                r#"3 Operable button "A" in 0"#,
                r#"4 Operable generic "" in -1"#,
                r#"5 Text text "Click" in 2"#
            ]
        );
    }

    #[test]
    fn text_goes_on_through_what_is_ignored_and_is_not_said_twice() {
        assert_eq!(
            told(
                "RootWebArea|\n  paragraph|\n    StaticText|Do \n    -none|\n      StaticText|it\n    link|now|2\n      StaticText|now\n    StaticText|.\n  paragraph|\n    StaticText|End"
            ),
            [
                r#"2 Text text "Do it" in -1"#,
                r#"5 Operable link "now" in -1"#,
                r#"7 Text text "." in -1"#,
                r#"9 Text text "End" in -1"#
            ]
        );
    }

    #[test]
    fn what_is_in_a_closed_control_is_said_by_it_alone() {
        assert_eq!(told("combobox|Fruit|2\n  option|Apple|2"), [r#"0 Operable combobox "Fruit" in -1"#]);
    }
}
