//! `upload`: hand files to a file input.

use crate::acting::act_on;
use crate::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::Deed;
use handeye_scene::{Code, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hand files to a file input
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    override_usage = "handeye upload [OPTIONS] REF FILE...\n       handeye upload [OPTIONS] --css SELECTOR FILE..."
)]
pub struct Upload {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Paths of the files
    #[arg(skip)]
    files: Vec<String>,
}

impl Command for Upload {
    const NAME: &'static str = "upload";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;

    fn tidy(mut self) -> Result<Self, Problem> {
        let words = self.target.take_words();
        if words.is_empty() {
            return Err(Problem::new(Code::BadRequest, "the file to upload is missing").hint("handeye upload REF FILE"));
        }
        // The daemon has a working folder of its own, so paths are made absolute here.
        self.files = words.iter().map(|w| absolute(w)).collect::<Result<_, _>>()?;
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let files = self.files.iter().map(|w| absolute(w)).collect::<Result<_, _>>()?;
        act_on(session, &self.target.target, &self.expect, Deed::Upload(files)).await
    }
}

fn absolute(path: &str) -> Result<String, Problem> {
    let found = std::fs::canonicalize(path)
        .map_err(|e| Problem::new(Code::File, format!("can't read the file {path}: {e}")))?;
    if !found.is_file() {
        return Err(Problem::new(Code::File, format!("{path} is not a file")));
    }
    found.into_os_string().into_string().map_err(|p| {
        Problem::new(
            Code::File,
            format!("the path {} is not valid UTF-8, which the browser needs", p.to_string_lossy()),
        )
    })
}
