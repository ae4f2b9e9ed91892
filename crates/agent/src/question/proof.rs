//! Whether a value is what a text shows. Pure.

use handeye_engine::matching::{contains, normalize};
use serde_json::Value;

/// Every value that must be proven, as a JSON Pointer: texts that aren't empty, numbers, and what is true or false. Null says that
/// nothing is shown.
pub(super) fn leaves(data: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    gather(data, String::new(), &mut found);
    found
}

fn gather<'a>(value: &'a Value, path: String, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                gather(member, format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                gather(item, format!("{path}/{at}"), found);
            }
        }
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {}
        _ => found.push((path, value)),
    }
}

/// Whether a text shows the value. What is true or false is told by a text in its own words, which nobody can compare.
pub(super) fn shows(text: &str, value: &Value) -> bool {
    match value {
        Value::String(value) => contains(text, value) || bare(text).contains(&bare(value)),
        Value::Number(number) => number.as_f64().is_some_and(|wanted| numbers(text).contains(&wanted)),
        _ => !normalize(text).is_empty(),
    }
}

/// A text without white space.
fn bare(text: &str) -> String {
    normalize(text).chars().filter(|c| !c.is_whitespace()).collect()
}

/// The numbers that a text shows, each in every way in which it is written somewhere: `1.234,5` and `1,234.5`, `1 234`, `12 %`.
fn numbers(text: &str) -> Vec<f64> {
    let text = normalize(text);
    let chars: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let is_negative = at > 0 && matches!(chars[at - 1], '-' | '−');
        let begin = at;
        while at < chars.len() && is_part(&chars, at) {
            at += 1;
        }
        let word: String =
            chars[begin..at].iter().filter(|c| !matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\'')).collect();
        all.extend(readings(&word).map(|number| if is_negative { -number } else { number }));
    }
    all
}

/// Whether a number goes on here: by a digit, or by what stands between two.
fn is_part(chars: &[char], at: usize) -> bool {
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    match chars[at] {
        c if c.is_ascii_digit() => true,
        '.' | ',' | '\'' => is_digit(at + 1),
        ' ' | '\u{a0}' | '\u{202f}' => (1..=3).all(|more| is_digit(at + more)) && !is_digit(at + 4),
        _ => false,
    }
}

fn readings(word: &str) -> impl Iterator<Item = f64> {
    let plain = word.parse().ok();
    let by_commas = word.replace(',', "").parse().ok();
    let by_points = word.replace('.', "").replace(',', ".").parse().ok();
    [plain, by_commas, by_points].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_shows_a_value_where_it_is_in_it() {
        for (text, value, wanted) in [
            ("Price: 1,234.50 €", json!(1234.5), true),
            ("1.234,50", json!(1234.5), true),
            ("1 234 items", json!(1234), true),
            ("12 345 678", json!(12_345_678), true),
            ("12%", json!(12), true),
            ("-3 °C", json!(-3), true),
            ("3 °C", json!(-3), false),
            ("12", json!(1), false),
            ("room 7 floor 2", json!(72), false),
            ("room 7 floor 2", json!(2), true),
            ("", json!(0), false),
            ("Two pears", json!("two  Pears"), true),
            ("中文 标题", json!("中文标题"), true),
            ("Two pears", json!("apple"), false),
            ("in stock", json!(true), true),
            (" ", json!(true), false),
        ] {
            assert_eq!(shows(text, &value), wanted, "{text:?} {value}");
        }
    }

    #[test]
    fn what_is_null_or_empty_needs_no_proof() {
        let data = json!({"a": [{"b/c": "x", "d": null, "e": " "}, 2], "f": {}, "g": false});
        let paths: Vec<String> = leaves(&data).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["/a/0/b~1c", "/a/1", "/g"]);
        assert!(paths.iter().all(|path| data.pointer(path).is_some()));
    }
}
