//! Transactions. On a SQLite file, which has one writer, those that come while another is written to the disk are written together: each
//! is a savepoint of one transaction, and is answered when that is on the disk. What one of them does is undone alone where it fails.

use crate::wire::{ChatError, ErrorCode};
use sqlx::any::AnyConnectOptions;
use sqlx::{Any, AnyConnection, Connection, Executor, Transaction};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};
use tokio::time::timeout;

/// How long a transaction may wait for those before it.
const WAITING: Duration = Duration::from_secs(10);

/// The one writer of a file.
#[derive(Debug, Clone)]
pub(super) struct Group(Arc<Mutex<Batch>>);

/// What is written together.
#[derive(Debug)]
struct Batch {
    /// None once the file is closed.
    connection: Option<AnyConnection>,
    /// Whether a transaction is open.
    is_open: bool,
    /// What is to become of the last savepoint, whose turn is over.
    left: Option<Left>,
    /// Who is told when it is on the disk.
    waiting: Vec<oneshot::Sender<Result<(), ChatError>>>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy)]
enum Left {
    Committed,
    /// Without a word.
    Undone,
}

impl Group {
    pub(super) async fn open(options: &AnyConnectOptions, greeting: &'static str) -> Result<Self, sqlx::Error> {
        let mut connection = AnyConnection::connect_with(options).await?;
        connection.execute(greeting).await?;
        let connection = Some(connection);
        Ok(Self(Arc::new(Mutex::new(Batch { connection, is_open: false, left: None, waiting: Vec::new() }))))
    }

    /// A transaction of its own, as far as its caller can tell. One who hangs up meanwhile leaves it to a task of its own: half begun,
    /// it would be in the way of the others.
    pub(super) async fn begin(&self) -> Result<Tx, ChatError> {
        let group = self.clone();
        let begun = tokio::spawn(async move {
            let held = timeout(WAITING, group.0.clone().lock_owned()).await;
            let mut batch = held.map_err(|_| busy())?;
            batch.begin().await?;
            Ok(Tx::Shared(Turn { batch: Some(batch), group }))
        });
        begun.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Writes to the disk what was done so far, and tells whoever waits for that.
    async fn settle(self) {
        self.0.lock_owned().await.settle().await;
    }

    /// Has it settled by a task of its own, which nobody who hangs up can stop half way.
    fn settle_soon(&self) {
        // Without a runtime nobody waits either, and the connection ends with the program.
        if let Ok(handle) = Handle::try_current() {
            drop(handle.spawn(self.clone().settle()));
        }
    }

    pub(super) async fn close(&self) {
        let mut batch = self.0.lock().await;
        batch.settle().await;
        if let Some(connection) = batch.connection.take() {
            // It is closed all the same where it has something to say to that.
            let _ = connection.close().await;
        }
    }
}

fn busy() -> ChatError {
    ChatError::new(ErrorCode::Database, "the database is busy: too much waits to be written").again_after(2)
}

fn closed() -> ChatError {
    ChatError::new(ErrorCode::Stopping, "the database is closed")
}

impl Batch {
    async fn run(&mut self, sql: &'static str) -> Result<(), ChatError> {
        Ok(self.connection.as_mut().ok_or_else(closed)?.execute(sql).await.map(drop)?)
    }

    /// Opens what the next one does.
    async fn begin(&mut self) -> Result<(), ChatError> {
        self.tidy().await;
        if !self.is_open {
            // One that began by reading could not go on to write while another program does.
            self.run("BEGIN IMMEDIATE").await?;
            self.is_open = true;
        }
        let begun = self.run("SAVEPOINT one").await;
        if let Err(error) = &begun {
            self.give_up(error).await;
        }
        begun
    }

    /// Does to the last savepoint what its turn left to be done.
    async fn tidy(&mut self) {
        let sql = match self.left.take() {
            None => return,
            Some(Left::Committed) => "RELEASE one",
            Some(Left::Undone) => "ROLLBACK TO one; RELEASE one",
        };
        if let Err(error) = self.run(sql).await {
            self.give_up(&error).await;
        }
    }

