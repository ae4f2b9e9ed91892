//! What the machine offers to commands that need no session.

use crate::caller::By;
use crate::config::{self, Config};
use crate::serve::client;
use crate::version::VERSION;
use crate::{cli, collection, doctor, question, replay, skill, source, task, text_models};
use clap_complete::Shell;
use handeye_commands::core::session::seconds;
use handeye_commands::trace::replay::Replayed;
use handeye_commands::{Check, Host, Installed, SessionInfo, Settings, SkillFile, TextModels};
use handeye_models::Clients;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::collect::{CollectReport, Collecting};
use handeye_scene::question::{Extract, Extracting, Observed, Observing};
use handeye_scene::task::{Task, TaskReport};
use handeye_scene::{Code, ModelAccess, ModelRole, Models, Problem};
use handeye_server::{Place, SessionName};
use handeye_vision::weights::{Origin, Plan};
use std::path::Path;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How long an answer of a model may take where nothing says so: the settings' own limit is shorter.
const LONGEST_ANSWER: Duration = Duration::from_secs(600);

/// This machine.
pub(crate) struct Machine<'a> {
    config: Config,
    by: By<'a>,
    /// What is wrong with the configuration, where the command can do without it.
    broken: Option<Problem>,
}

impl<'a> Machine<'a> {
    /// The machine for a command. Most such commands work with a broken configuration: it is what they help to mend.
    pub(crate) fn new(by: By<'a>, command: &str) -> Result<Self, Problem> {
        if !matches!(command, "collect" | "config" | "do" | "doctor" | "extract" | "models" | "observe") {
            return Ok(Self { config: Config::defaults(), by, broken: None });
        }
        match Config::load(&by.globals.given()) {
            Ok(config) => Ok(Self { config, by, broken: None }),
            Err(problem) if command == "doctor" => Ok(Self { config: Config::defaults(), by, broken: Some(problem) }),
            Err(problem) => Err(problem),
        }
    }
}

/// The folder, where it is there: looking must not make it.
fn place() -> Result<Option<Place>, Problem> {
    let folder = config::runtime_folder();
    if Path::new(&folder).symlink_metadata().is_err() {
        return Ok(None);
    }
    Place::open(&folder).map(Some)
}

impl Host for Machine<'_> {
    fn sessions(&self) -> Result<Vec<SessionInfo>, Problem> {
        place()?.map_or_else(|| Ok(Vec::new()), |place| client(&place).sessions())
    }

    fn stop(&self, name: &str) -> Result<bool, Problem> {
        let name = SessionName::new(name)?;
        place()?.map_or(Ok(false), |place| client(&place).stop(&name))
    }

    fn settings(&self) -> (Settings, Vec<(String, String)>) {
        (self.config.settings.clone(), source::all(&self.config.settings, &self.config.sources))
    }

    fn doctor(&self) -> Vec<Check> {
        doctor::checks(&self.config, self.broken.as_ref())
    }

    fn model_access(&self) -> Result<ModelAccess, Problem> {
        let config = self.config.settings.models.clone();
        Ok(ModelAccess { keys: config::model_keys(&config)?, config, file: self.config.own.clone() })
    }

    fn ask_model(&self, role: ModelRole, request: &ChatRequest) -> (Result<ChatReply, Problem>, f64) {
        let start = Instant::now();
        let asked = || {
            let access = self.model_access()?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime
                .map_err(|e| Problem::new(Code::Unavailable, format!("no runtime for requests can be made: {e}")))?;
            let limit = self.config.timeout.map_or(LONGEST_ANSWER, seconds);
            runtime.block_on(Clients::new().ask(&access, role, request, limit))
        };
        (asked(), start.elapsed().as_secs_f64())
    }

    fn work(&self, task: &Task) -> Result<TaskReport, Problem> {
        task::work(task, &self.config, self.model_access()?, &self.by)
    }

    fn extract(&self, asked: &Extracting) -> Result<Extract, Problem> {
        let ask = |ports: &handeye_agent::QuestionPorts<'_>| handeye_agent::extract(asked, ports);
        question::ask(&self.config, self.model_access()?, &self.by, false, ask)
    }

    fn observe(&self, asked: &Observing) -> Result<Observed, Problem> {
        let ask = |ports: &handeye_agent::QuestionPorts<'_>| handeye_agent::observe(asked, ports);
        question::ask(&self.config, self.model_access()?, &self.by, true, ask)
    }

    fn collect(&self, asked: &Collecting) -> Result<CollectReport, Problem> {
        collection::run(asked, &self.config, self.model_access(), &self.by)
    }

    fn text_models(&self) -> Result<TextModels, Problem> {
        Ok(text_models::look(&config::models_folder(&self.config.settings.models)?))
    }

    fn install_text_models(&self, from: Option<&str>) -> Result<TextModels, Problem> {
        let models = &self.config.settings.models;
        let mut plan = Plan::default();
        if let Some(from) = from.or(models.source.as_deref()) {
            plan.from = Origin::written(from);
        }
        if let Some(limit) = self.config.timeout {
            plan.limit = seconds(limit);
        }
        text_models::install(config::models_folder(models)?, plan)
    }

    fn skill(&self) -> &'static [SkillFile] {
        &skill::FILES
    }

    fn install_skill(&self, folders: &[String], home: bool, force: bool) -> Result<Vec<Installed>, Problem> {
        skill::install(folders, home, force)
    }

    fn replay(&self, folder: &Path, live: bool, on: Option<&str>) -> Result<Replayed, Problem> {
        if live { replay::live(folder, on, &self.by) } else { replay::offline(folder) }
    }

    fn completions(&self, shell: &str) -> Result<String, Problem> {
        let shell = Shell::from_str(shell).map_err(|_| {
            Problem::new(
                Code::BadRequest,
                format!("there are no completions for `{shell}`; there are for bash, elvish, fish, powershell and zsh"),
            )
            .hint("handeye completions bash")
        })?;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut cli::whole(), "handeye", &mut script);
        String::from_utf8(script).map_err(|e| Problem::new(Code::Bug, format!("the completion script isn't text: {e}")))
    }

    fn version(&self) -> String {
        VERSION.to_owned()
    }
}
