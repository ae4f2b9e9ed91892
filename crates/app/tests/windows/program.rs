//! The whole program on Windows: command line, daemon and pipe, against the desktop crate's own small window. `cargo xtask test
//! --windows` runs it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long any one command may take here.
const LIMIT: Duration = Duration::from_secs(40);

/// What a command came to.
#[derive(Debug)]
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    #[track_caller]
    fn exit(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// Folders of the test's own, and an end to its sessions however it ends.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("he").tempdir().unwrap())
    }

    fn run_dir(&self) -> PathBuf {
        self.0.path().join("run")
    }

    fn left(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.run_dir()).into_iter().flatten();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(built("handeye.exe"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("HANDEYE_RUNTIME_DIR", self.run_dir()).env("USERPROFILE", self.0.path());
        command.env("APPDATA", self.0.path().join("settings"));
        command
    }

    /// Runs a command, and reads its output to the end: a daemon that kept its starter's pipes would hang this.
    #[track_caller]
    fn run(&self, args: &[&str]) -> Ran {
        let child = self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (told, tells) = mpsc::channel();
        std::thread::spawn(move || told.send(child.wait_with_output()));
        let output = tells.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("{args:?} didn't end")).unwrap();
        Ran {
            status: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Turns to the window of this very title. Several may have the word in theirs: the handle tells which.
    #[track_caller]
    fn focus(&self, title: &str) {
        self.run(&["focus", self.window(title)["id"].as_str().unwrap()]).exit(0);
    }

    #[track_caller]
    fn window(&self, title: &str) -> Value {
        let list = self.run(&["windows", "--json"]).exit(0).json();
        let windows = list["windows"].as_array().or_else(|| list.as_array()).unwrap();
        windows.iter().find(|w| w["title"] == title).unwrap_or_else(|| panic!("{list}")).clone()
    }

    /// Starts the panel, and turns to it; its log.
    #[track_caller]
    fn panel(&self, title: &str) -> PathBuf {
        let log = self.0.path().join(format!("{title}.log"));
        let panel = built("examples/panel.exe");
        let launched = self.run(&["launch", panel.to_str().unwrap(), log.to_str().unwrap(), title]).exit(0).out;
        assert!(launched.contains(&format!("\"{title}")), "{launched}");
        self.focus(title);
        log
    }

    /// The number that the state shows before a line of this kind.
    #[track_caller]
    fn number(&self, line: &str) -> String {
        let state = self.run(&["state"]).exit(0).out;
        let found = state.lines().find(|l| l.contains(line)).unwrap_or_else(|| panic!("no {line} in\n{state}"));
        found.split(['[', ']']).nth(1).unwrap().to_owned()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for session in ["default", "other"] {
            // What has ended already says so.
            let _ = self.command(&["sessions", "stop", session]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}

/// A program of this build.
fn built(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join(name)
}

#[track_caller]
fn eventually(holds: impl Fn() -> bool, what: impl Fn() -> String) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "{}", what());
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_session_of_windows_from_open_to_stop() {
    let home = Home::new();
    assert_eq!(home.run(&["version"]).exit(0).out, concat!(env!("CARGO_PKG_VERSION"), "\n"));
    let nothing = home.run(&["state"]).exit(2);
    assert!(nothing.err.starts_with("error[not_found]: nothing is open in session `default`"), "{nothing:?}");
    let opened = home.run(&["open", "desktop:"]).exit(0).out;
    assert!(opened.starts_with("opened \"") && opened.contains("desktop:"), "{opened}");
    // Wine has no UI Automation; Windows has.
    let wine = Path::new("C:\\windows\\system32\\winecfg.exe").is_file();
    assert_eq!(opened.contains("notice backend: UI Automation can't start here"), wine, "{opened}");
    let log = home.panel("Painel 漢");
    let listed = home.run(&["windows"]).exit(0).out;
    assert!(listed.contains("Painel 漢 far") && listed.contains("panel.exe"), "{listed}");

    let approve = home.number("button \"Approve\"");
    let clicked = home.run(&["click", &approve, "--expect", "Approve"]);
    eventually(|| read(&log).contains("clicked Approve"), || format!("{clicked:?}: {}", read(&log)));
    let refused = home.run(&["click", &approve, "--expect", "Delete"]).exit(1);
    assert!(refused.out.contains("contradicted"), "{refused:?}");

    let name = home.number("textbox \"Name\"");
    let text = "é 中文 😀";
    home.run(&["input", &name, text]).exit(0);
    eventually(|| read(&log).contains(&format!("name {text}")), || read(&log));
    assert_eq!(home.run(&["get", "value", &name]).exit(0).out.trim_end(), text);
    assert!(home.run(&["state", "--json"]).exit(0).out.contains(text));
    let stale = home.run(&["click", "9999"]).exit(2);
    assert!(stale.err.starts_with("error["), "{stale:?}");

    // Another interface for one call: the numbers mean what they meant.
    let by_messages = home.run(&["state", "--backend", "win32"]).exit(0).out;
    assert!(by_messages.contains(&format!("[{approve}] button \"Approve\"")) == wine, "{by_messages}");
    if wine {
        let refused = home.run(&["state", "--backend", "uia"]).exit(2);
        assert!(refused.err.starts_with("error[unavailable]: UI Automation can't start here"), "{refused:?}");
    }
    assert_eq!(home.run(&["get", "value", &name, "--backend", "win32"]).exit(0).out.trim_end(), text);
    let odd = home.run(&["state", "--backend", "x11"]).exit(2);
    assert!(odd.err.contains("write uia or win32"), "{odd:?}");

    // Menus by their names, down to the item; Wine keeps the menus of one program from another.
    let chosen = home.run(&["menu", "File->Save As"]);
    if wine {
        assert!(chosen.exit(2).err.contains("no menu with \"File\" can be seen"));
    } else {
        eventually(|| read(&log).contains("menu 202"), || format!("{chosen:?} {}", read(&log)));
        home.run(&["menu", "File->Nothing"]).exit(2);
        assert!(!home.run(&["state"]).exit(0).out.contains("menuitem \"Wrap\""), "the menu is closed again");
    }

    // Compound controls.
    let found = home.run(&["find", "--automation-id", "101"]).exit(0).out;
    assert!(found.contains("button \"Approve\""), "{found}");
    let found = home.run(&["find", "--class", "ListBox"]).exit(0).out;
    assert!(found.contains("listbox"), "{found}");

    let listed = home.run(&["sessions", "list"]).exit(0).out;
    assert!(listed.contains("default"), "{listed}");
    home.run(&["close"]);
    home.run(&["sessions", "stop", "default"]).exit(0);
    assert!(!home.run(&["sessions", "list"]).exit(0).out.contains("default"));
    eventually(|| home.left().iter().all(|n| n == ".lock"), || format!("{:?}", home.left()));
}

#[test]
fn what_is_refused_or_gone_hands_nothing_to_another_window() {
    let home = Home::new();
    home.run(&["open", "desktop:"]).exit(0);
    let rows = home.panel("Rows");
    let go = home.number("button \"Approve\"");
    home.panel("Order");
    let refused = home.run(&["click", &go, "--expect", "Nope"]).exit(1);
    assert!(refused.out.contains("expected text \"Nope\""), "{refused:?}");
    assert!(home.run(&["state"]).exit(0).out.starts_with("window \"Order\""));
    let moved = home.run(&["mouse", "move", "99999", "5"]).exit(1);
    assert!(
        moved.out.contains("contradicted, the pointer is at ") && moved.out.contains("not at 99999,5"),
        "{moved:?}"
    );
    let up = home.run(&["keyup", "Shift"]).exit(1);
    assert!(up.out.contains("contradicted, it wasn't down"), "{up:?}");
    let pid = home.window("Order")["pid"].to_string();
    assert!(Command::new("taskkill").args(["/f", "/pid", &pid]).status().unwrap().success());
    eventually(|| !home.run(&["windows"]).out.contains("\"Order\""), || home.run(&["windows"]).out);
    let lost = home.run(&["type", "SECRET"]).exit(2);
    assert!(lost.err.starts_with("error[lost]: the window 0x"), "{lost:?}");
    let state = home.run(&["state"]).exit(0).out;
    assert!(state.contains("is closed: this is another one, \"Rows"), "{state}");
    assert!(!read(&rows).contains("name") && !read(&rows).contains("clicked"), "{}", read(&rows));
    home.run(&["click", &go]).status.unwrap();
    eventually(|| read(&rows).contains("clicked Approve"), || read(&rows));
    home.run(&["sessions", "stop", "default"]).exit(0);
}

#[test]
fn notepad_is_written_in_and_saved_through_its_dialog() {
    if !Path::new("C:\\windows\\system32\\winecfg.exe").is_file() {
        // Each version of Windows has a notepad of its own, and these words are Wine's.
        return;
    }
    let home = Home::new();
    home.run(&["open", "desktop:"]).exit(0);
    home.run(&["launch", "notepad.exe"]).exit(0);
    let page = home.number("textbox \"\"");
    home.run(&["input", &page, "first line\né 漢字 😀"]).exit(0);
    // Wine keeps the menus of one program from another, and says so.
    let missing = home.run(&["menu", "File->Save As"]).exit(2);
    assert!(
        missing.err.contains("no menu with \"File\" can be seen") && missing.err.contains("keys alt"),
        "{missing:?}"
    );
    // Their keys work all the same.
    home.run(&["keys", "alt+f", "a"]).exit(0);
    let encoding = home.number("combobox \"Encoding\"");
    home.run(&["select", &encoding, "Unicode (UTF-8)"]).exit(0);
    let file = home.0.path().join("书 é.txt");
    let name = home.number("textbox \"File name\"");
    home.run(&["input", &name, file.to_str().unwrap()]).exit(0);
    let save = home.number("button \"Save\"");
    home.run(&["click", &save]).exit(0);
    eventually(|| file.is_file(), || home.run(&["state"]).out);
    assert_eq!(read(&file).trim_start_matches('\u{feff}'), "first line\r\né 漢字 😀");
    home.run(&["keys", "alt+f4"]);
    eventually(|| home.run(&["windows"]).out.matches("notepad").count() == 0, || home.run(&["windows"]).out);
    home.run(&["sessions", "stop", "default"]).exit(0);
}

#[test]
fn a_daemon_that_was_killed_is_told_of_and_cleared_away() {
    let home = Home::new();
    home.run(&["open", "desktop:", "--json"]).exit(0);
    let pid = home.run(&["sessions", "list", "--json"]).exit(0).json();
    let pid = pid.pointer("/sessions/0/pid").or_else(|| pid.pointer("/0/pid")).and_then(Value::as_u64).unwrap();
    assert!(Command::new("taskkill").args(["/f", "/pid", &pid.to_string()]).status().unwrap().success());
    let lost = home.run(&["state"]).exit(2);
    assert!(lost.err.starts_with("error[lost]: the daemon of session `default` died"), "{lost:?}");
    home.run(&["open", "desktop:"]).exit(0);
    home.run(&["sessions", "stop", "default"]).exit(0);
    eventually(|| home.left().iter().all(|n| n == ".lock"), || format!("{:?}", home.left()));
}

#[test]
fn two_sessions_are_two_daemons_and_a_second_open_finds_the_first() {
    let home = Home::new();
    let clients: Vec<_> = (0..4)
        .map(|_| home.command(&["open", "desktop:"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
        .collect();
    for mut client in clients {
        assert_eq!(client.wait().unwrap().code(), Some(0));
    }
    home.run(&["--session", "other", "open", "desktop:"]).exit(0);
    let records = home.left().iter().filter(|n| n.ends_with(".json")).count();
    assert_eq!(records, 2, "{:?}", home.left());
    home.run(&["sessions", "stop", "default"]).exit(0);
    home.run(&["--session", "other", "windows"]).exit(0);
    home.run(&["sessions", "stop", "other"]).exit(0);
}

#[test]
fn what_a_browser_needs_is_said() {
    let home = Home::new();
    let refused =
        home.run(&["open", "http://127.0.0.1:1/", "--browser", built("handeye.exe").to_str().unwrap()]).exit(2);
    assert!(refused.err.contains("error[unsupported]: launching") && refused.err.contains("--cdp"), "{refused:?}");
}

#[test]
fn the_folder_is_closed_to_others() {
    let home = Home::new();
    home.run(&["open", "desktop:"]).exit(0);
    home.run(&["sessions", "stop", "default"]).exit(0);
    // One that everyone can reach into is refused.
    let open = home.0.path().join("open to all");
    std::fs::create_dir(&open).unwrap();
    let granted = Command::new("icacls").args([open.to_str().unwrap(), "/grant", "*S-1-1-0:(OI)(CI)F"]).status();
    if granted.is_ok_and(|s| s.success()) && !Path::new("C:\\windows\\system32\\winecfg.exe").is_file() {
        let refused = home.command(&["open", "desktop:"]).env("HANDEYE_RUNTIME_DIR", &open).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
}

#[test]
fn places_of_a_named_window_are_that_windows_or_nobodys() {
    let home = Home::new();
    home.run(&["open", "desktop:"]).exit(0);
    let lower = home.panel("Lower");
    let upper = home.panel("Upper");
    let (id, rect) = (home.window("Lower")["id"].as_str().unwrap().to_owned(), home.window("Lower")["rect"].clone());
    let at = |of: usize, member: &str| rect.get(of).or(rect.get(member)).and_then(Value::as_f64).unwrap();
    let inside = [(at(0, "x") + 440.0).to_string(), (at(1, "y") + 330.0).to_string()];
    let beside = [(at(0, "x") + at(2, "width") + 60.0).to_string(), (at(1, "y") + at(3, "height") + 60.0).to_string()];
    let words = |command: &'static str, places: &[&[String; 2]]| -> Vec<String> {
        let places = places.iter().flat_map(|place| place.iter().cloned());
        std::iter::once(command.to_owned()).chain(places).chain(["--window".to_owned(), id.clone()]).collect()
    };
    let run = |words: &[String]| home.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    // It lies under the other one, at the same place: it is raised for it.
    let clicked = run(&words("click-at", &[&inside]));
    eventually(|| read(&lower).contains("Lower: left"), || format!("{clicked:?} {}", read(&lower)));
    for (command, places) in [
        ("click-at", vec![&beside]),
        ("dblclick-at", vec![&beside]),
        ("rightclick-at", vec![&beside]),
        ("drag-at", vec![&beside, &inside]),
        ("drag-at", vec![&inside, &beside]),
    ] {
        let refused = run(&words(command, &places)).exit(2);
        assert!(refused.err.starts_with("error[blocked]"), "{command}: {refused:?}");
    }
    assert_eq!(read(&lower).matches(": left").count(), 1, "{}", read(&lower));
    assert!(!read(&upper).contains(": left"), "{}", read(&upper));
    home.run(&["sessions", "stop", "default"]).exit(0);
}
