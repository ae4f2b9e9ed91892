//! `cargo xtask test`: every check and test, fail fast.

use crate::{
    cleanup, extension, fuzz, generate, install,
    install::Need,
    procs,
    run::{self, Fail, Outcome},
    slowest,
    steps::Steps,
    tidy, wine,
};
use std::{path::Path, process::Command};

pub(crate) const HELP: &str = "\
Install what is missing, then run every check and test. Stops at the first that fails.

Usage: cargo xtask test [--full] [--only STEPS] [--skip STEPS] [-- NEXTEST_ARGS]
       cargo xtask test --windows [--full] [--only STEPS] [--skip STEPS] [-- CARGO_TEST_ARGS]

Steps, in order:
  install   browser, fonts, Node.js, Python, PostgreSQL, a desktop and its apps (with apt on Debian; elsewhere says what to install),
            cargo-deny, cargo-nextest, TypeScript, the weights of the text models, the clients of the Model Context Protocol
            from npm and PyPI, the test runner of Playwright from npm
  fmt       cargo fmt --check
  clippy    no warnings in any target
  tidy      the project's own rules (cargo xtask tidy)
  deny      licenses, sources and duplicates of the dependencies
  tsc       types of the page script and of the browser extension
  generate  generated files are up to date
  test      unit, contract, live-browser and live-desktop tests (cargo nextest run --workspace) with
            the browser extension built anew, then the ten that took longest
  fuzz      with --full and no NEXTEST_ARGS: many generated inputs for every reader (cargo xtask fuzz)
  windows   the same: what there is for Windows (cargo xtask test --windows --full)

`--windows` runs, instead, what there is for Windows, under Wine (with apt on Debian). Its steps, in order:
  install   Debian's Rust with the sources of the standard library, a linker for Windows, Wine and Xvfb: 2 GB
  prefix    a Windows of its own for Wine, in the target folder
  clippy    no warnings in what is built for Windows, UI Automation included
  test      tests of the backend of window messages, on a small program of ours and on Wine's notepad

Options:
  --windows      the Windows side, under Wine
  --full         the long tests too, every case of the tables and every race, where a sample is tried otherwise: hours,
                 not minutes. The tests are told by HANDEYE_TRIALS=full; a number there in place of `full` makes so many races
  --only STEPS   only these, separated by commas
  --skip STEPS   all but these
  -- ARGS        handed to cargo nextest run (with --windows to cargo test), such as `-- --test web forms::`; long tests that
                 they select run as well. `-- --run-ignored all`: all tests, and of tables a sample

Exit status: 0 all passed, 1 something failed, 2 something is missing.
";

const STEPS: &[&str] = &["install", "fmt", "clippy", "tidy", "deny", "tsc", "generate", "test"];
/// What follows them with `--full`.
const FULL: &[&str] = &["fuzz", "windows"];

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long)]
    windows: bool,
    #[arg(long)]
    full: bool,
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    #[arg(long, value_delimiter = ',')]
    skip: Vec<String>,
    /// For the program that runs the tests
    #[arg(last = true)]
    extra: Vec<String>,
}

