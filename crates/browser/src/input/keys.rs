//! Keys and buttons as the protocol has them: the US layout, and keys without a code for other characters.

use handeye_scene::{Button, Chord, Modifiers};
use serde_json::{Value, json};

/// The protocol's word for a button.
pub(crate) fn button(button: Button) -> &'static str {
    match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
    }
}

/// The protocol's bit for a held button.
pub(crate) fn button_bit(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Right => 2,
        Button::Middle => 4,
    }
}

/// The protocol's bits for modifiers.
pub(crate) fn modifier_bits(m: Modifiers) -> u8 {
    u8::from(m.alt) | u8::from(m.ctrl) << 1 | u8::from(m.meta) << 2 | u8::from(m.shift) << 3
}

/// The modifiers that the protocol's bits stand for.
pub(crate) fn modifiers_of(bits: u8) -> Modifiers {
    Modifiers { alt: bits & 1 != 0, ctrl: bits & 2 != 0, meta: bits & 4 != 0, shift: bits & 8 != 0 }
}

struct Key {
    key: String,
    code: String,
    code_point: u32,
    text: Option<String>,
    shifted: bool,
    /// Whether it is on the keypad.
    keypad: bool,
}

/// Keys of the keypad beside the digits: code, key, Windows virtual key code.
const KEYPAD: [(&str, &str, u32); 6] = [
    ("NumpadMultiply", "*", 106),
    ("NumpadAdd", "+", 107),
    ("NumpadSubtract", "-", 109),
    ("NumpadDecimal", ".", 110),
    ("NumpadDivide", "/", 111),
    ("NumpadEnter", "Enter", 13),
];

/// Keys that aren't characters: name, Windows virtual key code.
const NAMED: [(&str, u32); 24] = [
    ("Enter", 13),
    ("Tab", 9),
    ("Escape", 27),
    ("Backspace", 8),
    ("Delete", 46),
    ("Insert", 45),
    ("Home", 36),
    ("End", 35),
    ("PageUp", 33),
    ("PageDown", 34),
    ("ArrowUp", 38),
    ("ArrowDown", 40),
    ("ArrowLeft", 37),
    ("ArrowRight", 39),
    ("Shift", 16),
    ("Control", 17),
    ("Alt", 18),
    ("Meta", 91),
    ("CapsLock", 20),
    ("ContextMenu", 93),
    ("Pause", 19),
    ("PrintScreen", 44),
    ("ScrollLock", 145),
    ("NumLock", 144),
];

/// Keys of the US layout that are neither letters nor digits: plain, with Shift, code, Windows virtual key code.
const SIGNS: [(char, char, &str, u32); 12] = [
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    ('`', '~', "Backquote", 192),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    (' ', ' ', "Space", 32),
];

/// A key of the keypad, by its code, as it is while the number lock is on.
fn keypad_key(code: &str) -> Option<Key> {
    let made = |key: &str, code_point| {
        let text = if key == "Enter" { "\r" } else { key };
        let (key, text) = (key.to_owned(), Some(text.to_owned()));
        Key { key, code: code.to_owned(), code_point, text, shifted: false, keypad: true }
    };
    if let Some((_, key, code_point)) = KEYPAD.iter().find(|known| known.0 == code) {
        return Some(made(key, *code_point));
    }
    let digit = code.strip_prefix("Numpad").filter(|digit| digit.len() == 1)?;
    digit.parse::<u32>().ok().map(|number| made(digit, 96 + number))
}

const SHIFTED_DIGITS: &str = ")!@#$%^&*(";

fn key(name: &str, shift: bool) -> Option<Key> {
    if let Some((key, code_point)) = NAMED.iter().find(|k| k.0 == name) {
        let code = match *key {
            "Shift" | "Control" | "Alt" | "Meta" => format!("{key}Left"),
            other => other.to_owned(),
        };
        let text = (*key == "Enter").then(|| "\r".to_owned());
        return Some(Key {
            key: (*key).to_owned(),
            code,
            code_point: *code_point,
            text,
            shifted: false,
            keypad: false,
        });
    }
    if let Some(key) = keypad_key(name) {
        return Some(key);
    }
    if let Some(number) = name.strip_prefix('F').and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=24).contains(n)) {
        let (key, code) = (name.to_owned(), name.to_owned());
        return Some(Key { key, code, code_point: 111 + number, text: None, shifted: false, keypad: false });
    }
    let mut chars = name.chars();
    let (c, None) = (chars.next()?, chars.next()) else { return None };
    let made = |code: String, code_point: u32, plain: char, shifted: char| {
        let is_shifted = c == shifted && c != plain;
        let shown = if shift && !is_shifted { shifted } else { c };
        let (key, text) = (shown.to_string(), Some(shown.to_string()));
        Some(Key { key, code, code_point, text, shifted: is_shifted, keypad: false })
    };
    if c.is_ascii_alphabetic() {
        let upper = c.to_ascii_uppercase();
        return made(format!("Key{upper}"), upper as u32, c.to_ascii_lowercase(), upper);
    }
    if let Some(digit) = c.to_digit(10) {
        let shifted = SHIFTED_DIGITS.chars().nth(digit as usize).unwrap_or(c);
        return made(format!("Digit{digit}"), 48 + digit, c, shifted);
    }
    if let Some(digit) = SHIFTED_DIGITS.find(c) {
        let plain = char::from_digit(digit as u32, 10).unwrap_or(c);
        return made(format!("Digit{digit}"), 48 + digit as u32, plain, c);
    }
    SIGNS.iter().find(|s| s.0 == c || s.1 == c).and_then(|s| made(s.2.to_owned(), s.3, s.0, s.1))
}

