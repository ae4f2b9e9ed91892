//! What a caller wrote itself, which is never masked.

use crate::Response;
use crate::core::secrets::{Secret, mask_value, places, without};
use handeye_engine::observe::outline;
use serde_json::Value;
use std::ops::Range;

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
    response.hints.iter_mut().for_each(|hint| hint.rewrite(|text| own.hide(secrets, text)));
    if let Some(problem) = &mut response.error {
        problem.message = own.hide(secrets, &problem.message);
        problem.hints.iter_mut().for_each(|hint| hint.rewrite(|text| own.hide(secrets, text)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::secrets::Given;

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
}
