//! Numbers as Python's `json` reads and writes them: whole ones of any length as they are, others as `repr` does.

use serde_json::Number;

/// A number, as Python writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numeral(String);

impl Numeral {
    /// Of a number as JSON writes it.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text == "-0" {
            return Some(Self("0".to_owned()));
        }
        if text.contains(['.', 'e', 'E']) {
            return text.parse().ok().map(Self::float);
        }
        Some(Self(text.to_owned()))
    }

    fn float(number: f64) -> Self {
        Self(repr(number))
    }

    /// The number where Rust has one; a whole one that is too long for that loses its last digits.
    pub fn to_number(&self) -> Option<Number> {
        serde_json::from_str(&self.0).ok()
    }

    /// Whether that is the very number.
    pub fn is_exact(&self) -> bool {
        self.0.contains(['.', 'e', 'n']) || self.0.parse::<i64>().is_ok() || self.0.parse::<u64>().is_ok()
    }

    /// As Python writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<u64> for Numeral {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

impl From<&Number> for Numeral {
    fn from(number: &Number) -> Self {
        match number.as_f64() {
            Some(float) if number.is_f64() => Self::float(float),
            _ => Self(number.to_string()),
        }
    }
}

/// As Python's `repr` writes a float: the fewest digits that name it, with an exponent where it is below 1e-4 or from 1e16 on.
fn repr(number: f64) -> String {
    let plain = format!("{number:e}");
    let Some((digits, exponent)) = plain.split_once('e') else { return plain };
    let Ok(exponent) = exponent.parse::<i32>() else { return plain };
    if !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = number.to_string();
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

/// The numbers of a JSON text, in order. What stands in strings is none.
pub(super) fn numbers(text: &[u8]) -> Vec<&str> {
    let is_of = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while text.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let length = text[at..].iter().take_while(|byte| is_of(byte)).count();
                found.extend(std::str::from_utf8(&text[at..at + length]));
                at += length;
            }
            _ => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `python3 -c 'import json; print(json.dumps(json.loads(TEXT)))'` says.
    #[test]
    fn numbers_are_written_as_python_writes_them() {
        for (text, wanted) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("5", "5"),
            ("-17", "-17"),
            ("18446744073709551615", "18446744073709551615"),
            ("123456789012345678901", "123456789012345678901"),
            ("-123456789012345678901", "-123456789012345678901"),
            ("1.0", "1.0"),
            ("1.50", "1.5"),
            ("1e2", "100.0"),
            ("1E5", "100000.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1.5e16", "1.5e+16"),
            ("123456789012345680.0", "1.2345678901234568e+17"),
            ("1e22", "1e+22"),
            ("1e100", "1e+100"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1.5e-7", "1.5e-07"),
            ("-2.5e-300", "-2.5e-300"),
            ("5e-324", "5e-324"),
            ("0.1", "0.1"),
            ("3.141592653589793", "3.141592653589793"),
            ("9007199254740993", "9007199254740993"),
            ("9007199254740993.0", "9007199254740992.0"),
        ] {
            assert_eq!(Numeral::read(text).as_ref().map(Numeral::as_str), Some(wanted), "{text}");
        }
        let exact = |text| Numeral::read(text).is_some_and(|number| number.is_exact());
        assert!(exact("1.5") && exact("-9223372036854775808") && exact("18446744073709551615"));
        assert!(!exact("18446744073709551616") && !exact("-9223372036854775809"));
    }

    #[test]
    fn numbers_are_found_outside_of_strings() {
        let text = br#"{"a1": [1, -2.5e3, "4 \" 5", null], "\\": 6, "b": {"c": true}, "7": "\\"}"#;
        assert_eq!(numbers(text), ["1", "-2.5e3", "6"]);
        assert_eq!(numbers(b"\"open \\"), Vec::<&str>::new());
    }
}
