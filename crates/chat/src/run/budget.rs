//! What a user may use in a day, held to before each question to a model: what it may take at most is set aside before it is asked, so
//! that neither many at once nor a run that never ends goes beyond, and what a killed server was at counts.

use crate::store::{Lease, Store};
use crate::wire::{ChatError, ErrorCode};
use handeye_models::Usage;

/// A day, in milliseconds.
pub(super) const DAY: i64 = 86_400_000;

/// What a user may use.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    pub(super) user: String,
    /// Tokens in a day.
    pub(super) most: u64,
}

impl Budget {
    /// Sets aside what the next answer may take, with what the run took before.
    pub(super) async fn reserve(
        &self,
        store: &Store,
        lease: &Lease,
        before: Usage,
        next: Usage,
    ) -> Result<(), ChatError> {
        let mut all = before;
        all.add(next);
        let taken = before.input.saturating_add(before.output);
        match lease.reserve(store, &self.user, (taken, all), (DAY, self.most)).await? {
            Ok(()) => Ok(()),
            Err(used) => Err(spent(used, self.most)),
        }
    }
}

/// Why no model is asked.
pub(super) fn spent(used: u64, most: u64) -> ChatError {
    let what = format!("{used} tokens of {most} were used within a day, with what answers under way may take");
    ChatError::new(ErrorCode::Spent, what).again_after(3_600)
}
