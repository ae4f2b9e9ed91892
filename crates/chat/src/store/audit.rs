//! The audit log: who asked for, approved and refused what, and what was refused to whom. Each entry holds the hash of the one before it,
//! so that none can be changed or left out unseen. No text of a page or a conversation is in it: only names, ids and hashes.

use super::database::{Kind, Store, now};
use crate::decide::digest::digest;
use crate::wire::ChatError;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

/// What comes before the first entry.
const FIRST: &str = "";
/// Entries that are read at a time.
const READ: i64 = 1_000;
/// The lock that those who append to it hold, by PostgreSQL's numbers for such.
const LOCK: i64 = 0x0068_616e_6465_7965;

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub seq: i64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub user: String,
    /// In which conversation; empty where in none.
    pub conversation: String,
    /// What happened.
    pub event: String,
    /// To what.
    pub detail: String,
    /// Hash of the entry before.
    pub previous: String,
    /// Hash of this one.
    pub hash: String,
}

impl Entry {
    fn digest(&self) -> String {
        let (seq, at) = (self.seq.to_string(), self.at.to_string());
        digest(&["audit", &seq, &at, &self.user, &self.conversation, &self.event, &self.detail, &self.previous])
    }
}

/// How far the log was followed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Followed {
    /// How many entries follow from those before them.
    pub entries: i64,
    /// The hash of the last of these.
    pub last: String,
    /// The number of the one that doesn't; none where all do.
    pub broken: Option<i64>,
}

impl Followed {
    /// Follows the log by one entry; whether that follows from those before it.
    fn follow(&mut self, entry: &Entry) -> bool {
        if entry.previous != self.last || entry.hash != entry.digest() || entry.seq != self.entries + 1 {
            self.broken = Some(entry.seq);
            return false;
        }
        (self.entries, self.last) = (entry.seq, entry.hash.clone());
        true
    }
}

impl Followed {
    /// The same, where the next entry can't even be read; by the number that stands there, if one does.
    fn broken_at(mut self, seq: Option<i64>) -> Self {
        self.broken = Some(seq.unwrap_or(self.entries + 1));
        self
    }
}

/// The first entry that doesn't follow from the one before it; none where all do.
pub fn verify(entries: &[Entry]) -> Option<i64> {
    let mut followed = Followed::default();
    let _ = entries.iter().all(|entry| followed.follow(entry));
    followed.broken
}

/// What is appended.
pub(super) struct Note<'a> {
    pub(super) user: &'a str,
    pub(super) conversation: &'a str,
    pub(super) event: &'a str,
    pub(super) detail: &'a str,
}

/// Appends within a transaction.
pub(super) async fn note(tx: &mut AnyConnection, kind: Kind, note: Note<'_>) -> Result<(), ChatError> {
    if kind == Kind::Postgres {
        sqlx::query("SELECT pg_advisory_xact_lock($1)::text").bind(LOCK).execute(&mut *tx).await?;
    }
    let last = sqlx::query("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").fetch_optional(&mut *tx).await?;
    let (seq, previous) = match last {
        Some(row) => (row.try_get::<i64, _>("seq")?, row.try_get("hash")?),
        None => (0, FIRST.to_owned()),
    };
    let Note { user, conversation, event, detail } = note;
    let mut entry = Entry {
        seq: seq + 1,
        at: now(),
        user: user.to_owned(),
        conversation: conversation.to_owned(),
        event: event.to_owned(),
        detail: detail.to_owned(),
        previous,
        hash: String::new(),
    };
    entry.hash = entry.digest();
    sqlx::query("INSERT INTO audit (seq, at, user_name, conversation, event, detail, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
        .bind(entry.seq)
        .bind(entry.at)
        .bind(&entry.user)
        .bind(&entry.conversation)
        .bind(&entry.event)
        .bind(&entry.detail)
        .bind(&entry.previous)
        .bind(&entry.hash)
        .execute(&mut *tx)
        .await?;
    Ok(())
}

impl Store {
    /// Appends what is part of no conversation: what was refused before it became one, and what was shown beside one.
    pub async fn note(&self, user: &str, event: &str, detail: &str) -> Result<(), ChatError> {
        let mut tx = self.begin().await?;
        note(&mut tx, self.kind(), Note { user, conversation: "", event, detail }).await?;
        tx.commit().await
    }

    /// The whole log, the earliest entry first.
    pub async fn audit_log(&self) -> Result<Vec<Entry>, ChatError> {
        let rows = sqlx::query("SELECT * FROM audit ORDER BY seq").fetch_all(&self.reads).await?;
        Ok(rows.iter().map(entry).collect::<Result<_, sqlx::Error>>()?)
    }
}

/// Follows the log from its first entry to its last, or to one that doesn't follow from those before it.
pub async fn follow(store: &Store) -> Result<Followed, ChatError> {
    follow_seeing(store, |_| ()).await
}

/// The same; `see` is shown each entry that follows.
pub(super) async fn follow_seeing(store: &Store, mut see: impl FnMut(&Entry)) -> Result<Followed, ChatError> {
    let (mut followed, mut read) = (Followed::default(), i64::MIN);
    loop {
        let rows = sqlx::query("SELECT * FROM audit WHERE seq > $1 ORDER BY seq LIMIT $2")
            .bind(read)
            .bind(READ)
            .fetch_all(&store.reads)
            .await;
        let rows = match rows {
            Err(error) if is_of_another_type(&error) => return Ok(followed.broken_at(None)),
            rows => rows?,
        };
        for row in &rows {
            // What isn't what was written there was changed, whatever else is wrong with it.
            let Ok(entry) = entry(row) else { return Ok(followed.broken_at(row.try_get("seq").ok())) };
            read = entry.seq;
            if !followed.follow(&entry) {
                return Ok(followed);
            }
            see(&entry);
        }
        if rows.is_empty() {
            return Ok(followed);
        }
    }
}

/// Whether a row can't be read since a column isn't what it was made as.
fn is_of_another_type(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) | sqlx::Error::AnyDriverError(_) => true,
        sqlx::Error::ColumnNotFound(_) | sqlx::Error::TypeNotFound { .. } => true,
        // PostgreSQL: no such operator for those types, and no such column.
        sqlx::Error::Database(error) => matches!(error.code().as_deref(), Some("42883" | "42703")),
        _ => false,
    }
}

fn entry(row: &AnyRow) -> Result<Entry, sqlx::Error> {
    Ok(Entry {
        seq: row.try_get("seq")?,
        at: row.try_get("at")?,
        user: row.try_get("user_name")?,
        conversation: row.try_get("conversation")?,
        event: row.try_get("event")?,
        detail: row.try_get("detail")?,
        previous: row.try_get("previous")?,
        hash: row.try_get("hash")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_or_missing_entry_is_found() {
        let mut entries: Vec<Entry> = Vec::new();
        for seq in 1..=4 {
            let text = || format!("x{seq}");
            let previous = entries.last().map_or(FIRST.to_owned(), |entry| entry.hash.clone());
            let mut entry = Entry {
                seq,
                at: seq,
                user: text(),
                conversation: text(),
                event: text(),
                detail: text(),
                previous,
                hash: String::new(),
            };
            entry.hash = entry.digest();
            entries.push(entry);
        }
        assert_eq!(verify(&entries), None);
        let mut changed = entries.clone();
        changed[1].detail = "y".into();
        assert_eq!(verify(&changed), Some(2));
        let mut shortened = entries.clone();
        shortened.remove(1);
        assert_eq!(verify(&shortened), Some(3));
        entries.remove(0);
        assert_eq!(verify(&entries), Some(2));
    }
}
