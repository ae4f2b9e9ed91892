//! The daemon's record: who holds a session.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Who holds a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Process id of the daemon.
    pub(crate) pid: u32,
    /// When it started, in milliseconds since 1970.
    pub(crate) started_ms: u64,
    /// Version of handeye it is.
    pub(crate) version: String,
}

impl Record {
    /// This process's record.
    pub(crate) fn own(version: &str) -> Self {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { pid: std::process::id(), started_ms: since_1970.as_millis() as u64, version: version.to_owned() }
    }

    /// Reads the record without asking whether its daemon lives.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Whether a file is a record that a daemon wrote, or began to.
pub(crate) fn is_record(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() == 0) || Record::read(path).is_some()
}
