//! Which window commands look at: the one that was chosen, or that a target lies in; neither passes to another one unasked.

use crate::windows::records::ids::Ids;
use crate::windows::records::window_list::{Handle, Seen, root_of};
use handeye_scene::{Code, DocumentId, Problem};

/// A window that was chosen.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    window: Handle,
    /// What it was when it was looked at, and the window that it belongs to: a dialog's. The system gives handles again.
    seen: Option<(String, Handle)>,
}

impl Chosen {
    pub(crate) fn of(window: Handle) -> Self {
        Self { window, seen: None }
    }

    /// The window, or the one that it belonged to, if either is still there.
    fn find<'a>(&mut self, seen: &'a [Seen]) -> Option<&'a Seen> {
        let find = |handle: Handle| seen.iter().find(|w| w.handle == handle);
        let Some((check, owner)) = &self.seen else {
            let found = find(self.window)?;
            self.seen = Some((found.check(), root_of(seen, found)));
            return Some(found);
        };
        // A dialog that is closed leaves what it belonged to.
        let belonged_to = || find(*owner).filter(|_| *owner != self.window);
        find(self.window).filter(|w| w.check() == *check).or_else(belonged_to)
    }
}

/// A window that was turned to since a target lies in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turned {
    document: DocumentId,
    /// What it was when it was looked at: the window that it belongs to, and its process. A popup comes and goes.
    seen: Option<(Handle, u32)>,
}

impl Turned {
    pub(crate) fn to(document: DocumentId) -> Self {
        Self { document, seen: None }
    }
}

/// The choice of the window that commands look at.
#[derive(Default)]
pub(crate) struct CurrentWindow {
    /// The window that was chosen.
    pub(crate) chosen: Option<Chosen>,
    /// The window that a target lies in which is acted on now.
    pub(crate) turned: Option<Turned>,
    /// Which windows these were when the call began.
    pub(crate) marked: (Option<Chosen>, Option<Turned>),
}

impl CurrentWindow {
    /// The window that commands look at, out of all.
    pub(crate) fn of<'a>(&mut self, ids: &Ids, seen: &'a [Seen]) -> Result<&'a Seen, Problem> {
        let ordinary = || seen.iter().filter(|w| !w.popup);
        // What was chosen stays so, though it is gone: nothing goes to another window until one is chosen anew.
        let chosen = self.chosen.as_mut().map(|chosen| (chosen.window, chosen.find(seen)));
        if let Some(turned) = &mut self.turned {
            if let Some(window) = ids.seen(turned.document, seen) {
                turned.seen = (!window.popup).then(|| (root_of(seen, window), window.pid));
                if let Some((_, None)) = chosen {
                    self.chosen = Some(Chosen::of(window.handle));
                }
                return Ok(window);
            }
            if let Some((owner, pid)) = turned.seen {
                let of_it = |w: &&Seen| w.pid == pid;
                let owner = seen.iter().filter(of_it).find(|w| w.handle == owner);
                let sibling = || ordinary().filter(of_it).find(|w| w.focused).or_else(|| ordinary().find(of_it));
                let chosen = chosen.and_then(|(_, found)| found).filter(of_it);
                let gone = ids.window(turned.document).unwrap_or_default();
                return owner.or(chosen).or_else(sibling).ok_or_else(|| closed(gone));
            }
        }
        if let Some((window, found)) = chosen {
            return found.ok_or_else(|| closed(window));
        }
        ordinary().find(|w| w.focused).or_else(|| ordinary().find(|w| !w.minimised)).ok_or_else(|| {
            Problem::new(Code::NotFound, "no window is open").hint("handeye launch APP").hint("handeye windows")
        })
    }
}

fn closed(window: Handle) -> Problem {
    Problem::new(Code::Lost, format!("the window {window} is closed")).hint("handeye windows").hint("handeye state")
}