    async fn settle(&mut self) {
        self.tidy().await;
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        match self.run("COMMIT").await {
            Ok(()) => self.tell(&Ok(())),
            Err(error) => self.give_up(&error).await,
        }
    }

    /// Nothing of it is kept: a full disk, say, ends the transaction as a whole.
    async fn give_up(&mut self, error: &ChatError) {
        self.is_open = false;
        // SQLite may have done so by itself.
        let _ = self.run("ROLLBACK").await;
        self.tell(&Err(error.clone()));
    }

    fn tell(&mut self, came: &Result<(), ChatError>) {
        for waiting in self.waiting.drain(..) {
            // Who is gone needn't know.
            let _ = waiting.send(came.clone());
        }
    }
}

/// A transaction. What isn't committed is taken back.
pub(super) enum Tx {
    /// PostgreSQL's.
    Own(Transaction<'static, Any>),
    /// SQLite's.
    Shared(Turn),
}

/// Whose turn it is to write to the file.
pub(super) struct Turn {
    /// None once it is committed.
    batch: Option<OwnedMutexGuard<Batch>>,
    group: Group,
}

impl Tx {
    pub(super) async fn commit(self) -> Result<(), ChatError> {
        match self {
            Self::Own(transaction) => Ok(transaction.commit().await?),
            Self::Shared(turn) => turn.commit().await,
        }
    }
}

impl Turn {
    async fn commit(mut self) -> Result<(), ChatError> {
        let (tell, told) = oneshot::channel();
        self.end(Left::Committed, Some(tell));
        told.await.unwrap_or_else(|_| Err(closed()))
    }

