//! Waiting until a page is quiet, by events alone.

use crate::events::Events;
use crate::guard::OTHERS_LIMIT;
use crate::page::SIGNAL;
use crate::protocol::{BindingCalled, HeldSignal, MovedSignal, Signal, StirredAnswer};
use crate::surface::{Browser, FRAME_LIMIT};
use crate::transport::{Ticket, parse};
use handeye_scene::{Code, Event, Moved, NativeId, Problem, Settled, Stirred};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// No mutation and no request for so long is quiet.
const QUIET: Duration = Duration::from_millis(50);
/// Requests that run longer than this are streams and long polls, which no page waits for.
pub(crate) const LONG_REQUEST: Duration = Duration::from_secs(1);
/// The same for who waits for nothing else.
pub(crate) const LONGEST_REQUEST: Duration = Duration::from_secs(5);

/// A page that is too busy to run a timer is waited for so long: it isn't quiet, and what it does may never end.
const BUSY: Duration = Duration::from_secs(1);

/// A window that hasn't come by then was blocked.
const LONG_OPENING: Duration = Duration::from_millis(500);

impl Events {
    /// Takes what a document's script tells.
    pub(crate) fn signalled(&self, session: &str, called: &BindingCalled) {
        if called.name != SIGNAL {
            return;
        }
        let mut world = self.shared.world();
        match parse::<Signal>(&called.payload) {
            Ok(Signal { guard: Some(guard), .. }) => world.signals.push(guard),
            // A document that must not be read says nothing this way either.
            Ok(Signal { held: Some(_), .. }) if world.is_unread_in(session, called.execution_context_id) => {}
            Ok(Signal { held: Some(HeldSignal { role, name, message }), .. }) => {
                world.happened(Event::FormHeld { role, name, message });
            }
            Ok(Signal { moved: Some(MovedSignal { input, motion, later, itself }), .. }) => {
                let itself = itself || world.roams_in(session, called.execution_context_id);
                let (input, motion, later) = (input && !itself, motion && !itself, later && !itself);
                let moved = &mut world.moved;
                moved.by_input |= input;
                moved.by_motion |= motion;
                moved.later |= later;
                moved.by_itself |= itself;
                // What never rests isn't waited for.
                if itself {
                    return;
                }
            }
            _ => {}
        }
        world.touch();
    }
}

impl Browser {
    /// Starts to record what a gesture brings, in every document of the tab. Calls that follow on the same session come
    /// after it; input does not, see [`Browser::recording`].
    pub(crate) fn begin(&mut self) -> Vec<Ticket> {
        self.shared.world().begin();
        self.watch(&[json!(true), json!(true)])
    }

    /// Has every document signal its changes, or no more. The second argument: a gesture begins.
    fn watch(&self, how: &[Value]) -> Vec<Ticket> {
        self.shared.world().recording = how.first() == Some(&json!(true));
        let documents = self.shared.world().active_documents();
        let asked =
            documents.into_iter().filter_map(|(_, document)| Some((document, self.ask(document, "watch", how).ok()?)));
        // One that hangs does so when it comes to it; nobody waits for that.
        asked.filter(|(document, _)| self.frame_limit(*document) == FRAME_LIMIT).map(|(_, ticket)| ticket).collect()
    }

    /// What changed since the gesture began.
    pub(crate) async fn what_stirred(&self) -> Stirred {
        let deadline = self.in_time(Instant::now() + FRAME_LIMIT);
        let mut found = Stirred::default();
        let mut documents = self.shared.world().readable_documents();
        documents.retain(|(_, document)| {
            let Some(state) = self.shared.world().document(*document).cloned() else { return false };
            // What one that fell silent in the gesture does is nothing that anybody could tell of.
            found.untold |= state.silent && !state.was_silent;
            if state.missed {
                found.restless.insert(NativeId::new(*document, 0));
            }
            !state.silent
        });
        let asked: Vec<_> =
            documents.into_iter().map(|(_, document)| (document, self.ask(document, "stirred", &[]))).collect();
        for (document, ticket) in asked {
            // What a document that doesn't answer shows by now can't be named.
            let untold = StirredAnswer { unnamed: true, ..StirredAnswer::default() };
            let told = match ticket {
                Ok(ticket) => self.told_by(ticket, deadline, FRAME_LIMIT).await.unwrap_or(untold),
                Err(_) => untold,
            };
            found.restless.extend(told.restless.into_iter().map(|n| NativeId::new(document, n)));
            found.mutations.extend(told.named.into_iter().map(|m| m.in_document(document)));
            found.unnamed |= told.unnamed;
        }
        let roamed = self.shared.world().roamed(&found.restless);
        found.restless.extend(roamed);
        found
    }

    /// Waits until every document records. Input takes another way into a page than calls do: it would overtake them, and
    /// what it changes would go unseen.
    pub(crate) async fn recording(&self, begun: Vec<Ticket>) -> Result<(), Problem> {
        let others = Instant::now() + OTHERS_LIMIT;
        for (i, ticket) in begun.into_iter().enumerate() {
            // The main document's comes first. One inside it that hangs keeps no input from the rest of the page.
            match i {
                0 => self.all(vec![ticket]).await?,
                _ => match self.answer_by::<Value>(ticket, others, OTHERS_LIMIT).await {
                    Err(problem) if matches!(problem.code, Code::Stale | Code::Timeout) => {}
                    other => drop(other?),
                },
            }
        }
        Ok(())
    }

