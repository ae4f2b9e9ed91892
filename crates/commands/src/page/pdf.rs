//! `pdf`: the page on paper.

use crate::core::render::count;
use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Paper, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Sizes of paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    /// 297 × 420 mm
    A3,
    /// 210 × 297 mm
    #[default]
    A4,
    /// 148 × 210 mm
    A5,
    /// 8.5 × 11 inches
    Letter,
    /// 8.5 × 14 inches
    Legal,
}

impl Size {
    const fn millimetres(self) -> (f64, f64) {
        match self {
            Size::A3 => (297.0, 420.0),
            Size::A4 => (210.0, 297.0),
            Size::A5 => (148.0, 210.0),
            Size::Letter => (215.9, 279.4),
            Size::Legal => (215.9, 355.6),
        }
    }
}

/// Print the page to a PDF file
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[command(after_help = "Example:\n  handeye pdf page.pdf --paper letter --pages 1-2")]
pub struct Pdf {
    /// Where to save it
    file: PathBuf,
    /// Size of the paper
    #[arg(long, value_name = "SIZE", default_value = "a4")]
    #[serde(default)]
    paper: Size,
    /// Landscape orientation
    #[arg(long)]
    #[serde(default)]
    landscape: bool,
    /// Leave backgrounds white
    #[arg(long)]
    #[serde(default)]
    no_background: bool,
    /// Which pages, such as 1-3,5 [default: all]
    #[arg(long, value_name = "PAGES")]
    #[serde(default)]
    pages: Option<String>,
    /// Scale of the content, 0.1 to 2
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = crate::core::value_parsers::real("scale", 0.1..=2.0, 0.8))]
    #[serde(default = "one")]
    scale: f64,
}

fn one() -> f64 {
    1.0
}

/// What `pdf` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Printed {
    /// Where it is.
    path: String,
    /// Bytes written.
    bytes: usize,
}

impl Render for Printed {
    fn render(&self) -> String {
        format!("saved {} ({})", self.path, count(self.bytes, "byte"))
    }
}

impl Command for Pdf {
    const NAME: &'static str = "pdf";
    const EFFECT: Effect = Effect::Reads;
    type Output = Printed;

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        crate::core::args::resolve(&mut self.file)?;
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Printed, Problem> {
        if !(0.1..=2.0).contains(&self.scale) {
            return Err(Problem::new(Code::BadRequest, format!("--scale {} is not from 0.1 to 2", self.scale))
                .hint("handeye pdf page.pdf --scale 0.8"));
        }
        let paper = Paper {
            size: self.paper.millimetres(),
            landscape: self.landscape,
            background: !self.no_background,
            pages: self.pages,
            scale: self.scale,
        };
        let bytes = session.web()?.print_page(&paper).await?;
        crate::core::saved::save(&self.file, &bytes)?;
        Ok(Printed { path: self.file.display().to_string(), bytes: bytes.len() })
    }
}
