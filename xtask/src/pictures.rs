//! `cargo xtask pictures`: the annotated pictures in `docs/pictures`, made anew.
//!
//! Pages of the outside evaluation kit and two apps are opened as a person at a shell would, and `state --annotated` draws them.

use crate::{
    cleanup,
    desk::{Desk, reap},
    eval::Kit,
    install::{self, Need},
    run::{self, Fail, Outcome},
};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

pub(crate) const HELP: &str = "\
Draw the annotated pictures in docs/pictures anew: five pages and two apps, with a numbered box around every target.

Usage: cargo xtask pictures [--kit DIR] [--binary PATH]

Options:
  --kit DIR      where the evaluation kit is whose pages are shown (default ../shared/evalkit)
  --binary PATH  draw with this handeye instead of building one

Linux only: the apps run on a display of their own. Look at the pictures before they are committed.
";

/// Where they go.
const FOLDER: &str = "docs/pictures";
/// Longest that one command may take, starting the browser included.
const LIMIT: Duration = Duration::from_secs(120);
/// How long an app may take to show its window.
const START: Duration = Duration::from_secs(90);

/// The pages: the picture's name, the path on the kit's server, more options.
pub(crate) const PAGES: [(&str, &str, &[&str]); 5] = [
    ("form", "/npm/admin-lte/dist/forms/elements.html", &[]),
    ("mailbox", "/npm/admin-lte/dist/mailbox/inbox.html", &[]),
    ("dashboard", "/npm/admin-lte/dist/index.html", &[]),
    ("table", "/npm/startbootstrap-sb-admin-2/tables.html", &["--infer"]),
    ("index", "/pydoc/genindex-A.html", &[]),
];
/// The apps: the picture's name, the program.
pub(crate) const APPS: [(&str, &str); 2] = [("mousepad", "mousepad"), ("kcalc", "kcalc")];

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long)]
    kit: Option<PathBuf>,
    #[arg(long)]
    binary: Option<PathBuf>,
}

pub(crate) fn main(options: Options) -> Outcome {
    install::ensure(&[Need::Browser, Need::LatinFont, Need::Desktop])?;
    let folder = run::root().join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let draw = |shell: &Shell, name: &str, more: &[&str]| shell.draw(&folder, name, more);
    show_all(options.binary, options.kit, &PAGES, &draw)?;
    println!("wrote {} pictures to {FOLDER}", PAGES.len() + APPS.len());
    Ok(())
}

/// What is done with a page or an app that is shown: its name, and more options of `state`.
type Shown<'a> = &'a dyn Fn(&Shell, &str, &[&str]) -> Outcome;

/// Shows pages of the kit, and each app, one after the other.
pub(crate) fn show_all(
    binary: Option<PathBuf>,
    kit: Option<PathBuf>,
    pages: &[(&str, &str, &[&str])],
    shown: Shown<'_>,
) -> Outcome {
    let binary = match binary {
        Some(path) => std::path::absolute(path)?,
        None => run::build_handeye(false)?,
    };
    let kit = Kit::prepare(&kit.unwrap_or_else(Kit::usual_place))?;
    let desk = Desk::start()?;
    let shell = Shell { binary, desk: &desk };
    let _end = shell.guard();
    let (address, _server) = kit.serve()?;
    for (name, path, more) in pages {
        // A session of its own for each: numbers begin anew.
        shell.stop()?;
        shell.run(&["open", &format!("{address}{path}")])?;
        shown(&shell, name, more)?;
    }
    for (name, program) in APPS {
        shell.stop()?;
        reap(desk.command(program).stdout(Stdio::null()).spawn()?);
        shell.until_shown(program)?;
        shown(&shell, name, &["--window", program])?;
    }
    Ok(())
}

/// A shell at which handeye is called.
pub(crate) struct Shell<'a> {
    binary: PathBuf,
    desk: &'a Desk,
}

impl Shell<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.desk.command(&self.binary);
        command.args(words);
        command
    }

    /// Ends the session, whatever the outcome.
    fn guard(&self) -> cleanup::Later {
        let mut stop = self.command(&["sessions", "stop", "default"]);
        cleanup::later(move || {
            let _ = run::limited(&mut stop, Duration::from_secs(20));
        })
    }

    /// What a command prints, which must succeed.
    pub(crate) fn run(&self, words: &[&str]) -> Outcome<String> {
        let ran = run::limited(&mut self.command(words), LIMIT)?;
        if ran.code == Some(0) {
            return Ok(ran.stdout);
        }
        Err(Fail::new(format!("handeye {}: {}{}", words.join(" "), ran.stdout, ran.stderr)))
    }

    /// Ends the session, if there is one.
    fn stop(&self) -> Outcome {
        run::limited(&mut self.command(&["sessions", "stop", "default"]), LIMIT).map(drop)
    }

    fn draw(&self, folder: &Path, name: &str, more: &[&str]) -> Outcome {
        let path = folder.join(format!("{name}.png")).display().to_string();
        let said = self.run(&[&["state", "--budget", "none", "--annotated", &path], more].concat())?;
        println!("{}", said.lines().last().unwrap_or_default());
        Ok(())
    }

    /// Waits until a program's window is there, and has come to rest.
    fn until_shown(&self, program: &str) -> Outcome {
        let begun = Instant::now();
        loop {
            let listed = run::limited(&mut self.command(&["windows"]), LIMIT)?;
            if listed.stdout.to_lowercase().contains(program) {
                thread::sleep(Duration::from_secs(2));
                return Ok(());
            }
            if begun.elapsed() > START {
                return Err(Fail::new(format!("{program} shows no window")));
            }
            thread::sleep(Duration::from_millis(500));
        }
    }
}
