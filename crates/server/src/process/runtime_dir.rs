//! The private folder in which daemons and clients meet, and the names of what lies in it.
//!
//! `NAME.sock` is the socket (Unix), `NAME.json` the daemon's record (held by it for as long as it lives), `NAME.log` what it
//! had to say, `NAME/` what its browser keeps. Whoever can write here can drive the sessions, so a folder that others
//! could have prepared is refused rather than repaired.

use crate::process::lock_file::is_record;
use crate::transport::system::{self, Address, Unconnected, Unfit};
use handeye_scene::{Code, Problem};
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The name of a session: `[A-Za-z0-9_-]{1,64}`, so that it is a file name and an argument everywhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionName(String);

impl SessionName {
    /// Accepts a valid name.
    pub fn new(name: &str) -> Result<Self, Problem> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if let Some(bad) = name.chars().find(|c| !allowed(*c)) {
            let message = format!(
                "the session name {name:?} has the character {bad:?}; letters, digits, `_` and `-` are allowed"
            );
            return Err(bad_name(message));
        }
        match name.len() {
            0 => Err(bad_name("the session name is empty; 1 to 64 letters, digits, `_` or `-` are allowed".to_owned())),
            1..=64 => Ok(Self(name.to_owned())),
            n => Err(bad_name(format!("the session name has {n} characters; at most 64 are allowed"))),
        }
    }

    /// It, as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The folder, known to be the user's own and closed to others.
#[derive(Debug, Clone)]
pub struct Place {
    folder: PathBuf,
}

impl Place {
    /// Makes the folder if it isn't there, and refuses one that others own, see into or could have swapped.
    pub fn open(folder: &Path) -> Result<Self, Problem> {
        // Sockets are found by absolute path, from whatever folder the next command runs in.
        let folder = std::path::absolute(folder).map_err(|e| unusable(folder, &e.to_string()))?;
        system::private_folder(&folder).map_err(|unfit| match unfit {
            Unfit::Unmade(e) => cannot_create(&folder, &e),
            Unfit::Open { why, hint } => unfit_folder(&folder, &why, hint),
        })?;
        Ok(Self { folder })
    }

    /// Whether files can be made in it; costs a few system calls, so it is asked when a daemon is to be started.
    pub fn check_writable(&self) -> Result<(), Problem> {
        system::check_writable(&self.folder).map_err(|unfit| match unfit {
            Unfit::Unmade(e) => cannot_create(&self.folder, &e),
            Unfit::Open { why, hint } => unfit_folder(&self.folder, &why, hint),
        })
    }

    /// Whether a daemon could be called in it: tried with an endpoint of our own.
    pub fn check_endpoint(&self) -> Result<(), Problem> {
        self.check_writable()?;
        // As long as the default session's name, so that the length of the path is tried too.
        let name = SessionName::new(&format!("d{}", std::process::id()))?;
        let address = self.address(&name)?;
        let failed = |e: io::Error| {
            let what = format!("an endpoint in {} can't be used: {e}", self.folder.display());
            Problem::new(Code::Unavailable, what)
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let _inside = runtime.enter();
        let _listener = system::Listener::bind(&address).map_err(failed)?;
        match system::connect(&address) {
            Ok(_) => Ok(()),
            Err(Unconnected::Failed(e)) => Err(failed(e)),
            Err(Unconnected::Nobody) => Err(failed(ErrorKind::NotFound.into())),
            Err(Unconnected::Stranger(who)) => Err(failed(io::Error::other(format!("it is {who}'s")))),
        }
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the session's daemon is called; refused where the system can't address it.
    pub(crate) fn address(&self, name: &SessionName) -> Result<Address, Problem> {
        system::address(&self.folder, name.as_str())
            .map_err(|why| Problem::new(Code::Unavailable, why).hint("HANDEYE_RUNTIME_DIR=/tmp/he handeye …"))
    }

    /// The record of the session's daemon.
    pub fn record(&self, name: &SessionName) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// What the session's daemon has to say.
    pub fn log(&self, name: &SessionName) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }

    /// What belongs to the session: profiles, downloads.
    pub fn own(&self, name: &SessionName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    /// Names of the sessions that left a record or a socket, in order.
    pub fn names(&self) -> Result<Vec<SessionName>, Problem> {
        let entries = fs::read_dir(&self.folder).map_err(|e| unusable(&self.folder, &e.to_string()))?;
        let mut names: Vec<SessionName> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let file = entry.file_name();
                let file = file.to_str()?;
                let record = file.strip_suffix(".json").filter(|_| is_record(&entry.path()));
                let socket = file.strip_suffix(".sock").filter(|_| system::is_endpoint(&entry.path()));
                SessionName::new(record.or(socket)?).ok()
            })
            .collect();
        names.sort();
        names.dedup();
        Ok(names)
    }
}

fn bad_name(message: String) -> Problem {
    Problem::new(Code::BadRequest, message).hint("handeye sessions list")
}

fn unusable(folder: &Path, why: &str) -> Problem {
    Problem::new(Code::Unavailable, format!("the folder for sockets, {}, can't be used: {why}", folder.display()))
        .hint("handeye doctor")
}

fn unfit_folder(folder: &Path, why: &str, hint: Option<String>) -> Problem {
    let problem = unusable(folder, why);
    match hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

fn cannot_create(folder: &Path, error: &io::Error) -> Problem {
    Problem::new(Code::Unavailable, format!("the folder for sockets, {}, can't be made: {error}", folder.display()))
        .hint("HANDEYE_RUNTIME_DIR=FOLDER handeye …")
        .hint("handeye doctor")
}

/// Why a file that was found, not named, may be somebody else's; none when it is the user's own, or the system's.
pub fn distrust(path: &Path) -> io::Result<Option<String>> {
    system::distrust(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for good in ["a", "default", "A-b_9", &"x".repeat(64)] {
            assert!(SessionName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "../x", "a/b", "ä", "a.b", &"x".repeat(65), "a\n"] {
            let problem = SessionName::new(bad).expect_err(bad);
            assert_eq!(problem.code, Code::BadRequest);
        }
    }
}
