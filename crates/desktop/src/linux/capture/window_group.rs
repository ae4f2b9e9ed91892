//! One look at a window and at what belongs to it: its dialogs, menus and lists.

use crate::linux::atspi::bus::{Bus, Place, Unanswered};
use crate::linux::atspi::ids::Tree;
use crate::linux::atspi::objects;
use crate::linux::capture::app_cache;
use crate::linux::capture::cells;
use crate::linux::capture::clipping::bound;
use crate::linux::capture::frames::{Frame, frames, pair};
use crate::linux::capture::holders;
use crate::linux::capture::names;
use crate::linux::capture::popovers;
use crate::linux::capture::screen_place::shift;
use crate::linux::capture::sorted_tables;
use crate::linux::capture::tree;
use crate::linux::capture::window_tree::WindowTree;
use crate::linux::desktop::Desktop;
use crate::linux::geometry::{both, contains};
use crate::linux::windows::current_window::Turned;
use crate::linux::windows::relations::{barring, group, root_of};
use crate::linux::windows::window_list::{Seen, process};
use crate::quirks::Quirks;
use crate::record::{Record, node};
use crate::roles::{CHOICES, MENUS};
use handeye_scene::{
    Border, Capture, Document, DocumentId, NativeId, Node, NodeKind, Notice, Point, Problem, Rect, State, Want,
};
use x11rb::protocol::xproto::Window;

pub(crate) async fn look(desktop: &mut Desktop, want: Want) -> Result<Capture, Problem> {
    desktop.gesture.held_to.clear();
    desktop.find_bus().await?;
    let seen = desktop.seen().await?;
    let turned = desktop.current.turned;
    if let Some(scope) = want.scope {
        desktop.current.turned = desktop.ids.tree(scope.document()).and_then(|t| t.window).map(Turned::to);
    }
    let current = desktop.current_of(&seen)?.clone();
    let mut capture = whole(desktop, &seen, &current, want.away).await?;
    if let Some(scope) = want.scope {
        crate::scope::keep_within(&mut capture, scope);
        desktop.current.turned = turned;
    }
    Ok(capture)
}

async fn whole(desktop: &mut Desktop, seen: &[Seen], current: &Seen, rows: bool) -> Result<Capture, Problem> {
    let members = group(seen, current);
    let mut notices = Vec::new();
    let parts = parts(desktop, &members, current, rows, &mut notices).await?;
    let screen = desktop.display.run(|side| side.server.screen()).await.map_err(|e| e.problem("tell its size"))?;
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
    if !parts.iter().any(|part| part.window == Some(current.id)) && current.is_shown() {
        // It lies above the windows that it belongs to, and those are listed from the top.
        capture.documents.push(treeless(desktop, current));
    }
    for part in parts {
        let window = part.window.and_then(|id| seen.iter().find(|w| w.id == id));
        let bar = window.and_then(|window| Some((window, barring(seen, window)?)));
        if let Some((window, dialog)) = bar {
            let text = format!("{:?} takes no input until {:?} is closed", window.title, dialog.title);
            capture.notices.push(Notice::new("barred", text));
        }
        add(desktop, &mut capture, part, (bar.is_some(), rows), seen, &members);
    }
    let border = Border { outer: current.outer, inner: current.rect };
    capture.border = (border.outer != border.inner && current.is_shown()).then_some(border);
    capture.treeless = (capture.nodes.is_empty() && current.is_shown()).then_some(current.rect);
    if capture.nodes.is_empty() && capture.notices.is_empty() {
        let notice = Notice::new("empty", "the window shows nothing that could be named");
        capture.notices.push(notice.hint("handeye screenshot window.png"));
    }
    Ok(capture)
}

/// The document of a window that no tree tells of: it has no nodes, but places in it are that window's.
fn treeless(desktop: &mut Desktop, window: &Seen) -> Document {
    let (frame, quirks) = (Place::new("", ""), crate::quirks::quirks("", ""));
    let id = desktop.ids.document(Tree { frame, window: Some(window.id), pid: window.pid, quirks });
    Document { id, url: window.handle(), origin: process(window.pid), owner: None }
}

