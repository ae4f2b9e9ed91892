//! Generated input: valid samples, changed as a hostile page, browser, file or client would change them.
//!
//! Inputs depend on a seed alone, so a failure names an input that fails again.

use crate::Dice;
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long one input may take before it counts as a hang. Generous: the machine may be busy with other things.
const HANG: Duration = Duration::from_secs(30);
/// Characters of an input that a failure shows.
const SHOWN: usize = 4000;
/// Longest text that is generated, in bytes, short of what one piece adds.
const LONGEST: usize = 100_000;

/// Pieces that readers stumble over.
const PIECES: &[&str] = &[
    "",
    "\0",
    "\n",
    "\r\n",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{200b}",
    "\u{feff}",
    "\u{e0041}",
    "\u{fffd}",
    "\u{10ffff}",
    "é",
    "e\u{301}",
    "登录",
    "ß",
    "İ",
    "ﷺ",
    "👩‍👩‍👧",
    "\\",
    "\"",
    "'",
    "\\u0000",
    "\\ud800",
    "\\udc00",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-0",
    "1e309",
    "-9223372036854775809",
    "18446744073709551616",
    "0.1",
    "NaN",
    "Infinity",
    "%",
    "%00",
    "%u202e",
    "&#0;",
    "<!--",
    "]]>",
    "//",
    "..",
    "/",
    "@",
    "#",
    "?",
    "://",
    "http://[::1",
    "http://[::]:99999",
    "javascript:",
    "data:,",
    "blob:null/",
    "xn--",
    "*",
    "**",
    "*.",
    "(",
    ")",
    "(?",
    "$",
    "^",
    "|",
    "…",
    "...",
    "(2)",
    "[3]",
    "¥",
    "12:01",
    "3 min ago",
    "3分钟前",
    "40%",
    "\t",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
];

/// Changes samples.
#[derive(Debug, Clone)]
pub struct Mutator {
    /// Where its choices come from.
    pub dice: Dice,
}

impl Mutator {
    /// The same seed makes the same inputs.
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed) }
    }

    /// A text made of a sample, changed in one to eight places.
    pub fn text(&mut self, samples: &[&str]) -> String {
        let mut text = self.dice.pick(samples).copied().unwrap_or_default().to_owned();
        for _ in 0..=self.dice.below(8) {
            if text.len() < LONGEST {
                self.change(&mut text, samples);
            }
        }
        text
    }

    fn change(&mut self, text: &mut String, samples: &[&str]) {
        let (from, to) = self.span(text);
        let new = match self.dice.below(7) {
            0 => String::new(),
            1 => text[from..to].repeat(2),
            2 => text[from..to].repeat(1 + self.dice.below(200)),
            3 => {
                let other = self.dice.pick(samples).copied().unwrap_or_default();
                let (a, b) = self.span(other);
                other[a..b].to_owned()
            }
            4 => char::from_u32(u32::try_from(self.dice.below(0x11_0000)).unwrap_or(0)).unwrap_or('\u{fffd}').into(),
            _ => self.dice.pick(PIECES).copied().unwrap_or_default().to_owned(),
        };
        if new.len() < LONGEST {
            let to = if self.dice.below(2) == 0 { from } else { to };
            text.replace_range(from..to, &new);
        }
    }

    /// Some part of a text, at the edges of characters.
    fn span(&mut self, text: &str) -> (usize, usize) {
        let mut edge = || {
            let mut at = self.dice.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (a, b) = (edge(), edge());
        (a.min(b), a.max(b))
    }

    /// A JSON text: mostly a sample whose members were changed, sometimes a sample whose characters were.
    pub fn json(&mut self, samples: &[&str]) -> String {
        let sample = self.dice.pick(samples).copied().unwrap_or_default();
        match serde_json::from_str::<Value>(sample) {
            Ok(mut value) if self.dice.below(5) > 0 => {
                for _ in 0..=self.dice.below(4) {
                    self.change_value(&mut value);
                }
                value.to_string()
            }
            _ => self.text(samples),
        }
    }

    /// Changes one place of a value, at any depth.
    pub fn change_value(&mut self, value: &mut Value) {
        let deeper = self.dice.below(5) > 0;
        match value {
            Value::Object(members) if deeper && !members.is_empty() => self.change_member(members),
            Value::Array(items) if deeper && !items.is_empty() => {
                let at = self.dice.below(items.len());
                match self.dice.below(6) {
                    0 => drop(items.remove(at)),
                    1 => items.push(items[at].clone()),
                    _ => self.change_value(&mut items[at]),
                }
            }
            Value::String(text) if deeper => {
                let samples: [&str; 1] = [text];
                *text = self.text(&samples);
            }
            Value::Number(_) if deeper => *value = self.number(),
            other => *other = self.value(),
        }
    }

    fn change_member(&mut self, members: &mut Map<String, Value>) {
        let at = self.dice.below(members.len());
        let Some(key) = members.keys().nth(at).cloned() else { return };
        match self.dice.below(8) {
            0 => drop(members.remove(&key)),
            1 => {
                let value = members.remove(&key).unwrap_or(Value::Null);
                members.insert(self.text(&[&key]), value);
            }
            _ => self.change_value(&mut members[&key]),
        }
    }

    fn number(&mut self) -> Value {
        match self.dice.below(9) {
            0 => (-1).into(),
            1 => 0.into(),
            2 => i64::MAX.into(),
            3 => i64::MIN.into(),
            4 => u64::MAX.into(),
            5 => serde_json::json!(1e300),
            6 => serde_json::json!(0.5),
            7 => (1_i64 << 32).into(),
            _ => Value::from(self.dice.below(300)),
        }
    }

    fn value(&mut self) -> Value {
        match self.dice.below(8) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => self.number(),
            3 => Value::Array(Vec::new()),
            4 => Value::Object(Map::new()),
            5 => self.nested(),
            _ => Value::String(self.text(&["", "text"])),
        }
    }

    /// Arrays within arrays, at times deeper than readers go.
    fn nested(&mut self) -> Value {
        (0..self.dice.below(200)).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
    }
}

