//! The version of handeye, the same in client and daemon.

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
