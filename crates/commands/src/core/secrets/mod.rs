//! Secrets: texts that the caller may put into fields of one origin, and that nothing shows.

pub mod own;
pub(crate) mod spellings;

use crate::core::secrets::spellings::SHORTEST;
use handeye_engine::policy::origin;
use handeye_engine::{Mask, Read};
use handeye_scene::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::ops::Range;

/// What stands in place of a secret.
const MASK: &str = "••••";
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
        Ok(Secret::new(name, origin, value))
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

impl Secret {
    fn new(name: String, origin: String, value: String) -> Self {
        let forms = spellings::forms(&value);
        // In an address each byte of it may take three characters, and what has no width may stand between them.
        let longest = forms.iter().map(|form| form.chars().count()).max().unwrap_or_default().max(value.len() * 3) * 2;
        Self { forms: forms.iter().map(|form| Read::of(form)).collect(), longest, name, origin, value }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.name)
    }
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

/// How texts are shown in a session that has these.
pub fn mask_of(secrets: &[Secret]) -> Mask {
    if secrets.is_empty() {
        return Mask::default();
    }
    let longest = secrets.iter().map(|secret| secret.longest).max().unwrap_or_default();
    let secrets = secrets.to_owned();
    Mask::new(move |text| hide(&secrets, text), longest)
}

/// Hides these texts in all forms in which a secret is hidden.
pub fn mask_of_texts(texts: &[String]) -> Mask {
    let secrets: Vec<Secret> =
        texts.iter().map(|text| Secret::new(String::new(), String::new(), text.clone())).collect();
    mask_of(&secrets)
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
                let text = spellings::base64(format!("{user}hunter2?\u{ff}").as_bytes(), for_addresses);
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
