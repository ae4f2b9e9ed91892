//! A browser as a surface: the port, composed of everything below it.

use crate::capture::look::Looks;
use crate::capture::{focus, probe, rows, search};
use crate::cdp::attach::attach;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::transport::Connection;
use crate::egress::bounds::Gate;
use crate::egress::socks5::{self, Listener, Socks5};
use crate::features::screenshot;
use crate::input::settle::{self, LONGEST_REQUEST, Over};
use crate::input::{at_once, deaf, gestures, whence};
use crate::model::shared::Shared;
use crate::process::find::find;
use crate::process::launch::{self, Process};
use crate::process::saved;
use crate::process::viewport::own_viewport;
use crate::targets::events::Events;
use crate::targets::{clipboard, first_page};
use crate::web::Tabs;
use async_trait::async_trait;
use handeye_scene::{
    Aim, Capture, Code, Delivery, DenyRules, DocumentId, Gesture, Guard, ImageFormat, InputMethod, Launch, NativeId,
    Notice, Opener, Point, PressBy, Pressed, Probe, Problem, Query, Rect, Settled, Shot, ShotArea, Stirred, Surface,
    Want, Web, Whence,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a picture to compare may take: of a tab behind another there is none.
const PIXELS_LIMIT: Duration = Duration::from_secs(2);

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
    link: Link,
    process: Option<Process>,
    /// What its connections go through, as long as it is there.
    _socks5: Option<Socks5>,
    looks: Looks,
    web: Tabs,
    /// What it keeps lies here.
    folder: PathBuf,
    /// When something last happened in the page, as far as that was settled or waited for.
    settled_at: Option<std::time::Instant>,
    /// The gesture that is over, until what came of it is known.
    over: Option<Over>,
}

impl Browser {
    async fn open(launch: &Launch, folder: &Path) -> Result<Self, Problem> {
        let owned = launch.cdp.is_none();
        let listener = Listener::of(launch)?;
        let (process, wire) = match &launch.cdp {
            Some(endpoint) => (None, attach(endpoint).await?),
            None => {
                let browser = find(launch.browser.as_deref())?;
                let led = socks5::lead(launch, listener.as_ref());
                let (process, wire) = launch::start(&browser, &led, folder)?;
                (Some(process), wire)
            }
        };
        let link = Link::new(Connection::new(&wire), Shared::new(owned));
        link.model().browser.lent = launch.is_lent();
        link.model().emulation.viewport = own_viewport(launch);
        link.model().network.intercept.bounds = launch.bounds.clone();
        let socks5 = listener
            .zip(launch.bounds.clone())
            .map(|(listener, bounds)| listener.serve(Gate::new(&link), bounds))
            .transpose()?;
        link.connection.listen(wire, Events::new(&link));
        let (looks, web, folder) = (Looks::new(&link), Tabs::new(&link), folder.to_owned());
        let browser = Self { process, _socks5: socks5, looks, web, folder, settled_at: None, over: None, link };
        if owned && launch::is_root() {
            let text = "running as root, so the browser's sandbox is off (--no-sandbox)";
            browser.link.model().reports.notices.push(Notice::new("sandbox", text));
        }
        match browser.begin(launch).await {
            Ok(()) => {
                // With a window the clipboard is the person's, who copies by themselves.
                if owned && !launch.headed {
                    clipboard::watch(&browser.link);
                }
                Ok(browser)
            }
            Err(problem) => Err(browser.failed(problem).await),
        }
    }

    async fn begin(&self, launch: &Launch) -> Result<(), Problem> {
        if launch.context {
            first_page::make_context(&self.link, &self.folder).await?;
        }
        first_page::start(&self.link, &self.folder).await
    }

    /// A browser that couldn't be started, with its own words on why.
    async fn failed(mut self, problem: Problem) -> Problem {
        self.link.connection.close();
        self.clear();
        let Some(process) = self.process.take() else { return problem };
        let complaint = process.complaint();
        process.end().await;
        let why = if complaint.is_empty() { problem.message } else { complaint };
        Problem::new(Code::Unavailable, format!("the browser didn't start: {why}")).hint("handeye doctor")
    }

    async fn end(&mut self) -> Result<(), Problem> {
        let (owned, lost) = {
            let model = self.link.model();
            (model.browser.owned, model.browser.lost.is_some())
        };
        match (lost, owned) {
            (true, _) => {}
            // It may be gone before it answers.
            (_, true) => self.ask("Browser.close", json!({}), Duration::from_secs(2)).await,
            (_, false) => self.leave().await,
        }
        self.link.connection.close();
        self.clear();
        if let Some(process) = self.process.take() {
            process.end().await;
        }
        self.link.model().browser.lost.get_or_insert_with(|| "it was closed".into());
        Ok(())
    }
}

impl Browser {
    /// Leaves a browser that was attached to as it would be without us: what we opened in it is closed.
    async fn leave(&mut self) {
        self.web.hand.recover().await;
        let (context, ours) = {
            let model = self.link.model();
            let ours = model.pages.tabs.iter().filter(|t| !t.closed && t.ours).map(|t| t.target.clone());
            (model.browser.context.clone(), ours.collect::<Vec<_>>())
        };
        if let Some(context) = context {
            // Its tabs end with it, those too that we were never told of.
            return self.ask("Target.disposeBrowserContext", json!({ "browserContextId": context }), CALL_LIMIT).await;
        }
        for target in ours {
            self.ask("Target.closeTarget", json!({ "targetId": target }), CALL_LIMIT).await;
        }
    }

