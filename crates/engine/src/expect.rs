//! Whether an element is the one the agent means: matching of expected text (seed 2, made strict).
//!
//! Text is compared after NFKC (Unicode Standard Annex 15), full case folding, and folding of white space and of
//! characters that have no width. See DESIGN section 3 for the rules.

use crate::mask::Mask;
use handeye_scene::{Probe, RowLabel, Shown};
use unicode_normalization::UnicodeNormalization;

/// What must be true of the target at the moment of the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// It shows this text.
    Text(String),
    /// It is what the agent was last shown: same role, same name up to digits, case and white space.
    LastShown,
    /// Anything.
    Any,
}

/// What came of checking an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// It holds, in these fields (none when nothing was asked).
    Holds(Vec<(String, String)>),
    /// It doesn't; what the element shows instead.
    Fails {
        /// The element's own words.
        actual: String,
    },
    /// The element has no text to check.
    Unverifiable,
}

/// Text as it is compared: NFKC, case-folded, one space for white space, nothing of no width.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut gap = false;
    let decomposed: String = text.nfkc().collect();
    for c in caseless::default_case_fold_str(&decomposed).nfkc() {
        if c.is_whitespace() {
            gap = true;
        } else if !is_widthless(c) {
            if gap && !folded.is_empty() {
                folded.push(' ');
            }
            gap = false;
            folded.push(c);
        }
    }
    folded
}

/// [`fold`], with every run of digits (and the separators inside it) made one mark, so that counters compare equal.
pub fn fold_digits(text: &str) -> String {
    let mut out = String::new();
    let folded: Vec<char> = fold(text).chars().collect();
    let mut i = 0;
    while i < folded.len() {
        if !folded[i].is_numeric() {
            out.push(folded[i]);
            i += 1;
            continue;
        }
        out.push('#');
        while i < folded.len() {
            let separator = matches!(folded[i], '.' | ',' | ':') && folded.get(i + 1).is_some_and(|c| c.is_numeric());
            if !folded[i].is_numeric() && !separator {
                break;
            }
            i += 1;
        }
    }
    out
}

