//! One look at a window and at what belongs to it: its dialogs, menus and lists.

use super::apps::{Frame, frames, pair};
use super::bus::{ACCESSIBLE, Bus, Place, Unanswered};
use super::ids::Tree;
use super::surface::{Linux, Turned};
use super::tree::{self, Reading};
use super::windows::{Seen, process};
use crate::quirks::{Extents, Quirks};
use crate::record::{Record, node};
use crate::roles::{CHOICES, MENUS};
use handeye_scene::{
    Capture, Code, Document, DocumentId, NativeId, Node, NodeKind, Notice, Point, Problem, Rect, State, Want,
};
use x11rb::protocol::xproto::Window;

/// A window with its tree.
#[derive(Clone)]
pub(crate) struct Part {
    window: Option<Window>,
    pid: u32,
    frame: Frame,
    quirks: Quirks,
    reading: Reading,
    shift: (f64, f64),
}

impl Part {
    /// Whether all of it was read.
    pub(crate) fn is_whole(&self) -> bool {
        self.reading.partial.is_none()
    }
}

/// The window at the end of the chain of owners.
pub(crate) fn root_of(seen: &[Seen], window: &Seen) -> Window {
    let mut at = window;
    for _ in 0..16 {
        match at.owner.and_then(|o| seen.iter().find(|w| w.id == o)) {
            Some(owner) => at = owner,
            None => break,
        }
    }
    at.id
}

/// The modal dialog that keeps a person from a window, if one does: its own, or one that stands alone in its program.
pub(crate) fn barring<'a>(seen: &'a [Seen], window: &Seen) -> Option<&'a Seen> {
    let owned_by = |owned: &Seen, owner: Window| {
        let above = |at: &Window| seen.iter().find(|w| w.id == *at).and_then(|w| w.owner);
        std::iter::successors(owned.owner, above).take(16).any(|at| at == owner)
    };
    let is_above = |dialog: &&Seen| match dialog.owner {
        _ if dialog.id == window.id || owned_by(window, dialog.id) => false,
        Some(_) if window.modal => owned_by(dialog, window.id),
        Some(_) => root_of(seen, dialog) == root_of(seen, window),
        None => !window.modal && !window.popup && window.pid != 0 && dialog.pid == window.pid,
    };
    seen.iter().filter(|w| w.modal).find(is_above)
}

/// The window, its dialogs and popups, the topmost first.
pub(crate) fn group<'a>(seen: &'a [Seen], window: &Seen) -> Vec<&'a Seen> {
    let root = root_of(seen, window);
    let ours = |w: &&Seen| root_of(seen, w) == root || w.popup && (w.pid == window.pid || w.pid == 0 && window.focused);
    seen.iter().filter(ours).collect()
}

impl Linux {
    pub(crate) async fn look(&mut self, want: Want) -> Result<Capture, Problem> {
        self.held_to.clear();
        self.find_bus().await?;
        let seen = self.seen().await?;
        let turned = self.turned;
        if let Some(scope) = want.scope {
            self.turned = self.ids.tree(scope.document()).and_then(|t| t.window).map(Turned::to);
        }
        let current = self.current_of(&seen)?.clone();
        let mut capture = self.whole(&seen, &current, want.away).await?;
        if let Some(scope) = want.scope {
            crate::scope::keep_within(&mut capture, scope);
            self.turned = turned;
        }
        Ok(capture)
    }

