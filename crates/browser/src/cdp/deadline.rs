//! How long a command may take in all.

use std::time::Duration;
use tokio::time::Instant;

/// How much longer than its limit a command may wait for an answer that is under way.
const GRACE: Duration = Duration::from_millis(800);
/// What a short limit bounds is the waiting for something; the steps on the way may take so long all the same, so that a
/// busy machine's answer is still the right one.
const LEAST: Duration = Duration::from_secs(3);

/// What a command may take that was given a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    /// When it should be over.
    pub(super) due: Instant,
    /// When it must be over.
    pub(super) end: Instant,
    /// Its limit.
    pub(super) whole: Duration,
}

impl Deadline {
    /// That of a command that begins now; none where the clock doesn't go so far.
    pub(crate) fn from_now(whole: Duration) -> Option<Self> {
        let (now, most) = (Instant::now(), whole.max(LEAST).checked_add(GRACE)?);
        Some(Self { due: now.checked_add(whole)?, end: now.checked_add(most)?, whole })
    }
}
