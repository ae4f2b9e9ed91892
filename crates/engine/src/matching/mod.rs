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
pub mod volatile;

pub use alike::is_told_by_time;
pub use expected::contains;
pub use handeye_scene::normalize;
pub use hold::{hold, hold_fields};
pub use leads::{choices, leads_elsewhere, other_choice};
pub use volatile::{held, held_to_times, same_text};

use handeye_scene::{HeldRow, HeldText, Mask, Node, NodeKind, Probe, RowLabel, Said, Shown};

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

/// A normalised text with every run of digits (and the separators inside it) made one mark: for telling noise apart, never
/// for telling whether an element is the same.
pub fn without_digits(text: &str) -> String {
    let mut out = String::new();
    let folded: Vec<char> = normalize(text).chars().collect();
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

/// Scripts written without spaces between words: a match needn't end at a word's edge there.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_wordy(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

/// Role under which runs of plain text are shown; the element that holds one has another.
pub(crate) const TEXT_ROLE: &str = "text";

/// What is shown of a node. What a target shows is its name unless the surface tells otherwise. Of one that has no name and
/// says nothing by itself, the first text inside it is given.
pub fn shown_of(node: &Node, first_inside: Option<&str>) -> Shown {
    let extra = &node.extra;
    let tells = node.kind != NodeKind::Item;
    let told = extra.said.clone().or_else(|| match first_inside.filter(|t| node.name.is_empty() && !t.is_empty()) {
        Some(text) => Some(Said { text: text.to_owned(), cut: !tells }),
        None => tells.then(|| Said { text: node.name.clone(), cut: false }),
    });
    let said = told.filter(|said| tells || !said.text.is_empty());
    let is_mute = node.name.is_empty() && said.as_ref().is_none_or(|said| said.text.is_empty());
    Shown {
        role: node.role.clone(),
        name: node.name.clone(),
        said,
        hint: extra.hint.clone().filter(|_| is_mute && extra.icon),
        self_changing: extra.self_changing,
        told_by_time: false,
        leads: extra.leads.clone(),
        choices: extra.choices.clone(),
        row: extra.row.clone(),
    }
}

/// What an element is found to be by a probe, as if it were shown now.
pub fn shown_now(probe: &Probe) -> Shown {
    let is_mute = probe.name.is_empty() && probe.says().is_empty();
    Shown {
        role: probe.role.clone(),
        name: probe.name.clone(),
        said: probe.said.clone(),
        hint: probe.hint.clone().filter(|_| is_mute),
        self_changing: false,
        told_by_time: false,
        leads: probe.leads.clone(),
        choices: probe.options.iter().map(|o| (o.label.clone(), o.value.clone())).collect(),
        row: probe.row.clone(),
    }
}

/// Whether an element has the role and says what was last shown of it.
pub fn same_as_shown(shown: &Shown, probe: &Probe) -> bool {
    if shown.role == TEXT_ROLE {
        return if probe.said.is_some() { held_said(shown).reads(probe.says()) } else { says_inside(shown, probe) };
    }
    if probe.said.is_none() && shown.name.is_empty() && !shown.words().is_empty() {
        return shown.role == probe.role && probe.name.is_empty() && says_inside(shown, probe);
    }
    let hint = |hint: &Option<String>| hint.as_deref().map(normalize).unwrap_or_default();
    let same_words = || shown.role == probe.role && is_called_by_text(shown) && held_said(shown).reads(&probe.name);
    (same_name(shown, &probe.role, &probe.name) || same_words())
        && (shown.said.is_none() || probe.said.is_none() || held_said(shown).reads(probe.says()))
        && (shown.hint.is_none() || hint(&shown.hint) == hint(&probe.hint))
}

/// Whether the text that was shown inside an element is still there, where the surface doesn't tell what it says.
fn says_inside(shown: &Shown, probe: &Probe) -> bool {
    let dense = |text: &str| normalize(text).replace(' ', "");
    let text = if probe.texts.text.is_empty() { &probe.name } else { &probe.texts.text };
    let was = shown.said.as_ref().map_or(&shown.name, |said| &said.text);
    dense(text).contains(&dense(was))
}

/// Whether role and name are the ones last shown.
pub fn same_name(shown: &Shown, role: &str, name: &str) -> bool {
    shown.role == role && held_text(shown, &shown.name).reads(name)
}

/// Whether what was shown had no name, and is called by what it says.
pub(crate) fn is_called_by_text(shown: &Shown) -> bool {
    shown.name.is_empty() && shown.said.as_ref().is_some_and(|said| !normalize(&said.text).is_empty())
}

/// The text that was shown of an element, as it is held: what it said itself, where that wasn't its name.
pub(crate) fn held_said(shown: &Shown) -> HeldText {
    match &shown.said {
        Some(said) => HeldText { open: said.cut, ..held_text(shown, &said.text) },
        None => held_text(shown, &shown.name),
    }
}

/// A text of what was shown, as it is held.
pub(crate) fn held_text(shown: &Shown, text: &str) -> HeldText {
    if shown.told_by_time { held_to_times(text, shown.self_changing) } else { held(text, shown.self_changing) }
}

/// What a row was about, as it is held. Of one that only digits tell from the next, all of them count.
pub fn held_row(row: &RowLabel) -> HeldRow {
    let text = if row.exact { HeldText::exactly(&row.text) } else { held(&row.text, row.self_changing) };
    HeldRow { text, place: row.place }
}

/// Whether a text in an element's row is what the row was about.
pub fn same_row(shown: &RowLabel, text: &str) -> bool {
    held_row(shown).text.reads(text)
}

/// Whether the row of an element still says what it was last shown to be about.
pub fn is_in_row(shown: Option<&Shown>, probe: &Probe) -> bool {
    let row = shown.and_then(|s| s.row.as_ref()).map(held_row);
    row.is_none_or(|row| row.reads(&probe.row_texts))
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
