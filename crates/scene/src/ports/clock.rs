//! Time as a port, so that decisions can be tested without waiting.

use async_trait::async_trait;
use std::time::Duration;

/// Tells and passes time.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Time since some fixed moment; never goes back.
    fn elapsed(&self) -> Duration;
    /// The wall clock, RFC 3339 in UTC.
    fn timestamp(&self) -> String;
    /// Waits.
    async fn sleep(&self, time: Duration);
}
