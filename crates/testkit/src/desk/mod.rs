//! A desktop of its own for each test: display, message bus, accessibility bus and window manager; and an end to all of it.

pub mod forms;

use crate::home::{self, Home, Ran, eventually};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Everything a desktop needs, whichever programs run on it.
const NEEDED: [&str; 3] = ["Xvfb", "dbus-daemon", "openbox"];
/// The Python that Debian's packages of GTK are for.
const PYTHON: &str = "/usr/bin/python3";

/// A desktop.
pub struct Desk {
    /// Where handeye's commands run.
    pub home: Home,
    display: String,
    bus: String,
    own: Vec<Part>,
}

/// A program that doesn't run for a while.
pub struct Stopped {
    goes_on: mpsc::Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.goes_on.send(());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A program that the desktop consists of.
struct Part {
    name: String,
    child: Child,
    /// Where it writes what it complains of.
    log: PathBuf,
}

impl Part {
    /// How it is, for a test that fails: whether it ended by itself, and its last words.
    fn report(&mut self) -> String {
        let ended = match self.child.try_wait() {
            Ok(Some(status)) => format!("ended by itself ({status})"),
            _ => "runs".to_owned(),
        };
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        format!(
            "{} (pid {}) {ended}; {}",
            self.name,
            self.child.id(),
            lines[lines.len().saturating_sub(12)..].join(" | ")
        )
    }
}

/// Prints a line whatever the test comes to.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Whether a program is on PATH.
fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

impl Desk {
    /// A desktop on which `programs` can be started; none, and a word about it, where they aren't installed.
    pub fn with(programs: &[&str]) -> Option<Self> {
        let mut desk = Self::unmanaged(programs, &[])?;
        desk.manage();
        Some(desk)
    }

    /// The same without a window manager, on a display that is given these arguments.
    pub fn unmanaged(programs: &[&str], display: &[&str]) -> Option<Self> {
        let missing: Vec<&&str> = NEEDED.iter().chain(programs).filter(|p| !installed(p)).collect();
        if !missing.is_empty() {
            say(&format!("not tested here, for want of {missing:?}: cargo xtask test --only install"));
            return None;
        }
        let home = Home::new();
        let mut desk = Self { home, display: String::new(), bus: String::new(), own: Vec::new() };
        std::fs::create_dir(desk.run_dir()).unwrap();
        std::fs::set_permissions(desk.run_dir(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let usual = ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"];
        let number = desk.starts("Xvfb", &[&usual, display].concat());
        desk.display = format!(":{number}");
        let address = format!("--address=unix:path={}", desk.run_dir().join("bus").display());
        desk.bus = desk.starts("dbus-daemon", &["--session", "--nofork", "--print-address=1", &address]);
        Some(desk)
    }

    /// Starts the window manager.
    pub fn manage(&mut self) {
        let (mut manager, log) = self.part("openbox");
        // It reads a table of half a megabyte for the keys that combine to letters, of which it takes none.
        manager.env("XCOMPOSEFILE", "/dev/null");
        let child = manager.stdout(Stdio::null()).spawn().unwrap();
        self.own.push(Part { name: "openbox".into(), child, log });
    }

    /// Keeps the window manager from running for so long, or until what is returned is dropped.
    pub fn stop_manager(&self, time: Duration) -> Stopped {
        let manager = self.own.iter().find(|part| part.name == "openbox").unwrap();
        let pid = i32::try_from(manager.child.id()).unwrap();
        home::kill(pid, "STOP");
        let (goes_on, told) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let _ = told.recv_timeout(time);
            home::kill(pid, "CONT");
        });
        Stopped { goes_on, thread: Some(thread) }
    }

    /// The same with handeye looking at it.
    pub fn open(programs: &[&str]) -> Option<Self> {
        let desk = Self::with(programs)?;
        desk.ok(&["open", "desktop:"]);
        Some(desk)
    }

    fn run_dir(&self) -> PathBuf {
        self.home.path().join("desk")
    }

