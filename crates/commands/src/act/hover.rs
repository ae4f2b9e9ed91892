//! `hover`: put the pointer on a target.

use crate::core::acting::act_on;
use crate::core::args::{ExpectArgs, TargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::Action;
use handeye_scene::{Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Move the pointer onto a target
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Hover {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

impl Command for Hover {
    const NAME: &'static str = "hover";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target, &self.expect, Action::Hover).await
    }
}
