//! What pixels say that a field holds, against what was typed into it. Pure.

use handeye_scene::{Claim, Rect, Source};
use unicode_normalization::UnicodeNormalization;

/// What the pixels say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The text.
    Same,
    /// Another text, or the text read amiss.
    Other,
    /// No text.
    Nothing,
}

/// Holds what is read of a field against the text that was put in. White space isn't seen well, and a caret at the end may be read
/// as a bar; anything else counts, case, too.
pub fn read(text: &str, seen: &str) -> Reading {
    let bare = |text: &str| text.nfkc().filter(|c| !c.is_whitespace()).collect::<String>();
    let (wanted, seen) = (bare(text), bare(seen));
    if seen.is_empty() {
        Reading::Nothing
    } else if seen == wanted || seen.strip_suffix('|') == Some(&wanted) {
        Reading::Same
    } else {
        Reading::Other
    }
}

/// What is read inside a rectangle, from left to right in lines from the top: of what lies in another, the outer one has its text.
pub fn shown_in(rect: Rect, claims: &[Claim]) -> String {
    let mut inside: Vec<&Claim> = claims
        .iter()
        .filter(|claim| {
            matches!(claim.source, Source::Ocr | Source::Shapes)
                && !claim.name.is_empty()
                && claim.rect.centered_in(&rect)
        })
        .collect();
    let whole = inside.iter().find(|claim| covers(&claim.rect, &rect));
    if let Some(whole) = whole {
        return whole.name.clone();
    }
    let line = |claim: &Claim| (claim.rect.center().y / claim.rect.height.max(1.0)).round();
    inside.sort_by(|a, b| line(a).total_cmp(&line(b)).then(a.rect.x.total_cmp(&b.rect.x)));
    inside.iter().map(|claim| claim.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Whether one is about as large as the other, in which its middle lies.
fn covers(one: &Rect, other: &Rect) -> bool {
    one.width * one.height >= 0.8 * other.width * other.height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_the_text_where_all_that_can_be_seen_is_alike() {
        for (text, seen, wanted) in [
            ("report 7", "report7", Reading::Same),
            ("report7", "report7|", Reading::Same),
            ("报告 七", "报告七", Reading::Same),
            ("ＡＢ", "AB", Reading::Same),
            ("report7", "areport7", Reading::Other),
            ("report7", "report", Reading::Other),
            ("report7", "Report7", Reading::Other),
            ("report7", "", Reading::Nothing),
            ("", "", Reading::Nothing),
            ("", "left", Reading::Other),
            ("|", "||", Reading::Same),
        ] {
            assert_eq!(read(text, seen), wanted, "{text} {seen}");
        }
    }

    #[test]
    fn the_text_inside_of_a_field_is_its_own_or_that_of_the_lines_in_it() {
        let claim = |role: &str, name: &str, rect: [f64; 4]| Claim::new(Source::Ocr, role, name, rect.into());
        let field = Rect::new(100.0, 100.0, 200.0, 30.0);
        let label = claim("text", "File name", [20.0, 105.0, 60.0, 20.0]);
        let whole = claim("textbox", "report7", [101.0, 100.0, 199.0, 30.0]);
        assert_eq!(shown_in(field, &[label.clone(), whole]), "report7");
        let parts =
            [claim("text", "two", [150.0, 105.0, 30.0, 20.0]), label, claim("text", "one", [110.0, 106.0, 30.0, 20.0])];
        assert_eq!(shown_in(field, &parts), "one two");
        assert_eq!(shown_in(field, &[claim("textbox", "", [100.0, 100.0, 200.0, 30.0])]), "");
        let seen = Claim::new(Source::Vision, "textbox", "report7", field);
        assert_eq!(shown_in(field, &[seen]), "", "a model that was told of the page may say what it was to find");
    }
}
