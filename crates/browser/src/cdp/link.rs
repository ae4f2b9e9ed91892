//! The link to a browser: its connection, what is known of it, and how long the command that runs may take. Everything
//! that asks a browser for something asks by it.

use super::deadline::Deadline;
use super::transport::{CallError, Connection, PendingReply, Reply, read};
use crate::model::Model;
use crate::model::shared::Shared;
use handeye_scene::{Code, Problem};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long most calls may take.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(10);
/// How long a document inside the page, which a look can do without, may take.
pub(crate) const FRAME_LIMIT: Duration = Duration::from_secs(3);

/// A link to a browser; clones share it.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) connection: Connection,
    pub(crate) shared: Arc<Shared>,
    /// When the command that runs must be over, and how long it may take in all; none: as long as its steps take.
    deadline: Arc<Mutex<Option<Deadline>>>,
}

impl Link {
    pub(crate) fn new(connection: Connection, shared: Arc<Shared>) -> Self {
        Self { connection, shared, deadline: Arc::default() }
    }

    /// What is known. Never held across an await.
    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.shared.model()
    }

    /// Wakes whenever an event was applied.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.shared.watch()
    }

    /// Sets how long the command that begins now may take; none: as long as its steps take.
    pub(crate) fn allow(&self, limit: Option<Duration>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = limit.and_then(Deadline::from_now);
    }

    /// How long the command that runs may take.
    pub(super) fn deadline(&self) -> Option<Deadline> {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Parameters of a call to the browser that is about one browser context: our own where we have one, else the browser's first.
    pub(crate) fn in_context(&self, mut params: Value) -> Value {
        if let Some(context) = &self.model().browser.context {
            params["browserContextId"] = context.as_str().into();
        }
        params
    }

    /// A call to the browser, or to a session, that needs no answer of the page's own scripts.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<T, Problem> {
        let (deadline, limit) = self.within(Instant::now() + limit, limit);
        let rest = deadline.saturating_duration_since(Instant::now());
        match self.connection.call(session, method, params, rest).await {
            Err(CallError::Timeout { .. }) if session.is_some() => Err(self.unanswered(method, limit).await),
            Err(CallError::Timeout { .. }) => Err(self.mute(limit)),
            other => other.map_err(|e| self.problem(e)),
        }
    }

    /// Waits for an answer that a page must give: a dialog, a crash or the end of the browser ends the wait at once.
    pub(crate) async fn answer<T: DeserializeOwned>(
        &self,
        pending: PendingReply,
        limit: Duration,
    ) -> Result<T, Problem> {
        self.answer_by(pending, Instant::now() + limit, limit).await
    }

    /// As [`Link::answer`], for one of many asked at once: they share a deadline; `limit` is what the problem says.
    pub(crate) async fn answer_by<T: DeserializeOwned>(
        &self,
        pending: PendingReply,
        deadline: Instant,
        limit: Duration,
    ) -> Result<T, Problem> {
        let method = pending.method;
        let raw = self.reply_by(pending, deadline, limit).await?.map_err(|e| self.problem(e))?;
        read(method, &raw).map_err(|e| self.problem(e))
    }

    /// As [`Link::answer_by`], unread, with the browser's own words where it refuses.
    pub(crate) async fn reply_by(
        &self,
        pending: PendingReply,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Reply, Problem> {
        let method = pending.method;
        let (deadline, limit) = self.within(deadline, limit);
        let mut watch = self.watch();
        // What keeps the page from answering may have come before this wait: without an answer yet, look at once.
        watch.mark_changed();
        tokio::pin!(pending);
        loop {
            tokio::select! {
                biased;
                reply = &mut pending => {
                    if matches!(&reply, Err(CallError::Refused { message, .. }) if message.contains(DETACHED)) {
                        self.end_is_told(deadline).await;
                    }
                    return Ok(reply);
                }
                changed = watch.changed() => {
                    if changed.is_err() {
                        return Err(self.lost("the connection is closed"));
                    }
                    self.check_dialog()?;
                    self.check_page()?;
                }
                () = tokio::time::sleep_until(deadline) => {
                    return Err(self.unanswered(method, limit).await);
                }
            }
        }
    }

    /// Waits a moment for the event that says that a tab is lent no more: it comes after the answers of the calls that it cut off.
    async fn end_is_told(&self, deadline: Instant) {
        if !self.model().browser.lent {
            return;
        }
        let mut watch = self.watch();
        let told = async { while self.check_page().is_ok() && watch.changed().await.is_ok() {} };
        let _ = tokio::time::timeout_at(deadline.min(Instant::now() + TOLD), told).await;
    }

    /// A call's error as a problem.
    pub(crate) fn problem(&self, error: CallError) -> Problem {
        if let Err(problem) = self.check_page() {
            return problem;
        }
        match error {
            CallError::Lost(reason) => self.lost(&reason),
            CallError::Timeout { limit, .. } => self.silent(limit),
            CallError::Refused { ref message, .. } if is_gone(message) => {
                Problem::new(Code::Stale, "the document is gone").hint("handeye state")
            }
            CallError::Outside { .. } => Problem::new(Code::Unsupported, error.to_string())
                .hint("handeye state")
                .hint("handeye open URL --session OTHER"),
            CallError::Refused { .. } | CallError::Malformed { .. } => Problem::new(Code::Bug, error.to_string()),
        }
    }

    fn lost(&self, reason: &str) -> Problem {
        if self.model().browser.lent {
            return Problem::new(Code::Lost, format!("the tab is lent no more: {reason}"))
                .hint("handeye open tab:CODE");
        }
        Problem::new(Code::Lost, format!("the browser is gone ({reason})")).hint("handeye open URL")
    }

    pub(crate) fn check_lost(&self) -> Result<(), Problem> {
        let reason = self.model().browser.lost.clone();
        reason.map_or(Ok(()), |reason| Err(self.lost(&reason)))
    }

    /// Whether the active tab can be used at all.
    pub(crate) fn check_page(&self) -> Result<(), Problem> {
        self.check_lost()?;
        let model = self.model();
        match model.pages.tab() {
            Some(tab) if tab.crashed => Err(Problem::new(Code::Lost, format!("the page {} crashed", tab.url))
                .hint("handeye reload")
                .hint("handeye open URL")),
            Some(_) => Ok(()),
            None => {
                Err(Problem::new(Code::Lost, "the tab was closed").hint("handeye tabs list").hint("handeye open URL"))
            }
        }
    }

    /// Whether a dialog keeps the page from answering.
    pub(crate) fn check_dialog(&self) -> Result<(), Problem> {
        let model = self.model();
        let Some((_, dialog)) = model.pages.dialog() else { return Ok(()) };
        let message = model.cut(&dialog.message, 200);
        Err(Problem::new(Code::Blocked, format!("a dialog is open: {} {message:?}", dialog.kind))
            .hint("handeye dialog accept")
            .hint("handeye dialog dismiss")
            .hint("handeye tabs new URL"))
    }

    /// Session of the active tab.
    pub(crate) fn session(&self) -> Result<String, Problem> {
        self.check_page()?;
        let session = self.model().pages.tab().and_then(|t| t.session.clone());
        session.ok_or_else(|| Problem::new(Code::Lost, "the tab is not attached any more").hint("handeye tabs list"))
    }

    /// Waits until the main document can be asked.
    pub(crate) async fn wait_for_main_document(&self, limit: Duration) -> Result<(), Problem> {
        let ready = self.shared.wait_until(Instant::now() + limit, || {
            {
                let model = self.model();
                if model.pages.main_document().is_some() || model.pages.dialog().is_some() {
                    return Ok(Some(()));
                }
            }
            self.check_page().map(|()| None)
        });
        ready.await?.ok_or_else(|| {
            Problem::new(Code::Timeout, "the page's document didn't get ready in time").hint("handeye reload")
        })
    }

    /// Waits for the answers of input that was sent. The page going away under it is no fault of the input's.
    pub(crate) async fn wait_for_all(&self, all_pending: Vec<PendingReply>) -> Result<(), Problem> {
        for pending in all_pending {
            match self.answer::<Value>(pending, CALL_LIMIT).await {
                Err(problem) if problem.code == Code::Stale => {}
                other => drop(other?),
            }
        }
        Ok(())
    }

    /// Makes calls in every tab and every document with a process of its own.
    pub(crate) async fn call_everywhere(&self, calls: &[(&'static str, Value)]) -> Result<(), Problem> {
        self.call_tabs_and_frames(calls, calls).await
    }

    /// Makes calls in every tab, and others in every document with a process of its own. What a tab that isn't the active
    /// one answers is of no interest: it may have crashed.
    pub(crate) async fn call_tabs_and_frames(
        &self,
        tabs: &[(&'static str, Value)],
        frames: &[(&'static str, Value)],
    ) -> Result<(), Problem> {
        let active = self.session().ok();
        let sessions: Vec<(String, bool)> = {
            let model = self.model();
            let is_tab = |target: &String| model.pages.tabs.iter().any(|t| &t.target == target);
            model.pages.sessions.iter().map(|(session, target)| (session.clone(), is_tab(target))).collect()
        };
        let mut awaited = Vec::new();
        for (session, is_tab) in sessions {
            for (method, params) in if is_tab { tabs } else { frames } {
                let pending = self.connection.send(Some(&session), method, params);
                if active.as_ref() == Some(&session) {
                    awaited.push(pending);
                } else {
                    drop(pending);
                }
            }
        }
        for pending in awaited {
            self.answer::<Value>(pending, CALL_LIMIT).await?;
        }
        Ok(())
    }
}

/// What the browser answers calls with that a page or a frame leaves behind as it goes.
const DETACHED: &str = "Detached while handling command";

/// How soon after such an answer the browser tells that the page is gone.
const TOLD: Duration = Duration::from_millis(500);

fn is_gone(message: &str) -> bool {
    [
        DETACHED,
        "Cannot find context",
        "uniqueContextId not found",
        "Session with given id not found",
        "Inspected target navigated",
        "Could not find node",
        "Could not find object",
        "No node with given id",
        "Node with given id does not belong",
        "Frame with the given",
        "No frame for given id",
        "Execution context was destroyed",
    ]
    .iter()
    .any(|m| message.contains(m))
}
