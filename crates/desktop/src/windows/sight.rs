//! Looks: the windows of a group with what is inside of them.

use super::calls::{self, Fault};
use super::current::Turned;
use super::seen::{Seen, group, root_of, shared, top_at};
use super::surface::Desktop;
use super::tree::{Reading, Tree};
use handeye_scene::{Capture, Document, NativeId, Node, Notice, Problem, Query, QueryBy, Rect, State, Want};
use std::time::{Duration, Instant};

/// How long the reading of one window may take.
const BUDGET: Duration = Duration::from_secs(4);

impl Desktop {
    pub(super) fn look(&mut self, want: Want) -> Result<Capture, Problem> {
        self.held_to = None;
        let seen = self.seen();
        let turned = self.turned;
        if let Some(scope) = want.scope {
            self.turned = Some(Turned::to(scope.document()));
        }
        let current = self.current_of(&seen)?.clone();
        let mut capture = self.whole(&seen, &current)?;
        if let Some(scope) = want.scope {
            crate::scope::keep_within(&mut capture, scope);
            self.turned = turned;
        }
        Ok(capture)
    }

    pub(super) fn whole(&mut self, seen: &[Seen], current: &Seen) -> Result<Capture, Problem> {
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
            match self.tree.read(window, Instant::now() + BUDGET) {
                Ok(reading) => self.add(&mut capture, window, reading, seen),
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
            let text = "the window shows nothing that could be named: handeye screenshot window.png";
            capture.notices.push(Notice::new("empty", text));
        }
        Ok(capture)
    }

    /// Adds the nodes of one window.
    fn add(&mut self, capture: &mut Capture, window: &Seen, reading: Reading, seen: &[Seen]) {
        let document = self.ids.document(window);
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
            let id = self.ids.number(document, &part.key);
            let made = part.element.node(id, parent).filter(|_| part.element.shows);
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
    pub(super) fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
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
        let seen = self.seen();
        let current = self.current_of(&seen)?.clone();
        let mut found = Vec::new();
        for window in group(&seen, &current) {
            let Ok(reading) = self.tree.read(window, Instant::now() + BUDGET) else { continue };
            let document = self.ids.document(window);
            for part in reading.parts {
                let element = &part.element;
                let says = if by_class { Some(&element.class) } else { element.automation_id.as_ref() };
                let id = self.ids.number(document, &part.key);
                if says == Some(&query.text) && element.shows && element.node(id, None).is_some() {
                    found.push(id);
                }
            }
        }
        Ok(found)
    }
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
