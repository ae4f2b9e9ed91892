//! Workspaces: which one is shown, and which one a window is on. Window managers unmap what is on the others, and call that
//! iconic as they do what is minimised.

use super::display::{Fault, Side};
use super::windows::numbers;
use handeye_scene::{Code, Problem};
use x11rb::protocol::xproto::{AtomEnum, GetPropertyReply, Window};

/// A window that is on all of them.
const ALL: u32 = u32::MAX;

/// The workspace that a window is on, counted from 1, where that isn't the one that is shown.
pub(super) fn elsewhere(own: &GetPropertyReply, shown: Option<u32>) -> Option<u32> {
    let own = numbers(own).first().copied()?;
    (own != ALL && shown.is_some_and(|shown| shown != own)).then(|| own.saturating_add(1))
}

impl Side {
    /// The workspace that a window is on, counted from 1, where that isn't the one that is shown.
    pub(super) fn elsewhere(&self, window: Window) -> Result<Option<u32>, Fault> {
        let own = self.connection_property(window, self.atoms._NET_WM_DESKTOP)?;
        let shown = self.connection_property(self.root, self.atoms._NET_CURRENT_DESKTOP)?;
        Ok(elsewhere(&own, numbers(&shown).first().copied()))
    }

    fn connection_property(&self, window: Window, atom: u32) -> Result<GetPropertyReply, Fault> {
        use x11rb::protocol::xproto::ConnectionExt as _;
        Ok(self.connection.get_property(false, window, atom, AtomEnum::CARDINAL, 0, 1)?.reply()?)
    }

    /// Has the workspace shown that a window is on. Not every window manager does so for a window that is activated.
    pub(super) fn turn_to_workspace_of(&mut self, window: Window) -> Result<(), Fault> {
        let Some(workspace) = self.elsewhere(window)? else { return Ok(()) };
        self.ask_manager(self.root, self.atoms._NET_CURRENT_DESKTOP, [workspace - 1, x11rb::CURRENT_TIME, 0, 0, 0])?;
        if self.wait(|side| Ok(side.elsewhere(window)?.is_none()))? {
            return Ok(());
        }
        let text = format!("the window is on workspace {workspace}, which the window manager didn't turn to");
        Err(Fault::Problem(Problem::new(Code::Blocked, text).hint("handeye windows")))
    }
}