    /// The desktop, as a surface is told of it.
    pub fn address(&self) -> handeye_scene::DesktopConfig {
        handeye_scene::DesktopConfig {
            display: Some(self.display.clone()),
            bus: Some(self.bus.clone()),
            ..handeye_scene::DesktopConfig::default()
        }
    }

    /// A path in the working folder.
    pub fn path(&self, name: &str) -> String {
        self.home.work().join(name).display().to_string()
    }

    fn on_desk(&self, command: &mut Command) {
        command.envs(self.variables()).env_remove("WAYLAND_DISPLAY");
    }

    /// What a program is told to run on it.
    pub fn variables(&self) -> [(&'static str, String); 6] {
        [
            ("HOME", self.home.path().display().to_string()),
            ("XDG_RUNTIME_DIR", self.run_dir().display().to_string()),
            ("XDG_CONFIG_HOME", self.home.path().join(".config").display().to_string()),
            ("DISPLAY", self.display.clone()),
            ("DBUS_SESSION_BUS_ADDRESS", self.bus.clone()),
            ("LC_ALL", "C.UTF-8".into()),
        ]
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        self.on_desk(&mut command);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// A part of the desktop, and where it writes what it complains of.
    fn part(&self, name: &str) -> (Command, PathBuf) {
        let log = self.home.path().join(format!("{name}.log"));
        let mut command = self.program(name);
        command.stderr(std::fs::File::create(&log).unwrap());
        (command, log)
    }

    /// Starts a part of the desktop, and reads the one line that says that it is ready.
    fn starts(&mut self, name: &str, args: &[&str]) -> String {
        let (mut command, log) = self.part(name);
        let mut child = command.args(args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        // Its output stays open as long as it runs.
        std::mem::forget(out);
        self.own.push(Part { name: name.into(), child, log });
        assert!(!line.trim().is_empty(), "{name} didn't start");
        line.trim().to_owned()
    }

    /// A command, not yet run.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.home.command(words);
        self.on_desk(&mut command);
        command
    }

    /// Runs a command.
    #[track_caller]
    pub fn run(&self, words: &[&str]) -> Ran {
        home::run(self.command(words))
    }

    /// Processes of this desktop's accessibility bus.
    pub fn accessibility_buses(&self) -> Vec<i32> {
        let mark = format!("XDG_RUNTIME_DIR={}", self.run_dir().display());
        let is_one = |pid: &i32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains("accessibility.conf") || line.contains("at-spi-bus-launcher")
        };
        let folder = format!("{}/", self.home.path().display());
        marked(&mark, &folder).into_iter().filter(is_one).collect()
    }

    /// Sets the keyboard's layout.
    #[track_caller]
    pub fn set_layout(&self, words: &[&str]) {
        assert!(self.program("setxkbmap").args(words).stdout(Stdio::null()).status().unwrap().success());
    }

    /// Keys that mean something else for now, as they are noted on the display.
    pub fn lent_keys(&self) -> String {
        let out = self.program("xprop").args(["-root", "_HANDEYE_KEYCODES"]).output().unwrap();
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        if said.contains("not found") { String::new() } else { said }
    }

    /// Output of a command that must end in confirmation.
    #[track_caller]
    pub fn ok(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{words:?}: {ran:?}");
        ran.out.trim_end().to_owned()
    }

    /// Output of a command that must not be confirmed.
    #[track_caller]
    pub fn not(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.status, ran.err.as_str()), (Some(1), ""), "{words:?}: {ran:?}");
        ran.out.trim_end().to_owned()
    }

    /// Message of a command that must be a problem: `error[code]: …`.
    #[track_caller]
    pub fn problem(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{words:?}: {ran:?}");
        ran.err
    }

    /// JSON output of a command that must end in confirmation.
    #[track_caller]
    pub fn json(&self, words: &[&str]) -> Value {
        let mut all = words.to_vec();
        all.push("--json");
        serde_json::from_str(&self.ok(&all)).unwrap()
    }