/// What is being dealt with, and since when.
struct Now {
    input: String,
    since: Instant,
}

/// Hands `count` inputs that `make` gives to `take`.
///
/// # Panics
/// When one of them makes `take` panic, or takes longer than thirty seconds; the message holds the seed and the input.
#[allow(clippy::panic)] // a test stops at the first thing amiss
pub fn survive(
    what: &str,
    seed: u64,
    count: usize,
    mut make: impl FnMut(&mut Mutator) -> String + Send + 'static,
    mut take: impl FnMut(&str) + Send + 'static,
) {
    let now = Arc::new(Mutex::new(Now { input: String::new(), since: Instant::now() }));
    let over = Arc::new(AtomicBool::new(false));
    let (seen, done) = (now.clone(), over.clone());
    let work = std::thread::spawn(move || {
        let mut mutator = Mutator::new(seed);
        for trial in 0..count {
            let input = make(&mut mutator);
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Now { input: input.clone(), since: Instant::now() };
            if catch_unwind(AssertUnwindSafe(|| take(&input))).is_err() {
                done.store(true, Ordering::Release);
                return Err(trial);
            }
        }
        done.store(true, Ordering::Release);
        Ok(())
    });
    let shown = |input: &str| format!("{:?}", input.chars().take(SHOWN).collect::<String>());
    while !over.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(20));
        let now = now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.since.elapsed() > HANG && !over.load(Ordering::Acquire) {
            panic!("{what}, seed {seed}: hangs on {}", shown(&now.input));
        }
    }
    if let Ok(Err(trial)) = work.join() {
        let input = now.lock().unwrap_or_else(PoisonError::into_inner).input.clone();
        panic!("{what}, seed {seed}, trial {trial}: panics on {}", shown(&input));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_inputs() {
        let samples = [r#"{"a":[1,"two",{"b":null}]}"#, "plain"];
        let inputs = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..50).map(|_| mutator.json(&samples)).collect::<Vec<_>>()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
        let sound = inputs(7).iter().filter(|text| serde_json::from_str::<Value>(text).is_ok()).count();
        assert!((10..50).contains(&sound), "{sound} of 50 are JSON still: both kinds are needed");
    }

    #[test]
    fn a_panic_is_told_with_its_input() {
        let take = |input: &str| assert!(!input.contains("登"), "found");
        let failed = catch_unwind(|| survive("a reader", 1, 1000, |m| m.text(&["登录"]), take));
        let text = failed.unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(text.contains("a reader, seed 1, trial") && text.contains('登'), "{text}");
    }
}
