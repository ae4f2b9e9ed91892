//! Server-sent events of AG-UI, numbered, so that a client can say which it has heard.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;

/// After so long without an event a comment is sent, by which a dead connection is noticed.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);
/// That comment.
pub(super) const STILL_HERE: &str = ": still here\n\n";

/// Numbers the events of a run.
pub(super) struct Numbers {
    run: String,
    /// The number of the next event.
    at: usize,
    /// How many the client has heard already.
    heard: usize,
}

impl Numbers {
    pub(super) fn new(run: &str, heard: usize) -> Self {
        Self { run: run.to_owned(), at: 0, heard }
    }

    /// Events with their ids, but for those that were heard.
    pub(super) fn told(&mut self, events: &[Value]) -> String {
        let mut text = String::new();
        for event in events {
            if self.at >= self.heard {
                let _ = write!(text, "id: {}:{}\ndata: {event}\n\n", self.run, self.at);
            }
            self.at += 1;
        }
        text
    }
}

pub(super) fn headers() -> [(&'static str, &'static str); 3] {
    // Proxies that gather answers would hold back what is streamed.
    [(CONTENT_TYPE.as_str(), "text/event-stream"), (CACHE_CONTROL.as_str(), "no-cache"), ("x-accel-buffering", "no")]
}