/// The trees of the windows of a group, each read within its own limit.
async fn parts(
    desktop: &mut Desktop,
    members: &[&Seen],
    current: &Seen,
    rows: bool,
    notices: &mut Vec<Notice>,
) -> Result<Vec<WindowTree>, Problem> {
    let mut pids: Vec<u32> = Vec::new();
    for pid in members.iter().map(|w| w.pid).filter(|p| *p != 0) {
        if !pids.contains(&pid) {
            pids.push(pid);
        }
    }
    let mut parts = Vec::new();
    for pid in pids {
        let windows: Vec<&Seen> = members.iter().filter(|w| w.pid == pid || w.pid == 0 && w.popup).copied().collect();
        let apps = desktop.apps_of(pid).await?;
        if apps.is_empty() {
            notices.push(no_tree(&windows, pid));
        }
        for app in apps {
            if let Some(same) = desktop.cache.unchanged(&desktop.bus, &app, &windows, rows).await {
                parts.extend(same);
                continue;
            }
            let told = desktop.bus.told_by(&app.root.bus);
            let first = parts.len();
            let gone = |e: Unanswered| desktop.unanswered_of(e, pid, members);
            let all = frames(&desktop.bus, &app).await.map_err(gone)?;
            let shown = all
                .into_iter()
                .filter(|f| f.record.shows(app.quirks) || f.record.role == crate::roles::FRAME)
                .collect();
            let (pairs, rest) = pair(&windows, shown);
            let mut cache =
                if app.quirks.cache { app_cache::cache(&desktop.bus, &app.root).await.map_err(gone)? } else { None };
            let loose = rest.into_iter().filter_map(|f| Some((popup_of(&windows, &f)?, f)));
            let mut pairs: Vec<(usize, Frame)> = pairs.into_iter().chain(loose).collect();
            pairs.sort_by_key(|p| p.0);
            for (i, frame) in pairs {
                let window = windows[i];
                let mut reading =
                    tree::read(&desktop.bus, &frame.place, cache.as_mut(), app.quirks, rows).await.map_err(gone)?;
                if let Some(partial) = &reading.partial {
                    notices.push(Notice::new("partial", format!("of {:?}, {partial}", window.title)));
                }
                let quirks = app.quirks;
                let open = popovers::take(&mut reading, &frame.place, quirks, &windows);
                let open = open.into_iter().map(|(i, frame, reading)| (windows[i], frame, reading));
                parts.extend(std::iter::once((window, frame, reading)).chain(open).map(|(window, frame, reading)| {
                    let shift = shift(window, frame.record.rect, quirks);
                    WindowTree { window: Some(window.id), pid, frame, quirks, reading, shift }
                }));
            }
            desktop.cache.keep(&app, (&windows, rows), told, &parts[first..]);
        }
    }
    let has_current = parts.iter().any(|p| p.window == Some(current.id));
    if !has_current && notices.is_empty() {
        notices.push(no_tree(&[current], current.pid));
    }
    Ok(parts)
}

