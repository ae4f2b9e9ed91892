//! `drag`: drag a target onto another or to a place.

use crate::core::acting::act_on;
use crate::core::args::{ExpectArgs, TargetArgs, parse_point};
use crate::core::named::{Named, parse_named};
use crate::point::at::MouseButton;
use crate::{Command, Effect, Session};
use handeye_engine::{Action, DropAt};
use handeye_scene::{Point, Problem, Receipt, TargetId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a drag ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum To {
    /// At a place: in CSS pixels of the main viewport, or pixels of the desktop's screen
    Place(Point),
    /// On a target
    Target(Named),
}

fn parse_to(text: &str) -> Result<To, String> {
    match parse_named(text) {
        Ok(named) => Ok(To::Target(named)),
        Err(_) if text.contains(',') => parse_point(text).map(To::Place),
        Err(why) => Err(why),
    }
}

/// Drag a target onto another or to a place
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Drag {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    /// Where to drop it: a target's number or locator (css=#bin), or X,Y in CSS pixels of the main viewport, or pixels of the desktop's screen
    #[arg(long, value_name = "REF|X,Y", value_parser = parse_to, allow_hyphen_values = true)]
    to: To,
    /// Which button
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    button: MouseButton,
    /// How long the move takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200, value_parser = crate::core::value_parsers::whole("time in milliseconds", 0_u64..=60_000, 200))]
    #[serde(default = "default_duration")]
    duration: u64,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

fn default_duration() -> u64 {
    200
}

impl Command for Drag {
    const NAME: &'static str = "drag";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        let to = if let To::Target(named) = &self.to { named.written() } else { None };
        self.target.refs().into_iter().chain(to).collect()
    }
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let to = match self.to {
            To::Place(point) => DropAt::Place(point),
            To::Target(named) => {
                let number = named.number(session).await?;
                match session.memory.refs.target(number)? {
                    TargetId::Element(native) => DropAt::Element(native),
                    TargetId::Region(number) => DropAt::Region(number),
                }
            }
        };
        let action = Action::Drag { to, button: self.button.into(), duration_ms: self.duration.min(60_000) };
        act_on(session, &self.target, &self.expect, action).await
    }
}