fn is_widthless(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Scripts written without spaces between words: a match needn't end at a word's edge there.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_wordy(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

/// Whether an element that shows `actual` is one that shows `expected`.
pub fn contains(actual: &str, expected: &str) -> bool {
    let (actual, expected) = (fold(actual), fold(expected));
    if expected.is_empty() {
        return true;
    }
    if needs_equality(&expected) {
        return actual == expected;
    }
    if find_words(&actual, &expected, 0).is_some() {
        return true;
    }
    matches_around_ellipsis(&actual, &expected)
}

fn needs_equality(expected: &str) -> bool {
    let count = expected.chars().count();
    count == 1 || (count == 2 && expected.chars().all(|c| c.is_alphabetic() && !is_unspaced(c)))
}

/// The end of the first occurrence of `part` in `text` from `from` that begins and ends at the edges of words.
fn find_words(text: &str, part: &str, from: usize) -> Option<usize> {
    let (first, last) = (part.chars().next()?, part.chars().next_back()?);
    let mut start = from;
    while let Some(at) = text.get(start..)?.find(part).map(|i| i + start) {
        let end = at + part.len();
        let glued_before = is_wordy(first) && text[..at].chars().next_back().is_some_and(is_wordy);
        let glued_after = is_wordy(last) && text[end..].chars().next().is_some_and(is_wordy);
        if !glued_before && !glued_after {
            return Some(end);
        }
        start = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// A text cut off where an ellipsis stands: its parts must come in order. The cut may fall inside a word.
fn matches_around_ellipsis(actual: &str, expected: &str) -> bool {
    // NFKC has made three full stops of `…`.
    if !expected.contains("...") {
        return false;
    }
    let parts: Vec<&str> = expected.split("...").collect();
    let known: usize = parts.iter().map(|p| p.trim().chars().count()).sum();
    if known < 3 {
        return false;
    }
    let mut from = 0;
    for (i, part) in parts.iter().enumerate() {
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        let Some(at) = actual[from..].find(part).map(|k| k + from) else { return false };
        let glued =
            is_wordy(part.chars().next().unwrap_or(' ')) && actual[..at].chars().next_back().is_some_and(is_wordy);
        if i == 0 && glued {
            return false;
        }
        let end = at + part.len();
        let cut_after = i + 1 < parts.len();
        let glued_after =
            is_wordy(part.chars().next_back().unwrap_or(' ')) && actual[end..].chars().next().is_some_and(is_wordy);
        if !cut_after && glued_after {
            return false;
        }
        from = end;
    }
    true
}

/// Whether role and name are the ones last shown, up to digits, case and white space.
pub fn same_as_shown(shown: &Shown, role: &str, name: &str) -> bool {
    shown.role == role && loose(&shown.name) == loose(name)
}

/// Whether a text in an element's row is what the row was about.
pub fn same_row(shown: &RowLabel, text: &str) -> bool {
    if shown.exact { fold(&shown.text) == fold(text) } else { loose(&shown.text) == loose(text) }
}

/// Whether the row of an element still says what it was last shown to be about.
pub fn is_in_row(shown: Option<&Shown>, probe: &Probe) -> bool {
    let row = shown.and_then(|s| s.row.as_ref());
    row.is_none_or(|row| probe.row_texts.iter().any(|text| same_row(row, text)))
}

/// A name up to digits, case and white space. Where digits are all that a name says (a day, a page, an amount), they count.
fn loose(name: &str) -> String {
    let folded = fold_digits(name);
    if folded.chars().any(char::is_alphabetic) { folded } else { fold(name) }
}

/// Role under which runs of plain text are shown; the element that holds one has another.
const TEXT_ROLE: &str = "text";

/// Whether the element that holds a run of text still holds it, up to digits, case and white space.
fn text_as_shown(shown: &Shown, probe: &Probe) -> Check {
    let text = if probe.texts.text.is_empty() { &probe.name } else { &probe.texts.text };
    // Runs of text are shown one by one; how they are spaced within the element says nothing.
    let dense = |text: &str| loose(text).replace(' ', "");
    if dense(text).contains(&dense(&shown.name)) {
        Check::Holds(vec![("text".to_owned(), probe.texts.text.clone())])
    } else {
        Check::Fails { actual: actual_text(probe) }
    }
}

/// Whether an element's value is a password, of which no more is told than that there is one.
pub fn is_masked(probe: &Probe) -> bool {
    let value = &probe.texts.value;
    probe.kind.as_deref() == Some("password") || !value.is_empty() && value.chars().all(|c| c == '•')
}

/// The texts an expectation is matched against, as the page script names them. A password's value isn't among them.
pub fn fields(probe: &Probe) -> Vec<(&'static str, &str)> {
    let value = if is_masked(probe) { "" } else { probe.texts.value.as_str() };
    [
        ("name", probe.name.as_str()),
        ("text", probe.texts.text.as_str()),
        ("value", value),
        ("placeholder", probe.texts.placeholder.as_str()),
        ("title", probe.texts.title.as_str()),
        ("alt", probe.texts.alt.as_str()),
    ]
    .into_iter()
    .filter(|(_, text)| !fold(text).is_empty())
    .collect()
}

/// What the element shows, in one line, for messages.
pub fn actual_text(probe: &Probe) -> String {
    fields(probe).first().map(|(_, text)| text.trim().to_owned()).unwrap_or_default()
}

/// Checks an expectation on an element as it is now. A stated text is looked for in what is shown; the fields are as they stand.
pub fn check(expectation: &Expectation, shown: Option<&Shown>, probe: &Probe, mask: &Mask) -> Check {
    match expectation {
        Expectation::Any => Check::Holds(Vec::new()),
        Expectation::LastShown => match shown {
            Some(shown) if shown.role == TEXT_ROLE => text_as_shown(shown, probe),
            Some(shown) if probe.name.is_empty() && !shown.name.is_empty() && shown.role == probe.role => {
                text_as_shown(shown, probe)
            }
            Some(shown) if !same_as_shown(shown, &probe.role, &probe.name) => {
                Check::Fails { actual: actual_text(probe) }
            }
            _ => Check::Holds(Vec::new()),
        },
        Expectation::Text(text) if fold(text).is_empty() => Check::Holds(Vec::new()),
        Expectation::Text(text) => {
            let fields = fields(probe);
            if fields.is_empty() {
                return Check::Unverifiable;
            }
            let matched: Vec<_> = fields
                .iter()
                .filter(|(_, t)| contains(&mask.of(t), text))
                .map(|(f, t)| ((*f).to_owned(), (*t).to_owned()))
                .collect();
            if matched.is_empty() { Check::Fails { actual: actual_text(probe) } } else { Check::Holds(matched) }
        }
    }
}

/// What the row of a target says that holds a text.
pub fn in_row<'a>(probe: &'a Probe, wanted: &str, mask: &Mask) -> Option<&'a str> {
    let wanted = fold(wanted);
    let mut said = probe.row.iter().map(|r| &r.text).chain(&probe.row_texts);
    said.find(|text| fold(&mask.of(text)).contains(&wanted)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn table(cases: &[(&str, &str)], expect: Expect) {
        let lines: Vec<String> = cases
            .iter()
            .map(|(actual, wanted)| format!("{wanted:?} in {actual:?}: {}", contains(actual, wanted)))
            .collect();
        expect.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn latin_text_matches_whole_words() {
        table(
            &[
                ("Repay", "Pay"),
                ("Pay now", "Pay"),
                ("Pay", "Pay now"),
                ("PAY NOW", "pay"),
                ("Prepay and Pay", "Pay"),
                ("Payé", "Pay"),
                ("Row 12", "12"),
                ("Row 123", "Row 12"),
                ("co-op Pay.", "pay"),
            ],
            expect![[r#"
                "Pay" in "Repay": false
                "Pay" in "Pay now": true
                "Pay now" in "Pay": false
                "pay" in "PAY NOW": true
                "Pay" in "Prepay and Pay": true
                "Pay" in "Payé": false
                "12" in "Row 12": true
                "Row 12" in "Row 123": false
                "pay" in "co-op Pay.": true"#]],
        );
    }

    #[test]
    fn unspaced_scripts_match_inside() {
        table(
            &[
                ("立即登录", "登录"),
                ("上一页", "下一页"),
                ("登录", "立即登录"),
                ("下一页", "页"),
                ("页", "页"),
                ("立即Pay", "Pay"),
            ],
            expect![[r#"
                "登录" in "立即登录": true
                "下一页" in "上一页": false
                "立即登录" in "登录": false
                "页" in "下一页": false
                "页" in "页": true
                "Pay" in "立即Pay": true"#]],
        );
    }

    #[test]
    fn one_character_or_two_letters_need_equality() {
        table(
            &[
                ("OK", "ok"),
                ("OK then", "OK"),
                ("x", "X"),
                ("Exit x", "x"),
                ("No, go", "No"),
                ("5", "5"),
                ("Page 5", "5"),
            ],
            expect![[r#"
                "ok" in "OK": true
                "OK" in "OK then": false
                "X" in "x": true
                "x" in "Exit x": false
                "No" in "No, go": false
                "5" in "5": true
                "5" in "Page 5": false"#]],
        );
    }

    #[test]
    fn white_space_width_and_form_are_folded() {
        table(
            &[
                ("Save\u{a0}\n  changes", "save changes"),
                ("Ｓａｖｅ", "save"),
                ("Straße", "STRASSE"),
                ("zero\u{200b}width", "zerowidth"),
                ("café", "cafe\u{301}"),
                ("anything", "  \u{200b} "),
            ],
            expect![[r#"
                "save changes" in "Save\u{a0}\n  changes": true
                "save" in "Ｓａｖｅ": true
                "STRASSE" in "Straße": true
                "zerowidth" in "zero\u{200b}width": true
                "cafe\u{301}" in "café": true
                "  \u{200b} " in "anything": true"#]],
        );
    }

    #[test]
    fn an_ellipsis_stands_for_what_was_cut_off() {
        table(
            &[
                ("A long title about boats", "A long title ab…"),
                ("A long title about boats", "A long title about..."),
                ("Save as…", "Save as..."),
                ("Repayment of dues", "payment…"),
                ("Delete all", "A…"),
                ("A long title", "long … about"),
                ("First part and last part", "First … last part"),
            ],
            expect![[r#"
                "A long title ab…" in "A long title about boats": true
                "A long title about..." in "A long title about boats": true
                "Save as..." in "Save as…": true
                "payment…" in "Repayment of dues": false
                "A…" in "Delete all": false
                "long … about" in "A long title": false
                "First … last part" in "First part and last part": true"#]],
        );
    }

    #[test]
    fn counters_are_the_same_as_shown_and_labels_are_not() {
        let shown = |name: &str| Shown { role: "button".into(), name: name.into(), row: None };
        assert!(same_as_shown(&shown("Cart (2)"), "button", "cart  (3)"));
        assert!(same_as_shown(&shown("Total 1,299.50"), "button", "Total 7"));
        assert!(!same_as_shown(&shown("Approve"), "button", "Delete"));
        assert!(!same_as_shown(&shown("Approve"), "link", "Approve"));
        assert!(!same_as_shown(&shown(""), "button", "Delete"));
        assert!(!same_as_shown(&shown("14"), "button", "11"));
        assert!(!same_as_shown(&shown("$14"), "button", "$1400"));
        assert!(!same_as_shown(&shown("\u{e001}"), "button", "\u{e002}"));
    }
}
