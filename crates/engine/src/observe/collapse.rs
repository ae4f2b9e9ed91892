//! Folding: what is not listed, so that a long page stays readable, and how it can be opened. Nothing becomes unreachable.

use crate::observe::outline::cut;
use crate::observe::refs::RefTable;
use crate::observe::view::{OutlineRow, is_operable, said};
use handeye_scene::{Capture, DocumentId, Fold, NodeKind, State};
use std::collections::HashMap;
use std::ops::Range;

/// How many targets in a row outside the viewport are one line, however much room there is.
const AWAY_MANY: usize = 5;
/// A structure is repeated from so many like parts on.
const PARTS_MANY: usize = 5;
/// How many of them are listed.
const PARTS_SHOWN: usize = 3;
/// Nodes in one part, at most, that a repetition without a structure of its own is looked for.
const PART_NODES: usize = 24;
/// How alike two parts must be: shared roles, of 100.
const ALIKE: usize = 50;
/// Characters that the line of a fold takes at most.
const LINE: usize = 220;
/// Characters of what a fold's first and last lines say.
const SAID: usize = 30;

/// Rows that are folded into one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) rows: Range<usize>,
    /// How many like parts these rows are, and the role of one, if they are nothing else.
    pub(crate) parts: Option<(usize, String)>,
}

/// What to fold so that the rest takes at most `budget` characters. `all`: only that; otherwise also what is far away.
pub(crate) fn plan(capture: &Capture, rows: &[OutlineRow], budget: usize, all: bool) -> Vec<Stretch> {
    let mut plan = Plan::new(capture, rows);
    if !all {
        plan.fold_away();
    }
    // What the lines of the folds take shows only when they are made.
    let mut room = budget;
    for _ in 0..4 {
        plan.fold_parts(room);
        plan.fold_tail(room);
        let over = plan.total().saturating_sub(budget);
        if over == 0 {
            break;
        }
        room = room.saturating_sub(over);
    }
    plan.stretches()
}

/// A part of a repeated structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Part {
    run: usize,
    number: usize,
}

struct Plan<'a> {
    capture: &'a Capture,
    rows: &'a [OutlineRow],
    folded: Vec<bool>,
    /// Characters of what is listed.
    listed: usize,
    /// Stretches of folded rows, whatever documents they are of.
    stretches: usize,
    /// The outermost repeated structure that each row is a part of.
    parts: Vec<Option<Part>>,
    runs: Vec<Run>,
}

/// Like parts in a row.
#[derive(Debug)]
struct Run {
    /// Role of one, where it is one element.
    role: Option<String>,
    /// Rows of each.
    parts: Vec<Range<usize>>,
}

impl<'a> Plan<'a> {
    fn new(capture: &'a Capture, rows: &'a [OutlineRow]) -> Self {
        let runs = Tree::new(capture, rows).runs();
        let mut parts = vec![None; rows.len()];
        // Outer structures come first and win.
        for (run, found) in runs.iter().enumerate() {
            for (number, range) in found.parts.iter().enumerate() {
                for row in range.clone() {
                    parts[row].get_or_insert(Part { run, number });
                }
            }
        }
        let listed = rows.iter().map(|row| row.cost).sum();
        Self { capture, rows, folded: vec![false; rows.len()], listed, stretches: 0, parts, runs }
    }

    fn fold(&mut self, row: usize) {
        if std::mem::replace(&mut self.folded[row], true) {
            return;
        }
        self.listed -= self.rows[row].cost;
        let is_folded = |at: Option<usize>| at.and_then(|at| self.folded.get(at)).is_some_and(|folded| *folded);
        let joined = usize::from(is_folded(row.checked_sub(1))) + usize::from(is_folded(Some(row + 1)));
        self.stretches = self.stretches + 1 - joined;
    }

    /// What [`Plan::total`] gives, where no two documents are folded side by side: then it is less.
    fn nearly(&self) -> usize {
        self.listed + LINE * self.stretches
    }

    fn is_away(&self, row: usize) -> bool {
        self.capture.nodes[self.rows[row].node].states.has(State::Offscreen)
    }

    fn document(&self, row: usize) -> DocumentId {
        self.capture.nodes[self.rows[row].node].document
    }

    /// Folds many targets in a row that are outside the viewport.
    fn fold_away(&mut self) {
        let mut start = 0;
        while start < self.rows.len() {
            let mut end = start;
            while end < self.rows.len() && self.is_away(end) && self.document(end) == self.document(start) {
                end += 1;
            }
            let targets = (start..end).filter(|i| is_operable(&self.capture.nodes[self.rows[*i].node])).count();
            if targets >= AWAY_MANY {
                (start..end).for_each(|row| self.fold(row));
            }
            start = end.max(start + 1);
        }
    }

