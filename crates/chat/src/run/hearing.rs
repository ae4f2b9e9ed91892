//! Answers that are on their way to their clients. A client may speak again before it has taken the end of the last answer: whether that was
//! heard is known only once it was told to its end, or the connection is gone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a word waits for that. A client that takes nothing has heard nothing.
const SETTLING: Duration = Duration::from_secs(3);

/// Held for as long as it isn't known whether an answer was heard.
pub struct Hearing {
    _held: OwnedSemaphorePermit,
}

/// Those of all conversations.
#[derive(Default)]
pub(super) struct Hearings(Mutex<HashMap<String, Arc<Semaphore>>>);

impl Hearings {
    fn of(&self, key: &str) -> Arc<Semaphore> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, one| Arc::strong_count(one) > 1);
        all.entry(key.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
    }

    /// An answer is on its way; none where another one of the conversation is.
    pub(super) fn begin(&self, key: &str) -> Option<Hearing> {
        self.of(key).try_acquire_owned().ok().map(|held| Hearing { _held: held })
    }

    /// Waits until it is known of the last answer.
    pub(super) async fn known(&self, key: &str) {
        let last = self.of(key);
        // Where it takes too long, it counts as not heard.
        let _ = timeout(SETTLING, last.acquire()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_word_waits_for_the_last_answer_alone() {
        let hearings = Hearings::default();
        let hearing = hearings.begin("a").expect("there is none");
        assert!(hearings.begin("a").is_none());
        hearings.known("b").await;
        let waits = timeout(Duration::from_millis(100), hearings.known("a")).await;
        assert!(waits.is_err(), "it isn't known yet");
        drop(hearing);
        hearings.known("a").await;
        drop(hearings.begin("b"));
        assert!(
            hearings.0.lock().unwrap_or_else(PoisonError::into_inner).len() <= 1,
            "nothing is left of what is over"
        );
    }
}
