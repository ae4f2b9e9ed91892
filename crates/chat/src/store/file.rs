//! The file of a SQLite database before it is opened: whether it is ours, and nobody else's to read.

use crate::wire::{ChatError, ErrorCode};
use rusqlite::{Connection, OpenFlags};
use sqlx::sqlite::SqliteConnectOptions;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use url::Url;

/// How every SQLite file begins.
const HEAD: [u8; 16] = *b"SQLite format 3\0";
/// What brings tables up to date notes this in a table of its own, before it makes the first of ours.
const MIGRATIONS: &str = "_sqlx_migrations";
/// Tables that ours has.
const OURS: [&str; 3] = [MIGRATIONS, "conversations", "audit"];
/// Tables of another's that are named.
const NAMED: usize = 3;
/// How long another program may be waited for.
const WAITING: Duration = Duration::from_secs(5);

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// No file, or one with nothing in it.
    Nothing,
    /// A database of ours.
    Ours,
}

/// The file that an address names; none where it names a server.
pub(super) fn named(url: &str) -> Option<PathBuf> {
    let options = url.starts_with("sqlite:").then(|| SqliteConnectOptions::from_str(url).ok()).flatten()?;
    Some(options.get_filename().to_owned())
}

fn wrong(what: String) -> ChatError {
    ChatError::new(ErrorCode::Database, what)
}

fn unreadable(path: &Path, why: &dyn Display) -> ChatError {
    wrong(format!("the database can't be opened: {}: {why}", path.display()))
}

/// What is at a place; an error where no database of ours can be there. Nothing is written.
pub(super) fn look(path: &Path) -> Result<Found, ChatError> {
    let shown = path.display();
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(e) if e.kind() == ErrorKind::NotFound => return in_folder(path),
        Err(e) => return Err(unreadable(path, &e)),
    };
    if about.is_dir() {
        return Err(wrong(format!("{shown} is a folder, and a database is a file: sqlite://FILE")));
    }
    if about.len() == 0 {
        return Ok(Found::Nothing);
    }
    let mut head = [0; HEAD.len()];
    let read = File::open(path).map_err(|e| unreadable(path, &e))?.read_exact(&mut head);
    if read.is_err() || head != HEAD {
        return Err(wrong(format!("{shown} is no SQLite database: name another file, or one that isn't there yet")));
    }
    let names = names(path).map_err(|e| unreadable(path, &e))?;
    let has = |wanted: &&str| names.iter().any(|name| name == wanted);
    if OURS.iter().all(has) {
        return Ok(Found::Ours);
    }
    let mut others = names.iter().filter(|name| *name != MIGRATIONS).take(NAMED).map(String::as_str).peekable();
    if others.peek().is_none() {
        return Ok(Found::Nothing);
    }
    let others = others.collect::<Vec<_>>().join(", ");
    let what =
        format!("{shown} isn't a database of handeye: it has {others}, and handeye's tables take a file of their own");
    Err(wrong(what))
}

/// Whether a file can be made where none is.
fn in_folder(path: &Path) -> Result<Found, ChatError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match folder.is_dir() {
        true => Ok(Found::Nothing),
        false => Err(wrong(format!("there is no folder {} to keep the database in: make it", folder.display()))),
    }
}

/// What a database has, but for what SQLite keeps for itself.
fn names(path: &Path) -> Result<Vec<String>, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match still(path) {
        Some(url) => Connection::open_with_flags(url.as_str(), flags | OpenFlags::SQLITE_OPEN_URI)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    connection.busy_timeout(WAITING)?;
    let mut listed = connection
        .prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid")?;
    listed.query_map([], |row| row.get(0))?.collect()
}

/// How SQLite is told of a file that nobody writes to now: else it makes a log beside one, though that is only read.
fn still(path: &Path) -> Option<Url> {
    is_still(path).then_some(())?;
    let mut url = Url::from_file_path(std::path::absolute(path).ok()?).ok()?;
    url.set_query(Some("immutable=1"));
    Some(url)
}

fn is_still(path: &Path) -> bool {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        Path::new(&name).exists()
    };
    !beside("-wal") && !beside("-journal")
}

/// The address of a database that is only read.
pub(super) fn only_read(url: &str, path: &Path) -> String {
    let base = url.split_once('?').map_or(url, |(base, _)| base);
    let still = if is_still(path) { "&immutable=true" } else { "" };
    format!("{base}?mode=ro{still}")
}

/// Makes the file where there is none, for its user alone: conversations and tokens' hashes are in it. SQLite makes what it puts beside it
/// like it.
pub(super) fn make(path: &Path) -> Result<(), ChatError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(unreadable(path, &e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("there is room")
    }

    fn made(path: &Path, sql: &str) {
        Connection::open(path).and_then(|connection| connection.execute_batch(sql)).expect("it is made");
    }

    fn listed(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).expect("it is there");
        let mut names: Vec<String> =
            files.map(|file| file.expect("it is there").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_no_place_for_a_database_of_ours_is_refused_and_left_as_it_is() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).expect("there is room");
        fs::write(at("text"), "hello, this is no database").expect("there is room");
        fs::write(at("short"), "SQL").expect("there is room");
        fs::write(at("empty"), "").expect("there is room");
        made(&at("shop"), "CREATE TABLE goods (id); CREATE TABLE prices (id)");
        made(&at("logged"), "PRAGMA journal_mode = WAL; CREATE TABLE goods (id)");
        made(&at("bare"), "PRAGMA user_version = 1");
        made(&at("begun"), "CREATE TABLE _sqlx_migrations (id)");
        made(
            &at("ours"),
            "CREATE TABLE _sqlx_migrations (id); CREATE TABLE audit (id); CREATE TABLE conversations (id)",
        );
        let shop = fs::read(at("shop")).expect("it is there");
        fs::write(at("half"), &shop[..shop.len() / 2]).expect("there is room");
        let before = listed(folder.path());
        for (name, wanted) in [
            ("nothing", Ok(Found::Nothing)),
            ("empty", Ok(Found::Nothing)),
            ("bare", Ok(Found::Nothing)),
            ("begun", Ok(Found::Nothing)),
            ("ours", Ok(Found::Ours)),
            ("folder", Err("is a folder")),
            ("text", Err("is no SQLite database")),
            ("short", Err("is no SQLite database")),
            ("half", Err("malformed")),
            ("shop", Err("it has goods, prices")),
            ("logged", Err("it has goods,")),
            ("nowhere/file", Err("there is no folder")),
        ] {
            match (look(&at(name)), wanted) {
                (Ok(found), Ok(wanted)) => assert_eq!(found, wanted, "{name}"),
                (Err(error), Err(part)) => assert!(error.message.contains(part), "{name}: {error}"),
                (came, wanted) => panic!("{name}: {came:?}, not {wanted:?}"),
            }
        }
        assert_eq!(listed(folder.path()), before);
        assert_eq!(fs::read(at("shop")).expect("it is there"), shop);
    }
}
