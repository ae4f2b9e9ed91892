//! Whether the window manager has dealt with what came to it.

use crate::linux::x11::server::{Fault, Server};
use std::time::{Duration, Instant};
use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, Window, WindowClass};

/// How often the answer is looked for.
const LOOK: Duration = Duration::from_millis(1);

/// Asks the window manager for the frame that a window would get (Extended Window Manager Hints, `_NET_REQUEST_FRAME_EXTENTS`), which
/// it answers after all input that came to it before; whether it did. None where there is none, or it doesn't know how to.
pub(crate) fn has_dealt(server: &Server, limit: Duration) -> Result<Option<bool>, Fault> {
    let root = server.connection.get_window_attributes(server.root)?.reply()?;
    // What a manager says of itself outlives it.
    if !root.all_event_masks.contains(EventMask::SUBSTRUCTURE_REDIRECT) {
        return Ok(None);
    }
    let supported = server.numbers(server.root, server.atoms._NET_SUPPORTED, AtomEnum::ATOM.into())?;
    if !supported.contains(&server.atoms._NET_REQUEST_FRAME_EXTENTS) {
        return Ok(None);
    }
    let window = server.connection.generate_id()?;
    let (class, plain) = (WindowClass::INPUT_OUTPUT, CreateWindowAux::new());
    server.connection.create_window(
        COPY_DEPTH_FROM_PARENT,
        window,
        server.root,
        -10,
        -10,
        1,
        1,
        0,
        class,
        0,
        &plain,
    )?;
    let answered = answers(server, window, limit);
    server.connection.destroy_window(window)?;
    answered.map(Some)
}

fn answers(server: &Server, window: Window, limit: Duration) -> Result<bool, Fault> {
    server.ask_manager(window, server.atoms._NET_REQUEST_FRAME_EXTENTS, [0; 5])?;
    let begun = Instant::now();
    while begun.elapsed() < limit {
        if !server.numbers(window, server.atoms._NET_FRAME_EXTENTS, AtomEnum::CARDINAL.into())?.is_empty() {
            return Ok(true);
        }
        std::thread::sleep(LOOK);
    }
    Ok(false)
}
