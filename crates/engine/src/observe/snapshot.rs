//! From a capture to what the agent is shown: numbered targets in an outline of readable text.

use crate::observe::collapse::{self, Stretch};
use crate::observe::cost;
use crate::observe::memory::Memory;
use crate::observe::outline::{NOTICE, PLAIN, TITLE};
use crate::observe::pages;
use crate::observe::view::{Item, Line, OutlineRow, Says, View, is_operable, said, shown, target};
use crate::wording::shown::ADDRESS;
use handeye_scene::{
    Capture, Code, DocumentInfo, Generation, NativeId, Node, NodeKind, Notice, Page, Problem, Ref, Snapshot, State,
    Target,
};
use std::collections::{HashMap, HashSet};

/// From so many on, covered targets are counted instead of listed: a dialog lies over the page, and they wait behind it.
const COVERED_MANY: usize = 8;

/// Kind of the notice that a window takes no input before a dialog is closed: what is in it is counted, however few.
const BARRED: &str = "barred";

/// What to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Show {
    /// Numbers for every named node, not only for what can be operated.
    pub all: bool,
    /// Only what lies in the viewport.
    pub visible: bool,
    /// A part of the page was asked for: what is off-screen in it too.
    pub part: bool,
    /// Only what is listed from the first of these elements to the last.
    pub stretch: Option<(NativeId, NativeId)>,
    /// At most so many characters, more is folded; none: everything.
    pub budget: Option<usize>,
    /// This page of the list, from 1, instead of folds.
    pub page: Option<usize>,
    /// Characters of one name or text.
    pub text: usize,
}

/// Shows a capture: numbers what is shown, notes it as last shown, and counts what is left out. Fails only when a page of
/// the list is asked for that it doesn't have.
pub fn see(
    capture: &Capture,
    memory: &mut Memory,
    show: Show,
    generation: Generation,
    timestamp: String,
) -> Result<View, Problem> {
    let covered = capture.nodes.iter().filter(|n| is_operable(n) && n.states.has(State::Covered)).count();
    let is_barred = covered > 0 && capture.notices.iter().any(|n| n.kind == BARRED);
    let folds_covered = !show.all && !show.part && (covered >= COVERED_MANY || is_barred);
    let sifted = sift(capture, show, folds_covered);
    let mut rows = sifted.rows;
    if let Some((first, last)) = show.stretch {
        rows = within(capture, rows, first, last).ok_or_else(|| {
            let number = memory.refs.fold(first, last, "");
            let what = memory.refs.get(number).map(|k| k.shown.name.clone()).unwrap_or_default();
            gone(number, &what)
        })?;
    }
    let (stretches, page) = match (show.page, show.budget) {
        (Some(number), budget) => {
            let page = pages::page(&mut rows, number, budget.unwrap_or(usize::MAX))?;
            (Vec::new(), Some(page))
        }
        (None, Some(budget)) => {
            (collapse::plan(capture, &rows, budget.saturating_sub(overhead(capture)), show.all), None)
        }
        (None, None) => (Vec::new(), None),
    };
    let mut notices = capture.notices.clone();
    if folds_covered {
        let what = if covered == 1 { "1 target is".to_owned() } else { format!("{covered} targets are") };
        let notice = Notice::new("covered", format!("{what} covered by what lies on top"));
        notices.push(notice.hint("handeye state --all"));
    }
    let mut listing =
        Listing { capture, memory, targets: Vec::new(), folds: Vec::new(), lines: Vec::new(), listed: HashMap::new() };
    listing.list(&rows, &stretches);
    let Listing { targets, folds, lines, .. } = listing;
    let documents = capture
        .documents
        .iter()
        .map(|d| DocumentInfo {
            id: d.id,
            url: d.url.clone(),
            origin: d.origin.clone(),
            parent_ref: d.owner.and_then(|o| memory.refs.number(o)),
        })
        .collect();
    let snapshot = Snapshot {
        surface: capture.surface.clone(),
        window: capture.window.clone(),
        process: capture.process.clone(),
        url: capture.url.clone(),
        title: capture.title.clone(),
        timestamp,
        screenshot: None,
        annotated_screenshot: None,
        annotation: None,
        generation,
        viewport: capture.viewport,
        scale: capture.scale.or((capture.surface == "desktop").then_some(1.0)),
        documents,
        targets,
        omitted: sifted.omitted + folds.iter().map(|f| f.targets).sum::<usize>(),
        folds,
        page: page.filter(|p: &Page| p.of > 1),
        notices,
    };
    Ok(View { snapshot, viewport: capture.viewport, lines, texts_omitted: sifted.texts_omitted })
}

