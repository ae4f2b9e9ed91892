//! What came of a gesture: of all that happened meanwhile, what the app did that the gesture went to.

use super::bus::Place;
use super::surface::Linux;
use super::windows::Seen;
use handeye_scene::{Event, Moved, Notice};
use std::collections::HashMap;
use x11rb::protocol::xproto::Window;

/// How far up the processes that started a process are looked at.
const FOREBEARS: usize = 16;

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

/// Whether a window is of a process, of one that it started, or belongs to a window of it.
fn is_of(window: &Seen, pid: u32, all: &[Seen], parent_of: &dyn Fn(u32) -> Option<u32>) -> bool {
    // One that doesn't say whose it is may be anyone's.
    if window.pid == 0 || window.pid == pid {
        return true;
    }
    let owner = window.owner.and_then(|id| all.iter().find(|w| w.id == id));
    if owner.is_some_and(|owner| owner.pid == pid) {
        return true;
    }
    lineage(window.pid, parent_of).any(|at| at == pid)
}

/// A process, and those that started it.
fn lineage(pid: u32, parent_of: &dyn Fn(u32) -> Option<u32>) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(pid), |at| parent_of(*at)).take(FOREBEARS)
}

/// Whether a process is this one, or was started by it.
pub(super) fn descends(pid: u32, from: u32) -> bool {
    lineage(pid, &parent).any(|at| at == from)
}

/// The process that started a process.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Its name stands in parentheses, and may hold any.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok().filter(|p| *p > 1)
}

impl Linux {
    /// Windows that came up and went away by the app that a gesture in a window of `pid` went to. Those of other apps are told
    /// of beside it; without an app, any may be its doing.
    pub(super) fn came_and_went(&mut self, pid: Option<u32>, before: &[Seen], after: &[Seen]) -> Vec<Event> {
        let all: Vec<Seen> = before.iter().chain(after).cloned().collect();
        let is_ours = |w: &Seen| pid.is_none_or(|pid| is_of(w, pid, &all, &parent));
        let (opened, others): (Vec<&Seen>, Vec<&Seen>) = without(after, before).partition(|w| is_ours(w));
        for other in others {
            let text = format!("a window of another app came up meanwhile: {:?} of pid {}", other.title, other.pid);
            let notice = Notice::new("window", text);
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
        }
        let opened = opened.into_iter().map(|w| Event::WindowOpened { title: w.title.clone() });
        let closed = without(before, after).filter(|w| is_ours(w));
        opened.chain(closed.map(|w| Event::WindowClosed { title: w.title.clone() })).collect()
    }

    /// Whether the app that a gesture went to has told of changes since; any app, where it isn't known.
    pub(super) fn has_moved(&self, app: Option<&Place>, told: &HashMap<String, u64>) -> Moved {
        let now = self.bus.told();
        let more = |name: &str| now.get(name) > told.get(name);
        let later = app.map_or_else(|| now.keys().any(|name| more(name)), |app| more(&app.bus));
        Moved { later, ..Moved::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_of_its_process_of_what_that_started_and_of_what_it_belongs_to() {
        let window = |id, pid, owner| Seen { id, pid, owner, ..Seen::default() };
        let all =
            [window(1, 10, None), window(2, 20, Some(1)), window(3, 30, None), window(4, 40, None), window(5, 0, None)];
        let parents = |pid| (pid == 30).then_some(10);
        let of_ten: Vec<u32> = all.iter().filter(|w| is_of(w, 10, &all, &parents)).map(|w| w.id).collect();
        assert_eq!(of_ten, [1, 2, 3, 5]);
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()).filter(|p| *p > 1));
    }
}
