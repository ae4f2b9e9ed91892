//! What a session keeps down between its commands: keys and buttons. All of it is let go when the session ends; until then it
//! is noted on the display, so that whoever comes after a crash can let it go.

use crate::linux::x11::crash_recovery;
use crate::linux::x11::keymap::{self, Stroke};
use crate::linux::x11::server::{Fault, Server};
use crate::linux::x11::xtest::{self, BUTTON_PRESS, BUTTON_RELEASE, KEY_PRESS, KEY_RELEASE, Sent, number};
use handeye_scene::{Button, Code, Modifiers, Problem};
use x11rb::protocol::xproto::{ConnectionExt as _, Keycode, Window};

/// In a note, what tells a button from a key.
const BUTTON: u32 = 0x100;

/// One thing that is kept down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Down {
    Key(Keycode),
    Button(u8),
}

impl Down {
    fn noted(self) -> u32 {
        match self {
            Down::Key(code) => code.into(),
            Down::Button(number) => BUTTON | u32::from(number),
        }
    }

    /// What a note says; none where it makes no sense, as anyone may write there.
    fn read(noted: u32) -> Option<Self> {
        match noted {
            8..=255 => Keycode::try_from(noted).ok().map(Down::Key),
            _ => u8::try_from(noted ^ BUTTON).ok().filter(|n| (1..=3).contains(n)).map(Down::Button),
        }
    }
}

/// All that is kept down.
#[derive(Default)]
pub(crate) struct Held(Vec<Down>);

impl Held {
    /// Whether a key is among it.
    pub(crate) fn has_key(&self, code: Keycode) -> bool {
        self.0.contains(&Down::Key(code))
    }

    /// Keys without those that are kept down anyway.
    pub(crate) fn without(&self, codes: Vec<Keycode>) -> Vec<Keycode> {
        codes.into_iter().filter(|code| !self.has_key(*code)).collect()
    }
}

/// Presses a key, with the modifiers of its chord, and keeps them down, if the keyboard is in `expected`.
pub(crate) fn key_down(server: &Server, held: &mut Held, stroke: &Stroke, expected: Window) -> Result<Sent, Fault> {
    let codes = codes(server, stroke)?;
    let new: Vec<Down> = codes.into_iter().filter(|code| !held.has_key(*code)).map(Down::Key).collect();
    let before = held.0.len();
    held.0.extend(&new);
    // Noted first: a crash right after the press finds it there.
    note_held(server, held)?;
    let sent = server.held_still(|| {
        let focus = server.connection.get_input_focus()?.reply()?.focus;
        if !server.lies_in(focus, expected)? {
            return Ok(Sent::Elsewhere(Some(focus)));
        }
        new.iter().try_for_each(|down| put(server, *down, true))?;
        server.sync()?;
        Ok(Sent::Yes)
    })?;
    if sent != Sent::Yes {
        held.0.truncate(before);
        note_held(server, held)?;
    }
    Ok(sent)
}

/// Lets a key go, with the modifiers of its chord, wherever the keyboard is now; whether it was down.
pub(crate) fn key_up(server: &Server, held: &mut Held, stroke: &Stroke) -> Result<bool, Fault> {
    let codes = codes(server, stroke)?;
    let down = server.connection.query_keymap()?.reply()?.keys;
    let is_down = |code: &Keycode| down[usize::from(code / 8)] & (1 << (code % 8)) != 0;
    let was_down = codes.last().is_some_and(is_down);
    codes.iter().rev().try_for_each(|code| put(server, Down::Key(*code), false))?;
    held.0.retain(|down| !codes.iter().any(|code| *down == Down::Key(*code)));
    note_held(server, held)?;
    Ok(was_down)
}

/// Presses a button where the pointer is and keeps it down, or lets it go.
pub(crate) fn button(server: &Server, held: &mut Held, button: Button, down: bool) -> Result<(), Fault> {
    let it = Down::Button(number(button));
    held.0.retain(|held| *held != it);
    if down {
        held.0.push(it);
    }
    note_held(server, held)?;
    put(server, it, down)?;
    server.sync()
}

/// Lets go all that this session keeps down.
pub(crate) fn let_go(server: &Server, held: &mut Held) -> Result<(), Fault> {
    let downs = std::mem::take(&mut held.0);
    if downs.is_empty() {
        return Ok(());
    }
    downs.iter().rev().try_for_each(|down| put(server, *down, false))?;
    note_held(server, held)
}

/// Lets go what sessions kept down that ended without doing so.
pub(crate) fn let_go_left_over(server: &Server) -> Result<(), Fault> {
    let left = crash_recovery::take_left_over(server, server.atoms._HANDEYE_HELD)?;
    left.into_iter().filter_map(Down::read).try_for_each(|down| put(server, down, false))?;
    server.sync()
}

/// The keys of a stroke: those that are held for it first.
fn codes(server: &Server, stroke: &Stroke) -> Result<Vec<Keycode>, Fault> {
    let map = keymap::keymap(server)?;
    let Some((code, shifted)) = map.key(stroke.symbol) else {
        let what = "no key of this keyboard stands for it: only keys that it has can be kept down";
        return Err(Problem::new(Code::Unsupported, what).hint("handeye type TEXT").into());
    };
    let modifiers = Modifiers { shift: stroke.modifiers.shift || shifted, ..stroke.modifiers };
    Ok(map.modifiers(modifiers)?.into_iter().chain([code]).collect())
}

fn put(server: &Server, down: Down, press: bool) -> Result<(), Fault> {
    match (down, press) {
        (Down::Key(code), true) => xtest::fake(server, KEY_PRESS, code, (0, 0)),
        (Down::Key(code), false) => xtest::fake(server, KEY_RELEASE, code, (0, 0)),
        (Down::Button(number), true) => xtest::fake(server, BUTTON_PRESS, number, (0, 0)),
        (Down::Button(number), false) => xtest::fake(server, BUTTON_RELEASE, number, (0, 0)),
    }
}

fn note_held(server: &Server, held: &Held) -> Result<(), Fault> {
    let held: Vec<u32> = held.0.iter().map(|down| down.noted()).collect();
    crash_recovery::note(server, server.atoms._HANDEYE_HELD, &held)
}

/// The keys of modifiers, but for those that are kept down anyway.
pub(crate) fn modifier_keys(server: &Server, held: &Held, modifiers: Modifiers) -> Result<Vec<Keycode>, Fault> {
    let map = keymap::keymap(server)?;
    Ok(held.without(map.modifiers(modifiers)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_what_was_kept_down_and_nothing_else() {
        for down in [Down::Key(37), Down::Key(255), Down::Button(1), Down::Button(3)] {
            assert_eq!(Down::read(down.noted()), Some(down));
        }
        for noted in [0, 7, 256, 256 + 4, 512, u32::MAX] {
            assert_eq!(Down::read(noted), None, "{noted}");
        }
    }
}
