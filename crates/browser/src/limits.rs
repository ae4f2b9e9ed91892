//! How long a command may take in all, and what is said of a page or a browser that doesn't answer in that time.

use crate::guard::OTHERS_LIMIT;
use crate::surface::{Browser, CALL_LIMIT, FRAME_LIMIT};
use crate::transport::CallError;
use handeye_scene::{Code, DocumentId, Problem};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// How much longer than its limit a command may wait for an answer that is under way.
const GRACE: Duration = Duration::from_millis(800);
/// What a short limit bounds is the waiting for something; the steps on the way may take so long all the same, so that a
/// busy machine's answer is still the right one.
const LEAST: Duration = Duration::from_secs(3);
/// How long a document that hung is waited for.
const STILL_SILENT: Duration = Duration::from_millis(100);
/// How long a browser that is well may take to answer for itself.
const BROWSER_LIMIT: Duration = Duration::from_millis(700);

/// What a command may take that was given a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    /// When it should be over.
    due: Instant,
    /// When it must be over.
    end: Instant,
    /// Its limit.
    whole: Duration,
}

impl Allowed {
    /// That of a command that begins now; none where the clock doesn't go so far.
    pub(crate) fn from_now(whole: Duration) -> Option<Self> {
        let (now, most) = (Instant::now(), whole.max(LEAST).checked_add(GRACE)?);
        Some(Self { due: now.checked_add(whole)?, end: now.checked_add(most)?, whole })
    }
}

impl Browser {
    /// How long a document inside the page is waited for: one that hung the last time, and has said nothing since, a moment.
    pub(crate) fn frame_limit(&self, document: DocumentId) -> Duration {
        if self.is_silent(document) { STILL_SILENT } else { FRAME_LIMIT }
    }

    /// How long a document is waited for that a gesture isn't aimed at: one that hangs takes no input either.
    pub(crate) fn bystander_limit(&self, document: DocumentId) -> Duration {
        if self.is_silent(document) { STILL_SILENT } else { OTHERS_LIMIT }
    }

    /// Whether a document hung the last time, and has said nothing since.
    pub(crate) fn is_silent(&self, document: DocumentId) -> bool {
        self.shared.world().document(document).is_some_and(|d| d.silent)
    }

    /// A document inside the page didn't answer in time. It says itself when it does again.
    pub(crate) fn note_silent(&self, document: DocumentId) {
        let Some((session, context)) = self.shared.world().document_mut(document).and_then(|d| {
            let first = !std::mem::replace(&mut d.silent, true);
            first.then(|| (d.session.clone(), d.context.clone()))
        }) else {
            return;
        };
        let shared = self.shared.clone();
        let ping = json!({ "expression": "0", "uniqueContextId": context });
        self.connection.then(Some(&session), "Runtime.evaluate", ping, move |_| {
            if let Some(document) = shared.world().document_mut(document) {
                document.silent = false;
            }
        });
    }

    /// A look told of a document, or left it out. From the last look before a gesture on, one that does is enough.
    pub(crate) fn note_look(&self, document: DocumentId, missed: bool) {
        let mut world = self.shared.world();
        let recording = world.recording;
        if let Some(document) = world.document_mut(document) {
            document.missed = missed || recording && document.missed;
        }
    }

    /// When a step must be over, and the limit to tell of: one that may take as long as any has all the time of a command
    /// that was given some; none has more.
    pub(crate) fn within(&self, deadline: Instant, limit: Duration) -> (Instant, Duration) {
        match self.allowed {
            Some(Allowed { end, whole, .. }) if limit >= CALL_LIMIT || end < deadline => (end, whole),
            _ => (deadline, limit),
        }
    }

    /// When what may be cut short must be over: before the time of the command is, so that it can tell what it did.
    pub(crate) fn in_time(&self, deadline: Instant) -> Instant {
        self.allowed.map_or(deadline, |allowed| deadline.min(allowed.due))
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
        if let Some((tab, dialog)) = self.shared.world().dialog_elsewhere() {
            let text =
                format!("the page doesn't answer within {limit:.1} s; tab {tab} shows a dialog: {}", dialog.kind);
            return Problem::new(Code::Timeout, text).hint(format!("handeye tabs switch {tab}"));
        }
        busy(&format!("the page is busy: it didn't answer within {limit:.1} s"))
    }
}

/// A page whose main thread has more to do than to answer.
pub(crate) fn busy(text: &str) -> Problem {
    Problem::new(Code::Timeout, format!("{text}; reload and open stop what it runs"))
        .hint("handeye state --timeout 60")
        .hint("handeye reload")
        .hint("handeye open URL")
}
