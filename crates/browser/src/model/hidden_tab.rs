//! What is known of the hidden tab that shows an empty page of any origin.

use crate::protocol::Attached;

/// A hidden tab.
#[derive(Debug, Default)]
pub(crate) enum HiddenTab {
    /// There is none.
    #[default]
    None,
    /// It was asked for, by the request of this number, and the browser hasn't said which target it is: tabs that came since
    /// without an opener wait for that.
    Wanted(u64, Vec<Attached>),
    /// Its target; we aren't attached to it yet.
    Named(String),
    /// Its session and target.
    There(String, String),
}

impl HiddenTab {
    /// A session is gone.
    pub(crate) fn forget(&mut self, session: &str) {
        if let HiddenTab::Wanted(_, waiting) = self {
            waiting.retain(|attached| attached.session_id != session);
        }
    }
}
