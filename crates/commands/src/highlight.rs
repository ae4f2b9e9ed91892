//! `highlight`: a mark over a target, for a person who watches or for a picture.

use crate::args::TargetArgs;
use crate::inspect::probe;
use crate::{Command, Effect, Render, Session};
use handeye_engine::outline::quote;
use handeye_scene::{Aim, Code, ImageFormat, Problem, ShotArea};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Longest time a mark may stay, seconds: other commands wait for it.
const LONGEST: f64 = 60.0;

/// Mark a target for a while, drawn by the browser over the page; nothing is put into it
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  handeye highlight 5 --seconds 3\n  handeye highlight 5 --to marked.png --seconds 0"
)]
pub struct Highlight {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    /// How long, in seconds, up to 60
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = crate::numbers::real("time in seconds", 0.0..=LONGEST, 3.0))]
    #[serde(default = "two")]
    seconds: f64,
    /// Save a picture of the viewport with the mark: a .png file
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    to: Option<PathBuf>,
}

fn two() -> f64 {
    2.0
}

/// What `highlight` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Highlighted {
    /// What was marked.
    target: String,
    /// For how long.
    seconds: f64,
    /// Where the picture is.
    path: Option<String>,
}

impl Render for Highlighted {
    fn render(&self) -> String {
        let saved = self.path.as_ref().map(|p| format!("; saved {p}")).unwrap_or_default();
        format!("marked {} for {} s{saved}", self.target, self.seconds)
    }
}

impl Command for Highlight {
    const NAME: &'static str = "highlight";
    // It scrolls to what it marks.
    const EFFECT: Effect = Effect::Acts;
    type Output = Highlighted;

    fn tidy(mut self) -> Result<Self, Problem> {
        if let Some(file) = &mut self.to {
            *file = std::path::absolute(&*file)
                .map_err(|e| Problem::new(Code::File, format!("{}: {e}", file.display())))?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Highlighted, Problem> {
        if !(0.0..=LONGEST).contains(&self.seconds) {
            return Err(Problem::new(Code::BadRequest, format!("--seconds {} is not from 0 to 60", self.seconds))
                .hint("handeye highlight REF --seconds 3"));
        }
        let (surface, eye, clock) = session.parts()?;
        let (_, probe) =
            probe(surface, eye, &self.target, Aim { scroll: true, point: false, ..Aim::default() }).await?;
        let web = session.web()?;
        web.mark(probe.id).await?;
        let shot = match &self.to {
            Some(_) => Some(web.screenshot(ShotArea::Viewport, ImageFormat::Png, None).await),
            None => None,
        };
        clock.sleep(crate::session::seconds(self.seconds)).await;
        // It goes whatever became of the picture.
        web.unmark().await?;
        if let (Some(file), Some(shot)) = (&self.to, shot) {
            crate::screenshot::save(file, &shot?.bytes)?;
        }
        Ok(Highlighted {
            target: format!("{} {}", probe.role, quote(&probe.name, 80)),
            seconds: self.seconds,
            path: self.to.map(|f| f.display().to_string()),
        })
    }
}
