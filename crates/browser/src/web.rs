//! What only web surfaces can do: navigation, tabs, dialogs, pictures, markup.

use crate::protocol::{Evaluated, History, Navigated};
use crate::settle::LONG_REQUEST;
use crate::surface::{Browser, CALL_LIMIT, PageError};
use crate::transport::Connection;
use async_trait::async_trait;
use handeye_scene::{
    Code, DocumentId, Files, ImageFormat, Mask, NativeId, Navigation, Notice, OpenDialog, Problem, Shot, ShotArea,
    Stores, Tab, TreeWant, Trees, Web,
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;
use url::{Host, Url};

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

/// An address as a person writes it: without a scheme, a host; http for this machine and for IP addresses, https otherwise.
pub(crate) fn address(text: &str) -> Result<String, Problem> {
    let text = text.trim();
    let wrong = |why: &str| {
        Problem::new(Code::BadRequest, format!("`{text}` is no address: {why}"))
            .hint("handeye open https://example.com")
    };
    if text.is_empty() {
        return Err(wrong("it is empty"));
    }
    if text.starts_with('/') {
        let url = Url::from_file_path(text).map_err(|()| wrong("it is no path of a file"))?;
        return if std::path::Path::new(text).exists() { Ok(url.into()) } else { Err(wrong("there is no such file")) };
    }
    let schemed = text.contains("://")
        || ["about:", "data:", "blob:", "javascript:", "view-source:"].iter().any(|s| text.starts_with(s));
    if schemed {
        let url = Url::parse(text).map_err(|e| wrong(&e.to_string()))?;
        if url.scheme() == "javascript" {
            return Err(wrong("scripts are not pages"));
        }
        if !matches!(url.scheme(), "http" | "https" | "file" | "about" | "data" | "blob" | "chrome" | "view-source") {
            return Err(wrong(&format!("the browser doesn't know {}://", url.scheme())));
        }
        return Ok(text.to_owned());
    }
    let plain = Url::parse(&format!("http://{text}")).map_err(|e| wrong(&e.to_string()))?;
    match plain.host() {
        Some(Host::Domain(name)) if name == "localhost" || name.ends_with(".localhost") => Ok(plain.into()),
        Some(Host::Domain(name)) if name.contains('.') => Ok(format!("https://{text}")),
        Some(Host::Domain(_)) if plain.port().is_some() => Ok(plain.into()),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => Ok(plain.into()),
        _ => Err(wrong("it has no scheme and no host name")),
    }
}

/// A navigation under way: whoever gives up waiting for it gives it up, too, or the page would be left by it at any time later.
struct UnderWay {
    connection: Connection,
    session: String,
    over: bool,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if !self.over {
            self.connection.tell(Some(&self.session), "Page.stopLoading", json!({}));
        }
    }
}

impl Browser {
    /// Until it is said to be over.
    fn under_way(&self, session: &str) -> UnderWay {
        UnderWay { connection: self.connection.clone(), session: session.to_owned(), over: false }
    }

    async fn go(&mut self, url: &str, limit: Duration) -> Result<Navigation, Problem> {
        self.recover().await;
        self.check_dialog()?;
        let session = self.session_even_crashed()?;
        let deadline = Instant::now() + limit;
        self.stop_if_busy(&session, limit).await;
        drop(self.begin());
        let mut under_way = self.under_way(&session);
        let went = self.navigated_to(url, &session, limit, deadline).await;
        under_way.over = !matches!(&went, Err(problem) if problem.code == Code::Timeout);
        went
    }

