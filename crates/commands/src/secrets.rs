//! Secrets: texts that the caller may put into fields of one origin, and that nothing shows.

use crate::Response;
use handeye_engine::{Mask, origin};
use handeye_scene::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What stands in place of a secret.
const MASK: &str = "••••";
/// Characters that a secret has at least; also what is left of one that was cut off.
const SHORTEST: usize = 4;
const EXAMPLE: &str = "handeye open https://example.com --secret password@https://example.com=env:PASSWORD";

/// A secret as `open` is given it.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Given {
    name: String,
    /// The origin whose documents may have it; that of the page that is opened, when absent.
    origin: Option<String>,
    /// It.
    value: Option<String>,
    /// The variable that holds it, until it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<String>,
    /// It was written on a command line.
    seen: bool,
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Given({})", self.name)
    }
}

impl Given {
    /// Reads `NAME[@ORIGIN]=VALUE`, `…=env:VARIABLE` or `…=file:PATH`; the file is read here. No error repeats the value.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let wrong = |why: &str| Problem::new(Code::BadRequest, format!("--secret {why}")).hint(EXAMPLE);
        let (head, value) = text.split_once('=').ok_or_else(|| wrong("wants NAME[@ORIGIN]=VALUE"))?;
        let (name, origin) = head.split_once('@').map_or((head, None), |(name, origin)| (name, Some(origin)));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) {
            return Err(wrong("wants a name of letters, digits, `_`, `-` and `.` before its `=`"));
        }
        let mut given = Self { name: name.into(), origin: origin.map(str::to_owned), ..Self::default() };
        if let Some(variable) = value.strip_prefix("env:") {
            given.env = Some(variable.to_owned());
        } else if let Some(path) = value.strip_prefix("file:") {
            given.value = Some(crate::set::read_password(std::path::Path::new(path))?);
        } else {
            (given.value, given.seen) = (Some(value.to_owned()), true);
        }
        Ok(given)
    }

    /// What to say to whoever gave it.
    pub fn warning(&self) -> Option<String> {
        self.seen.then(|| {
            let name = &self.name;
            format!("secret {name} was written on the command line, where other users of this machine may see it: --secret {name}=env:VARIABLE or file:PATH")
        })
    }

    /// As the session keeps it; `page` is the address that is opened.
    pub fn keep(self, page: Option<&str>) -> Result<Secret, Problem> {
        let Self { name, origin, value, .. } = self;
        let wrong = |why: &str| Problem::new(Code::BadRequest, format!("secret {name} {why}")).hint(EXAMPLE);
        let value = value.ok_or_else(|| wrong("has no value"))?;
        if value.chars().count() < SHORTEST {
            return Err(wrong("has fewer than 4 characters, which can't be told from other text"));
        }
        let origin = match origin {
            Some(origin) => origin::parse(&origin).ok_or_else(|| wrong("has no valid origin"))?,
            None => Some(origin::of(page.unwrap_or_default()))
                .filter(|o| o != "null")
                .ok_or_else(|| wrong("needs an origin: NAME@ORIGIN"))?,
        };
        Ok(Secret { forms: forms(&value), name, origin, value })
    }
}

/// A secret of a session.
#[derive(Clone)]
pub struct Secret {
    name: String,
    /// The origin whose documents may have it.
    pub origin: String,
    /// It.
    pub value: String,
    /// As it is written in texts, JSON, markup and addresses, the longest first.
    forms: Vec<String>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.name)
    }
}

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
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let more = if for_addresses { ['-', '_'] } else { ['+', '/'] };
    let letter = |i: usize| LETTERS.get(i).map_or_else(|| more[i & 1], |b| char::from(*b));
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for piece in bytes.chunks(3) {
        let word = piece.iter().fold(0_u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - piece.len()));
        for i in 0..4 {
            out.push(if i <= piece.len() { letter((word >> (18 - 6 * i) & 63) as usize) } else { '=' });
        }
    }
    out
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

/// Escapes of bytes with small letters.
fn small_escapes(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (byte, rest) = part.split_at(part.len().min(2));
        out.push('%');
        out.push_str(&byte.to_ascii_lowercase());
        out.push_str(rest);
    }
    out
}