    /// Folds parts of repeated structures but the first few, those that save most first.
    fn fold_parts(&mut self, budget: usize) {
        let mut total = self.nearly();
        let mut savings: Vec<(usize, usize)> = (0..self.runs.len()).map(|i| (self.saving(i), i)).collect();
        savings.sort_by_key(|(saving, run)| (std::cmp::Reverse(*saving), *run));
        for (_, run) in savings {
            if total <= budget {
                return;
            }
            let saving = self.saving(run);
            if saving <= LINE {
                continue;
            }
            for row in self.beyond(run) {
                self.fold(row);
            }
            total = self.nearly();
        }
    }

    fn saving(&self, run: usize) -> usize {
        self.beyond(run).into_iter().map(|row| self.rows[row].cost).sum()
    }

    /// The listed rows of a repeated structure but those of its first listed parts.
    fn beyond(&self, run: usize) -> Vec<usize> {
        let listed = self.runs[run].parts.iter().filter(|part| (part.start..part.end).any(|row| !self.folded[row]));
        listed.skip(PARTS_SHOWN).flat_map(Clone::clone).filter(|row| !self.folded[*row]).collect()
    }

    /// Folds from the end, what is outside the viewport first.
    fn fold_tail(&mut self, budget: usize) {
        let mut total = self.total();
        for away in [true, false] {
            for row in (0..self.rows.len()).rev() {
                if total <= budget {
                    return;
                }
                if !self.folded[row] && (!away || self.is_away(row)) {
                    self.fold(row);
                    total -= self.rows[row].cost;
                }
            }
        }
    }

    /// Characters of all that is listed, and of the folds.
    fn total(&self) -> usize {
        self.listed + LINE * self.folds().len()
    }

    fn folds(&self) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::new();
        for row in (0..self.rows.len()).filter(|i| self.folded[*i]) {
            match out.last_mut() {
                Some(last) if last.end == row && self.shows(self.document(last.start), self.document(row)) => {
                    last.end = row + 1;
                }
                _ => out.push(row..row + 1),
            }
        }
        out
    }

    /// Whether a document is another, or is shown inside it.
    fn shows(&self, outer: DocumentId, mut inner: DocumentId) -> bool {
        for _ in 0..64 {
            if inner == outer {
                return true;
            }
            match self.capture.documents.iter().find(|d| d.id == inner).and_then(|d| d.owner) {
                Some(owner) => inner = owner.document(),
                None => return false,
            }
        }
        false
    }

    fn stretches(&self) -> Vec<Stretch> {
        debug_assert_eq!(
            self.listed,
            (0..self.rows.len()).filter(|i| !self.folded[*i]).map(|i| self.rows[i].cost).sum::<usize>()
        );
        let folds = self.folds().into_iter();
        folds.map(|rows| Stretch { parts: self.parts_of(rows.clone()), rows }).collect()
    }

    /// The parts that these rows are, if they are all of one structure.
    fn parts_of(&self, rows: Range<usize>) -> Option<(usize, String)> {
        let first = self.parts[rows.start]?;
        let last = self.parts[rows.end - 1]?;
        let one = self.parts[rows].iter().all(|p| p.is_some_and(|p| p.run == first.run));
        let role = self.runs[first.run].role.clone()?;
        (one && last.number > first.number).then(|| (last.number - first.number + 1, role))
    }
}

/// The nodes as a tree, for finding what is repeated in it.
struct Tree<'a> {
    capture: &'a Capture,
    children: HashMap<Option<usize>, Vec<usize>>,
    /// End of each node's subtree.
    ends: Vec<usize>,
    /// How many rows stand before each node.
    before: Vec<usize>,
}

