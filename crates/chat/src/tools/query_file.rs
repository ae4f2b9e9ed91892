//! A SQLite file as `query_database` reads it: opened for reading alone, within a time, and with no value made in it that is longer than
//! anything of use.

use super::found::{Found, cut};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, OpenFlags, Row};
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Instant;

/// Steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 10_000;
/// Bytes of any value, of what is only passed through as of what is told. Within one function the clock isn't looked at: what it works on has
/// to be so short that it ends soon.
const LONGEST: i32 = 1 << 20;

/// Why nothing was read.
pub(super) enum Failed {
    /// It wasn't done by then.
    Slow,
    /// What the database says.
    Said(String),
}

/// Reads rows until there are enough, or the time is over.
pub(super) fn read(file: &Path, sql: &str, rows: usize, end: Instant) -> Result<Found, Failed> {
    let failed = |error: Error| match Instant::now() >= end {
        true => Failed::Slow,
        false => Failed::Said(told(&error)),
    };
    let connection = open(file, end).map_err(failed)?;
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let mut found = Found::new(rows);
    let mut read = statement.query([]).map_err(failed)?;
    while let Some(row) = read.next().map_err(failed)? {
        if !found.add(told_row(row, &names).map_err(failed)?) {
            break;
        }
    }
    Ok(found)
}

fn open(file: &Path, end: Instant) -> Result<Connection, Error> {
    let connection =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.progress_handler(STEPS, Some(move || Instant::now() >= end))?;
    Ok(connection)
}

fn told_row(row: &Row<'_>, names: &[String]) -> Result<Value, Error> {
    let mut members = Map::new();
    for (at, name) in names.iter().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::from(number),
            ValueRef::Real(number) => Value::from(number),
            ValueRef::Text(text) => Value::from(cut(&String::from_utf8_lossy(text))),
            ValueRef::Blob(bytes) => Value::from(format!("({} bytes)", bytes.len())),
        };
        members.insert(name.clone(), value);
    }
    Ok(members.into())
}

/// What the database says of a statement; nothing of where it is.
fn told(error: &Error) -> String {
    match error {
        Error::SqliteFailure(_, Some(said)) => said.chars().take(500).collect(),
        Error::SqlInputError { msg, .. } => msg.chars().take(500).collect(),
        _ => "the database can't be read".to_owned(),
    }
}
