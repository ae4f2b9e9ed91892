//! What runs, and what began it, as the debugger tells it.

use serde::{Deserialize, Serialize};

/// `Runtime.StackTrace`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct StackTrace {
    pub(crate) call_frames: Vec<CallFrame>,
    /// What began it.
    pub(crate) parent: Option<Box<StackTrace>>,
    /// The same, to be asked for.
    pub(crate) parent_id: Option<StackTraceId>,
}

/// `Runtime.StackTraceId`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct StackTraceId {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    debugger_id: Option<String>,
}

/// `Debugger.getStackTrace`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StackTold {
    pub(crate) stack_trace: StackTrace,
}

/// `Runtime.CallFrame`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct CallFrame {
    pub(crate) script_id: String,
    pub(crate) url: String,
    pub(crate) line_number: i64,
    pub(crate) column_number: i64,
}
