//! Tasks on apps of a desktop: each task has its app started anew, with a home of its own. The eye asks the app over the
//! accessibility bus, or reads the files that it wrote (`read.py`).

use super::{
    runner::Stand,
    set::{RefTable, Task},
};
use crate::{
    cleanup,
    desk::Desk,
    procs,
    run::{self, Fail, Outcome, Ran},
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// Longest that one command may take, starting an app included.
const LIMIT: Duration = Duration::from_secs(120);
/// Longest that the eye may take.
const ANSWER: Duration = Duration::from_secs(20);
/// Longest that an app may take until it is ready.
const READY: Duration = Duration::from_secs(40);
/// The Python that Debian's packages are for.
const PYTHON: &str = "/usr/bin/python3";
/// The eye.
const READ: &str = include_str!("read.py");

/// One app of the set.
pub(super) struct Apps {
    binary: PathBuf,
    /// That of the task: what services keep for an app (settings, views) is no other task's.
    desk: Option<Desk>,
    app: Vec<String>,
    file: String,
    /// How many tasks have begun.
    tasks: usize,
}

impl Apps {
    pub(super) fn new(binary: &Path, book: &RefTable) -> Self {
        Self { binary: binary.to_path_buf(), desk: None, app: book.app.clone(), file: book.file.clone(), tasks: 0 }
    }

    fn session(&self) -> String {
        format!("tasks-{}-{}", self.file, self.tasks)
    }

    /// What the task's daemon and app carry in their environment.
    fn mark(&self) -> String {
        format!("{}-{}", std::process::id(), self.session())
    }

    fn home(&self) -> PathBuf {
        self.desk.as_ref().map(|desk| desk.folder.join(self.session())).unwrap_or_default()
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Outcome<Command> {
        let desk = self.desk.as_ref().ok_or_else(|| Fail::new("there is no desktop"))?;
        let mut command = desk.command(program);
        command.env("HOME", self.home()).env("XDG_CONFIG_HOME", self.home().join(".config"));
        command.env("HANDEYE_TASKS_MARK", self.mark()).current_dir(self.home());
        Ok(command)
    }

    fn confirmed(&mut self, words: &[&str]) -> Outcome {
        let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
        let ran = self.handeye(&words, true)?;
        if ran.code == Some(0) {
            return Ok(());
        }
        Err(Fail::new(format!("{}: {}{}", words.join(" "), ran.stdout.trim(), ran.stderr.trim())))
    }
}

impl Stand for Apps {
    fn begin(&mut self, task: &Task) -> Outcome {
        cleanup::hold_if_interrupted();
        self.tasks += 1;
        self.desk = Some(Desk::start()?);
        let home = self.home();
        fs::create_dir_all(home.join(".config"))?;
        for (name, text) in &task.files {
            fs::write(home.join(name), text)?;
        }
        self.confirmed(&["open", "desktop:"])?;
        let folder = self.folder();
        let app: Vec<String> =
            self.app.iter().chain(&task.args).map(|word| word.replace("{folder}", &folder)).collect();
        let mut words = vec!["launch"];
        words.extend(app.iter().map(String::as_str));
        self.confirmed(&words)?;
        let begun = Instant::now();
        while !task.ready.is_empty() && self.see(&task.ready)? != Value::Bool(true) {
            if begun.elapsed() > READY {
                return Err(Fail::new(format!("{}: `{}` did not become true", self.app[0], task.ready)));
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    fn handeye(&mut self, words: &[String], json: bool) -> Outcome<Ran> {
        let mut command = self.command(&self.binary)?;
        command.args(["--session", &self.session()]).args(json.then_some("--json")).args(words);
        cleanup::hold_if_interrupted();
        run::limited(&mut command, LIMIT)
    }

    fn see(&mut self, check: &str) -> Outcome<Value> {
        let ran = run::limited(self.command(PYTHON)?.args(["-c", READ, check]), ANSWER)?;
        serde_json::from_str(&ran.stdout).map_err(|_| Fail::new(format!("the eye said {}{}", ran.stdout, ran.stderr)))
    }

    fn folder(&self) -> String {
        self.home().display().to_string()
    }

    fn end(&mut self) {
        let words: Vec<String> = ["sessions", "stop", &self.session()].iter().map(|&word| word.into()).collect();
        // The app is to end in any case: what is unsaved in it is ours.
        let _ = self.handeye(&words, true);
        procs::end_all(&format!("HANDEYE_TASKS_MARK={}", self.mark()));
        let begun = Instant::now();
        while !procs::marked(&format!("HANDEYE_TASKS_MARK={}", self.mark())).is_empty()
            && begun.elapsed() < Duration::from_secs(5)
        {
            thread::sleep(Duration::from_millis(20));
        }
        self.desk = None;
    }
}
