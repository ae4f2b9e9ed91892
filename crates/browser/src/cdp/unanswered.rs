//! Limits of steps within the time of a command, and what is said of a page or a browser that doesn't answer in that time.

use super::deadline::Deadline;
use super::link::{CALL_LIMIT, Link};
use super::transport::CallError;
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// How long a browser that is well may take to answer for itself.
const BROWSER_LIMIT: Duration = Duration::from_millis(700);

impl Link {
    /// When a step must be over, and the limit to tell of: one that may take as long as any has all the time of a command
    /// that was given some; none has more.
    pub(crate) fn within(&self, deadline: Instant, limit: Duration) -> (Instant, Duration) {
        match self.deadline() {
            Some(Deadline { end, whole, .. }) if limit >= CALL_LIMIT || end < deadline => (end, whole),
            _ => (deadline, limit),
        }
    }

    /// When what may be cut short must be over: before the time of the command is, so that it can tell what it did.
    pub(crate) fn in_time(&self, deadline: Instant) -> Instant {
        self.deadline().map_or(deadline, |allowed| deadline.min(allowed.due))
    }

    /// Why nothing was answered in time.
    pub(crate) async fn unanswered(&self, method: &'static str, limit: Duration) -> Problem {
        if self.check_page().is_ok() {
            let well = self.connection.call::<Value>(None, "Browser.getVersion", json!({}), BROWSER_LIMIT).await;
            if matches!(well, Err(CallError::Timeout { .. })) {
                return self.mute(limit);
            }
        }
        self.problem(CallError::Timeout { method, limit })
    }

    /// A browser that answers nothing any more.
    pub(crate) fn mute(&self, limit: Duration) -> Problem {
        let text = format!("the browser doesn't answer: it said nothing within {:.1} s", limit.as_secs_f64());
        self.check_page()
            .err()
            .unwrap_or_else(|| Problem::new(Code::Timeout, text).hint("handeye close").hint("handeye doctor"))
    }

    /// A page that doesn't answer. Tabs that share a process wait for each other's dialogs.
    pub(crate) fn silent(&self, limit: Duration) -> Problem {
        let limit = limit.as_secs_f64();
        if let Some((tab, dialog)) = self.model().pages.dialog_elsewhere() {
            let text =
                format!("the page doesn't answer within {limit:.1} s; tab {tab} shows a dialog: {}", dialog.kind);
            return Problem::new(Code::Timeout, text).hint(format!("handeye tabs switch {tab}"));
        }
        if self.model().pages.is_being_left() {
            return unanswering(self);
        }
        busy(&format!("the page is busy: it didn't answer within {limit:.1} s"))
    }
}

/// A page that doesn't answer: it is being left for another, or has more to do.
pub(crate) fn unanswering(link: &Link) -> Problem {
    let model = link.model();
    let Some(loader) = model.pages.left_for() else { return busy("the page is busy: it doesn't answer") };
    let text = match model.network.document.as_ref().filter(|(id, ..)| id == loader) {
        Some((_, method, url)) => {
            let url = model.cut(url, ADDRESS);
            format!("the page is being left for another, and waits for the answer to {method} {url}")
        }
        None => "the page is being left for another, which hasn't answered yet".to_owned(),
    };
    Problem::new(Code::Timeout, text)
        .hint("handeye wait --idle --timeout 60")
        .hint("handeye reload")
        .hint("handeye open URL")
}

/// Longest address that is told, characters.
const ADDRESS: usize = 300;

/// A page whose main thread has more to do than to answer.
pub(crate) fn busy(text: &str) -> Problem {
    Problem::new(Code::Timeout, format!("{text}; reload and open stop what it runs"))
        .hint("handeye state --timeout 60")
        .hint("handeye reload")
        .hint("handeye open URL")
}
