//! A session's daemon: its task, its connections, its end.

pub(crate) mod connection;
pub(crate) mod consent;
pub mod daemon;
pub mod handle;
mod interrupt;
pub(crate) mod watchers;