    /// Waits until what a gesture brings has come. It is quiet when nothing has changed for a while since it was over, by
    /// our clock and by the page's own timers: on a busy machine these run late.
    pub(crate) async fn settled(&mut self, limit: Duration) -> Result<Settled, Problem> {
        let deadline = self.in_time(Instant::now() + limit);
        self.shared.world().touch();
        let asked = self.shared.world().main_document();
        let timer = asked.and_then(|d| self.ask(d, "elapse", &[json!(QUIET.as_millis())]).ok());
        self.still(deadline, LONG_REQUEST).await;
        if let Some(timer) = timer {
            self.elapsed(timer, deadline.min(Instant::now() + BUSY)).await;
        }
        let quiet = self.still(deadline, LONG_REQUEST).await;
        self.settled_at = self.shared.world().touched;
        Ok(self.seen(quiet))
    }

    /// What was seen since the gesture began.
    fn seen(&self, quiet: bool) -> Settled {
        let world = self.shared.world();
        let moved = Moved { by_itself: world.moved.by_itself || world.any_roams(), ..world.moved };
        Settled { events: world.events.clone(), moved, quiet, ..Settled::default() }
    }

    /// The gesture is over: nothing is signalled any more.
    pub(crate) fn end_gesture(&mut self) {
        drop(self.watch(&[json!(false)]));
        let mut world = self.shared.world();
        let faults = world.faults.end();
        world.notices.extend(faults);
        world.roaming.end();
        (world.events, world.moved) = Default::default();
    }

    /// Waits for a timer of the page, unless a dialog holds it up.
    async fn elapsed(&self, timer: Ticket, deadline: Instant) {
        let mut watch = self.shared.watch();
        let timer = self.told_by::<Value>(timer, deadline, BUSY);
        tokio::pin!(timer);
        while self.shared.world().dialog().is_none() {
            tokio::select! {
                _ = &mut timer => return,
                _ = watch.changed() => {}
            }
        }
    }

    /// Waits until the page has had its turn and drawn what it made of it: on a busy machine it lags behind our clock.
    pub(crate) async fn drawn(&mut self) {
        let asked = self.shared.world().main_document();
        if let Some(frame) = asked.and_then(|d| self.ask(d, "frameDrawn", &[]).ok()) {
            self.elapsed(frame, self.in_time(Instant::now() + BUSY)).await;
        }
    }

    /// Waits until it is quiet; requests that are under way are waited for as long as `patience` says.
    pub(crate) async fn quiet(&mut self, limit: Duration, patience: Duration) -> bool {
        let deadline = self.in_time(Instant::now() + limit);
        let quiet = self.still(deadline, patience).await;
        self.end_gesture();
        quiet
    }

    /// Waits until nothing changes; false at the deadline, or when there is nothing to wait for any more.
    async fn still(&self, deadline: Instant, patience: Duration) -> bool {
        let start = std::time::Instant::now();
        loop {
            let mut watch = self.shared.watch();
            if self.check_page().is_err() || self.shared.world().dialog().is_some() {
                return false;
            }
            let now = Instant::now();
            let Some(until) = self.quiet_at(patience, start) else { return true };
            if now >= deadline {
                return false;
            }
            tokio::select! {
                _ = watch.changed() => {}
                () = tokio::time::sleep_until(until.min(deadline)) => {}
            }
        }
    }

    /// When to look again; none when it is quiet now.
    fn quiet_at(&self, patience: Duration, start: std::time::Instant) -> Option<Instant> {
        let now = std::time::Instant::now();
        let world = self.shared.world();
        let mut wait = Duration::ZERO;
        let loading =
            world.loading.iter().any(|f| world.is_active(f) && !world.roams(f)) || world.main_document().is_none();
        if loading {
            wait = Duration::from_secs(1);
        }
        // A page that asks for one thing after another is waited for as after an action.
        let patient = |began: std::time::Instant| if began <= start { patience } else { LONG_REQUEST };
        let running =
            world.requests.values().map(|began| patient(*began).saturating_sub(now.duration_since(*began))).max();
        wait = wait.max(running.unwrap_or_default());
        let opening = world.opening.map(|began| LONG_OPENING.saturating_sub(now.duration_since(began)));
        wait = wait.max(opening.unwrap_or_default());
        let since = world.touched.map_or(QUIET, |t| now.duration_since(t));
        wait = wait.max(QUIET.saturating_sub(since));
        (!wait.is_zero()).then(|| Instant::now() + wait)
    }

    /// Waits for the next thing that happens after the last settling, or after the last that was waited for.
    pub(crate) async fn change(&mut self, limit: Duration) -> Result<bool, Problem> {
        self.check_page()?;
        if !self.shared.world().recording {
            drop(self.watch(&[json!(true)]));
        }
        let deadline = Instant::now() + limit;
        loop {
            let mut watch = self.shared.watch();
            let touched = self.shared.world().touched;
            if touched != self.settled_at {
                self.settled_at = touched;
                return Ok(true);
            }
            self.check_page()?;
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Ok(false);
            }
        }
    }
}
