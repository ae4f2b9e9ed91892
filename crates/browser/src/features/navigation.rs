//! Opening addresses, and the tab's history.

use super::location;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::transport::Connection;
use crate::egress::bounds;
use crate::input::settle::{self, LONG_REQUEST};
use crate::protocol::{Evaluated, History, Navigated};
use handeye_scene::{Code, Hint, Navigation, Notice, Problem};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// A page that has shown itself but goes on loading is given this long more before it counts as loaded in part.
const EARLY: Duration = Duration::from_millis(150);

/// How long a page that has arrived may take to say where it is.
const ARRIVED: Duration = Duration::from_secs(2);

/// A page that says nothing for so long is stopped when it is to be left.
const BUSY: Duration = Duration::from_secs(2);

/// How often: what is stopped may be begun anew by the page's next timer.
const STOPS: usize = 4;

/// Ends every timer of a document that is to be left: the next one would begin anew what was stopped.
const NO_TIMERS: &str = "for (let n = setTimeout(() => {}, 0); n > 0; n--) clearTimeout(n)";

/// How long the browser may take to show its own page in place of one that can't be loaded.
const ERROR_PAGE: Duration = Duration::from_secs(1);
/// What Chromium says of a page that asks for a user and a password.
const PASSWORD_WANTED: &str = "net::ERR_INVALID_AUTH_CREDENTIALS";

/// A navigation under way: whoever gives up waiting for it gives it up, too, or the page would be left by it at any time later.
struct UnderWay {
    connection: Connection,
    session: String,
    over: bool,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if !self.over {
            self.connection.notify(Some(&self.session), "Page.stopLoading", json!({}));
        }
    }
}

/// A navigation that is under way until it is said to be over.
fn start(link: &Link, session: &str) -> UnderWay {
    UnderWay { connection: link.connection.clone(), session: session.to_owned(), over: false }
}

/// Opens an address in the active tab.
pub(crate) async fn go(link: &Link, url: &str, limit: Duration) -> Result<Navigation, Problem> {
    link.check_dialog()?;
    let session = session_even_crashed(link)?;
    let deadline = Instant::now() + limit;
    let is_broken_off = stop_if_busy(link, &session, limit).await;
    drop(settle::begin(link));
    let mut under_way = start(link, &session);
    let went = navigated_to(link, url, &session, limit, deadline).await;
    if is_broken_off && went.as_ref().is_ok_and(|navigation| navigation.stayed) {
        let text = "the page stays, and what it was still loading was broken off";
        link.model().reports.notices.push(Notice::new("stopped", text));
    }
    under_way.over = !matches!(&went, Err(problem) if problem.code == Code::Timeout);
    went
}

async fn navigated_to(
    link: &Link,
    url: &str,
    session: &str,
    limit: Duration,
    deadline: Instant,
) -> Result<Navigation, Problem> {
    let pending = link.connection.send(Some(session), "Page.navigate", json!({ "url": url }));
    forget_crash(link);
    let navigated: Navigated = match link.answer(pending, limit).await {
        Ok(navigated) => navigated,
        Err(problem) if problem.code == Code::Timeout => {
            return Err(Problem::new(
                Code::Timeout,
                format!("{url} didn't answer within {:.1} s", limit.as_secs_f64()),
            )
            .hint(Hint::command("open").arg(url).arg("--timeout").arg("90")));
        }
        Err(problem) if problem.code == Code::Bug => {
            return Err(Problem::new(
                Code::BadRequest,
                format!("`{url}` is no address the browser takes: {}", problem.message),
            )
            .hint("handeye open https://example.com"));
        }
        Err(problem) => return Err(problem),
    };
    if navigated.is_download {
        return Ok(Navigation { stayed: true, ..arrived(link, None, true).await? });
    }
    if let Some(error) = navigated.error_text.filter(|e| !e.is_empty()) {
        return not_shown(link, url, &error, navigated.loader_id.as_deref()).await;
    }
    loaded(link, navigated.loader_id, deadline).await
}

/// A page that runs a script without end can't even be left: what it runs is stopped, before anything is asked for in its
/// place, for from then on nothing reaches it. Whether what it was loading was broken off for that: the browser passes nothing on to
/// a page that is being left, which isn't busy by that, but may be besides.
async fn stop_if_busy(link: &Link, session: &str, limit: Duration) -> bool {
    let is_being_left = link.model().pages.is_being_left();
    if is_being_left {
        link.connection.notify(Some(session), "Page.stopLoading", json!({}));
    }
    let patience = (limit / 4).min(BUSY);
    for stopped in 0..STOPS {
        // Timers are the document's, whichever world asks: ours, which the page can't spoil.
        let mut ping = json!({ "expression": if stopped == 0 { "0" } else { NO_TIMERS } });
        if let Some(context) = own_context(link) {
            ping["uniqueContextId"] = json!(context);
        }
        let asked = link.connection.send(Some(session), "Runtime.evaluate", ping);
        let cut_off = |e: &Evaluated| stopped > 0 && e.exception_details.is_some();
        match link.answer_by::<Evaluated>(asked, Instant::now() + patience, patience).await {
            // Stopping may have hit the question itself.
            Ok(evaluated) if cut_off(&evaluated) => continue,
            Err(problem) if matches!(problem.code, Code::Timeout | Code::Bug) => {}
            _ => break,
        }
        let stop = link.connection.send(Some(session), "Runtime.terminateExecution", json!({}));
        let _ = link.reply_by(stop, Instant::now() + patience, patience).await;
        if stopped == 0 {
            let text = "the page was busy: what it ran was stopped";
            link.model().reports.notices.push(Notice::new("stopped", text));
        }
    }
    is_being_left
}

