//! The wire form of a call: one JSON line each way (seed 5's protocol).

use super::tab_id::TabId;
use crate::Settings;
use crate::trace::line::Asked;
use handeye_scene::{Backend, Hint, ModelAccess, ModelKeys, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// A call. `_ping`, `_interrupt`, `_shutdown` and what begins with `_watch` are answered by the daemon itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Name of the command.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Value,
    /// What holds for any command.
    #[serde(default)]
    pub flags: Flags,
}

/// Which state to return after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ReturnState {
    /// The change since the state last shown.
    Change,
    /// The whole state.
    Full,
}

/// What holds for any command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Flags {
    /// Return a state too.
    pub return_state: Option<ReturnState>,
    /// Limit on the whole command, in seconds.
    pub timeout: Option<f64>,
    /// Whether a program reads the result: then it holds details that text leaves out, such as XPaths.
    pub json: bool,
    /// The window to look at from here on, by part of its title or process, or by handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    /// The tab to look at in this call, by id, such as `t2`; the active one stays the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// By what the windows of Windows are looked into in this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
    /// The caller can put questions of the policy to a person: a line `{"question": …}` may come before the answer, and is
    /// answered by a line `{"answer": {"id": …, "consent": true}}`. Who doesn't say so isn't asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// Names the call to whoever interrupts it (`_interrupt`); a list of calls then ends in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interruptible: Option<String>,
    /// Record the session into this file, by absolute path, from its first command on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// Trace the session into this folder, by absolute path, from its first command on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<PathBuf>,
    /// What the caller's own model was asked before this call, for the trace of the session; nothing else reads it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Asked>,
    /// Keys of model servers, from the caller's environment; of the calls alone that ask models.
    #[serde(skip_serializing_if = "ModelKeys::is_empty")]
    pub keys: ModelKeys,
    /// The caller's own settings file, to be named where something is missing in it; of the same calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_file: Option<PathBuf>,
    /// Settings in force.
    pub settings: Settings,
}

impl Flags {
    /// What the call brings to ask models with.
    pub fn model_access(&self) -> ModelAccess {
        let (config, keys) = (self.settings.models.clone(), self.keys.clone());
        ModelAccess { config, keys, file: self.own_file.clone() }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Done, and confirmed where there was something to confirm: exit status 0.
    Ok,
    /// Done or withheld, not confirmed: exit status 1.
    NotConfirmed,
    /// A problem: exit status 2.
    Error,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// How it ended.
    pub status: Status,
    /// What the command returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The same as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Commands to run next, which the text doesn't say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// The state that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

impl Response {
    /// Has the commands to run next stand where programs look for them, as a front end writes them, and gives the lines that say
    /// them to a reader of the text, the problem's too.
    pub fn write_hints(&mut self, write: impl Fn(&Hint) -> String) -> String {
        let written: Vec<String> = self.hints.iter().map(&write).collect();
        let listed = self.result.as_mut().and_then(|result| result.get_mut("hints")?.as_array_mut());
        if let Some(listed) = listed.filter(|_| !written.is_empty()) {
            *listed = written.iter().map(|hint| Value::from(hint.as_str())).collect();
        }
        self.write_noticed(&write);
        let of_problem = self.error.iter().flat_map(|problem| problem.hints.iter().map(&write));
        written.iter().cloned().chain(of_problem).map(|hint| format!("\n  try: {hint}")).collect()
    }
}

impl Response {
    /// The same for those that notices name, each of which is among the answer's own.
    fn write_noticed(&mut self, write: impl Fn(&Hint) -> String) {
        let shown = self.result.iter_mut().chain(self.state.iter_mut());
        let notices = shown.filter_map(|value| value.get_mut("notices")?.as_array_mut()).flatten();
        for named in notices.filter_map(|notice| notice.get_mut("hints")?.as_array_mut()).flatten() {
            let said = Hint::from(named.as_str().unwrap_or_default());
            let is_it = |hint: &&Hint| (hint.name(), hint.args()) == (said.name(), said.args());
            if let Some(hint) = self.hints.iter().find(is_it) {
                *named = Value::from(write(hint));
            }
        }
    }
}

impl From<Problem> for Response {
    fn from(problem: Problem) -> Self {
        Self { status: Status::Error, result: None, text: None, hints: Vec::new(), state: None, error: Some(problem) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Code;
    use serde_json::json;

    #[test]
    fn hints_stand_where_they_are_looked_for_as_a_front_end_writes_them() {
        let write = |hint: &Hint| hint.name().unwrap_or("none").to_owned();
        let done = |result: Value, hints: &[&str]| Response {
            status: Status::NotConfirmed,
            result: Some(result),
            text: Some("clicked".into()),
            hints: hints.iter().map(|hint| Hint::from(*hint)).collect(),
            state: None,
            error: None,
        };
        let mut receipt = done(json!({"verdict": "no_effect", "hints": ["handeye state"]}), &["handeye state"]);
        assert_eq!(receipt.write_hints(write), "\n  try: state");
        assert_eq!(receipt.result, Some(json!({"verdict": "no_effect", "hints": ["state"]})));
        assert_eq!(receipt.text.as_deref(), Some("clicked"));
        // What only happens to be called so is a command's own, such as what a script returned.
        let mut own = done(json!({"hints": ["handeye state"]}), &[]);
        assert_eq!((own.write_hints(write), own.result), (String::new(), Some(json!({"hints": ["handeye state"]}))));
        let noticed = json!({"notices": [{"kind": "new_tab", "text": "t2", "hints": ["handeye tabs switch t2"]}]});
        let mut looked = done(noticed, &[]);
        looked.hints = vec![Hint::from("handeye tabs switch t2").in_session("s")];
        let line = "handeye --session s tabs switch t2";
        assert_eq!(looked.write_hints(Hint::to_string), format!("\n  try: {line}"));
        assert_eq!(looked.result.unwrap()["notices"][0]["hints"], json!([line]));
        let mut refused = Response::from(Problem::new(Code::Stale, "gone").hint("handeye state").hint("ask"));
        assert_eq!(refused.write_hints(write), "\n  try: state\n  try: none");
    }
}
