//! `collect`: what the collector of `agent` needs of this machine: its files, and progress on standard error.

use crate::asked::Noting;
use crate::caller::By;
use crate::config::{self, Config};
use crate::print;
use crate::task::{Fingers, listen, until};
use handeye_agent::collect::{CollectPorts, Store, Written, collect};
use handeye_agent::{Asks as AsksModel, Brain};
use handeye_commands::core::session::seconds;
use handeye_scene::collect::{CollectReport, Collecting};
use handeye_scene::{Code, ModelAccess, Problem};
use handeye_server::SessionName;
use std::cell::RefCell;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a collection may take where nothing says so.
const LIMIT: Duration = Duration::from_secs(24 * 3_600);
/// What is put behind the output's name for its checkpoint.
const CHECKPOINT: &str = "checkpoint";
/// Bytes of a checkpoint at most.
const LARGEST: u64 = 4 << 30;

/// Collects until the end of the list, or until something ends it.
pub(crate) fn run(
    asked: &Collecting,
    config: &Config,
    access: Result<ModelAccess, Problem>,
    by: &By<'_>,
) -> Result<CollectReport, Problem> {
    // As `open` reads it: http for this machine.
    let url = asked.url.as_deref().map(handeye_browser::address).transpose()?;
    let asked = &Collecting { url, ..asked.clone() };
    let keys = access.as_ref().map(|access| access.keys.clone()).unwrap_or_default();
    let brain = access.and_then(Brain::new);
    // Without a model nothing can be begun; what is settled goes on without one.
    if let (Err(problem), false) = (&brain, asked.resume) {
        return Err(problem.clone());
    }
    let files = Files::of(asked.output.as_deref(), &config.session)?;
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _ended = listen(is_stopped.clone())?;
    let cancelled = || is_stopped.load(Ordering::Relaxed) || by.cancelled.is_some_and(|cancelled| cancelled());
    let asks = by.asks.clone().map(|asks| until(asks, is_stopped.clone()));
    let noting = brain.as_ref().map(|brain| Noting::new(brain, keys));
    let hands = Fingers::new(by, &config.session, &cancelled, asks, noting.as_ref().ok());
    let ports = CollectPorts {
        hands: &hands,
        brain: noting.as_ref().map(|noting| noting as &dyn AsksModel).map_err(|problem| (*problem).clone()),
        tell: &|line| print::progress(line, false),
        cancelled: &cancelled,
        limit: config.timeout.map_or(LIMIT, seconds),
        store: &files,
    };
    collect(asked, &ports)
}

/// The files of a collection.
struct Files {
    output: Option<PathBuf>,
    checkpoint: PathBuf,
    /// The checkpoint, open and locked: nobody else writes to it.
    held: RefCell<Option<File>>,
}

impl Files {
    fn of(output: Option<&Path>, session: &str) -> Result<Self, Problem> {
        let Some(output) = output else {
            // A session's own folder goes with it.
            let name = format!("{}.{CHECKPOINT}", SessionName::new(session)?.as_str());
            return Ok(Self::at(None, config::collect_folder()?.join(name)));
        };
        let output = std::path::absolute(output).map_err(|e| failed(output, &e))?;
        if output.is_dir() || output.parent().is_none_or(|folder| !folder.is_dir()) {
            let text = format!("{} can't be written: there is no such folder, or it is one itself", output.display());
            return Err(Problem::new(Code::File, text));
        }
        let mut name = output.clone().into_os_string();
        name.push(format!(".{CHECKPOINT}"));
        Ok(Self::at(Some(output), PathBuf::from(name)))
    }

    fn at(output: Option<PathBuf>, checkpoint: PathBuf) -> Self {
        Self { output, checkpoint, held: RefCell::new(None) }
    }

    /// Takes the checkpoint for this process, until it ends or the checkpoint is taken away. A file system that knows no locks takes
    /// none.
    fn hold(&self, options: &OpenOptions) -> std::io::Result<Result<File, Problem>> {
        let file = options.open(&self.checkpoint)?;
        Ok(match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(in_use(&self.checkpoint)),
            Err(TryLockError::Error(_)) | Ok(()) => Ok(file),
        })
    }
}

fn in_use(path: &Path) -> Problem {
    let text = format!("another collection writes to {}", path.display());
    Problem::new(Code::File, text).hint("handeye collect URL --want WHAT -o OTHER")
}

fn failed(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(Code::File, format!("{}: {error}", path.display()))
}

/// What a file holds.
fn of_file(path: &Path) -> Result<Written, Problem> {
    fs::read(path).map(|bytes| Written::of(&bytes)).map_err(|e| failed(path, &e))
}

impl Store for Files {
    fn name(&self) -> String {
        self.checkpoint.display().to_string()
    }