    async fn whole(&mut self, seen: &[Seen], current: &Seen, rows: bool) -> Result<Capture, Problem> {
        let members = group(seen, current);
        let mut notices = Vec::new();
        let parts = self.parts(&members, current, rows, &mut notices).await?;
        let screen = self.display.run(|side| side.screen()).await.map_err(|e| e.problem("tell its size"))?;
        let root = seen.iter().find(|w| w.id == root_of(seen, current)).unwrap_or(current);
        let mut capture = Capture {
            surface: "desktop".into(),
            window: root.title.clone(),
            process: process(root.pid),
            url: root.handle(),
            title: root.title.clone(),
            viewport: screen,
            notices,
            ..Capture::default()
        };
        for part in parts {
            let window = part.window.and_then(|id| seen.iter().find(|w| w.id == id));
            let bar = window.and_then(|window| Some((window, barring(seen, window)?)));
            if let Some((window, dialog)) = bar {
                let text = format!("{:?} takes no input until {:?} is closed", window.title, dialog.title);
                capture.notices.push(Notice::new("barred", text));
            }
            self.add(&mut capture, part, (bar.is_some(), rows), seen, &members);
        }
        if capture.nodes.is_empty() && capture.notices.is_empty() {
            capture.notices.push(Notice::new(
                "empty",
                "the window shows nothing that could be named: handeye screenshot window.png",
            ));
        }
        Ok(capture)
    }

