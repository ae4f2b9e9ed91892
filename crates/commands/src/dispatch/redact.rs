//! The layer that takes from an answer what isn't to be shown: secrets, characters that nobody sees, and what is more than
//! anyone reads.

use crate::core::secrets::Secret;
use crate::core::secrets::own::{Own, mask};
use crate::{Request, Response};
use handeye_engine::observe::outline;
use handeye_engine::wording::shown;
use handeye_scene::{Hint, ModelKeys};
use serde_json::Value;

/// Characters of the text of an answer, at most.
const LONGEST: usize = 200_000;

/// Commands that programs ask for all of a text.
const GIVE_ALL: [&str; 7] = ["get", "eval", "network", "storage", "cookies", "clipboard", "snapshot"];
/// Characters of one text of any other answer's value, at most.
const ONE_TEXT: usize = 20_000;

/// What has to be known of a call to redact its answer.
pub(crate) struct Redaction {
    own: Own,
    keys: ModelKeys,
    is_whole: bool,
}

impl Redaction {
    /// Of the answer to this call.
    pub(crate) fn of(request: &Request) -> Self {
        let lists_rules = request.command == <crate::network::requests::Network as crate::Command>::NAME;
        Self {
            own: Own::of(request, lists_rules),
            keys: request.flags.keys.clone(),
            is_whole: GIVE_ALL.contains(&request.command.as_str()),
        }
    }

    /// Redacts the answer.
    pub(crate) fn apply(self, secrets: &[Secret], response: &mut Response) {
        redact_keys(&self.keys, response);
        mask(secrets, self.own, response);
        bound(response);
        if !self.is_whole {
            [&mut response.result, &mut response.state].into_iter().flatten().for_each(shorten);
        }
    }
}

/// Takes keys of model servers out of an answer: a server or a page may have repeated one.
fn redact_keys(keys: &ModelKeys, response: &mut Response) {
    if keys.is_empty() {
        return;
    }
    [&mut response.result, &mut response.state].into_iter().flatten().for_each(|value| redact_value(keys, value));
    response.text.iter_mut().for_each(|text| *text = keys.redact(text));
    response.hints.iter_mut().for_each(|hint| hint.rewrite(|text| keys.redact(text)));
    if let Some(problem) = &mut response.error {
        problem.message = keys.redact(&problem.message);
        problem.hints.iter_mut().for_each(|hint| hint.rewrite(|text| keys.redact(text)));
    }
}

fn redact_value(keys: &ModelKeys, value: &mut Value) {
    match value {
        Value::String(text) => *text = keys.redact(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(keys, item)),
        Value::Object(members) => members.values_mut().for_each(|member| redact_value(keys, member)),
        _ => {}
    }
}

/// Cuts what no name, address or message needs to be told.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > ONE_TEXT => *text = outline::cut(text, ONE_TEXT),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Takes from the texts of an answer what isn't seen, where whoever wrote them didn't, and what is more than anyone reads.
fn bound(response: &mut Response) {
    if let Some(text) = &mut response.text {
        *text = shown::harmless(text);
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            let end = text.get(..end).and_then(|kept| kept.rfind('\n')).filter(|at| *at > LONGEST / 2).unwrap_or(end);
            text.truncate(end);
            text.push_str("\n… cut here; all of it: --json");
        }
    }
    response.hints.iter_mut().for_each(readable);
    if let Some(problem) = &mut response.error {
        problem.message = shown::harmless(&outline::cut(&problem.message, shown::MESSAGE));
        problem.hints.iter_mut().for_each(readable);
    }
}

fn readable(hint: &mut Hint) {
    hint.rewrite(|text| shown::line(text, shown::MESSAGE));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use handeye_scene::{Code, Problem};
    use serde_json::json;

    fn redacted(command: &str, result: Value, text: &str) -> Response {
        let request = Request { command: command.into(), ..Request::default() };
        let (result, text) = (Some(result), Some(text.to_owned()));
        let mut response = Response { status: Status::Ok, result, text, hints: Vec::new(), state: None, error: None };
        Redaction::of(&request).apply(&[], &mut response);
        response
    }

    #[test]
    fn an_answer_is_bounded_unless_all_of_it_is_asked_for() {
        let long = "x".repeat(ONE_TEXT + 1);
        let length = |response: Response| response.result.map(|r| r["name"].as_str().map_or(0, |t| t.chars().count()));
        assert!(length(redacted("state", json!({ "name": long }), "")).is_some_and(|n| n <= ONE_TEXT + 1));
        assert_eq!(length(redacted("get", json!({ "name": long }), "")), Some(ONE_TEXT + 1));
        let text = redacted("get", json!({}), &"line\n".repeat(LONGEST)).text.unwrap_or_default();
        assert!(text.ends_with("\n… cut here; all of it: --json") && text.chars().count() < LONGEST + 40);
    }

    #[test]
    fn what_nobody_sees_is_shown_for_what_it_is_in_texts_and_problems() {
        assert_eq!(redacted("state", json!({}), "a\u{202e}b").text.as_deref(), Some("a\\u{202e}b"));
        let mut response = Response::from(Problem::new(Code::Stale, "gone\u{202e}").hint("handeye find 'a\nb'"));
        Redaction::of(&Request::default()).apply(&[], &mut response);
        let problem = response.error.expect("it was one");
        assert_eq!((problem.message.as_str(), problem.hints[0].to_string().contains('\n')), ("gone\\u{202e}", false));
    }
}
