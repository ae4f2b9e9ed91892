//! An aim in words, and the port by which a session finds the command that serves it.

use crate::trace::line::Asked;
use async_trait::async_trait;
use handeye_scene::{Hint, ModelAccess, Models, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Characters of a state that a model is shown at most.
pub const LONGEST_STATE: usize = 120_000;

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aiming {
    /// In the caller's words.
    pub aim: String,
    /// Whether the model is asked also where a command was learnt before.
    pub anew: bool,
}

/// An aim on what is in sight.
#[derive(Debug, Clone)]
pub struct Sought {
    /// The aim.
    pub aiming: Aiming,
    /// The state, as text.
    pub text: String,
    /// The same as data.
    pub state: Value,
    /// Whether the text is a part of it, with the rest folded.
    pub is_folded: bool,
    /// How long it may take to answer.
    pub limit: Duration,
}

/// The command that serves an aim.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name.
    pub command: String,
    /// Its arguments, in the wire form.
    pub args: Value,
    /// What is told of it.
    pub told: FoundBy,
    /// What the model was asked, for the session's trace.
    pub asked: Vec<Asked>,
}

/// How the command for an aim was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundBy {
    /// The command.
    pub run: Hint,
    /// Its target's role and name.
    pub target: String,
    /// What it would do, in the model's words.
    pub why: String,
    /// Whether it was learnt before, and its target found to be what it was: no model was asked.
    pub learnt: bool,
    /// What kept the one that was learnt before from being used, where the model was asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_used: Option<String>,
    /// What didn't go as it should, such as that nothing can be kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The model.
    pub model: String,
    /// Its answers.
    pub model_calls: u32,
}

/// What comes of an aim: the receipt of the command that serves it, and how that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Acted {
    /// What came of it.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// How the command was found.
    pub found: FoundBy,
}

/// Finds what serves an aim: what was learnt before, where its target is still what it was, else by asking a model.
#[async_trait]
pub trait Aims: Send + Sync {
    /// The command; a problem where nothing in sight serves the aim, or nobody can say.
    async fn find(&self, sought: Sought, models: Arc<dyn Models>, access: ModelAccess) -> Result<Found, Problem>;
    /// Forgets what was learnt of an aim at an address: it led astray.
    async fn forget(&self, url: &str, aim: &str) -> Result<(), Problem>;
}
