//! `act`: an aim in words, served by one command.

use crate::core::aims::{Acted, Aiming, FoundBy};
use crate::{AimCommand, Render};
use handeye_engine::wording::shown::{MESSAGE, line};
use handeye_scene::{Code, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Characters of one text.
const TEXT: usize = 300;

/// Do the one thing on the page that serves an aim: as it was learnt, where its target is what it was, else as the model says
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "One command is run, such as a click, with the text that its target must show. It is the one that was learnt for\nthese words on this kind of page (`handeye observe`), where exactly one target is what it was then; else the\nmodel of the role agent (`handeye models list`) is asked, and its likeliest one is run and learnt. Where none is\nconfigured, nothing is done. It is a call like any other: the policy decides, and the receipt says what came of it.\n\nExit status: that of the command that is run; 2 also where nothing serves the aim.\n\nExamples:\n  handeye act \"log in\"\n  printf 'open localhost\\nact \"open the basket\"\\nverify url basket' | handeye batch"
)]
pub struct Act {
    /// The aim, in your words
    #[arg(value_name = "AIM")]
    aim: String,
    /// Ask the model, also where a command was learnt before
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    anew: bool,
}

impl AimCommand for Act {
    const NAME: &'static str = "act";
    type Output = Acted;

    fn aiming(self) -> Result<Aiming, Problem> {
        if self.aim.trim().is_empty() {
            return Err(
                Problem::new(Code::BadRequest, "the aim is empty: say what is to be done").hint("handeye act --help")
            );
        }
        Ok(Aiming { aim: self.aim, anew: self.anew })
    }
}

impl Render for FoundBy {
    fn render(&self) -> String {
        let mut out = format!("{}\n  {}: {}", self.run, line(&self.target, TEXT), line(&self.why, TEXT));
        if self.learnt {
            out.push_str("\n  learnt before, and found again: no model was asked");
        } else {
            let _ = write!(out, "\n  {} answers of {}", self.model_calls, line(&self.model, 80));
        }
        if let Some(why) = &self.not_used {
            let _ = write!(out, "; what was learnt was not done: {}", line(why, MESSAGE));
        }
        for warning in &self.warnings {
            let _ = write!(out, "\n  warning: {}", line(warning, TEXT));
        }
        out
    }
}

impl Render for Acted {
    fn render(&self) -> String {
        format!("{}\n{}", self.found.render(), self.receipt.render())
    }

    fn verdict(&self) -> Verdict {
        self.receipt.verdict
    }
}
