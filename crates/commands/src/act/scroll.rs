//! `scroll`: scroll a target or the page.

use crate::core::acting::{act_aimed, act_on};
use crate::core::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::{Action, AimedAt, Expectation};
use handeye_scene::{Code, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Farther than any page is long, in pixels.
const END: f64 = 10_000_000.0;

/// Where to scroll.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Down
    #[default]
    Down,
    /// Up
    Up,
    /// Left
    Left,
    /// Right
    Right,
    /// To the very top
    Top,
    /// To the very bottom
    Bottom,
}

/// Scroll a target, or the page when no target is named
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(override_usage = "handeye scroll [OPTIONS] [REF] down|up|left|right|top|bottom [PIXELS]")]
pub struct Scroll {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Where to scroll
    #[arg(skip)]
    #[serde(default)]
    direction: Direction,
    /// How far, in pixels; 600 when absent
    #[arg(skip)]
    #[serde(default)]
    pixels: Option<f64>,
}

impl Scroll {
    fn distance(&self) -> (f64, f64) {
        let by = self.pixels.unwrap_or(600.0);
        match self.direction {
            Direction::Down => (0.0, by),
            Direction::Up => (0.0, -by),
            Direction::Left => (-by, 0.0),
            Direction::Right => (by, 0.0),
            Direction::Top => (0.0, -END),
            Direction::Bottom => (0.0, END),
        }
    }
}

impl Command for Scroll {
    const NAME: &'static str = "scroll";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        let mut words = self.target.take_words().into_iter();
        let wrong = |what: String| {
            Problem::new(Code::BadRequest, what).hint("handeye scroll down 600").hint("handeye scroll --help")
        };
        let direction = words.next().unwrap_or_else(|| "down".into());
        self.direction = <Direction as clap::ValueEnum>::from_str(&direction, true)
            .map_err(|_| wrong(format!("`{direction}` is no direction: write down, up, left, right, top or bottom")))?;
        if let Some(pixels) = words.next() {
            let valid = pixels.parse::<f64>().ok().filter(|p| p.is_finite());
            self.pixels =
                Some(valid.ok_or_else(|| {
                    wrong(format!("`{pixels}` is no distance in pixels: write a number, such as 600"))
                })?);
        }
        match words.next() {
            Some(extra) => Err(wrong(format!("`{extra}` is one argument too many"))),
            None => Ok(self),
        }
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let (dx, dy) = self.distance();
        if !self.target.target.is_empty() {
            return act_on(session, &self.target.target, &self.expect, Action::Scroll { dx, dy }).await;
        }
        if matches!(self.expect.expectation(), Expectation::Text(_)) {
            return Err(Problem::new(Code::BadRequest, "--expect is about a target, and none is named")
                .hint("handeye scroll REF down --expect TEXT"));
        }
        act_aimed(session, AimedAt::Surface, Expectation::Any, Action::Scroll { dx, dy }).await
    }
}
