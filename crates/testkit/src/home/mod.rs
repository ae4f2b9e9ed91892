//! A home of its own for each test of the binary: runtime folder, home folder, working folder; and an end to everything
//! that was started from it, however the test ends.

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long any one command may take here.
const LIMIT: Duration = Duration::from_secs(40);

/// The program, which Cargo puts beside the folder of the tests that it builds with it.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join("handeye")
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    /// Exit status; none when a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Its output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The code of the problem it printed as JSON.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("no problem: {self:?}")).to_owned()
    }

    /// Checks the exit status.
    #[track_caller]
    pub fn exit(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        self
    }
}

/// A home.
pub struct Home {
    dir: TempDir,
}

impl Home {
    /// An empty one.
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("he").tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir }
    }

    /// Its folder, which is the home folder of the commands.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The folder commands run in.
    pub fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    /// The folder for sockets; commands make it.
    pub fn run_dir(&self) -> PathBuf {
        self.path().join("run")
    }

    /// What lies in the folder for sockets.
    pub fn left(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.run_dir()) else { return Vec::new() };
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A command line, not yet run.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(program());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_bytes().starts_with(b"HANDEYE_")) {
            command.env_remove(name);
        }
        command
            .args(args)
            .current_dir(self.work())
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join(".config"))
            .env("HANDEYE_RUNTIME_DIR", self.run_dir())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command line, its words separated by spaces.
    #[track_caller]
    pub fn run(&self, line: &str) -> Ran {
        run(self.command(line.split_whitespace()))
    }

    /// Runs a daemon without a client, as its starter.
    pub fn serve(&self, session: &str) -> Daemon {
        let mut command = self.command([
            OsStr::new("_serve"),
            "--session".as_ref(),
            session.as_ref(),
            "--folder".as_ref(),
            self.run_dir().as_ref(),
        ]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "\"ready\"\n");
        let starter = child.stdin.take();
        Daemon { socket: self.run_dir().join(format!("{session}.sock")), child, starter }
    }

    /// Process id of a session's daemon, by its record.
    pub fn pid(&self, session: &str) -> Option<i32> {
        let record = std::fs::read(self.run_dir().join(format!("{session}.json"))).ok()?;
        let record: Value = serde_json::from_slice(&record).ok()?;
        i32::try_from(record["pid"].as_i64()?).ok()
    }

    /// Processes whose arguments name this home's folder for sockets: daemons and browsers.
    pub fn processes(&self) -> Vec<i32> {
        naming(&self.run_dir())
    }

    /// Waits until no process and no file of a session is left.
    #[track_caller]
    pub fn assert_nothing_left(&self) {
        let clean = eventually(Duration::from_secs(10), || self.processes().is_empty() && self.left().is_empty());
        assert!(clean, "left: files {:?}, processes {:?}", self.left(), self.processes());
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for name in self.left().iter().filter_map(|file| file.strip_suffix(".json")) {
            let _ = self.command(["sessions", "stop", name]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
        // Whatever still names this folder, which is this home's alone, was started from here.
        for pid in self.processes() {
            kill(pid, "KILL");
        }
    }
}

/// A daemon that the test started itself.
pub struct Daemon {
    /// Its socket.
    pub socket: PathBuf,
    /// Its process.
    pub child: Child,
    /// What it takes for its starter.
    pub starter: Option<ChildStdin>,
}

impl Daemon {
    /// A connection.
    pub fn connect(&self) -> Talk {
        Talk::to(&self.socket)
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Waits until it ended, on its own.
    #[track_caller]
    pub fn assert_ends(&mut self) {
        let ended = eventually(Duration::from_secs(10), || self.child.try_wait().unwrap().is_some());
        assert!(ended, "the daemon goes on");
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection to a daemon.
pub struct Talk(BufReader<UnixStream>);

impl Talk {
    /// Connects.
    pub fn to(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// The next answer.
    #[track_caller]
    pub fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    /// Sends a line and reads one.
    #[track_caller]
    pub fn ask(&mut self, request: &Value) -> Value {
        self.send(format!("{request}\n").as_bytes());
        self.answer()
    }

    /// A ping's answer.
    pub fn ping(&mut self) -> Value {
        self.ask(&json!({"command": "_ping"}))
    }
}

/// Runs a command, ended by force when it takes too long.
#[track_caller]
pub fn run(mut command: Command) -> Ran {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    finish(child)
}

/// Waits for a command that runs.
#[track_caller]
pub fn finish(child: Child) -> Ran {
    finish_within(child, LIMIT)
}

/// The same with a limit of its own, for what starts programs that are slow to start.
#[track_caller]
pub fn finish_within(mut child: Child, limit: Duration) -> Ran {
    let text = |mut from: Box<dyn Read + Send>| {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = from.read_to_end(&mut bytes);
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
        });
        receiver
    };
    let out = text(Box::new(child.stdout.take().unwrap()));
    let err = text(Box::new(child.stderr.take().unwrap()));
    let mut status = None;
    if !eventually(limit, || child.try_wait().unwrap().inspect(|s| status = Some(*s)).is_some()) {
        let _ = child.kill();
        let _ = child.wait();
        panic!("the command took longer than {limit:?}");
    }
    let text =
        |from: mpsc::Receiver<String>| from.recv_timeout(Duration::from_secs(5)).expect("its output is kept open");
    Ran { status: status.unwrap().code(), out: text(out), err: text(err) }
}

/// Processes whose arguments name a folder.
pub fn naming(folder: &Path) -> Vec<i32> {
    let wanted = folder.as_os_str().as_bytes();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.windows(wanted.len()).any(|w| w == wanted)
    })
    .collect()
}

/// Sends a signal to a process that the test started.
pub fn kill(pid: i32, signal: &str) {
    let _ = Command::new("kill").arg(format!("-{signal}")).arg(pid.to_string()).stderr(Stdio::null()).status();
}

/// Kills a process and waits until it is gone: what it held is let go by the kernel a moment after the signal.
pub fn kill_and_wait(pid: i32) {
    kill(pid, "KILL");
    assert!(eventually(Duration::from_secs(10), || !is_running(pid)), "{pid} outlives being killed");
}

/// Whether a process runs. One that has ended and isn't reaped yet doesn't.
fn is_running(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Looks again and again until something holds; whether it came to that.
pub fn eventually(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
