//! `cargo xtask fuzz`: many generated inputs for everything that reads what comes from outside.

use crate::run::{self, Outcome};

pub(crate) const HELP: &str = "\
Feed generated input to everything that reads what comes from outside: protocol messages, answers of the page script,
configuration, addresses, rules, captures, and the daemon's socket. Stops at the first panic or hang, with its input.
`cargo xtask test` makes a short run of the same tests.

Usage: cargo xtask fuzz [--trials N]

Options:
  --trials N   inputs for each reader (default 100000)

Exit status: 0 nothing was found, 1 something was.
";

/// The tests: package, what names the test's binary, the tests in it.
const READERS: &[(&str, &[&str], &str)] = &[
    ("handeye-engine", &["--test", "rules"], "fuzz::"),
    ("handeye-browser", &["--lib"], "fuzz::"),
    ("handeye-agent", &["--lib"], "collect::"),
    ("handeye", &["--bin", "handeye"], "fuzz::"),
    ("handeye", &["--test", "program"], "generated_lines"),
];

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, value_parser = run::parse_count)]
    trials: Option<usize>,
}

pub(crate) fn main(options: &Options) -> Outcome {
    run_all(&options.trials.map_or_else(|| "full".to_owned(), |trials| trials.to_string()))
}

/// The whole run.
pub(crate) fn everything() -> Outcome {
    run_all("full")
}

fn run_all(trials: &str) -> Outcome {
    for (package, binary, filter) in READERS {
        let mut command = run::cargo();
        command.args(["test", "--package", package]).args(*binary).arg("--").args(["--nocapture", filter]);
        run::checked(command.env("HANDEYE_TRIALS", trials))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The sources below a folder, as one text.
    fn sources(folder: &Path) -> String {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        entries.map(|e| e.path()).map(|path| if path.is_dir() { sources(&path) } else { text(&path) }).collect()
    }

    #[test]
    fn every_reader_has_its_tests() {
        for (package, binary, filter) in READERS {
            let name = package.strip_prefix("handeye-").unwrap_or("app");
            let own = run::root().join("crates").join(name);
            let folder = match binary {
                ["--test", test] => own.join("tests").join(test),
                _ => own.join("src"),
            };
            let word = filter.trim_end_matches("::");
            assert!(sources(&folder).contains(word), "{package} has no test named {filter} in {}", folder.display());
        }
    }
}
