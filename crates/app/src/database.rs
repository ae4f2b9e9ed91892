//! The chat's database: where it is, and that one server alone uses a file.

use crate::config;
use handeye_chat::store::Store;
use handeye_chat::wire::{ChatError, ErrorCode};
use handeye_scene::{Code, Problem};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// An error of the backend as a problem of a command.
pub(crate) fn problem(error: ChatError) -> Problem {
    let code = match error.code {
        ErrorCode::Database => Code::Unavailable,
        ErrorCode::NotFound => Code::NotFound,
        ErrorCode::BadField => Code::BadRequest,
        _ => Code::Bug,
    };
    Problem::new(code, error.message)
}

/// The database that is named, else a file in the data folder. That file is held for as long as the second value lives, where `alone`.
pub(crate) async fn open(named: Option<&str>, alone: bool) -> Result<(Store, Option<File>), Problem> {
    let url = match named_address(named)? {
        Some(url) => url,
        None => {
            let file = config::chat_file()?;
            let folder = file.parent().unwrap_or(Path::new("/"));
            private_folder(folder).map_err(|e| unusable(&file, &e))?;
            sqlite_url(&file)?
        }
    };
    // Before anything is made beside it.
    Store::look(&url).map_err(problem)?;
    let lock = match Store::file(&url).filter(|_| alone) {
        Some(file) => Some(hold(&file)?),
        None => None,
    };
    let url = if url.starts_with("sqlite://") && !url.contains('?') { format!("{url}?mode=rwc") } else { url };
    let store = Store::open(&url).await.map_err(problem)?;
    Ok((store, lock))
}

/// The same database, only read: nothing is made, held or brought up to date.
pub(crate) async fn open_to_read(named: Option<&str>) -> Result<Store, Problem> {
    let url = match named_address(named)? {
        Some(url) => url,
        None => sqlite_url(&config::chat_file()?)?,
    };
    Store::open_to_read(&url).await.map_err(problem)
}

/// Refuses the file that models may ask `query_database` about: whatever is in it they are told.
pub(crate) fn refuse_queried(named: Option<&str>, queried: Option<&str>) -> Result<(), Problem> {
    let own = match named_address(named)? {
        Some(url) => Store::file(&url),
        None => Some(config::chat_file()?),
    };
    let Some((own, queried)) = own.zip(queried.and_then(Store::file)) else { return Ok(()) };
    if whole(&own) != whole(&queried) {
        return Ok(());
    }
    let what = format!(
        "{} is what chat.query.url_env names: conversations take a file of their own, which no model can ask about",
        own.display()
    );
    Err(Problem::new(Code::BadRequest, what).hint("handeye serve --help"))
}

/// A path by which a file is known, also where it isn't there yet.
fn whole(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.canonicalize().unwrap_or(absolute)
}

/// The address that is named on the command line, or by a variable.
fn named_address(named: Option<&str>) -> Result<Option<String>, Problem> {
    let Some(url) = named.map(|url| Ok(Some(url.to_owned()))).unwrap_or_else(config::database)? else {
        return Ok(None);
    };
    if !["sqlite://", "postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        let what = "--database takes postgres://USER@HOST/NAME or sqlite://FILE";
        return Err(Problem::new(Code::BadRequest, what).hint("handeye serve --help"));
    }
    if url.contains(":memory:") || url.contains("mode=memory") {
        let what = "a database in memory keeps nothing: --database takes a file, sqlite://FILE";
        return Err(Problem::new(Code::BadRequest, what).hint("handeye serve --help"));
    }
    Ok(Some(url))
}

fn unusable(file: &Path, why: &dyn std::fmt::Display) -> Problem {
    Problem::new(Code::File, format!("the folder of {} can't be used: {why}", file.display()))
}

/// Where a file is, in the form of an address.
fn sqlite_url(file: &Path) -> Result<String, Problem> {
    let path = file.to_str().ok_or_else(|| unusable(file, &"its path isn't valid UTF-8"))?;
    Ok(format!("sqlite://{}", path.replace('%', "%25").replace('?', "%3F").replace('#', "%23")))
}

/// A folder that is the user's alone.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Holds a database file for this server alone: another would take what this one is at for what a dead one left.
fn hold(path: &Path) -> Result<File, Problem> {
    let lock = path.with_extension("lock");
    let cant = |e: &dyn std::fmt::Display| Problem::new(Code::File, format!("{} can't be locked: {e}", lock.display()));
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&lock).map_err(|e| cant(&e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let what = format!("another server uses {}: several servers need PostgreSQL", path.display());
            Err(Problem::new(Code::Unavailable, what).hint("handeye serve --help"))
        }
        Err(TryLockError::Error(e)) => Err(cant(&e)),
    }
}
