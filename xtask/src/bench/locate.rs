//! `cargo xtask bench locate`: the crosshair search with simulated judges.

use crate::run::{self, Outcome};

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

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 1000, value_parser = run::parse_count)]
    trials: usize,
}

pub(super) fn main(options: &Options) -> Outcome {
    let trials = options.trials.to_string();
    let simulation = ["run", "--release", "--quiet", "-p", "handeye-engine", "--example", "crosshair", "--", &trials];
    run::checked(run::cargo().args(simulation))
}
