//! The only rules about text: whether an element is still what was shown of it ([`same_as_shown`]), whether it is the one
//! that an expected text means ([`contains`]), whether it is in the row it was in ([`is_in_row`]) and leads where it led
//! ([`leads_elsewhere`]).
//!
//! Texts are compared for equality after normalisation ([`normalize`]: NFKC, full case folding, white space, characters of
//! no width). Digits count, but for the spans that [`volatile`] lists. What must hold inside the events is compiled into
//! data ([`hold`]), which surfaces evaluate: they have no rules of their own.

mod alike;
mod expected;
mod hold;
mod leads;
mod same;
pub mod volatile;
mod words;

pub use alike::is_told_by_time;
pub use expected::{contains, equals};
pub use handeye_scene::normalize;
pub use hold::{hold, hold_fields};
pub use leads::{choices, leads_elsewhere, other_choice};
pub use same::{held_row, is_in_row, same_as_shown, same_name, same_row, shown_now, shown_of};
pub use volatile::{held, held_to_times, same_text};
pub use words::without_digits;

use handeye_scene::{Mask, Probe, Shown};

/// What must be true of the target at the moment of the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// It shows this text.
    Text(String),
    /// It is what the agent was last shown: same role, same texts.
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
    .filter(|(_, text)| !normalize(text).is_empty())
    .collect()
}

/// What the element shows, in one line, for messages.
pub fn actual_text(probe: &Probe) -> String {
    let texts = fields(probe);
    let said = probe.said.as_ref().map(|said| said.text.trim()).filter(|text| !text.is_empty());
    texts.first().map(|(_, text)| text.trim()).or(said).unwrap_or_default().to_owned()
}

/// Checks an expectation on an element as it is now. A stated text is looked for in what is shown; the fields are as they stand.
pub fn check(expectation: &Expectation, shown: Option<&Shown>, probe: &Probe, mask: &Mask) -> Check {
    match expectation {
        Expectation::Any => Check::Holds(Vec::new()),
        Expectation::LastShown => match shown {
            Some(shown) if !same_as_shown(shown, probe) => Check::Fails { actual: found(shown, probe) },
            _ => Check::Holds(Vec::new()),
        },
        Expectation::Text(text) if normalize(text).is_empty() => Check::Holds(Vec::new()),
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

/// What is now there in place of what was shown: the name, unless only the text beside it is another.
fn found(shown: &Shown, probe: &Probe) -> String {
    match &probe.said {
        Some(said) if shown.said.is_some() && same_name(shown, &probe.role, &probe.name) => said.text.clone(),
        _ => actual_text(probe),
    }
}

/// What the row of a target says that holds a text.
pub fn in_row<'a>(probe: &'a Probe, wanted: &str, mask: &Mask) -> Option<&'a str> {
    let wanted = normalize(wanted);
    let mut said = probe.row.iter().map(|r| &r.text).chain(&probe.row_texts);
    said.find(|text| normalize(&mask.of(text)).contains(&wanted)).map(String::as_str)
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
                ("Don’t Save", "Don't save"),
                ("Don't Save", "don’t"),
                ("Don’t Save", "Dont"),
            ],
            expect![[r#"
                "save changes" in "Save\u{a0}\n  changes": true
                "save" in "Ｓａｖｅ": true
                "STRASSE" in "Straße": true
                "zerowidth" in "zero\u{200b}width": true
                "cafe\u{301}" in "café": true
                "  \u{200b} " in "anything": true
                "Don't save" in "Don’t Save": true
                "don’t" in "Don't Save": true
                "Dont" in "Don’t Save": false"#]],
        );
    }

    #[test]
    fn hyphens_are_one_and_dashes_are_none() {
        table(
            &[
                ("Sign\u{2011}in", "sign-in"),
                ("Sign\u{2010}in", "sign-in"),
                ("Sign-in", "sign\u{2011}in"),
                ("Sign-in", "signin"),
                ("Sign\u{2013}in", "sign-in"),
                ("Sign\u{2014}in", "sign-in"),
                ("Move by \u{2212}5", "Move by -5"),
                ("Co\u{2011}sign in", "sign in"),
            ],
            expect![[r#"
                "sign-in" in "Sign‑in": true
                "sign-in" in "Sign‐in": true
                "sign‑in" in "Sign-in": true
                "signin" in "Sign-in": false
                "sign-in" in "Sign–in": false
                "sign-in" in "Sign—in": false
                "Move by -5" in "Move by −5": false
                "sign in" in "Co‑sign in": true"#]],
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
                ("Repayment of a payment", "payment…"),
                ("Open the door, Mr Do", "Open … Do"),
            ],
            expect![[r#"
                "A long title ab…" in "A long title about boats": true
                "A long title about..." in "A long title about boats": true
                "Save as..." in "Save as…": true
                "payment…" in "Repayment of dues": false
                "A…" in "Delete all": false
                "long … about" in "A long title": false
                "First … last part" in "First part and last part": true
                "payment…" in "Repayment of a payment": true
                "Open … Do" in "Open the door, Mr Do": true"#]],
        );
    }

    #[test]
    fn numbers_match_as_a_whole() {
        table(
            &[
                ("Page 51", "Page 5"),
                ("Pay 10.50", "Pay 10"),
                ("Pay 1,000", "Pay 1"),
                ("Pay 10 000 now", "Pay 10"),
                ("Pay 10%", "Pay 10"),
                ("付款 10万", "付款 10"),
                ("$500", "$5"),
                ("Pay 1.10", "10"),
                ("Pay 10.", "Pay 10"),
                ("Pay 10, now", "Pay 10"),
                ("My Cart (3)", "Cart (2)"),
                ("My Cart", "Cart (2)"),
                ("Pay 11 (2)", "Pay 10 (2)"),
            ],
            expect![[r#"
                "Page 5" in "Page 51": false
                "Pay 10" in "Pay 10.50": false
                "Pay 1" in "Pay 1,000": false
                "Pay 10" in "Pay 10 000 now": false
                "Pay 10" in "Pay 10%": false
                "付款 10" in "付款 10万": false
                "$5" in "$500": false
                "10" in "Pay 1.10": false
                "Pay 10" in "Pay 10.": true
                "Pay 10" in "Pay 10, now": true
                "Cart (2)" in "My Cart (3)": true
                "Cart (2)" in "My Cart": false
                "Pay 10 (2)" in "Pay 11 (2)": false"#]],
        );
    }
}
