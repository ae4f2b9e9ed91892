//! Opening the database, and transactions on it.

use crate::wire::{ChatError, ErrorCode};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Any, AnyPool, Executor, SqlStr, Transaction};
use std::borrow::Cow;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a connection may take to be had.
const CONNECTING: Duration = Duration::from_secs(10);
/// Connections to PostgreSQL.
const CONNECTIONS: u32 = 16;

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file of this machine.
    Sqlite,
    /// A server, which several of ours may share.
    Postgres,
}

impl Kind {
    fn migrator(self) -> Migrator {
        let (first, second, third) = match self {
            Self::Sqlite => (
                include_str!("../../migrations/sqlite/0001_chat.sql"),
                include_str!("../../migrations/sqlite/0002_runs_by_conversation.sql"),
                include_str!("../../migrations/sqlite/0003_grants.sql"),
            ),
            Self::Postgres => (
                include_str!("../../migrations/postgres/0001_chat.sql"),
                include_str!("../../migrations/postgres/0002_runs_by_conversation.sql"),
                include_str!("../../migrations/postgres/0003_grants.sql"),
            ),
        };
        let migration = |version, name: &'static str, sql: &'static str| {
            Migration::new(version, Cow::Borrowed(name), MigrationType::Simple, SqlStr::from_static(sql), false)
        };
        Migrator::with_migrations(vec![
            migration(1, "chat", first),
            migration(2, "runs by conversation", second),
            migration(3, "grants", third),
        ])
    }

    /// What each connection begins with.
    fn greeting(self) -> &'static str {
        match self {
            // A commit is on the disk before it is answered; deleting a conversation deletes what belongs to it.
            Self::Sqlite => {
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;"
            }
            Self::Postgres => {
                "SET statement_timeout = '10s'; SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '30s'"
            }
        }
    }
}

/// The database.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) pool: AnyPool,
    kind: Kind,
}

impl Store {
    /// Opens it and brings its tables up to date. `url` is `postgres://…`, or `sqlite://PATH`.
    pub async fn open(url: &str) -> Result<Self, ChatError> {
        sqlx::any::install_default_drivers();
        let kind = if url.starts_with("sqlite:") { Kind::Sqlite } else { Kind::Postgres };
        // The address may hold a password: it is never repeated.
        let wrong =
            |e: sqlx::Error| ChatError::new(ErrorCode::Database, format!("the database can't be opened: {}", told(&e)));
        let options = AnyConnectOptions::from_str(url).map_err(wrong)?;
        // SQLite has one writer; another connection would only wait for it.
        let connections = if kind == Kind::Sqlite { 1 } else { CONNECTIONS };
        let pool = AnyPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(CONNECTING)
            .after_connect(move |connection, _| {
                Box::pin(async move { connection.execute(kind.greeting()).await.map(drop) })
            })
            .connect_with(options)
            .await
            .map_err(wrong)?;
        let migrated = kind.migrator().run(&pool).await;
        migrated.map_err(|e| {
            ChatError::new(ErrorCode::Database, format!("the database's tables can't be brought up to date: {e}"))
        })?;
        Ok(Self { pool, kind })
    }

    /// The file that an address names; none where it names a server.
    pub fn file(url: &str) -> Option<PathBuf> {
        let options = url.starts_with("sqlite:").then(|| SqliteConnectOptions::from_str(url).ok()).flatten()?;
        Some(options.get_filename().to_owned())
    }

    /// Which database it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A transaction that will write.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Any>, ChatError> {
        let begun = match self.kind {
            // One that began by reading could not go on to write while another does.
            Kind::Sqlite => self.pool.begin_with("BEGIN IMMEDIATE").await,
            Kind::Postgres => self.pool.begin().await,
        };
        begun.map_err(ChatError::from)
    }

    /// Whether it answers.
    pub async fn ping(&self) -> Result<(), ChatError> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// The database's own time.
    pub(super) async fn clock(&self) -> Result<i64, ChatError> {
        clock(self.kind, &self.pool).await
    }

    /// Ends all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }
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
