//! Fetches the wheel with pip, which knows the person's package index, proxy and certificates.

use super::{
    pinned::PACKAGE,
    progress::{Progress, Tell},
};
use crate::VisionError;
use std::{
    ffi::OsString,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Names under which Python is looked for on the search path, where none is given.
const PYTHONS: &[&str] = &["python3", "python", "py"];
/// Longest that is waited for what a program that has ended said.
const QUICK: Duration = Duration::from_secs(30);
/// How often a running pip is looked at.
const PAUSE: Duration = Duration::from_millis(50);
/// How often progress is told of while pip runs.
const BEAT: Duration = Duration::from_millis(250);
/// Most of what pip says that is kept.
const MOST_SAID: u64 = 64 * 1024;
/// How deep the folders are in which pip puts what it fetches.
const DEEPEST: usize = 4;

/// How long pip may take, all its runs together.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    begun: Instant,
    time: Duration,
}

impl Limit {
    /// So long from now on.
    pub(super) fn of(time: Duration) -> Self {
        Self { begun: Instant::now(), time }
    }
}

/// A Python that has pip. On a busy machine it takes its time to say so: that counts, and can be stopped, as fetching does.
pub(super) fn python(given: Option<&Path>, limit: Limit, tell: &mut Tell) -> Result<OsString, VisionError> {
    let names: Vec<OsString> = match given {
        Some(path) => vec![path.into()],
        None => PYTHONS.iter().map(Into::into).collect(),
    };
    let mut faults = Vec::new();
    for name in names {
        let mut command = Command::new(&name);
        command.args(["-m", "pip", "--version"]);
        match run(&mut command, limit, &mut |time| tell(Progress::Fetching { time, bytes: 0 })) {
            Ok(()) => return Ok(name),
            Err(Fault::Said(said)) => faults.push(format!("{}: {said}", name.to_string_lossy())),
            Err(Fault::Stopped(stopped)) => return Err(stopped),
        }
    }
    let (package, version) = PACKAGE;
    let needed = "Python 3 with pip is needed to fetch them, or the wheel of";
    Err(VisionError::Install(format!("{needed} {package} {version} as a file ({})", faults.join("; "))))
}

/// What pip is asked for.
pub(super) enum Wish<'a> {
    /// The pinned package, from its index.
    Package,
    /// A wheel at an address.
    Address(&'a str),
}

/// Puts the wheel into a folder, where there is no other.
pub(super) fn wheel(
    python: &OsString,
    folder: &Path,
    wish: Wish,
    limit: Limit,
    tell: &mut Tell,
) -> Result<PathBuf, VisionError> {
    let (name, version) = PACKAGE;
    let wanted = match wish {
        Wish::Package => format!("{name}=={version}"),
        Wish::Address(address) => address.to_owned(),
    };
    let mut command = Command::new(python);
    command.args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--ignore-requires-python"]);
    command.args(["--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--quiet", "--dest"]);
    command.arg(folder).arg("--").arg(&wanted);
    // What it writes meanwhile is taken away with the folder, however it ends.
    command.envs(["TMPDIR", "TEMP", "TMP"].map(|variable| (variable, folder)));
    let mut beat = |time| tell(Progress::Fetching { time, bytes: size(folder, DEEPEST) });
    run(&mut command, limit, &mut beat)
        .map_err(|fault| fault.or_else(|said| VisionError::Install(format!("pip couldn't fetch {wanted}: {said}"))))?;
    let file = |e: std::io::Error| VisionError::File { path: folder.to_owned(), message: e.to_string() };
    let entries = std::fs::read_dir(folder).map_err(file)?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|end| end == "whl");
    let found = entries.flatten().map(|entry| entry.path()).find(is_wheel);
    found.ok_or_else(|| VisionError::Install(format!("pip left no wheel for {wanted}")))
}

/// Bytes of all files in a folder and those in it, so many levels deep.
fn size(folder: &Path, levels: usize) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(facts) if facts.is_dir() && levels > 0 => size(&entry.path(), levels - 1),
        Ok(facts) if facts.is_file() => facts.len(),
        _ => 0,
    };
    entries.map(of).sum()
}

/// Why a program didn't come to a good end.
#[derive(Debug, PartialEq)]
enum Fault {
    /// Whoever is told of progress wants no more.
    Stopped(VisionError),
    /// What it said, or what the system says of it.
    Said(String),
}

impl Fault {
    fn or_else(self, error: impl FnOnce(String) -> VisionError) -> VisionError {
        match self {
            Fault::Stopped(stopped) => stopped,
            Fault::Said(said) => error(said),
        }
    }
}

