//! Whether an app has read what the display sent it.

use super::display::{Fault, Side};
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

impl Side {
    /// Asks a window for an answer (`_NET_WM_PING`), which its app gives after all input that was sent before; whether it came.
    /// None where the window doesn't know how to.
    pub(crate) fn ping(&mut self, window: Window, limit: Duration) -> Result<Option<bool>, Fault> {
        let protocols = self.numbers(window, self.atoms.WM_PROTOCOLS, AtomEnum::ATOM.into())?;
        if !protocols.contains(&self.atoms._NET_WM_PING) {
            return Ok(None);
        }
        // Qt 5 answers to those alone that listen for the structure of the root itself.
        self.listen_to_root(EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY)?;
        let answered = self.pong(window, limit);
        self.listen_to_root(EventMask::NO_EVENT)?;
        answered.map(Some)
    }

    fn pong(&mut self, window: Window, limit: Duration) -> Result<bool, Fault> {
        let begun = Instant::now();
        self.pings = self.pings.wrapping_add(1);
        let (kind, stamp) = (self.atoms._NET_WM_PING, self.pings);
        let event = ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, [kind, stamp, window, 0, 0]);
        self.connection.send_event(false, window, EventMask::NO_EVENT, event)?.check()?;
        let mut looked = Instant::now();
        while begun.elapsed() < limit {
            if looked.elapsed() >= THERE {
                if self.is_closed(window)? {
                    return Ok(false);
                }
                looked = Instant::now();
            }
            match self.connection.poll_for_event()? {
                Some(Event::ClientMessage(message)) if message.data.as_data32()[..2] == [kind, stamp] => {
                    return Ok(true);
                }
                Some(event) => self.answer_for_clip(&event),
                None => std::thread::sleep(LOOK),
            }
        }
        Ok(false)
    }

    /// Whether a window is gone, or was taken off the screen for good. What is minimised, or on another workspace, wasn't.
    fn is_closed(&self, window: Window) -> Result<bool, Fault> {
        const WITHDRAWN: u32 = 0;
        let attributes = self.connection.get_window_attributes(window)?.reply();
        match attributes.map_err(Fault::from) {
            Ok(attributes) if attributes.map_state != MapState::UNMAPPED => Ok(false),
            Ok(_) => match self.numbers(window, self.atoms.WM_STATE, self.atoms.WM_STATE) {
                Ok(state) => Ok(state.first().is_none_or(|state| *state == WITHDRAWN)),
                Err(Fault::Refused) => Ok(true),
                Err(fault) => Err(fault),
            },
            Err(Fault::Refused) => Ok(true),
            Err(fault) => Err(fault),
        }
    }

    fn listen_to_root(&self, mask: EventMask) -> Result<(), Fault> {
        let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
        self.connection.change_window_attributes(self.root, &attributes)?.check()?;
        Ok(())
    }
}
