//! JSON that keeps the order of members, and writes itself as Python's `json.dumps` does: the document's forms are given by that.

use super::numeral::{Numeral, numbers};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::vec::IntoIter;

/// A JSON value whose members keep their order.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Numeral),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object. Of members with one name the last one counts.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text.
    pub fn parse(text: &[u8]) -> Result<Self, serde_json::Error> {
        let numbers = RefCell::new(numbers(text).into_iter());
        let mut reader = serde_json::Deserializer::from_slice(text);
        let json = Reader(&numbers).deserialize(&mut reader)?;
        reader.end()?;
        Ok(json)
    }

    /// Whether `to_value` has the very same numbers.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Number(number) => number.is_exact(),
            Self::List(items) => items.iter().all(Self::is_exact),
            Self::Object(members) => members.iter().all(|(_, value)| value.is_exact()),
            _ => true,
        }
    }

    /// An object of these members.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The same without the order.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => number.to_number().map_or(Value::Null, Value::Number),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => members.iter().map(|(name, value)| (name.clone(), value.to_value())).collect(),
        }
    }

    /// As `json.dumps(value, ensure_ascii=False)` writes it.
    pub fn python(&self) -> String {
        Writer::default().whole(self)
    }

    /// As `json.dumps(value)` writes it: in ASCII alone.
    pub fn python_ascii(&self) -> String {
        Writer { ascii: true, ..Writer::default() }.whole(self)
    }

    /// As `json.dumps(value, ensure_ascii=False, indent=2)` writes it.
    pub fn python_indented(&self) -> String {
        Writer { indented: true, ..Writer::default() }.whole(self)
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.into()),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), value.into())).collect())
            }
        }
    }
}

#[derive(Default)]
struct Writer {
    out: String,
    ascii: bool,
    indented: bool,
    depth: usize,
}

impl Writer {
    fn whole(mut self, value: &Json) -> String {
        self.value(value);
        self.out
    }

    fn value(&mut self, value: &Json) {
        match value {
            Json::Null => self.out.push_str("null"),
            Json::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Json::Number(number) => self.out.push_str(number.as_str()),
            Json::Text(text) => self.text(text),
            Json::List(items) => {
                self.block('[', ']', items.len(), |writer, at| writer.value(&items[at]));
            }
            Json::Object(members) => self.block('{', '}', members.len(), |writer, at| {
                let (name, value) = &members[at];
                writer.text(name);
                writer.out.push_str(": ");
                writer.value(value);
            }),
        }
    }

    fn block(&mut self, open: char, close: char, len: usize, item: impl Fn(&mut Self, usize)) {
        self.out.push(open);
        self.depth += 1;
        for at in 0..len {
            if at > 0 {
                self.out.push_str(if self.indented { "," } else { ", " });
            }
            self.line();
            item(self, at);
        }
        self.depth -= 1;
        if len > 0 {
            self.line();
        }
        self.out.push(close);
    }

    fn line(&mut self) {
        if self.indented {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.depth));
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match character {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                escaped if escaped < ' ' || self.ascii && !(' '..='~').contains(&escaped) => {
                    for unit in escaped.encode_utf16(&mut [0; 2]) {
                        let _ = write!(self.out, "\\u{unit:04x}");
                    }
                }
                plain => self.out.push(plain),
            }
        }
        self.out.push('"');
    }
}

/// Reads a value. Serde's numbers have lost how they were written: each is the next of those that were found in the text.
#[derive(Clone, Copy)]
struct Reader<'t>(&'t RefCell<IntoIter<&'t str>>);

impl Reader<'_> {
    fn number<E: serde::de::Error>(self) -> Result<Json, E> {
        let next = self.0.borrow_mut().next().and_then(Numeral::read);
        next.map(Json::Number).ok_or_else(|| E::custom("a number can't be read"))
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<Json, E> {
        self.number()
    }

    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Json, E> {
        self.number()
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Json, E> {
        self.number()
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object: Vec<(String, Json)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(self)?;
            match places.get(&name) {
                Some(at) => object[*at] = (name, value),
                None => {
                    places.insert(name.clone(), object.len());
                    object.push((name, value));
                }
            }
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_python_writes_it() {
        let json = Json::parse(
            r#"{"b": [1, -2.5, null, true, {}], "a": "\"京\\\n\u0001\u007f😀", "c": [], "b": [1]}"#.as_bytes(),
        );
        let json = json.expect("it is JSON");
        assert_eq!(json.python(), "{\"b\": [1], \"a\": \"\\\"京\\\\\\n\\u0001\u{7f}😀\", \"c\": []}");
        assert_eq!(json.python_ascii(), r#"{"b": [1], "a": "\"\u4eac\\\n\u0001\u007f\ud83d\ude00", "c": []}"#);
        assert_eq!(
            json.python_indented(),
            "{\n  \"b\": [\n    1\n  ],\n  \"a\": \"\\\"京\\\\\\n\\u0001\u{7f}😀\",\n  \"c\": []\n}"
        );
    }

    #[test]
    fn numbers_stay_what_they_are() {
        let text = r#"{"order": 123456789012345678901, "1": [1e16, -0, {"x": 1.50}], "s": "9", "order2": 2}"#;
        let json = Json::parse(text.as_bytes()).expect("it is JSON");
        let wanted = r#"{"order": 123456789012345678901, "1": [1e+16, 0, {"x": 1.5}], "s": "9", "order2": 2}"#;
        assert_eq!((json.python().as_str(), json.is_exact()), (wanted, false));
        // Of members with one name the last one counts, with its own numbers.
        let twice = Json::parse(br#"{"a": 1, "a": 2, "b": 3}"#).expect("it is JSON");
        assert_eq!((twice.python().as_str(), twice.is_exact()), (r#"{"a": 2, "b": 3}"#, true));
        for wrong in ["1 2", "01", "1.", "--1", "[1,]", "1e999", "+1"] {
            assert!(Json::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(Json::parse(deep.as_bytes()).is_err());
    }
}
