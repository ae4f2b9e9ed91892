//! `cargo xtask bench desktop`: how long a look at the windows of real apps takes, beside pyatspi's at the same windows.

use super::{
    dialogs::{self, Clicks},
    figures::{holds, median},
};
use crate::{
    cleanup,
    desk::{self, Desk, PYTHON},
    procs,
    run::{self, Fail, Outcome},
};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const HELP: &str = "\
Measure how long a state of real apps' windows takes, on a display and message buses of its own (Linux).

Usage: cargo xtask bench desktop [--rounds N] [--binary PATH] [--check]

In each round each app is started anew, and looked at by a new session once it is at rest:
  first   the session's first `handeye state` of its window, on the wall, the command line's own start included
  again   the same on a window that did not change since
pyatspi then reads as much of the same windows: name, role and states of every node, closed menus among them, and the place
of what is shown. A state reads the cells in sight of tables besides, which count as nodes of its own. Nodes a second are
those of the first state against pyatspi's. Without pyatspi (Debian: python3-pyatspi) that comparison is left out, and it says so.

Then a form of each toolkit opens a dialog as often, and the click is timed that closes it, until its confirmed receipt.
All figures are medians.

Options:
  --rounds N     how often each app is started, and each dialog closed (default 3)
  --binary PATH  measure this handeye instead of building one
  --check        exit with 1 unless every figure is within its limit
";

/// What pyatspi does.
const WALK: &str = include_str!("walk.py");
/// Most that a repeated state may take, as a share of the first.
const MOST_SHARE: f64 = 1.0 / 3.0;
/// How many times as many nodes a second as pyatspi.
const LEAST_TIMES: f64 = 5.0;
/// How often a state is repeated in one round.
const AGAIN: usize = 5;
/// How long an app may take to show its window.
const START: Duration = Duration::from_secs(90);

/// An app that is measured.
struct App {
    name: &'static str,
    command: &'static [&'static str],
    /// Part of its window's process and title.
    window: &'static str,
    /// Most milliseconds that its first state may take.
    most: f64,
}

const APPS: [App; 2] = [
    App { name: "mousepad (GTK 3)", command: &["mousepad"], window: "Mousepad", most: 120.0 },
    App {
        name: "LibreOffice Calc",
        command: &["localc", "--norestore", "--nologo", "--nofirststartwizard"],
        window: "LibreOffice Calc",
        most: 1500.0,
    },
];

/// Figures of one app, over the rounds, in milliseconds.
#[derive(Default)]
struct Times {
    first: Vec<f64>,
    again: Vec<f64>,
    pyatspi: Vec<f64>,
    nodes: f64,
    /// Cells of tables, which a state reads besides.
    cells: f64,
}

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 3, value_parser = run::parse_count)]
    rounds: usize,
    #[arg(long)]
    binary: Option<PathBuf>,
    #[arg(long)]
    check: bool,
}

pub(super) fn main(options: Options) -> Outcome {
    let Options { rounds, binary, check } = options;
    if !cfg!(target_os = "linux") {
        return Err(Fail::usage("bench desktop needs X11 and AT-SPI: it runs on Linux only"));
    }
    let needed = ["Xvfb", "dbus-daemon", "openbox", "mousepad", "localc"];
    if let Some(missing) = needed.iter().find(|program| run::on_path(&[**program]).is_none()) {
        return Err(Fail::usage(format!("there is no {missing}: cargo xtask test --only install")));
    }
    if let Err(why) = run::output(Command::new(PYTHON).args(["-c", "import gi, PyQt5"])) {
        return Err(Fail::usage(format!("{why}: cargo xtask test --only install")));
    }
    let pyatspi = run::output(Command::new(PYTHON).args(["-c", "import pyatspi"])).is_ok();
    if !pyatspi {
        println!("pyatspi isn't installed (Debian: python3-pyatspi): nothing to compare with");
    }
    let binary = binary.map_or_else(|| run::build_handeye(true), Ok)?;
    let bench = Bench { binary: std::path::absolute(binary)?, desk: Desk::start()? };
    let mut missed = false;
    for app in &APPS {
        let mut times = Times::default();
        for round in 0..rounds {
            eprint!("\r{}, round {} of {rounds} ", app.name, round + 1);
            bench.round(app, pyatspi, &mut times)?;
        }
        eprint!("\r                                        \r");
        missed |= !times.print(app);
    }
    missed |= !dialogs::measure(
        &Clicks { desk: &bench.desk, handeye: &|session, words| bench.handeye(session, words) },
        rounds,
    )?;
    if check && missed {
        return Err(Fail::new("over the limit"));
    }
    Ok(())
}

