//! The client's side of starting a daemon, and of clearing away what a dead one left.

use crate::daemon::{remove, remove_own};
use crate::detach::Started;
use crate::place::{Place, SessionName, is_record, is_socket};
use crate::record;
use handeye_scene::{Code, Problem};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a daemon may take to listen.
const START_LIMIT: Duration = Duration::from_secs(20);

/// Whoever started a daemon. Dropping it tells the daemon that the starter is gone.
pub(crate) struct Starter {
    _pipe: Option<ChildStdin>,
}

/// How long another client that starts a daemon may take.
const LOCK_LIMIT: Duration = Duration::from_secs(30);

/// Lets one client at a time start daemons and clear away remains: an exclusive lock on the folder itself, which the
/// system gives back whatever becomes of the client.
pub(crate) fn lock(place: &Place) -> Result<File, Problem> {
    let failed = |e: std::io::Error| {
        Problem::new(Code::Unavailable, format!("can't lock {}: {e}", place.folder().display())).hint("handeye doctor")
    };
    let folder = File::open(place.folder()).map_err(failed)?;
    if !record::locked_by(&folder, Instant::now() + LOCK_LIMIT).map_err(failed)? {
        let what = format!(
            "{} stays locked: another handeye is starting a session there and doesn't get on",
            place.folder().display()
        );
        return Err(Problem::new(Code::Timeout, what).hint("handeye doctor"));
    }
    Ok(folder)
}

/// Starts a daemon and returns once it listens. Call it under the lock.
pub(crate) fn start(mut command: Command, place: &Place, name: &SessionName) -> Result<Starter, Problem> {
    place.check_writable()?;
    let log = place.log(name);
    let failed = |what: &str, e: &dyn std::fmt::Display| {
        Problem::new(Code::Unavailable, format!("the daemon of session `{name}` can't be started: {what}: {e}"))
            .hint("handeye doctor")
    };
    let stderr = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&log)
        .map_err(|e| failed(&log.display().to_string(), &e))?;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .map_err(|e| failed(&command.get_program().to_string_lossy(), &e))?;
    match first_line(&mut child) {
        Ok(Some(line)) => match serde_json::from_slice(&line) {
            Ok(Started::Ready) => Ok(Starter { _pipe: child.stdin.take() }),
            Ok(Started::Failed(problem)) => {
                let _ = child.wait();
                remove(&log);
                Err(problem)
            }
            Err(e) => Err(give_up(child, failed("it spoke nonsense", &e))),
        },
        Ok(None) => {
            let words = last_words(&log).unwrap_or_else(|| "it said nothing".to_owned());
            Err(give_up(child, failed("it ended at once", &words)))
        }
        Err(e) => Err(give_up(child, failed("it didn't get ready", &e))),
    }
}

fn give_up(mut child: Child, problem: Problem) -> Problem {
    let _ = child.kill();
    let _ = child.wait();
    problem
}

/// The first line of the child's output; none when it ended without one.
fn first_line(child: &mut Child) -> std::io::Result<Option<Vec<u8>>> {
    let Some(output) = child.stdout.as_mut() else { return Ok(None) };
    let deadline = Instant::now() + START_LIMIT;
    let mut line = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut waiting = [PollFd::new(output.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waiting, PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)) {
            Ok(0) => {
                return Err(std::io::Error::new(
                    std::io::ErrorKind::TimedOut,
                    format!("nothing came within {START_LIMIT:?}"),
                ));
            }
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => continue,
            Err(e) => return Err(e.into()),
        }
        match output.read(&mut chunk)? {
            0 => return Ok(None),
            n => line.extend(chunk.iter().take(n)),
        }
        if let Some(end) = line.iter().position(|b| *b == b'\n') {
            line.truncate(end);
            return Ok(Some(line));
        }
    }
}

/// Ends what a dead daemon launched and removes what it left; whether there was anything. Call it under the lock.
pub(crate) fn clear(place: &Place, name: &SessionName, reap: &dyn Fn(&Path)) -> Result<bool, Problem> {
    let own = place.own(name);
    let socket = place.socket(name)?;
    let record = place.record(name);
    let there = |path: &Path| fs::symlink_metadata(path).is_ok();
    // The folder may be one that the user keeps other things in: what handeye didn't write is never touched.
    for (path, ours) in [(&socket, is_socket(&socket)), (&record, is_record(&record))] {
        if there(path) && !ours {
            let message = format!("{} is none of handeye's files; nothing was touched", path.display());
            return Err(Problem::new(Code::Unavailable, message).hint("HANDEYE_RUNTIME_DIR=/tmp/he handeye …"));
        }
    }
    let any = there(&socket) || there(&record);
    if !any {
        return Ok(false);
    }
    if fs::symlink_metadata(&own).is_ok_and(|facts| facts.is_dir()) {
        reap(&own);
    }
    remove_own(&own);
    for path in [&socket, &place.log(name), &record] {
        if there(path) {
            remove(path);
        }
    }
    Ok(any)
}

/// The last line of a dead daemon's log that isn't part of a backtrace.
pub(crate) fn last_words(log: &Path) -> Option<String> {
    let text = String::from_utf8_lossy(&fs::read(log).ok()?).into_owned();
    let line = text.lines().rev().find(|line| {
        !line.trim().is_empty()
            && !line.starts_with([' ', '\t'])
            && !line.starts_with("note:")
            && *line != "stack backtrace:"
    })?;
    Some(line.chars().take(300).collect())
}
