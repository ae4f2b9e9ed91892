//! `cargo xtask bench read`: what finding text and controls in pictures of pages costs, and how much is found.

use crate::{
    eval::Kit,
    install::{self, Need},
    run::{self, Fail, Outcome},
};
use std::path::PathBuf;

const HELP: &str = "\
Measure what finding text and controls in pictures costs, and how much of what is on the pages is found.

Usage: cargo xtask bench read [--rounds N] [--check] [--missed] [--kit[=DIR] | PAGE...]

Each page (a file of HTML; without any, those of fixtures/vision; with --kit, eight of the outside evaluation kit) is shown by the installed browser in a window of 1280 by 800
pixels. Of its picture are measured, as medians of wall time and of processor time (from /proc, so on Linux only):
  first    a whole look at the text
  second   a look after a small part of it changed
  shapes   boxes, icons and their texts
and once, against what the DOM tells of the page: words read, and controls hit by the middle of a shape. At the end the peak
memory of all of it.

Options:
  --rounds N   how often (default 5)
  --kit        pages that no one here wrote: of the kit at DIR (default ../shared/evalkit), which is set up once
  --missed     say which words and controls weren't found, and what was
  --check      exit with 1 unless words are at least 95 %, controls 92 %, and a second look costs at most a quarter
";

/// Pages of the kit that show much when they are opened as files.
const KIT_PAGES: [&str; 8] = [
    "/npm/admin-lte/dist/forms/elements.html",
    "/npm/admin-lte/dist/mailbox/inbox.html",
    "/npm/admin-lte/dist/index.html",
    "/npm/admin-lte/dist/UI/general.html",
    "/npm/startbootstrap-sb-admin-2/tables.html",
    "/npm/startbootstrap-sb-admin-2/register.html",
    "/pydoc/genindex-A.html",
    "/pydoc/library/functions.html",
];

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 5, value_parser = run::parse_count)]
    rounds: usize,
    #[arg(long)]
    check: bool,
    #[arg(long, conflicts_with = "check")]
    missed: bool,
    #[arg(long, num_args = 0..=1, require_equals = true)]
    kit: Option<Option<PathBuf>>,
    #[arg(value_name = "PAGE", conflicts_with = "kit")]
    pages: Vec<PathBuf>,
}

pub(super) fn main(options: &Options) -> Outcome {
    if cfg!(windows) {
        return Err(Fail::usage("bench read shows pages as the live tests do: not on Windows"));
    }
    install::ensure(&[Need::Browser, Need::Pip])?;
    let models = install::text_models()?;
    let mode = match options {
        Options { check: true, .. } => "check",
        Options { missed: true, .. } => "missed",
        _ => "show",
    };
    let pages = match &options.kit {
        Some(kit) => {
            let kit = Kit::prepare(&kit.clone().unwrap_or_else(Kit::usual_place))?;
            KIT_PAGES.iter().map(|path| kit.file(path)).collect()
        }
        None => options.pages.clone(),
    };
    let mut read = run::cargo();
    read.args(["run", "--release", "--quiet", "-p", "handeye-vision", "--example", "read", "--"]);
    run::checked(read.args([&options.rounds.to_string(), mode]).arg(models).args(&pages))
}
