//! Child processes, and where things are.

use crate::cleanup;
use std::{
    ffi::OsStr,
    fmt,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// Why a chore stopped, and its exit status: 1 for a check that failed, 2 for something that is missing or misused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fail {
    pub(crate) message: String,
    pub(crate) code: u8,
}

/// What a chore returns.
pub(crate) type Outcome<T = ()> = Result<T, Fail>;

impl Fail {
    /// A check that failed.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    /// Something that is missing on this machine, or an option that doesn't exist.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<std::io::Error> for Fail {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let manifest = PathBuf::from(manifest);
    manifest.parent().map(Path::to_path_buf).unwrap_or(manifest)
}

/// Where cargo builds to, as the user's configuration has it.
pub(crate) fn target_dir() -> Outcome<PathBuf> {
    let text = output(cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| Fail::new(format!("cargo metadata printed no JSON: {e}")))?;
    let dir =
        value["target_directory"].as_str().ok_or_else(|| Fail::new("cargo metadata names no target directory"))?;
    Ok(dir.into())
}

/// The cargo that runs us, in the root of the repository.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    apart(&mut command).current_dir(root());
    command
}

/// Without what Cargo tells us of our own package: build scripts look at it, and would run again, with all that is built on
/// them, whenever Cargo was run by hand in between.
pub(crate) fn apart(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_of_package) {
            command.env_remove(name);
        }
    }
    command
}

/// Whether Cargo says by this variable which package a program that it runs is of.
fn is_of_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|begin| name.starts_with(begin))
}

/// Builds the `handeye` binary and says where it is.
pub(crate) fn build_handeye(release: bool) -> Outcome<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--package", "handeye"]);
    if release {
        build.arg("--release");
    }
    checked(&mut build)?;
    let mut binary = target_dir()?.join(if release { "release" } else { "debug" }).join("handeye");
    binary.set_extension(std::env::consts::EXE_EXTENSION);
    if binary.is_file() { Ok(binary) } else { Err(Fail::new(format!("the build left no {}", binary.display()))) }
}

/// What the steps of the tests run themselves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Program {
    Handeye,
    /// The example that installs the weights of the text models.
    Weights,
    /// The example that prints the page script.
    PageScript,
}

/// Builds what the steps of the tests run themselves, and says where one of it is. It is built out of the whole workspace, with the
/// features that the tests have: built alone, most crates would be built once more for the tests.
pub(crate) fn built_as_tested(program: Program) -> Outcome<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--workspace", "--quiet", "--bin", "handeye"]);
    checked(build.args(["--example", "install_weights", "--example", "page_script"]))?;
    let folder = target_dir()?.join("debug");
    let mut binary = match program {
        Program::Handeye => folder.join("handeye"),
        Program::Weights => folder.join("examples").join("install_weights"),
        Program::PageScript => folder.join("examples").join("page_script"),
    };
    binary.set_extension(std::env::consts::EXE_EXTENSION);
    if binary.is_file() { Ok(binary) } else { Err(Fail::new(format!("the build left no {}", binary.display()))) }
}

/// Tells the tests to try everything, if so.
pub(crate) fn all_trials(command: &mut Command, full: bool) -> &mut Command {
    if full { command.env("HANDEYE_TRIALS", "full") } else { command }
}

/// Runs with our own input and output; an exit status other than 0 is a failure.
pub(crate) fn checked(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|e| start_failure(command, &e))?;
    if status.success() { Ok(()) } else { Err(Fail::new(format!("`{}` failed ({status})", shown(command)))) }
}

/// Runs and returns the standard output; an exit status other than 0 is a failure.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let out = command.stdin(Stdio::null()).output().map_err(|e| start_failure(command, &e))?;
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr);
        return Err(Fail::new(format!("`{}` failed ({})\n{}", shown(command), out.status, text.trim_end())));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// What a limited run gave.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    /// Exit status; none when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs to its end or to the limit, when it is killed and the run is a failure. A process that leaves its output
