//! The audit log as whoever runs the server looks at it, after somebody who can write to the database did.

use super::server::{Chat, Database, WAYS, settings};
use handeye_chat::store::{Store, Verified, verify_log};
use handeye_testkit::models::{Answer, Asked, ModelServer};

/// A log of three entries, on a server that goes on.
fn noted() -> (Database, Chat) {
    let model = ModelServer::new(|_: &Asked| Answer::Say("好".into()));
    let database = Database::new();
    let chat = Chat::plain(&database, &settings(&model, WAYS[0]));
    chat.block_on(async {
        for number in 0..3 {
            chat.store.note("ann", "refused", &format!("x {number}")).await.unwrap();
        }
    });
    (database, chat)
}

fn verified(chat: &Chat, database: &Database, expected: Option<&str>) -> Verified {
    chat.block_on(async {
        let store = Store::open_to_read(&database.url()).await.unwrap();
        let verified = verify_log(&store, expected).await.unwrap();
        store.close().await;
        verified
    })
}

/// What somebody does who owns the database. `sqlite` and `postgres`: what differs between them.
fn tamper(
    chat: &Chat,
    database: &Database,
    (sqlite, postgres): (&[&'static str], &[&'static str]),
    then: &'static str,
) {
    let before = if matches!(database, Database::Sqlite(_)) { sqlite } else { postgres };
    chat.block_on(async {
        let pool = sqlx::AnyPool::connect(&database.url()).await.unwrap();
        for sql in before.iter().chain([&then]) {
            sqlx::query(*sql).execute(&pool).await.unwrap();
        }
        pool.close().await;
    });
}

const NO_GUARD: (&[&str], &[&str]) = (
    &[
        "DROP TRIGGER audit_is_never_changed",
        "DROP TRIGGER audit_is_never_shortened",
        "DROP TRIGGER audit_is_never_replaced",
    ],
    &["DROP TRIGGER audit_is_never_changed ON audit"],
);

#[test]
pub(super) fn a_log_that_nobody_touched_is_intact() {
    let (database, chat) = noted();
    let log = chat.audit();
    let whole = verified(&chat, &database, Some(&log[1].hash));
    assert!(whole.is_intact(), "{whole:?}");
    assert_eq!((whole.followed.entries, &whole.followed.last), (3, &log[2].hash));
}

#[test]
pub(super) fn an_emptied_log_beside_what_leaves_entries_is_not_intact() {
    let (database, chat) = noted();
    tamper(&chat, &database, NO_GUARD, "DELETE FROM audit");
    let found = verified(&chat, &database, None);
    assert_eq!(found.unnoted, None, "nothing is kept that would have been noted");
    let _ = chat.token("ann");
    tamper(&chat, &database, (&[], &[]), "DELETE FROM audit");
    let found = verified(&chat, &database, None);
    assert_eq!((found.unnoted.as_deref(), found.is_intact()), (Some("1 token"), false), "{found:?}");
}

#[test]
pub(super) fn a_log_without_its_guard_is_told() {
    let (database, chat) = noted();
    tamper(&chat, &database, NO_GUARD, "SELECT 1");
    let found = verified(&chat, &database, None);
    assert_eq!((found.followed.broken, found.is_intact()), (None, false), "{found:?}");
    assert!(found.unguarded.contains(&"audit_is_never_changed".to_owned()), "{found:?}");
}

#[test]
pub(super) fn a_log_whose_end_was_cut_off_lacks_a_digest_that_was_noted() {
    let (database, chat) = noted();
    let last = chat.audit().pop().unwrap().hash;
    tamper(&chat, &database, NO_GUARD, "DELETE FROM audit WHERE seq = 3");
    let found = verified(&chat, &database, Some(&last));
    assert_eq!((found.followed.broken, found.lacks_expected), (None, true), "what is left follows: {found:?}");
}

#[test]
pub(super) fn an_entry_of_another_type_was_changed() {
    let (database, chat) = noted();
    let of_column = (
        &[NO_GUARD.0[0], "UPDATE audit SET at = 'soon' WHERE seq = 2"][..],
        &[NO_GUARD.1[0], "ALTER TABLE audit ALTER COLUMN at TYPE TEXT"][..],
    );
    tamper(&chat, &database, of_column, "SELECT 1");
    let found = verified(&chat, &database, None);
    let first = if matches!(database, Database::Sqlite(_)) { 2 } else { 1 };
    assert_eq!((found.followed.broken, found.followed.entries), (Some(first), first - 1));
}

#[test]
fn what_is_only_read_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let open = |name: &str| {
        let url = format!("sqlite://{}", folder.path().join(name).display());
        runtime.block_on(Store::open_to_read(&url)).map(drop).unwrap_err().message
    };
    let why = open("typo.db");
    assert!(why.contains("there is no database") && why.contains("typo.db"), "{why}");
    std::fs::write(folder.path().join("empty.db"), "").unwrap();
    assert!(open("empty.db").contains("there is no database"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
