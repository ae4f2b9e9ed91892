//! Finding targets by what they are and say.

use crate::matching::{contains, normalize};
use handeye_scene::Mask;
use handeye_scene::{Capture, Node, NodeKind, Rect};
use std::collections::HashSet;

/// What to look for; every member that is given must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Stands in the name, value, placeholder or title, as an expectation would.
    pub text: Option<String>,
    /// ARIA role.
    pub role: Option<String>,
    /// Accessible name, as an expectation; of what has none, all that it says.
    pub name: Option<String>,
    /// Name of a form control.
    pub label: Option<String>,
    /// Placeholder.
    pub placeholder: Option<String>,
    /// Its middle lies in here.
    pub within: Option<Rect>,
}

impl Filter {
    /// Whether `node`, as it is shown, is sought.
    pub fn holds(&self, node: &Node, mask: &Mask) -> bool {
        let said = |wanted: &Option<String>, texts: &[Option<&str>]| {
            wanted.as_deref().is_none_or(|w| texts.iter().flatten().any(|t| contains(&mask.of(t), w)))
        };
        let extra = &node.extra;
        said(
            &self.text,
            &[
                Some(&node.name),
                node.value.as_deref(),
                extra.placeholder.as_deref(),
                extra.title.as_deref(),
                extra.hint.as_deref(),
            ],
        ) && self.name.as_deref().is_none_or(|name| is_called(node, name, mask))
            && said(&self.placeholder, &[extra.placeholder.as_deref()])
            && (self.label.is_none() || is_control(&node.role) && said(&self.label, &[Some(&node.name)]))
            && self.role.as_deref().is_none_or(|r| r.eq_ignore_ascii_case(&node.role))
            && self.within.is_none_or(|area| node.rect.centered_in(&area))
    }

    /// Indices of the nodes that are sought: operable ones, or, if none of those, named things to read, or, if none of those
    /// either, texts.
    pub fn find(&self, capture: &Capture, mask: &Mask) -> Vec<usize> {
        let all: Vec<usize> = (0..capture.nodes.len())
            .filter(|i| capture.nodes[*i].id.is_some() && self.holds(&capture.nodes[*i], mask))
            .collect();
        let all = if self.name.is_some() { innermost(capture, all) } else { all };
        let kind = |i: &usize| capture.nodes[*i].kind;
        let operable = |i: &usize| matches!(kind(i), NodeKind::Operable | NodeKind::Frame);
        let named = |i: &usize| kind(i) != NodeKind::Text;
        if self.role.is_none() && all.iter().any(operable) {
            all.into_iter().filter(operable).collect()
        } else if all.iter().any(named) {
            all.into_iter().filter(named).collect()
        } else {
            all
        }
    }

    /// Of the nodes found, those whose name is exactly the sought one, if there are any: `Save` rather than `Save all`.
    pub fn closest(&self, capture: &Capture, found: Vec<usize>, mask: &Mask) -> Vec<usize> {
        let Some(name) = self.name.as_deref().or(self.label.as_deref()).or(self.text.as_deref()).map(normalize) else {
            return found;
        };
        let by_name = self.name.is_some();
        let shows = |i: &usize| {
            let node = &capture.nodes[*i];
            let text = if by_name { called(node) } else { &node.name };
            normalize(&mask.of(text)) == name
        };
        let exact: Vec<usize> = found.iter().copied().filter(shows).collect();
        if exact.is_empty() { found } else { exact }
    }
}

/// What a target is called: its name, or, where it has none, what it says.
fn called(node: &Node) -> &str {
    match &node.extra.said {
        Some(said) if node.name.is_empty() && node.kind != NodeKind::Text => &said.text,
        _ => &node.name,
    }
}

/// Whether a name is a target's: as an expectation, or, of what has none, all that it says, as it is of a text. A word of that
/// is none.
fn is_called(node: &Node, name: &str, mask: &Mask) -> bool {
    let is_all = |text: &str| normalize(&mask.of(text)) == normalize(name);
    match &node.extra.said {
        _ if node.kind == NodeKind::Text => is_all(&node.name),
        Some(said) if node.name.is_empty() => !said.cut && is_all(&said.text),
        _ => contains(&mask.of(&node.name), name),
    }
}

/// What has no name says what everything in it says: of several that are found so, one inside the other, the innermost is
/// meant.
fn innermost(capture: &Capture, found: Vec<usize>) -> Vec<usize> {
    let mut around = HashSet::new();
    for i in found.iter().filter(|i| capture.nodes[**i].kind != NodeKind::Text) {
        let mut at = capture.nodes[*i].parent;
        while let Some(up) = at.filter(|up| around.insert(*up)) {
            at = capture.nodes[up].parent;
        }
    }
    let is_outer = |i: &usize| capture.nodes[*i].name.is_empty() && around.contains(i);
    found.into_iter().filter(|i| !is_outer(i)).collect()
}

fn is_control(role: &str) -> bool {
    matches!(
        role,
        "textbox"
            | "searchbox"
            | "combobox"
            | "listbox"
            | "checkbox"
            | "radio"
            | "switch"
            | "slider"
            | "spinbutton"
            | "button"
            | "date"
            | "time"
            | "color"
    )
}
