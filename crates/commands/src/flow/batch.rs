//! `batch`: a list of commands, run in order as long as each does what it should.

use crate::StepsCommand;
use crate::core::steps::{Batched, Plan, Step};
use handeye_scene::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Run a list of commands in order; all are checked before the first, and it stops at one that isn't confirmed, at a problem, and at a dialog, another origin, a tab or a window that no step asked for
#[derive(Debug, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Batch {
    /// File of commands, a line each as on a shell's command line, or JSON: an array or lines of {"command": …, "args": {…}}; - or left out: standard input
    #[arg(value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Go on whatever comes of a step
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_going: bool,
    /// The commands themselves, in place of a file: command lines, or objects
    #[arg(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Written>,
}

/// A command of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Written {
    /// As on a command line: `click 5 --expect "Sign in"`
    Line(String),
    /// As an object
    Call(Step),
}

impl StepsCommand for Batch {
    const NAME: &'static str = "batch";
    type Output = Batched;

    fn plan(self) -> Result<Plan, Problem> {
        let read = |written: Written| match written {
            Written::Call(step) => Ok(step),
            // Whoever knows the command line puts objects in the place of lines and files.
            Written::Line(_) => {
                Err(Problem::new(Code::BadRequest, "over the wire a step is an object with `command` and `args`"))
            }
        };
        if self.file.is_some() {
            return Err(Problem::new(Code::BadRequest, "over the wire the steps themselves are given, not a file"));
        }
        let steps = self.steps.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(Plan { steps, keep_going: self.keep_going })
    }
}
