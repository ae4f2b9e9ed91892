//! What stands in the lines of a trace, beside the number and the digest that the chain adds.

use crate::trace::change::Lines;
use handeye_engine::observe::outline;
use handeye_scene::chat::{ChatReply, Usage};
use handeye_scene::{ModelKeys, Problem, Rect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Version of the format; a reader refuses any other.
pub const FORMAT: u32 = 1;
/// Characters of a model's answer at most.
const LONGEST_ANSWER: usize = 20_000;
/// Calls of an answer that are named, at most.
const MOST_CALLS: usize = 50;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first one.
    Trace(Begun),
    /// A call, and what came of it.
    Call(Box<Called>),
    /// What a model said before a call.
    Said(Said),
    /// The last one.
    Closed(Closed),
}

/// How a trace begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// [`FORMAT`].
    pub format: u32,
    /// Name of the session.
    pub session: String,
    /// The version of handeye that wrote it.
    pub version: String,
    /// When, as RFC 3339 has it.
    pub time: String,
}

/// A call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Called {
    /// When it began, as RFC 3339 has it.
    pub time: String,
    /// The same in seconds since the trace began.
    pub at: f64,
    /// How many seconds it took.
    pub seconds: f64,
    /// Name of the command.
    pub command: String,
    /// Its arguments; null where traces don't hold them.
    pub args: Value,
    /// What else the call brought, such as `window`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub flags: Map<String, Value>,
    /// The answer: `status`, and `result`, `text`, `hints` or `error`. None where the caller gave the call up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// What was in sight before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Picture>,
    /// What was in sight after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Picture>,
    /// The state after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Lines>,
    /// What consoles said since the line before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub console: Vec<Value>,
    /// What models were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Asked>,
    /// What this line doesn't hold, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The recording, as far as it was written after this call.
    pub recording: Recorded,
}

/// A picture in the trace's folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Its digest, by which its file is named.
    pub sha256: String,
    /// Its size.
    pub bytes: usize,
    /// Picture pixels per pixel of `area`.
    pub scale: f64,
    /// What it shows, in the coordinates of targets.
    pub area: Rect,
}

/// What a model was asked, and what that took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The role.
    pub role: String,
    /// The model.
    pub model: String,
    /// What it answered: its words, and what it calls. Of the model of a task, it stands at the end of the trace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// What it calls, each with the numbers of its targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// What it thought before, where its server tells.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thinking: String,
    /// Tokens of what was asked.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// How many seconds it took.
    pub seconds: f64,
    /// Whether it wasn't asked: the answer is that of an earlier run, to which all was shown that is shown now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recalled: bool,
}

/// What the model of a task said before a call: written at the end of the trace, since it may say a password before that is put in,
/// by which it is known to be one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    /// The call, counted from 1.
    pub call: u64,
    /// Which of the call's models, counted from 0.
    pub model: usize,
    /// What it answered: its words, and what it calls.
    pub answer: String,
    /// What it thought before.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub thinking: String,
}

/// How far a recording was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its bytes.
    pub bytes: u64,
    /// Their digest.
    pub sha256: String,
}

/// How a trace ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Closed {
    /// When, as RFC 3339 has it.
    pub time: String,
    /// `closed` by the command, `stopped` with the session, or why nothing more was written.
    pub by: String,
    /// How many calls it holds.
    pub calls: u64,
    /// The recording, all of it.
    pub recording: Recorded,
}

impl Asked {
    /// Of an answer, or of why there is none.
    pub fn of(role: &str, model: String, reply: &Result<ChatReply, Problem>, keys: &ModelKeys, seconds: f64) -> Self {
        let thinking = reply.as_ref().map_or("", |reply| reply.thinking.as_str());
        let thinking = outline::cut(&keys.redact(thinking), LONGEST_ANSWER);
        let (answer, usage) = match reply {
            Ok(reply) => {
                let calls = reply.calls.iter().map(|call| format!("{} {}", call.name, call.arguments));
                let words = std::iter::once(reply.text.clone()).filter(|text| !text.is_empty());
                (words.chain(calls).collect::<Vec<_>>().join("\n"), reply.usage)
            }
            Err(problem) => (format!("error[{}]: {}", problem.code.word(), problem.message), Usage::default()),
        };
        let answer = outline::cut(&keys.redact(&answer), LONGEST_ANSWER);
        let calls = reply.iter().flat_map(|reply| &reply.calls).map(|call| brief(&call.name, &call.arguments));
        let (role, calls) = (role.to_owned(), calls.take(MOST_CALLS).collect());
        Self {
            role,
            model,
            answer,
            calls,
            thinking,
            input: usage.input,
            output: usage.output,
            seconds,
            recalled: false,
        }
    }

    /// The same without what it said, and that.
    pub fn apart(self) -> (Self, Said) {
        let Self { answer, thinking, .. } = self;
        let said = Said { answer, thinking, ..Said::default() };
        (Self { answer: String::new(), thinking: String::new(), ..self }, said)
    }
}

/// A call by its name and the numbers of its targets: whatever else it brings may be a password.
fn brief(name: &str, arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let fields = arguments.get("fields").and_then(Value::as_array).into_iter().flatten();
    let numbers = fields.chain([&arguments]).filter_map(|of| of.get("ref")?.as_u64());
    numbers.fold(outline::cut(name, 40), |told, number| format!("{told} [{number}]"))
}

impl Line {
    /// As the chain takes it.
    pub fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            // A line is an object, and all that it holds can be written.
            _ => Map::new(),
        }
    }

    /// A line as it stands in the file.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut members: Map<String, Value> = serde_json::from_str(text).map_err(|e| e.to_string())?;
        members.remove("n");
        members.remove("hash");
        serde_json::from_value(Value::Object(members)).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_engine::chain::Chain;

    #[test]
    fn a_call_is_named_with_its_targets_and_nothing_that_it_puts_in() {
        for (name, arguments, told) in [
            ("input", r#"{"ref":4,"text":"hunter2xyz"}"#, "input [4]"),
            (
                "fill-form",
                r#"{"fields":[{"ref":4,"value":"ann"},{"ref":5,"value":"hunter2xyz"}]}"#,
                "fill-form [4] [5]",
            ),
            ("plan", r#"{"constraints":["log in with hunter2xyz"]}"#, "plan"),
            ("input", "hunter2xyz", "input"),
        ] {
            assert_eq!(brief(name, arguments), told);
        }
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let called = Called {
            command: "click".into(),
            args: serde_json::json!({ "ref": 5, "expect": "下一页" }),
            after: Some(Picture { sha256: "0".into(), bytes: 1, scale: 1.5, area: Rect::new(0.5, 0.0, 10.0, 10.0) }),
            state: Some(Lines::Whole(vec!["page".into()])),
            models: vec![Asked { role: "judge".into(), ..Asked::default() }],
            ..Called::default()
        };
        let closed = Closed { time: "t".into(), by: "closed".into(), calls: 1, recording: Recorded::default() };
        let mut chain = Chain::default();
        let said = Said { call: 1, answer: "next".into(), ..Said::default() };
        for line in [Line::Call(Box::new(called)), Line::Said(said), Line::Closed(closed)] {
            assert_eq!(Line::parse(&chain.line(line.members())), Ok(line));
        }
        assert!(Line::parse("{\"n\":1}").is_err() && Line::parse("[]").is_err());
    }
}
