//! `sessions`, `config`, `doctor`, `completions`, `version`: commands that need no session.

use crate::{Check, Host, HostCommand, Render, SessionInfo, Settings};
use handeye_scene::{Code, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List and stop sessions
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Sessions {
    #[command(subcommand)]
    #[serde(flatten)]
    action: SessionsAction,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum SessionsAction {
    /// Show every running session
    List,
    /// End a session and the browser it launched
    Stop {
        /// Its name
        #[serde(default)]
        name: Option<String>,
        /// Every session
        #[arg(long)]
        #[serde(default)]
        all: bool,
    },
}

/// The sessions that run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionList {
    /// Every running session.
    sessions: Vec<SessionInfo>,
    /// Names of those that were stopped.
    stopped: Vec<String>,
}

impl Render for SessionList {
    fn render(&self) -> String {
        let mut lines: Vec<String> = self.stopped.iter().map(|n| format!("stopped {n}")).collect();
        lines.extend(self.sessions.iter().map(|s| {
            let what = if s.alive { s.url.as_deref().unwrap_or("nothing open") } else { "doesn't answer" };
            format!("{} pid {} {what}", s.name, s.pid)
        }));
        if lines.is_empty() { "no session runs".into() } else { lines.join("\n") }
    }
}

impl HostCommand for Sessions {
    const NAME: &'static str = "sessions";
    type Output = SessionList;
    fn run(self, host: &dyn Host) -> Result<SessionList, Problem> {
        let mut stopped = Vec::new();
        if let SessionsAction::Stop { name, all } = self.action {
            let names = match name {
                _ if all => names(host)?,
                Some(name) => vec![name],
                None => return Err(unnamed(&names(host)?)),
            };
            for name in names {
                if host.stop(&name)? {
                    stopped.push(name);
                } else if !all {
                    return Err(
                        Problem::new(Code::NotFound, format!("no session `{name}` runs")).hint("handeye sessions list")
                    );
                }
            }
        }
        Ok(SessionList { sessions: host.sessions()?, stopped })
    }
}

fn names(host: &dyn Host) -> Result<Vec<String>, Problem> {
    Ok(host.sessions()?.into_iter().map(|s| s.name).collect())
}

/// Nobody's session is ended for want of a name.
fn unnamed(running: &[String]) -> Problem {
    let known = if running.is_empty() { "none runs".to_owned() } else { format!("{} run", running.join(", ")) };
    let problem = Problem::new(Code::BadRequest, format!("which session is to end isn't said; {known}"));
    let named = running.iter().take(3).map(|name| format!("handeye sessions stop {name}"));
    let problem = named.fold(problem, Problem::hint);
    problem.hint("handeye sessions stop --all")
}

/// Show the settings in force
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Config {
    #[command(subcommand)]
    #[serde(flatten)]
    action: ConfigAction,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ConfigAction {
    /// Show every setting, and where it comes from
    Show,
}

/// The settings in force.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// All of them.
    settings: Settings,
    /// Key, and where its value comes from.
    sources: Vec<(String, String)>,
}

impl Render for Shown {
    fn render(&self) -> String {
        let value = serde_json::to_value(&self.settings).unwrap_or_default();
        let mut lines = Vec::new();
        self.add_lines(&value, "", &mut lines);
        lines.join("\n")
    }
}

impl Shown {
    fn add_lines(&self, value: &serde_json::Value, path: &str, lines: &mut Vec<String>) {
        if let Some(members) = value.as_object() {
            for (key, value) in members {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                self.add_lines(value, &path, lines);
            }
            return;
        }
        let source = self.sources.iter().find(|(k, _)| *k == path).map_or("default", |(_, s)| s.as_str());
        lines.push(format!("{path} = {value}  ({source})"));
    }
}

impl HostCommand for Config {
    const NAME: &'static str = "config";
    type Output = Shown;
    fn run(self, host: &dyn Host) -> Result<Shown, Problem> {
        let ConfigAction::Show = self.action;
        let (settings, sources) = host.settings();
        Ok(Shown { settings, sources })
    }
}

/// Check everything handeye needs, and say what to do about what is amiss
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doctor {}

/// What `doctor` found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Whether all is well.
    ok: bool,
    /// Each thing looked at.
    checks: Vec<Check>,
}

impl Render for Diagnosis {
    fn render(&self) -> String {
        let mut lines = Vec::new();
        for check in &self.checks {
            lines.push(format!("{} {}: {}", if check.ok { "ok  " } else { "FAIL" }, check.name, check.found));
            lines.extend(check.remedy.iter().map(|r| format!("       try: {r}")));
        }
        lines.join("\n")
    }

    fn verdict(&self) -> Verdict {
        if self.ok { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

impl HostCommand for Doctor {
    const NAME: &'static str = "doctor";
    type Output = Diagnosis;
    fn run(self, host: &dyn Host) -> Result<Diagnosis, Problem> {
        let checks = host.doctor();
        Ok(Diagnosis { ok: checks.iter().all(|c| c.ok), checks })
    }
}

/// Print a completion script for a shell
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Completions {
    /// bash, elvish, fish, powershell or zsh
    shell: String,
}

impl HostCommand for Completions {
    const NAME: &'static str = "completions";
    type Output = String;
    fn run(self, host: &dyn Host) -> Result<String, Problem> {
        host.completions(&self.shell)
    }
}

/// Print the version
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Version {}

impl HostCommand for Version {
    const NAME: &'static str = "version";
    type Output = String;
    fn run(self, host: &dyn Host) -> Result<String, Problem> {
        Ok(host.version())
    }
}
