//! A browser as a surface: the port, and what all its parts share.

use crate::bounds::Gate;
use crate::events::{Events, Shared};
use crate::kept::Kept;
use crate::launch::{self, Process};
use crate::limits::Allowed;
use crate::passage::{self, Entrance, Passage};
use crate::protocol::{Evaluated, Targets};
use crate::settle::LONGEST_REQUEST;
use crate::transport::{CallError, Connection, Reply, Ticket, parse, read};
use crate::{attach, find};
use async_trait::async_trait;
use handeye_scene::{
    Aim, Barred, Capture, Code, Delivery, DocumentId, Gesture, Guard, ImageFormat, Launch, NativeId, Notice, Opener,
    Point, Probe, Problem, Query, Rect, Settled, ShotArea, Stirred, Surface, Want, Web,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Viewport of pages in browsers of ours, CSS pixels.
pub(crate) const VIEWPORT: (u32, u32) = (1280, 720);
/// How long a browser may take to start.
const START_LIMIT: Duration = Duration::from_secs(20);
/// How long a document inside the page, which a look can do without, may take.
pub(crate) const FRAME_LIMIT: Duration = Duration::from_secs(3);
/// How long the frames of a page that was there before us may take to be entered.
const FRAMES_LIMIT: Duration = Duration::from_secs(3);
/// How long most calls may take.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Makes browsers of the Chromium family into surfaces.
pub struct Chromium {
    folder: PathBuf,
}

impl Chromium {
    /// What browsers keep (profiles, downloads) lies in `folder`, one folder a session.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }
}

#[async_trait]
impl Opener for Chromium {
    async fn browser(&self, launch: &Launch) -> Result<Box<dyn Surface>, Problem> {
        Ok(Box::new(Browser::open(launch, &self.folder).await?))
    }
}

/// A browser, whose active tab is the surface.
pub(crate) struct Browser {
    pub(crate) connection: Connection,
    pub(crate) shared: Arc<Shared>,
    process: Option<Process>,
    /// What its connections go through, as long as it is there.
    _passage: Option<Passage>,
    /// What a cancelled gesture may have left: keys or buttons down, documents armed.
    pub(crate) unfinished: bool,
    /// When something last happened in the page, as far as that was settled or waited for.
    pub(crate) settled_at: Option<std::time::Instant>,
    /// What was last told of each document, where it can be relied on.
    pub(crate) kept: HashMap<DocumentId, Kept>,
    /// Texts that no picture may show.
    pub(crate) secrets: Vec<String>,
    /// When the command that runs must be over, and how long it may take in all; none: as long as its steps take.
    pub(crate) allowed: Option<Allowed>,
    /// Where the pointer is, main viewport coordinates.
    pub(crate) pointer: Point,
    /// Buttons and modifier keys held by raw input, protocol bits.
    pub(crate) held: (u8, u8),
}

/// Why a call into a page has no answer.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The document or its world is gone.
    Gone,
    /// Anything else.
    Problem(Problem),
}

impl From<Problem> for PageError {
    fn from(problem: Problem) -> Self {
        PageError::Problem(problem)
    }
}

impl Browser {
    async fn open(launch: &Launch, folder: &Path) -> Result<Self, Problem> {
        let owned = launch.cdp.is_none();
        let entrance = Entrance::of(launch)?;
        let (process, wire) = match &launch.cdp {
            Some(endpoint) => (None, attach::attach(endpoint).await?),
            None => {
                let browser = find::find(launch.browser.as_deref())?;
                let led = passage::lead(launch, entrance.as_ref());
                let (process, wire) = launch::start(&browser, &led, folder)?;
                (Some(process), wire)
            }
        };
        let shared = Shared::new(owned);
        let connection = Connection::new(&wire);
        let viewport = crate::pretend::own_viewport(launch);
        shared.world().viewport = viewport;
        shared.world().intercept.bounds = launch.bounds.clone();
        let passage = entrance
            .zip(launch.bounds.clone())
            .map(|(entrance, bounds)| entrance.serve(Gate::new(&shared, &connection), bounds))
            .transpose()?;
        connection.listen(wire, Events { shared: shared.clone(), connection: connection.clone(), viewport });
        let mut browser = Self {
            connection,
            shared,
            process,
            _passage: passage,
            unfinished: false,
            settled_at: None,
            kept: HashMap::new(),
            secrets: Vec::new(),
            allowed: None,
            pointer: Point::new(0.0, 0.0),
            held: (0, 0),
        };
        if owned && launch::is_root() {
            let text = "running as root, so the browser's sandbox is off (--no-sandbox)";
            browser.shared.world().notices.push(Notice::new("sandbox", text));
        }
        match browser.start(folder).await {
            Ok(()) => Ok(browser),
            Err(problem) => Err(browser.failed(problem).await),
        }
    }

