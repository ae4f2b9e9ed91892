//! Outlines of pruned trees as text, and one put into another.

use super::prune::Pruned;
use handeye_scene::{AxNode, Ref};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

/// An id as outlines show it: the document's place in the snapshot, and the node's number.
pub fn encode(ordinal: usize, backend: i64) -> String {
    format!("{ordinal}-{backend}")
}

/// One line: `[id] role: name`, indented by its level.
pub fn line(out: &mut String, level: usize, id: Option<&str>, role: &str, name: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.extend(std::iter::repeat_n("  ", level));
    if let Some(id) = id {
        let _ = write!(out, "[{id}] ");
    }
    out.push_str(role);
    if !name.is_empty() {
        let _ = write!(out, ": {name}");
    }
}

/// The outline of a document.
pub fn outline(pruned: &Pruned, nodes: &[AxNode], ordinal: usize) -> String {
    let mut out = String::new();
    for (kept, level) in pruned.walk() {
        let id = nodes[kept.source].backend.map(|b| encode(ordinal, b));
        line(&mut out, level, id.as_deref(), &kept.role, &kept.name);
    }
    out
}

/// The id at the start of a line, after its indentation.
fn id_of(line: &str) -> Option<&str> {
    line.trim_start_matches(' ').strip_prefix('[')?.split_once(']').map(|(id, _)| id)
}

/// Puts outlines below the lines that show them, by id, and what stands in those likewise. Each is put in once; gives the
/// ids that were found.
pub fn inject(root: &str, inner: &HashMap<String, String>) -> (String, HashSet<String>) {
    let mut out = String::with_capacity(root.len());
    let mut found = HashSet::new();
    let mut stack = vec![(root.lines(), 0)];
    while let Some((lines, indent)) = stack.last_mut() {
        let Some(line) = lines.next() else {
            stack.pop();
            continue;
        };
        let indent = *indent;
        if !out.is_empty() {
            out.push('\n');
        }
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str(line);
        let own = line.len() - line.trim_start_matches(' ').len();
        if let Some((id, below)) = id_of(line).and_then(|id| Some((id, inner.get(id)?)))
            && found.insert(id.to_owned())
        {
            stack.push((below.lines(), indent + own + 2));
        }
    }
    (out, found)
}

/// An outline with the numbers of targets behind the ids: `[0-15] [12] button: Save`.
pub fn with_refs(outline: &str, refs: &BTreeMap<String, Ref>) -> String {
    let mut out = String::with_capacity(outline.len());
    for line in outline.lines() {
        if !out.is_empty() {
            out.push('\n');
        }
        match id_of(line).and_then(|id| Some((id, refs.get(id)?))) {
            Some((id, number)) => {
                let at = line.len() - line.trim_start_matches(' ').len() + id.len() + 2;
                let _ = write!(out, "{} {number}{}", &line[..at], &line[at..]);
            }
            None => out.push_str(line),
        }
    }
    out
}