impl Times {
    /// Prints an app's figures; whether all are within their limits.
    fn print(&self, app: &App) -> bool {
        let (first, again) = (median(&self.first), median(&self.again));
        let share = again / first;
        println!("{}", app.name);
        println!("  first state   {first:>8.0} ms (at most {:.0}: {})", app.most, holds(first <= app.most));
        println!(
            "  again         {again:>8.0} ms, {share:.2} of the first (at most 0.33: {})",
            holds(share <= MOST_SHARE)
        );
        let mut within = first <= app.most && share <= MOST_SHARE;
        if !self.pyatspi.is_empty() {
            let theirs = median(&self.pyatspi);
            let ours = (self.nodes + self.cells) / first * 1000.0;
            let times = ours / (self.nodes / theirs * 1000.0);
            println!(
                "  {:.0} nodes and {:.0} cells: {ours:.0} a second, pyatspi's {:.0} nodes ({theirs:.0} ms) {:.0}: {times:.1} times \
                 (at least {LEAST_TIMES}: {})",
                self.nodes,
                self.cells,
                self.nodes,
                self.nodes / theirs * 1000.0,
                holds(times >= LEAST_TIMES)
            );
            within &= times >= LEAST_TIMES;
        }
        within
    }
}

/// A desktop of our own, and the handeye that is measured on it.
struct Bench {
    binary: PathBuf,
    desk: Desk,
}

impl Bench {
    fn handeye(&self, session: &str, words: &[&str]) -> Outcome<String> {
        let mut command = self.desk.command(&self.binary);
        command.args(["--session", session]).args(words);
        let ran = run::limited(&mut command, Duration::from_secs(60))?;
        if ran.code == Some(0) {
            return Ok(ran.stdout);
        }
        Err(Fail::new(format!("handeye {} failed: {}{}", words.join(" "), ran.stdout, ran.stderr)))
    }

    /// Starts the app, looks at it as often as needed, and ends it.
    fn round(&self, app: &App, pyatspi: bool, times: &mut Times) -> Outcome {
        let session = "bench";
        self.handeye(session, &["open", "desktop:"])?;
        desk::reap(self.desk.command(app.command[0]).args(&app.command[1..]).stdout(Stdio::null()).spawn()?);
        let pid = self.window_of(session, app)?;
        let ended = cleanup::later(move || {
            // It holds nothing but what it began with.
            let _ = run::output(Command::new("kill").arg("-KILL").arg(pid.to_string()));
        });
        rest(pid);
        let state = || {
            let begun = Instant::now();
            let text = self.handeye(session, &["state", "--window", app.window])?;
            let time = begun.elapsed().as_secs_f64() * 1000.0;
            if text.contains("notice no_tree") { Err(Fail::new(text)) } else { Ok(time) }
        };
        times.first.push(state()?);
        rest(pid);
        for _ in 0..AGAIN {
            times.again.push(state()?);
        }
        let all = self.handeye(session, &["state", "--all", "--json", "--window", app.window])?;
        times.cells = all.matches("\"gridcell\"").count() as f64;
        if pyatspi {
            let told = run::output(self.desk.command(PYTHON).args(["-c", WALK, &pid.to_string()]))?;
            let figures: Vec<f64> = told.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [nodes, seconds] = figures[..] else { return Err(Fail::new(format!("pyatspi said {told:?}"))) };
            times.nodes = nodes;
            times.pyatspi.push(seconds * 1000.0);
        }
        self.handeye(session, &["sessions", "stop", session])?;
        drop(ended);
        // Until it is gone its window may be taken for that of the next round.
        let begun = Instant::now();
        while Path::new("/proc").join(pid.to_string()).exists() && begun.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Process id of the app's window, once it is there.
    fn window_of(&self, session: &str, app: &App) -> Outcome<u32> {
        let begun = Instant::now();
        loop {
            let list: Value = serde_json::from_str(&self.handeye(session, &["windows", "--json"])?)
                .map_err(|e| Fail::new(format!("windows --json: {e}")))?;
            let mut windows = list["windows"].as_array().into_iter().flatten();
            let own = windows.find(|w| w["title"].as_str().is_some_and(|title| title.contains(app.window)));
            if let Some(pid) = own.and_then(|w| w["pid"].as_u64()).and_then(|pid| u32::try_from(pid).ok()) {
                return Ok(pid);
            }
            if begun.elapsed() > START {
                return Err(Fail::new(format!("{} showed no window within {} s", app.name, START.as_secs())));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Waits until a process is at rest.
fn rest(pid: u32) {
    let begun = Instant::now();
    let mut calm = 0;
    while calm < 4 && begun.elapsed() < Duration::from_secs(30) {
        let before = procs::Usage::of(&[pid]);
        thread::sleep(Duration::from_millis(250));
        calm = if procs::Usage::of(&[pid]).since(&before) <= 5.0 { calm + 1 } else { 0 };
    }
}
