//! Waiting until a page is quiet, by events alone.

use crate::surface::Browser;
use crate::transport::Ticket;
use handeye_scene::{Problem, Settled};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// No mutation and no request for so long is quiet.
const QUIET: Duration = Duration::from_millis(50);
/// Requests that run longer than this are streams and long polls, which no page waits for.
const LONG_REQUEST: Duration = Duration::from_secs(1);

/// A window that hasn't come by then was blocked.
const LONG_OPENING: Duration = Duration::from_millis(500);

impl Browser {
    /// Starts to record what a gesture brings, in every document of the tab. Calls that follow on the same session come
    /// after it; input does not, see [`Browser::recording`].
    pub(crate) fn begin(&mut self) -> Vec<Ticket> {
        self.shared.world().begin();
        self.watch(true)
    }

    fn watch(&self, on: bool) -> Vec<Ticket> {
        self.shared.world().recording = on;
        let documents = self.shared.world().active_documents();
        documents.into_iter().filter_map(|(_, document)| self.ask(document, "watch", &[json!(on)]).ok()).collect()
    }

    /// Waits until every document records. Input takes another way into a page than calls do: it would overtake them, and
    /// what it changes would go unseen.
    pub(crate) async fn recording(&self, begun: Vec<Ticket>) -> Result<(), Problem> {
        self.all(begun).await
    }

    pub(crate) async fn quiet(&mut self, limit: Duration) -> Result<Settled, Problem> {
        let deadline = self.in_time(Instant::now() + limit);
        let quiet = loop {
            let mut watch = self.shared.watch();
            if self.check_page().is_err() || self.shared.world().dialog().is_some() {
                break false;
            }
            let now = Instant::now();
            let Some(until) = self.quiet_at() else { break true };
            if now >= deadline {
                break false;
            }
            tokio::select! {
                _ = watch.changed() => {}
                () = tokio::time::sleep_until(until.min(deadline)) => {}
            }
        };
        drop(self.watch(false));
        let mut world = self.shared.world();
        Ok(Settled {
            events: std::mem::take(&mut world.events),
            mutations: std::mem::take(&mut world.mutations),
            quiet,
        })
    }

    /// When to look again; none when it is quiet now.
    fn quiet_at(&self) -> Option<Instant> {
        let now = std::time::Instant::now();
        let world = self.shared.world();
        let mut wait = Duration::ZERO;
        let loading = world.loading.iter().any(|f| world.is_active(f)) || world.main_document().is_none();
        if loading {
            wait = Duration::from_secs(1);
        }
        let running =
            world.requests.values().map(|began| LONG_REQUEST.saturating_sub(now.duration_since(*began))).max();
        wait = wait.max(running.unwrap_or_default());
        let opening = world.opening.map(|began| LONG_OPENING.saturating_sub(now.duration_since(began)));
        wait = wait.max(opening.unwrap_or_default());
        let since = world.touched.map_or(QUIET, |t| now.duration_since(t));
        wait = wait.max(QUIET.saturating_sub(since));
        (!wait.is_zero()).then(|| Instant::now() + wait)
    }

    /// Waits for the next thing that happens.
    pub(crate) async fn change(&mut self, limit: Duration) -> Result<bool, Problem> {
        self.check_page()?;
        if !self.shared.world().recording {
            drop(self.watch(true));
        }
        let before = self.shared.world().touched;
        let deadline = Instant::now() + limit;
        loop {
            let mut watch = self.shared.watch();
            if self.shared.world().touched != before {
                return Ok(true);
            }
            self.check_page()?;
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Ok(false);
            }
        }
    }
}
