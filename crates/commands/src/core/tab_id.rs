//! A tab, as callers name it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// The id of a tab, such as `t2`. Its number alone is read as one too, as text or, in JSON, as a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Named", into = "String")]
#[schemars(with = "String")]
pub struct TabId(String);

/// What a caller may write.
#[derive(Deserialize)]
#[serde(untagged)]
enum Named {
    Number(u32),
    Text(String),
}

impl FromStr for TabId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix('t').unwrap_or(text);
        // The parser of numbers would take a sign.
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
        match number.parse::<u32>() {
            Ok(number) if number > 0 && is_plain => Ok(Self(format!("t{number}"))),
            _ => Err(format!("`{text}` is no tab: write its number as `tabs list` shows it, such as 2 or t2")),
        }
    }
}

impl TryFrom<Named> for TabId {
    type Error = String;

    fn try_from(named: Named) -> Result<Self, String> {
        match named {
            Named::Number(number) => number.to_string().parse(),
            Named::Text(text) => text.parse(),
        }
    }
}

impl From<TabId> for String {
    fn from(id: TabId) -> Self {
        id.0
    }
}

impl Deref for TabId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TabId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_is_named_by_its_number_and_nothing_else() {
        for (text, id) in [
            ("2", Some("t2")),
            ("t2", Some("t2")),
            ("t02", Some("t2")),
            ("4294967295", Some("t4294967295")),
            ("0", None),
            ("t0", None),
            ("", None),
            ("t", None),
            ("tt2", None),
            ("T2", None),
            ("-2", None),
            ("+2", None),
            ("t+2", None),
            ("2.0", None),
            ("two", None),
            ("4294967296", None),
        ] {
            let read = serde_json::from_value::<TabId>(text.into());
            assert_eq!(read.as_deref().ok(), id, "{text}");
        }
        for (number, id) in [(2, Some("t2")), (0, None), (-2, None)] {
            let read = serde_json::from_value::<TabId>(number.into());
            assert_eq!(read.as_deref().ok(), id, "{number}");
        }
    }
}
