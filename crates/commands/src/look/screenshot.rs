//! `screenshot`: a picture of the page, a target, or the whole page.

use crate::core::args::TargetArgs;
use crate::core::saved::{Named, named, new_path, save_picture};
use crate::look::annotate::{MOST_MARKS, annotate};
use crate::{Command, Effect, Render, Session};
use handeye_engine::Show;
use handeye_engine::observe::snapshot;
use handeye_engine::perceive::moment::pictured;
use handeye_engine::perceive::regions::is_in_sight;
use handeye_scene::{Aim, Annotation, Code, ImageFormat, Notice, Problem, Rect, ShotArea, Target, Want};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Picture formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Lossless
    Png,
    /// Lossy
    Jpeg,
    /// Either
    Webp,
}

/// Save a picture: of the viewport or the window, of a target, or of all
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Screenshot {
    /// Where to save it; its ending gives the format [default: a new file in the session's own folder]
    #[arg(value_name = "PATH")]
    #[serde(default)]
    path: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    /// The whole page, not only the viewport; on the desktop the whole screen, not only the window
    #[arg(long)]
    #[serde(default)]
    full: bool,
    /// Format [default: that of the path's ending]
    #[arg(long, value_name = "FORMAT")]
    #[serde(default)]
    format: Option<Format>,
    /// Draw a numbered box around every target in view, and list them
    #[arg(long, conflicts_with_all = ["full", "quality", "xpath", "css", "role", "name", "testid"])]
    #[serde(default)]
    annotated: bool,
    /// Mark at most so many targets [default: 200]
    #[arg(long, value_name = "N", requires = "annotated", value_parser = crate::core::value_parsers::whole("number of marks", 1_usize..=5_000, 50))]
    #[serde(default)]
    max_marks: Option<usize>,
    /// Quality of jpeg and webp, 1 to 100
    #[arg(long, value_name = "N", value_parser = crate::core::value_parsers::whole("quality", 1_u8..=100, 80))]
    #[serde(default)]
    quality: Option<u8>,
}

/// What `screenshot` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Saved {
    /// Where it is.
    path: String,
    /// Bytes written.
    bytes: usize,
    /// Picture pixels per CSS pixel; on the desktop per pixel of the screen.
    scale: f64,
    /// What it shows, in CSS pixels of the main viewport, or pixels of the desktop's screen: a pixel p of the picture is at
    /// offset + p / scale.
    area: Rect,
    /// What is marked in it, of an annotated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<Annotation>,
    /// The targets that are in view, of an annotated one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    targets: Vec<Target>,
    /// What else there is to know, such as that the page is longer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Notice>,
}

impl Render for Saved {
    fn render(&self) -> String {
        let a = self.area;
        let mut out = format!(
            "saved {} ({} bytes; shows {},{} {}×{} at scale {})",
            self.path, self.bytes, a.x, a.y, a.width, a.height, self.scale
        );
        if let Some(annotation) = &self.annotation {
            out.push_str(&format!("\n{}", crate::look::annotate::words(&self.path, annotation, &[])));
            for target in &self.targets {
                out.push_str(&format!("\n{}", handeye_engine::perceive::regions::legend_line(target, LEGEND)));
            }
        }
        for notice in &self.notices {
            out.push_str(&format!("\n{}", handeye_engine::observe::outline::notice_line(notice)));
        }
        out
    }
}

/// Characters of a text in a legend.
const LEGEND: usize = 80;

impl Screenshot {
    /// The view with its targets marked.
    async fn annotated(&self, session: &mut Session) -> Result<Saved, Problem> {
        if !self.target.is_empty() || self.full || self.image_format()? != ImageFormat::Png {
            let what = "an annotated picture is a PNG of the view: leave out the target, --full and other formats";
            return Err(Problem::new(Code::BadRequest, what).hint("handeye screenshot page.png --annotated"));
        }
        let want = Want { rows: true, ..Want::default() };
        let limit = session.settings().limits.text;
        let (surface, memory, clock) = session.parts()?;
        let capture = surface.capture(want).await?;
        let moment = pictured(surface, want, capture).await?;
        let show = Show { visible: true, text: limit, ..Show::default() };
        let generation = memory.generation;
        let view = snapshot::see(&moment.capture, memory, show, generation, clock.timestamp())?;
        let area = moment.picture.area();
        let targets: Vec<Target> = view.snapshot.targets.into_iter().filter(is_in_sight).collect();
        let path = self.path.clone().unwrap_or_default();
        let how = (path.as_path(), self.max_marks.unwrap_or(MOST_MARKS), false);
        let annotated = annotate(session, (moment.picture, &moment.capture), (&targets, &[]), how)?;
        Ok(Saved {
            path: annotated.path.display().to_string(),
            bytes: annotated.bytes,
            scale: annotated.annotation.scale,
            area,
            annotation: Some(annotated.annotation),
            targets,
            notices: moment.notice.into_iter().collect(),
        })
    }

