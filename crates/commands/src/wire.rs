//! The wire form of a call: one JSON line each way (seed 5's protocol).

use crate::Settings;
use handeye_scene::{Backend, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call. `_ping` and `_shutdown` are answered by the daemon itself.
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
    /// By what the windows of Windows are looked into in this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
    /// Settings in force.
    pub settings: Settings,
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
    /// The state that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

impl From<Problem> for Response {
    fn from(problem: Problem) -> Self {
        Self { status: Status::Error, result: None, text: None, state: None, error: Some(problem) }
    }
}
