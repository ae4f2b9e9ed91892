//! Chores of the project: `cargo xtask test`, `demo`, `tidy`, `generate`, `bench`, `eval`, `fuzz`,
//! `extension`, `pictures`, `release`.
//!
//! It drives the `handeye` binary and other tools as a person at a shell would, so it depends on none of the
//! project's crates. It must stay quick to build: few dependencies, no async runtime. Start reading at
//! [`Chore`]; what the commands share is in `run` (child processes), `install` (what the machine lacks),
//! `cleanup` (nothing stays behind) and `site` (the pages of the demo).

// It is a program at a shell: printing is what it is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod cdp;
mod cleanup;
mod demo;
mod desk;
mod eval;
mod extension;
mod fuzz;
mod generate;
mod install;
mod picture;
mod pictures;
mod procs;
mod release;
mod run;
mod site;
mod slowest;
mod steps;
mod tasks;
mod test;
mod tidy;
mod wine;
mod zip;

use clap::{Parser, Subcommand};
use run::{Fail, Outcome};
use std::process::ExitCode;

/// Chores of the project
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Install what is missing, then run every check and test
    Test(test::Options),
    /// Install what is missing, build, and do a whole job in a real browser
    Demo(demo::Options),
    /// Check the rules that no compiler checks
    Tidy(tidy::Options),
    /// Write the files generated from the commands' declarations
    Generate(generate::Options),
    /// Measure the cost of a state against a bare walk of the page
    Bench(bench::Options),
    /// Run the judged task set, or the outside evaluation kit: MiniWoB tasks and real pages
    Eval(eval::Options),
    /// Feed generated input to everything that reads what comes from outside
    Fuzz(fuzz::Options),
    /// Build the browser extension
    Extension(extension::Options),
    /// Draw the annotated pictures of the docs anew
    Pictures(pictures::Options),
    /// Make the archive of a release
    Release(release::Options),
}

fn main() -> ExitCode {
    let chore = Cli::parse().chore;
    cleanup::on_interrupt();
    let outcome = run_chore(chore);
    // What ended as the interruption ended it isn't an outcome, and who cleans up isn't through yet.
    cleanup::hold_if_interrupted();
    cleanup::run_all();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Fail { message, code }) => {
            eprintln!("\nxtask: {message}");
            ExitCode::from(code)
        }
    }
}

fn run_chore(chore: Chore) -> Outcome {
    match chore {
        Chore::Test(options) => test::main(options),
        Chore::Demo(options) => demo::main(options),
        Chore::Tidy(tidy::Options {}) => tidy::main(),
        Chore::Generate(options) => generate::main(&options),
        Chore::Bench(options) => bench::main(options),
        Chore::Eval(options) => eval::main(options),
        Chore::Fuzz(options) => fuzz::main(&options),
        Chore::Extension(extension::Options {}) => extension::main(),
        Chore::Pictures(options) => pictures::main(options),
        Chore::Release(options) => release::main(&options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Chore, i32> {
        let words = std::iter::once("xtask").chain(line.split_whitespace());
        Cli::try_parse_from(words).map(|cli| cli.chore).map_err(|e| e.exit_code())
    }

    #[test]
    fn every_chore_takes_its_options_and_no_others() {
        Cli::command().debug_assert();
        for line in [
            "test --full --only fmt,clippy --skip=tidy -- forms:: --no-capture",
            "test --windows",
            "demo http://localhost/ --release",
            "tidy",
            "extension",
            "generate --check",
            "bench --rounds 3 --rows=20 --binary target/handeye --check",
            "bench click --against old",
            "bench desktop --rounds 1",
            "bench collect --pages 3 --check",
            "bench locate --trials 10",
            "eval --tasks --only file/task --check",
            "eval --kit dir --seeds 1-5 --miniwob a,b --compare",
            "fuzz --trials 5",
            "release --binary target/debug/handeye --out dist",
        ] {
            assert!(parse(line).is_ok(), "{line}");
        }
        for line in [
            "",
            "nosuch",
            "tidy more",
            "extension more",
            "demo a b",
            "fuzz --trials 0",
            "bench --rounds none",
            "eval --kit",
            "test forms",
        ] {
            assert_eq!(parse(line).err(), Some(2), "{line}");
        }
    }
}
