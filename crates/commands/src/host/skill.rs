//! `skill`: what teaches agents to use handeye, shown or put where they look for it.

use crate::{Host, HostCommand, Installed, Render};
use handeye_scene::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Agents, and the folder of skills that each of them reads, in a project or a home folder.
pub const AGENTS: [(&str, &str); 3] =
    [("claude", ".claude/skills"), ("codex", ".agents/skills"), ("cursor", ".cursor/skills")];
/// All of them.
const ALL: &str = "all";
/// The file that an agent reads first.
pub const FIRST: &str = "SKILL.md";

/// Show the skill that teaches agents to use handeye, or install it where they look for skills
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Skill {
    #[command(subcommand)]
    #[serde(flatten)]
    action: SkillAction,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum SkillAction {
    /// Put it where agents look: in the folder where you are, or with --home in your own
    Install {
        /// Whom for: claude (.claude/skills), codex (.agents/skills, which others read, too), cursor (.cursor/skills), all of them, or the path of another folder of skills [default: all] [repeatable]
        #[arg(long = "for", value_name = "AGENT|PATH")]
        #[serde(default, rename = "for", skip_serializing_if = "Vec::is_empty")]
        agents: Vec<String>,
        /// For all of your projects: in your home folder
        #[arg(long)]
        #[serde(default)]
        home: bool,
        /// Overwrite files that somebody changed
        #[arg(long)]
        #[serde(default)]
        force: bool,
    },
    /// Print it, or one of the files that it leads to
    Show {
        /// Such as references/desktop.md
        #[arg(value_name = "FILE")]
        #[serde(default)]
        file: Option<String>,
    },
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillDone {
    /// The files that were written, or were there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<Installed>,
    /// The file that was to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Render for SkillDone {
    fn render(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        self.files.iter().map(|file| format!("{} {}", file.outcome, file.path)).collect::<Vec<_>>().join("\n")
    }
}

impl HostCommand for Skill {
    const NAME: &'static str = "skill";
    type Output = SkillDone;

    fn run(self, host: &dyn Host) -> Result<SkillDone, Problem> {
        match self.action {
            SkillAction::Install { agents, home, force } => {
                let files = host.install_skill(&folders(&agents, home)?, home, force)?;
                Ok(SkillDone { files, text: None })
            }
            SkillAction::Show { file } => {
                let path = file.as_deref().unwrap_or(FIRST);
                let known = host.skill();
                let found = known.iter().find(|file| file.path == path).ok_or_else(|| {
                    let paths: Vec<&str> = known.iter().map(|file| file.path).collect();
                    Problem::new(Code::NotFound, format!("the skill has no file `{path}`: it has {}", paths.join(", ")))
                        .hint("handeye skill show")
                })?;
                Ok(SkillDone { files: Vec::new(), text: Some(found.text.to_owned()) })
            }
        }
    }
}

/// The folders of skills that are meant, each once.
fn folders(agents: &[String], home: bool) -> Result<Vec<String>, Problem> {
    let all = [ALL.to_owned()];
    let mut out: Vec<String> = Vec::new();
    for agent in if agents.is_empty() { &all[..] } else { agents } {
        let named = AGENTS.iter().filter(|(name, _)| agent == ALL || agent == name);
        let mut meant: Vec<String> = named.map(|(_, folder)| (*folder).to_owned()).collect();
        if meant.is_empty() {
            if home {
                let what = format!("`{agent}` is no agent, and --home is about agents: leave it out for a path");
                return Err(Problem::new(Code::BadRequest, what).hint("handeye skill install --help"));
            }
            // A name that is written wrong must not become a folder.
            if !agent.contains(['/', '\\']) && agent != "." {
                let names: Vec<&str> = AGENTS.iter().map(|(name, _)| *name).chain([ALL]).collect();
                let what = format!("`{agent}` is no agent: write {}, or a path such as ./skills", names.join(", "));
                return Err(Problem::new(Code::BadRequest, what).hint("handeye skill install --help"));
            }
            meant.push(agent.clone());
        }
        for folder in meant {
            if !out.contains(&folder) {
                out.push(folder);
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_named_and_anything_else_is_a_path_that_looks_like_one() {
        let of = |agents: &[&str], home| {
            folders(&agents.iter().map(|agent| (*agent).to_owned()).collect::<Vec<_>>(), home).map_err(|p| p.code)
        };
        let all = AGENTS.map(|(_, folder)| folder.to_owned()).to_vec();
        assert_eq!(of(&[], false), Ok(all.clone()));
        assert_eq!(of(&["codex", "all"], true).map(|folders| folders.len()), Ok(all.len()));
        assert_eq!(
            of(&["claude", "./more", "."], false),
            Ok(vec![".claude/skills".into(), "./more".into(), ".".into()])
        );
        assert_eq!(of(&["cluade"], false), Err(Code::BadRequest));
        assert_eq!(of(&["./more"], true), Err(Code::BadRequest));
    }
}
