//! The database: SQLite, or PostgreSQL, which several servers may share. All SQL is here.
//!
//! What is accepted is stored before it is answered. A conversation is written to by whoever holds its lease ([`lease`]), and each
//! change of it is one transaction.

mod accept;
mod again;
mod audit;
mod conversations;
mod database;
mod file;
mod grants;
mod group;
mod history;
mod lease;
mod pairing;
mod questions;
mod rows;
mod said;
mod turns;
mod users;
mod verify;

pub use accept::{Accepted, Incoming};
pub use again::{Opening, Past, heard};
pub use audit::{Entry as AuditEntry, Followed, follow as follow_audit, verify as verify_audit};
pub use conversations::{Conversation, Listed};
pub use database::{Kind, Store, now};
pub(crate) use grants::Grant;
pub use history::{Body, Entry};
pub use lease::{LastRun, Lease, RunState, is_earlier_run};
pub use pairing::{HOLDS as PAIRING_HOLDS, Paired, Pairings};
pub(crate) use questions::ask;
pub use said::{Returned, Said};
pub use turns::{NewCall, Turn};
pub(crate) use turns::{Offering, Waiting};
pub use users::{TokenInfo, User};
pub use verify::{Verified, verify as verify_log};
