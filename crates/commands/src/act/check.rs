//! `check`, `uncheck`: turn a checkbox, radio button or switch on or off. `expand`, `collapse`: open or close a tree item, a
//! disclosure, a list that drops down.

use crate::core::acting::act_on;
use crate::core::args::{ExpectArgs, TargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::Action;
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

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target, &self.expect, Action::Check(true)).await
    }
}

impl Command for Uncheck {
    const NAME: &'static str = "uncheck";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target, &self.expect, Action::Check(false)).await
    }
}

/// Open a tree item, a disclosure or a list that drops down
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Expand {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

/// Close a tree item, a disclosure or a list that drops down
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Collapse {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

impl Command for Expand {
    const NAME: &'static str = "expand";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target, &self.expect, Action::Expand(true)).await
    }
}

impl Command for Collapse {
    const NAME: &'static str = "collapse";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        act_on(session, &self.target, &self.expect, Action::Expand(false)).await
    }
}
