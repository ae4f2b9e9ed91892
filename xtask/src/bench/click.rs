//! `cargo xtask bench click`: how long an action takes until its receipt, beside another build of handeye.

use super::figures::median;
use crate::{
    cleanup,
    run::{self, Fail, Outcome},
    site::Site,
};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

const HELP: &str = "\
Measure how long an action on a page takes until its confirmed receipt, the command line's own start included.

Usage: cargo xtask bench click [--rounds N] [--binary PATH] [--against PATH]

Each build has a session and a browser of its own, and looks at the same page. In each round each does each action once, in
an order that turns with the round. What isn't confirmed is an error. Figures are medians, in milliseconds on the wall, with
the least and the most; the ratio is that of the medians.

Options:
  --rounds N      how often (default 25)
  --binary PATH   measure this handeye instead of building one
  --against PATH  measure this one, too, such as a build of an earlier commit
";

/// Longest that one command may take.
const LIMIT: Duration = Duration::from_secs(60);
/// So many rounds come before those that count.
const WARM: usize = 3;

/// An action: its name, its command, what it acts on by a selector, and what stands behind that.
struct Action {
    name: &'static str,
    command: fn(usize) -> &'static str,
    css: &'static str,
    rest: fn(usize) -> Option<String>,
}

const ACTIONS: [Action; 4] = [
    Action { name: "click a button", command: |_| "click", css: "#more", rest: |_| None },
    Action {
        name: "check a box",
        command: |round| if round.is_multiple_of(2) { "check" } else { "uncheck" },
        css: "#keep",
        rest: |_| None,
    },
    Action { name: "put in a text", command: |_| "input", css: "#name", rest: |round| Some(format!("name {round}")) },
    Action { name: "click a link", command: |_| "click", css: "#link", rest: |_| None },
];

const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Actions</title>
<button id=more onclick=\"out.textContent = ++count + ' more'\">More</button>
<label><input id=keep type=checkbox> Keep</label> <label>Name <input id=name></label>
<a id=link href=\"#0\" onclick=\"hash.textContent = 'to ' + ++count; this.hash = '#' + count\">Next</a>
<output id=out></output> <output id=hash></output><script>let count = 0</script></html>
";

/// A build, in a session of its own.
struct Build {
    binary: PathBuf,
    session: String,
    refs: Vec<String>,
    times: Vec<Vec<f64>>,
    _close: cleanup::Later,
}

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 25, value_parser = run::parse_count)]
    rounds: usize,
    #[arg(long)]
    binary: Option<PathBuf>,
    #[arg(long)]
    against: Option<PathBuf>,
}

pub(super) fn main(options: Options) -> Outcome {
    let Options { rounds, binary, against } = options;
    let binary = binary.map_or_else(|| run::build_handeye(true), Ok)?;
    let (folder, _folder) = run::scratch("click")?;
    std::fs::write(folder.join("index.html"), PAGE)?;
    let site = Site::serve(&folder)?;
    let url = format!("http://127.0.0.1:{}/index.html", site.port());
    let binaries = std::iter::once(binary).chain(against);
    let mut builds: Vec<Build> =
        binaries.enumerate().map(|(n, binary)| Build::open(&binary, n, &url)).collect::<Outcome<_>>()?;
    for round in 0..rounds + WARM {
        eprint!("\rround {} of {}", round + 1, rounds + WARM);
        let turned = round.is_multiple_of(2);
        for (n, action) in ACTIONS.iter().enumerate() {
            let order: Vec<usize> =
                if turned { (0..builds.len()).collect() } else { (0..builds.len()).rev().collect() };
            for at in order {
                let took = builds[at].act(n, action, round)?;
                if round >= WARM {
                    builds[at].times[n].push(took);
                }
            }
        }
    }
    eprint!("\r                              \r");
    print(&builds);
    Ok(())
}

impl Build {
    fn open(binary: &Path, n: usize, url: &str) -> Outcome<Self> {
        let binary = std::path::absolute(binary)?;
        let session = format!("bench-click-{}-{n}", std::process::id());
        let mut close = Command::new(&binary);
        close.args(["--session", &session, "close"]);
        let close = cleanup::later(move || {
            // Without a session there is nothing to close.
            let _ = run::limited(&mut close, Duration::from_secs(20));
        });
        let mut build =
            Self { binary, session, refs: Vec::new(), times: vec![Vec::new(); ACTIONS.len()], _close: close };
        build.told(&["open", url])?;
        for action in &ACTIONS {
            let found = build.told(&["find", "--css", action.css])?;
            build.refs.push(found["targets"][0]["ref"].to_string());
        }
        Ok(build)
    }

    /// What a command tells.
    fn told(&self, words: &[&str]) -> Outcome<Value> {
        let mut command = Command::new(&self.binary);
        command.args(["--session", &self.session, "--json"]).args(words);
        let ran = run::limited(&mut command, LIMIT)?;
        let amiss = || Fail::new(format!("handeye {} failed: {}{}", words.join(" "), ran.stdout, ran.stderr));
        let told: Value = serde_json::from_str(&ran.stdout).map_err(|_| amiss())?;
        if ran.code == Some(0) { Ok(told) } else { Err(amiss()) }
    }

    /// Does an action; says how many milliseconds that took.
    fn act(&self, n: usize, action: &Action, round: usize) -> Outcome<f64> {
        let (command, rest) = ((action.command)(round), (action.rest)(round));
        let mut words = vec![command, self.refs[n].as_str()];
        words.extend(rest.as_deref());
        let begun = Instant::now();
        let told = self.told(&words)?;
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        if told["verdict"] != "confirmed" {
            return Err(Fail::new(format!("handeye {}: {told}", words.join(" "))));
        }
        Ok(took)
    }
}

fn print(builds: &[Build]) {
    println!("{:<16}{:>24}{:>24}{:>8}", "", "median (least to most)", "against", "ratio");
    for (n, action) in ACTIONS.iter().enumerate() {
        let figures = |build: &Build| {
            let least = build.times[n].iter().copied().fold(f64::INFINITY, f64::min);
            let most = build.times[n].iter().copied().fold(0.0, f64::max);
            format!("{:.0} ms ({least:.0} to {most:.0})", median(&build.times[n]))
        };
        print!("{:<16}{:>24}", action.name, figures(&builds[0]));
        match builds.get(1) {
            Some(other) => {
                println!("{:>24}{:>8.2}", figures(other), median(&builds[0].times[n]) / median(&other.times[n]));
            }
            None => println!(),
        }
    }
}
