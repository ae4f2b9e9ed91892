//! Pointer and keys by XTEST.
//!
//! What is to be hit is checked while the server is held: no other client can raise a window, or take the keyboard, between
//! the check and the event.

use super::display::{Fault, Side};
use handeye_scene::{Button, Chord, Modifiers, Point};
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Keycode, Keysym, PropMode, Window};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::wrapper::ConnectionExt as _;

pub(super) const KEY_PRESS: u8 = 2;
pub(super) const KEY_RELEASE: u8 = 3;
pub(super) const BUTTON_PRESS: u8 = 4;
pub(super) const BUTTON_RELEASE: u8 = 5;
const MOTION: u8 = 6;

/// How long apps get to notice that keys mean something else now. Qt drops characters without it.
const KEYMAP_PAUSE: Duration = Duration::from_millis(12);
/// How long one may take to say that it has been told.
const KEYMAP_LIMIT: Duration = Duration::from_secs(2);

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

/// A key and whether Shift makes it the character.
type Key = (Keycode, bool);

/// The keyboard as it is, with the keys that mean nothing.
pub(crate) struct Keymap {
    keys: HashMap<Keysym, Key>,
    spare: Vec<Keycode>,
    per: u8,
}

impl Side {
    pub(super) fn fake(&self, kind: u8, detail: u8, at: (i16, i16)) -> Result<(), Fault> {
        self.connection.xtest_fake_input(kind, detail, 0, self.root, at.0, at.1, 0)?;
        Ok(())
    }

    /// Moves the pointer.
    pub(crate) fn point_to(&mut self, to: Point) -> Result<(), Fault> {
        self.fake(MOTION, 0, (to.x.round() as i16, to.y.round() as i16))?;
        self.sync()
    }

    /// Presses at one place, moves, releases at another.
    pub(crate) fn drag(
        &mut self,
        (from, to): (Point, Point),
        button: Button,
        time: Duration,
        modifiers: Modifiers,
        expected: Window,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Sent, Fault> {
        const STEPS: u32 = 16;
        self.point_to(from)?;
        std::thread::sleep(Duration::from_millis(15));
        let held = self.modifier_keys(modifiers)?;
        let pressed = self.held_still(|side| {
            let top = side.top_at(from)?;
            if top != Some(expected) {
                return Ok(Sent::Elsewhere(top));
            }
            side.keys(&held, KEY_PRESS)?;
            side.fake(BUTTON_PRESS, number(button), (0, 0))?;
            side.sync()?;
            Ok(Sent::Yes)
        })?;
        if pressed != Sent::Yes {
            return Ok(pressed);
        }
        let moved = (1..=STEPS).try_for_each(|i| {
            rest(time / STEPS, wanted);
            if !wanted() {
                // Given up: it is let go where it was taken.
                return self.point_to(from);
            }
            let part = f64::from(i) / f64::from(STEPS);
            self.point_to(Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part))
        });
        // Whatever happened, no button stays down.
        self.fake(BUTTON_RELEASE, number(button), (0, 0))?;
        self.keys(&held, KEY_RELEASE)?;
        self.sync()?;
        moved.map(|()| Sent::Yes)
    }

    /// Turns the wheel by so many clicks, right and down positive, if `expected` is under the pointer.
    pub(crate) fn wheel(&mut self, at: Point, (x, y): (i32, i32), expected: Option<Window>) -> Result<Sent, Fault> {
        self.point_to(at)?;
        self.held_still(|side| {
            let top = side.top_at(at)?;
            if expected.is_some_and(|e| top != Some(e)) {
                return Ok(Sent::Elsewhere(top));
            }
            for (clicks, forth, back) in [(y, 5, 4), (x, 7, 6)] {
                for _ in 0..clicks.unsigned_abs().min(200) {
                    let button = if clicks > 0 { forth } else { back };
                    side.fake(BUTTON_PRESS, button, (0, 0))?;
                    side.fake(BUTTON_RELEASE, button, (0, 0))?;
                }
            }
            side.sync()?;
            Ok(Sent::Yes)
        })
    }

    /// The same where the pointer is.
    pub(crate) fn wheel_here(&mut self, clicks: (i32, i32)) -> Result<(), Fault> {
        let at = self.connection.query_pointer(self.root)?.reply()?;
        self.wheel(Point::new(at.root_x.into(), at.root_y.into()), clicks, None).map(drop)
    }

    /// One raw pointer button.
    pub(crate) fn button(&mut self, button: Button, down: bool) -> Result<(), Fault> {
        self.fake(if down { BUTTON_PRESS } else { BUTTON_RELEASE }, number(button), (0, 0))?;
        self.sync()
    }

