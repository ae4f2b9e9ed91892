//! Starting daemons, and the folder in which they and their clients meet.

pub(crate) mod handshake;
pub(crate) mod hold;
pub(crate) mod lock_file;
pub(crate) mod remains;
pub mod runtime_dir;
pub(crate) mod start;
