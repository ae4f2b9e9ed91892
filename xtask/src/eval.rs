//! `cargo xtask eval`: the outside evaluation kit, on tasks and pages that no one here wrote; and the judged task set
//! (`tasks`).
//!
//! The kit is never written into: its scripts are copied to the target folder and run from there. What it evaluates on
//! is used from the kit where it is installed there, and else installed beside the copy, once.

use crate::{
    cleanup, install,
    run::{self, Fail, Outcome},
    tasks,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

pub(crate) const HELP: &str = "\
Run the judged task set, or the outside evaluation kit: MiniWoB tasks (perception and action) and a corpus of real pages
(perception).

Usage: cargo xtask eval --tasks [--only FILE[/TASK]] [--binary PATH] [--check]
       cargo xtask eval [--kit DIR] [--only miniwob|corpus|do] [--seeds 1-5] [--miniwob A,B] [--pages A,B]
                        [--binary PATH] [--check] [--compare]

Options:
  --tasks        run the scripted tasks of eval/tasks, on pages and apps that others wrote: after each step an eye of
                 its own looks whether what handeye said is so
  --only PART    one part of the kit only, where `do` is five pages and three tasks by `handeye do` with a scripted model,
                 which makes a mistake before each action; with --tasks, one file of the set, or the tasks of it with TASK in their name
  --kit DIR      where the kit is (default ../shared/evalkit)
  --seeds A-B    seeds of the MiniWoB tasks (default 1-5)
  --miniwob A,B  only these tasks of MiniWoB
  --pages A,B    only these pages
  --binary PATH  evaluate this handeye instead of building one
  --check        exit with 1 when a figure is below its goal; with --compare also when a difference isn't explained
  --compare      instead, hold what the page script and the browser's accessibility tree say of the corpus' elements
                 against each other, and print each difference that docs/captures.md doesn't explain

The kit is copied to target/eval-kit and needs Debian, Node.js and Python 3; its setup.sh is run once. Results are
written to target/eval-kit/results. The adapters are in eval/.
The task set needs npm, which installs the libraries once into target/eval-tasks, a browser, and what the tests of the
desktop need (cargo xtask test --only install). Results are written to target/eval-tasks/results.json.
";

/// What the project wants to reach: MiniWoB, viewport recall, precision, names (all in percent), characters.
const GOALS: (f64, f64, f64, f64, f64) = (95.0, 98.0, 95.0, 98.0, 1500.0);

/// How much of what both captures list they should agree on, in percent.
const ALIKE: f64 = 99.5;

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, conflicts_with_all = ["kit", "seeds", "miniwob", "pages", "compare"])]
    tasks: bool,
    #[arg(long)]
    kit: Option<PathBuf>,
    #[arg(long, default_value = "1-5")]
    seeds: String,
    #[arg(long)]
    only: Option<String>,
    #[arg(long)]
    miniwob: Option<String>,
    #[arg(long)]
    pages: Option<String>,
    #[arg(long)]
    binary: Option<PathBuf>,
    #[arg(long)]
    check: bool,
    #[arg(long)]
    compare: bool,
}

