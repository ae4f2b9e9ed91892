//! Keys by the names that `KeyboardEvent.key` has for them, as Windows numbers them.

/// Virtual keys by name.
const KEYS: [(&str, u16); 31] = [
    ("Enter", 0x0d),
    ("Tab", 0x09),
    ("Escape", 0x1b),
    ("Backspace", 0x08),
    ("Delete", 0x2e),
    ("Insert", 0x2d),
    ("Home", 0x24),
    ("End", 0x23),
    ("PageUp", 0x21),
    ("PageDown", 0x22),
    ("ArrowLeft", 0x25),
    ("ArrowUp", 0x26),
    ("ArrowRight", 0x27),
    ("ArrowDown", 0x28),
    ("Shift", 0x10),
    ("Control", 0x11),
    ("Alt", 0x12),
    ("Meta", 0x5b),
    ("CapsLock", 0x14),
    ("ContextMenu", 0x5d),
    ("Pause", 0x13),
    ("PrintScreen", 0x2c),
    ("ScrollLock", 0x91),
    ("NumLock", 0x90),
    (" ", 0x20),
    ("NumpadMultiply", 0x6a),
    ("NumpadAdd", 0x6b),
    ("NumpadSubtract", 0x6d),
    ("NumpadDecimal", 0x6e),
    ("NumpadDivide", 0x6f),
    ("NumpadEnter", KEYPAD_ENTER),
];
/// Enter of the keypad: the code of Enter with a bit that no code has, since only a flag tells them apart.
pub const KEYPAD_ENTER: u16 = 0x100 | 0x0d;
/// Keys of the extended block, which are told apart by a flag.
const EXTENDED: [u16; 15] =
    [0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x2c, 0x2d, 0x2e, 0x5b, 0x5d, 0x6f, KEYPAD_ENTER];

/// What a key is sent as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A virtual key.
    Virtual(u16),
    /// A character, by whichever key the layout has it on.
    Character(char),
}

/// A key by its name; none where there is no such key.
pub fn named(key: &str) -> Option<Key> {
    if let Some((_, code)) = KEYS.iter().find(|(name, _)| *name == key) {
        return Some(Key::Virtual(*code));
    }
    if let Some(n) = key.strip_prefix('F').and_then(|n| n.parse::<u16>().ok()).filter(|n| (1..=24).contains(n)) {
        return Some(Key::Virtual(0x6f + n));
    }
    let digit = key.strip_prefix("Numpad").filter(|digit| digit.len() == 1);
    if let Some(digit) = digit.and_then(|digit| digit.parse::<u16>().ok()) {
        return Some(Key::Virtual(0x60 + digit));
    }
    let mut chars = key.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Some(Key::Character(c)),
        _ => None,
    }
}

/// The code that the system knows a key by.
pub fn system_code(code: u16) -> u16 {
    code & 0xff
}

/// Whether a virtual key is of the extended block.
pub fn is_extended(code: u16) -> bool {
    EXTENDED.contains(&code)
}

/// Pixels as notches of the wheel, right and down positive.
pub fn notches(dx: f64, dy: f64) -> (i32, i32) {
    const NOTCH: f64 = 60.0;
    let count = |d: f64| (d / NOTCH).abs().ceil().min(200.0).copysign(d) as i32;
    (if dx == 0.0 { 0 } else { count(dx) }, if dy == 0.0 { 0 } else { count(dy) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_numbers_and_characters_stay_characters() {
        assert_eq!(named("F4"), Some(Key::Virtual(0x73)));
        assert_eq!(named("Enter"), Some(Key::Virtual(0x0d)));
        assert_eq!(named("s"), Some(Key::Character('s')));
        assert_eq!(named("漢"), Some(Key::Character('漢')));
        assert_eq!(named("Hyper"), None);
        assert!(is_extended(0x27) && !is_extended(0x0d));
        assert_eq!([named("Numpad7"), named("NumpadEnter")], [0x67, KEYPAD_ENTER].map(|code| Some(Key::Virtual(code))));
        assert!(is_extended(KEYPAD_ENTER) && system_code(KEYPAD_ENTER) == 0x0d);
    }

    #[test]
    fn pixels_are_notches_of_the_wheel() {
        assert_eq!(notches(0.0, 600.0), (0, 10));
        assert_eq!(notches(-1.0, 0.0), (-1, 0));
    }
}
