//! `query_database`: one statement that reads one configured database, within a time and a number of rows.
//!
//! What holds it back is the database itself: a file that is opened for reading alone, or a transaction of PostgreSQL that is read-only. The
//! statement stands inside of another, so that it can be nothing but one that returns rows.

use super::found::{Found, cut};
use super::port::{ServerTool, declared};
use super::query_file::{self, Failed};
use crate::wire::ToolSpec;
use async_trait::async_trait;
use futures_util::TryStreamExt;
use handeye_commands::core::chat_settings::ChatEffect;
use serde_json::{Map, Value, json};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Characters of a statement.
const STATEMENT: usize = 4_000;
/// Items of a list within a value.
const ITEMS: usize = 100;
/// Characters of one row.
const ROW: usize = 1 << 18;
/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);

/// Which database is read.
enum Source {
    Sqlite(PathBuf),
    Postgres(Box<PgConnectOptions>),
}

/// The tool.
pub struct QueryDatabase {
    spec: ToolSpec,
    source: Source,
    rows: usize,
    limit: Duration,
}

impl QueryDatabase {
    /// One that reads the database of this address: at most so many rows, within so long.
    pub fn new(url: &str, about: &str, rows: usize, limit: Duration) -> Result<Self, sqlx::Error> {
        let source = if url.starts_with("sqlite:") {
            Source::Sqlite(SqliteConnectOptions::from_str(url)?.get_filename().to_owned())
        } else {
            Source::Postgres(Box::new(PgConnectOptions::from_str(url)?.disable_statement_logging()))
        };
        let dialect = if matches!(source, Source::Sqlite(_)) { "SQLite" } else { "PostgreSQL" };
        let description = format!("用一条 {dialect} 的 SELECT 语句查询数据库（只读，最多 {rows} 行）。{about}");
        let parameters = json!({
            "type": "object",
            "properties": {"sql": {"type": "string", "minLength": 1, "maxLength": STATEMENT, "description": "一条 SELECT 语句，不带分号"}},
            "required": ["sql"],
            "additionalProperties": false
        });
        Ok(Self { spec: declared("query_database", &description, &parameters), source, rows, limit })
    }

    async fn query(&self, sql: &str) -> Result<String, String> {
        let sql = sql.trim().trim_end_matches(';').trim_end();
        if sql.contains(';') {
            return Err("write one statement, without `;`".to_owned());
        }
        // Lines of their own: a comment at the end can't take what follows it.
        let found = match &self.source {
            Source::Sqlite(file) => {
                let whole = format!("SELECT * FROM (\n{sql}\n)");
                sqlite(file.clone(), whole, self.rows, self.limit).await?
            }
            Source::Postgres(options) => {
                let whole = format!("SELECT left(row_to_json(q)::text, {}) AS row FROM (\n{sql}\n) AS q", ROW + 1);
                postgres(options, &whole, self.rows, self.limit).await?
            }
        };
        Ok(json!({"success": true, "rows": found.rows, "cut": found.is_cut}).to_string())
    }
}

fn too_long(limit: Duration) -> String {
    format!("it took more than {} s", limit.as_secs())
}

/// What the database says of a statement.
fn told(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().chars().take(500).collect(),
        _ => "the database can't be read".to_owned(),
    }
}

async fn sqlite(file: PathBuf, sql: String, rows: usize, limit: Duration) -> Result<Found, String> {
    let end = Instant::now() + limit;
    let reading = tokio::task::spawn_blocking(move || query_file::read(&file, &sql, rows, end));
    // One step of SQLite's may take longer than the clock is looked at.
    let came = tokio::time::timeout(limit + CONNECTING, reading).await.map_err(|_| too_long(limit))?;
    came.map_err(|_| "the database can't be read".to_owned())?.map_err(|failed| match failed {
        Failed::Slow => too_long(limit),
        Failed::Said(why) => why,
    })
}

async fn postgres(options: &PgConnectOptions, sql: &str, rows: usize, limit: Duration) -> Result<Found, String> {
    let connected = tokio::time::timeout(CONNECTING, PgConnection::connect_with(options)).await;
    let mut connection = connected.map_err(|_| "the database can't be reached".to_owned())?.map_err(|e| told(&e))?;
    let within = format!("SET statement_timeout = {}", limit.as_millis());
    let asked = async {
        connection.execute(AssertSqlSafe(within)).await?;
        connection.execute("BEGIN READ ONLY").await?;
        let mut found = Found::new(rows);
        {
            let mut stream = connection.fetch(sqlx::query(AssertSqlSafe(sql)));
            while let Some(row) = stream.try_next().await? {
                let text: &str = row.try_get(0)?;
                // One that was cut off is told as the database writes it, as is one with a number that JSON can't hold.
                let read = serde_json::from_str(text).ok();
                if !found.add(read.map_or_else(|| Value::from(cut(text)), shortened)) {
                    break;
                }
            }
        }
        Ok(found)
    };
    let came = tokio::time::timeout(limit + Duration::from_secs(2), asked).await;
    let came = came.map_err(|_| too_long(limit))?;
    // Nothing was written, so that there is nothing to take back.
    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close()).await;
    came.map_err(|e: sqlx::Error| told(&e))
}

/// A row with long texts cut off.
fn shortened(row: Value) -> Value {
    match row {
        Value::String(text) => Value::from(cut(&text)),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, shortened(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().take(ITEMS).map(shortened).collect(),
        other => other,
    }
}

#[async_trait]
impl ServerTool for QueryDatabase {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> ChatEffect {
        ChatEffect::Read
    }

    async fn call(&self, arguments: &Value) -> Result<String, String> {
        self.query(arguments.get("sql").and_then(Value::as_str).unwrap_or_default()).await
    }
}