pub(crate) fn main(options: Options) -> Outcome {
    let Options { tasks: judged, kit, seeds, only, miniwob: tasks, pages, binary, check, compare } = options;
    if judged {
        return tasks::main(only.as_deref(), binary, check);
    }
    let kit = kit.unwrap_or_else(Kit::usual_place);
    if only.as_ref().is_some_and(|part| !["miniwob", "corpus", "do"].contains(&part.as_str())) {
        return Err(Fail::usage("--only is miniwob, corpus or do"));
    }
    let wants = |part: &str| only.as_ref().is_none_or(|only| only == part);

    let binary = binary.map_or_else(|| run::build_handeye(true), Ok)?;
    let kit = Kit::prepare(&kit)?;
    // Setting the kit up has installed one where there was none.
    if compare || wants("corpus") {
        install::recent_node("the Playwright that the kit's corpus is read with")?;
    }
    if only.as_deref() == Some("do") {
        return by_model(&kit, &binary, tasks.as_deref().unwrap_or(BY_MODEL), &seeds);
    }
    let mut figures = Vec::new();
    if compare {
        let mut command = Command::new("node");
        command.arg("eval/compare.mjs").arg(&kit.copy).args(pages).current_dir(run::root());
        command.env("EVALKIT_DEPS", &kit.deps).env("TOOL_BIN", &binary);
        let compared = compared(&aloud(&mut command)?)?;
        return match compared.fault() {
            Some(fault) if check => Err(Fail::new(fault)),
            _ => Ok(()),
        };
    }
    if wants("miniwob") {
        let mut command = kit.node("miniwob/run.mjs", &binary);
        command.args(["eval/handeye.mjs", "--seeds", &seeds]);
        command.arg("--out").arg(kit.copy.join("results/miniwob-handeye.json"));
        if let Some(tasks) = tasks {
            command.args(["--tasks", &tasks]);
        }
        figures.extend(miniwob(&aloud(&mut command)?)?);
    }
    if wants("corpus") {
        let mut command = kit.node("corpus/score.mjs", &binary);
        command.arg("eval/corpus-peer.mjs").args(pages);
        figures.extend(corpus(&aloud(&mut command)?)?);
    }

    println!("\n{:<34}{:>10}{:>12}   baselines", "", "handeye", "goal");
    for figure in &figures {
        let missed = if figure.reached() { "" } else { "  MISSED" };
        println!("{:<34}{:>10}{:>12}   {}{missed}", figure.name, figure.value, figure.goal_text(), figure.baseline);
    }
    if check && figures.iter().any(|figure| !figure.reached()) {
        return Err(Fail::new("a figure is below its goal"));
    }
    Ok(())
}

/// The tasks of MiniWoB that a scripted model does.
const BY_MODEL: &str = "click-checkboxes,enter-text,login-user";

/// Five pages and some tasks by `handeye do`, whose scripted model errs before each action: nothing wrong may be done, and each
/// task must be done all the same.
fn by_model(kit: &Kit, binary: &Path, tasks: &str, seeds: &str) -> Outcome {
    let mut pages = Command::new("node");
    pages.arg("eval/do-pages.mjs").arg(&kit.copy).current_dir(run::root());
    pages.env("EVALKIT_DEPS", &kit.deps).env("TOOL_BIN", binary);
    aloud(&mut pages)?;
    let mut command = kit.node("miniwob/run.mjs", binary);
    command.args(["eval/do.mjs", "--seeds", seeds, "--tasks", tasks]);
    command.arg("--out").arg(kit.copy.join("results/miniwob-do.json"));
    let output = aloud(&mut command)?;
    let total = output.lines().find_map(|line| line.strip_prefix("TOTAL ")?.split(' ').next()).unwrap_or_default();
    match total.split_once('/') {
        Some((done, all)) if done == all => Ok(()),
        _ => Err(Fail::new(format!("{total} of the tasks were done by `do`"))),
    }
}

/// The kit, ready to run.
pub(crate) struct Kit {
    copy: PathBuf,
    deps: PathBuf,
}

impl Kit {
    /// Where the kit is if nobody says so.
    pub(crate) fn usual_place() -> PathBuf {
        run::root().join("../shared/evalkit")
    }

