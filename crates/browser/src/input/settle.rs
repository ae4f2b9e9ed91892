//! Recording what a gesture brings, and waiting until a page is quiet, by events alone.

use super::clipboard as copied;
use crate::cdp::link::{FRAME_LIMIT, Link};
use crate::cdp::silent::{self, OTHERS_LIMIT};
use crate::cdp::transport::PendingReply;
use crate::model::Model;
use crate::protocol::StirredAnswer;
use crate::targets::clipboard;
use handeye_scene::{Code, Moved, NativeId, Problem, Settled, Stirred};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;
use tokio::time::Instant;

/// No mutation and no request for so long is quiet.
const QUIET: Duration = Duration::from_millis(50);
/// Requests that run longer than this are streams and long polls, which no page waits for.
pub(crate) const LONG_REQUEST: Duration = Duration::from_secs(1);
/// The same for who waits for nothing else.
pub(crate) const LONGEST_REQUEST: Duration = Duration::from_secs(5);

/// How long documents may watch what goes on being set: each does for 1.2 s.
const GOING_ON_LIMIT: Duration = Duration::from_secs(3);

/// A page that is too busy to run a timer is waited for so long: it isn't quiet, and what it does may never end.
pub(super) const BUSY: Duration = Duration::from_secs(1);

/// So many links of a chain of timers, promises and requests are known.
const DEPTH: u32 = 32;

/// A window that hasn't come by then was blocked.
const LONG_OPENING: Duration = Duration::from_millis(500);
/// So long the document may take to be asked for that a window was opened with.
const LONG_TO_LOAD: Duration = Duration::from_secs(2);

/// Starts to record what a gesture brings, in every document of the tab. Calls that follow on the same session come
/// after it; input does not, see [`recording`].
pub(crate) fn begin(link: &Link) -> Vec<PendingReply> {
    forget_begun(link);
    link.model().begin();
    for session in sessions(link) {
        let depth = json!({ "maxDepth": DEPTH });
        link.connection.notify(Some(&session), "Runtime.setAsyncCallStackDepth", depth);
    }
    watch(link, &[json!(true), json!(true), json!(true)])
}

/// Sessions of the tab's documents.
fn sessions(link: &Link) -> BTreeSet<String> {
    let model = link.model();
    let documents = model.pages.active_documents();
    documents.iter().filter_map(|(_, id)| Some(model.pages.document(*id)?.session.clone())).collect()
}

/// The debugger is to know no more what began what: what is begun from here on is another gesture's.
fn forget_begun(link: &Link) {
    let debugged = {
        let gesture = &mut link.model().gesture;
        gesture.is_noted = false;
        std::mem::take(&mut gesture.debugged)
    };
    for session in debugged {
        link.connection.notify(Some(&session), "Debugger.disable", json!({}));
    }
    for session in sessions(link) {
        link.connection.notify(Some(&session), "Runtime.setAsyncCallStackDepth", json!({ "maxDepth": 0 }));
    }
}

/// Has every document signal its changes, or no more. The second argument: a gesture begins.
fn watch(link: &Link, how: &[Value]) -> Vec<PendingReply> {
    link.model().gesture.recording = how.first() == Some(&json!(true));
    let documents = link.model().pages.active_documents();
    let asked = documents
        .into_iter()
        .filter_map(|(_, document)| Some((document, link.send_to_page(document, "watch", how).ok()?)));
    // One that hangs does so when it comes to it; nobody waits for that.
    asked
        .filter(|(document, _)| silent::frame_limit(link, *document) == FRAME_LIMIT)
        .map(|(_, pending)| pending)
        .collect()
}

/// What changed since the gesture began.
pub(crate) async fn what_stirred(link: &Link) -> Stirred {
    let deadline = link.in_time(Instant::now() + FRAME_LIMIT);
    let mut found = Stirred::default();
    let mut documents = link.model().readable_documents();
    documents.retain(|(_, document)| {
        let Some(state) = link.model().pages.document(*document).cloned() else { return false };
        // What one that fell silent in the gesture does is nothing that anybody could tell of.
        found.untold |= state.silent && !state.was_silent;
        if state.missed {
            found.self_changing.insert(NativeId::new(*document, 0));
        }
        !state.silent
    });
    let asked: Vec<_> =
        documents.into_iter().map(|(_, document)| (document, link.send_to_page(document, "stirred", &[]))).collect();
    for (document, pending) in asked {
        // What a document that doesn't answer shows by now can't be named.
        let untold = StirredAnswer { unnamed: true, unnamed_by_input: true, ..StirredAnswer::default() };
        let told = match pending {
            Ok(pending) => link.page_reply_by(pending, deadline, FRAME_LIMIT).await.unwrap_or(untold),
            Err(_) => untold,
        };
        found.self_changing.extend(told.self_changing.into_iter().map(|n| NativeId::new(document, n)));
        found.with_pointer.extend(told.with_pointer.into_iter().map(|n| NativeId::new(document, n)));
        found.set_by_input |= told.set_by_input;
        found.mutations.extend(told.named.into_iter().map(|m| m.in_document(document)));
        found.unnamed |= told.unnamed;
        found.unnamed_by_input |= told.unnamed_by_input;
        found.pending |= told.pending;
    }
    let is_asking = |model: &Model| {
        let since = model.gesture.begun;
        model.network.pending.values().any(|asked| since.is_some_and(|since| *asked >= since))
    };
    found.pending |= is_asking(&link.model());
    copied::note(link, &mut found);
    let navigated_itself = link.model().navigated_itself(&found.self_changing);
    found.self_changing.extend(navigated_itself);
    let model = link.model();
    (found.moved, found.events) = (moved(&model), model.gesture.events.clone());
    drop(model);
    found
}