    /// A browser that couldn't be started, with its own words on why.
    async fn failed(mut self, problem: Problem) -> Problem {
        self.connection.close();
        let Some(process) = self.process.take() else { return problem };
        let complaint = process.complaint();
        process.end().await;
        let why = if complaint.is_empty() { problem.message } else { complaint };
        Problem::new(Code::Unavailable, format!("the browser didn't start: {why}")).hint("handeye doctor")
    }

    async fn start(&mut self, folder: &Path) -> Result<(), Problem> {
        let (owned, below) = {
            let world = self.shared.world();
            (world.owned, world.intercept.is_on().then(|| world.intercept.below()))
        };
        if let Some((method, params)) = below {
            self.call::<Value>(None, method, params, START_LIMIT).await?;
        }
        if owned {
            let all = self.shared.world().holds_all();
            let kinds: &[&str] = if all { &["page", "service_worker", "shared_worker"] } else { &["page"] };
            let auto = crate::bounds::attaching(kinds);
            self.call::<Value>(None, "Target.setAutoAttach", auto, START_LIMIT).await?;
            let downloads = json!({
                "behavior": "allowAndName", "downloadPath": folder.join("downloads"), "eventsEnabled": true,
            });
            let mut downloads = downloads;
            downloads["behavior"] = json!("allow");
            self.call::<Value>(None, "Browser.setDownloadBehavior", downloads, START_LIMIT).await?;
        }
        self.call::<Value>(None, "Target.setDiscoverTargets", json!({ "discover": true }), START_LIMIT).await?;
        if !owned {
            self.attach_to_page().await?;
        }
        let deadline = Instant::now() + START_LIMIT;
        loop {
            let mut watch = self.shared.watch();
            let found = self.shared.world().tabs.iter().find(|t| t.session.is_some()).map(|t| t.target.clone());
            if let Some(target) = found {
                self.shared.world().active = Some(target);
                break;
            }
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Err(Problem::new(Code::Unavailable, "the browser shows no page"));
            }
            self.check_lost()?;
        }
        self.wait_for_main_document(START_LIMIT).await?;
        if owned { Ok(()) } else { self.wait_for_frames().await }
    }

    /// Waits until the documents in the frames of a page that was there before us can be asked.
    async fn wait_for_frames(&self) -> Result<(), Problem> {
        let deadline = Instant::now() + FRAMES_LIMIT;
        // Its answer comes behind the news of every frame that has a process of its own.
        let session = self.session()?;
        let inner = self.shared.world().inner_targets();
        self.call::<Value>(Some(&session), "Target.setAutoAttach", inner, START_LIMIT).await?;
        loop {
            let mut watch = self.shared.watch();
            {
                let world = self.shared.world();
                let mut frames = world.frames.iter().filter(|(id, _)| world.is_active(id));
                if world.dialog().is_some() || frames.all(|(_, frame)| frame.document.is_some()) {
                    return Ok(());
                }
            }
            self.check_page()?;
            // One that hangs or has crashed doesn't keep the others from being seen.
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Ok(());
            }
        }
    }

    /// The first page of a browser that runs already; a new one when it has none.
    async fn attach_to_page(&mut self) -> Result<(), Problem> {
        let targets: Targets = self.call(None, "Target.getTargets", json!({}), START_LIMIT).await?;
        let page = targets.target_infos.into_iter().find(|t| t.kind == "page" && !t.url.starts_with("devtools://"));
        let (id, ours) = match page {
            Some(page) => (page.target_id, false),
            None => {
                let made: Value =
                    self.call(None, "Target.createTarget", json!({ "url": "about:blank" }), START_LIMIT).await?;
                (made["targetId"].as_str().unwrap_or_default().to_owned(), true)
            }
        };
        self.call::<Value>(None, "Target.attachToTarget", json!({ "targetId": id, "flatten": true }), START_LIMIT)
            .await?;
        if let Some(tab) = self.shared.world().tab_mut(&id) {
            tab.ours = ours;
        }
        Ok(())
    }

    /// Waits until the main document can be asked.
    pub(crate) async fn wait_for_main_document(&self, limit: Duration) -> Result<(), Problem> {
        let deadline = Instant::now() + limit;
        loop {
            let mut watch = self.shared.watch();
            {
                let world = self.shared.world();
                if world.main_document().is_some() || world.dialog().is_some() {
                    return Ok(());
                }
            }
            self.check_page()?;
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Err(
                    Problem::new(Code::Timeout, "the page's document didn't get ready in time").hint("handeye reload")
                );
            }
        }
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
    pub(crate) async fn answer<T: DeserializeOwned>(&self, ticket: Ticket, limit: Duration) -> Result<T, Problem> {
        self.answer_by(ticket, Instant::now() + limit, limit).await
    }

    /// As [`Browser::answer`], for one of many asked at once: they share a deadline; `limit` is what the problem says.
    pub(crate) async fn answer_by<T: DeserializeOwned>(
        &self,
        ticket: Ticket,
        deadline: Instant,
        limit: Duration,
    ) -> Result<T, Problem> {
        let method = ticket.method;
        let raw = self.reply_by(ticket, deadline, limit).await?.map_err(|e| self.problem(e))?;
        read(method, &raw).map_err(|e| self.problem(e))
    }

    /// As [`Browser::answer_by`], unread, with the browser's own words where it refuses.
    pub(crate) async fn reply_by(&self, ticket: Ticket, deadline: Instant, limit: Duration) -> Result<Reply, Problem> {
        let method = ticket.method;
        let (deadline, limit) = self.within(deadline, limit);
        let mut watch = self.shared.watch();
        // What keeps the page from answering may have come before this wait: without an answer yet, look at once.
        watch.mark_changed();
        tokio::pin!(ticket);
        loop {
            tokio::select! {
                biased;
                reply = &mut ticket => return Ok(reply),
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

    /// Asks the page script of a document: `handeye.FUNCTION(ARGS…)`.
    pub(crate) fn ask(&self, document: DocumentId, function: &str, args: &[Value]) -> Result<Ticket, PageError> {
        let (session, context) = {
            let world = self.shared.world();
            let document = world.document(document).filter(|d| d.alive).ok_or(PageError::Gone)?;
            (document.session.clone(), document.context.clone())
        };
        let mut arguments = vec![json!({ "value": function })];
        arguments.extend(args.iter().map(|a| json!({ "value": a })));
        let params = json!({
            "functionDeclaration": "(name, ...args) => handeye[name](...args)",
            "arguments": arguments, "uniqueContextId": context, "returnByValue": true, "awaitPromise": true,
        });
        Ok(self.connection.send(Some(&session), "Runtime.callFunctionOn", params))
    }

    /// Waits for what the page script answers.
    pub(crate) async fn told<T: DeserializeOwned>(&self, ticket: Ticket, limit: Duration) -> Result<T, PageError> {
        self.told_by(ticket, Instant::now() + limit, limit).await
    }

    /// As [`Browser::told`], for one of many asked at once.
    pub(crate) async fn told_by<T: DeserializeOwned>(
        &self,
        ticket: Ticket,
        deadline: Instant,
        limit: Duration,
    ) -> Result<T, PageError> {
        let evaluated: Evaluated = match self.answer_by(ticket, deadline, limit).await {
            Ok(evaluated) => evaluated,
            Err(problem) if problem.code == Code::Stale => return Err(PageError::Gone),
            Err(problem) => return Err(problem.into()),
        };
        if let Some(exception) = evaluated.exception_details {
            let text = exception.exception.and_then(|e| e.description).unwrap_or(exception.text);
            return Err(Problem::new(Code::Bug, format!("the page script failed: {text}")).into());
        }
        let value = evaluated.result.value.as_ref().map_or("null", |v| v.get());
        parse(value).map_err(|e| Problem::new(Code::Bug, format!("the page script's answer can't be read: {e}")).into())
    }

    /// Asks the page script and waits.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        document: DocumentId,
        function: &str,
        args: &[Value],
        limit: Duration,
    ) -> Result<T, PageError> {
        let ticket = self.ask(document, function, args)?;
        self.told(ticket, limit).await
    }

    /// As [`Browser::page`], where a document that is gone is a problem.
    pub(crate) async fn page_now<T: DeserializeOwned>(
        &self,
        document: DocumentId,
        function: &str,
        args: &[Value],
        limit: Duration,
    ) -> Result<T, Problem> {
        self.page(document, function, args, limit).await.map_err(gone)
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
            CallError::Refused { .. } | CallError::Malformed { .. } => Problem::new(Code::Bug, error.to_string()),
        }
    }

    fn lost(&self, reason: &str) -> Problem {
        Problem::new(Code::Lost, format!("the browser is gone ({reason})")).hint("handeye open URL")
    }

    fn check_lost(&self) -> Result<(), Problem> {
        let reason = self.shared.world().lost.clone();
        reason.map_or(Ok(()), |reason| Err(self.lost(&reason)))
    }

    /// Whether the active tab can be used at all.
    pub(crate) fn check_page(&self) -> Result<(), Problem> {
        self.check_lost()?;
        let world = self.shared.world();
        match world.tab() {
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
        let world = self.shared.world();
        let Some((_, dialog)) = world.dialog() else { return Ok(()) };
        let message = world.cut(&dialog.message, 200);
        Err(Problem::new(Code::Blocked, format!("a dialog is open: {} {message:?}", dialog.kind))
            .hint("handeye dialog accept")
            .hint("handeye dialog dismiss")
            .hint("handeye tabs new URL"))
    }

    /// Session of the active tab.
    pub(crate) fn session(&self) -> Result<String, Problem> {
        self.check_page()?;
        let session = self.shared.world().tab().and_then(|t| t.session.clone());
        session.ok_or_else(|| Problem::new(Code::Lost, "the tab is not attached any more").hint("handeye tabs list"))
    }

    async fn end(&mut self) -> Result<(), Problem> {
        let (owned, lost, sessions) = {
            let world = self.shared.world();
            let tabs: Vec<(String, bool)> =
                world.tabs.iter().filter(|t| !t.closed).map(|t| (t.target.clone(), t.ours)).collect();
            (world.owned, world.lost.is_some(), tabs)
        };
        if !lost {
            if owned {
                // It may be gone before it answers.
                let _ = self.connection.call::<Value>(None, "Browser.close", json!({}), Duration::from_secs(2)).await;
            } else {
                self.recover().await;
                for (target, _) in sessions.iter().filter(|(_, ours)| *ours) {
                    let _ = self
                        .connection
                        .call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }), CALL_LIMIT)
                        .await;
                }
            }
        }
        self.connection.close();
        if let Some(process) = self.process.take() {
            process.end().await;
        }
        self.shared.world().lost.get_or_insert_with(|| "it was closed".into());
        Ok(())
    }
}

