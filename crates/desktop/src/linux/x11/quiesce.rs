//! What keeps an app, and its window manager, from coming between the last look and the event.
//!
//! While the server is held nobody else is served. An app that asks for something stands still from then to the end of it, and the
//! event is the first thing that it finds then. Window managers take presses first, and hand them on a moment later: a press that
//! is replayed below their windows goes to the app at once.

use crate::linux::x11::server::{Fault, Server};
use crate::linux::x11::xtest::{self, BUTTON_PRESS};
use handeye_scene::Point;
use x11rb::protocol::xproto::{
    Allow, ConnectionExt as _, EventMask, GrabMode, GrabStatus, PROPERTY_NOTIFY_EVENT, Property, PropertyNotifyEvent,
    Window,
};
use x11rb::{CURRENT_TIME, NONE};

/// Windows lie this deep in each other.
const DEPTH: usize = 12;

/// Tells the app of a window that its state has changed: GTK and Qt ask the server then what it is.
pub(crate) fn halt(server: &Server, window: Window) -> Result<(), Fault> {
    let event = PropertyNotifyEvent {
        response_type: PROPERTY_NOTIFY_EVENT,
        sequence: 0,
        window,
        atom: server.atoms._NET_WM_STATE,
        time: CURRENT_TIME,
        state: Property::NEW_VALUE,
    };
    // Without a mask it goes to the app alone.
    server.connection.send_event(false, window, EventMask::NO_EVENT, event)?;
    server.sync()
}

/// Presses a button where the pointer is: in this window, past whoever takes presses on those around it. Where someone holds
/// the pointer, as a menu does, the press goes there anyhow.
pub(crate) fn press(server: &Server, button: u8, below: Option<Window>) -> Result<(), Fault> {
    let Some(innermost) = below else { return xtest::fake(server, BUTTON_PRESS, button, (0, 0)) };
    let grabbed = server
        .connection
        .grab_pointer(
            false,
            innermost,
            EventMask::BUTTON_PRESS,
            GrabMode::SYNC,
            GrabMode::ASYNC,
            NONE,
            NONE,
            CURRENT_TIME,
        )?
        .reply()?;
    if grabbed.status != GrabStatus::SUCCESS {
        return xtest::fake(server, BUTTON_PRESS, button, (0, 0));
    }
    server.connection.allow_events(Allow::SYNC_POINTER, CURRENT_TIME)?;
    let pressed = xtest::fake(server, BUTTON_PRESS, button, (0, 0));
    server.connection.allow_events(Allow::REPLAY_POINTER, CURRENT_TIME)?;
    // Nothing is left of it if the press came to us and went on.
    server.connection.ungrab_pointer(CURRENT_TIME)?;
    pressed
}

/// The innermost window at a place.
pub(crate) fn innermost(server: &Server, at: Point) -> Result<Window, Fault> {
    let mut window = server.root;
    for _ in 0..DEPTH {
        let (x, y) = (at.x.round() as i16, at.y.round() as i16);
        let child = server.connection.translate_coordinates(server.root, window, x, y)?.reply()?.child;
        if child == NONE {
            break;
        }
        window = child;
    }
    Ok(window)
}
