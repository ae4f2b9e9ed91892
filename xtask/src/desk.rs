//! A desktop of our own (Linux): a display, message buses and a window manager, and an end to all of it.

use crate::{
    cleanup, procs,
    run::{self, Fail, Outcome},
};
use std::{
    ffi::OsStr,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

/// The Python that Debian's packages are for.
pub(crate) const PYTHON: &str = "/usr/bin/python3";

/// A display with message buses; ended when dropped.
pub(crate) struct Desk {
    /// Home of what runs on it.
    pub(crate) folder: PathBuf,
    mark: String,
    display: String,
    bus: String,
    // Dropped in this order: what runs ends before its folder goes.
    _end: cleanup::Later,
    _folder: cleanup::Later,
}

impl Desk {
    pub(crate) fn start() -> Outcome<Self> {
        let (folder, folder_guard) = run::scratch("desktop")?;
        set_private(&folder)?;
        let mark = format!("HANDEYE_DESK_MARK=desktop-{}", std::process::id());
        let ended = mark.clone();
        let end = cleanup::later(move || procs::end_all(&ended));
        let mut desk =
            Self { folder, mark, display: String::new(), bus: String::new(), _end: end, _folder: folder_guard };
        let display = desk.part(&["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"])?;
        desk.display = format!(":{display}");
        let address = format!("--address=unix:path={}", desk.folder.join("bus").display());
        desk.bus = desk.part(&["dbus-daemon", "--session", "--nofork", "--print-address=1", &address])?;
        reap(desk.command("openbox").stdout(Stdio::null()).spawn()?);
        Ok(desk)
    }

    /// A program on this desktop, not yet started.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env("HOME", &self.folder)
            .env("XDG_RUNTIME_DIR", &self.folder)
            .env("XDG_CONFIG_HOME", self.folder.join("config"))
            .env("HANDEYE_RUNTIME_DIR", self.folder.join("run"))
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if let Some((name, value)) = self.mark.split_once('=') {
            command.env(name, value);
        }
        command
    }

    /// Starts a part of the desktop, and reads the one line that says that it is ready.
    fn part(&self, words: &[&str]) -> Outcome<String> {
        let mut child = self.command(words[0]).args(&words[1..]).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        reap(child);
        if line.trim().is_empty() {
            Err(Fail::new(format!("{} did not start", words[0])))
        } else {
            Ok(line.trim().into())
        }
    }
}

/// Waits for the end of what runs beside us.
pub(crate) fn reap(mut child: Child) {
    thread::spawn(move || child.wait());
}

#[cfg(unix)]
fn set_private(folder: &Path) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?)
}

#[cfg(not(unix))]
fn set_private(_folder: &Path) -> Outcome {
    Ok(())
}
