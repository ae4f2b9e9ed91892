//! Input by XTEST: events of pointer and keys, one by one.
//!
//! What is to be hit is checked while the server is held: no other client can raise a window, or take the keyboard, between
//! the check and the event.

use crate::linux::x11::server::{Fault, Server};
use handeye_scene::{Button, Point};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::{Keycode, Window};
use x11rb::protocol::xtest::ConnectionExt as _;

pub(crate) const KEY_PRESS: u8 = 2;
pub(crate) const KEY_RELEASE: u8 = 3;
pub(crate) const BUTTON_PRESS: u8 = 4;
pub(crate) const BUTTON_RELEASE: u8 = 5;
const MOTION: u8 = 6;

/// Whether input was sent, or what was in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It was.
    Yes,
    /// Another window was there, or had the keyboard: nothing was sent.
    Elsewhere(Option<Window>),
    /// The target wasn't what it should be, or its app didn't say: nothing was sent.
    Stopped,
}

pub(crate) fn fake(server: &Server, kind: u8, detail: u8, at: (i16, i16)) -> Result<(), Fault> {
    server.connection.xtest_fake_input(kind, detail, 0, server.root, at.0, at.1, 0)?;
    Ok(())
}

/// Moves the pointer.
pub(crate) fn point_to(server: &Server, to: Point) -> Result<(), Fault> {
    fake(server, MOTION, 0, (to.x.round() as i16, to.y.round() as i16))?;
    server.sync()?;
    if server.failsafe.is_on() {
        server.failsafe.leave(server.pointer()?);
    }
    Ok(())
}

pub(crate) fn keys(server: &Server, keys: &[Keycode], kind: u8) -> Result<(), Fault> {
    keys.iter().try_for_each(|key| fake(server, kind, *key, (0, 0)))
}

pub(crate) fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}

/// Waits for a time, or until nobody wants what comes after it.
pub(crate) fn rest(time: Duration, wanted: &dyn Fn() -> bool) {
    const LOOK: Duration = Duration::from_millis(20);
    let deadline = Instant::now() + time;
    while wanted() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(LOOK));
    }
}
