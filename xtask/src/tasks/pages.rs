//! Tasks on web pages: handeye launches its browser as it always does, but with a debugging port besides, through which the
//! eye asks the page itself.

use super::{
    runner::Stand,
    set::{RefTable, Task},
};
use crate::{
    cdp, cleanup, procs,
    run::{self, Fail, Outcome, Ran},
    site::Site,
};
use serde_json::{Value, json};
use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// Longest that one command may take, starting the browser included.
const LIMIT: Duration = Duration::from_secs(60);
/// Longest that the page may take to answer the eye: it doesn't while a dialog is open.
const ANSWER: Duration = Duration::from_secs(3);
/// Longest that a page may take until it is ready.
const READY: Duration = Duration::from_secs(20);

/// The pages of one file of the set, in a session of their own.
pub(super) struct Pages<'a> {
    shell: Shell,
    site: &'a Site,
    /// Port of the session's browser; none while there is no session.
    port: Option<u16>,
    memory: Option<cdp::Page>,
    tasks: usize,
    // Dropped in this order: what runs ends before its folder goes.
    _end: cleanup::Later,
    _folder: cleanup::Later,
}

/// Runs command lines of handeye in a session, with settings and daemons of its own.
#[derive(Clone)]
struct Shell {
    binary: PathBuf,
    session: String,
    folder: PathBuf,
    mark: String,
}

impl Shell {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(["--session", &self.session]).args(words).current_dir(&self.folder);
        command.env("HANDEYE_RUNTIME_DIR", self.folder.join("run"));
        command.env("XDG_CONFIG_HOME", self.folder.join("config"));
        // Whatever the command starts inherits it; that is how we find what is left.
        if let Some((name, value)) = self.mark.split_once('=') {
            command.env(name, value);
        }
        command
    }

    fn stop(&self) {
        if !procs::marked(&self.mark).is_empty() {
            // Stopping may be what is broken: then the processes are ended below.
            let _ = run::limited(&mut self.command(&["sessions", "stop", &self.session]), Duration::from_secs(20));
        }
        // A command that was under way may have started its daemon meanwhile.
        for _ in 0..20 {
            procs::end_all(&self.mark);
            thread::sleep(Duration::from_millis(50));
            if procs::marked(&self.mark).is_empty() {
                return;
            }
        }
    }
}

impl<'a> Pages<'a> {
    pub(super) fn new(binary: &Path, site: &'a Site, book: &RefTable) -> Outcome<Self> {
        let id = std::process::id();
        let (folder, folder_guard) = run::scratch(&format!("tasks-{}", book.file))?;
        std::fs::create_dir_all(folder.join("config"))?;
        let shell = Shell {
            binary: binary.to_path_buf(),
            session: format!("tasks-{id}-{}", book.file),
            folder,
            mark: format!("HANDEYE_TASKS_MARK={id}-{}", book.file),
        };
        let ended = shell.clone();
        let end = cleanup::later(move || ended.stop());
        Ok(Self { shell, site, port: None, memory: None, tasks: 0, _end: end, _folder: folder_guard })
    }

    /// Opens a page in the session, which it begins if there is none.
    fn open(&mut self, url: &str) -> Outcome<u16> {
        cleanup::hold_if_interrupted();
        let mut command = self.shell.command(&["open", url]);
        let port = match self.port {
            Some(port) => port,
            None => {
                let port = free_port()?;
                command.arg(format!("--browser-arg=--remote-debugging-port={port}"));
                // What a page loads from elsewhere isn't there, on any machine.
                command.arg("--browser-arg=--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1");
                port
            }
        };
        let ran = run::limited(&mut command, LIMIT)?;
        if ran.code != Some(0) {
            return Err(Fail::new(format!("open {url}: {}{}", ran.stdout.trim(), ran.stderr.trim())));
        }
        Ok(port)
    }

    /// Forgets what earlier tasks have left in the browser.
    fn forget(&mut self) {
        if let Some(memory) = &mut self.memory {
            let origin = format!("http://127.0.0.1:{}", self.site.port());
            let params = json!({"origin": origin, "storageTypes": "all"});
            // A page that doesn't answer is about to be left.
            let _ = memory.call("Storage.clearDataForOrigin", params);
        }
    }
}

impl Stand for Pages<'_> {
    fn begin(&mut self, task: &Task) -> Outcome {
        self.forget();
        self.memory = None;
        self.tasks += 1;
        let (path, fragment) = task.page.split_once('#').unwrap_or((&task.page, ""));
        let mark = format!("?task={}", self.tasks);
        let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
        let url = format!("http://127.0.0.1:{}/{path}{mark}{fragment}", self.site.port());
        let opened = self.open(&url).or_else(|_| {
            // What the task before has left may be in the way: begin anew.
            self.shell.stop();
            self.port = None;
            self.open(&url)
        });
        let port = opened?;
        self.port = Some(port);
        let mut memory = cdp::Page::at(port, &mark, ANSWER)?;
        let begun = Instant::now();
        while !task.ready.is_empty() && !matches!(memory.evaluate(&task.ready), Ok((Value::Bool(true), _))) {
            if begun.elapsed() > READY {
                return Err(Fail::new(format!("{url}: `{}` did not become true", task.ready)));
            }
            thread::sleep(Duration::from_millis(50));
        }
        self.memory = Some(memory);
        Ok(())
    }

    fn handeye(&mut self, words: &[String], json: bool) -> Outcome<Ran> {
        let all: Vec<&str> = json.then_some("--json").into_iter().chain(words.iter().map(String::as_str)).collect();
        cleanup::hold_if_interrupted();
        run::limited(&mut self.shell.command(&all), LIMIT)
    }

    fn see(&mut self, check: &str) -> Outcome<Value> {
        let memory = self.memory.as_mut().ok_or_else(|| Fail::new("no page is open"))?;
        // As JSON writes it: what a page keeps behind proxies is told as what it stands for.
        let (text, _) = memory.evaluate(&format!("(async () => JSON.stringify(await ({check})) ?? 'null')()"))?;
        serde_json::from_str(text.as_str().unwrap_or_default()).map_err(|e| Fail::new(format!("{text}: {e}")))
    }

    fn port(&self) -> String {
        self.site.port().to_string()
    }

    fn folder(&self) -> String {
        run::root().join(super::set::FOLDER).join("pages").display().to_string()
    }
}

/// A port that nobody listens on right now.
fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