pub(crate) fn main(options: Options) -> Outcome {
    let Options { windows, full, only, skip, extra } = options;
    let known = match (windows, full) {
        (true, _) => wine::STEPS.to_vec(),
        (false, true) => [STEPS, FULL].concat(),
        (false, false) => STEPS.to_vec(),
    };
    let known = &known[..];
    let (only, skip) = (list(&only, known)?, list(&skip, known)?);
    if windows {
        return wine::test(only, skip, &extra, full);
    }

    let whole = only.is_empty() && skip.is_empty();
    // Who asks for some tests wants no others.
    let everything = full && extra.is_empty();
    let mut steps = Steps::new(only, skip);
    steps.step("install", || {
        for component in ["fmt", "clippy"] {
            run::output(run::cargo().args([component, "--version"])).map_err(|_| {
                Fail::usage(format!("cargo {component} is missing: rustup component add rustfmt clippy"))
            })?;
        }
        let mut needs = vec![
            Need::Browser,
            Need::LatinFont,
            Need::ChineseFont,
            Need::Node,
            Need::Python,
            Need::Desktop,
            Need::OpenSsl,
            Need::Pip,
            Need::Postgres,
        ];
        needs.extend(everything.then_some(Need::Wine));
        // The tools are built while packages come over the network.
        std::thread::scope(|scope| {
            let tools = scope.spawn(|| install::cargo_deny().and_then(|_| install::cargo_nextest()));
            install::ensure(&needs)?;
            tools.join().unwrap_or_else(|_| Err(Fail::usage("building cargo-deny or cargo-nextest ended at once")))
        })?;
        install::tsc()?;
        install::text_models()?;
        install::mcp_clients()?;
        install::agui_client()?;
        install::playwright()
    })?;
    steps.step("fmt", || run::checked(run::cargo().args(["fmt", "--all", "--", "--check"])))?;
    steps.step("clippy", || {
        run::checked(run::cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))
    })?;
    steps.step("tidy", || tidy::check(&run::root()))?;
    steps.step("deny", || {
        let deny = install::cargo_deny()?;
        // deny reads the manifests of every platform's crates, and reads them offline; a build fetches this platform's alone.
        run::checked(run::cargo().args(["fetch", "--locked", "--quiet"]))?;
        let words = ["--offline", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"];
        run::checked(Command::new(deny).args(words).current_dir(run::root()))
    })?;
    steps.step("tsc", || {
        run::checked(install::tsc()?.args(["-p", "crates/browser/page"]))?;
        run::checked(install::tsc()?.args(["-p", "extension", "--noEmit"]))
    })?;
    steps.step("generate", || generate::generate(true))?;
    steps.step("test", || {
        let profile = if full { "full" } else { "default" };
        // Its tests load it as it is now.
        extension::build()?;
        let mut built = Command::new(install::cargo_nextest()?);
        run::apart(&mut built).args(["nextest", "run", "--workspace", "--no-run"]).current_dir(run::root());
        // What the build starts and leaves running, as a cache of compilers, isn't the tests'.
        run::checked(&mut built)?;
        let (folder, _gone) = run::scratch_of_tests()?;
        let _ended = ended_later(&folder);
        let mut tests = Command::new(install::cargo_nextest()?);
        tests.env(FOLDER, &folder);
        run::apart(&mut tests).args(["nextest", "run", "--workspace", "--profile", profile]).current_dir(run::root());
        tests.args(long_ones(full, &extra)).args(&extra);
        let outcome = run::checked(run::all_trials(&mut tests, full));
        slowest::print(profile)?;
        outcome
    })?;
    if everything {
        steps.step("fuzz", fuzz::everything)?;
        steps.step("windows", || wine::test(Vec::new(), vec!["install".to_owned()], &[], true))?;
    }
    steps.summary();
    println!("\n{}", if whole { "all passed" } else { "every step that was run passed" });
    Ok(())
}

/// Whether the long tests (`#[ignore = "long: …"]`) run as well: with `--full`, and where some tests are asked for, which may be
/// among them.
fn long_ones(full: bool, extra: &[String]) -> &'static [&'static str] {
    let said = extra.iter().any(|word| word.split('=').next() == Some("--run-ignored"));
    let some = extra.iter().any(|word| !word.starts_with('-'));
    if !said && (full || some) { &["--run-ignored", "all"] } else { &[] }
}

/// Where the tests make their folders, as a variable of their environment.
const FOLDER: &str = "TMPDIR";

/// Ends what tests have left behind, which is told by the folder that was made for them: one that is interrupted ends at once,
/// and its session with its browser doesn't.
fn ended_later(folder: &Path) -> cleanup::Later {
    let mark = format!("{FOLDER}={}", folder.display());
    // What is ended may have begun another just before.
    cleanup::later(move || (0..3).for_each(|_| procs::end_below(&mark)))
}

fn list(names: &[String], known: &[&str]) -> Outcome<Vec<String>> {
    let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(odd) => Err(Fail::usage(format!("no step `{odd}`; steps are {}", known.join(", ")))),
        None => Ok(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tests_run_in_full_or_where_they_are_asked_for() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let all: &[&str] = &["--run-ignored", "all"];
        assert_eq!(long_ones(false, &[]), [""; 0]);
        assert_eq!(long_ones(true, &[]), all);
        assert_eq!(long_ones(false, &words("--test web forms::")), all);
        assert_eq!(long_ones(false, &words("--no-fail-fast")), [""; 0]);
        assert_eq!(long_ones(false, &words("--run-ignored only")), [""; 0]);
        assert_eq!(long_ones(true, &words("--run-ignored=default forms::")), [""; 0]);
    }
}
