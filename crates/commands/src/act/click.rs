//! `click`, `dblclick`, `rightclick`: press and release on a target.

use crate::core::acting::{act_on, was_done};
use crate::core::args::{ExpectArgs, TargetArgs};
use crate::core::modifiers::{Modifier, modifiers};
use crate::core::settings::ClickMethod;
use crate::{Command, Effect, Session};
use handeye_engine::{Action, ClickBy};
use handeye_scene::{Button, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest wait after a click, in seconds.
const LONGEST: f64 = 60.0;

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
    /// How to click: real pointer input, the element's own activation, or whichever suits the surface
    #[arg(long, value_name = "METHOD")]
    #[serde(default)]
    method: Option<ClickMethod>,
    /// Wait so long after the click before the command ends, in seconds [default: waits.after_click, 0]
    #[arg(long, value_name = "SECONDS", value_parser = crate::core::value_parsers::real("time in seconds", 0.0..=LONGEST, 0.5))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait_after: Option<f64>,
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
    /// Wait so long after the click before the command ends, in seconds [default: waits.after_click, 0]
    #[arg(long, value_name = "SECONDS", value_parser = crate::core::value_parsers::real("time in seconds", 0.0..=LONGEST, 0.5))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait_after: Option<f64>,
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
    /// Wait so long after the click before the command ends, in seconds [default: waits.after_click, 0]
    #[arg(long, value_name = "SECONDS", value_parser = crate::core::value_parsers::real("time in seconds", 0.0..=LONGEST, 0.5))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait_after: Option<f64>,
}

/// Clicks, and waits where the click was made: for programs that go on long after they look quiet.
async fn click(
    session: &mut Session,
    (target, expect): (&TargetArgs, &ExpectArgs),
    action: Action,
    wait_after: Option<f64>,
) -> Result<Receipt, Problem> {
    let clicked = act_on(session, target, expect, action.clone()).await?;
    let time = wait_after.unwrap_or(session.settings().waits.after_click);
    if was_done(&clicked, &action) && time > 0.0 {
        session.clock.clone().sleep(crate::core::session::seconds(time.min(LONGEST))).await;
    }
    Ok(clicked)
}

/// A click by the pointer.
fn pointer_click(button: Button, count: u8, held: &[Modifier]) -> Action {
    Action::Click { button, count, modifiers: modifiers(held), by: ClickBy::Pointer, offset: None }
}

impl Command for Click {
    const NAME: &'static str = "click";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let by = match self.method.unwrap_or(session.settings().click.method) {
            ClickMethod::Best => ClickBy::Best,
            ClickMethod::Pointer => ClickBy::Pointer,
            ClickMethod::Invoke => ClickBy::Activation,
        };
        let action =
            Action::Click { button: Button::Left, count: 1, modifiers: modifiers(&self.modifiers), by, offset: None };
        click(session, (&self.target, &self.expect), action, self.wait_after).await
    }
}

impl Command for Dblclick {
    const NAME: &'static str = "dblclick";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let action = pointer_click(Button::Left, 2, &self.modifiers);
        click(session, (&self.target, &self.expect), action, self.wait_after).await
    }
}

impl Command for Rightclick {
    const NAME: &'static str = "rightclick";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let action = pointer_click(Button::Right, 1, &self.modifiers);
        click(session, (&self.target, &self.expect), action, self.wait_after).await
    }
}