/// The context of our world in the main document.
fn own_context(link: &Link) -> Option<String> {
    let model = link.model();
    model.pages.document(model.pages.main_document()?).map(|d| d.context.clone())
}

/// A step through the tab's history.
struct Step {
    entry: i64,
    /// The address is the page's: where it stays the same, a frame in the page may be all that goes anywhere.
    is_inner: bool,
}

/// The step that leads so far.
async fn step(link: &Link, delta: i32, session: &str) -> Result<Step, Problem> {
    let history: History = link.call(Some(session), "Page.getNavigationHistory", json!({}), CALL_LIMIT).await?;
    let at = |index: i64| usize::try_from(index).ok().and_then(|i| history.entries.get(i));
    let Some(entry) = at(history.current_index + i64::from(delta)) else {
        let (way, next) = if delta < 0 { ("back", "handeye open URL") } else { ("forward", "handeye back") };
        return Err(Problem::new(Code::NotFound, format!("there is no page to go {way} to")).hint(next));
    };
    let is_inner = at(history.current_index).is_some_and(|current| current.url == entry.url);
    Ok(Step { entry: entry.id, is_inner })
}

/// Gives a session without a cache its own back until this is dropped. A page that a form led to is gone back to by the cache
/// alone: without one Chromium sends the form once more.
struct Cached {
    connection: Connection,
    session: String,
}

impl Drop for Cached {
    fn drop(&mut self) {
        self.connection.notify(Some(&self.session), CACHE, json!({ "cacheDisabled": true }));
    }
}

const CACHE: &str = "Network.setCacheDisabled";

fn with_cache(link: &Link, session: &str) -> Option<Cached> {
    let is_without = link.model().network.intercept.changes();
    is_without.then(|| {
        link.connection.notify(Some(session), CACHE, json!({ "cacheDisabled": false }));
        Cached { connection: link.connection.clone(), session: session.to_owned() }
    })
}

/// Goes that step; none loads the page again.
async fn travelled(
    link: &Link,
    step: Option<Step>,
    session: &str,
    limit: Duration,
    deadline: Instant,
    under_way: &mut Option<UnderWay>,
) -> Result<Navigation, Problem> {
    let Some(Step { entry, is_inner }) = step else {
        let target = link.model().pages.active.clone().unwrap_or_default();
        forget_crash(link);
        drop(settle::begin(link));
        link.model().pages.loading.insert(target);
        *under_way = Some(start(link, session));
        let pending = link.connection.send(Some(session), "Page.reload", json!({}));
        link.answer::<Value>(pending, limit).await?;
        return loaded(link, None, deadline).await;
    };
    drop(settle::begin(link));
    let arrivals = |link: &Link| {
        let pages = &link.model().pages;
        (pages.arrivals, if is_inner { pages.inner_arrivals } else { 0 })
    };
    let before = arrivals(link);
    let cached = with_cache(link, session);
    *under_way = Some(start(link, session));
    let pending = link.connection.send(Some(session), "Page.navigateToHistoryEntry", json!({ "entryId": entry }));
    link.answer::<Value>(pending, limit).await?;
    // Another document, or (within one) another address: either is an event.
    let moved = link.shared.wait_until(deadline, || {
        link.check_dialog()?;
        bounds::check_refused(link, None)?;
        Ok((arrivals(link) != before).then_some(()))
    });
    moved.await?;
    drop(cached);
    loaded(link, None, deadline).await
}

async fn not_shown(link: &Link, url: &str, error: &str, loader: Option<&str>) -> Result<Navigation, Problem> {
    bounds::check_refused(link, loader)?;
    // An answer without a document (204, a download) aborts the navigation: the page stays.
    if error == "net::ERR_ABORTED" {
        let navigation = arrived(link, None, true).await?;
        link.model()
            .reports
            .notices
            .push(Notice::new("stayed", format!("{url} gave no page; the page that was open stays")));
        return Ok(Navigation { stayed: true, ..navigation });
    }
    // The browser puts a page of its own in its place: what comes next must find that one, not the one that goes.
    let shown = || {
        let model = link.model();
        model.pages.main_document().is_some() && model.pages.main_frame().is_some_and(|f| f.unreachable.is_some())
    };
    link.shared.wait_while(Instant::now() + ERROR_PAGE, || !shown()).await;
    answered_without_page(link, url, error, loader).await
}

