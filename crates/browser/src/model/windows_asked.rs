//! Windows that pages asked for, until they come: each comes with what it was asked for.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// So soon after it was asked for a window is there, or was blocked.
const SOON: Duration = Duration::from_secs(5);
/// So many are remembered.
const MOST: usize = 20;

/// A window that a page asked for.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The address that it was asked for with.
    url: String,
    /// When it was asked for, or came.
    pub(crate) since: Instant,
    /// Its target, once it is there: its first document is to come.
    pub(crate) came: Option<String>,
    /// That document was asked for: the answer is waited for as any.
    pub(crate) asked: bool,
}

impl Opening {
    pub(crate) fn asked(url: String, now: Instant) -> Self {
        Self { url, since: now, came: None, asked: false }
    }

    /// It is there; none where no document comes that it was asked for with.
    pub(crate) fn came(self, target: &str, now: Instant) -> Option<Self> {
        let leads = ["http:", "https:", "file:"].iter().any(|scheme| self.url.starts_with(scheme));
        leads.then(|| Self { since: now, came: Some(target.to_owned()), ..self })
    }
}

/// Addresses that windows were asked for with, and when, the first of them first.
#[derive(Debug, Default)]
pub(crate) struct WindowsAsked(VecDeque<(String, Instant)>);

impl WindowsAsked {
    /// A page asks for a window.
    pub(crate) fn note(&mut self, url: String, now: Instant) {
        self.forget(now);
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((url, now));
    }

    /// A window came that shows this address so far: what it was asked for with. They come in the order in which they were asked
    /// for; of one that was blocked nothing comes.
    pub(crate) fn came(&mut self, shows: &str, now: Instant) -> Option<String> {
        self.forget(now);
        let is_blank = matches!(shows, "" | ":" | "about:blank");
        let at = self.0.iter().position(|(url, _)| url == shows).or(is_blank.then_some(0));
        match at {
            Some(at) => self.0.remove(at).map(|(url, _)| url),
            None => Some(shows.to_owned()),
        }
    }

    fn forget(&mut self, now: Instant) {
        self.0.retain(|(_, at)| now.saturating_duration_since(*at) < SOON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_window_comes_with_what_it_was_asked_for() {
        let now = Instant::now();
        let mut windows = WindowsAsked::default();
        for url in ["tel:1", "https://a.example/", "mailto:b"] {
            windows.note(url.into(), now);
        }
        // One that shows nothing yet is the first.
        for (shows, wanted) in
            [("https://a.example/", "https://a.example/"), ("", "tel:1"), ("about:blank", "mailto:b")]
        {
            assert_eq!(windows.came(shows, now).as_deref(), Some(wanted));
        }
        assert_eq!(windows.came("", now), None);
        // One that nobody was told of is what it shows.
        windows.note("tel:1".into(), now);
        assert_eq!(windows.came("https://b.example/", now).as_deref(), Some("https://b.example/"));
        assert_eq!(windows.came("", now).as_deref(), Some("tel:1"));
        // What was blocked is forgotten.
        windows.note("tel:2".into(), now);
        assert_eq!(windows.came("", now + SOON), None);
        for n in 0..=MOST {
            windows.note(format!("tel:{n}"), now);
        }
        assert_eq!(windows.came("", now).as_deref(), Some("tel:1"));
    }
}
