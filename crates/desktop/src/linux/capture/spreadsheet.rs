//! What a cell of a spreadsheet holds: it shows something else than what was put in, as a formula's result or a number in its format.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place};
use crate::linux::atspi::objects::is_date;
use std::collections::HashMap;

/// What a cell tells of itself.
#[derive(Debug, Default)]
pub(crate) struct Cell {
    /// As it is shown.
    pub(crate) shown: String,
    /// Without the sign before it; empty where it has none, none where the table is no spreadsheet.
    pub(crate) formula: Option<String>,
    /// Times and dates are numbers of days.
    pub(crate) number: Option<f64>,
}

/// Reads the rest of what a cell tells that shows this.
pub(crate) async fn cell(bus: &Bus, at: &Place, shown: String) -> Cell {
    let attributes: HashMap<String, String> = bus.ask(at, ACCESSIBLE, "GetAttributes", &()).await.unwrap_or_default();
    let number = bus.property(at, "org.a11y.atspi.Value", "CurrentValue").await.ok();
    let number = number.and_then(|n| f64::try_from(n).ok());
    // LibreOffice's name for it.
    Cell { shown, formula: attributes.get("Formula").cloned(), number }
}

impl Cell {
    /// Whether it holds what was put in.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let Some(formula) = &self.formula else { return self.shown == text };
        if let Some(wanted) = text.strip_prefix('=').filter(|wanted| !wanted.trim().is_empty()) {
            return spelled(formula) == spelled(wanted);
        }
        let plain = formula.is_empty();
        if let Some(literal) = text.strip_prefix('\'') {
            return plain && self.shown == literal;
        }
        let as_number = || self.number.is_some_and(|number| number_in(text).is_some_and(|n| same_number(n, number)));
        let as_date = || is_date(text) && is_date(&self.shown) && parts(text) == parts(&self.shown);
        plain
            && !self.shown.is_empty()
            && (self.shown == text
                || self.shown.eq_ignore_ascii_case(text) && is_truth(text)
                || as_number()
                || as_date())
    }
}

fn is_truth(text: &str) -> bool {
    ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A formula as the program writes it: names in capitals, the last brackets closed, one sign between arguments.
fn spelled(formula: &str) -> String {
    let said = formula.replace("\\,", ",").replace(';', ",");
    said.trim_end().trim_end_matches(')').chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// The number that a text stands for: with groups of thousands, a percentage, a time of the day. Not where zeros before it would
/// be lost.
fn number_in(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_start_matches(['-', '+']);
    if digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit() && !text.contains(':') {
        return None;
    }
    if text.contains(':') {
        return time_in(text);
    }
    let (text, part) = text.strip_suffix('%').map_or((text, 1.0), |text| (text.trim_end(), 100.0));
    let grouped = digits.split(['.', '%']).next().is_some_and(|whole| {
        let mut groups = whole.split(',');
        groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
    });
    let text = if grouped { text.replace(',', "") } else { text.to_owned() };
    text.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n / part)
}

/// A time as a part of a day.
fn time_in(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (seconds, most) = match parts[..] {
        [hours, minutes] => (hours * 3600.0 + minutes * 60.0, minutes),
        [hours, minutes, seconds] => (hours * 3600.0 + minutes * 60.0 + seconds, minutes.max(seconds)),
        _ => return None,
    };
    (most < 60.0).then_some(seconds / 86400.0)
}

fn same_number(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Day, month and year in any order, the year as it is short.
fn parts(date: &str) -> Vec<u32> {
    let numbers = date.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
    let mut parts: Vec<u32> = numbers.map(|n| n % 100).collect();
    parts.sort_unstable();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As LibreOffice 7.4 tells of cells into which this was typed.
    #[test]
    fn what_a_cell_made_of_a_text_is_what_was_put_in() {
        for (text, shown, formula, number) in [
            ("=1+2", "3", "1+2", 3.0),
            ("12.50", "12.5", "", 12.5),
            ("50%", "50%", "", 0.5),
            ("2024-05-06", "2024-05-06", "", 45418.0),
            ("5/6/24", "05/06/24", "", 45418.0),
            ("1e3", "1000", "", 1000.0),
            ("=1/0", "", "1/0", 0.0),
            ("=sum(1;2", "3", "SUM(1\\,2)", 3.0),
            ("'007", "007", "", 0.0),
            ("true", "TRUE", "", 1.0),
            ("12:30", "12:30:00 PM", "", 0.520_833_333_333_333_4),
            ("1,000.5", "1000.5", "", 1000.5),
            ("-1,000", "-1000", "", -1000.0),
            ("=Foo()", "", "foo()", 0.0),
            ("=", "=", "", 0.0),
            ("text", "text", "", 0.0),
        ] {
            let cell = Cell { shown: shown.into(), formula: Some(formula.into()), number: Some(number) };
            assert!(cell.holds(text), "{text}");
        }
    }

    #[test]
    fn what_a_cell_lost_of_a_text_is_told() {
        for (text, shown, formula, number) in [
            ("007", "7", "", 7.0),
            ("=1+2", "3", "", 3.0),
            ("=1+2", "4", "1+3", 4.0),
            ("3", "3", "1+2", 3.0),
            ("0", "", "", 0.0),
            ("text", "Text", "", 0.0),
            ("1,2", "2-1-2024", "", 45293.0),
            ("12:75", "12:75", "x", 0.0),
            ("5/6/24", "06/07/24", "", 45419.0),
            ("one", "", "", 0.0),
        ] {
            let cell = Cell { shown: shown.into(), formula: Some(formula.into()), number: Some(number) };
            assert!(!cell.holds(text), "{text}");
        }
        // A table that is no spreadsheet has no formulas: a cell shows what it holds.
        let cell = Cell { shown: "12.5".into(), formula: None, number: Some(12.5) };
        assert!(!cell.holds("12.50") && cell.holds("12.5"));
    }
}
