//! Which window commands look at: the one that was chosen, or that a target lies in; neither passes to another one unasked.

use crate::linux::windows::relations::{came_up_for, root_of};
use crate::linux::windows::window_list::Seen;
use handeye_scene::{Code, Problem};
use x11rb::protocol::xproto::Window;

/// The window that was chosen with the one that it belongs to, and the one that was turned to.
pub(crate) type Looks = (Option<(Window, Window)>, Option<Turned>);

/// A window that was turned to since a target lies in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turned {
    pub(crate) window: Window,
    /// What it was when it was looked at: the window that it belongs to, and its process. A popup comes and goes.
    seen: Option<(Window, u32)>,
}

impl Turned {
    pub(crate) fn to(window: Window) -> Self {
        Self { window, seen: None }
    }
}

/// The choice of it.
#[derive(Default)]
pub(crate) struct CurrentWindow {
    /// The window that was chosen, and the one that it belongs to: a dialog's.
    pub(crate) chosen: Option<(Window, Window)>,
    /// The window that a target lies in which is acted on now.
    pub(crate) turned: Option<Turned>,
    /// Which windows these were when the call began.
    pub(crate) marked: Looks,
}

impl CurrentWindow {
    /// The window that commands look at, out of all.
    pub(crate) fn of<'a>(&mut self, seen: &'a [Seen]) -> Result<&'a Seen, Problem> {
        let find = |id: Window| seen.iter().find(|w| w.id == id);
        let managed = || seen.iter().filter(|w| !w.popup);
        // What was chosen stays so, though it is gone: nothing goes to another window until one is chosen anew.
        let chosen = self.chosen.map(|(window, owner)| (window, find(window).or_else(|| find(owner))));
        if let Some(turned) = &mut self.turned {
            if let Some(window) = find(turned.window) {
                // What a popup is gone from is looked at with it.
                let window = came_up_for(seen, window).unwrap_or(window);
                turned.seen = (!window.popup).then(|| (root_of(seen, window), window.pid));
                if let Some((_, None)) = chosen {
                    self.chosen = Some((window.id, window.id));
                }
                return Ok(window);
            }
            if let Some((owner, pid)) = turned.seen {
                let of_it = |w: &&Seen| pid != 0 && w.pid == pid;
                let sibling = || managed().filter(of_it).find(|w| w.focused).or_else(|| managed().find(of_it));
                let chosen = chosen.and_then(|(_, found)| found).filter(of_it);
                return find(owner).or(chosen).or_else(sibling).ok_or_else(|| closed(turned.window));
            }
        }
        if let Some((window, found)) = chosen {
            return found.ok_or_else(|| closed(window));
        }
        managed().find(|w| w.focused).or_else(|| managed().find(|w| w.is_shown())).ok_or_else(|| {
            let what = match managed().count() {
                0 => "no window is open",
                _ => "no window is shown: those that are open are minimised, or on other workspaces",
            };
            Problem::new(Code::NotFound, what).hint("handeye launch APP").hint("handeye windows")
        })
    }
}

fn closed(window: Window) -> Problem {
    Problem::new(Code::Lost, format!("the window {window:#x} is closed")).hint("handeye windows").hint("handeye state")
}
