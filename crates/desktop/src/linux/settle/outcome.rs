//! What came of a gesture: of all that happened meanwhile, what the app did that the gesture went to.

use crate::linux::atspi::bus::{Bus, Place};
use crate::linux::windows::process_tree::{is_of, parent};
use crate::linux::windows::window_list::Seen;
use handeye_scene::{Event, Moved, Notice};
use std::collections::HashMap;
use x11rb::protocol::xproto::Window;

/// What there was when a gesture began.
#[derive(Clone)]
pub(crate) struct Begun {
    /// The windows.
    pub(crate) seen: Vec<Seen>,
    /// How many events each app had sent.
    pub(crate) told: HashMap<String, u64>,
    /// The children of the root, and the windows in them.
    pub(crate) known: Vec<Window>,
}

/// The windows of one list that aren't in another.
pub(crate) fn without<'a>(these: &'a [Seen], those: &'a [Seen]) -> impl Iterator<Item = &'a Seen> {
    these.iter().filter(|w| !w.popup && !those.iter().any(|o| o.id == w.id))
}

/// Windows that came up and went away by the app that a gesture in a window of `pid` went to. Those of other apps are told
/// of beside it; without an app, any may be its doing.
pub(crate) fn came_and_went(
    notices: &mut Vec<Notice>,
    pid: Option<u32>,
    before: &[Seen],
    after: &[Seen],
) -> Vec<Event> {
    let all: Vec<Seen> = before.iter().chain(after).cloned().collect();
    let is_ours = |w: &Seen| pid.is_none_or(|pid| is_of(w, pid, &all, &parent));
    let (opened, others): (Vec<&Seen>, Vec<&Seen>) = without(after, before).partition(|w| is_ours(w));
    for other in others {
        let text = format!("a window of another app came up meanwhile: {:?} of pid {}", other.title, other.pid);
        let notice = Notice::new("window", text);
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    let opened = opened.into_iter().map(|w| Event::WindowOpened { title: w.title.clone() });
    let closed = without(before, after).filter(|w| is_ours(w));
    opened.chain(closed.map(|w| Event::WindowClosed { title: w.title.clone() })).collect()
}

/// Whether the app that a gesture went to has told of changes since; any app, where it isn't known.
pub(crate) fn has_moved(bus: &Bus, app: Option<&Place>, told: &HashMap<String, u64>) -> Moved {
    let now = bus.told();
    let more = |name: &str| now.get(name) > told.get(name);
    let later = app.map_or_else(|| now.keys().any(|name| more(name)), |app| more(&app.bus));
    Moved { later, ..Moved::default() }
}
