//! `click`, `dblclick`, `rightclick`: press and release on a target.

use crate::acting::act_on;
use crate::args::{ExpectArgs, TargetArgs};
use crate::settings::ClickMethod;
use crate::{Command, Effect, Session};
use handeye_engine::{ClickBy, Deed};
use handeye_scene::{Button, Modifiers, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A modifier key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Modifier {
    /// Alt or Option
    Alt,
    /// Control
    Ctrl,
    /// Command or Windows
    Meta,
    /// Shift
    Shift,
}

/// The keys as a set.
pub fn modifiers(keys: &[Modifier]) -> Modifiers {
    let has = |k| keys.contains(&k);
    Modifiers {
        alt: has(Modifier::Alt),
        ctrl: has(Modifier::Ctrl),
        meta: has(Modifier::Meta),
        shift: has(Modifier::Shift),
    }
}

/// Click a target, and report whether it worked
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Click {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Keys held while clicking, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    #[serde(default)]
    modifiers: Vec<Modifier>,
    /// How to click: real pointer input, the element's own activation, or what is best on the surface
    #[arg(long, value_name = "METHOD")]
    #[serde(default)]
    method: Option<ClickMethod>,
}

/// Double-click a target
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Dblclick {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Keys held while clicking, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    #[serde(default)]
    modifiers: Vec<Modifier>,
}

/// Click a target with the secondary button
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Rightclick {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Keys held while clicking, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    #[serde(default)]
    modifiers: Vec<Modifier>,
}

impl Command for Click {
    const NAME: &'static str = "click";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let by = match self.method.unwrap_or(session.settings().click.method) {
            ClickMethod::Best => ClickBy::Best,
            ClickMethod::Pointer => ClickBy::Pointer,
            ClickMethod::Invoke => ClickBy::Activation,
        };
        let deed =
            Deed::Click { button: Button::Left, count: 1, modifiers: modifiers(&self.modifiers), by, offset: None };
        act_on(session, &self.target, &self.expect, deed).await
    }
}

impl Command for Dblclick {
    const NAME: &'static str = "dblclick";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let deed = Deed::Click {
            button: Button::Left,
            count: 2,
            modifiers: modifiers(&self.modifiers),
            by: ClickBy::Pointer,
            offset: None,
        };
        act_on(session, &self.target, &self.expect, deed).await
    }
}

impl Command for Rightclick {
    const NAME: &'static str = "rightclick";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let deed = Deed::Click {
            button: Button::Right,
            count: 1,
            modifiers: modifiers(&self.modifiers),
            by: ClickBy::Pointer,
            offset: None,
        };
        act_on(session, &self.target, &self.expect, deed).await
    }
}
