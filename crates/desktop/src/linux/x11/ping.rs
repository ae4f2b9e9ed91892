//! Whether an app has read what the display sent it.

use crate::linux::x11::clipboard::{self, Clip};
use crate::linux::x11::server::{Fault, Server};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, MapState, Window,
};

/// How often the answer is looked for.
const LOOK: Duration = Duration::from_millis(1);
/// How often it is looked whether the window is still there: one that was closed is asked for nothing, and answers nothing.
const THERE: Duration = Duration::from_millis(10);

/// Asks a window for an answer (`_NET_WM_PING`), which its app gives after all input that was sent before; whether it came.
/// None where the window doesn't know how to.
pub(crate) fn ping(server: &Server, clip: &mut Clip, window: Window, limit: Duration) -> Result<Option<bool>, Fault> {
    let protocols = server.numbers(window, server.atoms.WM_PROTOCOLS, AtomEnum::ATOM.into())?;
    if !protocols.contains(&server.atoms._NET_WM_PING) {
        return Ok(None);
    }
    // Qt 5 answers to those alone that listen for the structure of the root itself.
    listen_to_root(server, EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY)?;
    let answered = pong(server, clip, window, limit);
    listen_to_root(server, EventMask::NO_EVENT)?;
    answered.map(Some)
}

fn pong(server: &Server, clip: &mut Clip, window: Window, limit: Duration) -> Result<bool, Fault> {
    let begun = Instant::now();
    server.pings.set(server.pings.get().wrapping_add(1));
    let (kind, stamp) = (server.atoms._NET_WM_PING, server.pings.get());
    let event = ClientMessageEvent::new(32, window, server.atoms.WM_PROTOCOLS, [kind, stamp, window, 0, 0]);
    server.connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?;
    let mut looked = Instant::now();
    while begun.elapsed() < limit {
        if looked.elapsed() >= THERE {
            if is_closed(server, window)? {
                return Ok(false);
            }
            looked = Instant::now();
        }
        match server.connection.poll_for_event()? {
            Some(Event::ClientMessage(message)) if message.data.as_data32()[..2] == [kind, stamp] => {
                return Ok(true);
            }
            Some(event) => clipboard::answer(server, clip, &event),
            None => std::thread::sleep(LOOK),
        }
    }
    Ok(false)
}

/// Whether a window is gone, or was taken off the screen for good. What is minimised, or on another workspace, wasn't.
fn is_closed(server: &Server, window: Window) -> Result<bool, Fault> {
    const WITHDRAWN: u32 = 0;
    let attributes = server.connection.get_window_attributes(window)?.reply();
    match attributes.map_err(Fault::from) {
        Ok(attributes) if attributes.map_state != MapState::UNMAPPED => Ok(false),
        Ok(_) => match server.numbers(window, server.atoms.WM_STATE, server.atoms.WM_STATE) {
            Ok(state) => Ok(state.first().is_none_or(|state| *state == WITHDRAWN)),
            Err(Fault::Refused) => Ok(true),
            Err(fault) => Err(fault),
        },
        Err(Fault::Refused) => Ok(true),
        Err(fault) => Err(fault),
    }
}

fn listen_to_root(server: &Server, mask: EventMask) -> Result<(), Fault> {
    let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
    server.connection.change_window_attributes(server.root, &attributes)?.check()?;
    Ok(())
}
