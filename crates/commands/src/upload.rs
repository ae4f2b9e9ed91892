//! `upload`: hand files to a file input, or to the file chooser that a click opens.

use crate::accept::takes;
use crate::acting::{act_on, was_done};
use crate::args::{ExpectArgs, WordyTargetArgs};
use crate::inspect::probe;
use crate::{Command, Effect, Session};
use handeye_engine::Deed;
use handeye_engine::judge;
use handeye_engine::outline::quote;
use handeye_scene::{Aim, Button, Code, EditKind, Evidence, Modifiers, Problem, Receipt, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a click may take to open a file chooser.
const CHOOSER: Duration = Duration::from_secs(3);

/// Hand files to a file input, hidden or not, or to the file chooser that a click on the target opens
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    override_usage = "handeye upload [OPTIONS] REF FILE...\n       handeye upload [OPTIONS] --css SELECTOR FILE...",
    after_help = "Examples:\n  handeye upload 4 photo.png\n  handeye upload 9 photo.png --click     [9] is a button that opens a file chooser"
)]
pub struct Upload {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Click the target, and hand the files to the file chooser that this opens
    #[arg(long)]
    #[serde(default)]
    click: bool,
    /// Hand over files of kinds that the input doesn't ask for
    #[arg(long)]
    #[serde(default)]
    any_kind: bool,
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
        let files: Vec<String> = self.files.iter().map(|w| absolute(w)).collect::<Result<_, _>>()?;
        if self.click {
            return self.choose(session, &files).await;
        }
        let (surface, eye, _) = session.parts()?;
        let input = probe(surface, eye, &self.target.target, Aim::default()).await?.1;
        if input.edit == EditKind::File {
            let accept = session.web()?.attribute(input.id, "accept").await?;
            self.check_kinds(&accept.unwrap_or_default(), &files)?;
        }
        act_on(session, &self.target.target, &self.expect, Deed::Upload(files)).await
    }
}

impl Upload {
    fn check_kinds(&self, accept: &str, files: &[String]) -> Result<(), Problem> {
        let Some(wrong) = files.iter().find(|f| !self.any_kind && !takes(accept, f)) else { return Ok(()) };
        let asked = format!("the input asks for {accept}, which {wrong} is not: with --any-kind it is handed over");
        Err(Problem::new(Code::BadRequest, asked).hint("handeye upload REF FILE --any-kind"))
    }

    /// Clicks, and hands the files to the chooser that opens.
    async fn choose(&self, session: &mut Session, files: &[String]) -> Result<Receipt, Problem> {
        session.files()?.catch_chooser().await?;
        let click = Deed::Click {
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::default(),
            by: handeye_engine::ClickBy::Pointer,
            offset: None,
        };
        let mut receipt = act_on(session, &self.target.target, &self.expect, click.clone()).await?;
        if !was_done(&receipt, &click) {
            return Ok(receipt);
        }
        let chooser = session.files()?.chooser(CHOOSER).await?;
        let name = receipt.target.as_ref().map(|t| format!("{} {}", t.role, quote(&t.name, 80))).unwrap_or_default();
        let Some(chooser) = chooser else {
            return Err(Problem::new(Code::Unsupported, format!("{name} was clicked, and opened no file chooser"))
                .hint("handeye state --all"));
        };
        if files.len() > 1 && !chooser.multiple {
            return Err(Problem::new(
                Code::Unsupported,
                "the file chooser that opened takes one file, and several were given",
            )
            .hint("handeye upload REF FILE --click"));
        }
        self.check_kinds(&chooser.accept, files)?;
        session.files()?.choose_files(files).await?;
        let settle = crate::session::seconds(session.settings().waits.settle);
        let surface = session.surface()?;
        let settled = surface.settle(settle).await;
        surface.rest().await;
        settled?;
        let names: Vec<&str> = files.iter().map(|f| judge::file_name(f)).collect();
        receipt.evidence.push(Evidence::Note { text: format!("its file chooser was given {}", names.join(", ")) });
        (receipt.verdict, receipt.reason) = (Verdict::Confirmed, None);
        Ok(receipt)
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
