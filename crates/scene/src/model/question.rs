//! One question to the model about what is in sight: data in a form (`extract`), or what could be done (`observe`).

use crate::Hint;
use crate::chat::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Data that is wanted of what is in sight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extracting {
    /// What is wanted, in the person's words; none where the schema says all.
    pub want: Option<String>,
    /// JSON Schema of the data.
    pub schema: Value,
}

/// Where a value was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueSource {
    /// The value, as a JSON Pointer (RFC 6901) into the data.
    pub path: String,
    /// The target that shows it; none where it stands in a text without a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<u64>,
    /// What is shown there.
    pub text: String,
}

/// Data, each value with where it was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extract {
    /// The data, in the form that was asked for; null where nothing in that form came.
    pub data: Value,
    /// Where its values were read.
    pub sources: Vec<ValueSource>,
    /// Values that nothing in sight shows, as JSON Pointers, each with why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unproven: Vec<Unproven>,
    /// What didn't go as it should, such as that a state was cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The model.
    pub model: String,
    /// Its answers.
    pub model_calls: u32,
    /// Tokens that it took.
    pub usage: Usage,
}

/// A value that isn't proven.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unproven {
    /// The value, as a JSON Pointer into the data.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Actions that are wanted of what is in sight.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observing {
    /// What they should serve, in the person's words.
    pub aim: String,
    /// Whether the model is asked also where an answer was learnt before.
    pub anew: bool,
}

/// Something that could be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// The command that does it, with the text that its target shows. It was not run.
    pub run: Hint,
    /// The same by a selector that finds the target alone, for lists of commands; none where nothing tells it from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<Hint>,
    /// The arguments of `run` in their wire form: what a model wrote is a text there, and never an option.
    #[serde(skip)]
    pub args: Value,
    /// The target.
    pub r#ref: u64,
    /// Its role and name.
    pub target: String,
    /// What it would do, in the model's words.
    pub why: String,
}

/// What could be done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// The likeliest first.
    pub candidates: Vec<Candidate>,
    /// What the model says where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it was learnt before, and every target found to be what it was: no model was asked.
    #[serde(default)]
    pub learnt: bool,
    /// What didn't go as it should, such as that a state was cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The model.
    pub model: String,
    /// Its answers.
    pub model_calls: u32,
    /// Tokens that it took.
    pub usage: Usage,
}