    pub(crate) fn prepare(kit: &Path) -> Outcome<Self> {
        if !kit.join("miniwob/run.mjs").is_file() {
            let text = format!("no evaluation kit at {}; name its folder with --kit", kit.display());
            return Err(Fail::usage(text));
        }
        let copy = run::target_dir()?.join("eval-kit");
        copy_folder(kit, &copy)?;
        fs::create_dir_all(copy.join("results"))?;
        write_browser(&copy)?;
        let is_set_up = |deps: &Path| deps.join("venv/bin/python").exists() && deps.join("peers/node_modules").is_dir();
        let deps =
            if is_set_up(&kit.join(".deps")) { fs::canonicalize(kit.join(".deps"))? } else { copy.join(".deps") };
        if !is_set_up(&deps) || !has_pydoc() {
            println!("setting the kit up, once (apt, npm and pip)");
            run::checked(Command::new("bash").arg("setup.sh").current_dir(&copy).env("EVALKIT_DEPS", &deps))?;
        }
        Ok(Self { copy, deps })
    }

    /// The file behind a path of the kit's server.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        match path.strip_prefix("/npm/") {
            Some(package) => self.deps.join("corpus/node_modules").join(package),
            None => Path::new("/usr/share/doc/python3.11/html").join(path.trim_start_matches("/pydoc/")),
        }
    }

    /// Serves the pages of the corpus as long as the guard is kept; their address.
    pub(crate) fn serve(&self) -> Outcome<(String, cleanup::Later)> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port().to_string();
        let mut command = Command::new("node");
        command.arg(self.copy.join("corpus/server.mjs")).arg(port).env("EVALKIT_DEPS", &self.deps);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take();
        let guard = cleanup::later(move || {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        });
        let mut address = String::new();
        if let Some(output) = output {
            BufReader::new(output).read_line(&mut address)?;
        }
        match address.trim() {
            "" => Err(Fail::new("the kit's server of pages didn't start")),
            address => Ok((address.to_owned(), guard)),
        }
    }

    fn node(&self, script: &str, binary: &Path) -> Command {
        let mut command = Command::new("node");
        command.arg(self.copy.join(script)).current_dir(run::root());
        command.env("EVALKIT_DEPS", &self.deps).env("TOOL_BIN", binary);
        command.env("CHROME", self.copy.join(BROWSER));
        command
    }
}

/// Starts the browser for the kit.
const BROWSER: &str = "browser.sh";

/// The kit scrolls each page through while it computes its truth, and back. On pages that scroll smoothly it would note what
/// is in view half way: so the browser scrolls at once.
fn write_browser(copy: &Path) -> Outcome {
    let browser =
        crate::install::browser().ok_or_else(|| Fail::new("there is no browser: cargo xtask demo installs one"))?;
    let path = copy.join(BROWSER);
    fs::write(&path, format!("#!/bin/sh\nexec '{}' --disable-smooth-scrolling \"$@\"\n", browser.display()))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// The Python documentation, which is a part of the corpus.
fn has_pydoc() -> bool {
    Path::new("/usr/share/doc/python3.11/html").exists() || std::env::var_os("PYDOC").is_some()
}

/// Copies what the kit is made of, and none of what it installs or writes.
fn copy_folder(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if [".deps", "results", "node_modules"].iter().any(|own| name == *own) {
            continue;
        }
        let target = to.join(&name);
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            // Read and write, not copy: the kit's files may be read-only, ours must not be.
            fs::write(&target, fs::read(&path)?)?;
        }
    }
    Ok(())
}

/// Runs with its output shown and returned.
fn aloud(command: &mut Command) -> Outcome<String> {
    println!("\n$ {}", run::shown(command));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut all = String::new();
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line?;
        println!("{line}");
        all.push_str(&line);
        all.push('\n');
    }
    let status = child.wait()?;
    if status.success() { Ok(all) } else { Err(Fail::new(format!("`{}` failed ({status})", run::shown(command)))) }
}

/// One figure beside what today's tools reach.
#[derive(Debug, Clone, PartialEq)]
struct Figure {
    name: &'static str,
    value: f64,
    /// At least this; or at most, where smaller is better.
    goal: Option<f64>,
    smaller: bool,
    baseline: &'static str,
}

impl Figure {
    fn reached(&self) -> bool {
        self.goal.is_none_or(|goal| if self.smaller { self.value <= goal } else { self.value >= goal })
    }

