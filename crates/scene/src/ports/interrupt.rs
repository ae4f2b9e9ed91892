//! The port by which a call learns that its caller wants to end it in order.

use async_trait::async_trait;

/// Tells of an interruption. A caller that just goes away cancels its call; one that interrupts waits for what was done.
#[async_trait]
pub trait Interrupts: Send + Sync {
    /// Returns once the call is to end; never, where nobody says so.
    async fn interrupted(&self);
}
