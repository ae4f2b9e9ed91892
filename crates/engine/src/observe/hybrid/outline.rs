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

/// The lines of one page of an outline, from 1, with how many pages there are: each holds as many lines as take `budget` characters,
/// at least one. None: there is no such page.
pub fn page(outline: &str, number: usize, budget: usize) -> Option<(String, usize)> {
    let mut pages: Vec<String> = vec![String::new()];
    for line in outline.lines() {
        let is_full = pages.last().is_some_and(|page| !page.is_empty() && page.len() + 1 + line.len() > budget);
        if is_full {
            pages.push(String::new());
        }
        if let Some(page) = pages.last_mut() {
            if !page.is_empty() {
                page.push('\n');
            }
            page.push_str(line);
        }
    }
    let of = pages.len();
    let page = number.checked_sub(1).filter(|at| *at < of).map(|at| pages.swap_remove(at))?;
    Some((page, of))
}

/// An outline with the descriptions of nodes at the end of their lines.
pub fn with_descriptions(outline: &str, descriptions: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(outline.len());
    for line in outline.lines() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
        if let Some(description) = id_of(line).and_then(|id| descriptions.get(id)) {
            let _ = write!(out, " ({description})");
        }
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_cut_into_pages_of_whole_lines() {
        let outline = "[0-1] a\n  [0-2] bb\n[0-3] c";
        assert_eq!(page(outline, 1, 1000), Some((outline.to_owned(), 1)));
        assert_eq!(page(outline, 1, 20), Some(("[0-1] a\n  [0-2] bb".to_owned(), 2)));
        assert_eq!(page(outline, 2, 20), Some(("[0-3] c".to_owned(), 2)));
        assert_eq!(page(outline, 2, 1), Some(("  [0-2] bb".to_owned(), 3)), "a line is never cut");
        for none in [0, 4, usize::MAX] {
            assert_eq!(page(outline, none, 1), None);
        }
        assert_eq!(page("", 1, 10), Some((String::new(), 1)));
    }

    #[test]
    fn descriptions_stand_at_the_end_of_their_lines() {
        let descriptions = [("0-2".to_owned(), "opens a menu".to_owned())].into();
        let shown = with_descriptions("[0-1] a\n  [0-2] button: b", &descriptions);
        assert_eq!(shown, "[0-1] a\n  [0-2] button: b (opens a menu)");
    }
}