    fn goal_text(&self) -> String {
        match self.goal {
            None => String::new(),
            Some(goal) => format!("{} {goal}", if self.smaller { "<=" } else { ">=" }),
        }
    }
}

/// Reads `TOTAL 494/505 over 101 tasks; mean ms/ep 610`.
fn miniwob(output: &str) -> Outcome<Vec<Figure>> {
    let read = || {
        let total = output.lines().rev().find_map(|line| line.strip_prefix("TOTAL "))?;
        let (good, all) = total.split(' ').next()?.split_once('/')?;
        let (good, all): (f64, f64) = (good.parse().ok()?, all.parse().ok()?);
        let ms: f64 = total.rsplit(' ').next()?.parse().ok()?;
        Some(((1000.0 * good / all).round() / 10.0, ms))
    };
    let (percent, ms) = read().ok_or_else(|| Fail::new("the MiniWoB run printed no total"))?;
    let baseline = "agent-browser 82.2, Playwright 83.4, solved by either 92.9";
    Ok(vec![
        Figure { name: "MiniWoB, % of episodes", value: percent, goal: Some(GOALS.0), smaller: false, baseline },
        Figure {
            name: "MiniWoB, ms an episode",
            value: ms,
            goal: None,
            smaller: true,
            baseline: "agent-browser 610, Playwright 1060",
        },
    ])
}

/// What came of holding the captures against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Compared {
    /// Of what both list, how much is alike, in percent.
    alike: f64,
    /// Differences that docs/captures.md doesn't explain.
    unexplained: u32,
    /// Pages that could not be compared.
    failed: u32,
}

impl Compared {
    fn fault(self) -> Option<String> {
        let Self { alike, unexplained, failed } = self;
        if failed > 0 {
            Some(format!("{failed} pages could not be compared"))
        } else if alike < ALIKE {
            Some(format!("the captures agree on {alike} %, less than {ALIKE} %"))
        } else if unexplained > 0 {
            Some(format!("{unexplained} differences are not explained in docs/captures.md"))
        } else {
            None
        }
    }
}

/// Reads `COMPARED 1/2 = 50.00 % alike in role and name; 3 differences explained, 0 unexplained, 0 pages failed`.
fn compared(output: &str) -> Outcome<Compared> {
    let total = output.lines().rev().find_map(|line| line.strip_prefix("COMPARED "));
    let read = |total: &str| {
        let words: Vec<&str> = total.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let before = |word: &str| words.get(words.iter().position(|w| *w == word)?.checked_sub(1)?)?.parse().ok();
        Some(Compared {
            alike: words.get(2)?.parse().ok()?,
            unexplained: before("unexplained")?,
            failed: before("pages")?,
        })
    };
    total.and_then(read).ok_or_else(|| Fail::new("the comparison printed no total"))
}

