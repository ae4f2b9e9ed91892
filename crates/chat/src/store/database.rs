//! Opening the database, and transactions on it.

use super::file::{self, Found};
use super::group::{Group, Tx};
use crate::wire::{ChatError, ErrorCode};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{Any, AnyConnection, AnyPool, Connection, Executor, SqlStr};
use std::borrow::Cow;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;

/// How long a connection may take to be had.
const CONNECTING: Duration = Duration::from_secs(10);
/// Connections to PostgreSQL.
const CONNECTIONS: u32 = 16;
/// Connections that read a SQLite file while another one writes to it.
const READERS: u32 = 2;
/// Requests that are taken at once: the others wait, so that answers which are under way needn't wait for them.
fn taken(kind: Kind) -> usize {
    match kind {
        // Those that are written together cost the disk as much as one.
        Kind::Sqlite => 64,
        // Half of the connections.
        Kind::Postgres => 8,
    }
}

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file of this machine.
    Sqlite,
    /// A server, which several of ours may share.
    Postgres,
}

impl Kind {
    fn of(url: &str) -> Self {
        if url.starts_with("sqlite:") { Self::Sqlite } else { Self::Postgres }
    }

    fn migrator(self) -> Migrator {
        let (first, second, third, fourth, fifth) = match self {
            Self::Sqlite => (
                include_str!("../../migrations/sqlite/0001_chat.sql"),
                include_str!("../../migrations/sqlite/0002_runs_by_conversation.sql"),
                include_str!("../../migrations/sqlite/0003_grants.sql"),
                include_str!("../../migrations/sqlite/0004_heard.sql"),
                include_str!("../../migrations/sqlite/0005_questions.sql"),
            ),
            Self::Postgres => (
                include_str!("../../migrations/postgres/0001_chat.sql"),
                include_str!("../../migrations/postgres/0002_runs_by_conversation.sql"),
                include_str!("../../migrations/postgres/0003_grants.sql"),
                include_str!("../../migrations/postgres/0004_heard.sql"),
                include_str!("../../migrations/postgres/0005_questions.sql"),
            ),
        };
        let migration = |version, name: &'static str, sql: &'static str| {
            Migration::new(version, Cow::Borrowed(name), MigrationType::Simple, SqlStr::from_static(sql), false)
        };
        Migrator::with_migrations(vec![
            migration(1, "chat", first),
            migration(2, "runs by conversation", second),
            migration(3, "grants", third),
            migration(4, "heard", fourth),
            migration(5, "questions", fifth),
        ])
    }

    /// What the connection begins with that brings the tables up to date: of a large database that takes as long as it takes.
    fn migrating(self) -> &'static str {
        match self {
            Self::Sqlite => self.greeting(),
            Self::Postgres => "SET statement_timeout = 0; SET lock_timeout = '60s'",
        }
    }

    /// What each connection begins with.
    fn greeting(self) -> &'static str {
        match self {
            // A commit is on the disk before it is answered; deleting a conversation deletes what belongs to it.
            Self::Sqlite => {
                "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -1000;"
            }
            Self::Postgres => {
                "SET statement_timeout = '10s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '30s'"
            }
        }
    }
}

/// What connections begin with that only read a SQLite file.
const READING: &str = "PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; PRAGMA cache_size = -500;";

/// The same of a server.
const READING_A_SERVER: &str = "SET statement_timeout = '60s'; SET default_transaction_read_only = on";
/// Whether a server's database is one of ours.
const HAS_OURS: &str = "SELECT CAST(CASE WHEN to_regclass('audit') IS NULL OR to_regclass('conversations') IS NULL THEN 0 ELSE 1 END AS BIGINT) AS ours";

/// The database.
#[derive(Debug, Clone)]
pub struct Store {
    /// What only reads.
    pub(super) reads: AnyPool,
    /// What writes to a SQLite file; PostgreSQL takes both by the same connections.
    writer: Option<Group>,
    /// Who may be taken.
    pub(super) door: Arc<Semaphore>,
    kind: Kind,
}

impl Store {
    /// Opens it and brings its tables up to date. `url` is `postgres://…`, or `sqlite://PATH`; a file is made for its user alone.
    pub async fn open(url: &str) -> Result<Self, ChatError> {
        let kind = Kind::of(url);
        if let Some(path) = file::named(url)
            && file::look(&path)? == Found::Nothing
        {
            file::make(&path)?;
        }
        let wrong = |e: sqlx::Error| unopened(url, &e);
        let options = options(url)?;
        let mut written = connected(url, &options, kind.migrating()).await?;
        let migrated = kind.migrator().run(&mut written).await;
        migrated.map_err(|e| {
            ChatError::new(ErrorCode::Database, format!("the database's tables can't be brought up to date: {e}"))
        })?;
        written.close().await.map_err(wrong)?;
        let (many, greeting) = match kind {
            Kind::Sqlite => (READERS, READING),
            Kind::Postgres => (CONNECTIONS, kind.greeting()),
        };
        let writer = match kind {
            Kind::Sqlite => Some(Group::open(&options, kind.greeting()).await.map_err(wrong)?),
            Kind::Postgres => None,
        };
        let reads = connections(&options, (kind, many), greeting).await.map_err(wrong)?;
        Ok(Self { reads, writer, door: Arc::new(Semaphore::new(taken(kind))), kind })
    }