/// Runs a program to its end, or ends it at the limit, or where `beat` wants no more.
fn run(
    command: &mut Command,
    limit: Limit,
    beat: &mut dyn FnMut(Duration) -> Result<(), VisionError>,
) -> Result<(), Fault> {
    let said = |e: std::io::Error| Fault::Said(e.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    apart(command);
    let mut child = match command.spawn() {
        Ok(child) => Ended(child),
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(Fault::Said("not found".into())),
        Err(e) => return Err(said(e)),
    };
    let pipe = child.0.stderr.take();
    // Read beside it, so that it never waits for a full pipe.
    let told = thread::spawn(move || {
        let (mut kept, mut rest) = (Vec::new(), [0; 4096]);
        if let Some(mut pipe) = pipe {
            // What can't be read isn't said.
            let _ = pipe.by_ref().take(MOST_SAID).read_to_end(&mut kept);
            while pipe.read(&mut rest).is_ok_and(|count| count > 0) {}
        }
        String::from_utf8_lossy(&kept).into_owned()
    });
    let mut last = limit.begun.elapsed();
    loop {
        if let Some(status) = child.0.try_wait().map_err(said)? {
            if status.success() {
                return Ok(());
            }
            // What it started may hold the pipe open for longer than it lives itself.
            let until = Instant::now() + QUICK;
            while !told.is_finished() && Instant::now() < until {
                thread::sleep(PAUSE);
            }
            let told = if told.is_finished() { told.join().unwrap_or_default() } else { String::new() };
            return Err(Fault::Said(gist(&told).unwrap_or_else(|| status.to_string())));
        }
        let elapsed = limit.begun.elapsed();
        if elapsed >= limit.time {
            return Err(Fault::Said(format!("not done after {} s", limit.time.as_secs())));
        }
        if elapsed >= last + BEAT {
            last = elapsed;
            beat(elapsed).map_err(Fault::Stopped)?;
        }
        thread::sleep(PAUSE);
    }
}

/// Apart from the terminal's own: whoever stops handeye there doesn't stop this one as well, which is ended in order.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}

/// Its first and its last line: pip warns first why it can't connect, and says last what it found nothing of.
fn gist(said: &str) -> Option<String> {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let cut = |line: &str| line.chars().take(300).collect::<String>();
    let first = lines.next()?;
    Some(match lines.next_back() {
        Some(last) if last != first => format!("{} … {}", cut(first), cut(last)),
        _ => cut(first),
    })
}

/// A program that doesn't outlive the call, nor does what it started: Python may be a script that starts another.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        end_group(&self.0);
        // One that ended by itself is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ends all that is in the program's group, which it leads. As long as it isn't waited for, or others are left, no other group
/// can have its number.
#[cfg(unix)]
fn end_group(child: &Child) {
    use nix::{
        sys::signal::{Signal, killpg},
        unistd::Pid,
    };
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<(), Fault> {
        let mut command = Command::new("sh");
        run(command.args(["-c", script]), Limit::of(limit), &mut |_| Ok(()))
    }

    fn said(text: &str) -> Result<(), Fault> {
        Err(Fault::Said(text.into()))
    }

    #[test]
    fn a_program_that_fails_is_told_by_its_first_and_last_words() {
        let second = Duration::from_secs(20);
        assert_eq!(shell("exit 0", second), Ok(()));
        assert_eq!(shell("echo ' no such package ' >&2; echo >&2; exit 1", second), said("no such package"));
        assert_eq!(
            shell("echo no route >&2; echo and so on >&2; echo no such package >&2; exit 1", second),
            said("no route … no such package")
        );
        assert_eq!(shell("yes chatter | head -c 1000000 >&2; exit 3", second).map_err(|_| ()), Err(()));
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let begun = Instant::now();
        assert_eq!(shell("exec sleep 60", Duration::from_millis(300)), said("not done after 0 s"));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_a_program_started_is_ended_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("sleep 60 > {} & wait", pipe.display())]);
        let (opened, is_open) = std::sync::mpsc::channel();
        // Open as long as the sleeping one lives.
        let reader = thread::spawn(move || {
            let mut pipe = std::fs::File::open(&pipe).unwrap();
            opened.send(Instant::now()).unwrap();
            pipe.read_to_end(&mut Vec::new()).unwrap()
        });
        let mut begun = None;
        let stop = || VisionError::Install("enough".into());
        let mut beat = |_| {
            begun = is_open.try_recv().ok();
            if begun.is_some() { Err(stop()) } else { Ok(()) }
        };
        let ended = run(&mut command, Limit::of(Duration::from_secs(300)), &mut beat);
        assert_eq!(ended, Err(Fault::Stopped(stop())));
        reader.join().unwrap();
        assert!(begun.unwrap().elapsed() < Duration::from_secs(50), "it slept to its end");
    }

    #[test]
    fn a_program_is_ended_where_no_more_is_wanted() {
        let (begun, stop) = (Instant::now(), || VisionError::Install("enough".into()));
        let mut command = Command::new("sh");
        let limit = Limit::of(Duration::from_secs(60));
        let ended = run(command.args(["-c", "exec sleep 60"]), limit, &mut |_| Err(stop()));
        assert_eq!(ended, Err(Fault::Stopped(stop())));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_python_that_is_not_there_is_named() {
        let limit = Limit::of(Duration::from_secs(60));
        let fault = python(Some(Path::new("no-such-python")), limit, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(fault.contains("no-such-python: not found"), "{fault}");
    }
}