    /// The trees of the windows of a group, each read within its own limit.
    async fn parts(
        &mut self,
        members: &[&Seen],
        current: &Seen,
        rows: bool,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<Part>, Problem> {
        let mut pids: Vec<u32> = Vec::new();
        for pid in members.iter().map(|w| w.pid).filter(|p| *p != 0) {
            if !pids.contains(&pid) {
                pids.push(pid);
            }
        }
        let mut parts = Vec::new();
        for pid in pids {
            let windows: Vec<&Seen> =
                members.iter().filter(|w| w.pid == pid || w.pid == 0 && w.popup).copied().collect();
            let apps = self.apps_of(pid).await?;
            if apps.is_empty() {
                notices.push(no_tree(&windows, pid));
            }
            for app in apps {
                if let Some(same) = self.unchanged(&app, &windows, rows).await {
                    parts.extend(same);
                    continue;
                }
                let told = self.bus.told_by(&app.root.bus);
                let first = parts.len();
                let gone = |e: Unanswered| self.unanswered_of(e, pid, members);
                let all = frames(&self.bus, &app).await.map_err(gone)?;
                let shown = all
                    .into_iter()
                    .filter(|f| f.record.shows(app.quirks) || f.record.role == crate::roles::FRAME)
                    .collect();
                let (pairs, rest) = pair(&windows, shown);
                let mut cache =
                    if app.quirks.cache { super::bulk::cache(&self.bus, &app.root).await.map_err(gone)? } else { None };
                let loose = rest.into_iter().filter_map(|f| Some((popup_of(&windows, &f)?, f)));
                let mut pairs: Vec<(usize, Frame)> = pairs.into_iter().chain(loose).collect();
                pairs.sort_by_key(|p| p.0);
                for (i, frame) in pairs {
                    let window = windows[i];
                    let mut reading =
                        tree::read(&self.bus, &frame.place, cache.as_mut(), app.quirks, rows).await.map_err(gone)?;
                    if let Some(partial) = &reading.partial {
                        notices.push(Notice::new("partial", format!("of {:?}, {partial}", window.title)));
                    }
                    let quirks = app.quirks;
                    let open = super::popovers::take(&mut reading, &frame.place, quirks, &windows);
                    let open = open.into_iter().map(|(i, frame, reading)| (windows[i], frame, reading));
                    parts.extend(std::iter::once((window, frame, reading)).chain(open).map(
                        |(window, frame, reading)| {
                            let shift = shift(window, frame.record.rect, quirks);
                            Part { window: Some(window.id), pid, frame, quirks, reading, shift }
                        },
                    ));
                }
                self.kept.keep(&app, (&windows, rows), told, &parts[first..]);
            }
        }
        let has_current = parts.iter().any(|p| p.window == Some(current.id));
        if !has_current && notices.is_empty() {
            notices.push(no_tree(&[current], current.pid));
        }
        Ok(parts)
    }

    /// Why an app didn't answer, of which a dialog may be open: GTK 3 doesn't while an accessible action of its waits for one.
    /// Keys are of no use then: it tells of each before it takes it, and is not heard.
    pub(super) fn unanswered_of(&self, why: Unanswered, pid: u32, members: &[&Seen]) -> Problem {
        let late = why == Unanswered::Late;
        let mut problem = self.unanswered(why, pid);
        if let Some(dialog) = members.iter().find(|w| w.modal && w.pid == pid && late) {
            problem.message.push_str(&format!("; it waits for its dialog {:?}", dialog.title));
            problem = problem.hint(format!("handeye close --window {}", dialog.handle()));
        }
        problem
    }

    /// Adds the nodes of one window.
    fn add(
        &mut self,
        capture: &mut Capture,
        part: Part,
        (barred, rows): (bool, bool),
        seen: &[Seen],
        members: &[&Seen],
    ) {
        let Part { window, pid, frame, quirks, mut reading, shift } = part;
        let document = self.ids.document(Tree { frame: frame.place.clone(), window, pid, quirks });
        capture.documents.push(Document {
            id: document,
            url: window.map(|w| format!("{w:#x}")).unwrap_or_default(),
            origin: process(pid),
            owner: None,
        });
        let own = window.and_then(|id| seen.iter().find(|w| w.id == id));
        self.leave_out_doubted(capture, &frame.place, &mut reading.records);
        let said = super::names::fill(&mut reading.records, quirks);
        let mut in_menu = vec![false; reading.records.len()];
        let mut nodes: Vec<Option<usize>> = vec![None; reading.records.len()];
        let mut bounds: Vec<Option<Rect>> = vec![None; reading.records.len()];
        for i in 0..reading.records.len() {
            let above = reading.records[i].parent;
            let holds = above.is_some_and(|p| {
                in_menu[p] || MENUS.contains(&reading.records[p].role) || CHOICES.contains(&reading.records[p].role)
            });
            in_menu[i] = holds;
            let record = &mut reading.records[i];
            if let Some(rect) = &mut record.rect {
                (rect.x, rect.y) = (rect.x + shift.0, rect.y + shift.1);
            }
            let within = above.and_then(|p| bounds[p]);
            bounds[i] = super::hit::bound(record, within, quirks);
            let parent_path = above.map_or_else(String::new, |p| reading.records[p].path.clone());
            let record = &reading.records[i];
            let parent = above.and_then(|p| nodes[p]);
            let id = self.ids.number(document, &record.path, record.role, &parent_path);
            let doubled = quirks.class_names && wraps_a_button(&reading.records, i);
            // A cell that is out of sight is nowhere in some toolkits, and scrolled to.
            let away = rows && !holds && record.role == crate::roles::CELL && record.rect.is_none();
            let made = node(record, id, document, parent, quirks)
                .filter(|n| !doubled && !said[i] && (is_told(n, record, quirks, above.is_none()) || away));
            nodes[i] = match made {
                Some(mut made) => {
                    mark_place(&mut made, within, own, seen, members, holds, capture.viewport);
                    if away {
                        made.states = made.states.with(State::Offscreen);
                    }
                    if barred && above.is_some() && !made.states.has(State::Offscreen) {
                        made.states = made.states.with(State::Covered);
                    }
                    capture.nodes.push(made);
                    Some(capture.nodes.len() - 1)
                }
                None => parent,
            };
        }
    }

    /// Elements with this accessible id.
    pub(crate) async fn by_accessible_id(&mut self, id: &str) -> Result<Vec<NativeId>, Problem> {
        self.told(id, async |bus, place| tree::accessible_id(bus, place).await).await
    }

    /// Elements of this class.
    pub(crate) async fn by_class(&mut self, class: &str) -> Result<Vec<NativeId>, Problem> {
        self.told(class, async |bus, place| tree::class(bus, place).await).await
    }

    /// Elements that a call tells this text of.
    async fn told(
        &mut self,
        text: &str,
        ask: impl AsyncFn(&Bus, &Place) -> Option<String>,
    ) -> Result<Vec<NativeId>, Problem> {
        let capture = self.look(Want::default()).await?;
        let asked = capture.nodes.iter().filter_map(|n| n.id).map(|native| (native, self.ids.get(native).cloned()));
        let (bus, ask) = (&self.bus, &ask);
        let looks = asked.map(async |(native, known)| {
            let place = super::cells::resolve(bus, &known?.place).await.ok()?;
            (ask(bus, &place).await.as_deref() == Some(text)).then_some(native)
        });
        Ok(futures_util::future::join_all(looks).await.into_iter().flatten().collect())
    }

    /// The element that has the keyboard, if it is in the current window or one that belongs to it: what is typed goes there,
    /// whichever other window has the keyboard by now.
    pub(crate) async fn has_keyboard(&mut self) -> Result<Option<NativeId>, Problem> {
        let seen = self.seen().await?;
        let Some(active) = seen.iter().find(|w| w.focused).cloned() else { return Ok(None) };
        let current = root_of(&seen, self.current_of(&seen)?);
        if root_of(&seen, &active) != current {
            return Ok(None);
        }
        let whole = self.whole(&seen, &active, false).await?;
        let is_own = |w: Window| w == active.id || seen.iter().any(|s| s.id == w && s.popup);
        let own = |n: &&Node| self.ids.tree(n.document).and_then(|t| t.window).is_some_and(is_own);
        let focused = whole.nodes.iter().filter(|n| n.states.has(State::Focused)).rfind(own);
        Ok(focused.and_then(|n| n.id))
    }

    /// The smallest element at a place, of the window that a pointer would hit there.
    pub(crate) async fn innermost_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        let seen = self.seen().await?;
        let top =
            self.display.run(move |side| side.top_at(point)).await.map_err(|e| e.problem("tell what is there"))?;
        let Some(window) = top.and_then(|top| seen.iter().find(|w| w.top == top)).cloned() else { return Ok(None) };
        let whole = self.whole(&seen, &window, false).await?;
        let own = |d: DocumentId| self.ids.tree(d).is_some_and(|t| t.window == Some(window.id) || window.popup);
        let holds = |n: &&Node| {
            n.id.is_some()
                && n.rect.width > 0.0
                && contains(n.rect, point)
                && own(n.document)
                && n.kind != NodeKind::Text
        };
        let area = |n: &&Node| n.rect.width * n.rect.height;
        let inner = whole.nodes.iter().filter(holds).min_by(|a, b| area(a).total_cmp(&area(b)));
        Ok(inner.and_then(|n| n.id))
    }
}

