//! Key strokes by XTEST, to the window that has the keyboard.

use crate::linux::x11::held_keys::Held;
use crate::linux::x11::keymap::{self, Keymap, Stroke};
use crate::linux::x11::server::{Fault, Server};
use crate::linux::x11::xtest::{self, KEY_PRESS, KEY_RELEASE, Sent, rest};
use std::collections::HashMap;
use std::time::Duration;
use x11rb::protocol::xproto::{ConnectionExt as _, Keycode, Keysym, Window};

/// Sends key strokes as long as the keyboard is in `expected`; how many were sent, and what stopped them. The characters
/// that no key stands for are in `lent`.
pub(crate) fn strokes(
    server: &Server,
    held: &Held,
    strokes: &[Stroke],
    lent: &HashMap<Keysym, Keycode>,
    expected: Option<Window>,
    pace: Duration,
    wanted: &dyn Fn() -> bool,
) -> Result<(usize, Sent), Fault> {
    let map = keymap::keymap(server)?;
    for (count, stroke) in strokes.iter().enumerate() {
        if !wanted() {
            return Ok((count, Sent::Stopped));
        }
        server.check_failsafe()?;
        let sent = server.held_still(|| {
            let focus = server.connection.get_input_focus()?.reply()?.focus;
            if let Some(window) = expected
                && !server.lies_in(focus, window)?
            {
                return Ok(Sent::Elsewhere(Some(focus)));
            }
            tap(server, held, stroke, &map, lent)?;
            Ok(Sent::Yes)
        })?;
        if sent != Sent::Yes {
            return Ok((count, sent));
        }
        rest(pace, wanted);
    }
    server.sync()?;
    Ok((strokes.len(), Sent::Yes))
}

/// Presses and releases the keys of one stroke.
fn tap(
    server: &Server,
    held: &Held,
    stroke: &Stroke,
    map: &Keymap,
    lent: &HashMap<Keysym, Keycode>,
) -> Result<(), Fault> {
    let found = map.key(stroke.symbol).or_else(|| lent.get(&stroke.symbol).map(|c| (*c, false)));
    // A character without a key was refused before anything was sent.
    let Some((code, shifted)) = found else { return Err(Fault::Refused) };
    let held = held.without(map.modifiers(map.for_key(stroke.modifiers, code, shifted))?);
    xtest::keys(server, &held, KEY_PRESS)?;
    xtest::fake(server, KEY_PRESS, code, (0, 0))?;
    xtest::fake(server, KEY_RELEASE, code, (0, 0))?;
    let back: Vec<Keycode> = held.iter().rev().copied().collect();
    xtest::keys(server, &back, KEY_RELEASE)?;
    server.sync()
}