    /// Runs `job` while no other client is served.
    pub(super) fn held_still<R>(&mut self, job: impl FnOnce(&mut Self) -> Result<R, Fault>) -> Result<R, Fault> {
        self.connection.grab_server()?;
        let outcome = job(self);
        self.connection.ungrab_server()?;
        self.connection.flush()?;
        outcome
    }

    pub(super) fn keys(&self, keys: &[Keycode], kind: u8) -> Result<(), Fault> {
        keys.iter().try_for_each(|key| self.fake(kind, *key, (0, 0)))
    }

    /// The keyboard now.
    pub(crate) fn keymap(&self) -> Result<Keymap, Fault> {
        let setup = self.connection.setup();
        let (low, high) = (setup.min_keycode, setup.max_keycode);
        let reply = self.connection.get_keyboard_mapping(low, high - low + 1)?.reply()?;
        let per = reply.keysyms_per_keycode.max(1);
        let mut map = Keymap { keys: HashMap::new(), spare: Vec::new(), per };
        for (i, symbols) in reply.keysyms.chunks(per.into()).enumerate() {
            let code = low.saturating_add(i as u8);
            if symbols.iter().all(|s| *s == 0) {
                map.spare.push(code);
                continue;
            }
            for (level, symbol) in symbols.iter().take(2).enumerate().filter(|(_, s)| **s != 0) {
                map.keys.entry(*symbol).or_insert((code, level == 1));
            }
        }
        Ok(map)
    }

    pub(super) fn modifier_keys(&self, modifiers: Modifiers) -> Result<Vec<Keycode>, Fault> {
        let map = self.keymap()?;
        Ok(map.modifiers(modifiers))
    }

    /// Lends meaning to spare keys, for characters that the keyboard lacks; noted on the display, so that whoever comes after
    /// a crash can take it back. Which characters found a key.
    pub(crate) fn lend_keys(
        &mut self,
        symbols: &[Keysym],
        reader: Option<Window>,
    ) -> Result<HashMap<Keysym, Keycode>, Fault> {
        let map = self.keymap()?;
        let lent: HashMap<Keysym, Keycode> = symbols.iter().copied().zip(map.spare.iter().copied()).collect();
        if lent.is_empty() {
            return Ok(lent);
        }
        let codes: Vec<u32> = lent.values().map(|c| u32::from(*c)).collect();
        let note = self.atoms._HANDEYE_KEYCODES;
        self.connection.change_property32(PropMode::REPLACE, self.root, note, AtomEnum::CARDINAL, &codes)?.check()?;
        for (symbol, code) in &lent {
            let both = vec![*symbol; usize::from(map.per)];
            self.connection.change_keyboard_mapping(1, *code, map.per, &both)?.check()?;
        }
        self.sync()?;
        if let Some(window) = reader {
            // They are told before any key that comes after; Qt takes a moment more.
            let _ = self.ping(window, KEYMAP_LIMIT);
        }
        std::thread::sleep(KEYMAP_PAUSE);
        Ok(lent)
    }

    /// Takes back what was lent.
    pub(crate) fn restore_keys(&mut self) -> Result<(), Fault> {
        let note = self.atoms._HANDEYE_KEYCODES;
        let codes = self.numbers(self.root, note, AtomEnum::CARDINAL.into())?;
        if codes.is_empty() {
            return Ok(());
        }
        for code in codes {
            let Ok(code) = Keycode::try_from(code) else { continue };
            self.connection.change_keyboard_mapping(1, code, 1, &[0])?.check()?;
        }
        self.forget(note)
    }

    /// Takes back what one that ended without doing so had lent.
    pub(crate) fn restore_keys_left_over(&mut self) {
        // A display on which this can't be done is found out by the first gesture.
        let _ = self.restore_keys();
    }

