//! Texts as they stand in a script.

use handeye_scene::model::text::is_hidden;

/// A text as a literal. What nobody would see in it is escaped.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A regular expression, without regard to case, that finds a text; `*` stands for anything where it is a pattern. White space may
/// be any, or none, as between elements.
pub(super) fn finds(text: &str, is_pattern: bool) -> String {
    let words: Vec<String> = text.split_whitespace().map(|word| escaped(word, is_pattern)).collect();
    format!("new RegExp({}, 'i')", literal(&words.join("\\s*")))
}

/// What shows a text that a regular expression finds.
pub(super) fn visible_text(pattern: &str) -> String {
    format!("page.getByText({pattern}).filter({{ visible: true }})")
}

/// One that finds an address, letter by letter.
pub(super) fn finds_address(text: &str) -> String {
    format!("new RegExp({})", literal(&escaped(text, true)))
}

fn escaped(text: &str, is_pattern: bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '*' if is_pattern => out.push_str(".*"),
            '.' | '*' | '+' | '?' | '^' | '$' | '{' | '}' | '(' | ')' | '|' | '[' | ']' | '\\' | '/' => {
                out.extend(['\\', c]);
            }
            c => out.push(c),
        }
    }
    out
}

/// A key as Playwright names it; none where that isn't known.
pub(super) fn key(chord: &str) -> Option<String> {
    let (held, key) = match chord.rsplit_once('+') {
        Some(("", _)) | None => ("", chord),
        Some((held, key)) => (held, key),
    };
    let mut out = Vec::new();
    for name in held.split('+').filter(|name| !name.is_empty()) {
        out.push(modifier(name)?.to_owned());
    }
    const NAMED: [&str; 14] = [
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
    ];
    const SHORT: [(&str, &str); 10] = [
        ("return", "Enter"),
        ("esc", "Escape"),
        ("del", "Delete"),
        ("ins", "Insert"),
        ("up", "ArrowUp"),
        ("down", "ArrowDown"),
        ("left", "ArrowLeft"),
        ("right", "ArrowRight"),
        ("space", "Space"),
        ("plus", "+"),
    ];
    let is_function =
        key.strip_prefix(['F', 'f']).is_some_and(|n| n.parse::<u8>().is_ok_and(|n| (1..=24).contains(&n)));
    let named = NAMED.iter().find(|name| name.eq_ignore_ascii_case(key)).copied();
    let short = || SHORT.iter().find(|(short, _)| short.eq_ignore_ascii_case(key)).map(|(_, name)| *name);
    let key = match named.or_else(short) {
        Some(name) => name.to_owned(),
        None if is_function => key.to_ascii_uppercase(),
        None if key.chars().count() == 1 => key.to_owned(),
        None => return None,
    };
    out.push(key);
    Some(out.join("+"))
}

/// A key that is held, as Playwright names it.
pub(super) fn modifier(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "ctrl" | "control" => Some("Control"),
        "alt" | "option" => Some("Alt"),
        "shift" => Some("Shift"),
        "meta" | "cmd" | "command" | "super" | "win" => Some("Meta"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_within_its_quotes_and_shows_what_is_in_it() {
        assert_eq!(literal("it's \\ 登录\n\u{202e}x\u{2028}"), "'it\\'s \\\\ 登录\\n\\u{202e}x\\u{2028}'");
        assert_eq!(finds("Total (3)  1.5 €", false), "new RegExp('Total\\\\s*\\\\(3\\\\)\\\\s*1\\\\.5\\\\s*€', 'i')");
        assert_eq!(finds_address("/a*b?c"), "new RegExp('\\\\/a.*b\\\\?c')");
    }

    #[test]
    fn keys_have_the_names_that_playwright_knows() {
        for (ours, theirs) in [
            ("Enter", Some("Enter")),
            ("ctrl+shift+t", Some("Control+Shift+t")),
            ("esc", Some("Escape")),
            ("cmd+up", Some("Meta+ArrowUp")),
            ("f5", Some("F5")),
            ("a", Some("a")),
            ("+", Some("+")),
            ("space", Some("Space")),
            ("Numpad1", None),
            ("hyper+a", None),
        ] {
            assert_eq!(key(ours).as_deref(), theirs, "{ours}");
        }
    }
}
