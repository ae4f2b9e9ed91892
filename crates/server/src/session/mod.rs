//! A session's daemon: its task, its connections, its end.

pub(crate) mod connection;
pub(crate) mod consent;
pub mod daemon;
pub mod handle;
pub(crate) mod watchers;
