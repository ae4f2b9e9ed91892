//! `select`: choose options of a native select.

use crate::core::acting::act_on;
use crate::core::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::Action;
use handeye_scene::{Code, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Choose options of a list, by label, by value, or by #INDEX from 0
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    override_usage = "handeye select [OPTIONS] REF OPTION...\n       handeye select [OPTIONS] --css SELECTOR OPTION..."
)]
pub struct Select {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Labels, values or #INDEX of the options to choose; all others are left unchosen
    #[arg(skip)]
    options: Vec<String>,
}

impl Command for Select {
    const NAME: &'static str = "select";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        self.options = self.target.take_words();
        if self.options.is_empty() {
            return Err(
                Problem::new(Code::BadRequest, "the option to choose is missing").hint("handeye select REF OPTION")
            );
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target.target, &self.expect, Action::Select(self.options)).await
    }
}
