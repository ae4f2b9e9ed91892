//! How a run is told to end before it is done.

use crate::wire::ChatError;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Whether a run is to end, and why.
#[derive(Debug, Default)]
pub(super) struct Stop {
    why: Mutex<Option<ChatError>>,
    told: Notify,
}

impl Stop {
    /// Tells it to end; what it was told first counts.
    pub(super) fn ask(&self, why: ChatError) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.told.notify_one();
    }

    /// Waits until it is told to, and why.
    pub(super) async fn asked(&self) -> ChatError {
        loop {
            let told = self.told.notified();
            if let Some(why) = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                return why;
            }
            told.await;
        }
    }
}