/// Characters of the first line and the notices, at most.
/// Characters that the lines before the first target take, at most.
fn overhead(capture: &Capture) -> usize {
    let notices: usize =
        capture.notices.iter().map(|n| n.kind.chars().count() + cost::quoted(&n.text, NOTICE) + 12).sum();
    cost::quoted(&capture.title, TITLE) + cost::quoted(&capture.url, ADDRESS) + 220 + notices
}

struct Sifted {
    rows: Vec<OutlineRow>,
    omitted: usize,
    texts_omitted: usize,
}

/// The nodes that get lines under the options in force, and how many don't.
fn sift(capture: &Capture, show: Show, folds_covered: bool) -> Sifted {
    let mut sifted = Sifted { rows: Vec::new(), omitted: 0, texts_omitted: 0 };
    // Depth at which a node's children stand.
    let mut depths = vec![0; capture.nodes.len()];
    for (index, node) in capture.nodes.iter().enumerate() {
        let depth = node.parent.map_or(0, |p| depths[p]);
        depths[index] = depth;
        let operable = is_operable(node);
        let number = node.id.filter(|_| operable || show.all);
        // An element that has a line of its own isn't numbered again for the text in it.
        let number = number.filter(|id| {
            node.kind != NodeKind::Text || !sifted.rows.iter().rev().take(50).any(|row| row.number == Some(*id))
        });
        if number.is_none() && is_said(capture, index, sifted.rows.last_mut(), show.text) {
            continue;
        }
        let away = node.states.has(State::Offscreen);
        // What is said outside the viewport is read when it is scrolled to, or asked for.
        let left_out = away && (show.visible || !operable && !show.all && !show.part);
        if left_out || folds_covered && node.states.has(State::Covered) {
            sifted.omitted += usize::from(operable);
            sifted.texts_omitted += usize::from(!operable && !node.name.is_empty());
            continue;
        }
        if number.is_none() && (node.name.is_empty() || repeats_image(capture, node, sifted.rows.last())) {
            continue;
        }
        // Only what nests content indents it; runs of text have none.
        depths[index] = depth + usize::from(node.kind != NodeKind::Text);
        sifted.rows.push(OutlineRow {
            node: index,
            number,
            depth,
            says: Says::Name,
            cost: cost::of(node, number.is_some(), depth, show.text),
        });
    }
    tell_all(capture, &mut sifted.rows, show.text);
    sifted
}

/// Has lines of targets without a name say all that these show, where no line inside tells of it: items of a list that are
/// clicked.
fn tell_all(capture: &Capture, rows: &mut [OutlineRow], limit: usize) {
    for at in 0..rows.len() {
        let next = rows.get(at + 1).map(|row| row.node);
        let row = &mut rows[at];
        let node = &capture.nodes[row.node];
        let Some(said) = node.extra.said.as_ref().filter(|said| !said.text.is_empty()) else { continue };
        let alone = !next.is_some_and(|next| collapse::is_inside(capture, next, row.node));
        if row.number.is_some() && row.says == Says::Name && node.name.is_empty() && alone {
            row.says = Says::All;
            row.cost += cost::quoted(&said.text, limit);
        }
    }
}

/// Whether a text is what the line before it says, whose target has no name: `generic "Open"` rather than two lines. That
/// line then holds it.
fn is_said(capture: &Capture, index: usize, last: Option<&mut OutlineRow>, limit: usize) -> bool {
    let node = &capture.nodes[index];
    let Some(last) = last.filter(|row| row.number.is_some() && row.says == Says::Name && node.parent == Some(row.node))
    else {
        return false;
    };
    let target = &capture.nodes[last.node];
    let plain = node.kind == NodeKind::Text && node.role == PLAIN && !node.name.is_empty();
    if !(plain && target.kind == NodeKind::Operable && target.name.is_empty() && index == last.node + 1) {
        return false;
    }
    last.says = Says::Inside;
    last.cost += cost::quoted(&node.name, limit);
    true
}

/// Whether a picture says only what the line before it says: galleries and avatars.
fn repeats_image(capture: &Capture, node: &Node, last: Option<&OutlineRow>) -> bool {
    let last = last.map(|row| &capture.nodes[row.node]);
    node.role == "img" && last.is_some_and(|l| l.name == node.name)
}

/// What a fold held is no longer there, or no longer in that order.
pub fn gone(number: Ref, what: &str) -> Problem {
    Problem::new(Code::Stale, format!("what {number} folded is no longer there as it was: {what}"))
        .hint("handeye state")
}