    /// Opens one that is there, to be read alone: nothing is made, and nothing brought up to date.
    pub async fn open_to_read(url: &str) -> Result<Self, ChatError> {
        let kind = Kind::of(url);
        let (url, greeting) = match file::named(url) {
            None => (url.to_owned(), READING_A_SERVER),
            Some(path) => match path.exists().then(|| file::look(&path)).transpose()? {
                Some(Found::Ours) => (file::only_read(url, &path), READING),
                Some(Found::Nothing) | None => {
                    let what = format!("there is no database of handeye at {}", path.display());
                    return Err(ChatError::new(ErrorCode::Database, what));
                }
            },
        };
        let options = options(&url)?;
        if kind == Kind::Postgres {
            let mut first = connected(&url, &options, greeting).await?;
            let row = sqlx::query(HAS_OURS).fetch_one(&mut first).await?;
            if sqlx::Row::try_get::<i64, _>(&row, "ours")? == 0 {
                let what = format!("the database at {} isn't one of handeye", place(&url));
                return Err(ChatError::new(ErrorCode::Database, what));
            }
        }
        let reads = connections(&options, (kind, 1), greeting).await.map_err(|e| unopened(&url, &e))?;
        Ok(Self { reads, writer: None, door: Arc::new(Semaphore::new(taken(kind))), kind })
    }

    /// Whether a database of ours is at an address, or can be made there. Nothing is written; what a server has is told once it is opened.
    pub fn look(url: &str) -> Result<(), ChatError> {
        file::named(url).map_or(Ok(()), |path| file::look(&path).map(drop))
    }

    /// The file that an address names; none where it names a server.
    pub fn file(url: &str) -> Option<PathBuf> {
        file::named(url)
    }

    /// Which database it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A transaction that will write.
    pub(super) async fn begin(&self) -> Result<Tx, ChatError> {
        match &self.writer {
            Some(writer) => writer.begin().await,
            None => Ok(Tx::Own(self.reads.begin().await?)),
        }
    }

    /// Whether it answers.
    pub async fn ping(&self) -> Result<(), ChatError> {
        sqlx::query("SELECT 1").execute(&self.reads).await?;
        Ok(())
    }

    /// The database's own time.
    pub(super) async fn clock(&self) -> Result<i64, ChatError> {
        clock(self.kind, &self.reads).await
    }

    /// Ends all connections.
    pub async fn close(&self) {
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
        self.reads.close().await;
    }
}

/// Where a database is, without what its address may hold of passwords.
fn place(url: &str) -> String {
    if let Some(path) = file::named(url) {
        return path.display().to_string();
    }
    let read = Url::parse(url).ok();
    let host = read.as_ref().and_then(Url::host_str).filter(|host| !host.is_empty()).unwrap_or("its server");
    match read.as_ref().and_then(Url::port) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn unopened(url: &str, error: &sqlx::Error) -> ChatError {
    ChatError::new(ErrorCode::Database, format!("the database can't be opened: {}: {}", place(url), told(error)))
}

fn options(url: &str) -> Result<AnyConnectOptions, ChatError> {
    sqlx::any::install_default_drivers();
    AnyConnectOptions::from_str(url).map_err(|e| unopened(url, &e))
}

/// The first connection. What goes wrong is told at once, with its cause: a pool tries again for as long as a connection may take, and then
/// says no more than that there is none.
async fn connected(url: &str, options: &AnyConnectOptions, greeting: &'static str) -> Result<AnyConnection, ChatError> {
    let first = async {
        let mut connection = AnyConnection::connect_with(options).await?;
        connection.execute(greeting).await?;
        Ok(connection)
    };
    match timeout(CONNECTING, first).await {
        Ok(came) => came.map_err(|e: sqlx::Error| unopened(url, &e)),
        Err(_) => Err(unopened(url, &sqlx::Error::PoolTimedOut)),
    }
}

/// Connections to it. Those to a file are made now, and stay: it isn't looked for by its name again.
async fn connections(
    options: &AnyConnectOptions,
    (kind, most): (Kind, u32),
    greeting: &'static str,
) -> Result<AnyPool, sqlx::Error> {
    let mut pool = AnyPoolOptions::new()
        .max_connections(most)
        .acquire_timeout(CONNECTING)
        .after_connect(move |connection, _| Box::pin(async move { connection.execute(greeting).await.map(drop) }));
    if kind == Kind::Sqlite {
        pool = pool.idle_timeout(None).max_lifetime(None);
    }
    let pool = pool.connect_with(options.clone()).await?;
    let mut made = Vec::new();
    for _ in 0..if kind == Kind::Sqlite { most } else { 0 } {
        made.push(pool.acquire().await?);
    }
    drop(made);
    Ok(pool)
}

/// What went wrong, without addresses.
fn told(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::PoolTimedOut => "no connection is free or can be made".to_owned(),
        sqlx::Error::Configuration(error) => format!("its address is wrong: {error}"),
        sqlx::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}

impl From<sqlx::Error> for ChatError {
    fn from(error: sqlx::Error) -> Self {
        Self::new(ErrorCode::Database, format!("the database failed: {}", told(&error))).again_after(2)
    }
}

/// The time by which servers on one database agree who answers and until when, in milliseconds since 1970: the database's own, since
/// their clocks differ. A file has one server, whose time it is.
pub(super) async fn clock<'e>(kind: Kind, executor: impl sqlx::Executor<'e, Database = Any>) -> Result<i64, ChatError> {
    if kind == Kind::Sqlite {
        return Ok(now());
    }
    let told = sqlx::query("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now");
    Ok(sqlx::Row::try_get(&told.fetch_one(executor).await?, "now")?)
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
