//! The port through which commands that need no session reach the machine they run on.

use crate::{Render, Settings};
use handeye_scene::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// One running session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// Its name.
    pub name: String,
    /// Process id of its daemon.
    pub pid: u32,
    /// Address of its page; none when no page is open or it is busy.
    pub url: Option<String>,
    /// Whether it answered.
    pub alive: bool,
}

/// One thing that `doctor` looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// Whether it is fine.
    pub ok: bool,
    /// What was found.
    pub found: String,
    /// What to do about it, where it isn't fine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// What the machine offers to commands that need no session.
pub trait Host {
    /// Running sessions; dead remains are reaped on the way.
    fn sessions(&self) -> Result<Vec<SessionInfo>, Problem>;
    /// Ends a session and what it launched; whether there was one.
    fn stop(&self, name: &str) -> Result<bool, Problem>;
    /// The settings in force, each with where it comes from (`default`, `file`, `environment`, `flag`).
    fn settings(&self) -> (Settings, Vec<(String, String)>);
    /// Looks at everything handeye needs.
    fn doctor(&self) -> Vec<Check>;
    /// A completion script.
    fn completions(&self, shell: &str) -> Result<String, Problem>;
    /// Version of handeye.
    fn version(&self) -> String;
}

/// A command that runs where the user is.
pub trait HostCommand: clap::Args + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What it returns.
    type Output: Serialize + JsonSchema + Render;
    /// Does it.
    fn run(self, host: &dyn Host) -> Result<Self::Output, Problem>;
}
