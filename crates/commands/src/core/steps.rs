//! A list of calls, and what came of each.

use crate::core::render::count;
use crate::core::tab_id::TabId;
use crate::{Render, ReturnState, Status};
use handeye_engine::wording::shown::{MESSAGE, line};
use handeye_scene::{Backend, Hint, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Name of the command.
    pub command: String,
    /// Its arguments.
    #[serde(default, alias = "arguments", skip_serializing_if = "Value::is_null")]
    pub args: Value,
    /// Return a state too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_state: Option<ReturnState>,
    /// Limit on this call, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// The window to look at from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    /// The tab to look at in this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// By what the windows of Windows are looked into in this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
    /// The line of the file that it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// What is to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The calls, in order.
    pub steps: Vec<Step>,
    /// Go on whatever comes of one.
    pub keep_going: bool,
}

/// What came of one call.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stepped {
    /// Which: the first is 1.
    pub step: usize,
    /// The line of the file that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Name of the command.
    pub command: String,
    /// How it ended.
    pub status: Status,
    /// What the command returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The state that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
    /// What came up that nothing in the list asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unexpected: Option<String>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What the command line prints of it.
    #[serde(skip)]
    #[schemars(skip)]
    pub text: String,
}

/// What came of a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Batched {
    /// What was run, in order.
    pub steps: Vec<Stepped>,
    /// How many calls the list has.
    pub planned: usize,
    /// The step that the rest waited for in vain; null where all were run.
    pub stopped_at: Option<usize>,
    /// Why it stopped; with `keep_going` what was amiss first.
    pub reason: Option<String>,
    /// Commands to run next, by what was amiss.
    pub hints: Vec<Hint>,
}

impl Render for Batched {
    fn render(&self) -> String {
        let mut out = String::new();
        for step in &self.steps {
            let text = match &step.error {
                None => step.text.clone(),
                Some(problem) => format!("error[{}]: {}", problem.code.word(), problem.told()),
            };
            out.push_str(&format!("{}. {text}\n", step.step));
            if let Some(unexpected) = &step.unexpected {
                out.push_str(&format!("  unexpected: {}\n", line(unexpected, MESSAGE)));
            }
        }
        let run = count(self.planned, "step");
        let why = self.reason.as_deref().map(|why| format!(": {}", line(why, MESSAGE))).unwrap_or_default();
        let place = |at: usize| {
            let step = self.steps.iter().find(|step| step.step == at);
            step.and_then(|step| step.line).map(|line| format!(" (line {line})")).unwrap_or_default()
        };
        out.push_str(&match (self.stopped_at, self.is_confirmed()) {
            (Some(at), _) => format!("batch: stopped at step {at} of {}{}{why}", self.planned, place(at)),
            (None, true) => format!("batch: {run} done"),
            (None, false) => format!("batch: {run} run, not all confirmed{why}"),
        });
        out
    }

    fn hints(&self) -> Vec<Hint> {
        self.hints.clone()
    }

    fn verdict(&self) -> Verdict {
        if self.is_confirmed() { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

impl Batched {
    fn is_confirmed(&self) -> bool {
        let fine = |step: &Stepped| step.status == Status::Ok && step.unexpected.is_none();
        self.stopped_at.is_none() && self.steps.iter().all(fine)
    }
}
