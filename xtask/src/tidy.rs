//! `cargo xtask tidy`: the rules that no compiler checks.
//!
//! `rules` holds the tables and the rules, each a function from files to findings; `source` tells code from comments,
//! strings and tests. The tests beside them begin with examples that must be found.

mod circles;
mod cited;
mod finding;
mod rooms;
mod rules;
mod sizes;
mod source;
#[cfg(test)]
mod tests;

use crate::run::{self, Fail, Outcome};
use source::File;
use std::{collections::BTreeSet, path::Path, process::Command};

pub(crate) const HELP: &str = "\
Check the rules that no compiler checks.

Usage: cargo xtask tidy

Rules:
  order       crates depend on each other only in the order of ARCHITECTURE.md: scene <- engine <- commands <- server <- app, ...
  never       what a crate must never contain: sockets in scene, clocks in engine, printing outside app, ...
  unwrap      no unwrap() outside tests; expect() only under a comment that opens with `invariant:`
  docs        every Rust file opens with what it is (//!)
  length      no file grows past its limit
  names       nothing is called utils, common, manager or helpers
  unfinished  no marks for work left to do, no test left out
  paths       no paths of one machine
  circles     no files of a crate, and no modules of the page script, import each other
  sizes       no type that changes itself has more than 12 fields, and none more than 30 methods
  rooms       no folder of a crate imports one that stands above it
  tested      every command has a live test that names it
  cited       tests that SECURITY.md names exist, and paths that ARCHITECTURE.md and CONTRIBUTING.md name

A finding is printed as path:line: rule: what. Exit status 1 when there is one.
";

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {}

pub(crate) fn main() -> Outcome {
    check(&run::root())
}

/// Checks the files that git tracks or would track under `root`.
pub(crate) fn check(root: &Path) -> Outcome {
    let listed = run::output(
        Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]).current_dir(root),
    )?;
    let paths: BTreeSet<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    // A file that isn't text, or is gone from the work tree, holds nothing to check.
    let files: Vec<File> = paths
        .iter()
        .filter_map(|path| std::fs::read_to_string(root.join(path)).ok().map(|text| File::new(path, &text)))
        .collect();
    let findings = rules::all(&files);
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        println!("{} files, nothing to say", files.len());
        return Ok(());
    }
    Err(Fail::new(format!("{} findings", findings.len())))
}
