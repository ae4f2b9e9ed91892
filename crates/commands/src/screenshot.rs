//! `screenshot`: a picture of the page, a target, or the whole page.

use crate::args::TargetArgs;
use crate::{Command, Effect, Render, Session};
use handeye_scene::{Aim, Code, ImageFormat, Notice, Problem, Rect, ShotArea};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::Write;
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
    /// Quality of jpeg and webp, 1 to 100
    #[arg(long, value_name = "N", value_parser = crate::numbers::whole("quality", 1_u8..=100, 80))]
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
        for notice in &self.notices {
            out.push_str(&format!("\n{}", handeye_engine::outline::notice_line(notice)));
        }
        out
    }
}

impl Screenshot {
    fn image_format(&self) -> Result<ImageFormat, Problem> {
        let named = self.path.as_deref().unwrap_or(Path::new("new.png"));
        let ending = named.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match (self.format, ending.as_deref()) {
            (Some(Format::Png), _) | (None, Some("png")) => Ok(ImageFormat::Png),
            (Some(Format::Jpeg), _) | (None, Some("jpg" | "jpeg")) => Ok(ImageFormat::Jpeg),
            (Some(Format::Webp), _) | (None, Some("webp")) => Ok(ImageFormat::Webp),
            (None, _) => Err(Problem::new(
                Code::BadRequest,
                format!(
                    "the ending of {} names no format: end it in .png, .jpg or .webp, or give --format",
                    named.display()
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

    fn tidy(mut self) -> Result<Self, Problem> {
        if let Some(path) = &mut self.path {
            *path = std::path::absolute(&*path)
                .map_err(|e| Problem::new(Code::File, format!("{}: {e}", path.display())))?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Saved, Problem> {
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
            let (surface, eye, _) = session.parts()?;
            let (_, probe) =
                crate::inspect::probe(surface, eye, &self.target, Aim { scroll: true, point: false, ..Aim::default() })
                    .await?;
            if probe.rect.width < 1.0 || probe.rect.height < 1.0 {
                return Err(Problem::new(
                    Code::Blocked,
                    format!(
                        "can't picture {} {}: it has no size",
                        probe.role,
                        handeye_engine::outline::quote(&probe.name, 80)
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
        save(&path, &shot.bytes)?;
        let notices = if self.full { session.surface()?.notices() } else { Vec::new() };
        let (path, bytes) = (path.display().to_string(), shot.bytes.len());
        Ok(Saved { path, bytes, scale: shot.scale, area: shot.area, notices })
    }
}

/// A file that isn't there yet, in the session's own folder, which is closed to others.
fn new_path(session: &Session, format: ImageFormat) -> Result<PathBuf, Problem> {
    let none = || {
        Problem::new(Code::BadRequest, "this session has no folder to save to: say where")
            .hint("handeye screenshot page.png")
    };
    let folder = session.folder_for("pictures").ok_or_else(none)?;
    let folder =
        folder.map_err(|e| Problem::new(Code::File, format!("the session's own folder can't be written to: {e}")))?;
    let ending = match format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpg",
        ImageFormat::Webp => "webp",
    };
    let numbered = (1..10_000_u32).map(|number| folder.join(format!("screenshot-{number}.{ending}")));
    let mut free = numbered.filter(|path| path.symlink_metadata().is_err());
    free.next()
        .ok_or_else(|| Problem::new(Code::File, format!("{} is full of pictures: say where to save", folder.display())))
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

/// Writes a file whole or not at all.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let failed = |e: std::io::Error| {
        Problem::new(Code::File, format!("can't write {}: {e}", path.display()))
            .hint("choose a folder that exists and that you may write to")
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut partial = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    partial.write_all(bytes).map_err(failed)?;
    partial.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}
