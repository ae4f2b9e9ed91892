//! The rules for reading an origin, applied to what its pages log and request.

use crate::{Effect, Session};
use handeye_engine::policy::origin;
use handeye_scene::{DeniedOrigins, Message, NetworkRequest, Problem};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Origins whose documents must not be read, and how much was left out for them.
pub struct ReadPolicy {
    origins: DeniedOrigins,
    left_out: AtomicUsize,
}

impl ReadPolicy {
    /// As the rules of the current call have it.
    pub fn of(session: &Session) -> Result<Self, Problem> {
        let origins = session.policy()?.denied(Effect::Reads);
        Ok(Self { origins, left_out: AtomicUsize::new(0) })
    }

    /// Whether an address is of one of them.
    pub fn denies(&self, url: &str) -> bool {
        // A socket is of the origin that it is opened to by HTTP.
        let http = url.strip_prefix("ws").map(|rest| format!("http{rest}"));
        self.origins.contains(&origin::of(http.as_deref().unwrap_or(url)))
    }

    /// Whether a request may be shown; one that may not is counted.
    pub fn lets_exchange(&self, exchange: &NetworkRequest) -> bool {
        self.lets(self.denies(&exchange.url) || self.denies(&exchange.document))
    }

    /// Whether a message may be shown; one that may not is counted.
    pub fn lets_message(&self, message: &Message) -> bool {
        let by = message.origin.as_deref().unwrap_or(&message.source);
        // What names no source, such as a script's own text, is of the document that it is in.
        let from = Some(&message.source).filter(|source| !source.is_empty());
        self.lets(self.denies(by) || from.is_some_and(|from| self.denies(from)))
    }

    fn lets(&self, denied: bool) -> bool {
        self.left_out.fetch_add(usize::from(denied), Ordering::Relaxed);
        !denied
    }

    /// How many were left out.
    pub fn count(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }
}

/// What to say of so many that were left out.
pub fn line(left_out: usize) -> Option<String> {
    (left_out > 0).then(|| format!("… {left_out} left out: the policy denies reading their origin"))
}

/// What stands in place of what must not be read.
pub(crate) const WITHHELD: &str = "(withheld)";