/// A tree that belongs to no window of its own: a popup's, where it lies in one.
fn popup_of(windows: &[&Seen], frame: &Frame) -> Option<usize> {
    let center = frame.record.rect?.center();
    windows.iter().position(|w| w.popup && contains(w.rect, center))
}

/// From a toolkit's extents to the screen's.
pub(crate) fn shift(window: &Seen, frame: Option<Rect>, quirks: Quirks) -> (f64, f64) {
    match (quirks.extents, frame) {
        (Extents::Surface, Some(rect)) => (
            window.rect.x + (window.rect.width - rect.width) / 2.0 - rect.x,
            window.rect.y + (window.rect.height - rect.height) / 2.0 - rect.y,
        ),
        _ => (0.0, 0.0),
    }
}

fn no_tree(windows: &[&Seen], pid: u32) -> Notice {
    let title = windows.first().map(|w| w.title.as_str()).unwrap_or_default();
    Notice::new(
        "no_tree",
        format!(
            "{} ({title:?}) shows no accessibility tree: start it anew by handeye launch, or act on places by handeye click-at",
            process(pid)
        ),
    )
}

/// Whether a node is worth telling: what has no place and no name can't be seen or named.
fn is_told(node: &Node, record: &Record, quirks: Quirks, top: bool) -> bool {
    let placed = record.rect.is_some();
    if top {
        return true;
    }
    placed || !quirks.showing_missing && !node.name.is_empty() && node.kind != NodeKind::Operable
}

