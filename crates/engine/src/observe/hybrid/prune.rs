//! From an accessibility tree as the browser tells it to the part that says something: structure that only nests is
//! lifted out, text that repeats a name is dropped. Two passes over the tree, whatever its shape.

use super::text::clean;
use handeye_scene::{AxNode, DomKind, DomNode};
use std::collections::HashMap;

/// A node that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Index in the tree it comes from.
    pub source: usize,
    /// Its role; `scrollable, ` before that of what scrolls, the tag where the role says nothing.
    pub role: String,
    /// Its name, on one line.
    pub name: String,
    /// Indices of its children, in [`Pruned::nodes`].
    pub children: Vec<usize>,
}

/// What is shown of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Parents before children.
    pub nodes: Vec<Kept>,
    /// Those at the top.
    pub roots: Vec<usize>,
}

impl Pruned {
    /// Every node that is shown, with its level, in order.
    pub fn walk(&self) -> impl Iterator<Item = (&Kept, usize)> {
        let mut stack: Vec<(usize, usize)> = self.roots.iter().rev().map(|i| (*i, 0)).collect();
        std::iter::from_fn(move || {
            let (at, level) = stack.pop()?;
            let kept = &self.nodes[at];
            stack.extend(kept.children.iter().rev().map(|c| (*c, level + 1)));
            Some((kept, level))
        })
    }
}

/// What the DOM says of a backend node; none when it isn't in the DOM that was read.
pub type Known<'a> = dyn Fn(i64) -> Option<&'a DomNode> + 'a;

/// Whether a role only nests.
pub fn is_structural(role: &str) -> bool {
    ["generic", "none", "inlinetextbox"].iter().any(|r| role.eq_ignore_ascii_case(r))
}

/// Prunes a tree, or the parts of it at and below `from`. `only_known` drops what isn't in the DOM that was read.
pub fn prune(nodes: &[AxNode], from: Option<&[usize]>, known: &Known<'_>, only_known: bool) -> Pruned {
    let order = in_order(nodes, from);
    let faces: Vec<Face> = order.iter().map(|step| face(&nodes[step.node], known, only_known)).collect();
    let stays = stays(&order, &faces);
    let mut out = Pruned::default();
    // For each step, the shown node that its children are shown in.
    let mut above: Vec<Option<usize>> = Vec::with_capacity(order.len());
    for (i, step) in order.iter().enumerate() {
        let outer = step.parent.and_then(|p| above[p]);
        if !stays[i] {
            above.push(outer);
            continue;
        }
        let index = out.nodes.len();
        let Face { role, name, .. } = faces[i].clone();
        out.nodes.push(Kept { source: step.node, role, name, children: Vec::new() });
        match outer {
            Some(outer) => out.nodes[outer].children.push(index),
            None => out.roots.push(index),
        }
        above.push(Some(index));
    }
    drop_repeated(nodes, &mut out);
    out
}

/// A step of the way through a tree: parents first, children in order, each node once.
struct Step {
    node: usize,
    /// Index of the parent's step.
    parent: Option<usize>,
}

fn in_order(nodes: &[AxNode], from: Option<&[usize]>) -> Vec<Step> {
    let by_id: HashMap<&str, usize> = nodes.iter().enumerate().map(|(i, n)| (n.id.as_str(), i)).collect();
    let mut seen = vec![false; nodes.len()];
    let mut stack: Vec<(usize, Option<usize>)> = match from {
        Some(from) => from.iter().rev().map(|i| (*i, None)).collect(),
        None => {
            let mut is_child = vec![false; nodes.len()];
            for child in nodes.iter().flat_map(|n| &n.children).filter_map(|c| by_id.get(c.as_str())) {
                is_child[*child] = true;
            }
            (0..nodes.len()).rev().filter(|i| !is_child[*i]).map(|i| (i, None)).collect()
        }
    };
    let mut out: Vec<Step> = Vec::with_capacity(nodes.len());
    while let Some((node, parent)) = stack.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        let at = out.len();
        out.push(Step { node, parent });
        stack.extend(nodes[node].children.iter().rev().filter_map(|c| Some((*by_id.get(c.as_str())?, Some(at)))));
    }
    out
}

/// Whether a node is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Shown,
    /// Only its children, if any.
    Lifted,
    /// Itself when it holds together at least so many.
    From(usize),
    Dropped,
}

#[derive(Debug, Clone)]
struct Face {
    role: String,
    name: String,
    fate: Fate,
}

fn face(node: &AxNode, known: &Known<'_>, only_known: bool) -> Face {
    let dom = node.backend.and_then(known);
    let name = clean(&node.name);
    let structural = node.ignored || is_structural(&node.role);
    let scrollable = dom.is_some_and(|d| d.scrollable);
    let tag = dom.filter(|d| d.kind == DomKind::Element).map(|d| d.name.as_str());
    let base = tag.filter(|_| structural).unwrap_or(&node.role);
    let role = if scrollable { format!("scrollable, {base}") } else { base.to_owned() };
    let fate = match node.role.as_str() {
        // What it says is said by the text that it is a line of.
        "InlineTextBox" | "LineBreak" => Fate::Dropped,
        "StaticText" if name.is_empty() => Fate::Dropped,
        _ if only_known && node.backend.is_some() && dom.is_none() => Fate::Lifted,
        _ if scrollable && structural => Fate::From(1),
        _ if node.ignored => Fate::Lifted,
        _ if structural && name.is_empty() => Fate::From(2),
        _ => Fate::Shown,
    };
    let fate = if fate == Fate::Lifted && node.role == "StaticText" { Fate::Dropped } else { fate };
    Face { role, name, fate }
}

/// Which steps are shown, from the leaves up.
fn stays(order: &[Step], faces: &[Face]) -> Vec<bool> {
    let mut inside = vec![0usize; order.len()];
    let mut stays = vec![false; order.len()];
    for i in (0..order.len()).rev() {
        stays[i] = match faces[i].fate {
            Fate::Shown => true,
            Fate::From(least) => inside[i] >= least,
            Fate::Lifted | Fate::Dropped => false,
        };
        let counts = if stays[i] { 1 } else { inside[i] };
        if let Some(parent) = order[i].parent {
            inside[parent] += counts;
        }
    }
    stays
}

/// Drops the texts in a node that together say no more than its name.
fn drop_repeated(nodes: &[AxNode], out: &mut Pruned) {
    for at in 0..out.nodes.len() {
        if out.nodes[at].name.is_empty() {
            continue;
        }
        let is_text = |child: &usize| nodes[out.nodes[*child].source].role == "StaticText";
        let said: String =
            out.nodes[at].children.iter().filter(|c| is_text(c)).map(|c| out.nodes[*c].name.as_str()).collect();
        if !said.is_empty() && without_space(&said) == without_space(&out.nodes[at].name) {
            let left = out.nodes[at].children.iter().copied().filter(|c| !is_text(c)).collect();
            out.nodes[at].children = left;
        }
    }
}

fn without_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
