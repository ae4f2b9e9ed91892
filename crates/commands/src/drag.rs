//! `drag`: drag a target onto another or to a place.

use crate::acting::act_on;
use crate::args::{ExpectArgs, TargetArgs, parse_point, parse_ref};
use crate::point::MouseButton;
use crate::{Command, Effect, Session};
use handeye_engine::{Deed, DropAt};
use handeye_scene::{Point, Problem, Receipt, Ref};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a drag ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum To {
    /// On a target, by its number
    Ref(u32),
    /// At a place: in CSS pixels of the main viewport, or pixels of the desktop's screen
    Place(Point),
}

fn parse_to(text: &str) -> Result<To, String> {
    if text.contains(',') { parse_point(text).map(To::Place) } else { parse_ref(text).map(To::Ref) }
}

/// Drag a target onto another or to a place
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Drag {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    /// Where to drop it: a target's number, or X,Y in CSS pixels of the main viewport, or pixels of the desktop's screen
    #[arg(long, value_name = "REF|X,Y", value_parser = parse_to, allow_hyphen_values = true)]
    to: To,
    /// Which button
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    button: MouseButton,
    /// How long the move takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200, value_parser = crate::numbers::whole("time in milliseconds", 0_u64..=60_000, 200))]
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
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let to = match self.to {
            To::Place(point) => DropAt::Place(point),
            To::Ref(n) => DropAt::Element(session.eye.book.element(Ref(n))?.native),
        };
        let deed = Deed::Drag { to, button: self.button.into(), duration_ms: self.duration.min(60_000) };
        act_on(session, &self.target, &self.expect, deed).await
    }
}