/// open behind itself (a daemon that kept its parent's pipe) is a failure too: callers would hang on it.
pub(crate) fn limited(command: &mut Command, limit: Duration) -> Outcome<Ran> {
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| start_failure(command, &e))?;
    let out = collect(child.stdout.take());
    let err = collect(child.stderr.take());
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Err(Fail::new(format!("`{}` did not end within {} s", shown(command), limit.as_secs())));
        }
        thread::sleep(Duration::from_millis(1));
    };
    let grace = Duration::from_secs(2);
    let kept = |_| Fail::new(format!("`{}` ended, but something it started keeps its output open", shown(command)));
    let stdout = out.recv_timeout(grace).map_err(kept)?;
    let stderr = err.recv_timeout(grace).map_err(kept)?;
    Ok(Ran { code: status.code(), stdout, stderr })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before an error is what there is to show.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn start_failure(command: &Command, error: &std::io::Error) -> Fail {
    Fail::usage(format!("can't run `{}`: {error}", command.get_program().to_string_lossy()))
}

/// The command line, for people.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned()];
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+#?&".contains(c);
    let special = |c: char| "?&#".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.chars().any(special) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The first of `names` that is a file in a folder of PATH.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().find_map(|name| {
        folders
            .iter()
            .map(|folder| folder.join(name).with_extension(std::env::consts::EXE_EXTENSION))
            .find(|p| p.is_file())
    })
}

/// A folder of our own that vanishes when its guard is dropped or we are interrupted.
pub(crate) fn scratch(name: &str) -> Outcome<(PathBuf, cleanup::Later)> {
    scratch_at(std::env::temp_dir().join(format!("handeye-xtask-{name}-{}", std::process::id())))
}

/// The same for the tests. Unless the caller's environment says where, it lies in memory that is used as a file system, where
/// there is enough: a browser writes some hundred small files as it starts. Its path is short, since sockets lie below it.
pub(crate) fn scratch_of_tests() -> Outcome<(PathBuf, cleanup::Later)> {
    const PREFIX: &str = "hx-";
    let memory = Path::new("/dev/shm");
    let is_said = std::env::var_os("TMPDIR").is_some();
    let folder = if !is_said && has_room(memory) { memory.to_owned() } else { std::env::temp_dir() };
    // Of runs that were killed.
    for entry in std::fs::read_dir(&folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pid = name.strip_prefix(PREFIX).filter(|pid| pid.parse::<u32>().is_ok());
        if cfg!(target_os = "linux") && pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    scratch_at(folder.join(format!("{PREFIX}{}", std::process::id())))
}

/// Whether so much of a file system in memory is free that Chromium uses it too, twice over, and programs run from it.
fn has_room(memory: &Path) -> bool {
    const LEAST: u64 = 8_200_000_000;
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mount = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .rfind(|of| of.get(1).is_some_and(|at| Path::new(at) == memory));
    let runs = mount.and_then(|of| of.get(3).copied()).is_some_and(|options| options.split(',').all(|o| o != "noexec"));
    let free = output(Command::new("df").args(["--output=avail", "-B1"]).arg(memory)).unwrap_or_default();
    let free = free.lines().last().and_then(|line| line.trim().parse::<u64>().ok());
    let left = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let left = left
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    runs && free.is_some_and(|free| free >= LEAST) && left.is_some_and(|left| left * 1024 >= LEAST)
}

fn scratch_at(path: PathBuf) -> Outcome<(PathBuf, cleanup::Later)> {
    std::fs::create_dir_all(&path)?;
    let gone = path.clone();
    // A browser that is just ending may still write: try a few times.
    let later = cleanup::later(move || {
        for _ in 0..20 {
            if std::fs::remove_dir_all(&gone).is_ok() || !gone.exists() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
    });
    Ok((path, later))
}

/// A whole number above 0, as an option takes it.
pub(crate) fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("write a whole number above 0".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_above_0() {
        assert_eq!(parse_count("12"), Ok(12));
        for text in ["0", "-1", "none", "", "1.5"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_command_line_can_be_pasted() {
        let mut command = Command::new("/usr/bin/handeye");
        command.args(["click", "3", "--expect", "it's", "下一页", "#log"]);
        assert_eq!(shown(&command), r"handeye click 3 --expect 'it'\''s' 下一页 '#log'");
    }

    #[test]
    fn a_run_past_its_limit_is_killed() {
        let begun = Instant::now();
        let ran = limited(Command::new("sleep").arg("60"), Duration::from_millis(50));
        assert!(ran.is_err_and(|fail| fail.message.contains("did not end")));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