    /// Removes the folder for downloads of a context of ours. That of a browser of ours goes with its process.
    fn clear(&self) {
        if self.link.model().browser.context.is_some() {
            saved::clear(&self.folder);
        }
    }

    /// Asks the browser to end something, which may be gone already.
    async fn ask(&self, method: &'static str, params: Value, limit: Duration) {
        let _ = self.link.connection.call::<Value>(None, method, params, limit).await;
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.link.connection.close();
    }
}

#[async_trait]
impl Surface for Browser {
    fn allow(&mut self, limit: Option<Duration>) {
        self.link.allow(limit);
    }

    async fn input_by(&mut self, method: Option<InputMethod>) -> Result<(), Problem> {
        self.web.hand.input_by = method;
        Ok(())
    }

    async fn stirred(&mut self) -> Stirred {
        settle::what_stirred(&self.link).await
    }

    async fn unsure(&mut self) -> HashSet<NativeId> {
        settle::going_on(&self.link).await
    }

    async fn pixels(&mut self, area: Rect) -> Option<u64> {
        settle::drawn(&self.link).await;
        let shot = screenshot::shoot(&self.link, &self.web.secrets, ShotArea::Clip(area), ImageFormat::Png, None);
        let shot = tokio::time::timeout(PIXELS_LIMIT, shot).await.ok()?.ok()?;
        let mut hasher = DefaultHasher::new();
        shot.bytes.hash(&mut hasher);
        Some(hasher.finish())
    }

    async fn picture(&mut self) -> Result<Shot, Problem> {
        settle::drawn(&self.link).await;
        screenshot::shoot(&self.link, &self.web.secrets, ShotArea::Viewport, ImageFormat::Png, None).await
    }

    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        self.web.hand.recover().await;
        if want.compared {
            self.link.model().habits.looks();
        }
        self.looks.look(want).await
    }

    async fn add_rows(&mut self, capture: &mut Capture, of: &[NativeId]) -> Result<bool, Problem> {
        self.web.hand.recover().await;
        rows::rows_of(&self.link, capture, of).await
    }

    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.web.hand.recover().await;
        probe::examine(&self.link, id, aim).await
    }

    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        self.web.hand.recover().await;
        search::matches(&self.link, query).await
    }

    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.web.hand.recover().await;
        focus::hits(&self.link, &[point]).await?.pop().unwrap_or(Ok(None))
    }

    async fn elements_at(&mut self, points: &[Point]) -> Result<Vec<Option<NativeId>>, Problem> {
        self.web.hand.recover().await;
        let found = focus::hits(&self.link, points).await?;
        // Of what isn't said nothing is known: no element is number 0, so that none is ever found to lie there still.
        let unknown = self.link.model().pages.main_document().map(|document| NativeId::new(document, 0));
        Ok(found.into_iter().map(|hit| hit.unwrap_or(unknown)).collect())
    }

    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        self.web.hand.recover().await;
        focus::focused(&self.link).await
    }

    async fn is_deaf(&mut self, id: NativeId) -> Option<bool> {
        deaf::is_deaf(&self.link, id).await
    }

    async fn whence(&mut self, target: Option<NativeId>) -> Whence {
        whence::whence(&self.link, target).await
    }

    async fn pressed(&mut self, id: NativeId, by: PressBy) -> Result<Vec<Pressed>, Problem> {
        self.web.hand.recover().await;
        probe::pressed(&self.link, id, by).await
    }

    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        self.over = None;
        self.web.hand.recover().await;
        gestures::perform(&mut self.web.hand, gesture, guard).await
    }

    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        let over = self.over.take().unwrap_or_else(|| Over::now(&self.link));
        settle::settled(&self.link, limit, over, &mut self.settled_at).await
    }

    async fn answered(&mut self) -> Option<Settled> {
        self.over = Some(Over::now(&self.link));
        let answered = at_once::answered(&self.link, &mut self.settled_at).await;
        // The look that follows keeps the page from being quiet.
        self.over.take_if(|_| answered.is_some());
        answered
    }

    async fn calm(&mut self, rest: Duration) -> Option<Settled> {
        at_once::calm(&self.link, rest).await
    }

    async fn rest(&mut self) {
        self.over = None;
        settle::end_gesture(&self.link);
    }

    async fn idle(&mut self, limit: Duration) -> Result<bool, Problem> {
        Ok(settle::quiet(&self.link, limit, LONGEST_REQUEST).await)
    }

    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        self.web.hand.recover().await;
        settle::change(&self.link, limit, &mut self.settled_at).await
    }

    fn origin(&self, document: DocumentId) -> Option<String> {
        let model = self.link.model();
        model.pages.origin_of(&model.pages.document(document)?.frame)
    }

    fn is_opaque(&self, document: DocumentId) -> bool {
        let model = self.link.model();
        model.pages.document(document).and_then(|d| model.pages.frames.get(&d.frame)).is_some_and(|f| f.opaque)
    }

    fn deny(&mut self, rules: DenyRules) {
        self.link.model().policy.denied = rules;
    }

    fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.link.model().reports.notices)
    }

    fn web(&mut self) -> Option<&mut dyn Web> {
        Some(&mut self.web)
    }

    async fn close(&mut self) -> Result<(), Problem> {
        self.end().await
    }
}
