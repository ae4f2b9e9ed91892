//! What stands in the lines of a recording.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the format; a reader refuses any other.
pub const FORMAT: u32 = 1;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The first one.
    Recording {
        /// [`FORMAT`].
        format: u32,
        /// Name of the session: hints name it.
        session: String,
        /// The version of handeye that wrote it.
        version: String,
    },
    /// A command begins.
    Request(Value),
    /// What it asked.
    Call(Call),
    /// How it ended.
    Response(Value),
    /// It was given up before it ended: its caller went away, or it broke off.
    Cancelled,
    /// A command of which only the name is kept: it reached something that isn't recorded.
    LeftOut(String),
    /// The recording reached this many bytes, and ends here.
    Full(u64),
}

/// A call of a port, and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    /// Which surface, counted from 1 in the order in which they were opened; 0 is the opener or the clock.
    pub on: u32,
    /// Name of the method.
    pub name: String,
    /// Its arguments, but for limits on time: these hang on how fast the machine was.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub args: Value,
    /// What it returned.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub answer: Value,
}
