//! `check`, `uncheck`: turn a checkbox, radio button or switch on or off.

use crate::acting::act_on;
use crate::args::{ExpectArgs, TargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::Deed;
use handeye_scene::{Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Turn a checkbox, radio button or switch on
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

/// Turn a checkbox or switch off
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Uncheck {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

impl Command for Check {
    const NAME: &'static str = "check";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target, &self.expect, Deed::Check(true)).await
    }
}

impl Command for Uncheck {
    const NAME: &'static str = "uncheck";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target, &self.expect, Deed::Check(false)).await
    }
}