/// Adds the nodes of one window.
fn add(
    desktop: &mut Desktop,
    capture: &mut Capture,
    part: WindowTree,
    (barred, rows): (bool, bool),
    seen: &[Seen],
    members: &[&Seen],
) {
    let WindowTree { window, pid, frame, quirks, mut reading, shift } = part;
    let document = desktop.ids.document(Tree { frame: frame.place.clone(), window, pid, quirks });
    capture.documents.push(Document {
        id: document,
        url: window.map(|w| format!("{w:#x}")).unwrap_or_default(),
        origin: process(pid),
        owner: None,
    });
    let own = window.and_then(|id| seen.iter().find(|w| w.id == id));
    sorted_tables::leave_out_doubted(desktop, capture, &frame.place, &mut reading.records);
    let said = names::fill(&mut reading.records, quirks);
    let mut in_menu = vec![false; reading.records.len()];
    let mut nodes: Vec<Option<usize>> = vec![None; reading.records.len()];
    let mut bounds: Vec<Option<Rect>> = vec![None; reading.records.len()];
    let mut held: Vec<Option<usize>> = vec![None; reading.records.len()];
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
        bounds[i] = bound(record, within, quirks);
        let parent_path = above.map_or_else(String::new, |p| reading.records[p].path.clone());
        let record = &reading.records[i];
        let parent = above.and_then(|p| nodes[p]);
        let id = desktop.ids.number(document, &record.path, record.role, &parent_path);
        let doubled = quirks.class_names && wraps_a_button(&reading.records, i);
        // A cell that is out of sight is nowhere in some toolkits, and scrolled to.
        let away = rows && !holds && record.role == crate::roles::CELL && record.rect.is_none();
        let made = node(record, id, document, parent, quirks)
            .filter(|n| !doubled && !said[i] && (is_told(n, record, quirks, above.is_none()) || away));
        let holder = holders::node(&reading.records, i, (id, document), above.and_then(|p| held[p]));
        // What a node tells of already is told once.
        if let Some(holder) = holder.filter(|_| made.is_none() || above.is_some_and(|p| held[p].is_some())) {
            held[i] = Some(capture.holders.len());
            capture.holders.push(holder);
        }
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
pub(crate) async fn by_accessible_id(desktop: &mut Desktop, id: &str) -> Result<Vec<NativeId>, Problem> {
    told(desktop, id, async |bus, place| objects::accessible_id(bus, place).await).await
}

/// Elements of this class.
pub(crate) async fn by_class(desktop: &mut Desktop, class: &str) -> Result<Vec<NativeId>, Problem> {
    told(desktop, class, async |bus, place| objects::class(bus, place).await).await
}

/// Elements that a call tells this text of.
async fn told(
    desktop: &mut Desktop,
    text: &str,
    ask: impl AsyncFn(&Bus, &Place) -> Option<String>,
) -> Result<Vec<NativeId>, Problem> {
    let capture = look(desktop, Want::default()).await?;
    let asked = capture.nodes.iter().filter_map(|n| n.id).map(|native| (native, desktop.ids.get(native).cloned()));
    let (bus, ask) = (&desktop.bus, &ask);
    let looks = asked.map(async |(native, known)| {
        let place = cells::resolve(bus, &known?.place).await.ok()?;
        (ask(bus, &place).await.as_deref() == Some(text)).then_some(native)
    });
    Ok(futures_util::future::join_all(looks).await.into_iter().flatten().collect())
}

/// The element that has the keyboard, if it is in the current window or one that belongs to it: what is typed goes there,
/// whichever other window has the keyboard by now.
pub(crate) async fn has_keyboard(desktop: &mut Desktop) -> Result<Option<NativeId>, Problem> {
    let seen = desktop.seen().await?;
    let Some(active) = seen.iter().find(|w| w.focused).cloned() else { return Ok(None) };
    let current = root_of(&seen, desktop.current_of(&seen)?);
    if root_of(&seen, &active) != current {
        return Ok(None);
    }
    let whole = whole(desktop, &seen, &active, false).await?;
    let is_own = |w: Window| w == active.id || seen.iter().any(|s| s.id == w && s.popup);
    let own = |n: &&Node| desktop.ids.tree(n.document).and_then(|t| t.window).is_some_and(is_own);
    let focused = whole.nodes.iter().filter(|n| n.states.has(State::Focused)).rfind(own);
    Ok(focused.and_then(|n| n.id))
}

/// The smallest element at a place, of the window that a pointer would hit there.
pub(crate) async fn innermost_at(desktop: &mut Desktop, point: Point) -> Result<Option<NativeId>, Problem> {
    let seen = desktop.seen().await?;
    let top = desktop
        .display
        .run(move |side| side.server.top_at(point))
        .await
        .map_err(|e| e.problem("tell what is there"))?;
    let Some(window) = top.and_then(|top| seen.iter().find(|w| w.top == top)).cloned() else { return Ok(None) };
    let whole = whole(desktop, &seen, &window, false).await?;
    let own = |d: DocumentId| desktop.ids.tree(d).is_some_and(|t| t.window == Some(window.id) || window.popup);
    let holds = |n: &&Node| {
        n.id.is_some() && n.rect.width > 0.0 && contains(n.rect, point) && own(n.document) && n.kind != NodeKind::Text
    };
    let area = |n: &&Node| n.rect.width * n.rect.height;
    let inner = whole.nodes.iter().filter(holds).min_by(|a, b| area(a).total_cmp(&area(b)));
    Ok(inner.and_then(|n| n.id))
}

/// A tree that belongs to no window of its own: a popup's, where it lies in one.
fn popup_of(windows: &[&Seen], frame: &Frame) -> Option<usize> {
    let center = frame.record.rect?.center();
    windows.iter().position(|w| w.popup && contains(w.rect, center))
}

fn no_tree(windows: &[&Seen], pid: u32) -> Notice {
    let title = windows.first().map(|w| w.title.as_str()).unwrap_or_default();
    let what = format!(
        "{} ({title:?}) shows no accessibility tree: start it anew, or act on places of its window",
        process(pid)
    );
    Notice::new("no_tree", what).hint("handeye launch APP").hint("handeye click-at X Y")
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
    let part = within.filter(|_| node.rect.width > 0.0).map_or(Some(node.rect), |w| both(w, node.rect));
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
