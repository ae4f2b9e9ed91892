//! Texts as they stand in a script.

use handeye_scene::Modifiers;
use handeye_scene::model::chord::chord;
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
pub(super) fn key(text: &str) -> Option<String> {
    let chord = chord(text).ok()?;
    let key = match chord.key.as_str() {
        " " => "Space",
        key if key.starts_with("Numpad") => return None,
        key => key,
    };
    Some(held(chord.modifiers).into_iter().chain([key]).collect::<Vec<_>>().join("+"))
}

/// Keys that are held, as Playwright names them.
pub(super) fn held(modifiers: Modifiers) -> Vec<&'static str> {
    let all =
        [(modifiers.ctrl, "Control"), (modifiers.alt, "Alt"), (modifiers.shift, "Shift"), (modifiers.meta, "Meta")];
    all.into_iter().filter(|(is_held, _)| *is_held).map(|(_, name)| name).collect()
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