/// Reads `TOTAL x: pages 20/20 recall micro 99.0 macro 98.0 | viewport recall micro 99.0 macro 98.0 | …`.
fn corpus(output: &str) -> Outcome<Vec<Figure>> {
    let total = output.lines().rev().find(|line| line.starts_with("TOTAL ")).unwrap_or_default();
    let figure = |section: &str, word: &str| -> Outcome<f64> {
        let part = total.split('|').map(str::trim).find(|part| part.contains(section));
        let mut words = part.unwrap_or_default().split_whitespace().skip_while(|w| *w != word);
        words
            .nth(1)
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| Fail::new(format!("the corpus run printed no {section} {word}")))
    };
    let good =
        total.split_whitespace().nth(3).and_then(|pages| pages.split_once('/')).is_some_and(|(good, all)| good == all);
    if !good {
        return Err(Fail::new("some page of the corpus failed"));
    }
    let percent = |name, section, goal, baseline| {
        Ok::<_, Fail>(Figure { name, value: figure(section, "macro")?, goal, smaller: false, baseline })
    };
    Ok(vec![
        percent("recall, macro %", "pages", None, "agent-browser -i 94.0, Playwright 95.5")?,
        percent("viewport recall, macro %", "viewport", Some(GOALS.1), "browser-use 96.8")?,
        percent("precision, macro %", "precision", Some(GOALS.2), "Playwright 94.0")?,
        Figure {
            name: "names, micro %",
            value: figure("name", "micro")?,
            goal: Some(GOALS.3),
            smaller: false,
            baseline: "",
        },
        Figure {
            name: "size, median characters",
            value: figure("chars", "median")?,
            goal: Some(GOALS.4),
            smaller: true,
            baseline: "agent-browser -i 1461",
        },
        Figure {
            name: "time, median ms",
            value: figure("ms mean", "median")?,
            goal: None,
            smaller: true,
            baseline: "agent-browser 95, process start included",
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTAL: &str = "TOTAL eval/corpus-peer.mjs: pages 20/20 recall micro 96.1 macro 95.2 | viewport recall micro 99.1 macro 98.4 | precision micro 97.0 macro 96.5 | name micro 99.0 | chars mean 4000 median 1400 (~tok 389) | ms mean 60 median 41\n";

    fn value(figures: &[Figure], name: &str) -> f64 {
        figures.iter().find(|figure| figure.name.starts_with(name)).map_or(f64::NAN, |figure| figure.value)
    }

    #[test]
    fn the_total_of_a_comparison_is_read() {
        let read = |alike: &str, unexplained: u32, failed: u32| {
            let counts = format!("7 differences explained, {unexplained} unexplained, {failed} pages failed");
            compared(&format!("a: 1/1 alike\nCOMPARED 199/200 = {alike} % alike in role and name; {counts}\n")).unwrap()
        };
        assert_eq!(read("99.50", 1, 2), Compared { alike: 99.5, unexplained: 1, failed: 2 });
        assert_eq!(read("99.50", 0, 0).fault(), None);
        for (bad, said) in [
            (read("99.49", 0, 0), "agree on 99.49 %"),
            (read("100.00", 1, 0), "1 differences are not explained"),
            (read("100.00", 0, 1), "1 pages could not be compared"),
        ] {
            assert!(bad.fault().is_some_and(|fault| fault.contains(said)), "{bad:?}");
        }
        assert!(compared("a: 1/1 alike\n").is_err());
    }

    #[test]
    fn the_totals_of_the_kit_are_read() {
        let figures = miniwob("click-test 5/5\nTOTAL 494/505 over 101 tasks; mean ms/ep 610\n").unwrap();
        assert_eq!((value(&figures, "MiniWoB, %"), value(&figures, "MiniWoB, ms")), (97.8, 610.0));
        let figures = corpus(TOTAL).unwrap();
        for (name, wanted) in [
            ("recall", 95.2),
            ("viewport", 98.4),
            ("precision", 96.5),
            ("names", 99.0),
            ("size", 1400.0),
            ("time", 41.0),
        ] {
            assert_eq!(value(&figures, name), wanted, "{name}");
        }
        assert!(figures.iter().all(Figure::reached));
    }

    #[test]
    fn a_run_without_a_total_or_with_a_failed_page_is_a_failure() {
        assert!(miniwob("click-test 5/5\n").is_err());
        assert!(corpus("").is_err());
        assert!(corpus(&TOTAL.replace("20/20", "19/20")).is_err());
    }

    #[test]
    fn what_is_below_its_goal_is_seen() {
        let figures = miniwob("TOTAL 450/505 over 101 tasks; mean ms/ep 610\n").unwrap();
        assert!(!figures[0].reached());
        let figures = corpus(&TOTAL.replace("median 1400", "median 1600")).unwrap();
        assert_eq!(figures.iter().filter(|figure| !figure.reached()).count(), 1);
    }
}
