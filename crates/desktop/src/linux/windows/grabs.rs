//! Who holds the keyboard: a lock of the screen does, and so does what is open until a click beside it closes it.

use crate::linux::windows::window_list::Seen;
use crate::linux::x11::server::{Fault, Server};
use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, GrabMode, GrabStatus, WindowClass};

/// Whether another client holds the keyboard. It is asked for with a window that isn't shown, which can't hold it: nothing is
/// taken, and no app is told of a focus that comes and goes.
pub(crate) fn is_keyboard_held(server: &Server) -> Result<bool, Fault> {
    let (connection, unseen) = (&server.connection, server.connection.generate_id()?);
    let (root, plain) = (server.root, CreateWindowAux::new());
    let class = WindowClass::INPUT_ONLY;
    connection.create_window(COPY_DEPTH_FROM_PARENT, unseen, root, -10, -10, 1, 1, 0, class, 0, &plain)?;
    let asked = connection.grab_keyboard(false, unseen, x11rb::CURRENT_TIME, GrabMode::ASYNC, GrabMode::ASYNC)?;
    connection.destroy_window(unseen)?;
    Ok(asked.reply()?.status != GrabStatus::NOT_VIEWABLE)
}

/// Marks what is open as a menu is: GTK 4 gives one type to its menus, lists, bubbles and hints, and Qt says of a list that it is
/// one. Those that a click beside them closes hold the keyboard; hints don't.
pub(crate) fn mark_menus(server: &Server, seen: &mut [Seen]) -> Result<(), Fault> {
    let is_told = seen.iter().any(|w| w.menu);
    let Some(pid) = seen.iter().find(|w| w.popup && !w.hint && w.pid != 0).map(|w| w.pid) else { return Ok(()) };
    if !is_told && is_keyboard_held(server)? {
        seen.iter_mut().filter(|w| w.popup && !w.hint && w.pid == pid).for_each(|w| w.menu = true);
    }
    Ok(())
}