fn forms(value: &str) -> Vec<String> {
    let text = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let percent = |keep: &str| -> String {
        let kept = |b: u8| b.is_ascii_alphanumeric() || keep.as_bytes().contains(&b);
        value.bytes().map(|b| if kept(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
    };
    let component = percent("-_.!~*'()");
    let form = percent("*-._").replace("%20", "+");
    let mut out = vec![
        value.to_owned(),
        escaped_in_ascii(value),
        misread(value),
        value.split_whitespace().collect::<Vec<_>>().join(" "),
        text.replace('"', "&quot;"),
        text,
        small_escapes(&form),
        small_escapes(&component),
        form,
        component,
    ];
    let mut last = out.clone();
    for _ in 0..NESTED {
        last = last.iter().map(|form| escaped(form)).collect();
        out.extend(last.iter().cloned());
    }
    out.extend(in_base64(value));
    out.sort();
    out.dedup();
    out.retain(|form| form.chars().count() >= SHORTEST);
    out.sort_by_key(|form| std::cmp::Reverse(form.len()));
    out
}

/// The secret of this name; the one given last, when a browser was replaced by one with another.
pub fn find<'a>(secrets: &'a [Secret], name: &str) -> Result<&'a Secret, Problem> {
    secrets.iter().rev().find(|s| s.name == name).ok_or_else(|| {
        let names: Vec<&str> = secrets.iter().map(|s| s.name.as_str()).collect();
        let known = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
        Problem::new(Code::NotFound, format!("the session has no secret `{name}`: {known}")).hint(EXAMPLE)
    })
}

/// A text in which a value is hidden as addresses have it: each byte itself or escaped, whichever the part of the address asks
/// for (URL Standard, percent-encode sets).
fn without_escaped(text: &str, value: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let ends_at = |from: usize| {
        value.bytes().try_fold(from, |at, wanted| {
            let escaped = || {
                let digits = std::str::from_utf8(bytes.get(at + 1..at + 3)?).ok()?;
                (u8::from_str_radix(digits, 16).ok()? == wanted).then_some(at + 3)
            };
            match *bytes.get(at)? {
                // A percent sign of the value's own is escaped itself, where any is.
                b'%' => escaped().or_else(|| (wanted == b'%').then_some(at + 1)),
                b'+' if wanted == b' ' => Some(at + 1),
                byte => (byte == wanted).then_some(at + 1),
            }
        })
    };
    let (mut out, mut kept, mut at) = (String::new(), 0, 0);
    while at < bytes.len() {
        match ends_at(at).filter(|end| text.is_char_boundary(at) && text.is_char_boundary(*end)) {
            Some(end) => {
                out.push_str(text.get(kept..at)?);
                out.push_str(MASK);
                (kept, at) = (end, end);
            }
            None => at += 1,
        }
    }
    (kept > 0).then(|| out + text.get(kept..).unwrap_or_default())
}

/// A text without any secret.
pub fn hide(secrets: &[Secret], text: &str) -> String {
    let mut out = text.to_owned();
    if text.contains('%') {
        for secret in secrets {
            out = without_escaped(&out, &secret.value).unwrap_or(out);
        }
    }
    for form in secrets.iter().flat_map(|s| &s.forms) {
        if out.contains(form.as_str()) {
            out = out.replace(form.as_str(), MASK);
        }
        if out.contains('…') {
            out = without_start(&out, form);
        }
    }
    out
}

/// How texts are shown in a session that has these.
pub fn mask_of(secrets: &[Secret]) -> Mask {
    if secrets.is_empty() {
        return Mask::default();
    }
    let secrets = secrets.to_owned();
    Mask::new(move |text| hide(&secrets, text))
}

/// Bytes without any secret.
pub fn hide_bytes(secrets: &[Secret], bytes: &[u8]) -> Vec<u8> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return hide(secrets, text).into_bytes();
    }
    let mut out = bytes.to_vec();
    for form in secrets.iter().flat_map(|s| &s.forms) {
        let form = form.as_bytes();
        let mut rest = 0;
        while let Some(at) = out.get(rest..).and_then(|tail| tail.windows(form.len()).position(|part| part == form)) {
            out.splice(rest + at..rest + at + form.len(), MASK.bytes());
            rest += at + MASK.len();
        }
    }
    out
}

/// What was cut off within a secret, and ends in an ellipsis.
fn without_start(text: &str, form: &str) -> String {
    let starts: Vec<usize> = form.char_indices().map(|(i, _)| i).skip(SHORTEST).collect();
    let mut parts = text.split('…');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(end) = starts.iter().rev().find(|end| out.ends_with(&form[..**end])) {
            out.truncate(out.len() - end);
            out.push_str(MASK);
        }
        out.push('…');
        out.push_str(part);
    }
    out
}

/// An answer without any secret.
pub fn mask(secrets: &[Secret], response: &mut Response) {
    if secrets.is_empty() {
        return;
    }
    for value in [&mut response.result, &mut response.state].into_iter().flatten() {
        mask_value(secrets, value);
    }
    if let Some(text) = &mut response.text {
        *text = hide(secrets, text);
    }
    if let Some(problem) = &mut response.error {
        problem.message = hide(secrets, &problem.message);
        problem.hints.iter_mut().for_each(|hint| *hint = hide(secrets, hint));
    }
}

