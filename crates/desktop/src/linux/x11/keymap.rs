//! The keyboard as the display has it: which key stands for what.

use crate::linux::x11::layout;
use crate::linux::x11::server::{Fault, Server};
use handeye_scene::{Chord, Code, Modifiers, Problem};
use std::collections::{BTreeSet, HashMap};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, KeyButMask, Keycode, Keysym};

/// A key and whether Shift makes it the character.
pub(crate) type Key = (Keycode, bool);

/// The keyboard as it is, with the keys that mean nothing.
pub(crate) struct Keymap {
    keys: HashMap<Keysym, Key>,
    /// Keys of letters, which the shift lock turns round.
    letters: BTreeSet<Keycode>,
    /// Keys of the keypad with two meanings, which the number lock turns round.
    keypad: BTreeSet<Keycode>,
    pub(crate) spare: Vec<Keycode>,
    pub(crate) per: u8,
    /// Whether the shift lock is on.
    pub(crate) caps: bool,
    /// Whether the number lock is on.
    num: bool,
}

/// The keyboard now.
pub(crate) fn keymap(server: &Server) -> Result<Keymap, Fault> {
    let setup = server.connection.setup();
    let (low, high) = (setup.min_keycode, setup.max_keycode);
    let reply = server.connection.get_keyboard_mapping(low, high - low + 1)?.reply()?;
    let per = reply.keysyms_per_keycode.max(1);
    let state = u16::from(server.connection.query_pointer(server.root)?.reply()?.mask);
    let layout = layout::layout(server, state)?;
    let mut map = Keymap {
        keys: HashMap::new(),
        letters: BTreeSet::new(),
        keypad: BTreeSet::new(),
        spare: Vec::new(),
        per,
        caps: state & u16::from(KeyButMask::LOCK) != 0,
        // By convention the number lock is the second modifier.
        num: state & u16::from(KeyButMask::MOD2) != 0,
    };
    for (i, symbols) in reply.keysyms.chunks(per.into()).enumerate() {
        let code = low.saturating_add(i as u8);
        if symbols.iter().all(|s| *s == 0) {
            map.spare.push(code);
            continue;
        }
        let levels = layout.levels(code, symbols);
        if is_letter(levels) {
            map.letters.insert(code);
        }
        if levels[0] != levels[1] && levels.iter().any(|symbol| KEYPAD.contains(symbol)) {
            map.keypad.insert(code);
        }
        // The shift lock turns a small letter round that stands alone, and nothing turns it back.
        let lost = |symbol: Keysym| map.caps && !is_letter(levels) && is_small(symbol);
        let written: Vec<(usize, Keysym)> =
            levels.into_iter().enumerate().filter(|(_, s)| *s != 0 && !lost(*s)).collect();
        for (level, symbol) in written {
            map.keys.entry(symbol).or_insert((code, level == 1));
        }
    }
    Ok(map)
}

impl Keymap {
    /// The keys of modifiers. One that the keyboard lacks must not be left out: the rest would mean something else.
    pub(crate) fn modifiers(&self, modifiers: Modifiers) -> Result<Vec<Keycode>, Fault> {
        let all = [
            (modifiers.ctrl, 0xffe3, "Control"),
            (modifiers.alt, 0xffe9, "Alt"),
            (modifiers.meta, 0xffeb, "Meta"),
            (modifiers.shift, 0xffe1, "Shift"),
        ];
        let wanted = all.iter().filter(|modifier| modifier.0);
        let key = |(_, symbol, name): &(bool, Keysym, &str)| {
            let lacking = || Problem::new(Code::Unsupported, format!("this keyboard has no key for {name}"));
            self.keys.get(symbol).map(|key| key.0).ok_or_else(|| Fault::Problem(lacking()))
        };
        wanted.map(key).collect()
    }

    /// The modifiers to hold for a key, so that it means what it stands for.
    pub(crate) fn for_key(&self, modifiers: Modifiers, code: Keycode, shifted: bool) -> Modifiers {
        let shift = modifiers.shift || shifted;
        // A chord means the key, whatever is written on it.
        let writes = !(modifiers.ctrl || modifiers.alt || modifiers.meta);
        let turned = writes && self.caps && self.letters.contains(&code);
        let turned = turned != (self.num && self.keypad.contains(&code));
        Modifiers { shift: shift != turned, ..modifiers }
    }