/// GTK 4 wraps the button that drops a menu down in another one of the same name, which does nothing.
fn wraps_a_button(records: &[Record], at: usize) -> bool {
    const BUTTONS: [u32; 2] = [43, 62];
    let inner = records.get(at + 1).is_some_and(|r| r.parent == Some(at) && BUTTONS.contains(&r.role));
    inner && BUTTONS.contains(&records[at].role) && !records[at].is_active()
}

/// Where an object is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// As its toolkit tells it.
    told: Rect,
    /// On the screen.
    pub(super) screen: Rect,
    /// How many events its app had sent by then.
    pub(super) since: u64,
}

impl Standing {
    /// Whether it leaves a place of the screen that it held, now that its toolkit tells this of it.
    pub(super) fn leaves(&self, at: Point, told: Rect) -> bool {
        let by = (self.screen.x - self.told.x, self.screen.y - self.told.y);
        contains(self.screen, at) && !contains(super::hit::moved(told, by), at)
    }
}

pub(crate) fn contains(rect: Rect, p: Point) -> bool {
    p.x >= rect.x && p.y >= rect.y && p.x < rect.x + rect.width && p.y < rect.y + rect.height
}

/// Says of a node that it is covered, or not on the screen.
fn mark_place(
    node: &mut Node,
    within: Option<Rect>,
    own: Option<&Seen>,
    seen: &[Seen],
    members: &[&Seen],
    in_menu: bool,
    screen: Rect,
) {
    let part = within.filter(|_| node.rect.width > 0.0).map_or(Some(node.rect), |w| super::hit::both(w, node.rect));
    let Some(part) = part else {
        node.states = node.states.with(State::Offscreen);
        return;
    };
    let center = part.center();
    let on_top = seen.iter().find(|w| w.is_shown() && contains(w.outer, center));
    let is_own =
        |w: &Seen| own.is_some_and(|o| o.id == w.id) || w.popup && in_menu && members.iter().any(|m| m.id == w.id);
    let inside = own.is_none_or(|o| contains(o.outer, center)) || on_top.is_some_and(is_own);
    if !contains(screen, center) || !inside || own.is_some_and(|o| !o.is_shown()) {
        node.states = node.states.with(State::Offscreen);
    } else if !on_top.is_none_or(is_own) {
        node.states = node.states.with(State::Covered);
    }
}

impl Linux {
    /// The place of a document's window tree, and its window.
    pub(crate) fn tree_of(&self, id: NativeId) -> Result<Tree, Problem> {
        self.ids
            .tree(id.document())
            .cloned()
            .ok_or_else(|| Problem::new(Code::Stale, "its window is gone").hint("handeye state"))
    }

    /// An object's screen rectangle, from its toolkit's.
    pub(crate) async fn on_screen(&self, tree: &Tree, seen: &[Seen], place: &Place, record: &Record) -> Option<Rect> {
        Some(self.standing(tree, seen, place, record).await?.screen)
    }

    /// The same, beside what the toolkit tells.
    pub(super) async fn standing(
        &self,
        tree: &Tree,
        seen: &[Seen],
        place: &Place,
        record: &Record,
    ) -> Option<Standing> {
        if !tree.quirks.places_held {
            // What it has still to tell of what was before has come with the answer.
            let _ = self.bus.ask::<_, u32>(place, ACCESSIBLE, "GetRole", &()).await;
        }
        let since = self.bus.told_by(&place.bus);
        let told = super::cells::extents(&self.bus, place, record).await?;
        if tree.quirks.extents == Extents::Screen {
            return Some(Standing { told, screen: told, since });
        }
        seen.iter().find(|w| Some(w.id) == tree.window)?;
        let screen = super::hit::moved(told, self.shift_of(tree, seen).await);
        Some(Standing { told, screen, since })
    }
}
