//! A task that a model works on: what was asked for, what came of it, and the ledger that is kept meanwhile.

use crate::Ref;
use crate::chat::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model is to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// The task, in the person's words.
    pub text: String,
    /// What to open first: an address, or a part of a window's title; none to go on with what is open.
    pub on: Option<String>,
    /// JSON Schema that the answer must satisfy; none for an answer in words.
    pub schema: Option<Value>,
    /// Answers of the model at most.
    pub max_steps: u32,
    /// Tokens that it may take, where that is less than the settings allow.
    pub max_tokens: Option<u64>,
    /// Money that it may take, where that is less than the settings allow.
    pub max_cost: Option<f64>,
    /// Go on with the session's last task that didn't come to its end.
    pub resume: bool,
    /// Show the model pictures, too, with a numbered box around every target in view.
    pub annotated: bool,
    /// Ask the model also what an earlier run of the task knows its answers to.
    pub anew: bool,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Done, with confirmed evidence for each constraint.
    Done,
    /// The model says that it is done, and a constraint is unproven or a question open.
    Unproven,
    /// The model says that it can't be done.
    Failed,
    /// It was ended before the model was done: by a limit, a loop, a problem or the person.
    Stopped,
}

impl Outcome {
    /// Its word in text output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unproven => "unproven",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskReport {
    /// How it ended.
    pub outcome: Outcome,
    /// Why, where it isn't done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The model's answer: words, or what the task's schema describes; null where there is none.
    pub answer: Value,
    /// What was to be held to, what was found, and what is open.
    pub ledger: Ledger,
    /// What was done, in order.
    pub steps: Vec<Step>,
    /// The model's name.
    pub model: String,
    /// Name and version of the prompt.
    pub prompt: String,
    /// Answers that the model gave.
    pub answers: u32,
    /// Answers of an earlier run that were used in place of asking the model, since all was shown as it was then.
    #[serde(default)]
    pub recalled: u32,
    /// Tokens that they took.
    pub usage: Usage,
    /// What they cost, where prices are set.
    pub cost: f64,
    /// How long all of it took, in seconds.
    pub seconds: f64,
}

/// What is kept beside the conversation: it survives when old states are dropped.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Ledger {
    /// What the task asks for and forbids, as the model stated it at the start.
    pub constraints: Vec<Constraint>,
    /// What was found, each as the surface showed it.
    pub facts: Vec<Fact>,
    /// What came up by itself.
    pub meanwhile: Vec<Meanwhile>,
    /// What the person was asked.
    pub questions: Vec<OpenQuestion>,
}

/// One thing that the task asks for or forbids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Constraint {
    /// Its number, from 1.
    pub id: u32,
    /// It, in the model's words.
    pub text: String,
    /// What proves that it is met; confirmed, each of it.
    pub evidence: Vec<Proof>,
}

/// What a proof is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProofKind {
    /// A target shows the text.
    Target,
    /// The page shows the text.
    Page,
    /// The page's address holds the text.
    Address,
    /// A step of this task, done to what says the text or with it, was confirmed by its receipt.
    Step,
    /// No step of this task was of the kind, nor done to what says the text, or with it.
    Never,
}

/// What a step does, as a constraint may forbid it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Presses something: a click, a key, a choice, a drag, the answer to a dialog.
    Press,
    /// Puts text or keys in.
    Type,
    /// Does anything but look and wait.
    Anything,
}

impl StepKind {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Press => "press",
            Self::Type => "type",
            Self::Anything => "anything",
        }
    }
}

/// Confirmed evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// What it is made of.
    pub kind: ProofKind,
    /// The text that was looked for.
    pub text: String,
    /// The target that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<Ref>,
    /// The number of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// What no step does, where that is the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbidden: Option<StepKind>,
    /// Address of the page when it was looked at.
    pub page: String,
    /// After which step it was looked at.
    #[serde(default)]
    pub after: u32,
}

/// What was found on a page, as it was shown there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// The text, which was found there.
    pub text: String,
    /// The target that shows it; none for text that is in no target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<Ref>,
    /// Address of the page.
    pub page: String,
    /// What it is for, in the model's words.
    pub reasoning: String,
}

/// What came up by itself since the look before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Meanwhile {
    /// It, as it was shown.
    pub text: String,
    /// After which step.
    pub step: u32,
    /// Address of the page.
    pub page: String,
}

/// What the person was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenQuestion {
    /// The question.
    pub question: String,
    /// What the person said; none while it is open.
    pub answer: Option<String>,
}

/// One call that was carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its number, from 1.
    pub number: u32,
    /// The command.
    pub command: String,
    /// Its arguments, as they were carried out.
    pub arguments: Value,
    /// What it was done to, as the receipt names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// All that the receipt says of it, and of the dialog that was answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
    /// `confirmed`, `no_effect`, `contradicted`, `unverifiable`; `ok` of what has no verdict and was done; a problem's code; `unknown`
    /// while it is carried out, and where a run ended in it.
    pub verdict: String,
    /// Whether anything may have been done, rather than refused.
    pub done: bool,
    /// Address of the page afterwards.
    pub page: String,
}
