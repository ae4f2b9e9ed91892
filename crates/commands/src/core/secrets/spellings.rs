//! How one text is written in JSON, markup, addresses, base64 and by who mistakes its encoding.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::Value;

/// Characters that a secret has at least.
pub(super) const SHORTEST: usize = 4;
/// JSON within JSON is looked for down to this depth: what a page kept as JSON stands in an answer that is JSON.
const NESTED: usize = 3;

/// A text as it stands between the quotes of JSON.
fn escaped(text: &str) -> String {
    let json = Value::from(text).to_string();
    json.get(1..json.len() - 1).unwrap_or_default().to_owned()
}

/// The same by those who write ASCII only.
fn escaped_in_ascii(text: &str) -> String {
    let mut out = String::new();
    for c in escaped(text).chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

/// Bytes 80 to 9F in windows-1252, which is what browsers take text for that doesn't say.
const WESTERN: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Its UTF-8 taken for windows-1252.
fn misread(text: &str) -> String {
    text.bytes().map(|b| WESTERN.get(usize::from(b).wrapping_sub(0x80)).copied().unwrap_or(char::from(b))).collect()
}

/// Bytes in base64: its common letters, and those for addresses and files.
pub(crate) fn base64(bytes: &[u8], for_addresses: bool) -> String {
    if for_addresses { URL_SAFE.encode(bytes) } else { STANDARD.encode(bytes) }
}

/// Letters of base64 that a secret is told by at least: fewer stand in other texts, too.
const LETTERS_TOLD: usize = 6;

/// A text as base64 has it within other bytes, such as a name and a password: by how many bytes come before, the letters that
/// are its alone.
fn in_base64(value: &str) -> impl Iterator<Item = String> {
    let at = |before: usize, for_addresses: bool| {
        let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(value.bytes()).collect();
        let all = base64(&bytes, for_addresses);
        let (from, to) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        all.get(from..to).unwrap_or_default().to_owned()
    };
    let mut out = Vec::new();
    for before in 0..3 {
        out.extend([at(before, false), at(before, true)]);
    }
    out.into_iter().filter(|form| form.len() >= LETTERS_TOLD)
}

/// All ways in which a secret is written that are told apart from other texts; it itself first.
pub(super) fn forms(value: &str) -> Vec<String> {
    let text = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut out = vec![
        value.to_owned(),
        escaped_in_ascii(value),
        misread(value),
        value.split_whitespace().collect::<Vec<_>>().join(" "),
        value.replace(' ', "+"),
        text.replace('"', "&quot;"),
        text,
    ];
    let mut last = out.clone();
    for _ in 0..NESTED {
        last = last.iter().map(|form| escaped(form)).collect();
        out.extend(last.iter().cloned());
    }
    out.extend(in_base64(value));
    let mut known = std::collections::HashSet::new();
    out.retain(|form| form.chars().count() >= SHORTEST && known.insert(form.clone()));
    out
}
