//! `cargo xtask test --windows`: the Windows side, built on Linux and run under Wine.
//!
//! Debian's own toolchain builds the standard library for Windows from its sources, as no registry of toolchains need be
//! reached for it. Wine has no UI Automation, so what runs is the backend of window messages; the other one is built and linted.

use crate::{
    cleanup, install,
    install::Need,
    run::{self, Fail, Outcome},
    steps::Steps,
};
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

pub(crate) const STEPS: &[&str] = &["install", "prefix", "clippy", "test"];

const TARGET: &str = "x86_64-pc-windows-gnu";
/// What is built and tested with all of its targets.
const PACKAGES: &[&str] = &["handeye-scene", "handeye-engine", "handeye-commands", "handeye-server", "handeye-desktop"];
/// Of the program itself, the tests of it on Windows: the others drive browsers on Unix.
const PROGRAM: &[&str] = &["--bins", "--test", "windows"];
/// How long a build may take, on two busy cores.
const BUILD: Duration = Duration::from_secs(40 * 60);
/// How long the tests may take.
const RUN: Duration = Duration::from_secs(20 * 60);
/// How long Wine may take for one of its own programs.
const WINE: Duration = Duration::from_secs(180);

/// Rust's standard library asks `bcryptprimitives.dll` for random numbers. Wine 8 has no such library: programs would end
/// with status 53, in silence.
const RANDOM: &str = "\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n) {
  while (n) {
    ULONG c = n > 65536 ? 65536 : (ULONG)n;
    if (!SystemFunction036(p, c)) return FALSE;
    p += c; n -= c;
  }
  return TRUE;
}
";

/// Runs the steps that are wanted.
pub(crate) fn test(only: Vec<String>, skip: Vec<String>, extra: &[String], full: bool) -> Outcome {
    let mut steps = Steps::new(only, skip);
    let target = run::target_dir()?;
    let prefix = target.join("wine");
    steps.step("install", || install::ensure(&[Need::Wine]))?;
    steps.step("prefix", || make_prefix(&prefix))?;
    let sets = [of(PACKAGES, &["--all-targets"]), of(&["handeye"], PROGRAM)];
    steps.step("clippy", || {
        for set in &sets {
            let mut clippy = cargo(&prefix, None);
            clippy.arg("clippy").args(common(&target)).args(set).args(["--quiet", "--", "-D", "warnings"]);
            timed(clippy, BUILD)?;
        }
        Ok(())
    })?;
    steps.step("test", || run_tests(&target, &prefix, extra, full))?;
    steps.summary();
    Ok(())
}

/// Builds what is tested, then tests it.
fn run_tests(target: &Path, prefix: &Path, extra: &[String], full: bool) -> Outcome {
    let screen = Screen::start()?;
    let _server = server_ends_with_us(prefix);
    // The program that the tests drive is an example; asked for as a test it would be one.
    let sets = sets(extra);
    let tests = sets.iter().map(|set| ("test", set.clone(), Some("--no-run")));
    for (word, set, more) in [("build", of(PACKAGES, &["--examples"]), None)].into_iter().chain(tests) {
        let mut build = cargo(prefix, None);
        build.arg(word).args(common(target)).args(set).args(more).arg("--quiet");
        timed(build, BUILD)?;
    }
    for set in sets {
        let mut test = cargo(prefix, Some(&screen));
        run::all_trials(&mut test, full);
        // One desktop: the tests take turns. All of them run, whatever one came to.
        test.arg("test").args(common(target)).args(set).arg("--no-fail-fast").args(extra);
        test.args(if extra.iter().any(|word| word == "--") { &[][..] } else { &["--"] }).arg("--test-threads=1");
        timed(test, if full { 6 * RUN } else { RUN })?;
    }
    Ok(())
}

/// What is tested: everything, or the crates that hold a test that is named.
fn sets(extra: &[String]) -> Vec<Vec<String>> {
    let mut words = extra.iter().take_while(|word| *word != "--");
    let named = words.by_ref().any(|word| word == "--test").then(|| words.next()).flatten();
    match named.map(String::as_str) {
        None => vec![of(PACKAGES, &["--tests"]), of(&["handeye"], PROGRAM)],
        Some("windows") => vec![of(PACKAGES, &[]), of(&["handeye"], &["--bins"])],
        Some(_) => vec![of(PACKAGES, &[])],
    }
}

fn common(target: &Path) -> Vec<String> {
    let mut words: Vec<String> = vec!["-Zbuild-std".into(), "--target".into(), TARGET.into(), "--target-dir".into()];
    words.push(target.join("windows").display().to_string());
    words
}

/// Packages, and which of their targets.
fn of(packages: &[&str], targets: &[&str]) -> Vec<String> {
    let named = packages.iter().flat_map(|name| ["-p", name]);
    named.chain(targets.iter().copied()).map(str::to_owned).collect()
}

