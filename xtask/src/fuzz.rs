//! `cargo xtask fuzz`: many generated inputs for everything that reads what comes from outside.

use crate::run::{self, Args, Outcome};

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
    ("handeye-engine", &["--test", "fuzz"], ""),
    ("handeye-browser", &["--lib"], "fuzz::"),
    ("handeye", &["--bin", "handeye"], "fuzz::"),
    ("handeye", &["--test", "daemon"], "generated_lines"),
];

pub(crate) fn main(args: &[String]) -> Outcome {
    let mut args = Args::new(args);
    let trials = args.value("--trials")?.unwrap_or_else(|| "full".to_owned());
    args.operands(0)?;
    if trials != "full" && trials.parse::<usize>().is_err() {
        return Err(run::Fail::usage(format!("--trials takes a number, and `{trials}` is none")));
    }
    for (package, binary, filter) in READERS {
        let mut command = run::cargo();
        command.args(["test", "--package", package]).args(*binary).arg("--").args(["--nocapture", filter]);
        run::checked(command.env("HANDEYE_TRIALS", &trials))?;
    }
    Ok(())
}
