//! `cargo xtask bench read`: what finding text and controls in pictures of pages costs, and how much is found.

use crate::{
    install::{self, Need},
    run::{self, Fail, Outcome},
};
use std::path::PathBuf;

const HELP: &str = "\
Measure what finding text and controls in pictures costs, and how much of what is on the pages is found.

Usage: cargo xtask bench read [--rounds N] [--check] [PAGE...]

Each page (a file of HTML; without any, those of fixtures/vision) is shown by the installed browser in a window of 1280 by 800
pixels. Of its picture are measured, as medians of wall time and of processor time (from /proc, so on Linux only):
  first    a whole look at the text
  second   a look after a small part of it changed
  shapes   boxes, icons and their texts
and once, against what the DOM tells of the page: words read, and controls hit by the middle of a shape. At the end the peak
memory of all of it.

Options:
  --rounds N   how often (default 5)
  --check      exit with 1 unless words are at least 95 %, controls 92 %, and a second look costs at most a quarter
";

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 5, value_parser = run::parse_count)]
    rounds: usize,
    #[arg(long)]
    check: bool,
    #[arg(value_name = "PAGE")]
    pages: Vec<PathBuf>,
}

pub(super) fn main(options: &Options) -> Outcome {
    if cfg!(windows) {
        return Err(Fail::usage("bench read shows pages as the live tests do: not on Windows"));
    }
    install::ensure(&[Need::Browser, Need::Pip])?;
    let models = install::text_models()?;
    let mode = if options.check { "check" } else { "show" };
    let mut read = run::cargo();
    read.args(["run", "--release", "--quiet", "-p", "handeye-vision", "--example", "read", "--"]);
    run::checked(read.args([&options.rounds.to_string(), mode]).arg(models).args(&options.pages))
}
