//! Who holds a session. The daemon holds the file of its record for as long as it lives, so that whether a daemon lives is
//! never guessed from a process id that may have been given to someone else.

use crate::process::lock_file::Record;
use crate::process::runtime_dir::{Place, SessionName};
use crate::transport::system;
use crate::transport::wait::wait_until;
use handeye_scene::{Code, Problem};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a daemon that is about to end may take to let go of the session.
const HOLD_LIMIT: Duration = Duration::from_secs(15);

/// What lies where the record should.
pub(crate) enum Found {
    /// No record.
    Nothing,
    /// A daemon lives. The record is none while it is being written.
    Living(Option<Record>),
    /// The daemon that wrote it is gone and could not tidy up.
    Dead(Option<Record>),
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

/// Waits until `held` no longer holds the session (none stands for whoever does); whether that came about within `limit`.
pub(crate) fn wait_until_gone(
    place: &Place,
    name: &SessionName,
    held: Option<&Record>,
    limit: Duration,
) -> Result<bool, Problem> {
    let deadline = Instant::now() + limit;
    let gone = wait_until(deadline, || match look(place, name)? {
        // Another daemon may hold the session by now. A record that is being written tells nothing yet.
        Found::Living(now) => Ok((held.is_some() && now.is_some() && now.as_ref() != held).then_some(())),
        Found::Dead(_) | Found::Nothing => Ok(Some(())),
    });
    Ok(gone?.is_some())
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(Code::Unavailable, format!("the session's record {} can't be used: {error}", path.display()))
        .hint("handeye doctor")
}
