//! `cargo xtask bench`: what a state costs, against a bare walk of the same page in the same browser, in the same run.

mod chat;
mod click;
mod collect;
mod desktop;
mod dialogs;
mod figures;
mod locate;
mod mcp;
mod page;
mod parts;
mod peers;
mod read;
mod sizes;

use crate::{
    cdp::{Browser, Page},
    cleanup,
    procs::{self, Usage},
    run::{self, Fail, Outcome},
    site::Site,
};
use figures::{holds, median};
use page::{WALK, table};
use serde_json::json;
use std::{
    io::Read,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

pub(crate) const HELP: &str = "\
Measure what a state costs, on a page of table rows each with a link, a button and a checkbox.

Usage: cargo xtask bench [--rounds N] [--rows N] [--binary PATH] [--check]
       cargo xtask bench desktop [--rounds N] [--binary PATH] [--check]
       cargo xtask bench click [--rounds N] [--binary PATH] [--against PATH]
       cargo xtask bench chat [--streams N] [--binary PATH] [--check]
       cargo xtask bench collect [--pages N] [--binary PATH] [--check]
       cargo xtask bench locate [--trials N] [--check]
       cargo xtask bench peers [--rounds N] [--rows N] [--binary PATH]
       cargo xtask bench read [--rounds N] [--check] [--missed] [--kit[=DIR] | PAGE...]

`desktop` measures the windows of a Linux desktop instead, `click` actions until their receipts, `chat` many streams of the
chat backend at once, `collect` pages of a list, `locate` the crosshair search with simulated judges, `peers` today's tools on the same pages, `read` text and controls found in pictures; each
has a `--help` of its own.

In one browser and one run it compares, by the processor time of all its processes (from /proc, so on Linux only):
  walk       a bare script that walks the page and returns tag, text and rect of the same elements
  state      `handeye state`, page script and protocol included
  snapshot   DOMSnapshot.captureSnapshot
  axtree     Accessibility.getFullAXTree
`first` is the first time after the page was loaded, `again` on a page that did not change since. It also prints the
processor time and memory of handeye itself, what handeye adds to loading the page, what is asked after a first state
(a state with one row changed, a search, a part of the list), how the cost grows from 600 to 60000 controls, and what a
warm `get title` costs more than `handeye version`. All figures are medians.

Options:
  --rounds N     how often the page is loaded anew (default 9)
  --rows N       rows of the table (default 2000)
  --binary PATH  measure this handeye instead of building one
  --check        exit with 1 unless state costs at most 2.5 walks and `get title` at most 5 ms more than `version`
";

/// Most that a state may cost, in walks.
const MOST_WALKS: f64 = 2.5;
/// Most that a warm `get title` may cost more than `version`, in milliseconds.
const MOST_MS: f64 = 5.0;
/// How often a thing is repeated on an unchanged page in one round.
const AGAIN: usize = 4;
/// How often the two short commands are run, in turn.
const SHORT: usize = 60;

#[derive(Debug, clap::Args)]
#[command(override_help = HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    other: Option<Other>,
    #[arg(long, default_value_t = 9, value_parser = run::parse_count)]
    rounds: usize,
    #[arg(long, default_value_t = 2000, value_parser = run::parse_count)]
    rows: usize,
    #[arg(long)]
    binary: Option<PathBuf>,
    #[arg(long)]
    check: bool,
}

/// What else is measured.
#[derive(Debug, clap::Subcommand)]
enum Other {
    Chat(chat::Options),
    Desktop(desktop::Options),
    Click(click::Options),
    Collect(collect::Options),
    Locate(locate::Options),
    Peers(peers::Options),
    Read(read::Options),
}

pub(crate) fn main(options: Options) -> Outcome {
    let Options { other, rounds, rows, binary, check } = options;
    match other {
        Some(Other::Chat(options)) => return chat::main(options),
        Some(Other::Desktop(options)) => return desktop::main(options),
        Some(Other::Click(options)) => return click::main(options),
        Some(Other::Collect(options)) => return collect::main(options),
        Some(Other::Locate(options)) => return locate::main(options),
        Some(Other::Peers(options)) => return peers::main(options),
        Some(Other::Read(options)) => return read::main(&options),
        None => {}
    }
    if !cfg!(target_os = "linux") {
        return Err(Fail::usage("bench reads /proc: it runs on Linux only"));
    }
    let binary = binary.map_or_else(|| run::build_handeye(true), Ok)?;
    let mut bench = Bench::new(binary, rows)?;
    println!("{rows} rows, {} elements, {rounds} rounds", 3 * rows);
    let ratio = bench.states(rounds)?;
    bench.parts(rounds)?;
    let more = bench.short_commands()?;
    bench.sizes(rounds.min(3))?;
    if check && (ratio > MOST_WALKS || more > MOST_MS) {
        return Err(Fail::new("over the limit"));
    }
    Ok(())
}