    fn read(&self) -> Result<Option<Vec<u8>>, Problem> {
        let failed = |e: &std::io::Error| failed(&self.checkpoint, e);
        let mut file = match self.hold(OpenOptions::new().read(true).write(true)) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            held => held.map_err(|e| failed(&e))??,
        };
        let mut bytes = Vec::new();
        (&mut file).take(LARGEST).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
        if bytes.len() as u64 == LARGEST {
            let text = format!("{} is larger than {LARGEST} bytes", self.checkpoint.display());
            return Err(Problem::new(Code::File, text));
        }
        *self.held.borrow_mut() = Some(file);
        Ok(Some(bytes))
    }

    fn append(&self, line: &str, at: u64, cuts: bool) -> Result<(), Problem> {
        let failed = |e: std::io::Error| failed(&self.checkpoint, &e);
        if let (0, Some(folder)) = (at, self.checkpoint.parent()) {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut held = self.held.borrow_mut();
        let file = match held.as_mut() {
            Some(file) => file,
            // The first line, of a file that isn't there yet: who finds one has lost a race, and it is another's.
            None => {
                let made = self.hold(OpenOptions::new().read(true).write(true).create_new(true));
                held.insert(made.map_err(|e| match e.kind() {
                    ErrorKind::AlreadyExists => in_use(&self.checkpoint),
                    _ => failed(e),
                })??)
            }
        };
        // A name that leads elsewhere by now is not this file any more.
        fs::metadata(&self.checkpoint).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length != at && !(cuts && length > at) {
            let text = format!(
                "{} has {length} bytes, not {at}: something else writes to it; this page wasn't added",
                self.checkpoint.display()
            );
            return Err(Problem::new(Code::File, text));
        }
        let written = file
            .set_len(at)
            .and_then(|()| file.seek(SeekFrom::Start(at)))
            .and_then(|_| file.write_all(line.as_bytes()))
            .and_then(|()| file.sync_data());
        written.map_err(|e| {
            // A line is there as a whole or not at all; where not even this can be done, the next run drops its rest.
            let _ = file.set_len(at);
            let text = format!(
                "the checkpoint {} can't be written: {e}; everything up to the page before is kept",
                self.checkpoint.display()
            );
            Problem::new(Code::File, text)
        })
    }

    fn may_write(&self, own: &[Written]) -> Result<(), Problem> {
        let Some(output) = &self.output else { return Ok(()) };
        let facts = match fs::symlink_metadata(output) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            facts => facts.map_err(|e| failed(output, &e))?,
        };
        if facts.is_file() {
            let may_be = |own: &Written| own.bytes == facts.len();
            if facts.len() == 0 || own.iter().any(may_be) && own.contains(&of_file(output)?) {
                return Ok(());
            }
        }
        let name = output.display();
        Err(match self.checkpoint.exists() {
            true => Problem::new(
                Code::File,
                format!("{name} isn't what this collection wrote, and isn't written over: move it away, then --resume"),
            ),
            false => Problem::new(
                Code::File,
                format!("{name} is there already, and isn't written over: name another file, or remove it"),
            )
            .hint("handeye collect URL --want WHAT -o OTHER"),
        })
    }

    fn publish(&self, content: &[u8], own: &[Written]) -> Result<Option<String>, Problem> {
        let Some(output) = &self.output else { return Ok(None) };
        // It may have come since the collection began.
        self.may_write(own)?;
        let mut draft = output.clone().into_os_string();
        draft.push(".draft");
        let draft = PathBuf::from(draft);
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&draft)?;
            file.write_all(content)?;
            file.sync_all()?;
            fs::rename(&draft, output)
        };
        write().map_err(|e| {
            // What is left of it is no file that was asked for.
            let _ = fs::remove_file(&draft);
            let text = format!(
                "{} can't be written: {e}; nothing is lost: all items are in {}",
                output.display(),
                self.checkpoint.display()
            );
            Problem::new(Code::File, text).hint("handeye collect --help")
        })?;
        Ok(Some(output.display().to_string()))
    }

    fn forget(&self) -> Result<(), Problem> {
        // Some systems take no file away that is open.
        drop(self.held.take());
        match fs::remove_file(&self.checkpoint) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(failed(&self.checkpoint, &e)),
            _ => Ok(()),
        }
    }
}

// Elsewhere what is locked can't be read besides.
#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn files(folder: &Path) -> Files {
        Files::at(Some(folder.join("out.jsonl")), folder.join("out.jsonl.checkpoint"))
    }

    #[test]
    fn a_checkpoint_is_of_the_one_who_wrote_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (files(folder.path()), files(folder.path()));
        // Both find nothing, and both begin.
        assert_eq!((first.read().unwrap(), second.read().unwrap()), (None, None));
        first.append("one\n", 0, false).unwrap();
        assert_eq!(second.append("two\n", 0, false).unwrap_err().code, Code::File);
        first.append("three\n", 4, false).unwrap();
        assert_eq!(fs::read_to_string(&first.checkpoint).unwrap(), "one\nthree\n");
        // A third doesn't go on with what the first still writes, and does once that has ended.
        let third = files(folder.path());
        assert_eq!(third.read().unwrap_err().code, Code::File);
        drop(first);
        assert_eq!(third.read().unwrap().unwrap(), b"one\nthree\n");
        assert_eq!(files(folder.path()).read().unwrap_err().code, Code::File, "it is locked for the third");
        // What stands there isn't cut off by who doesn't know it.
        assert_eq!(third.append("x\n", 4, false).unwrap_err().code, Code::File);
        third.append("x\n", 10, false).unwrap();
        assert_eq!(fs::read_to_string(&third.checkpoint).unwrap(), "one\nthree\nx\n");
        third.forget().unwrap();
        assert!(!third.checkpoint.exists());
    }

    #[test]
    fn the_rest_of_a_first_line_is_written_over_by_one_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("out.jsonl.checkpoint"), "{\"jo").unwrap();
        let (first, second) = (files(folder.path()), files(folder.path()));
        assert_eq!(first.read().unwrap().unwrap(), b"{\"jo");
        assert_eq!(second.read().unwrap_err().code, Code::File);
        first.append("one\n", 0, true).unwrap();
        assert_eq!(fs::read_to_string(&first.checkpoint).unwrap(), "one\n");
    }
}