    fn image_format(&self) -> Result<ImageFormat, Problem> {
        let path = self.path.as_deref().unwrap_or(Path::new("new.png"));
        let asked = self.format.map(|format| match format {
            Format::Png => ImageFormat::Png,
            Format::Jpeg => ImageFormat::Jpeg,
            Format::Webp => ImageFormat::Webp,
        });
        match (asked, named(path)) {
            (Some(asked), Named::As(named)) if asked != named && self.path.is_some() => {
                let what = format!("{} names another format than --format: leave that out", path.display());
                Err(Problem::new(Code::BadRequest, what).hint("handeye screenshot page.png"))
            }
            (Some(asked), _) => Ok(asked),
            (None, Named::As(named)) => Ok(named),
            (None, _) => Err(Problem::new(
                Code::BadRequest,
                format!(
                    "the ending of {} names no format: end it in .png, .jpg or .webp, or give --format",
                    path.display()
                ),
            )
            .hint("handeye screenshot page.png")),
        }
    }
}

impl Command for Screenshot {
    const NAME: &'static str = "screenshot";
    const EFFECT: Effect = Effect::Reads;
    type Output = Saved;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        if let Some(path) = &mut self.path {
            crate::core::args::resolve(path)?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Saved, Problem> {
        if self.annotated {
            return self.annotated(session).await;
        }
        let format = self.image_format()?;
        if self.quality.is_some() && format == ImageFormat::Png {
            return Err(Problem::new(Code::BadRequest, "--quality is for jpeg and webp; png has none"));
        }
        if self.full && !self.target.is_empty() {
            return Err(Problem::new(Code::BadRequest, "--full shows the whole page: leave out the target, or --full"));
        }
        let area = if self.target.is_empty() {
            if self.full { ShotArea::FullPage } else { ShotArea::Viewport }
        } else {
            let (surface, memory, _) = session.parts()?;
            let (_, probe) = crate::look::inspect::probe(
                surface,
                memory,
                &self.target,
                Aim { scroll: true, point: false, ..Aim::default() },
            )
            .await?;
            if probe.rect.width < 1.0 || probe.rect.height < 1.0 {
                return Err(Problem::new(
                    Code::Blocked,
                    format!(
                        "can't picture {} {}: it has no size",
                        probe.role,
                        handeye_engine::observe::outline::quote(&probe.name, 80)
                    ),
                ));
            }
            ShotArea::Clip(probe.rect)
        };
        let shot = shoot(session, area, format, self.quality).await?;
        let path = match self.path {
            Some(path) => path,
            None => new_path(session, format)?,
        };
        save_picture(&path, &shot.bytes)?;
        let notices = if self.full { session.surface()?.notices() } else { Vec::new() };
        let (path, bytes) = (path.display().to_string(), shot.bytes.len());
        Ok(Saved { path, bytes, scale: shot.scale, area: shot.area, annotation: None, targets: Vec::new(), notices })
    }
}

/// Takes a picture of the page, or of the desktop.
pub async fn shoot(
    session: &mut Session,
    area: ShotArea,
    format: ImageFormat,
    quality: Option<u8>,
) -> Result<handeye_scene::Shot, Problem> {
    if let Some(windows) = session.surface()?.windows() {
        if format != ImageFormat::Png {
            return Err(Problem::new(Code::Unsupported, "pictures of windows are saved as png")
                .hint("handeye screenshot window.png"));
        }
        return windows.screenshot(area).await;
    }
    session.web()?.screenshot(area, format, quality).await
}