    /// Sends key strokes, if the keyboard is in `expected`. The characters that no key stands for are in `lent`.
    pub(crate) fn strokes(
        &mut self,
        strokes: &[Stroke],
        lent: &HashMap<Keysym, Keycode>,
        expected: Option<Window>,
        pace: Duration,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Sent, Fault> {
        let map = self.keymap()?;
        for stroke in strokes {
            if !wanted() {
                return Ok(Sent::Stopped);
            }
            let sent = self.held_still(|side| {
                let focus = side.connection.get_input_focus()?.reply()?.focus;
                if let Some(window) = expected
                    && !side.lies_in(focus, window)?
                {
                    return Ok(Sent::Elsewhere(Some(focus)));
                }
                side.stroke(stroke, &map, lent)?;
                Ok(Sent::Yes)
            })?;
            if sent != Sent::Yes {
                return Ok(sent);
            }
            rest(pace, wanted);
        }
        self.sync()?;
        Ok(Sent::Yes)
    }

    fn stroke(&self, stroke: &Stroke, map: &Keymap, lent: &HashMap<Keysym, Keycode>) -> Result<(), Fault> {
        let found = map.keys.get(&stroke.symbol).copied().or_else(|| lent.get(&stroke.symbol).map(|c| (*c, false)));
        // A character without a key was refused before anything was sent.
        let Some((code, shifted)) = found else { return Err(Fault::Refused) };
        let mut modifiers = stroke.modifiers;
        modifiers.shift |= shifted;
        let held = map.modifiers(modifiers);
        if stroke.down {
            self.keys(&held, KEY_PRESS)?;
            self.fake(KEY_PRESS, code, (0, 0))?;
        }
        if stroke.up {
            self.fake(KEY_RELEASE, code, (0, 0))?;
            let back: Vec<Keycode> = held.iter().rev().copied().collect();
            self.keys(&back, KEY_RELEASE)?;
        }
        self.sync()
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        self.restore_keys_left_over();
    }
}

impl Keymap {
    fn modifiers(&self, modifiers: Modifiers) -> Vec<Keycode> {
        let held =
            [(modifiers.ctrl, 0xffe3), (modifiers.alt, 0xffe9), (modifiers.meta, 0xffeb), (modifiers.shift, 0xffe1)];
        held.iter().filter(|h| h.0).filter_map(|(_, symbol)| self.keys.get(symbol).map(|k| k.0)).collect()
    }

    /// The symbols that keys stand for.
    pub(crate) fn symbols(&self) -> BTreeSet<Keysym> {
        self.keys.keys().copied().collect()
    }

    /// How many keys mean nothing.
    pub(crate) fn spare(&self) -> usize {
        self.spare.len()
    }
}

/// One key down, up, or both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) symbol: Keysym,
    pub(crate) modifiers: Modifiers,
    pub(crate) down: bool,
    pub(crate) up: bool,
}

impl Stroke {
    /// A character.
    pub(crate) fn of(c: char) -> Self {
        Self { symbol: symbol(c), modifiers: Modifiers::default(), down: true, up: true }
    }

    /// A chord; none where its key has no symbol.
    pub(crate) fn chord(chord: &Chord) -> Option<Self> {
        Some(Self { symbol: named(&chord.key)?, modifiers: chord.modifiers, down: true, up: true })
    }
}

/// Waits for a time, or until nobody wants what comes after it.
fn rest(time: Duration, wanted: &dyn Fn() -> bool) {
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

pub(super) fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}

/// The keysym of a character.
pub(crate) fn symbol(c: char) -> Keysym {
    match c {
        '\n' | '\r' => 0xff0d,
        '\t' => 0xff09,
        ' '..='~' | '\u{a0}'..='\u{ff}' => c as Keysym,
        _ => 0x0100_0000 | c as Keysym,
    }
}

/// The keysym of a key as `KeyboardEvent.key` names it.
fn named(key: &str) -> Option<Keysym> {
    const KEYS: [(&str, Keysym); 24] = [
        ("Enter", 0xff0d),
        ("Tab", 0xff09),
        ("Escape", 0xff1b),
        ("Backspace", 0xff08),
        ("Delete", 0xffff),
        ("Insert", 0xff63),
        ("Home", 0xff50),
        ("End", 0xff57),
        ("PageUp", 0xff55),
        ("PageDown", 0xff56),
        ("ArrowLeft", 0xff51),
        ("ArrowUp", 0xff52),
        ("ArrowRight", 0xff53),
        ("ArrowDown", 0xff54),
        ("Shift", 0xffe1),
        ("Control", 0xffe3),
        ("Alt", 0xffe9),
        ("Meta", 0xffeb),
        ("CapsLock", 0xffe5),
        ("ContextMenu", 0xff67),
        ("Pause", 0xff13),
        ("PrintScreen", 0xff61),
        ("ScrollLock", 0xff14),
        ("NumLock", 0xff7f),
    ];
    if let Some((_, symbol)) = KEYS.iter().find(|(name, _)| *name == key) {
        return Some(*symbol);
    }
    if let Some(n) = key.strip_prefix('F').and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=24).contains(n)) {
        return Some(0xffbd + n);
    }
    let mut chars = key.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Some(symbol(c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_keys_have_symbols() {
        assert_eq!([symbol('a'), symbol('é'), symbol('中'), symbol('😀')], [0x61, 0xe9, 0x0100_4e2d, 0x0101_f600]);
        assert_eq!(named("F12"), Some(0xffc9));
        assert_eq!(named("Enter"), Some(0xff0d));
        assert_eq!(named("F"), Some(0x46));
        assert_eq!(named("Hyper"), None);
    }
}