/// What one thing cost in one browser, over the rounds.
#[derive(Default)]
struct Cost {
    first: Vec<f64>,
    again: Vec<f64>,
    wall: Vec<f64>,
    bytes: usize,
}

struct Bench {
    binary: PathBuf,
    session: String,
    mark: String,
    rows: usize,
    url: String,
    folder: PathBuf,
    // Dropped in this order: the session ends before its browser.
    _close: cleanup::Later,
    page: Page,
    browser: Browser,
    _guards: (Site, cleanup::Later),
}

impl Bench {
    fn new(binary: PathBuf, rows: usize) -> Outcome<Self> {
        let (folder, folder_guard) = run::scratch("rows")?;
        std::fs::write(folder.join("index.html"), table(rows))?;
        let site = Site::serve(&folder)?;
        let url = format!("http://127.0.0.1:{}/index.html", site.port());
        let browser = Browser::launch()?;
        let page = browser.page()?;
        let id = std::process::id();
        let (session, mark) = (format!("bench-{id}"), format!("HANDEYE_BENCH_MARK={id}"));
        let mut close = Command::new(&binary);
        close.args(["--session", &session, "close"]);
        let close = cleanup::later(move || {
            // Without a session there is nothing to close.
            let _ = run::limited(&mut close, Duration::from_secs(20));
        });
        let guards = (site, folder_guard);
        Ok(Self { binary, session, mark, rows, url, folder, _close: close, page, browser, _guards: guards })
    }

    fn handeye(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(["--session", &self.session]).args(words);
        if let Some((name, value)) = self.mark.split_once('=') {
            command.env(name, value);
        }
        command
    }

    fn browser_usage(&self) -> Usage {
        Usage::of(&procs::family(self.browser.pid))
    }

    /// Waits until the browser is at rest.
    fn rest(&self) {
        let begun = Instant::now();
        let mut calm = 0;
        while calm < 3 && begun.elapsed() < Duration::from_secs(20) {
            let before = self.browser_usage();
            thread::sleep(Duration::from_millis(150));
            calm = if self.browser_usage().since(&before) <= 5.0 { calm + 1 } else { 0 };
        }
    }

    /// Processor time of the browser for `times` runs of `act`, each, and its wall time.
    fn measure<T>(&mut self, times: usize, mut act: impl FnMut(&mut Self) -> Outcome<T>) -> Outcome<(f64, f64, T)> {
        self.rest();
        let (before, begun) = (self.browser_usage(), Instant::now());
        let mut last = act(self)?;
        for _ in 1..times {
            last = act(self)?;
        }
        let wall = begun.elapsed().as_secs_f64() * 1000.0 / times as f64;
        // What the browser still does because of it belongs to it.
        thread::sleep(Duration::from_millis(100));
        Ok((self.browser_usage().since(&before) / times as f64, wall, last))
    }

    fn first(&mut self, cost: &mut Cost, act: impl FnMut(&mut Self) -> Outcome<usize>) -> Outcome {
        let url = self.url.clone();
        self.page.load(&url)?;
        let (cpu, wall, bytes) = self.measure(1, act)?;
        cost.first.push(cpu);
        cost.wall.push(wall);
        cost.bytes = bytes;
        Ok(())
    }

    fn both(&mut self, cost: &mut Cost, mut act: impl FnMut(&mut Self) -> Outcome<usize>) -> Outcome {
        self.first(cost, &mut act)?;
        cost.again.push(self.measure(AGAIN, act)?.0);
        Ok(())
    }