    async fn navigated_to(
        &mut self,
        url: &str,
        session: &str,
        limit: Duration,
        deadline: Instant,
    ) -> Result<Navigation, Problem> {
        let ticket = self.connection.send(Some(session), "Page.navigate", json!({ "url": url }));
        self.forget_crash();
        let navigated: Navigated = match self.answer(ticket, limit).await {
            Ok(navigated) => navigated,
            Err(problem) if problem.code == Code::Timeout => {
                return Err(Problem::new(
                    Code::Timeout,
                    format!("{url} didn't answer within {:.1} s", limit.as_secs_f64()),
                )
                .hint(format!("handeye open {url} --timeout 90")));
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
            return Ok(Navigation { stayed: true, ..self.arrived(None, true).await? });
        }
        if let Some(error) = navigated.error_text.filter(|e| !e.is_empty()) {
            return self.refused(url, &error, navigated.loader_id.as_deref()).await;
        }
        self.loaded(navigated.loader_id, deadline).await
    }

    /// A page that runs a script without end can't even be left: what it runs is stopped, before anything is asked for in its
    /// place, for from then on nothing reaches it.
    async fn stop_if_busy(&self, session: &str, limit: Duration) {
        let patience = (limit / 4).min(BUSY);
        for stopped in 0..STOPS {
            // Timers are the document's, whichever world asks: ours, which the page can't spoil.
            let mut ping = json!({ "expression": if stopped == 0 { "0" } else { NO_TIMERS } });
            if let Some(context) = self.own_context() {
                ping["uniqueContextId"] = json!(context);
            }
            let asked = self.connection.send(Some(session), "Runtime.evaluate", ping);
            let cut_off = |e: &Evaluated| stopped > 0 && e.exception_details.is_some();
            match self.answer_by::<Evaluated>(asked, Instant::now() + patience, patience).await {
                // Stopping may have hit the question itself.
                Ok(evaluated) if cut_off(&evaluated) => continue,
                Err(problem) if matches!(problem.code, Code::Timeout | Code::Bug) => {}
                _ => return,
            }
            let stop = self.connection.send(Some(session), "Runtime.terminateExecution", json!({}));
            let _ = self.reply_by(stop, Instant::now() + patience, patience).await;
            if stopped == 0 {
                let text = "the page was busy: what it ran was stopped";
                self.shared.world().notices.push(Notice::new("stopped", text));
            }
        }
    }

    /// The context of our world in the main document.
    fn own_context(&self) -> Option<String> {
        let world = self.shared.world();
        world.document(world.main_document()?).map(|d| d.context.clone())
    }

    /// Through the tab's history by so many steps; 0 loads the page again.
    async fn travelled(
        &mut self,
        delta: i32,
        session: &str,
        limit: Duration,
        deadline: Instant,
        under_way: &mut Option<UnderWay>,
    ) -> Result<Navigation, Problem> {
        if delta == 0 {
            let target = self.shared.world().active.clone().unwrap_or_default();
            self.forget_crash();
            drop(self.begin());
            self.shared.world().loading.insert(target);
            *under_way = Some(self.under_way(session));
            let ticket = self.connection.send(Some(session), "Page.reload", json!({}));
            self.answer::<Value>(ticket, limit).await?;
            return self.loaded(None, deadline).await;
        }
        let history: History = self.call(Some(session), "Page.getNavigationHistory", json!({}), CALL_LIMIT).await?;
        let wanted =
            usize::try_from(history.current_index + i64::from(delta)).ok().and_then(|i| history.entries.get(i));
        let Some(entry) = wanted else {
            let (way, next) = if delta < 0 { ("back", "handeye open URL") } else { ("forward", "handeye back") };
            return Err(Problem::new(Code::NotFound, format!("there is no page to go {way} to")).hint(next));
        };
        drop(self.begin());
        let before = self.shared.world().arrivals;
        *under_way = Some(self.under_way(session));
        let ticket = self.connection.send(Some(session), "Page.navigateToHistoryEntry", json!({ "entryId": entry.id }));
        self.answer::<Value>(ticket, limit).await?;
        // Another document, or (within one) another address: either is an event.
        loop {
            let mut watch = self.shared.watch();
            self.check_dialog()?;
            self.check_refused(None)?;
            let moved = self.shared.world().arrivals != before;
            if moved || tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                break;
            }
        }
        self.loaded(None, deadline).await
    }

