//! What is known of the browser's clipboard, by a hidden tab that is told of each change of it.

/// The tab that is told, and what it was told of.
#[derive(Debug, Default)]
pub(crate) struct Clipboard {
    /// Whether the tab is being opened.
    pub(crate) opening: bool,
    /// The tab, once the browser has made it.
    pub(crate) target: Option<String>,
    /// Its session.
    pub(crate) session: Option<String>,
    /// What kinds of things were put on the clipboard last, if any since the gesture began.
    pub(crate) changed: Option<String>,
}

impl Clipboard {
    /// Whether a session is the tab's.
    pub(crate) fn is_at(&self, session: &str) -> bool {
        self.session.as_deref() == Some(session)
    }

    /// Whether a target, or its main frame, is the tab.
    pub(crate) fn is_tab(&self, target: &str) -> bool {
        self.target.as_deref() == Some(target)
    }

    /// A session is gone.
    pub(crate) fn forget(&mut self, session: &str) {
        if self.is_at(session) {
            (self.target, self.session) = (None, None);
        }
    }
}