    /// The key that a symbol stands on.
    pub(crate) fn key(&self, symbol: Keysym) -> Option<Key> {
        self.keys.get(&symbol).copied()
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

/// One key, pressed with what is held for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) symbol: Keysym,
    pub(crate) modifiers: Modifiers,
}

impl Stroke {
    /// A character.
    pub(crate) fn of(c: char) -> Self {
        Self { symbol: symbol(c), modifiers: Modifiers::default() }
    }

    /// A chord; none where its key has no symbol.
    pub(crate) fn chord(chord: &Chord) -> Option<Self> {
        Some(Self { symbol: named(&chord.key)?, modifiers: chord.modifiers })
    }
}

/// The symbols that keys of the keypad write.
const KEYPAD: std::ops::RangeInclusive<Keysym> = 0xffaa..=0xffb9;

/// What a symbol writes.
fn character(symbol: Keysym) -> Option<char> {
    match symbol {
        0x20..=0xff => char::from_u32(symbol),
        0x0100_0000..=0x0110_ffff => char::from_u32(symbol - 0x0100_0000),
        _ => None,
    }
}

/// A letter small and large, as the shift lock needs it: it makes a large one of one that stands alone. Else the symbol twice.
pub(crate) fn cased(of: Keysym) -> [Keysym; 2] {
    let only = |mut chars: Box<dyn Iterator<Item = char>>| chars.next().filter(|_| chars.next().is_none()).map(symbol);
    let Some(c) = character(of) else { return [of; 2] };
    let pair = [only(Box::new(c.to_lowercase())), only(Box::new(c.to_uppercase()))];
    match pair {
        [Some(small), Some(large)] if is_letter([small, large]) => [small, large],
        _ => [of; 2],
    }
}

/// Whether a key writes a letter, small and large.
fn is_letter([small, large]: [Keysym; 2]) -> bool {
    match (character(small), character(large)) {
        (Some(small), Some(large)) => small != large && small.to_uppercase().eq([large]),
        _ => false,
    }
}

/// Whether a symbol writes a small letter that there is a large one of.
fn is_small(of: Keysym) -> bool {
    character(of).is_some_and(|c| c.is_lowercase() && !c.to_uppercase().eq([c]))
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
pub(crate) fn named(key: &str) -> Option<Keysym> {
    const KEYS: [(&str, Keysym); 30] = [
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
        ("NumpadEnter", 0xff8d),
        ("NumpadMultiply", 0xffaa),
        ("NumpadAdd", 0xffab),
        ("NumpadSubtract", 0xffad),
        ("NumpadDecimal", 0xffae),
        ("NumpadDivide", 0xffaf),
    ];
    if let Some((_, symbol)) = KEYS.iter().find(|(name, _)| *name == key) {
        return Some(*symbol);
    }
    if let Some(n) = key.strip_prefix('F').and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=24).contains(n)) {
        return Some(0xffbd + n);
    }
    let digit = key.strip_prefix("Numpad").filter(|digit| digit.len() == 1);
    if let Some(digit) = digit.and_then(|digit| digit.parse::<u32>().ok()) {
        return Some(0xffb0 + digit);
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
        assert_eq!([named("Numpad0"), named("Numpad9"), named("NumpadAdd")], [0xffb0, 0xffb9, 0xffab].map(Some));
        assert_eq!(named("Hyper"), None);
    }

    #[test]
    fn the_shift_lock_turns_letters_round_and_the_number_lock_the_keypad() {
        assert_eq!([is_letter([0x66, 0x46]), is_letter([0x31, 0x21]), is_letter([0xff0d, 0])], [true, false, false]);
        let letters = [41].into_iter().collect();
        let keypad = [79].into_iter().collect();
        let map = Keymap { keys: HashMap::new(), letters, keypad, spare: Vec::new(), per: 2, caps: true, num: true };
        let shift = |modifiers, code, shifted| map.for_key(modifiers, code, shifted).shift;
        let (none, ctrl) = (Modifiers::default(), Modifiers { ctrl: true, ..Modifiers::default() });
        assert_eq!([shift(none, 41, false), shift(none, 41, true)], [true, false]);
        assert_eq!([shift(none, 10, false), shift(none, 10, true)], [false, true]);
        assert!(!shift(ctrl, 41, false), "a chord isn't written");
        assert_eq!([shift(none, 79, true), shift(ctrl, 79, true), shift(none, 79, false)], [false, false, true]);
        assert_eq!(
            ["ä", "Ä", "ß", "中"].map(|c| cased(symbol(c.chars().next().unwrap_or_default()))),
            [[0xe4, 0xc4], [0xe4, 0xc4], [0xdf, 0xdf], [0x0100_4e2d, 0x0100_4e2d]]
        );
    }
}