    async fn refused(&mut self, url: &str, error: &str, loader: Option<&str>) -> Result<Navigation, Problem> {
        self.check_refused(loader)?;
        // An answer without a document (204, a download) aborts the navigation: the page stays.
        if error == "net::ERR_ABORTED" {
            let navigation = self.arrived(None, true).await?;
            self.shared
                .world()
                .notices
                .push(Notice::new("stayed", format!("{url} gave no page; the page that was open stays")));
            return Ok(Navigation { stayed: true, ..navigation });
        }
        // The browser puts a page of its own in its place: what comes next must find that one, not the one that goes.
        let deadline = Instant::now() + ERROR_PAGE;
        loop {
            let mut watch = self.shared.watch();
            let shown = {
                let world = self.shared.world();
                world.main_document().is_some() && world.main_frame().is_some_and(|f| f.unreachable.is_some())
            };
            if shown || tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                break;
            }
        }
        Err(unreachable(url, error))
    }

    /// The browser shows its own page in place of one that can't be loaded.
    fn not_loaded(&self, url: &str) -> Problem {
        let error = self.shared.world().failure.clone();
        unreachable(url, error.as_deref().unwrap_or("net::ERR_FAILED"))
    }

    /// Waits until the page has loaded; at `deadline` it is taken as it is.
    async fn loaded(&mut self, loader: Option<String>, deadline: Instant) -> Result<Navigation, Problem> {
        let complete = loop {
            let mut watch = self.shared.watch();
            self.check_page()?;
            self.check_dialog()?;
            self.check_refused(loader.as_deref())?;
            let there = {
                let world = self.shared.world();
                let active = world.active.clone().unwrap_or_default();
                let arrived = loader.as_ref().is_none_or(|l| world.main_frame().is_some_and(|f| &f.loader == l));
                arrived && world.main_document().is_some() && !world.loading.contains(&active)
            };
            if there {
                break true;
            }
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                break false;
            }
        };
        if complete {
            // Scripts that run at load are part of it; what they start later isn't.
            let rest = deadline.saturating_duration_since(Instant::now()).min(EARLY);
            self.quiet(rest, LONG_REQUEST).await;
        }
        self.check_refused(loader.as_deref())?;
        let failed = self.shared.world().main_frame().and_then(|f| f.unreachable.clone());
        if let Some(url) = failed {
            return Err(self.not_loaded(&url));
        }
        let loader = loader.or_else(|| self.shared.world().main_frame().map(|f| f.loader.clone()));
        self.arrived(loader, complete).await
    }

    async fn arrived(&mut self, loader: Option<String>, loaded: bool) -> Result<Navigation, Problem> {
        let (url, title) = match self.told_place(ARRIVED).await {
            Err(problem) if problem.code == Code::Timeout => {
                let mut world = self.shared.world();
                world.notices.push(Notice::new("busy", problem.message));
                let tab = world.tab().cloned().unwrap_or_default();
                (world.main_frame().map_or(tab.url, |f| f.url.clone()), tab.title)
            }
            place => place?,
        };
        let mut world = self.shared.world();
        // What it does from here on it does by itself.
        world.roaming.end();
        let status = loader.and_then(|l| world.documents.status(&l));
        Ok(Navigation { url, title, status, loaded, stayed: false })
    }

    /// A tab that crashed gets a new renderer with the next page.
    fn forget_crash(&self) {
        let mut world = self.shared.world();
        let target = world.active.clone().unwrap_or_default();
        if let Some(tab) = world.tab_mut(&target) {
            tab.crashed = false;
        }
    }

    fn session_even_crashed(&self) -> Result<String, Problem> {
        let crashed = self.shared.world().tab().filter(|t| t.crashed).and_then(|t| t.session.clone());
        crashed.map_or_else(|| self.session(), Ok)
    }
}

fn unreachable(url: &str, error: &str) -> Problem {
    if error == "net::ERR_INVALID_AUTH_CREDENTIALS" {
        let site = Url::parse(url).map(|u| u.origin().ascii_serialization()).unwrap_or_default();
        return Problem::new(Code::Unreachable, format!("{url} can't be loaded: it asks for a user and a password"))
            .hint(format!("handeye set credentials USER --password-env VARIABLE --origin {site}"));
    }
    Problem::new(Code::Unreachable, format!("{url} can't be loaded: {error}"))
        .hint("handeye doctor")
        .hint("handeye back")
}

#[async_trait]
impl Web for Browser {
    async fn navigate(&mut self, url: &str, limit: Duration) -> Result<Navigation, Problem> {
        let url = address(url)?;
        self.permit(&url).await?;
        self.go(&url, limit).await
    }

    async fn history(&mut self, delta: i32, limit: Duration) -> Result<Navigation, Problem> {
        self.recover().await;
        self.check_dialog()?;
        let session = self.session_even_crashed()?;
        let deadline = Instant::now() + limit;
        self.stop_if_busy(&session, limit).await;
        let before = self.shared.world().arrivals;
        let mut under_way = None;
        let went = self.travelled(delta, &session, limit, deadline, &mut under_way).await;
        if let Some(under_way) = &mut under_way {
            // One that brought nothing yet would take the page away later on.
            let arrived = self.shared.world().arrivals != before;
            under_way.over = arrived || !matches!(&went, Err(problem) if problem.code == Code::Timeout);
        }
        went
    }