/// Editing commands that Chromium leaves to the platform, and that synthetic keys don't reach by themselves.
fn commands(chord: &Chord) -> &'static [&'static str] {
    let m = chord.modifiers;
    if (m.ctrl || m.meta) && !m.alt && !m.shift {
        return match chord.key.to_ascii_lowercase().as_str() {
            "a" => &["selectAll"],
            "c" => &["copy"],
            "x" => &["cut"],
            "v" => &["paste"],
            "z" => &["undo"],
            "y" => &["redo"],
            _ => &[],
        };
    }
    &[]
}

// No `nativeVirtualKeyCode`: it is the platform's own code, and a Windows code there is another key to the browser's own
// shortcuts (on Linux 67 is F1), which then keep ctrl+c from the page.

/// Whether a key of the layout makes it.
pub(crate) fn is_on_layout(chord: &Chord) -> bool {
    key(&chord.key, chord.modifiers.shift).is_some()
}

/// Parameters of `Input.dispatchKeyEvent` for a key going down. None: the key isn't on the layout.
pub(crate) fn key_down(chord: &Chord) -> Option<Value> {
    key(&chord.key, chord.modifiers.shift).map(|key| down(key, chord))
}

/// Parameters of `Input.dispatchKeyEvent` for a key going up.
pub(crate) fn key_up(chord: &Chord) -> Option<Value> {
    key(&chord.key, chord.modifiers.shift).map(|key| up(&key, chord))
}

/// Both for a character that no key of the layout makes: of a key without a code. None: it isn't one character.
pub(crate) fn without_code(chord: &Chord) -> Option<(Value, Value)> {
    let mut chars = chord.key.chars();
    let (Some(_), None) = (chars.next(), chars.next()) else { return None };
    let (name, text) = (chord.key.clone(), Some(chord.key.clone()));
    let key = Key { key: name, code: String::new(), code_point: 0, text, shifted: false, keypad: false };
    let up = up(&key, chord);
    Some((down(key, chord), up))
}

fn down(key: Key, chord: &Chord) -> Value {
    let mut modifiers = chord.modifiers;
    modifiers.shift |= key.shifted;
    let types = !(modifiers.ctrl || modifiers.alt || modifiers.meta);
    let text = key.text.filter(|_| types);
    let mut params = json!({
        "type": if text.is_some() { "keyDown" } else { "rawKeyDown" },
        "modifiers": modifier_bits(modifiers),
        "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.code_point,
        "location": u8::from(key.code.ends_with("Left") && key.code_point < 92 && key.code_point != 37),
        "isKeypad": key.keypad,
        "commands": commands(chord),
    });
    if let Some(text) = text {
        params["text"] = json!(text);
        params["unmodifiedText"] = json!(text);
    }
    params
}

fn up(key: &Key, chord: &Chord) -> Value {
    json!({
        "type": "keyUp", "modifiers": modifier_bits(chord.modifiers),
        "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.code_point, "isKeypad": key.keypad,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(v: &Value) -> String {
        format!("{} {} {} {} {}", v["type"], v["key"], v["code"], v["text"], v["modifiers"])
    }

    fn down(key: &str, modifiers: Modifiers) -> String {
        key_down(&Chord { modifiers, key: key.into() }).map_or_else(|| "none".into(), |v| told(&v))
    }

    #[test]
    fn keys_are_those_of_the_us_layout() {
        let none = Modifiers::default();
        assert_eq!(down("a", none), r#""keyDown" "a" "KeyA" "a" 0"#);
        assert_eq!(down("A", none), r#""keyDown" "A" "KeyA" "A" 8"#);
        assert_eq!(down("?", none), r#""keyDown" "?" "Slash" "?" 8"#);
        assert_eq!(down("(", none), r#""keyDown" "(" "Digit9" "(" 8"#);
        assert_eq!(down("Enter", none), r#""keyDown" "Enter" "Enter" "\r" 0"#);
        assert_eq!(down("Tab", none), r#""rawKeyDown" "Tab" "Tab" null 0"#);
        assert_eq!(down("Numpad1", none), r#""keyDown" "1" "Numpad1" "1" 0"#);
        assert_eq!(down("NumpadEnter", none), r#""keyDown" "Enter" "NumpadEnter" "\r" 0"#);
        assert_eq!(down("Numpad10", none), "none");
        assert_eq!(down("中", none), "none");
        let ctrl = Modifiers { ctrl: true, ..none };
        assert_eq!(down("a", ctrl), r#""rawKeyDown" "a" "KeyA" null 2"#);
        let shift = Modifiers { shift: true, ..none };
        assert_eq!(down("1", shift), r#""keyDown" "!" "Digit1" "!" 8"#);
        assert_eq!(down("ArrowLeft", shift), r#""rawKeyDown" "ArrowLeft" "ArrowLeft" null 8"#);
    }

    #[test]
    fn a_character_that_no_key_makes_comes_of_one_without_a_code() {
        let none = Modifiers::default();
        let made = |key: &str, modifiers| {
            without_code(&Chord { modifiers, key: key.into() }).map(|(down, up)| [told(&down), told(&up)])
        };
        let both = |down: &str, up: &str| Some([down.to_owned(), up.to_owned()]);
        assert_eq!(made("é", none), both(r#""keyDown" "é" "" "é" 0"#, r#""keyUp" "é" "" null 0"#));
        let ctrl = Modifiers { ctrl: true, ..none };
        assert_eq!(made("é", ctrl), both(r#""rawKeyDown" "é" "" null 2"#, r#""keyUp" "é" "" null 2"#));
        assert_eq!(made("Numpad10", none), None);
    }
}
