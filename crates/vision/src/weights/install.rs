//! Installs the weights: takes the wheel, checks what is in it, and puts the files in place.

use super::{
    fetch::{self, Limit, Wish},
    pinned::{Weight, read},
    progress::{Progress, Tell},
    wheel,
};
use crate::VisionError;
use handeye_scene::Problem;
use std::{
    fs,
    io::Write,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// How the folder is called in which files lie until they are checked.
const SCRATCH: &str = ".install-";
/// A scratch folder of that age was left behind by a process that was killed: no installation takes that long.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 3600);

/// Where the wheel comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    /// The package index that pip is set to.
    #[default]
    Index,
    /// An address, which pip fetches.
    Address(String),
    /// A wheel that was fetched before; pip isn't asked then.
    Wheel(PathBuf),
}

impl Origin {
    /// What is written so: an address has a scheme, all else is a file.
    pub fn written(text: &str) -> Self {
        if text.contains("://") { Origin::Address(text.to_owned()) } else { Origin::Wheel(text.into()) }
    }
}

/// How the weights are installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Python to run pip with; without it, the one on the search path.
    pub python: Option<PathBuf>,
    /// Where the wheel comes from.
    pub from: Origin,
    /// Longest that pip may take to fetch the wheel (27 MB).
    pub limit: Duration,
}

impl Default for Plan {
    /// pip of the Python on the search path and its index, ten minutes.
    fn default() -> Self {
        Self { python: None, from: Origin::Index, limit: Duration::from_secs(600) }
    }
}

/// Puts the weights into `folder`, which is made if it isn't there. Files that are there and right are left; those that are
/// wrong are replaced. Each file is checked before it gets its name, so that there is never half of one. `progress` is told
/// how far it is, and says whether to go on; whatever ends the installation, what isn't checked is taken away.
///
/// # Errors
/// `unavailable` without a Python that has pip, or when pip can't fetch the package, or when it isn't what was pinned, or when
/// `progress` broke off; `file` when a wheel can't be read or the folder can't be written.
pub fn install(
    folder: &Path,
    plan: &Plan,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(), Problem> {
    let mut tell = |state: Progress| match progress(state) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(VisionError::Install("it was stopped".into())),
    };
    Ok(install_checked(folder, plan, &mut tell)?)
}

fn install_checked(folder: &Path, plan: &Plan, tell: &mut Tell) -> Result<(), VisionError> {
    let mut wanted = Vec::new();
    for weight in Weight::ALL {
        match read(folder, weight) {
            Ok(_) => tell(Progress::Present(weight))?,
            Err(_) => wanted.push(weight),
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let failed = |e: std::io::Error| VisionError::File { path: folder.to_owned(), message: e.to_string() };
    fs::create_dir_all(folder).map_err(failed)?;
    sweep(folder);
    // Within the folder: a file can be renamed into place only on the same disk.
    let scratch = tempfile::Builder::new().prefix(SCRATCH).tempdir_in(folder).map_err(failed)?;
    let mut fetched = |wish: Wish| {
        let limit = Limit::of(plan.limit);
        let python = fetch::python(plan.python.as_deref(), limit, tell)?;
        fetch::wheel(&python, scratch.path(), wish, limit, tell)
    };
    let taken = match &plan.from {
        Origin::Index => fetched(Wish::Package)?,
        Origin::Address(address) => fetched(Wish::Address(address))?,
        Origin::Wheel(wheel) => wheel.clone(),
    };
    for weight in wanted {
        tell(Progress::Checking(weight))?;
        let bytes = wheel::take(&taken, weight)?;
        let mut file = tempfile::NamedTempFile::new_in(scratch.path()).map_err(failed)?;
        file.write_all(&bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        readable(file.path()).map_err(failed)?;
        file.persist(weight.path(folder)).map_err(|e| failed(e.error))?;
        tell(Progress::Installed(weight))?;
    }
    Ok(())
}

/// Takes away what installations left behind that were killed. What can't be taken away does no harm.
fn sweep(folder: &Path) {
    let is_old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|facts| facts.modified()).ok();
        let age = changed.and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age >= LEFT_BEHIND)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let scratch = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(SCRATCH));
    for entry in scratch.filter(is_old) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// Temporary files are for their owner alone; weights are no secret.
#[cfg(unix)]
fn readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
