//! Spare keys that are lent a meaning for a while, for characters that the keyboard lacks.

use crate::linux::x11::clipboard::Clip;
use crate::linux::x11::crash_recovery;
use crate::linux::x11::keymap::{self, cased};
use crate::linux::x11::ping;
use crate::linux::x11::server::{Fault, Server};
use std::collections::HashMap;
use std::time::Duration;
use x11rb::protocol::xproto::{ConnectionExt as _, Keycode, Keysym, Window};

/// How long apps get to notice that keys mean something else now. Qt drops characters without it.
const KEYMAP_PAUSE: Duration = Duration::from_millis(12);
/// How long one may take to say that it has been told.
const KEYMAP_LIMIT: Duration = Duration::from_secs(2);

/// Keys that are lent a meaning.
#[derive(Default)]
pub(crate) struct Lent(Vec<Keycode>);

/// Lends meaning to spare keys, for characters that the keyboard lacks; noted on the display, so that whoever comes after
/// a crash can take it back. Which characters found a key.
pub(crate) fn lend(
    server: &Server,
    clip: &mut Clip,
    lent: &mut Lent,
    symbols: &[Keysym],
    reader: Option<Window>,
) -> Result<HashMap<Keysym, Keycode>, Fault> {
    let map = keymap::keymap(server)?;
    let meant: HashMap<Keysym, Keycode> = symbols.iter().copied().zip(map.spare.iter().copied()).collect();
    if meant.is_empty() {
        return Ok(meant);
    }
    let codes: Vec<u32> = meant.values().map(|c| u32::from(*c)).collect();
    lent.0 = meant.values().copied().collect();
    crash_recovery::note(server, server.atoms._HANDEYE_KEYCODES, &codes)?;
    for (symbol, code) in &meant {
        let levels = if map.caps { cased(*symbol) } else { [*symbol; 2] };
        let all: Vec<Keysym> = levels.into_iter().cycle().take(usize::from(map.per.max(2))).collect();
        server.connection.change_keyboard_mapping(1, *code, map.per.max(2), &all)?.check()?;
    }
    server.sync()?;
    if let Some(window) = reader {
        // They are told before any key that comes after; Qt takes a moment more.
        let _ = ping::ping(server, clip, window, KEYMAP_LIMIT);
    }
    std::thread::sleep(KEYMAP_PAUSE);
    Ok(meant)
}

/// Takes back what was lent.
pub(crate) fn restore(server: &Server, lent: &mut Lent) -> Result<(), Fault> {
    if lent.0.is_empty() {
        return Ok(());
    }
    let lent = std::mem::take(&mut lent.0);
    free(server, &lent)?;
    crash_recovery::note(server, server.atoms._HANDEYE_KEYCODES, &[])
}

/// Takes back what sessions had lent that ended without doing so.
pub(crate) fn restore_left_over(server: &Server) -> Result<(), Fault> {
    let left = crash_recovery::take_left_over(server, server.atoms._HANDEYE_KEYCODES)?;
    let codes: Vec<Keycode> = left.into_iter().filter_map(|code| code.try_into().ok()).filter(|c| *c >= 8).collect();
    free(server, &codes)
}

/// Takes the meaning from keys.
fn free(server: &Server, codes: &[Keycode]) -> Result<(), Fault> {
    for code in codes {
        server.connection.change_keyboard_mapping(1, *code, 1, &[0])?.check()?;
    }
    server.sync()
}
