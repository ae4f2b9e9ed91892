//! A Windows desktop on the thread that reaches it: the trees, what is known by them, and what each part of the work keeps from one
//! call to the next.

use crate::failsafe::Failsafe;
use crate::windows::calls::{self, problem};
use crate::windows::capture::trees::Trees;
use crate::windows::input::held_keys::Held;
use crate::windows::input::state::GestureState;
use crate::windows::records::ids::{Ids, Key};
use crate::windows::records::window_list::Seen;
use crate::windows::top_level::current_window::CurrentWindow;
use handeye_scene::{Code, NativeId, Problem};

/// The windows of a desktop, on the thread that reaches them.
pub(crate) struct Desktop {
    pub(crate) tree: Trees,
    pub(crate) ids: Ids,
    /// Which window commands look at.
    pub(crate) current: CurrentWindow,
    /// What is known of the gesture that is made, and of the last one.
    pub(crate) gesture: GestureState,
    /// What is kept down between commands.
    pub(crate) held: Vec<Held>,
    /// Whether a person may stop by the pointer what sends input.
    pub(crate) failsafe: Failsafe,
    /// What things looked like when a change was last asked for.
    pub(crate) last: u64,
}

impl Desktop {
    pub(crate) fn new(tree: Trees, failsafe: bool) -> Self {
        Self {
            tree,
            ids: Ids::default(),
            current: CurrentWindow::default(),
            gesture: GestureState::default(),
            held: Vec::new(),
            failsafe: Failsafe::new(failsafe),
            last: 0,
        }
    }

    /// Refuses to go on where a person has put the pointer into a corner of the screen, and that is to stop us.
    pub(crate) fn check_failsafe(&self) -> Result<(), Problem> {
        if !self.failsafe.is_on() {
            return Ok(());
        }
        let at = calls::pointer().map_err(problem("tell where the pointer is"))?;
        self.failsafe.check(at, calls::virtual_screen())
    }

    /// Every window, the topmost first, popups among them.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        calls::top_windows()
    }

    /// The window that commands look at, out of all.
    pub(crate) fn current_of<'a>(&mut self, seen: &'a [Seen]) -> Result<&'a Seen, Problem> {
        self.current.of(&self.ids, seen)
    }

    pub(crate) fn current(&mut self) -> Result<Seen, Problem> {
        let seen = self.seen();
        self.current_of(&seen).cloned()
    }

    pub(crate) fn by_handle(&self, id: &str) -> Result<Seen, Problem> {
        let none = || Problem::new(Code::NotFound, format!("there is no window {id}")).hint("handeye windows");
        let handle = id.parse().map_err(|_| none())?;
        self.seen().into_iter().find(|w| w.handle == handle).ok_or_else(none)
    }

    /// The window of an element and where it is found in it; none where either is gone.
    pub(crate) fn found(&self, id: NativeId) -> Option<(Seen, Key)> {
        let key = self.ids.get(id).cloned()?;
        let seen = self.seen();
        Some((self.ids.seen(id.document(), &seen)?.clone(), key))
    }
}