/// The browser shows a page of its own: opened where the site answered with an error (4xx, 5xx) and no page. A problem where
/// nobody answered, and where the site asks for a password, since that is what to do next.
async fn answered_without_page(
    link: &Link,
    url: &str,
    error: &str,
    loader: Option<&str>,
) -> Result<Navigation, Problem> {
    let status = loader.and_then(|loader| link.model().pages.documents.status(loader));
    if error == PASSWORD_WANTED || status.is_none_or(|status| status < 400) {
        return Err(unreachable(url, error));
    }
    // Its own page has an address of its own.
    Ok(Navigation { url: url.to_owned(), ..arrived(link, loader.map(str::to_owned), true).await? })
}

/// Waits until the page has loaded; at `deadline` it is taken as it is.
async fn loaded(link: &Link, loader: Option<String>, deadline: Instant) -> Result<Navigation, Problem> {
    let there = link.shared.wait_until(deadline, || {
        link.check_page()?;
        link.check_dialog()?;
        bounds::check_refused(link, loader.as_deref())?;
        let model = link.model();
        let active = model.pages.active.clone().unwrap_or_default();
        let arrived = loader.as_ref().is_none_or(|l| model.pages.main_frame().is_some_and(|f| &f.loader == l));
        let there = arrived && model.pages.main_document().is_some() && !model.pages.loading.contains(&active);
        Ok(there.then_some(()))
    });
    let complete = there.await?.is_some();
    if complete {
        // Scripts that run at load are part of it; what they start later isn't.
        let rest = deadline.saturating_duration_since(Instant::now()).min(EARLY);
        settle::quiet(link, rest, LONG_REQUEST).await;
    }
    bounds::check_refused(link, loader.as_deref())?;
    let failed = link.model().pages.main_frame().and_then(|f| f.unreachable.clone());
    let loader = loader.or_else(|| link.model().pages.main_frame().map(|f| f.loader.clone()));
    if let Some(url) = failed {
        let error = link.model().network.failure.clone().unwrap_or_else(|| "net::ERR_FAILED".to_owned());
        return answered_without_page(link, &url, &error, loader.as_deref()).await;
    }
    arrived(link, loader, complete).await
}

async fn arrived(link: &Link, loader: Option<String>, loaded: bool) -> Result<Navigation, Problem> {
    let (url, title) = match location::location(link, ARRIVED).await {
        Err(problem) if problem.code == Code::Timeout => {
            let mut model = link.model();
            model.reports.notices.push(Notice::new("busy", problem.message));
            let tab = model.pages.tab().cloned().unwrap_or_default();
            (model.pages.main_frame().map_or(tab.url, |f| f.url.clone()), tab.title)
        }
        place => place?,
    };
    let mut model = link.model();
    // What it does from here on it does by itself.
    model.habits.end();
    let status = loader.and_then(|l| model.pages.documents.status(&l));
    Ok(Navigation { url, title, status, loaded, stayed: false })
}

/// A tab that crashed gets a new renderer with the next page.
fn forget_crash(link: &Link) {
    let mut model = link.model();
    let target = model.pages.active.clone().unwrap_or_default();
    if let Some(tab) = model.pages.tab_mut(&target) {
        tab.crashed = false;
    }
}

fn session_even_crashed(link: &Link) -> Result<String, Problem> {
    let crashed = link.model().pages.tab().filter(|t| t.crashed).and_then(|t| t.session.clone());
    crashed.map_or_else(|| link.session(), Ok)
}

/// Through the tab's history by so many steps; 0 loads the page again.
pub(crate) async fn history(link: &Link, delta: i32, limit: Duration) -> Result<Navigation, Problem> {
    link.check_dialog()?;
    let session = session_even_crashed(link)?;
    let deadline = Instant::now() + limit;
    // Before anything is broken off: there may be nowhere to go to.
    let step = if delta == 0 { None } else { Some(step(link, delta, &session).await?) };
    stop_if_busy(link, &session, limit).await;
    let before = link.model().pages.arrivals;
    let mut under_way = None;
    let went = travelled(link, step, &session, limit, deadline, &mut under_way).await;
    if let Some(under_way) = &mut under_way {
        // One that brought nothing yet would take the page away later on.
        let arrived = link.model().pages.arrivals != before;
        under_way.over = arrived || !matches!(&went, Err(problem) if problem.code == Code::Timeout);
    }
    went
}

fn unreachable(url: &str, error: &str) -> Problem {
    if error == PASSWORD_WANTED {
        let site = Url::parse(url).map(|u| u.origin().ascii_serialization()).unwrap_or_default();
        return Problem::new(Code::Unreachable, format!("{url} can't be loaded: it asks for a user and a password"))
            .hint(format!("handeye set credentials USER --password-env VARIABLE --origin {site}"));
    }
    Problem::new(Code::Unreachable, format!("{url} can't be loaded: {error}"))
        .hint("handeye doctor")
        .hint("handeye back")
}
