//! Who holds the keyboard: a lock of the screen does, and so does what is open until a click beside it closes it.

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