    /// Number of the one target of this role and name, which may take a while to be there.
    #[track_caller]
    pub fn number(&self, role: &str, name: &str) -> String {
        let mut words = vec!["find", "--role", role, "--json"];
        if !name.is_empty() {
            words.extend(["--name", name]);
        }
        let mut found = Value::Null;
        let only = eventually(Duration::from_secs(15), || {
            found = serde_json::from_str(&self.run(&words).out).unwrap_or_default();
            found["targets"].as_array().is_some_and(|targets| targets.len() == 1)
        });
        assert!(only, "{role} {name}: {found}");
        found["targets"][0]["ref"].to_string()
    }

    /// Starts the panel, and looks at it.
    pub fn panel(&self, title: &str) -> Panel {
        self.see(self.panel_unseen(title), title)
    }

    /// Starts the window of rows, and looks at it.
    pub fn rows(&self, title: &str) -> Panel {
        self.see(self.started("rows.py", title), title)
    }

    /// Starts a window of the fixtures, and looks at it.
    pub fn fixture(&self, script: &str, title: &str) -> Panel {
        self.see(self.started(script, title), title)
    }

    fn see(&self, panel: Panel, title: &str) -> Panel {
        // Its window is there when its manager has put it somewhere.
        assert!(eventually(Duration::from_secs(10), || self.run(&["state", "--window", title]).status == Some(0)));
        panel
    }

    /// Starts the panel.
    pub fn panel_unseen(&self, title: &str) -> Panel {
        self.started("panel.py", title)
    }

    /// Starts a window of the fixtures.
    pub fn started(&self, script: &str, title: &str) -> Panel {
        let log = self.home.work().join(format!("{title}.log"));
        std::fs::write(&log, "").unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/desktop").join(script);
        let mut child = self
            .program(PYTHON)
            .arg(script)
            .arg(&log)
            .arg(title)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let panel = Panel { child, input, log };
        panel.logs("ready");
        panel
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let parts: Vec<String> = self.own.iter_mut().map(Part::report).collect();
            say(&format!("the desktop {} of the test that failed:\n{}", self.display, parts.join("\n")));
        }
        let _ = self.run(&["sessions", "stop", "--all"]);
        // Whatever runs on this desktop was started from here.
        let mark = format!("XDG_RUNTIME_DIR={}", self.run_dir().display());
        let folder = format!("{}/", self.home.path().display());
        for pid in marked(&mark, &folder) {
            home::kill(pid, "KILL");
        }
        for part in &mut self.own {
            let _ = part.child.kill();
            let _ = part.child.wait();
        }
    }
}

/// Whether anything runs that was started with a path in this folder.
pub fn is_left(folder: &str) -> bool {
    !marked("\0", folder).is_empty()
}

/// Processes whose environment holds `mark`, or whose arguments `folder`, which are one desktop's alone: Chromium writes over its
/// environment, and outlives its display.
fn marked(mark: &str, folder: &str) -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let arguments = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        environ.split(|b| *b == 0).any(|entry| entry == mark.as_bytes()) || arguments.contains(folder)
    })
    .collect()
}

/// A window of ours that says what is done to it.
pub struct Panel {
    child: Child,
    input: ChildStdin,
    log: PathBuf,
}

impl Panel {
    /// Its process id.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Tells it to change, and waits until it has.
    #[track_caller]
    pub fn tell(&mut self, line: &str) {
        let word = line.split(' ').next().unwrap();
        self.send(line);
        self.logs(&format!("done {word}"));
    }

    /// The same where the answer is the whole line.
    #[track_caller]
    pub fn tell_whole(&mut self, line: &str) {
        self.send(line);
        self.logs(&format!("done {line}"));
    }

    /// Tells it something that it doesn't answer.
    pub fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        let mut said = std::fs::read(&self.log).unwrap();
        // A line that is being written is none yet, and may end inside a character.
        said.truncate(said.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        String::from_utf8(said).unwrap()
    }

    /// Waits until it logs a line.
    #[track_caller]
    pub fn logs(&self, line: &str) {
        let there = eventually(Duration::from_secs(10), || self.log().lines().any(|l| l == line));
        assert!(there, "{line:?} isn't in {:?}", self.log());
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        // A stopped process doesn't end by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