    async fn tabs(&mut self) -> Result<Vec<Tab>, Problem> {
        self.refresh_tabs().await?;
        Ok(self.tab_list())
    }

    async fn new_tab(&mut self, url: Option<&str>, limit: Duration) -> Result<Tab, Problem> {
        let url = url.map(address).transpose()?;
        if let Some(url) = &url {
            self.permit(url).await?;
        }
        self.make_tab().await?;
        if let Some(url) = url {
            self.wait_for_main_document(limit).await?;
            self.go(&url, limit).await?;
        }
        self.active_tab()
            .ok_or_else(|| Problem::new(Code::Lost, "the new tab was closed at once").hint("handeye tabs list"))
    }

    async fn switch_tab(&mut self, id: &str) -> Result<Tab, Problem> {
        self.activate_tab(id).await
    }

    async fn close_tab(&mut self, id: Option<&str>) -> Result<Option<Tab>, Problem> {
        self.drop_tab(id).await
    }

    fn dialog(&self) -> Option<OpenDialog> {
        self.shared.world().dialog().map(|d| d.1.clone())
    }

    async fn answer_dialog(&mut self, accept: bool, text: Option<&str>) -> Result<OpenDialog, Problem> {
        self.check_page()?;
        let open = self.shared.world().dialog().cloned();
        let Some((session, dialog)) = open else {
            return Err(match self.shared.world().dialog_elsewhere() {
                Some((tab, _)) => {
                    Problem::new(Code::NotFound, format!("no dialog is open in this tab; tab {tab} shows one"))
                        .hint(format!("handeye tabs switch {tab}"))
                }
                None => Problem::new(Code::NotFound, "no dialog is open").hint("handeye state"),
            });
        };
        if text.is_some() && dialog.kind != "prompt" {
            return Err(Problem::new(
                Code::BadRequest,
                format!("the open dialog is of kind {}, which takes no text", dialog.kind),
            )
            .hint("handeye dialog accept"));
        }
        drop(self.begin());
        // Gone before it is answered: what opens meanwhile is another one, even where it says the same.
        let target = self.shared.world().active.clone().unwrap_or_default();
        self.shared.world().dialogs.remove(&target);
        let mut params = json!({ "accept": accept });
        if let Some(text) = text.or((dialog.kind == "prompt").then_some(dialog.default.as_str())) {
            params["promptText"] = json!(text);
        }
        let answered = self.call::<Value>(Some(&session), "Page.handleJavaScriptDialog", params, CALL_LIMIT).await;
        if let Err(problem) = answered {
            self.shared.world().dialogs.entry(target).or_insert((session, dialog));
            return Err(problem);
        }
        Ok(dialog)
    }

    async fn screenshot(&mut self, area: ShotArea, format: ImageFormat, quality: Option<u8>) -> Result<Shot, Problem> {
        self.shoot(area, format, quality).await
    }

    fn conceal(&mut self, secrets: Vec<String>, mask: Mask) {
        self.secrets = secrets;
        self.shared.world().mask = mask;
    }

    async fn location(&mut self) -> Result<(String, String), Problem> {
        self.told_place(CALL_LIMIT).await
    }

    async fn html(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        self.ask_of("html", of).await
    }

    async fn text(&mut self, of: Option<NativeId>) -> Result<String, Problem> {
        self.ask_of("textOf", of).await
    }

    async fn trees(&mut self, want: TreeWant) -> Result<Trees, Problem> {
        self.recover().await;
        self.browser_trees(want).await
    }

    async fn called(&mut self, document: DocumentId, nodes: &[i64]) -> Result<Vec<Option<NativeId>>, Problem> {
        self.recover().await;
        self.numbers_of(document, nodes).await
    }

    async fn attribute(&mut self, of: NativeId, name: &str) -> Result<Option<String>, Problem> {
        self.page_now(of.document(), "attr", &[json!(of.number()), json!(name)], CALL_LIMIT).await
    }

    fn files(&mut self) -> Option<&mut dyn Files> {
        Some(self)
    }