/// The rows from the first line of `first` to the last line in `last`, and what is said outside the viewport right before
/// and after them, which no state lists; none where these can't be found in this order.
fn within(capture: &Capture, rows: Vec<OutlineRow>, first: NativeId, last: NativeId) -> Option<Vec<OutlineRow>> {
    let at = |id: NativeId| move |n: &Node| n.id == Some(id);
    let from = capture.nodes.iter().position(at(first))?;
    let to = capture.nodes.iter().rposition(at(last)).filter(|to| from <= *to)?;
    let end =
        (to + 1..capture.nodes.len()).find(|i| !collapse::is_inside(capture, *i, to)).unwrap_or(capture.nodes.len());
    let holder = std::iter::successors(capture.nodes[from].parent, |up| capture.nodes[*up].parent)
        .find(|up| collapse::is_inside(capture, to, *up));
    let unlisted = |i: &usize| {
        let node = &capture.nodes[*i];
        !is_operable(node)
            && node.states.has(State::Offscreen)
            && holder.is_none_or(|holder| collapse::is_inside(capture, *i, holder))
    };
    let before = (0..from).rev().take_while(unlisted).count();
    let after = (end..capture.nodes.len()).take_while(unlisted).count();
    let mut rows: Vec<OutlineRow> =
        rows.into_iter().filter(|row| (from - before..end + after).contains(&row.node)).collect();
    // What they are in isn't listed with them.
    let outer = rows.iter().map(|row| row.depth).min().unwrap_or_default();
    rows.iter_mut().for_each(|row| row.depth -= outer);
    Some(rows)
}

/// Those of some elements of which it wasn't told what their rows are about.
pub fn lacking_rows(capture: &Capture, shown: impl IntoIterator<Item = NativeId>) -> Vec<NativeId> {
    if !capture.rows_left {
        return Vec::new();
    }
    let away = capture.nodes.iter().filter(|n| n.states.has(State::Offscreen) && n.extra.row.is_none());
    let lacking: HashSet<NativeId> = away.filter_map(|n| n.id).collect();
    shown.into_iter().filter(|id| lacking.contains(id)).collect()
}

struct Listing<'a> {
    capture: &'a Capture,
    memory: &'a mut Memory,
    targets: Vec<Target>,
    folds: Vec<handeye_scene::Fold>,
    lines: Vec<Line>,
    /// Which target a node is listed as.
    listed: HashMap<usize, usize>,
}

impl Listing<'_> {
    fn list(&mut self, rows: &[OutlineRow], stretches: &[Stretch]) {
        let mut stretches = stretches.iter().peekable();
        let mut at = 0;
        while at < rows.len() {
            match stretches.next_if(|s| s.rows.start == at) {
                Some(stretch) => {
                    at = stretch.rows.end;
                    self.fold(&rows[stretch.rows.clone()], stretch);
                }
                None => {
                    self.row(&rows[at]);
                    at += 1;
                }
            }
        }
    }

    fn row(&mut self, row: &OutlineRow) {
        let node = &self.capture.nodes[row.node];
        let mut extra = node.extra.clone();
        let item = match row.number {
            Some(id) => {
                extra.says = match row.says {
                    Says::Name => None,
                    Says::Inside => Some(said(self.capture, row.node)),
                    Says::All => node.extra.said.as_ref().map(|said| said.text.clone()),
                };
                let number = self.memory.refs.show_as(id, shown(self.capture, row.node));
                let around = self.around(node);
                let text = extra.says.clone().filter(|text| !text.is_empty() && node.name.is_empty());
                let target = target(node, id, number);
                self.targets.push(Target {
                    text: target.text.clone().or(text),
                    parent: around.map(|at| self.targets[at].r#ref),
                    depth: Some(around.and_then(|at| self.targets[at].depth).map_or(0, |depth| depth + 1)),
                    ..target
                });
                self.listed.insert(row.node, self.targets.len() - 1);
                Item::Target(self.targets.len() - 1)
            }
            None => Item::Text { role: node.role.clone(), text: node.name.clone(), level: node.extra.level },
        };
        self.lines.push(Line { depth: row.depth, document: node.document, parent: node.parent, item, extra });
    }

    /// The nearest listed target around a node.
    fn around(&self, node: &Node) -> Option<usize> {
        let mut up = node.parent;
        while let Some(at) = up {
            if let Some(target) = self.listed.get(&at) {
                return Some(*target);
            }
            up = self.capture.nodes.get(at)?.parent.filter(|above| *above < at);
        }
        None
    }

    fn fold(&mut self, rows: &[OutlineRow], stretch: &Stretch) {
        let Some(first) = rows.first() else { return };
        let node = &self.capture.nodes[first.node];
        let Some(fold) = collapse::describe(self.capture, rows, stretch, &mut self.memory.refs) else { return };
        self.folds.push(fold);
        let item = Item::Fold(self.folds.len() - 1);
        let extra = handeye_scene::Extra::default();
        self.lines.push(Line { depth: first.depth, document: node.document, parent: node.parent, item, extra });
    }
}
