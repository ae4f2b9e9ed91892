//! The private folder in which daemons and clients meet, and the names of what lies in it.
//!
//! `NAME.sock` is the socket, `NAME.json` the daemon's record (locked by it for as long as it lives), `NAME.log` what it
//! had to say, `NAME/` what its browser keeps. Whoever can write here can drive the sessions, so a folder that others
//! could have prepared is refused rather than repaired.

use handeye_scene::{Code, Problem};
use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Bytes a socket's path may have: what the kernel's address structure holds, less the final zero.
const SOCKET_PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

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
        let facts = match fs::symlink_metadata(&folder) {
            Ok(facts) => facts,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(&folder)
                    .map_err(|e| cannot_create(&folder, &e))?;
                fs::symlink_metadata(&folder).map_err(|e| unusable(&folder, &e.to_string()))?
            }
            Err(e) => return Err(unusable(&folder, &e.to_string())),
        };
        let shown = folder.display();
        if facts.file_type().is_symlink() {
            return Err(unusable(&folder, "it is a symbolic link, and someone else may decide where it leads"));
        }
        if !facts.is_dir() {
            return Err(unusable(&folder, "it is not a folder"));
        }
        let me = nix::unistd::geteuid().as_raw();
        if facts.uid() != me {
            let why = format!("it belongs to user {}, and you are user {me}", facts.uid());
            return Err(unusable(&folder, &why).hint("HANDEYE_RUNTIME_DIR=FOLDER handeye …"));
        }
        if facts.mode() & 0o077 != 0 {
            let why = format!(
                "its permissions are {:04o}, so others can reach into it; 0700 is needed",
                facts.mode() & 0o7777
            );
            return Err(unusable(&folder, &why).hint(format!("chmod 700 {shown}")));
        }
        Ok(Self { folder })
    }

    /// Whether files can be made in it; costs a few system calls, so it is asked when a daemon is to be started.
    pub fn check_writable(&self) -> Result<(), Problem> {
        use nix::unistd::{AccessFlags, access};
        access(&self.folder, AccessFlags::W_OK | AccessFlags::X_OK).map_err(|e| {
            unusable(&self.folder, &format!("it can't be written to ({})", e.desc()))
                .hint(format!("chmod 700 {}", self.folder.display()))
        })
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The session's socket; refused where the system can't address it.
    pub fn socket(&self, name: &SessionName) -> Result<PathBuf, Problem> {
        let path = self.folder.join(format!("{name}.sock"));
        let length = path.as_os_str().as_bytes().len();
        if length > SOCKET_PATH_MAX {
            let message = format!(
                "the socket's path has {length} bytes and the system allows {SOCKET_PATH_MAX}: {}; choose a shorter folder or session name",
                path.display()
            );
            return Err(Problem::new(Code::Unavailable, message).hint("HANDEYE_RUNTIME_DIR=/tmp/he handeye …"));
        }
        Ok(path)
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
                let socket = file.strip_suffix(".sock").filter(|_| is_socket(&entry.path()));
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

fn cannot_create(folder: &Path, error: &io::Error) -> Problem {
    Problem::new(Code::Unavailable, format!("the folder for sockets, {}, can't be made: {error}", folder.display()))
        .hint("HANDEYE_RUNTIME_DIR=FOLDER handeye …")
        .hint("handeye doctor")
}

/// Whether a file is a record that a daemon wrote, or began to.
pub(crate) fn is_record(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() == 0)
        || crate::record::Record::read(path).is_some()
}

/// Whether a file is a socket.
pub(crate) fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.file_type().is_socket())
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