    fn console(&mut self) -> Option<&mut dyn handeye_scene::Console> {
        Some(self)
    }

    fn traffic(&mut self) -> Option<&mut dyn handeye_scene::Traffic> {
        Some(self)
    }

    fn pretends(&mut self) -> Option<&mut dyn handeye_scene::Pretends> {
        Some(self)
    }

    fn scripts(&mut self) -> Option<&mut dyn handeye_scene::Scripts> {
        Some(self)
    }

    async fn print_page(&mut self, paper: &handeye_scene::Paper) -> Result<Vec<u8>, Problem> {
        self.print(paper).await
    }

    async fn mark(&mut self, id: NativeId) -> Result<(), Problem> {
        self.draw_mark(id).await
    }

    async fn unmark(&mut self) -> Result<(), Problem> {
        self.clear_marks().await
    }

    fn stores(&mut self) -> Option<&mut dyn Stores> {
        Some(self)
    }
}

impl Browser {
    /// Address and title, as the page itself says or, where it can't be asked now, the browser.
    async fn told_place(&self, limit: Duration) -> Result<(String, String), Problem> {
        self.check_page()?;
        let document = {
            let world = self.shared.world();
            world.main_document().filter(|_| world.dialog().is_none())
        };
        let Some(document) = document else {
            // The page can't be asked now; the browser can.
            self.refresh_tabs().await?;
            let world = self.shared.world();
            let tab = world.tab().cloned().unwrap_or_default();
            // The tab's address may be one that is only being asked for, such as behind a beforeunload dialog.
            let url = world.main_frame().map(|f| f.url.clone()).filter(|u| !u.is_empty()).unwrap_or(tab.url);
            return Ok((url, tab.title));
        };
        let known = self.shared.world().document(document).map(|d| (d.session.clone(), d.context.clone()));
        let (session, context) = known.unwrap_or_default();
        let asked = "(({ url, title }) => [url, title])(handeye.about())";
        let params = json!({ "expression": asked, "uniqueContextId": context, "returnByValue": true });
        let ticket = self.connection.send(Some(&session), "Runtime.evaluate", params);
        match self.told(ticket, limit).await {
            // It goes elsewhere just now, or holds a dialog: what the browser last said of the tab.
            Err(PageError::Gone) => {
                let tab = self.shared.world().tab().cloned().unwrap_or_default();
                Ok((tab.url, tab.title))
            }
            other => other.map_err(crate::surface::gone),
        }
    }

    async fn ask_of(&mut self, function: &str, of: Option<NativeId>) -> Result<String, Problem> {
        self.check_dialog()?;
        self.wait_for_main_document(CALL_LIMIT).await?;
        let document = match of {
            Some(id) => id.document(),
            None => self
                .shared
                .world()
                .main_document()
                .ok_or_else(|| Problem::new(Code::Timeout, "the page isn't ready").hint("handeye wait --idle"))?,
        };
        let text: Option<String> =
            self.page_now(document, function, &[json!(of.map(NativeId::number))], CALL_LIMIT * 3).await?;
        Ok(text.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    fn shown(text: &str) -> String {
        address(text).unwrap_or_else(|p| p.message)
    }

    #[test]
    fn addresses_are_read_as_people_write_them() {
        assert_eq!(shown("localhost:8000/x"), "http://localhost:8000/x");
        assert_eq!(shown("127.0.0.1/x"), "http://127.0.0.1/x");
        assert_eq!(shown("example.com/a?b"), "https://example.com/a?b");
        assert_eq!(shown("http://例え.jp/"), "http://例え.jp/");
        assert_eq!(shown("about:blank"), "about:blank");
        assert_eq!(shown("buildhost:3000"), "http://buildhost:3000/");
        assert_eq!(shown("nonsense"), "`nonsense` is no address: it has no scheme and no host name");
        assert_eq!(shown("http://"), "`http://` is no address: empty host");
        assert_eq!(shown("gopher://x/"), "`gopher://x/` is no address: the browser doesn't know gopher://");
        assert_eq!(shown("javascript:alert(1)"), "`javascript:alert(1)` is no address: scripts are not pages");
        assert_eq!(shown("  "), "`` is no address: it is empty");
        assert_eq!(shown("/no/such/file"), "`/no/such/file` is no address: there is no such file");
    }
}
