//! Whether the audit log is whole: the chain of its entries, what else is kept that would have left entries, and what guards it.

use super::audit::{Followed, follow_seeing};
use super::database::{Kind, Store};
use crate::wire::ChatError;
use sqlx::Row;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    /// How far the log was followed.
    pub followed: Followed,
    /// Where it has no entry: what is kept that leaves one when it is made.
    pub unnoted: Option<String>,
    /// Triggers that refuse to change the log, and aren't there or are switched off.
    pub unguarded: Vec<String>,
    /// Whether the hash that was looked for isn't in the chain: what came until then was cut off, or it is of another log.
    pub lacks_expected: bool,
}

impl Verified {
    /// Whether nothing is amiss.
    pub fn is_intact(&self) -> bool {
        let Self { followed, unnoted, unguarded, lacks_expected } = self;
        followed.broken.is_none() && unnoted.is_none() && unguarded.is_empty() && !lacks_expected
    }
}

/// Calls that somebody was told of, and tokens: each is noted in the transaction that makes it.
const NOTED: &str = "SELECT (SELECT COUNT(*) FROM calls WHERE side <> 'nowhere' AND status IN ('offered', 'approved', 'running', 'done', 'rejected')) AS calls, (SELECT COUNT(*) FROM tokens) AS tokens";
/// Triggers on the log that refuse something.
const SQLITE_GUARDS: &str =
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit' AND sql LIKE '%RAISE(ABORT,%'";
const POSTGRES_GUARDS: &str =
    "SELECT CAST(tgname AS TEXT) AS name FROM pg_trigger WHERE tgrelid = 'audit'::regclass AND tgenabled IN ('O', 'A')";

/// The triggers that each kind of database has for it.
fn guards(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Sqlite => &["audit_is_never_changed", "audit_is_never_replaced", "audit_is_never_shortened"],
        Kind::Postgres => &["audit_is_never_changed"],
    }
}

/// Follows the log and looks at what stands beside it. `expected`: a hash that was noted before.
pub async fn verify(store: &Store, expected: Option<&str>) -> Result<Verified, ChatError> {
    let mut lacks_expected = expected.is_some();
    let followed = follow_seeing(store, |entry| {
        if expected.is_some_and(|expected| entry.hash.eq_ignore_ascii_case(expected)) {
            lacks_expected = false;
        }
    })
    .await?;
    let is_empty = followed.entries == 0 && followed.broken.is_none();
    let unnoted = if is_empty { unnoted(store).await? } else { None };
    let unguarded = unguarded(store).await?;
    Ok(Verified { followed, unnoted, unguarded, lacks_expected })
}

async fn unnoted(store: &Store) -> Result<Option<String>, ChatError> {
    let row = sqlx::query(NOTED).fetch_one(&store.reads).await?;
    let (calls, tokens): (i64, i64) = (row.try_get("calls")?, row.try_get("tokens")?);
    let counted = |count: i64, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    };
    let both: Vec<String> = counted(calls, "call").into_iter().chain(counted(tokens, "token")).collect();
    Ok((!both.is_empty()).then(|| both.join(" and ")))
}

async fn unguarded(store: &Store) -> Result<Vec<String>, ChatError> {
    let sql = match store.kind() {
        Kind::Sqlite => SQLITE_GUARDS,
        Kind::Postgres => POSTGRES_GUARDS,
    };
    let rows = sqlx::query(sql).fetch_all(&store.reads).await?;
    let there: Vec<String> = rows.iter().map(|row| row.try_get("name")).collect::<Result<_, sqlx::Error>>()?;
    let missing = guards(store.kind()).iter().filter(|guard| !there.iter().any(|name| name == *guard));
    Ok(missing.map(|guard| (*guard).to_owned()).collect())
}
