//! The files of what was learnt of aims, and of answers that are known, in the user's data folder: theirs alone, whole or not at all.
//! What isn't in the form of this version is deleted: nothing in them can't be learnt anew, and an earlier one kept texts.

use handeye_agent::{Learns, Learnt, Recalled, Recalls};
use handeye_scene::{Code, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of it at most.
const LARGEST: u64 = 4 << 20;

/// Where it is; none where there is no folder for it.
pub(crate) struct File(pub(crate) Option<PathBuf>);

impl Learns for File {
    fn read(&self) -> Result<Vec<Learnt>, Problem> {
        self.all("handeye observe --help")
    }

    fn write(&self, all: &[Learnt]) -> Result<(), Problem> {
        self.put(all)
    }
}

impl Recalls for File {
    fn read(&self) -> Result<Vec<Recalled>, Problem> {
        self.all("handeye do --help")
    }

    fn write(&self, all: &[Recalled]) -> Result<(), Problem> {
        self.put(all)
    }
}

impl File {
    fn all<T: DeserializeOwned>(&self, help: &str) -> Result<Vec<T>, Problem> {
        let Some(path) = &self.0 else { return Ok(Vec::new()) };
        let refused = |why: String| {
            let what = format!("what was learnt before isn't used: {} {why}", path.display());
            Problem::new(Code::File, what).hint(help)
        };
        let file = match path.symlink_metadata() {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(refused(format!("can't be read: {e}"))),
            Ok(found) if !found.is_file() => return Err(refused("is no plain file".into())),
            Ok(found) if found.len() > LARGEST => return Err(refused(format!("has more than {LARGEST} bytes"))),
            Ok(_) => fs::File::open(path).map_err(|e| refused(format!("can't be read: {e}")))?,
        };
        if !is_own(&file) {
            return Err(refused("can be written by others".into()));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).map_err(|e| refused(format!("can't be read: {e}")))?;
        serde_json::from_slice(&bytes).map_err(|e| {
            // Another version wrote it, or nobody of ours. It would hold what was learnt then for good, and be told of each time.
            let gone =
                fs::remove_file(path).map_or_else(|e| format!("can't be deleted: {e}"), |()| "was deleted".into());
            refused(format!("isn't in the form of this version ({e}), and {gone}"))
        })
    }

    fn put<T: Serialize>(&self, all: &[T]) -> Result<(), Problem> {
        let Some(path) = &self.0 else { return Ok(()) };
        let failed = |e: std::io::Error| {
            Problem::new(Code::File, format!("what was learnt can't be kept in {}: {e}", path.display()))
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut bytes = serde_json::to_vec(all).map_err(std::io::Error::from).map_err(failed)?;
        bytes.push(b'\n');
        fs::create_dir_all(folder).map_err(failed)?;
        // Closed to others from the start, and put in its place as a whole.
        let mut draft = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        draft.write_all(&bytes).map_err(failed)?;
        draft.persist(path).map(drop).map_err(|e| failed(e.error))
    }
}

/// Whether it is the user's, and nobody else can write it.
#[cfg(unix)]
fn is_own(file: &fs::File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of_user = |found: &fs::Metadata| found.uid() == nix::unistd::geteuid().as_raw() && found.mode() & 0o022 == 0;
    file.metadata().is_ok_and(|found| of_user(&found))
}

/// The folder of a user's data is closed to others by what it inherits.
#[cfg(not(unix))]
fn is_own(_: &fs::File) -> bool {
    true
}