/// Controls that were set outside of the turns of the gesture's events, and go on being set. Number 0 of a document that didn't answer
/// stands for all that is in it.
pub(crate) async fn going_on(link: &Link) -> HashSet<NativeId> {
    let deadline = link.in_time(Instant::now() + GOING_ON_LIMIT);
    let mut documents = link.model().readable_documents();
    documents.retain(|(_, document)| link.model().pages.document(*document).is_some_and(|state| !state.silent));
    let asked: Vec<_> =
        documents.into_iter().map(|(_, document)| (document, link.send_to_page(document, "goingOn", &[]))).collect();
    let mut found = HashSet::new();
    for (document, pending) in asked {
        // One that is gone shows nothing any more.
        let Ok(pending) = pending else { continue };
        // Of one that doesn't answer nobody can say what goes on.
        let told: Vec<u32> = link.page_reply_by(pending, deadline, GOING_ON_LIMIT).await.unwrap_or_else(|_| vec![0]);
        found.extend(told.into_iter().map(|number| NativeId::new(document, number)));
    }
    found
}

/// Waits until every document records. Input takes another way into a page than calls do: it would overtake them, and
/// what it changes would go unseen.
pub(crate) async fn recording(link: &Link, begun: Vec<PendingReply>) -> Result<(), Problem> {
    // What it was when the gesture began must be known.
    clipboard::ready(link).await;
    let others = Instant::now() + OTHERS_LIMIT;
    for (i, pending) in begun.into_iter().enumerate() {
        // The main document's comes first. One inside it that hangs keeps no input from the rest of the page.
        match i {
            0 => link.wait_for_all(vec![pending]).await?,
            _ => match link.answer_by::<Value>(pending, others, OTHERS_LIMIT).await {
                Err(problem) if matches!(problem.code, Code::Stale | Code::Timeout) => {}
                other => drop(other?),
            },
        }
    }
    Ok(())
}

/// A gesture that is over, and a timer of the page since, until it may be quiet.
pub(crate) struct Over(Option<PendingReply>);

impl Over {
    /// The gesture is over now.
    pub(crate) fn now(link: &Link) -> Self {
        link.model().touch();
        Self(timer(link, QUIET))
    }
}

/// A timer of the page's main document.
pub(super) fn timer(link: &Link, time: Duration) -> Option<PendingReply> {
    let asked = link.model().pages.main_document()?;
    link.send_to_page(asked, "elapse", &[json!(time.as_millis())]).ok()
}

/// Waits until what a gesture brings has come. It is quiet when nothing has changed for a while since it was over, by
/// our clock and by the page's own timers: on a busy machine these run late.
pub(crate) async fn settled(
    link: &Link,
    limit: Duration,
    over: Over,
    settled_at: &mut Option<std::time::Instant>,
) -> Result<Settled, Problem> {
    let deadline = link.in_time(Instant::now() + limit);
    let Over(timer) = over;
    still(link, deadline, LONG_REQUEST).await;
    if let Some(timer) = timer {
        elapsed(link, timer, deadline.min(Instant::now() + BUSY)).await;
    }
    let quiet = still(link, deadline, LONG_REQUEST).await;
    *settled_at = link.model().gesture.touched;
    Ok(seen(link, quiet))
}

/// What was seen since the gesture began.
pub(super) fn seen(link: &Link, quiet: bool) -> Settled {
    let model = link.model();
    let awaits = awaited_document(&model);
    Settled { events: model.gesture.events.clone(), moved: moved(&model), quiet, awaits, ..Settled::default() }
}

/// What was seen of changes since the gesture began.
fn moved(model: &Model) -> Moved {
    Moved { by_itself: model.gesture.moved.by_itself || model.any_navigates_itself(), ..model.gesture.moved }
}