/// A value without any secret.
pub fn mask_value(secrets: &[Secret], value: &mut Value) {
    match value {
        Value::String(text) => *text = hide(secrets, text),
        // Written as a number, a PIN is one all the same.
        Value::Number(number) if secrets.iter().any(|s| s.value == number.to_string()) => *value = Value::from(MASK),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(secrets, item)),
        Value::Object(members) => {
            *members = std::mem::take(members)
                .into_iter()
                .map(|(key, mut value)| {
                    mask_value(secrets, &mut value);
                    (hide(secrets, &key), value)
                })
                .collect();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_in_every_spelling_and_when_cut_off() {
        let given = Given::parse("pw@https://a.example=p\u{e4} \"s&s\"1").expect("it is valid");
        let secrets = [given.keep(None).expect("it is valid")];
        for (text, hidden) in [
            ("say p\u{e4} \"s&s\"1.", "say ••••."),
            ("\"p\u{e4} \\\"s&s\\\"1\"", "\"••••\""),
            (r#"{"a":"{\"b\":\"pä \\\"s&s\\\"1\"}"}"#, r#"{"a":"{\"b\":\"••••\"}"}"#),
            (r#""p\u00e4 \"s&s\"1""#, "\"••••\""),
            ("it is p\u{c3}\u{a4} \"s&s\"1", "it is ••••"),
            ("<b>p\u{e4} \"s&amp;s\"1</b>", "<b>••••</b>"),
            ("value=\"p\u{e4} &quot;s&amp;s&quot;1\"", "value=\"••••\""),
            ("?q=p%C3%A4+%22s%26s%221", "?q=••••"),
            ("?q=p%C3%A4%20%22s%26s%221", "?q=••••"),
            ("?q=p%c3%a4+%22s%26s%221", "?q=••••"),
            ("页#p%C3%A4%20%22s&s%221%2", "页#••••%2"),
            ("/p%c3%A4 %22s%26s\"1/p%C3%A4", "/••••/p%C3%A4"),
            ("it is p\u{e4} \"s…", "it is ••••…"),
            ("p\u{e4} … other", "p\u{e4} … other"),
        ] {
            assert_eq!(hide(&secrets, text), hidden, "{text}");
        }
        assert_eq!(format!("{secrets:?}"), "[Secret(pw)]");
        let given = Given::parse("pw@https://a.example=Pa%s&x1").expect("it is valid");
        let secrets = [given.keep(None).expect("it is valid")];
        for text in ["#Pa%25s&x1", "#Pa%s&x1", "#Pa%25s%26x1"] {
            assert_eq!(hide(&secrets, text), "#••••", "{text}");
        }
    }

    #[test]
    fn a_secret_is_hidden_in_base64_wherever_it_stands_there() {
        let given = Given::parse("pw@https://a.example=hunter2?\u{ff}").expect("it is valid");
        let secrets = [given.keep(None).expect("it is valid")];
        for user in ["", "a", "ab", "abc", "ann:", "someone:"] {
            for for_addresses in [false, true] {
                let text = base64(format!("{user}hunter2?\u{ff}").as_bytes(), for_addresses);
                let hidden = hide(&secrets, &text);
                // What is left are the letters that it shares with its neighbours.
                assert!(
                    hidden.contains(MASK) && hidden.len() < MASK.len() + user.len() * 2 + 6,
                    "{user}: {text} {hidden}"
                );
            }
        }
        let hidden = [b"\xfe ", MASK.as_bytes(), b" \xfe"].concat();
        assert_eq!(hide_bytes(&secrets, b"\xfe hunter2?\xc3\xbf \xfe"), hidden);
        let mut value = serde_json::json!({ "pin": 471_147, "n": 47 });
        let pin = [Given::parse("pin@https://a.example=471147").expect("it is valid").keep(None).expect("it is valid")];
        mask_value(&pin, &mut value);
        assert_eq!(value, serde_json::json!({ "pin": MASK, "n": 47 }));
    }

    #[test]
    fn what_is_no_secret_is_refused_without_being_repeated() {
        for text in ["hunter22", "a b=hunter22", "=hunter22"] {
            let problem = Given::parse(text).expect_err(text);
            assert!(!problem.message.contains("hunter22"), "{problem}");
        }
        for text in ["a=hunter22", "a@nowhere=hunter22", "a@https://x.example=abc"] {
            let problem = Given::parse(text).expect("its form is valid").keep(None).expect_err(text);
            assert!(!problem.message.contains("hunter22"), "{problem}");
        }
    }
}
