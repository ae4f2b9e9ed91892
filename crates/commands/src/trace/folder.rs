//! The folder of a trace: what lies in it, and who may write there.

use handeye_scene::{Code, Hint, Problem};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The chain of lines.
pub const LINES: &str = "trace.jsonl";
/// What the surfaces were asked and answered.
pub const RECORDING: &str = "recording.jsonl";
/// Where pictures lie.
pub const PICTURES: &str = "files";
/// Bytes of a picture that is read.
const LARGEST_PICTURE: u64 = 256 << 20;
/// Locked as long as somebody writes.
const LOCK: &str = "lock";

/// The files of a new trace.
#[derive(Debug)]
pub struct Files {
    /// The chain of lines.
    pub lines: File,
    /// The recording.
    pub recording: File,
    /// Held as long as it is written.
    pub lock: File,
}

/// Makes a folder for a trace: a new one, or one with nothing in it.
///
/// # Errors
/// [`Code::File`] where it can't be made or written, or holds something.
pub fn create(folder: &Path) -> Result<Files, Problem> {
    let fails = |e: std::io::Error| {
        let what = format!("the trace's folder {} can't be written: {e}", folder.display());
        Problem::new(Code::File, what).hint("handeye open URL --trace FOLDER")
    };
    make(folder, true).map_err(fails)?;
    let mut there = fs::read_dir(folder).map_err(fails)?;
    if there.next().transpose().map_err(fails)?.is_some() {
        let holds = if folder.join(LINES).is_file() { "holds a trace already" } else { "isn't empty" };
        let what = format!("the folder {} {holds}, and nothing in it is written over", folder.display());
        return Err(Problem::new(Code::File, what).hint("handeye open URL --trace OTHER"));
    }
    make(&folder.join(PICTURES), false).map_err(fails)?;
    let own = |name: &str| open_new(&folder.join(name)).map_err(fails);
    let files = Files { lines: own(LINES)?, recording: own(RECORDING)?, lock: own(LOCK)? };
    // Where files can't be locked, a trace that is being written looks like one that was cut short, and no worse.
    let _ = files.lock.try_lock();
    Ok(files)
}

/// Takes away the files of a trace, with the page that was made of it, `made` by name and beginning. Where there are others, all
/// stay: that the folder isn't empty is told by making it anew.
pub(crate) fn clear(at: &Path, (made, start): (&str, &str)) {
    let is_made = |path: &Path| {
        let mut begins = Vec::new();
        let read = open_file(path).and_then(|file| file.take(start.len() as u64).read_to_end(&mut begins));
        read.is_ok() && begins == start.as_bytes()
    };
    let is_own = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name();
            [LINES, RECORDING, LOCK, PICTURES].iter().any(|own| name == *own) || name == made && is_made(&entry.path())
        })
    };
    if !fs::read_dir(at).is_ok_and(|mut entries| entries.all(is_own)) {
        return;
    }
    for name in [LINES, RECORDING, LOCK, made] {
        let _ = fs::remove_file(at.join(name));
    }
    let _ = fs::remove_dir(at.join(PICTURES));
}

/// A folder that is closed to others.
fn make(folder: &Path, with_those_above: bool) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    if folder.symlink_metadata().is_ok() {
        return if folder.is_dir() { Ok(()) } else { Err(ErrorKind::NotADirectory.into()) };
    }
    builder.recursive(with_those_above).create(folder)
}

/// A file that isn't there yet, closed to others.
pub(crate) fn open_new(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A file of a trace, which may have come from anyone: nothing that blocks whoever opens it, or has no end.
pub(crate) fn open_file(path: &Path) -> std::io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(std::io::Error::new(ErrorKind::InvalidInput, "it is no file"))
}

/// What the picture of this digest holds.
pub(crate) fn picture_of(folder: &Path, sha256: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(&picture(folder, sha256))?.take(LARGEST_PICTURE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_PICTURE {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {LARGEST_PICTURE} bytes")));
    }
    Ok(bytes)
}

/// Where a picture of this digest lies.
pub fn picture(folder: &Path, sha256: &str) -> PathBuf {
    folder.join(PICTURES).join(format!("{sha256}.png"))
}

/// Whether somebody still writes the trace.
pub fn is_being_written(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return false };
    matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Writes what was made of a trace. A file that is there is replaced only if it begins as what is made so, `what`, does.
///
/// # Errors
/// [`Code::File`] where it is another one, or can't be written.
pub(crate) fn replace(path: &Path, text: &str, (start, what): (&str, &str)) -> Result<(), Problem> {
    let failed = |e: std::io::Error| Problem::new(Code::File, format!("can't write {}: {e}", path.display()));
    if path.symlink_metadata().is_ok() {
        let mut begins = Vec::new();
        open_file(path).map_err(failed)?.take(start.len() as u64).read_to_end(&mut begins).map_err(failed)?;
        if begins != start.as_bytes() {
            let what = format!("{} is there already, and is no {what}: it is left as it is", path.display());
            return Err(Problem::new(Code::File, what).hint("handeye trace --help"));
        }
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut partial = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    partial.write_all(text.as_bytes()).map_err(failed)?;
    partial.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// That a folder is none of a trace.
pub fn none(folder: &Path, why: &str) -> Problem {
    Problem::new(Code::File, format!("{} holds no trace: {why}", folder.display()))
        .hint(Hint::from("handeye open URL --trace").arg(folder.display().to_string()))
}