/// The document that the gesture has asked for and no answer has come of yet.
fn awaited_document(model: &Model) -> Option<String> {
    let (id, method, url) = model.network.document.as_ref()?;
    let asked = *model.network.pending.get(id)?;
    (asked >= model.gesture.begun?).then(|| format!("{method} {url}"))
}

/// The gesture is over: nothing is signalled any more.
pub(crate) fn end_gesture(link: &Link) {
    drop(watch(link, &[json!(false)]));
    forget_begun(link);
    let mut model = link.model();
    let faults = model.reports.faults.end();
    model.reports.notices.extend(faults);
    model.habits.end();
    (model.gesture.events, model.gesture.moved) = Default::default();
}

/// Waits for a timer of the page, unless a dialog holds it up; whether it came.
pub(super) async fn elapsed(link: &Link, timer: PendingReply, deadline: Instant) -> bool {
    let mut watch = link.watch();
    let timer = link.page_reply_by::<Value>(timer, deadline, BUSY);
    tokio::pin!(timer);
    while link.model().pages.dialog().is_none() {
        tokio::select! {
            came = &mut timer => return came.is_ok(),
            _ = watch.changed() => {}
        }
    }
    false
}

/// Waits until the page has had its turn and drawn what it made of it: on a busy machine it lags behind our clock.
pub(crate) async fn drawn(link: &Link) {
    let asked = link.model().pages.main_document();
    if let Some(frame) = asked.and_then(|d| link.send_to_page(d, "frameDrawn", &[]).ok()) {
        elapsed(link, frame, link.in_time(Instant::now() + BUSY)).await;
    }
}

/// Waits until it is quiet; requests that are under way are waited for as long as `patience` says.
pub(crate) async fn quiet(link: &Link, limit: Duration, patience: Duration) -> bool {
    let deadline = link.in_time(Instant::now() + limit);
    let quiet = still(link, deadline, patience).await;
    end_gesture(link);
    quiet
}

/// Waits until nothing changes; false at the deadline, or when there is nothing to wait for any more.
async fn still(link: &Link, deadline: Instant, patience: Duration) -> bool {
    let start = std::time::Instant::now();
    loop {
        let mut watch = link.watch();
        if link.check_page().is_err() || link.model().pages.dialog().is_some() {
            return false;
        }
        let now = Instant::now();
        let Some(until) = quiet_at(link, patience, start) else { return true };
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
fn quiet_at(link: &Link, patience: Duration, start: std::time::Instant) -> Option<Instant> {
    let now = std::time::Instant::now();
    let model = link.model();
    let since = model.gesture.touched.map_or(QUIET, |t| now.duration_since(t));
    let wait = under_way(&model, patience, start).max(QUIET.saturating_sub(since));
    (!wait.is_zero()).then(|| Instant::now() + wait)
}

/// Whether something is under way that is waited for after a gesture.
pub(super) fn is_under_way(model: &Model) -> bool {
    !under_way(model, LONG_REQUEST, std::time::Instant::now()).is_zero()
}

/// How long to wait for what is under way, for requests from before `start` as `patience` says.
fn under_way(model: &Model, patience: Duration, start: std::time::Instant) -> Duration {
    let now = std::time::Instant::now();
    let mut wait = Duration::ZERO;
    let loading = model.pages.loading.iter().any(|f| model.pages.is_active(f) && !model.navigates_itself(f))
        || model.pages.main_document().is_none();
    if loading {
        wait = Duration::from_secs(1);
    }
    // A page that asks for one thing after another is waited for as after an action.
    let patient = |began: std::time::Instant| if began <= start { patience } else { LONG_REQUEST };
    let running =
        model.network.pending.values().map(|began| patient(*began).saturating_sub(now.duration_since(*began))).max();
    wait = wait.max(running.unwrap_or_default());
    if let Some(opening) = model.targets.opening.as_ref().filter(|opening| !opening.asked) {
        let limit = if opening.came.is_some() { LONG_TO_LOAD } else { LONG_OPENING };
        wait = wait.max(limit.saturating_sub(now.duration_since(opening.since)));
    }
    wait
}

/// Waits for the next thing that happens after the last settling, or after the last that was waited for.
pub(crate) async fn change(
    link: &Link,
    limit: Duration,
    settled_at: &mut Option<std::time::Instant>,
) -> Result<bool, Problem> {
    link.check_page()?;
    if !link.model().gesture.recording {
        drop(watch(link, &[json!(true)]));
    }
    let changed = link.shared.wait_until(Instant::now() + limit, || {
        let touched = link.model().gesture.touched;
        if touched != *settled_at {
            *settled_at = touched;
            return Ok(Some(()));
        }
        link.check_page().map(|()| None)
    });
    changed.await.map(|changed| changed.is_some())
}
