//! Keys by their names: `ctrl+shift+t`, `Enter`, `F13`, `Numpad1`.

use super::gesture::{Chord, Modifiers};
use super::problem::{Code, Problem};

/// Names of keys that aren't one character, as `KeyboardEvent.key` has them (UI Events KeyboardEvent key Values). Beside them
/// there are F1 to F24.
const KEYS: [&str; 24] = [
    "Enter",
    "Tab",
    "Escape",
    "Backspace",
    "Delete",
    "Insert",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Shift",
    "Control",
    "Alt",
    "Meta",
    "CapsLock",
    "ContextMenu",
    "Pause",
    "PrintScreen",
    "ScrollLock",
    "NumLock",
];

/// Keys of the keypad beside the digits, behind `Numpad` (`KeyboardEvent.code`) or `KP_` (X11).
const KEYPAD: [&str; 6] = ["Add", "Subtract", "Multiply", "Divide", "Decimal", "Enter"];

/// A key of the keypad, by the web's name or X11's: `Numpad1`, `KP_1`, `NumpadEnter`, `KP_Enter`.
fn keypad_key(name: &str) -> Option<String> {
    let after = |prefix: &str| {
        let is_prefix = name.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
        name.get(prefix.len()..).filter(|_| is_prefix)
    };
    let key = after("numpad").or_else(|| after("kp_"))?;
    if let [b'0'..=b'9'] = key.as_bytes() {
        return Some(format!("Numpad{key}"));
    }
    KEYPAD.iter().find(|known| known.eq_ignore_ascii_case(key)).map(|known| format!("Numpad{known}"))
}

fn named_key(name: &str) -> Option<String> {
    let alias = match name.to_ascii_lowercase().as_str() {
        "return" => "Enter",
        "esc" => "Escape",
        "del" => "Delete",
        "ins" => "Insert",
        "up" => "ArrowUp",
        "down" => "ArrowDown",
        "left" => "ArrowLeft",
        "right" => "ArrowRight",
        "pgup" => "PageUp",
        "pgdn" | "pgdown" => "PageDown",
        "ctrl" => "Control",
        "cmd" | "super" | "win" => "Meta",
        "space" => return Some(" ".into()),
        "plus" => return Some("+".into()),
        _ => "",
    };
    if !alias.is_empty() {
        return Some(alias.into());
    }
    if let Some(key) = KEYS.iter().find(|k| k.eq_ignore_ascii_case(name)) {
        return Some((*key).into());
    }
    if let Some(key) = keypad_key(name) {
        return Some(key);
    }
    let number = name.strip_prefix(['F', 'f']).and_then(|n| n.parse::<u8>().ok());
    if let Some(number) = number.filter(|n| (1..=24).contains(n)) {
        return Some(format!("F{number}"));
    }
    (name.chars().count() == 1).then(|| name.to_owned())
}

/// Adds the key with this name to those that are held; false where it is none that can be.
pub fn hold(modifiers: &mut Modifiers, name: &str) -> bool {
    match name.to_ascii_lowercase().as_str() {
        "ctrl" | "control" => modifiers.ctrl = true,
        "shift" => modifiers.shift = true,
        "alt" | "option" => modifiers.alt = true,
        "meta" | "cmd" | "command" | "super" | "win" => modifiers.meta = true,
        _ => return false,
    }
    true
}

/// `ctrl+shift+t` as a chord.
pub fn chord(text: &str) -> Result<Chord, Problem> {
    let wrong = |what: &str| {
        Problem::new(Code::BadRequest, format!("`{text}` is no key: {what}"))
            .hint("handeye keys \"ctrl+a Enter\"")
            .hint("handeye keys --help")
    };
    // A plus sign can be the key itself: `+`, `ctrl++`.
    let (held, key) = match text.strip_suffix("++") {
        Some(held) => (held, "+"),
        None if text == "+" => ("", "+"),
        None => text.rsplit_once('+').unwrap_or(("", text)),
    };
    let mut modifiers = Modifiers::default();
    for name in held.split('+').filter(|n| !n.is_empty()) {
        if !hold(&mut modifiers, name) {
            return Err(wrong(&format!("`{name}` is no modifier (ctrl, shift, alt, meta)")));
        }
    }
    let key = named_key(key)
        .ok_or_else(|| wrong("write one character, or a name such as Enter, Tab, ArrowDown, F5, Numpad1"))?;
    Ok(Chord { modifiers, key })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match chord(text) {
            Ok(c) => {
                let m = c.modifiers;
                let held = [(m.ctrl, "ctrl "), (m.shift, "shift "), (m.alt, "alt "), (m.meta, "meta ")];
                format!("{}{:?}", held.iter().filter(|h| h.0).map(|h| h.1).collect::<String>(), c.key)
            }
            Err(problem) => problem.message,
        }
    }

    #[test]
    fn chords_are_read_as_people_write_them() {
        assert_eq!(shown("ctrl+a"), "ctrl \"a\"");
        assert_eq!(shown("Control+Shift+ArrowLeft"), "ctrl shift \"ArrowLeft\"");
        assert_eq!(shown("enter"), "\"Enter\"");
        assert_eq!(shown("中"), "\"中\"");
        assert_eq!(shown("+"), "\"+\"");
        assert_eq!(shown("ctrl++"), "ctrl \"+\"");
        assert_eq!(shown("space"), "\" \"");
        assert_eq!(shown("hyper+x"), "`hyper+x` is no key: `hyper` is no modifier (ctrl, shift, alt, meta)");
        assert_eq!(
            shown("Entr"),
            "`Entr` is no key: write one character, or a name such as Enter, Tab, ArrowDown, F5, Numpad1"
        );
    }

    #[test]
    fn keys_of_the_keypad_have_the_webs_names_and_those_of_x11() {
        for (text, key) in [
            ("KP_1", Some("Numpad1")),
            ("numpad0", Some("Numpad0")),
            ("Numpad9", Some("Numpad9")),
            ("kp_enter", Some("NumpadEnter")),
            ("NumpadAdd", Some("NumpadAdd")),
            ("KP_Decimal", Some("NumpadDecimal")),
            ("KP_10", None),
            ("Numpad", None),
            ("KP_x", None),
        ] {
            assert_eq!(chord(text).ok().map(|chord| chord.key).as_deref(), key, "{text}");
        }
    }

    #[test]
    fn function_keys_go_from_1_to_24() {
        for (text, key) in [("F1", Some("F1")), ("f13", Some("F13")), ("F24", Some("F24")), ("F0", None), ("F25", None)]
        {
            assert_eq!(chord(text).ok().map(|chord| chord.key).as_deref(), key, "{text}");
        }
        assert_eq!(chord("F").map(|chord| chord.key), Ok("F".into()));
    }
}