    /// Prints the table of states; returns what the first state costs, in walks.
    fn states(&mut self, rounds: usize) -> Outcome<f64> {
        let url = self.url.clone();
        let load = |bench: &mut Self| bench.page.load(&url);
        let mut load_alone = Vec::new();
        for _ in 0..rounds.min(5) {
            load_alone.push(self.measure(1, load)?.0);
        }
        let cdp = format!("http://127.0.0.1:{}", self.browser.port);
        let opened = run::limited(&mut self.handeye(&["open", &url, "--cdp", &cdp]), Duration::from_secs(60))?;
        if opened.code != Some(0) {
            return Err(Fail::new(format!("handeye open failed: {}{}", opened.stdout, opened.stderr)));
        }
        let mut load_attached = Vec::new();
        for _ in 0..rounds.min(5) {
            load_attached.push(self.measure(1, load)?.0);
        }
        let daemons: Vec<u32> = procs::marked(&self.mark);
        let (mut walk, mut state, mut snapshot, mut axtree) =
            (Cost::default(), Cost::default(), Cost::default(), Cost::default());
        let (mut daemon_cpu, mut cli_cpu, mut cli_peak) = (0.0, 0.0, 0.0_f64);
        let mut listed = 0;
        for round in 0..rounds {
            eprint!("\rround {} of {rounds}", round + 1);
            self.both(&mut walk, |bench| bench.walk())?;
            let before = (Usage::of(&daemons), procs::children_cpu_ms());
            self.both(&mut state, |bench| {
                let (bytes, targets, peak) = bench.state()?;
                listed = targets;
                cli_peak = cli_peak.max(peak);
                Ok(bytes)
            })?;
            daemon_cpu += Usage::of(&daemons).since(&before.0);
            cli_cpu += procs::children_cpu_ms() - before.1;
        }
        // The two trees last: what they make the browser keep must not burden the others.
        for _ in 0..rounds.min(3) {
            self.both(&mut snapshot, |bench| {
                let params = json!({"computedStyles": [], "includeDOMRects": true});
                Ok(bench.page.call("DOMSnapshot.captureSnapshot", params)?.1)
            })?;
        }
        for _ in 0..rounds.min(3) {
            self.both(&mut axtree, |bench| Ok(bench.page.call("Accessibility.getFullAXTree", json!({}))?.1))?;
        }
        eprintln!("\r                    \r");

        let (base, base_again) = (median(&walk.first), median(&walk.again));
        println!(
            "{:<10}{:>14}{:>8}{:>14}{:>8}{:>12}{:>12}",
            "", "first, ms CPU", "walks", "again, ms CPU", "walks", "wall ms", "bytes"
        );
        for (name, cost) in [("walk", &walk), ("state", &state), ("snapshot", &snapshot), ("axtree", &axtree)] {
            println!(
                "{name:<10}{:>14.0}{:>8.2}{:>14.0}{:>8.2}{:>12.0}{:>12}",
                median(&cost.first),
                median(&cost.first) / base,
                median(&cost.again),
                median(&cost.again) / base_again,
                median(&cost.wall),
                cost.bytes
            );
        }
        let ratio = median(&state.first) / base;
        let states = (rounds * (1 + AGAIN)) as f64;
        println!("\nstate / walk, first: {ratio:.2} (at most {MOST_WALKS}: {})", holds(ratio <= MOST_WALKS));
        println!("targets listed: {listed} of {} elements", 3 * self.rows);
        println!(
            "handeye per state: daemon {:.0} ms CPU, command line {:.0} ms CPU",
            daemon_cpu / states,
            cli_cpu / states
        );
        let peak = daemons.iter().filter_map(|pid| procs::peak_mib(*pid)).fold(0.0_f64, f64::max);
        println!("handeye peak memory: daemon {peak:.0} MiB, command line {cli_peak:.0} MiB");
        println!(
            "loading the page: {:.0} ms CPU alone, {:.0} with handeye attached",
            median(&load_alone),
            median(&load_attached)
        );
        Ok(ratio)
    }

    fn walk(&mut self) -> Outcome<usize> {
        let (value, bytes) = self.page.evaluate(WALK)?;
        let text = value.as_str().unwrap_or_default();
        let found: Vec<serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
        if found.len() != 3 * self.rows {
            return Err(Fail::new(format!("the walk found {} elements, not {}", found.len(), 3 * self.rows)));
        }
        Ok(bytes)
    }

    /// One state: its size, how many targets it lists, and the peak memory of the command line.
    fn state(&mut self) -> Outcome<(usize, usize, f64)> {
        let mut child = self.handeye(&["state"]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut text = vec![0; 1];
        let mut peak = 0.0;
        if let Some(mut pipe) = child.stdout.take() {
            // With the first byte written it holds all it will: the rest does not fit into the pipe.
            pipe.read_exact(&mut text)?;
            peak = procs::peak_mib(child.id()).unwrap_or_default();
            pipe.read_to_end(&mut text)?;
        }
        let status = child.wait()?;
        if !status.success() {
            return Err(Fail::new(format!("handeye state failed ({status})")));
        }
        let targets = String::from_utf8_lossy(&text).lines().filter(|line| line.trim_start().starts_with('[')).count();
        Ok((text.len(), targets, peak))
    }

    /// Prints what a warm `get title` costs more than `version`, in milliseconds of wall time; returns it.
    fn short_commands(&mut self) -> Outcome<f64> {
        let time = |bench: &Self, words: &[&str]| {
            let begun = Instant::now();
            let text = run::output(&mut bench.handeye(words))?;
            Ok::<_, Fail>((begun.elapsed().as_secs_f64() * 1000.0, text))
        };
        self.rest();
        let (mut title, mut version) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let (_, text) = time(self, &["get", "title"])?;
            if !text.contains("Rows") {
                return Err(Fail::new(format!("get title said `{}`", text.trim_end())));
            }
            time(self, &["version"])?;
        }
        for _ in 0..SHORT {
            title.push(time(self, &["get", "title"])?.0);
            version.push(time(self, &["version"])?.0);
        }
        let more = median(&title) - median(&version);
        println!(
            "get title {:.2} ms, version {:.2} ms ({SHORT} each, in turn): {more:.2} ms more (at most {MOST_MS}: {})",
            median(&title),
            median(&version),
            holds(more <= MOST_MS)
        );
        Ok(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
