//! The daemon's side of being started: letting go of the terminal and of what was inherited, and telling the starter how
//! it went.

use handeye_scene::Problem;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};

/// What a daemon tells its starter, as one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Started {
    /// The socket is there.
    Ready,
    /// It couldn't be.
    Failed(Problem),
}

/// Leaves the starter's terminal, folder and files.
pub(crate) fn detach() -> io::Result<()> {
    // Fails where the process leads its group already, as it does when started from a shell by hand: it is detached then.
    let _ = nix::unistd::setsid();
    std::env::set_current_dir("/")?;
    // Pipes of whoever ran the client: kept open, they would make it wait for the daemon's end.
    let inherited: Vec<i32> = fs::read_dir("/dev/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in inherited {
        // The listing's own descriptor is among them, and closed by now.
        let _ = nix::unistd::close(fd);
    }
    Ok(())
}

/// Tells the starter how it went, and lets go of the pipe.
pub(crate) fn tell(started: &Started) {
    let mut line = serde_json::to_vec(started).unwrap_or_default();
    line.push(b'\n');
    let mut pipe = io::stdout();
    // A starter that is gone is noticed elsewhere.
    let _ = pipe.write_all(&line).and_then(|()| pipe.flush());
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = nix::unistd::dup2_stdout(&null);
    }
}

/// The pipe that the starter holds open for as long as it lives.
pub(crate) fn starter_pipe() -> io::Result<File> {
    let pipe: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    if let Ok(null) = File::open("/dev/null") {
        let _ = nix::unistd::dup2_stdin(&null);
    }
    Ok(File::from(pipe))
}
