//! What a call of a trace came to, beside what the same call comes to now.

use crate::trace::line::Called;
use crate::trace::reader::Found;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where a replay first goes otherwise than the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Divergence {
    /// The line: of the trace where a page was live, of the recording where it was replayed offline.
    pub line: usize,
    /// The command.
    pub command: String,
    /// What is otherwise, in words.
    pub what: String,
}

/// What became of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replayed {
    /// What the trace proved to be. Of one that is `cut_short` only the calls are replayed that it still holds.
    pub found: Found,
    /// Whether it ran against a live page.
    pub live: bool,
    /// How many calls came to the same.
    pub alike: usize,
    /// How many of these have a verdict.
    pub verdicts: usize,
    /// How many were left out: what they need, a trace doesn't hold.
    pub left_out: usize,
    /// The commands that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out_commands: Vec<String>,
    /// The first call that came to something else; there it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<Divergence>,
}

impl Replayed {
    /// One in which nothing was replayed yet.
    pub fn new(found: Found, live: bool) -> Self {
        Self { found, live, alike: 0, verdicts: 0, left_out: 0, left_out_commands: Vec::new(), divergence: None }
    }

    /// Whether all that the session did came to the same: of a trace whose end is missing nobody knows.
    pub fn is_alike(&self) -> bool {
        self.divergence.is_none() && matches!(self.found, Found::Intact | Found::Running)
    }
}

/// Commands whose calls a live replay leaves out, since they write files or ask of what a trace doesn't hold.
const NEVER_REPLAYED: [&str; 10] =
    ["screenshot", "pdf", "download", "upload", "cookies", "storage", "clipboard", "network", "set", "permissions"];
/// Arguments by which a call saves something.
const SAVES: [&str; 4] = ["screenshot", "annotated", "max_marks", "base64"];
/// The same of single commands.
const SAVES_BY: [(&str, &str); 2] = [("highlight", "to"), ("locate", "explain")];

/// The arguments with which a call is replayed; none where it can't be. `on` stands in place of the first address.
pub fn args(called: &Called, on: Option<&str>) -> Option<Value> {
    if NEVER_REPLAYED.contains(&called.command.as_str()) || called.args.is_null() || called.answer.is_none() {
        return None;
    }
    let mut args = called.args.clone();
    let members = args.as_object_mut()?;
    // Secrets are given to a session as it is opened; what is put in by their names is left out below.
    members.remove("secrets");
    members.remove("secret");
    for name in
        SAVES.into_iter().chain(SAVES_BY.into_iter().filter(|(of, _)| *of == called.command).map(|(_, name)| name))
    {
        members.remove(name);
    }
    let names_a_secret = called.args.get("secret").is_some_and(|name| !name.is_null()) && called.command != "open";
    if names_a_secret || is_hidden(&args) {
        return None;
    }
    if let Some(url) = on.filter(|_| called.command == "open") {
        args.as_object_mut()?.insert("url".to_owned(), url.into());
    }
    Some(args)
}

/// Whether something in it was hidden before it was written.
fn is_hidden(value: &Value) -> bool {
    match value {
        Value::String(text) => handeye_engine::recording::is_hidden(text),
        Value::Array(items) => items.iter().any(is_hidden),
        Value::Object(members) => members.values().any(is_hidden),
        _ => false,
    }
}

/// Whether an answer has a verdict.
pub fn has_verdict(answer: &Value) -> bool {
    answer.pointer("/result/verdict").is_some()
}

/// The first thing in which an answer differs that says what was done to what, and how that ended.
pub fn difference(recorded: &Value, now: &Value) -> Option<String> {
    let word = |answer: &Value, at: &str| answer.pointer(at).and_then(Value::as_str).unwrap_or("none").to_owned();
    let differs = |what: &str, was: String, is: String| {
        let because = now.pointer("/error/message").or(now.pointer("/result/reason")).and_then(Value::as_str);
        let because = because.map(|text| format!(" ({text})")).unwrap_or_default();
        (was != is).then(|| format!("{what} was {was}, and is {is}{because}"))
    };
    let target = |answer: &Value| answer.pointer("/result/target").map_or("none".to_owned(), words);
    let is_told = [recorded, now].iter().all(|answer| answer.pointer("/result/verdict").is_some());
    differs("the problem", word(recorded, "/error/code"), word(now, "/error/code"))
        .or_else(|| is_told.then(|| differs("the target", target(recorded), target(now)))?)
        .or_else(|| differs("the verdict", word(recorded, "/result/verdict"), word(now, "/result/verdict")))
        .or_else(|| differs("the outcome", word(recorded, "/status"), word(now, "/status")))
}

/// A target by its role and its words.
fn words(target: &Value) -> String {
    let text = |name: &str| target.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = text("name").or(text("text")).unwrap_or_default();
    format!("{} {}", text("role").unwrap_or("target"), handeye_engine::wording::shown::quote(name, 80))
}

/// What holds for a call beside its arguments, by name.
pub fn flag<'a>(flags: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    flags.get(name).filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(role: &str, name: &str, verdict: &str) -> Value {
        json!({ "status": "ok", "result": { "verdict": verdict, "target": { "role": role, "name": name } } })
    }

    #[test]
    fn target_verdict_and_problem_are_compared() {
        let was = answer("button", "买", "confirmed");
        assert_eq!(difference(&was, &was), None);
        let differs = |now: Value| difference(&was, &now).expect("it differs");
        assert_eq!(differs(answer("button", "卖", "confirmed")), "the target was button \"买\", and is button \"卖\"");
        assert_eq!(differs(answer("button", "买", "no_effect")), "the verdict was confirmed, and is no_effect");
        let gone = json!({ "status": "error", "error": { "code": "stale", "message": "it is gone" } });
        assert_eq!(differs(gone), "the problem was none, and is stale (it is gone)");
        let found = |status: &str| json!({ "status": status, "result": { "found": 1 } });
        assert_eq!(difference(&found("ok"), &found("ok")), None);
        assert!(difference(&found("ok"), &found("not_confirmed")).is_some());
    }

    #[test]
    fn what_a_trace_does_not_hold_is_not_replayed() {
        let of = |command: &str, args: Value| {
            let called = Called { command: command.into(), args, answer: Some(json!({})), ..Called::default() };
            super::args(&called, Some("http://b/"))
        };
        assert_eq!(of("click", json!({ "ref": 3 })), Some(json!({ "ref": 3 })));
        assert_eq!(of("input", json!({ "ref": 3, "text": "••••" })), None);
        assert_eq!(of("input", json!({ "ref": 3, "text": "(hidden)" })), None);
        assert_eq!(of("input", json!({ "ref": 3, "secret": "pw" })), None);
        assert_eq!(of("screenshot", json!({ "path": "/x.png" })), None);
        assert_eq!(of("state", json!({ "screenshot": "/x.png", "all": true })), Some(json!({ "all": true })));
        let open = json!({ "url": "http://a/", "secret": ["x"], "secrets": [{ "name": "pw", "value": "(hidden)" }] });
        assert_eq!(of("open", open), Some(json!({ "url": "http://b/" })));
        assert_eq!(of("cookies", Value::Null), None);
    }
}
