//! The client's side of starting a daemon, and of clearing away what a dead one left.

use crate::process::handshake::Started;
use crate::process::lock_file::is_record;
use crate::process::remains::{remove, remove_own};
use crate::process::runtime_dir::{Place, SessionName};
use crate::transport::lock::locked_by;
use crate::transport::system;
use handeye_scene::{Code, Problem};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a daemon may take to listen.
const START_LIMIT: Duration = Duration::from_secs(20);

/// Whoever started a daemon. Dropping it tells the daemon that the starter is gone.
pub(crate) struct Starter {
    _pipe: Option<ChildStdin>,
}

/// How long another client that starts a daemon may take.
const LOCK_LIMIT: Duration = Duration::from_secs(30);

/// Lets one client at a time start daemons and clear away remains: an exclusive lock in the folder, which the system gives
/// back whatever becomes of the client.
pub(crate) fn lock(place: &Place) -> Result<File, Problem> {
    let failed = |e: std::io::Error| {
        Problem::new(Code::Unavailable, format!("can't lock {}: {e}", place.folder().display())).hint("handeye doctor")
    };
    let folder = system::lockable(place.folder()).map_err(failed)?;
    if !locked_by(&folder, Instant::now() + LOCK_LIMIT).map_err(failed)? {
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
    let stderr = system::private_file(&log).map_err(|e| failed(&log.display().to_string(), &e))?;
    system::on_its_own(&mut command);
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
    let Some(output) = child.stdout.take() else { return Ok(None) };
    let (told, tells) = mpsc::channel();
    // A pipe is waited for without a limit, so a thread does it. One whose daemon is ended for being late ends with it.
    std::thread::Builder::new().name("starting".into()).spawn(move || {
        let mut line = Vec::new();
        let read = BufReader::new(output).read_until(b'\n', &mut line);
        // Nobody waits for it once the limit has passed.
        let _ = told.send(read.map(|_| line));
    })?;
    let late = |_| std::io::Error::new(std::io::ErrorKind::TimedOut, format!("nothing came within {START_LIMIT:?}"));
    let line = tells.recv_timeout(START_LIMIT).map_err(late)??;
    Ok(line.strip_suffix(b"\n").map(<[u8]>::to_vec))
}

/// Ends what a dead daemon launched and removes what it left; whether there was anything. Call it under the lock.
pub(crate) fn clear(place: &Place, name: &SessionName, reap: &dyn Fn(&Path)) -> Result<bool, Problem> {
    let own = place.own(name);
    let address = place.address(name)?;
    let socket = system::left_by(&address);
    let record = place.record(name);
    let there = |path: &Path| fs::symlink_metadata(path).is_ok();
    // The folder may be one that the user keeps other things in: what handeye didn't write is never touched.
    let files = socket.map(|path| (path, system::is_endpoint(path)));
    for (path, ours) in files.into_iter().chain([(record.as_path(), is_record(&record))]) {
        if there(path) && !ours {
            let message = format!("{} is none of handeye's files; nothing was touched", path.display());
            return Err(Problem::new(Code::Unavailable, message).hint("HANDEYE_RUNTIME_DIR=/tmp/he handeye …"));
        }
    }
    let any = socket.is_some_and(there) || there(&record);
    if !any {
        return Ok(false);
    }
    if fs::symlink_metadata(&own).is_ok_and(|facts| facts.is_dir()) {
        reap(&own);
    }
    remove_own(&own);
    for path in socket.into_iter().chain([place.log(name).as_path(), record.as_path()]) {
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
