//! What waits to be sent to a browser: bounded, since a browser that reads nothing may go on telling of events, each of which
//! is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

/// How many bytes may wait to be sent. A message is taken whatever its size where nothing waits.
const MOST: usize = 64 << 20;

/// Why a message wasn't taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// Nothing is sent any more.
    Closed,
    /// Too much waits already.
    Full,
}

/// Where messages are put to be sent, in order.
#[derive(Clone)]
pub(crate) struct Outbox {
    to: mpsc::UnboundedSender<String>,
    waiting: Arc<AtomicUsize>,
}

/// Where they are taken from.
pub(crate) struct ToSend {
    from: mpsc::UnboundedReceiver<String>,
    waiting: Arc<AtomicUsize>,
}

/// Both ends.
pub(crate) fn outbox() -> (Outbox, ToSend) {
    let (to, from) = mpsc::unbounded_channel();
    let waiting = Arc::<AtomicUsize>::default();
    (Outbox { to, waiting: waiting.clone() }, ToSend { from, waiting })
}

impl Outbox {
    /// Puts a message behind those that wait.
    pub(crate) fn put(&self, message: String) -> Result<(), NotTaken> {
        let size = message.len();
        let before = self.waiting.fetch_add(size, Ordering::Relaxed);
        if before > 0 && before.saturating_add(size) > MOST {
            self.waiting.fetch_sub(size, Ordering::Relaxed);
            return Err(NotTaken::Full);
        }
        self.to.send(message).map_err(|_| NotTaken::Closed)
    }
}

impl ToSend {
    /// The next message; none when nobody can put one any more.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let message = self.from.recv().await?;
        self.waiting.fetch_sub(message.len(), Ordering::Relaxed);
        Some(message)
    }

    /// The next message, if one waits.
    #[cfg(test)]
    pub(crate) fn now(&mut self) -> Option<String> {
        let message = self.from.try_recv().ok()?;
        self.waiting.fetch_sub(message.len(), Ordering::Relaxed);
        Some(message)
    }
}
