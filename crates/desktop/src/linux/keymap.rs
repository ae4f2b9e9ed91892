//! The keyboard as the display has it: which key stands for what, and spare keys that are lent a meaning for a while.

use super::display::{Fault, Side};
use handeye_scene::{Code, Modifiers, Problem};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, KeyButMask, Keycode, Keysym, Window};

/// How long apps get to notice that keys mean something else now. Qt drops characters without it.
const KEYMAP_PAUSE: Duration = Duration::from_millis(12);
/// How long one may take to say that it has been told.
const KEYMAP_LIMIT: Duration = Duration::from_secs(2);

/// A key and whether Shift makes it the character.
pub(super) type Key = (Keycode, bool);

/// The keyboard as it is, with the keys that mean nothing.
pub(crate) struct Keymap {
    keys: HashMap<Keysym, Key>,
    /// Keys of letters, which the shift lock turns round.
    letters: BTreeSet<Keycode>,
    spare: Vec<Keycode>,
    per: u8,
    /// Whether the shift lock is on.
    caps: bool,
}

impl Side {
    /// The keyboard now.
    pub(crate) fn keymap(&self) -> Result<Keymap, Fault> {
        let setup = self.connection.setup();
        let (low, high) = (setup.min_keycode, setup.max_keycode);
        let reply = self.connection.get_keyboard_mapping(low, high - low + 1)?.reply()?;
        let per = reply.keysyms_per_keycode.max(1);
        let state = u16::from(self.connection.query_pointer(self.root)?.reply()?.mask);
        let layout = self.layout(state)?;
        let mut map = Keymap {
            keys: HashMap::new(),
            letters: BTreeSet::new(),
            spare: Vec::new(),
            per,
            caps: state & u16::from(KeyButMask::LOCK) != 0,
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

    pub(super) fn modifier_keys(&self, modifiers: Modifiers) -> Result<Vec<Keycode>, Fault> {
        let map = self.keymap()?;
        Ok(self.not_held(map.modifiers(modifiers)?))
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
        self.lent = lent.values().copied().collect();
        self.note(self.atoms._HANDEYE_KEYCODES, &codes)?;
        for (symbol, code) in &lent {
            let levels = if map.caps { cased(*symbol) } else { [*symbol; 2] };
            let all: Vec<Keysym> = levels.into_iter().cycle().take(usize::from(map.per.max(2))).collect();
            self.connection.change_keyboard_mapping(1, *code, map.per.max(2), &all)?.check()?;
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
        if self.lent.is_empty() {
            return Ok(());
        }
        let lent = std::mem::take(&mut self.lent);
        self.free(&lent)?;
        self.note(self.atoms._HANDEYE_KEYCODES, &[])
    }

    /// Takes back what sessions had lent that ended without doing so.
    pub(crate) fn restore_keys_left_over(&mut self) -> Result<(), Fault> {
        let left = self.take_left_over(self.atoms._HANDEYE_KEYCODES)?;
        let codes: Vec<Keycode> =
            left.into_iter().filter_map(|code| code.try_into().ok()).filter(|c| *c >= 8).collect();
        self.free(&codes)
    }

    /// Takes the meaning from keys.
    fn free(&self, codes: &[Keycode]) -> Result<(), Fault> {
        for code in codes {
            self.connection.change_keyboard_mapping(1, *code, 1, &[0])?.check()?;
        }
        self.sync()
    }
}

impl Keymap {
    /// The keys of modifiers. One that the keyboard lacks must not be left out: the rest would mean something else.
    pub(super) fn modifiers(&self, modifiers: Modifiers) -> Result<Vec<Keycode>, Fault> {
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
    pub(super) fn for_key(&self, modifiers: Modifiers, code: Keycode, shifted: bool) -> Modifiers {
        let shift = modifiers.shift || shifted;
        // A chord means the key, whatever is written on it.
        let writes = !(modifiers.ctrl || modifiers.alt || modifiers.meta);
        let turned = writes && self.caps && self.letters.contains(&code);
        Modifiers { shift: shift != turned, ..modifiers }
    }

    /// The key that a symbol stands on.
    pub(super) fn key(&self, symbol: Keysym) -> Option<Key> {
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

/// What a symbol writes.
fn character(symbol: Keysym) -> Option<char> {
    match symbol {
        0x20..=0xff => char::from_u32(symbol),
        0x0100_0000..=0x0110_ffff => char::from_u32(symbol - 0x0100_0000),
        _ => None,
    }
}

/// A letter small and large, as the shift lock needs it: it makes a large one of one that stands alone. Else the symbol twice.
fn cased(of: Keysym) -> [Keysym; 2] {
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
pub(super) fn named(key: &str) -> Option<Keysym> {
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

    #[test]
    fn the_shift_lock_turns_letters_round_and_nothing_else() {
        assert_eq!([is_letter([0x66, 0x46]), is_letter([0x31, 0x21]), is_letter([0xff0d, 0])], [true, false, false]);
        let letters = [41].into_iter().collect();
        let map = Keymap { keys: HashMap::new(), letters, spare: Vec::new(), per: 2, caps: true };
        let shift = |modifiers, code, shifted| map.for_key(modifiers, code, shifted).shift;
        let (none, ctrl) = (Modifiers::default(), Modifiers { ctrl: true, ..Modifiers::default() });
        assert_eq!([shift(none, 41, false), shift(none, 41, true)], [true, false]);
        assert_eq!([shift(none, 10, false), shift(none, 10, true)], [false, true]);
        assert!(!shift(ctrl, 41, false), "a chord isn't written");
        assert_eq!(
            ["ä", "Ä", "ß", "中"].map(|c| cased(symbol(c.chars().next().unwrap_or_default()))),
            [[0xe4, 0xc4], [0xe4, 0xc4], [0xdf, 0xdf], [0x0100_4e2d, 0x0100_4e2d]]
        );
    }
}
