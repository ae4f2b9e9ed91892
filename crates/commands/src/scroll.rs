//! `scroll`: scroll a target or the page.

use crate::acting::{act_on, receipt};
use crate::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::{Deed, Expectation};
use handeye_scene::{Code, Delivery, Evidence, Gesture, Guard, Problem, Receipt, Verdict};
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

    fn tidy(mut self) -> Result<Self, Problem> {
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
            return act_on(session, &self.target.target, &self.expect, Deed::Scroll { dx, dy }).await;
        }
        if matches!(self.expect.expectation(), Expectation::Text(_)) {
            return Err(Problem::new(Code::BadRequest, "--expect is about a target, and none is named")
                .hint("handeye scroll REF down --expect TEXT"));
        }
        let settle = crate::session::seconds(session.settings().waits.settle);
        let surface = session.surface()?;
        let delivery = surface.perform(&Gesture::Scroll { at: None, dx, dy }, &Guard::default()).await?;
        let settled = surface.settle(settle).await;
        surface.rest().await;
        settled?;
        let what = if surface.windows().is_some() { "the window" } else { "the page" };
        let mut receipt = receipt(format!("scrolled {what}"));
        match delivery {
            Delivery::Withheld(withheld) => {
                let there = withheld.actual.map(|a| handeye_engine::locate::called(&a.role, a.words()));
                let there = there.unwrap_or_else(|| "something else".into());
                receipt.verdict = Verdict::Contradicted;
                receipt.reason = Some(format!("withheld: {there} lies over it"));
            }
            Delivery::Delivered { moved: Some((dx, dy)), .. } if dx != 0.0 || dy != 0.0 => {
                receipt.evidence.push(Evidence::Scrolled { dx, dy });
            }
            Delivery::Delivered { moved: None, .. } | Delivery::Unseen => {
                receipt.verdict = Verdict::Unverifiable;
                receipt.reason = Some(handeye_engine::judge::SCROLLED_UNTOLD.into());
                receipt.hints = vec!["handeye state".into()];
            }
            Delivery::Delivered { .. } => {
                receipt.verdict = Verdict::NoEffect;
                receipt.reason = Some(format!("nothing scrolled: {what} is at its end, or doesn't scroll"));
            }
        }
        Ok(receipt)
    }
}
