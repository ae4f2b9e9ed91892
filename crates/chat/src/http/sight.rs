//! Who looks into the sessions of this machine for the server.

use async_trait::async_trait;
use handeye_scene::Problem;
use serde_json::Value;

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The session that has the page open.
    pub session: String,
    /// One of its tabs; the active one where none is named.
    pub tab: Option<String>,
    /// What stands in shadow roots is left out.
    pub without_shadow: bool,
    /// The accessibility tree of this element's document alone.
    pub focus: Option<String>,
}

/// Who takes snapshots of sessions.
#[async_trait]
pub trait Snapshots: Send + Sync {
    /// Whether a user may look into a session.
    fn may(&self, user: &str, session: &str) -> bool;
    /// A snapshot.
    async fn take(&self, wanted: &Wanted) -> Result<Value, Problem>;
}