/// Debian's cargo, with what it needs to build for Windows and to run what it built.
fn cargo(prefix: &Path, screen: Option<&Screen>) -> Command {
    let mut command = Command::new("/usr/bin/cargo");
    let linker = "x86_64-w64-mingw32-gcc";
    command
        .current_dir(run::root())
        // The one that runs us may come with settings of its own toolchain.
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTDOC", "/usr/bin/rustdoc")
        // Building the standard library is for nightly toolchains; Debian's compiler and its sources are of one version.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", linker)
        .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine");
    // First, so that cargo finds its own clippy and no other.
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("/usr/bin:{path}"));
    in_prefix(&mut command, prefix);
    if let Some(screen) = screen {
        command.env("DISPLAY", &screen.display);
    }
    command
}

fn in_prefix(command: &mut Command, prefix: &Path) {
    command
        .env("WINEPREFIX", prefix)
        .env("WINEDEBUG", "-all")
        // Neither .NET nor a browser of its own is asked for, and no entries of menus are made.
        .env("WINEDLLOVERRIDES", "mscoree=d;mshtml=d;winemenubuilder.exe=d");
}

/// A Windows of its own in the target folder, once.
fn make_prefix(prefix: &Path) -> Outcome {
    let done = prefix.join("made-by-xtask");
    if done.is_file() {
        println!("it is there");
        return Ok(());
    }
    std::fs::create_dir_all(prefix)?;
    let screen = Screen::start()?;
    let _server = server_ends_with_us(prefix);
    let wine = |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("DISPLAY", &screen.display).stdout(Stdio::null()).stderr(Stdio::null());
        in_prefix(&mut command, prefix);
        timed(command, WINE)
    };
    wine(&["wineboot", "-i"])?;
    let source = prefix.join("random.c");
    std::fs::write(&source, RANDOM)?;
    let library = prefix.join("drive_c/windows/system32/bcryptprimitives.dll");
    let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
    compiler.args(["-shared", "-O2", "-s", "-o"]).arg(&library).arg(&source).arg("-ladvapi32");
    run::checked(&mut compiler)?;
    // A call that Wine lacks must fail, not open a dialog that nobody closes.
    let key = r"HKCU\Software\Wine\WineDbg";
    wine(&["wine", "reg", "add", key, "/v", "ShowCrashDialog", "/t", "REG_DWORD", "/d", "0", "/f"])?;
    wine(&["wineserver", "-w"])?;
    std::fs::write(done, "")?;
    Ok(())
}

/// Ends the server of this prefix, and whatever runs in it, when we end: no other prefix's.
fn server_ends_with_us(prefix: &Path) -> cleanup::Later {
    let prefix = PathBuf::from(prefix);
    cleanup::later(move || {
        let mut command = Command::new("wineserver");
        in_prefix(&mut command, &prefix);
        // One that has ended already says so.
        let _ = command.arg("-k").stdout(Stdio::null()).stderr(Stdio::null()).status();
    })
}

/// A screen that ends with us.
struct Screen {
    display: String,
    _ends: cleanup::Later,
}

impl Screen {
    fn start() -> Outcome<Self> {
        let mut child = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| Fail::usage(format!("can't run Xvfb: {e}")))?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let ends = ends_with_us(child).1;
        if line.trim().is_empty() {
            return Err(Fail::usage("Xvfb didn't start"));
        }
        Ok(Self { display: format!(":{}", line.trim()), _ends: ends })
    }
}

/// A process that is ended, by its id, when we end.
fn ends_with_us(child: Child) -> (Arc<Mutex<Child>>, cleanup::Later) {
    let child = Arc::new(Mutex::new(child));
    let same = Arc::clone(&child);
    let ends = cleanup::later(move || {
        let mut child = same.lock().unwrap_or_else(PoisonError::into_inner);
        // One that has ended has nothing left to end.
        let _ = child.kill();
        let _ = child.wait();
    });
    (child, ends)
}

/// Runs with our own output, at most so long.
fn timed(mut command: Command, limit: Duration) -> Outcome {
    let words = run::shown(&command);
    let begun = Instant::now();
    let child = command.stdin(Stdio::null()).spawn().map_err(|e| Fail::usage(format!("can't run `{words}`: {e}")))?;
    let (child, _ends) = ends_with_us(child);
    loop {
        let ended = child.lock().unwrap_or_else(PoisonError::into_inner).try_wait()?;
        match ended {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(Fail::new(format!("`{words}` failed ({status})"))),
            None if begun.elapsed() > limit => {
                return Err(Fail::new(format!("`{words}` did not end within {} s", limit.as_secs())));
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_is_named_is_looked_for_where_it_is() {
        let words = |line: &str| sets(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(words("").len(), 2);
        assert_eq!(words("-- --ignored").len(), 2);
        let named = words("--test windows stress -- --ignored");
        assert_eq!(named.len(), 2);
        assert!(!named[0].contains(&"--tests".to_owned()), "{named:?}");
        assert_eq!(named[1], ["-p", "handeye", "--bins"]);
        assert_eq!(words("--test other").len(), 1);
    }
}
