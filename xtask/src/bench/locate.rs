//! `cargo xtask bench locate`: the crosshair search with simulated judges.

use crate::run::{self, Args, Outcome};

const HELP: &str = "\
Measure how often and in how many questions the crosshair search finds an element, with simulated judges.

Usage: cargo xtask bench locate [--trials N]

On random layouts of 1280 by 800 pixels, beside seed 1's rule as written and the same with bounds that propagate, in the
same run. A judge errs about each line by itself with the stated rate, any other answer alike, and about marks half as often;
its answer about marks counts as a question. `false>=0.99`: of what was returned with a confidence of 0.99 or more, how much
was wrong.

Options:
  --trials N   layouts per line (default 1000)
";

pub(super) fn main(args: &[String]) -> Outcome {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{HELP}");
        return Ok(());
    }
    let mut args = Args::new(args);
    let trials = args.number("--trials", 1000)?.to_string();
    args.operands(0)?;
    let simulation = ["run", "--release", "--quiet", "-p", "handeye-engine", "--example", "crosshair", "--", &trials];
    run::checked(run::cargo().args(simulation))
}
