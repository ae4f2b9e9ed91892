//! What an agent asks to have done.

use crate::deed::Deed;
use crate::locate::Locator;
use crate::matching::Expectation;
use std::time::Duration;

/// What the agent asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// How the target is named; tried in order.
    pub locators: Vec<Locator>,
    /// What must be true of it.
    pub expectation: Expectation,
    /// What to do to it.
    pub deed: Deed,
    /// Act even when the expectation can't be checked because the target has no text.
    pub act_on_unverifiable: bool,
    /// Origins whose documents must not be acted on.
    pub barred: Vec<String>,
    /// The one origin in whose documents it may be done: a secret's.
    pub only_in: Option<String>,
    /// Checks inside the events. Off only to prove in tests that they are what prevents wrong clicks.
    pub guarded: bool,
    /// How long the target may take to get ready.
    pub ready: Duration,
    /// How long the page may take to get quiet.
    pub settle: Duration,
    /// How long an effect is waited for after the gesture, where none was seen that tells.
    pub effect: Duration,
    /// How many changes the receipt lists.
    pub changes: usize,
}