impl<'a> Tree<'a> {
    fn new(capture: &'a Capture, rows: &[OutlineRow]) -> Self {
        let count = capture.nodes.len();
        let mut before = vec![0; count + 1];
        for row in rows {
            before[row.node + 1] = 1;
        }
        for i in 0..count {
            before[i + 1] += before[i];
        }
        let mut ends: Vec<usize> = (1..=count).collect();
        let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (i, node) in capture.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                ends[parent] = ends[parent].max(ends[i]);
            }
        }
        for (i, node) in capture.nodes.iter().enumerate() {
            if before[ends[i]] > before[i] {
                children.entry(node.parent).or_default().push(i);
            }
        }
        Self { capture, children, ends, before }
    }

    fn rows(&self, first: usize, last: usize) -> Range<usize> {
        self.before[first]..self.before[self.ends[last]]
    }

    /// Every repeated structure, outer ones before those inside them.
    fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut parents: Vec<_> = self.children.keys().copied().collect();
        parents.sort_unstable();
        for parent in parents {
            let children = &self.children[&parent];
            let mut at = 0;
            while at + PARTS_MANY <= children.len() {
                let starts = self.run_at(children, at);
                at = starts.last().map_or(at + 1, |end| *end);
                if starts.is_empty() {
                    continue;
                }
                let single = starts.windows(2).all(|w| w[1] == w[0] + 1);
                let role = single.then(|| self.capture.nodes[children[starts[0]]].role.clone());
                let parts = starts.windows(2).map(|w| self.rows(children[w[0]], children[w[1] - 1])).collect();
                runs.push(Run { role, parts });
            }
        }
        runs
    }

    /// Where the like parts begin that the child at `at` begins the first of, and where the last ends; nothing, if they are
    /// too few.
    fn run_at(&self, children: &[usize], at: usize) -> Vec<usize> {
        let anchor = self.kind(children[at]);
        let mut starts = vec![at];
        let mut model: Option<Vec<u64>> = None;
        let mut from = at;
        loop {
            let end = (from + PART_NODES).min(children.len());
            let next = (from + 1..end).find(|i| self.kind(children[*i]) == anchor);
            // The last part is as long as the one before it.
            let usual = match starts[..] {
                [.., a, b] => b - a,
                _ => 1,
            };
            let stop = next.unwrap_or_else(|| (from + usual).min(children.len()));
            let profile = self.profile(&children[from..stop]);
            let itself = is_part(&self.capture.nodes[children[from]].role);
            if !itself && model.as_ref().is_some_and(|m| alike(m, &profile) < ALIKE) {
                break;
            }
            model.get_or_insert(profile);
            starts.push(stop);
            if next.is_none() {
                break;
            }
            from = stop;
        }
        if starts.len() > PARTS_MANY { starts } else { Vec::new() }
    }

    fn kind(&self, node: usize) -> u64 {
        let node = &self.capture.nodes[node];
        let kind = match node.kind {
            NodeKind::Text => 0,
            NodeKind::Item => 1,
            NodeKind::Operable => 2,
            NodeKind::Frame => 3,
        };
        // FNV-1a
        node.role.bytes().fold(0xcbf2_9ce4_8422_2325 ^ kind, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    }

    /// What a part is made of, sorted.
    fn profile(&self, nodes: &[usize]) -> Vec<u64> {
        let inside = nodes.iter().flat_map(|n| *n..self.ends[*n]);
        let mut profile: Vec<u64> = inside.take(2 * PART_NODES).map(|n| self.kind(n)).collect();
        profile.sort_unstable();
        profile
    }
}

/// Roles of elements that are parts of something by what they are.
fn is_part(role: &str) -> bool {
    matches!(role, "row" | "listitem" | "option" | "article" | "treeitem" | "menuitem")
}

/// What two sorted profiles share, of 100.
fn alike(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, shared) = (i + 1, j + 1, shared + 1),
        }
    }
    200 * shared / (a.len() + b.len()).max(1)
}

/// Whether a node lies inside another.
pub(crate) fn is_inside(capture: &Capture, node: usize, outer: usize) -> bool {
    let mut at = capture.nodes[node].parent;
    while let Some(parent) = at.filter(|p| *p >= outer) {
        if parent == outer {
            return true;
        }
        at = capture.nodes[parent].parent;
    }
    false
}

/// The fold that these rows are shown as; none, if it could not be opened.
pub(crate) fn describe(capture: &Capture, rows: &[OutlineRow], stretch: &Stretch, refs: &mut RefTable) -> Option<Fold> {
    let nodes = || rows.iter().map(|row| &capture.nodes[row.node]);
    let document = nodes().next()?.document;
    let own = || rows.iter().filter(|row| capture.nodes[row.node].document == document);
    let first = own().find_map(|row| capture.nodes[row.node].id)?;
    let last = own().rev().find_map(|row| capture.nodes[row.node].id)?;
    let mut roles: Vec<String> = Vec::new();
    for node in nodes().filter(|n| is_operable(n)) {
        if !roles.contains(&node.role) {
            roles.push(node.role.clone());
        }
    }
    let saying = |row: &OutlineRow| Some(cut(&said(capture, row.node), SAID)).filter(|s| !s.trim().is_empty());
    let place = nodes().all(|n| n.states.has(State::Offscreen)).then(|| {
        let above = nodes().next().is_some_and(|n| n.rect.y < 0.0);
        if above { "above" } else { "below" }.to_owned()
    });
    let mut fold = Fold {
        r#ref: handeye_scene::Ref(0),
        document,
        targets: nodes().filter(|n| is_operable(n)).count(),
        parts: stretch.parts.as_ref().map(|p| p.0),
        role: stretch.parts.as_ref().map(|p| p.1.clone()),
        roles,
        first: rows.iter().find_map(saying).unwrap_or_default(),
        last: rows.iter().rev().find_map(saying).unwrap_or_default(),
        place,
    };
    fold.r#ref = refs.fold(first, last, &crate::observe::outline::fold_words(&fold));
    Some(fold)
}
