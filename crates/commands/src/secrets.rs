//! Secrets: texts that the caller may put into fields of one origin, and that nothing shows.

use crate::Response;
use handeye_engine::{Mask, Read, origin, outline};
use handeye_scene::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::ops::Range;

/// What stands in place of a secret.
const MASK: &str = "••••";
/// Characters that a secret has at least.
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
            given.value = Some(read_password(std::path::Path::new(path))?);
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
                .ok_or_else(|| wrong("needs an origin: write the address whole, with http:// or https://, or the secret as NAME@ORIGIN=…"))?,
        };
        let forms = forms(&value);
        // In an address each byte of it may take three characters, and what has no width may stand between them.
        let longest = forms.iter().map(|form| form.chars().count()).max().unwrap_or_default().max(value.len() * 3) * 2;
        Ok(Secret { forms: forms.iter().map(|form| Read::of(form)).collect(), longest, name, origin, value })
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
    /// As it is written in texts, JSON, markup and addresses; it itself first.
    forms: Vec<Read>,
    /// Characters of the longest of these, escaped.
    longest: usize,
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

fn forms(value: &str) -> Vec<String> {
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

/// The secret of this name; the one given last, when a browser was replaced by one with another.
pub fn find<'a>(secrets: &'a [Secret], name: &str) -> Result<&'a Secret, Problem> {
    secrets.iter().rev().find(|s| s.name == name).ok_or_else(|| {
        let names: Vec<&str> = secrets.iter().map(|s| s.name.as_str()).collect();
        let known = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
        Problem::new(Code::NotFound, format!("the session has no secret `{name}`: {known}")).hint(EXAMPLE)
    })
}

/// Where secrets stand in a text, in order, those that overlap as one.
fn places(secrets: &[Secret], text: &str) -> Vec<Range<usize>> {
    let plain = Read::of(text);
    let mut found: Vec<Range<usize>> =
        secrets.iter().flat_map(|s| &s.forms).flat_map(|form| plain.find(form).collect::<Vec<_>>()).collect();
    if text.contains('%') {
        let mut address = |text: &str| {
            let read = Read::of_address(text);
            // The first form is the secret itself.
            found.extend(
                secrets.iter().filter_map(|s| s.forms.first()).flat_map(|form| read.find(form).collect::<Vec<_>>()),
            );
        };
        address(text);
        if text.contains('+') {
            address(&text.replace('+', " "));
        }
    }
    found.sort_by_key(|place| (place.start, place.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for place in found {
        match joined.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => joined.push(place),
        }
    }
    joined
}

/// A text with a mask in these places.
fn without(text: &str, places: &[Range<usize>]) -> String {
    let (mut out, mut kept) = (String::with_capacity(text.len()), 0);
    for place in places {
        out.push_str(text.get(kept..place.start).unwrap_or_default());
        out.push_str(MASK);
        kept = place.end;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    out
}

/// A text without any secret. It is to be whole: of one that was cut off before, nobody can tell what is left.
pub fn hide(secrets: &[Secret], text: &str) -> String {
    without(text, &places(secrets, text))
}

/// What a caller wrote in a call: it comes back as it was written, since by what is masked of it a secret would be found out.
#[derive(Debug, Default)]
pub struct Own {
    words: Vec<String>,
    /// The rules for requests are listed, with patterns of earlier calls.
    lists_rules: bool,
}

/// Members of arguments that hold secrets themselves.
const HOLDS_SECRETS: [&str; 2] = ["secrets", "secret"];
/// So much of what the caller wrote tells it again where a message cuts it off.
const TELLING: usize = 40;

impl Own {
    /// The words of a call; whether it lists the rules for requests.
    pub fn of(request: &crate::Request, lists_rules: bool) -> Self {
        let mut own = Self { words: vec![request.command.clone()], lists_rules };
        own.add(&request.args);
        own.words.extend(request.flags.window.clone());
        own
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.words.push(text.clone());
                // As a message quotes it.
                self.words.push(outline::quote_own(text, usize::MAX).trim_matches('"').to_owned());
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(key, _)| !HOLDS_SECRETS.contains(&key.as_str())) {
                    self.words.push(key.clone());
                    self.add(value);
                }
            }
            Value::Number(number) => self.words.push(number.to_string()),
            _ => {}
        }
    }

    /// The patterns of the rules that an answer lists: callers wrote them, in this call or before.
    fn patterns<'a>(&self, response: &'a mut Response) -> Vec<&'a mut Value> {
        let rules = response.result.as_mut().filter(|_| self.lists_rules).and_then(|result| result.get_mut("rules"));
        let rules = rules.and_then(Value::as_array_mut).into_iter().flatten();
        rules.filter_map(|rule| rule.get_mut("pattern")).collect()
    }

    /// Whether this part of a text is the caller's: all that the caller wrote stands around it, or as much as was not cut off.
    fn holds(&self, text: &str, place: &Range<usize>) -> bool {
        self.words.iter().any(|own| {
            let start: String = own.chars().take(TELLING).collect();
            let part = text.get(place.clone()).unwrap_or_default();
            own.contains(part)
                && text.match_indices(&start).any(|(at, _)| {
                    let rest = text.get(at..).unwrap_or_default();
                    let alike: usize =
                        rest.chars().zip(own.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
                    let is_all = alike == own.len() || rest.get(alike..).is_some_and(|rest| rest.starts_with('…'));
                    is_all && at <= place.start && place.end <= at + alike
                })
        })
    }

    /// A text without any secret but those that the caller wrote.
    fn hide(&self, secrets: &[Secret], text: &str) -> String {
        let mut places = places(secrets, text);
        places.retain(|place| !self.holds(text, place));
        without(text, &places)
    }
}

