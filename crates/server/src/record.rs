//! The daemon's record: who holds a session. The daemon holds the file for as long as it lives, so that whether a
//! daemon lives is never guessed from a process id that may have been given to someone else.

use crate::place::{Place, SessionName};
use crate::system;
use handeye_scene::{Code, Problem};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// How long a daemon that is about to end may take to let go of the session.
const HOLD_LIMIT: Duration = Duration::from_secs(15);

/// Who holds a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Process id of the daemon.
    pub(crate) pid: u32,
    /// When it started, in milliseconds since 1970.
    pub(crate) started_ms: u64,
    /// Version of handeye it is.
    pub(crate) version: String,
}

/// What lies where the record should.
pub(crate) enum Found {
    /// No record.
    Nothing,
    /// A daemon lives. The record is none while it is being written.
    Living(Option<Record>),
    /// The daemon that wrote it is gone and could not tidy up.
    Dead(Option<Record>),
}

impl Record {
    /// This process's record.
    pub(crate) fn own(version: &str) -> Self {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { pid: std::process::id(), started_ms: since_1970.as_millis() as u64, version: version.to_owned() }
    }

    /// Reads the record without asking whether its daemon lives.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Looks whether a daemon lives.
pub(crate) fn look(place: &Place, name: &SessionName) -> Result<Found, Problem> {
    let path = place.record(name);
    Ok(match system::look_at(&path).map_err(|e| unreadable(&path, &e))? {
        None => Found::Nothing,
        Some((bytes, true)) => Found::Living(serde_json::from_slice(&bytes).ok()),
        Some((bytes, false)) => Found::Dead(serde_json::from_slice(&bytes).ok()),
    })
}

/// Writes this process's record and holds it; waits for a daemon that is about to end. Dropping the file lets go.
pub(crate) fn hold(place: &Place, name: &SessionName, record: &Record) -> Result<File, Problem> {
    let path = place.record(name);
    let failed = |e: io::Error| unreadable(&path, &e);
    let Some(mut file) = system::hold(&path, Instant::now() + HOLD_LIMIT).map_err(failed)? else {
        let what = format!("session `{name}` is held by another daemon that doesn't end");
        return Err(Problem::new(Code::Unavailable, what).hint(format!("handeye sessions stop {name}")));
    };
    file.set_len(0).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    file.write_all(&serde_json::to_vec(record).map_err(|e| failed(e.into()))?).map_err(failed)?;
    Ok(file)
}

/// Locks a file by `deadline`; whether that came about. A lock can be waited for without a limit or asked for at once, nothing
/// between: hence the short naps.
pub(crate) fn locked_by(file: &File, deadline: Instant) -> io::Result<bool> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(false),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::Error(e)) => return Err(e),
        }
    }
}

/// Waits until `held` no longer holds the session (none stands for whoever does); whether that came about within `limit`.
pub(crate) fn wait_until_gone(
    place: &Place,
    name: &SessionName,
    held: Option<&Record>,
    limit: Duration,
) -> Result<bool, Problem> {
    let deadline = Instant::now() + limit;
    // A lock can be waited for without a limit or asked for at once, nothing between: hence the short naps, on this path
    // of an ending daemon alone.
    while let Found::Living(now) = look(place, name)? {
        // Another daemon may hold the session by now. A record that is being written tells nothing yet.
        if held.is_some() && now.is_some() && now.as_ref() != held {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(true)
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(Code::Unavailable, format!("the session's record {} can't be used: {error}", path.display()))
        .hint("handeye doctor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_someone_keeps_is_waited_for_only_so_long() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock");
        let held = File::create(&path)?;
        held.lock()?;
        let began = Instant::now();
        assert!(!locked_by(&File::open(&path)?, began + Duration::from_millis(60))?);
        assert!(began.elapsed() < Duration::from_secs(5));
        drop(held);
        assert!(locked_by(&File::open(&path)?, Instant::now())?);
        Ok(())
    }
}