/// A document that is gone, as a problem.
pub(crate) fn gone(error: PageError) -> Problem {
    match error {
        PageError::Gone => Problem::new(Code::Stale, "the document was navigated away").hint("handeye state"),
        PageError::Problem(problem) => problem,
    }
}

fn is_gone(message: &str) -> bool {
    [
        "Cannot find context",
        "uniqueContextId not found",
        "Session with given id not found",
        "Inspected target navigated",
        "Could not find node",
        "No node with given id",
        "Node with given id does not belong",
        "Frame with the given",
        "No frame for given id",
        "Execution context was destroyed",
    ]
    .iter()
    .any(|m| message.contains(m))
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.connection.close();
    }
}

#[async_trait]
impl Surface for Browser {
    fn allow(&mut self, limit: Option<Duration>) {
        self.allowed = limit.and_then(Allowed::from_now);
    }

    async fn stirred(&mut self) -> Stirred {
        self.what_stirred().await
    }

    async fn pixels(&mut self, area: Rect) -> Option<u64> {
        self.drawn().await;
        let shot = self.shoot(ShotArea::Clip(area), ImageFormat::Png, None).await.ok()?;
        let mut hasher = DefaultHasher::new();
        shot.bytes.hash(&mut hasher);
        Some(hasher.finish())
    }

    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        self.recover().await;
        self.look(want).await
    }

    async fn add_rows(&mut self, capture: &mut Capture, of: &[NativeId]) -> Result<bool, Problem> {
        self.recover().await;
        self.rows_of(capture, of).await
    }

    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.recover().await;
        self.examine(id, aim).await
    }

    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        self.recover().await;
        self.matches(query).await
    }

    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.recover().await;
        self.hit(point).await
    }

    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        self.recover().await;
        self.focus_now().await
    }

    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        self.recover().await;
        self.gesture(gesture, guard).await
    }

    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        self.settled(limit).await
    }

    async fn rest(&mut self) {
        self.end_gesture();
    }

    async fn idle(&mut self, limit: Duration) -> Result<bool, Problem> {
        Ok(self.quiet(limit, LONGEST_REQUEST).await)
    }

    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        self.recover().await;
        self.change(limit).await
    }

    fn origin(&self, document: DocumentId) -> Option<String> {
        let world = self.shared.world();
        world.origin_of(&world.document(document)?.frame)
    }

    fn is_opaque(&self, document: DocumentId) -> bool {
        let world = self.shared.world();
        world.document(document).and_then(|d| world.frames.get(&d.frame)).is_some_and(|f| f.opaque)
    }

    fn bar(&mut self, barred: Barred) {
        self.shared.world().barred = barred;
    }

    fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.shared.world().notices)
    }

    fn web(&mut self) -> Option<&mut dyn Web> {
        Some(self)
    }

    async fn close(&mut self) -> Result<(), Problem> {
        self.end().await
    }
}
