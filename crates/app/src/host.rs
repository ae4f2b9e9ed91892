//! What the machine offers to commands that need no session.

use crate::config::{self, Config, Given};
use crate::serve::client;
use crate::version::VERSION;
use crate::{cli, doctor, source};
use clap_complete::Shell;
use handeye_commands::{Check, Host, SessionInfo, Settings};
use handeye_scene::{Code, Problem};
use handeye_server::{Place, SessionName};
use std::path::Path;
use std::str::FromStr;

/// This machine.
pub(crate) struct Machine {
    config: Config,
    /// What is wrong with the configuration, where the command can do without it.
    broken: Option<Problem>,
}

impl Machine {
    /// The machine for a command. Most such commands work with a broken configuration: it is what they help to mend.
    pub(crate) fn new(given: Given, command: &str) -> Result<Self, Problem> {
        if !matches!(command, "config" | "doctor") {
            return Ok(Self { config: Config::defaults(), broken: None });
        }
        match Config::load(&given) {
            Ok(config) => Ok(Self { config, broken: None }),
            Err(problem) if command == "doctor" => Ok(Self { config: Config::defaults(), broken: Some(problem) }),
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

impl Host for Machine {
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