/// How texts are shown in a session that has these.
pub fn mask_of(secrets: &[Secret]) -> Mask {
    if secrets.is_empty() {
        return Mask::default();
    }
    let longest = secrets.iter().map(|secret| secret.longest).max().unwrap_or_default();
    let secrets = secrets.to_owned();
    Mask::new(move |text| hide(&secrets, text), longest)
}

/// Bytes without any secret.
pub fn hide_bytes(secrets: &[Secret], bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.extend(hide(secrets, chunk.valid()).into_bytes());
        out.extend_from_slice(chunk.invalid());
    }
    out
}

/// An answer without any secret but what the caller wrote.
pub fn mask(secrets: &[Secret], mut own: Own, response: &mut Response) {
    if secrets.is_empty() {
        return;
    }
    let patterns: Vec<Value> = own.patterns(response).into_iter().map(|pattern| pattern.take()).collect();
    for value in [&mut response.result, &mut response.state].into_iter().flatten() {
        mask_value(secrets, value);
    }
    patterns.iter().for_each(|pattern| own.add(pattern));
    for (place, pattern) in own.patterns(response).into_iter().zip(patterns) {
        *place = pattern;
    }
    if let Some(text) = &mut response.text {
        *text = own.hide(secrets, text);
    }
    if let Some(problem) = &mut response.error {
        problem.message = own.hide(secrets, &problem.message);
        problem.hints.iter_mut().for_each(|hint| *hint = own.hide(secrets, hint));
    }
}

/// A value without any secret.
pub fn mask_value(secrets: &[Secret], value: &mut Value) {
    mask_json(secrets, &mask_of(secrets), value);
}

fn mask_json(secrets: &[Secret], mask: &Mask, value: &mut Value) {
    match value {
        Value::String(text) => *text = mask.of(text).into_owned(),
        // Written as a number, a PIN is one all the same.
        Value::Number(number) if secrets.iter().any(|s| s.value == number.to_string()) => *value = Value::from(MASK),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_json(secrets, mask, item)),
        Value::Object(members) => {
            *members = std::mem::take(members)
                .into_iter()
                .map(|(key, mut value)| {
                    mask_json(secrets, mask, &mut value);
                    (hide(secrets, &key), value)
                })
                .collect();
        }
        _ => {}
    }
}

/// A password, as a file holds it: without the line's end.
pub(crate) fn read_password(path: &std::path::Path) -> Result<String, Problem> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Problem::new(Code::File, format!("can't read the password in {}: {e}", path.display())))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_in_every_spelling_and_case() {
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
            ("it is p\u{e4} \"s…", "it is p\u{e4} \"s…"),
            ("say PA\u{308} \"S&S\"1.", "say ••••."),
            ("say ｐ\u{ad}\u{e4} \"s&\u{200b}s\"１.", "say ••••."),
            ("?q=P%c3%84+%22S%26s%221", "?q=••••"),
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

    /// Whoever guesses is told the same, right or wrong: nothing.
    #[test]
    fn what_the_caller_wrote_comes_back_as_it_was_written() {
        let given = Given::parse("pw@https://a.example=hunter22").expect("it is valid");
        let secrets = [given.keep(None).expect("it is valid")];
        let args = serde_json::json!({ "name": "hunter22", "expect": "0000 hunter22 \"x\"", "secrets": [{ "value": "hunter22" }] });
        let request = crate::Request { command: "click".into(), args, ..crate::Request::default() };
        let own = Own::of(&request, false);
        for (text, shown) in [
            ("no button \"hunter22\"", "no button \"hunter22\""),
            ("expected \"0000 hunter22 \\\"x\\\"\"", "expected \"0000 hunter22 \\\"x\\\"\""),
            ("it says HUNTER22", "it says ••••"),
        ] {
            assert_eq!(own.hide(&secrets, text), shown);
        }
        let long = format!("{} hunter22", "x".repeat(50));
        let own =
            Own::of(&crate::Request { args: serde_json::json!({ "text": long }), ..crate::Request::default() }, false);
        let cut = format!("\"{}…\"", &long[..59]);
        for text in [cut.as_str(), &long] {
            assert_eq!(own.hide(&secrets, text), text);
        }
        assert_eq!(own.hide(&secrets, "xxx hunter22"), "xxx ••••");
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