    fn end(&mut self, how: Left, tell: Option<oneshot::Sender<Result<(), ChatError>>>) {
        if let Some(mut batch) = self.batch.take() {
            batch.left = Some(how);
            batch.waiting.extend(tell);
            drop(batch);
            self.group.settle_soon();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.end(Left::Undone, None);
    }
}

impl Deref for Tx {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        match self {
            Self::Own(transaction) => transaction,
            Self::Shared(turn) => {
                // invariant: a turn holds its batch until it is committed, which takes the turn, and a batch that was begun has a connection.
                turn.batch.as_ref().and_then(|batch| batch.connection.as_ref()).expect("the turn is held")
            }
        }
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        match self {
            Self::Own(transaction) => transaction,
            Self::Shared(turn) => {
                // invariant: as above.
                turn.batch.as_mut().and_then(|batch| batch.connection.as_mut()).expect("the turn is held")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Row;
    use std::str::FromStr;

    /// A file with a table of numbers, and its writer.
    async fn numbers(folder: &tempfile::TempDir) -> Result<Group, sqlx::Error> {
        sqlx::any::install_default_drivers();
        let url = format!("sqlite://{}?mode=rwc", folder.path().join("x.db").display());
        let options = AnyConnectOptions::from_str(&url)?;
        Group::open(&options, "PRAGMA journal_mode = WAL; CREATE TABLE numbers (n BIGINT PRIMARY KEY, text TEXT)").await
    }

    async fn insert(group: &Group, number: i64, text: &str) -> Result<Tx, ChatError> {
        let mut tx = group.begin().await?;
        sqlx::query("INSERT INTO numbers (n, text) VALUES ($1, $2)").bind(number).bind(text).execute(&mut *tx).await?;
        Ok(tx)
    }

    /// What another connection finds on the disk.
    async fn kept(folder: &tempfile::TempDir) -> Result<Vec<i64>, sqlx::Error> {
        let url = format!("sqlite://{}", folder.path().join("x.db").display());
        let mut other = AnyConnection::connect_with(&AnyConnectOptions::from_str(&url)?).await?;
        let rows = sqlx::query("SELECT n FROM numbers ORDER BY n").fetch_all(&mut other).await?;
        rows.iter().map(|row| row.try_get("n")).collect()
    }

    #[tokio::test]
    async fn those_at_once_are_each_kept_or_undone_alone() {
        let folder = tempfile::tempdir().expect("there is room");
        let group = numbers(&folder).await.expect("it opens");
        let all = (0..40).map(|number| {
            let group = group.clone();
            tokio::spawn(async move {
                let tx = insert(&group, number, "x").await?;
                match number % 4 {
                    // It fails, is left, or hangs up at the very end.
                    0 => insert_again(tx).await,
                    1 => {
                        drop(tx);
                        Ok(())
                    }
                    2 => timeout(Duration::ZERO, tx.commit()).await.unwrap_or(Ok(())),
                    _ => tx.commit().await,
                }
            })
        });
        let all: Vec<_> = all.collect();
        for (number, one) in all.into_iter().enumerate() {
            assert_eq!(one.await.expect("it ends").is_ok(), number % 4 != 0, "{number}");
        }
        // What was said to be committed is on the disk when that is answered; who hung up needn't wait.
        group.clone().settle().await;
        let wanted: Vec<i64> = (0..40).filter(|number| number % 4 > 1).collect();
        assert_eq!(kept(&folder).await.expect("it is there"), wanted);
    }

    async fn insert_again(mut tx: Tx) -> Result<(), ChatError> {
        sqlx::query("INSERT INTO numbers (n) SELECT n FROM numbers LIMIT 1").execute(&mut *tx).await?;
        tx.commit().await
    }

    #[tokio::test]
    async fn what_is_left_holds_no_lock() {
        let folder = tempfile::tempdir().expect("there is room");
        let group = numbers(&folder).await.expect("it opens");
        drop(insert(&group, 1, "x").await.expect("it is new"));
        group.clone().settle().await;
        let other = numbers(&folder).await.err().map(|error| error.to_string());
        assert!(other.is_some_and(|why| why.contains("already exists")), "it isn't locked");
        assert_eq!(kept(&folder).await.expect("it is there"), Vec::<i64>::new());
    }

    #[tokio::test]
    async fn where_the_disk_is_full_nobody_is_told_otherwise_and_it_goes_on_later() {
        let folder = tempfile::tempdir().expect("there is room");
        let group = numbers(&folder).await.expect("it opens");
        let mut tx = group.begin().await.expect("it opens");
        tx.execute("PRAGMA max_page_count = 8").await.expect("it is known");
        tx.commit().await.expect("it is kept");
        let (one, two) = tokio::join!(async { insert(&group, 1, "x").await?.commit().await }, async {
            insert(&group, 2, &"x".repeat(100_000)).await?.commit().await
        },);
        assert_eq!(two.expect_err("it is too large").code, ErrorCode::Database);
        // SQLite ends the whole transaction: who was in it with that one is told the truth.
        let on_disk = kept(&folder).await.expect("it is there").contains(&1);
        assert_eq!(one.is_ok(), on_disk);
        insert(&group, 3, "x").await.expect("it is open again").commit().await.expect("there is room for that");
        assert!(kept(&folder).await.expect("it is there").contains(&3));
    }

    #[tokio::test]
    async fn a_closed_file_takes_nothing_and_hangs_nobody() {
        let folder = tempfile::tempdir().expect("there is room");
        let group = numbers(&folder).await.expect("it opens");
        let tx = insert(&group, 1, "x").await.expect("it is new");
        let (closed, committed) = tokio::join!(group.close(), tx.commit());
        assert_eq!((closed, committed), ((), Ok(())));
        let refused = group.begin().await.map(drop);
        assert_eq!(refused.expect_err("it is closed").code, ErrorCode::Stopping);
        assert_eq!(kept(&folder).await.expect("it is there"), [1]);
    }
}
