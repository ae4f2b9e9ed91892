//! The port through which commands that need no session reach the machine they run on.

use crate::trace::replay::Replayed;
use crate::{Render, Settings};
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::collect::{CollectReport, Collecting};
use handeye_scene::question::{Extract, Extracting, Observed, Observing};
use handeye_scene::task::{Task, TaskReport};
use handeye_scene::{ModelAccess, ModelRole, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::Path;

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

/// The models that read text in pictures on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextModels {
    /// The folder that they are in, or would be.
    pub folder: String,
    /// Whether all of them are there and right.
    pub ready: bool,
    /// What they consist of.
    pub files: Vec<ModelFile>,
}

/// A file of theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelFile {
    /// Its name.
    pub name: String,
    /// How many bytes it must have.
    pub bytes: u64,
    /// Whether it is there with the right digest.
    pub ready: bool,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A file of the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path in the skill's folder.
    pub path: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Installed {
    /// Its path.
    pub path: String,
    /// `created`, `updated`, or `unchanged` where it was there already.
    pub outcome: String,
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
    /// Where models are reached, and the keys for them that the environment has.
    fn model_access(&self) -> Result<ModelAccess, Problem>;
    /// Asks the model of a role; beside the answer stands how many seconds it took.
    fn ask_model(&self, role: ModelRole, request: &ChatRequest) -> (Result<ChatReply, Problem>, f64);
    /// Works on a task by the model of the role `agent`, until it ends; how far it is is told meanwhile.
    fn work(&self, task: &Task) -> Result<TaskReport, Problem>;
    /// Reads data of what is in sight, by the model of the role `agent`.
    fn extract(&self, asked: &Extracting) -> Result<Extract, Problem>;
    /// What could be done to what is in sight towards an aim, as it was learnt before, or by the model of the role `agent`.
    fn observe(&self, asked: &Observing) -> Result<Observed, Problem>;
    /// Collects the items of a list, until its end; how far it is is told meanwhile.
    fn collect(&self, asked: &Collecting) -> Result<CollectReport, Problem>;
    /// Looks at the models that read text in pictures.
    fn text_models(&self) -> Result<TextModels, Problem>;
    /// Installs them, from a wheel at a path or an address, or from where the settings say. How far it is is told meanwhile.
    fn install_text_models(&self, from: Option<&str>) -> Result<TextModels, Problem>;
    /// The files of the skill.
    fn skill(&self) -> &'static [SkillFile];
    /// Puts the skill into folders of skills, in the home folder or where the user is. A file that somebody changed is written over
    /// only by force.
    fn install_skill(&self, folders: &[String], home: bool, force: bool) -> Result<Vec<Installed>, Problem>;
    /// Replays a trace: on what was recorded, or in a new session on the live page, at `on` where that is given.
    fn replay(&self, folder: &Path, live: bool, on: Option<&str>) -> Result<Replayed, Problem>;
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
