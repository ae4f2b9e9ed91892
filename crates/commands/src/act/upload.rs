//! `upload`: hand files to a file input, or to the file chooser that a click opens.

use crate::act::accept::takes;
use crate::core::acting::{act_on, was_done};
use crate::core::args::{ExpectArgs, WordyTargetArgs};
use crate::look::inspect::probe;
use crate::{Command, Effect, Session};
use handeye_engine::Action;
use handeye_engine::act::read_back::file_name;
use handeye_engine::observe::outline::quote;
use handeye_scene::{Aim, Button, Code, EditKind, Evidence, Modifiers, Problem, Receipt, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a click may take to open a file chooser.
const CHOOSER: Duration = Duration::from_secs(3);

/// Choose files in a file input, hidden or not, or in the file chooser that a click on the target opens
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
    /// Click the target, and choose the files in the file chooser that this opens
    #[arg(long)]
    #[serde(default)]
    click: bool,
    /// Allow file types that the input's accept attribute doesn't list
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

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        self.files = self.target.take_words();
        if self.files.is_empty() {
            return Err(Problem::new(Code::BadRequest, "the file to upload is missing").hint("handeye upload REF FILE"));
        }
        Ok(self)
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        self.files = self.files.iter().map(|w| absolute(w)).collect::<Result<_, _>>()?;
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let files: Vec<String> = self.files.iter().map(|w| absolute(w)).collect::<Result<_, _>>()?;
        if self.click {
            return self.choose(session, &files).await;
        }
        let (surface, memory, _) = session.parts()?;
        let input = probe(surface, memory, &self.target.target, Aim::default()).await?.1;
        if input.edit == EditKind::File {
            let accept = session.web()?.attribute(input.id, "accept").await?;
            self.check_kinds(&accept.unwrap_or_default(), &files)?;
        }
        act_on(session, &self.target.target, &self.expect, Action::Upload(files)).await
    }
}

impl Upload {
    fn check_kinds(&self, accept: &str, files: &[String]) -> Result<(), Problem> {
        let Some(wrong) = files.iter().find(|f| !self.any_kind && !takes(accept, f)) else { return Ok(()) };
        let asked = format!("the input accepts {accept}, which {wrong} is not: --any-kind uploads it all the same");
        Err(Problem::new(Code::BadRequest, asked).hint("handeye upload REF FILE --any-kind"))
    }

    /// Clicks, and hands the files to the chooser that opens.
    async fn choose(&self, session: &mut Session, files: &[String]) -> Result<Receipt, Problem> {
        session.files()?.catch_chooser().await?;
        let click = Action::Click {
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
        let name = receipt.target.as_ref().map(|t| format!("{} {}", t.role, quote(t.words(), 80))).unwrap_or_default();
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
        let settle = crate::core::session::seconds(session.settings().waits.settle);
        let surface = session.surface()?;
        let settled = surface.settle(settle).await;
        surface.rest().await;
        settled?;
        let names: Vec<&str> = files.iter().map(|f| file_name(f)).collect();
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
