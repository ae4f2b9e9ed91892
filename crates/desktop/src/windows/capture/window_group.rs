//! Looks: the windows of a group with what is inside of them.

use crate::windows::calls::{self, Fault};
use crate::windows::capture::tree::{Hit, Reading, Tree};
use crate::windows::desktop::Desktop;
use crate::windows::records::window_list::{Seen, contains, group, root_of, shared, top_at};
use crate::windows::top_level::current_window::Turned;
use handeye_scene::{Capture, Document, NativeId, Node, Notice, Point, Problem, Query, QueryBy, Rect, State, Want};
use std::time::{Duration, Instant};

/// How long the reading of one window may take.
const BUDGET: Duration = Duration::from_secs(4);

pub(crate) fn look(desktop: &mut Desktop, want: Want) -> Result<Capture, Problem> {
    desktop.gesture.held_to = None;
    let seen = desktop.seen();
    let turned = desktop.current.turned;
    if let Some(scope) = want.scope {
        desktop.current.turned = Some(Turned::to(scope.document()));
    }
    let current = desktop.current_of(&seen)?.clone();
    let mut capture = whole(desktop, &seen, &current)?;
    if let Some(scope) = want.scope {
        crate::scope::keep_within(&mut capture, scope);
        desktop.current.turned = turned;
    }
    Ok(capture)
}

pub(crate) fn whole(desktop: &mut Desktop, seen: &[Seen], current: &Seen) -> Result<Capture, Problem> {
    let root = seen.iter().find(|w| w.handle == root_of(seen, current)).unwrap_or(current);
    let mut capture = Capture {
        surface: "desktop".into(),
        window: root.title.clone(),
        process: root.process().to_owned(),
        url: root.handle.to_string(),
        title: root.title.clone(),
        viewport: calls::virtual_screen(),
        ..Capture::default()
    };
    for window in group(seen, current) {
        match desktop.tree.read(window, Instant::now() + BUDGET) {
            Ok(reading) => add(desktop, &mut capture, window, reading, seen),
            // A popup may be gone by now.
            Err(Fault::Gone) if window.handle != current.handle => {}
            Err(fault) if window.handle == current.handle => {
                return Err(fault.problem(&format!("look at {:?} of {}", window.title, window.process())));
            }
            Err(fault) => {
                let why = fault.problem("look at it").message;
                capture.notices.push(Notice::new("partial", format!("of {:?}: {why}", window.title)));
            }
        }
    }
    if capture.nodes.is_empty() && capture.notices.is_empty() {
        let notice = Notice::new("empty", "the window shows nothing that could be named");
        capture.notices.push(notice.hint("handeye screenshot window.png"));
    }
    Ok(capture)
}

/// Adds the nodes of one window.
fn add(desktop: &mut Desktop, capture: &mut Capture, window: &Seen, reading: Reading, seen: &[Seen]) {
    let document = desktop.ids.document(window);
    capture.documents.push(Document {
        id: document,
        url: window.handle.to_string(),
        origin: window.process().to_owned(),
        owner: None,
    });
    if let Some(partial) = reading.partial {
        capture.notices.push(Notice::new("partial", format!("of {:?}, {partial}", window.title)));
    }
    let mut places: Vec<Option<usize>> = Vec::with_capacity(reading.parts.len());
    for part in reading.parts {
        let parent = part.parent.and_then(|p| places.get(p).copied().flatten());
        let id = desktop.ids.number(document, &part.key);
        let made = part.element.node(id, parent).filter(|_| part.element.shows);
        capture.holders.extend(part.element.holder(id).filter(|_| part.element.shows));
        places.push(match made {
            Some(mut node) => {
                mark_place(&mut node, window, seen, capture.viewport);
                capture.nodes.push(node);
                Some(capture.nodes.len() - 1)
            }
            None => parent,
        });
    }
}

/// Elements that a query names.
pub(crate) fn search(desktop: &mut Desktop, query: &Query) -> Result<Vec<NativeId>, Problem> {
    let by_class = match query.by {
        QueryBy::TestId | QueryBy::AutomationId => false,
        QueryBy::Class => true,
        QueryBy::Xpath | QueryBy::Css => {
            let why = format!("`{}` can't be looked up: windows have neither XPaths nor CSS", query.text);
            return Err(
                Problem::new(handeye_scene::Code::Unsupported, why).hint("handeye find --role button --name NAME")
            );
        }
    };
    let seen = desktop.seen();
    let current = desktop.current_of(&seen)?.clone();
    let mut found = Vec::new();
    for window in group(&seen, &current) {
        let Ok(reading) = desktop.tree.read(window, Instant::now() + BUDGET) else { continue };
        let document = desktop.ids.document(window);
        for part in reading.parts {
            let element = &part.element;
            let says = if by_class { Some(&element.class) } else { element.automation_id.as_ref() };
            let id = desktop.ids.number(document, &part.key);
            if says == Some(&query.text) && element.shows && element.node(id, None).is_some() {
                found.push(id);
            }
        }
    }
    Ok(found)
}

/// Says of a node that it is covered, or not on the screen.
fn mark_place(node: &mut Node, own: &Seen, seen: &[Seen], screen: Rect) {
    let part = shared(node.rect, own.rect).and_then(|part| shared(part, screen)).filter(|_| !own.minimised);
    let Some(part) = part else {
        node.states = node.states.with(State::Offscreen);
        return;
    };
    if top_at(seen, part.center()).is_some_and(|top| top.handle != own.handle) {
        node.states = node.states.with(State::Covered);
    }
}

/// The element that has the keyboard, if it is in the current window or one that belongs to it: what is typed goes there.
pub(crate) fn focused(desktop: &mut Desktop) -> Result<Option<NativeId>, Problem> {
    let seen = desktop.seen();
    let Some(front) = seen.iter().find(|w| w.focused).cloned() else { return Ok(None) };
    let current = desktop.current_of(&seen)?;
    if root_of(&seen, &front) != root_of(&seen, current) && front.thread != current.thread {
        return Ok(None);
    }
    let whole = whole(desktop, &seen, &front)?;
    let document = desktop.ids.document(&front);
    let has = |n: &&Node| n.states.has(State::Focused) && n.document == document;
    Ok(whole.nodes.iter().rfind(has).and_then(|n| n.id))
}

/// The smallest element at a place, of the window that a pointer would hit there.
pub(crate) fn element_at(desktop: &mut Desktop, point: Point) -> Result<Option<NativeId>, Problem> {
    let seen = desktop.seen();
    let top = calls::window_at(point).and_then(calls::own_window);
    let Some(window) = top.and_then(|t| seen.iter().find(|w| w.handle == t)).cloned() else { return Ok(None) };
    let whole = whole(desktop, &seen, &window)?;
    let document = desktop.ids.document(&window);
    let holds = |n: &&Node| n.id.is_some() && n.document == document && n.rect.width > 0.0 && contains(n.rect, point);
    let area = |n: &&Node| n.rect.width * n.rect.height;
    let mut found: Vec<&Node> = whole.nodes.iter().filter(holds).collect();
    found.sort_by(|a, b| area(a).total_cmp(&area(b)));
    // Rectangles go on where nothing is shown of them: what the pointer would hit there is asked for.
    for id in found.into_iter().filter_map(|n| n.id) {
        let Some((window, key)) = desktop.found(id) else { continue };
        match desktop.tree.hit(&window, &key, point) {
            Ok(Hit::Own) => return Ok(Some(id)),
            Ok(Hit::Other(_)) | Err(Fault::Gone) => {}
            Err(fault) => return Err(fault.problem("tell what is there")),
        }
    }
    Ok(None)
}
