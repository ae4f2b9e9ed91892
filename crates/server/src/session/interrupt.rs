//! Calls that are to end in order, by the names that their callers gave them.

use async_trait::async_trait;
use handeye_scene::Interrupts;
use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use tokio::sync::watch;

/// Names that are kept of calls that haven't come yet, or are over: no more than callers that go wrong could give.
const MOST: usize = 64;

/// The calls of a session that were interrupted.
#[derive(Clone)]
pub(crate) struct Interrupted(watch::Sender<BTreeSet<String>>);

impl Default for Interrupted {
    fn default() -> Self {
        Self(watch::channel(BTreeSet::new()).0)
    }
}

impl Interrupted {
    /// Interrupts a call; one that is still to come ends as soon as it begins.
    pub(crate) fn interrupt(&self, call: &str) {
        self.0.send_modify(|calls| {
            if calls.len() >= MOST {
                calls.pop_first();
            }
            calls.insert(call.to_owned());
        });
    }

    /// What tells a call of it.
    pub(crate) fn of(&self, call: &str) -> Arc<dyn Interrupts> {
        Arc::new(Of { calls: self.0.subscribe(), call: call.to_owned() })
    }

    /// Forgets a call that is over.
    pub(crate) fn forget(&self, call: &str) {
        self.0.send_if_modified(|calls| calls.remove(call));
    }
}

struct Of {
    calls: watch::Receiver<BTreeSet<String>>,
    call: String,
}

#[async_trait]
impl Interrupts for Of {
    async fn interrupted(&self) {
        if self.calls.clone().wait_for(|calls| calls.contains(&self.call)).await.is_err() {
            // Nobody is left to say so.
            pending::<()>().await;
        }
    }
}
