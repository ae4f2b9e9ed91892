//! What the browser tells, applied to the [`World`] in the order of arrival.

use crate::page::{SIGNAL, WORLD, script};
use crate::protocol::{
    Attached, AuthRequired, BindingCalled, Chosen, ConsoleCalled, ContextCreated, ContextDestroyed, DialogOpening,
    Download, Evaluated, ExceptionThrown, Finished, FrameEvent, FrameNavigated, FrameTree, FrameTreeReply, LogAdded,
    Named, Paused, PausedCheck, Received, RequestEvent, RequestPaused, RequestSent, SocketEvent, TargetChanged,
    TargetInfo,
};
use crate::surface::Browser;
use crate::traffic::BODIES;
use crate::transport::{Connection, Handler, Incoming, parse, read};
use crate::world::{TabState, World};
use handeye_scene::{Event, Notice, OpenDialog, Pretence};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// What the reader's task and the surface share.
pub(crate) struct Shared {
    world: Mutex<World>,
    bump: watch::Sender<u64>,
}

impl Shared {
    pub(crate) fn new(owned: bool) -> Arc<Self> {
        Arc::new(Self { world: Mutex::new(World { owned, ..World::default() }), bump: watch::Sender::new(0) })
    }

    /// What is known. Never held across an await.
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whenever an event was applied.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.bump.subscribe()
    }

    pub(crate) fn bump(&self) {
        self.bump.send_modify(|n| *n += 1);
    }
}

/// Applies events.
#[derive(Clone)]
pub(crate) struct Events {
    pub(crate) shared: Arc<Shared>,
    pub(crate) connection: Connection,
    /// Viewport of pages in browsers of ours, CSS pixels.
    pub(crate) viewport: Option<(u32, u32)>,
}

impl Handler for Events {
    fn event(&mut self, event: Incoming<'_>) {
        self.apply(event.session.unwrap_or_default(), event.method, event.params);
        self.shared.bump();
    }

    fn lost(&mut self, reason: &str) {
        self.shared.world().lost = Some(reason.to_owned());
        self.shared.bump();
    }
}

/// A message that doesn't read as it should is passed over: it tells nothing that could be relied on.
macro_rules! reading {
    ($params:expr, $kind:ty, |$name:ident| $body:expr) => {
        if let Ok($name) = parse::<$kind>($params) {
            $body
        }
    };
}

impl Events {
    fn apply(&mut self, session: &str, method: &str, params: &str) {
        match method {
            "Target.attachedToTarget" => reading!(params, Attached, |a| self.attached_by(session, a)),
            "Target.detachedFromTarget" => reading!(params, Named, |n| self.detached(&n.session_id)),
            "Target.targetCreated" => reading!(params, TargetChanged, |t| self.created(&t.target_info)),
            "Target.targetInfoChanged" => reading!(params, TargetChanged, |t| self.renamed(t.target_info)),
            "Target.targetDestroyed" => reading!(params, Named, |n| self.destroyed(&n.target_id)),
            "Target.targetCrashed" => reading!(params, Named, |n| self.crashed(&n.target_id)),
            "Inspector.targetCrashed" => {
                let target = self.shared.world().sessions.get(session).cloned().unwrap_or_default();
                self.crashed(&target);
                self.shared.world().document_crashed(session, &target);
            }
            "Page.frameAttached" => reading!(params, FrameEvent, |f| self.frame_attached(session, f)),
            "Page.frameDetached" => reading!(params, FrameEvent, |f| self.frame_detached(&f)),
            "Page.frameNavigated" => reading!(params, FrameNavigated, |f| {
                self.gate().came(session, &f.frame);
                self.navigated(session, f);
            }),
            "Page.documentOpened" => reading!(params, FrameNavigated, |f| {
                self.gate().came(session, &f.frame);
                self.shared.world().reopened(&f.frame.id);
            }),
            "Page.navigatedWithinDocument" => reading!(params, FrameEvent, |f| self.navigated_within(&f)),
            "Page.frameStartedLoading" | "Page.frameStartedNavigating" | "Page.frameRequestedNavigation" => {
                reading!(params, FrameEvent, |f| self.loading(&f.frame_id, method));
            }
            "Page.frameStoppedLoading" | "Page.frameClearedScheduledNavigation" => {
                reading!(params, FrameEvent, |f| {
                    let mut world = self.shared.world();
                    world.loading.remove(&f.frame_id);
                    world.touch();
                });
            }
            "Page.javascriptDialogOpening" => reading!(params, DialogOpening, |d| self.dialog_opened(session, d)),
            "Page.javascriptDialogClosed" => self.dialog_closed(session),
            "Page.windowOpen" => {
                let mut world = self.shared.world();
                world.opening = Some(Instant::now());
                world.touch();
            }
            "Page.fileChooserOpened" => reading!(params, Chosen, |c| {
                let mut world = self.shared.world();
                Browser::note_chooser(&mut world, session, &c);
                world.events.push(Event::FileChooser);
            }),
            "Runtime.executionContextCreated" => reading!(params, ContextCreated, |c| self.context_created(session, c)),
            "Runtime.executionContextDestroyed" => {
                reading!(params, ContextDestroyed, |c| self.shared.world().leave(&c.execution_context_unique_id));
            }
            "Runtime.executionContextsCleared" => self.shared.world().leave_all(session),
            "Runtime.bindingCalled" => reading!(params, BindingCalled, |b| self.signalled(session, &b)),
            "Runtime.consoleAPICalled" => {
                reading!(params, ConsoleCalled, |c| self.shared.world().console_called(session, c));
            }
            "Runtime.exceptionThrown" => {
                reading!(params, ExceptionThrown, |e| self.shared.world().exception_thrown(session, e));
            }
            "Log.entryAdded" => reading!(params, LogAdded, |l| self.shared.world().log_added(session, l)),
            "Network.requestWillBeSent" => reading!(params, RequestSent, |r| self.requested(session, r)),
            "Network.webSocketCreated" => reading!(params, SocketEvent, |e| self.socket(session, &e)),
            "Network.webSocketFrameSent" => reading!(params, SocketEvent, |e| self.socket(session, &e)),
            "Network.responseReceived" => reading!(params, RequestEvent, |r| self.responded(session, &r)),
            "Network.requestServedFromCache" => {
                reading!(params, RequestEvent, |r| self.shared.world().flows.cached(session, &r.request_id));
            }
            "Network.dataReceived" => reading!(params, Received, |r| self.shared.world().flows.received(session, &r)),
            "Network.loadingFinished" | "Network.loadingFailed" => {
                reading!(params, Finished, |r| {
                    let mut world = self.shared.world();
                    world.flows.finished(session, &r);
                    if !r.error_text.is_empty() {
                        world.note_failure(session, &r.request_id);
                    }
                    if r.kind == "Document" && !r.error_text.is_empty() {
                        world.failure = Some(r.error_text);
                    }
                    if world.requests.remove(&r.request_id).is_some() {
                        world.touch();
                    }
                });
            }
            "Browser.downloadWillBegin" => reading!(params, Download, |d| self.shared.world().download_began(d)),
            "Browser.downloadProgress" => reading!(params, Download, |d| self.shared.world().download_went_on(d)),
            "Debugger.paused" => reading!(params, Paused, |p| self.paused(session, &p)),
            "Fetch.authRequired" => reading!(params, AuthRequired, |a| {
                let answer = self.shared.world().intercept.answer(&a);
                self.connection.tell(Some(session), "Fetch.continueWithAuth", answer);
            }),
            "Fetch.requestPaused" => reading!(params, RequestPaused, |r| self.gate().paused(session, r)),
            "Input.dragIntercepted" => {
                reading!(params, Value, |v| self.shared.world().drag = v.get("data").cloned());
            }
            _ => {}
        }
    }

    /// The browser has attached us to a target, as it was asked to itself.
    pub(crate) fn attached(&self, attached: Attached) {
        self.attached_by("", attached);
    }

    /// The browser has attached us to a target, as a session asked it to; none stands for the browser's own.
    pub(crate) fn attached_by(&self, by: &str, attached: Attached) {
        let Some(attached) = self.not_aside(attached) else { return };
        let Attached { session_id: session, target_info: target, waiting_for_debugger: waiting } = attached;
        let connection = &self.connection;
        match target.kind.as_str() {
            "page" if self.is_besides(&target.target_id) => return,
            "page" => {
                let mut world = self.shared.world();
                world.sessions.insert(session.clone(), target.target_id.clone());
                self.note_tab(&mut world, &target);
                if let Some(tab) = world.tab_mut(&target.target_id) {
                    tab.session = Some(session.clone());
                }
                world.frame(&target.target_id, &session);
            }
            "iframe" => {
                let mut world = self.shared.world();
                world.sessions.insert(session.clone(), target.target_id.clone());
                let frame = world.frame(&target.target_id, &session);
                frame.url = target.url.clone();
                frame.parent = target.parent_frame_id.clone().or_else(|| frame.parent.take());
            }
            "worker" | "shared_worker" | "service_worker" if self.shared.world().holds_all() => {
                return self.gate().hold_worker(&session);
            }
            _ => {
                connection.tell(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
                let by = Some(by).filter(|by| !by.is_empty());
                connection.tell(by, "Target.detachFromTarget", json!({ "sessionId": session }));
                return;
            }
        }
        let popup = waiting && target.kind == "page" && target.opener_id.is_some();
        self.set_up(&session, target.kind == "page", popup);
    }

    /// Whether it is the second session of a tab, which was asked for and isn't looked at.
    fn is_besides(&self, target: &str) -> bool {
        let mut world = self.shared.world();
        let known = world.tab_mut(target).is_some_and(|tab| tab.session.is_some());
        known && world.besides.take_if(|wanted| wanted == target).is_some()
    }

    /// Everything a session needs before its first script runs; sent in one go, in order.
    fn set_up(&self, session: &str, page: bool, popup: bool) {
        let tell = |method, params: Value| self.connection.tell(Some(session), method, params);
        tell("Page.enable", json!({}));
        let (shared, gate) = (self.shared.clone(), self.gate());
        let own = session.to_owned();
        self.connection.then(Some(session), "Page.getFrameTree", json!({}), move |reply| {
            let Ok(raw) = reply else { return };
            let Ok(tree) = read::<FrameTreeReply>("Page.getFrameTree", &raw) else { return };
            gate.shown_all(&own, &tree.frame_tree);
            note_tree(&mut shared.world(), &own, tree.frame_tree);
            shared.bump();
        });
        let owned = self.shared.world().owned;
        tell("Runtime.enable", json!({}));
        tell("Runtime.addBinding", json!({ "name": SIGNAL, "executionContextName": WORLD }));
        tell(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": script(owned), "worldName": WORLD, "runImmediately": true }),
        );
        tell("Network.enable", json!({ "maxTotalBufferSize": BODIES.0, "maxResourceBufferSize": BODIES.1 }));
        tell("Log.enable", json!({}));
        let pretence = self.shared.world().pretence.clone();
        if pretence != Pretence::default() {
            let calls = crate::pretend::calls(&Pretence::default(), &pretence, page, self.viewport);
            calls.into_iter().for_each(|(method, params)| tell(method, params));
        }
        self.gate().set_up().into_iter().for_each(|(method, params)| tell(method, params));
        if self.shared.world().intercept.is_on() {
            let calls = self.shared.world().intercept.calls();
            calls.into_iter().for_each(|(method, params)| tell(method, params));
        }
        tell("Inspector.enable", json!({}));
        // Its counts of style and layout tell whether a look at the page still holds.
        tell("Performance.enable", json!({}));
        let inner = self.shared.world().inner_targets();
        tell("Target.setAutoAttach", inner);
        if page && owned {
            tell("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
            tell("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
            if let Some((width, height)) = self.viewport.filter(|_| pretence.viewport.is_none()) {
                let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 0, "mobile": false });
                tell("Emulation.setDeviceMetricsOverride", metrics);
            }
        }
        if popup {
            self.gate().silence(session);
        }
        tell("Runtime.runIfWaitingForDebugger", json!({}));
    }

    fn note_tab(&self, world: &mut World, target: &TargetInfo) {
        if world.tab_mut(&target.target_id).is_some() {
            return;
        }
        let id = format!("t{}", world.tabs.len() + 1);
        let opener = target.opener_id.as_ref();
        let opener = opener.and_then(|o| world.tabs.iter().find(|t| &t.target == o)).map(|t| t.id.clone());
        let by = target.opener_frame_id.as_ref().or(target.opener_id.as_ref());
        let maker = by.map_or_else(|| Some("null".into()), |frame| world.origin_of(frame));
        let tab = TabState {
            maker,
            id: id.clone(),
            target: target.target_id.clone(),
            url: target.url.clone(),
            title: target.title.clone(),
            // A tab that a person opened from an attached one is theirs.
            ours: world.owned || (opener.is_some() && world.recording),
            opener: opener.clone(),
            ..TabState::default()
        };
        world.tabs.push(tab);
        world.opening = None;
        if let Some(opener) = opener {
            world.happened(Event::NewTab { id: id.clone(), url: target.url.clone() });
            world
                .notices
                .push(Notice::new("new_tab", format!("tab {id} was opened by {opener}: handeye tabs switch {id}")));
        }
    }

    fn created(&self, target: &TargetInfo) {
        let mut world = self.shared.world();
        let opened_by_ours = target.opener_id.as_ref().is_some_and(|o| world.tabs.iter().any(|t| &t.target == o));
        // A browser of ours attaches to every page by itself.
        if target.kind == "page" && !world.owned && opened_by_ours {
            self.note_tab(&mut world, target);
            self.connection.tell(
                None,
                "Target.attachToTarget",
                json!({ "targetId": target.target_id, "flatten": true }),
            );
        }
    }

    fn renamed(&self, target: TargetInfo) {
        let mut world = self.shared.world();
        if let Some(tab) = world.tab_mut(&target.target_id) {
            tab.url = target.url;
            tab.title = target.title;
        }
    }

    pub(crate) fn detached(&self, session: &str) {
        let mut world = self.shared.world();
        world.aside.forget(session);
        world.leave_all(session);
        world.dialogs.retain(|_, (by, _)| by != session);
        let target = world.sessions.remove(session);
        world.silenced.remove(session);
        world.paused_checks.remove(session);
        if let Some(target) = target
            && let Some(tab) = world.tab_mut(&target)
            && tab.session.as_deref() == Some(session)
        {
            tab.session = None;
        }
    }

    fn destroyed(&self, target: &str) {
        let mut world = self.shared.world();
        let active = world.active.as_deref() == Some(target);
        let Some(tab) = world.tab_mut(target) else { return };
        tab.closed = true;
        let id = tab.id.clone();
        world.remove_frame(target);
        world.dialogs.remove(target);
        if active {
            world.events.push(Event::Gone { reason: format!("tab {id} was closed") });
        }
        world.touch();
    }

    fn crashed(&self, target: &str) {
        let mut world = self.shared.world();
        let active = world.active.as_deref() == Some(target);
        let Some(tab) = world.tab_mut(target) else { return };
        // It is told of twice, and the second time may come when the way out has already begun.
        if std::mem::replace(&mut tab.crash_told, true) {
            return;
        }
        tab.crashed = true;
        let session = tab.session.clone().unwrap_or_default();
        world.leave_all(&session);
        if active {
            world.events.push(Event::Gone { reason: "the page crashed".into() });
        }
        world.touch();
    }

    fn frame_attached(&self, session: &str, event: FrameEvent) {
        let mut world = self.shared.world();
        let frame = world.frame(&event.frame_id, session);
        frame.parent = event.parent_frame_id;
        world.touch();
    }

    fn frame_detached(&self, event: &FrameEvent) {
        let mut world = self.shared.world();
        // Swapped: the frame lives on in a process of its own, whose session is about to be told.
        if event.reason != "swap" {
            world.remove_frame(&event.frame_id);
        }
        world.touch();
    }

    fn navigated(&self, session: &str, navigated: FrameNavigated) {
        let info = navigated.frame;
        let mut world = self.shared.world();
        let url = format!("{}{}", info.url, info.url_fragment.as_deref().unwrap_or(""));
        let frame = world.frame(&info.id, session);
        let first = frame.loader.is_empty();
        let another = frame.loader != info.loader_id;
        frame.unreachable = info.unreachable_url;
        frame.loader = info.loader_id;
        let was = std::mem::replace(&mut frame.url, url.clone());
        frame.origin = if info.security_origin == "://" { "null".into() } else { info.security_origin };
        if info.parent_id.is_some() {
            frame.parent = info.parent_id;
        } else {
            let origin = frame.origin.clone();
            world.visit(&origin);
        }
        if world.active.as_deref() == Some(info.id.as_str()) {
            if let Some(tab) = world.tab_mut(&info.id) {
                tab.url = url.clone();
                tab.crashed = false;
                tab.crash_told = false;
            }
            world.requests.clear();
            world.arrivals += 1;
            world.arrived(&info.id, url, another, &was);
        } else if !first && world.is_active(&info.id) {
            world.went(&info.id, url);
        }
        world.touch();
    }

    fn navigated_within(&self, event: &FrameEvent) {
        let mut world = self.shared.world();
        if let Some(frame) = world.frames.get_mut(&event.frame_id) {
            frame.url = event.url.clone();
        }
        if world.active.as_deref() == Some(event.frame_id.as_str()) {
            if let Some(tab) = world.tab_mut(&event.frame_id) {
                tab.url = event.url.clone();
            }
            world.went_within(&event.frame_id, event.url.clone());
        }
        world.touch();
    }

    fn loading(&self, frame: &str, method: &str) {
        let mut world = self.shared.world();
        // A requested navigation may yet come to nothing (a download, a 204): only a started load is waited for.
        if method != "Page.frameRequestedNavigation" {
            world.loading.insert(frame.to_owned());
        }
        world.touch();
    }

    fn dialog_opened(&self, session: &str, dialog: DialogOpening) {
        let mut world = self.shared.world();
        let (message, default) = match world.is_unread(&dialog.url) {
            true => ("(withheld: the policy bars reading its origin)".to_owned(), String::new()),
            false => (dialog.message, dialog.default_prompt.unwrap_or_default()),
        };
        let open = OpenDialog { kind: dialog.kind, message, default };
        let Some(target) = world.tab_target(session) else { return };
        if world.active.as_deref() == Some(target.as_str()) {
            world.happened(Event::Dialog { kind: open.kind.clone(), message: open.message.clone() });
        } else if let Some(id) = world.tab_mut(&target).map(|t| t.id.clone()) {
            let message = world.cut(&open.message, 200);
            let text = format!("tab {id} shows {} {message:?}: handeye tabs switch {id}", open.kind);
            world.notices.push(Notice::new("dialog", text));
        }
        world.dialogs.insert(target, (session.to_owned(), open));
        world.touch();
    }

    fn dialog_closed(&self, session: &str) {
        let mut world = self.shared.world();
        if let Some(target) = world.tab_target(session) {
            world.dialogs.remove(&target);
        }
    }

    fn context_created(&self, session: &str, created: ContextCreated) {
        let context = created.context;
        let frame_id = context.aux_data.frame_id;
        if frame_id.is_empty() {
            return;
        }
        let mut world = self.shared.world();
        if context.aux_data.is_default {
            let frame = world.frame(&frame_id, session);
            frame.main_context = Some(context.unique_id);
            frame.main_context_id = context.id;
            frame.opaque = matches!(context.origin.as_str(), "" | "null" | "://");
            return;
        }
        if context.name != WORLD {
            return;
        }
        world.enter(&frame_id, session, &context.unique_id, context.id);
        // A document of ours starts denying; while a gesture is under way it goes on doing so.
        if world.owned && !world.gesture {
            release(&self.connection, session, &context.unique_id);
        }
        if world.gesture && !world.owned {
            let params = json!({ "functionDeclaration": "() => globalThis.handeye?.deny()", "uniqueContextId": context.unique_id });
            self.connection.tell(Some(session), "Runtime.callFunctionOn", params);
        }
        if world.recording {
            let watch = json!({ "functionDeclaration": "() => globalThis.handeye?.watch(true)", "uniqueContextId": context.unique_id });
            self.connection.tell(Some(session), "Runtime.callFunctionOn", watch);
        }
        world.touch();
    }

    /// An event of a gesture has stopped before a listener: the page script judges it.
    fn paused(&self, session: &str, paused: &Paused) {
        let contexts = self.shared.world().paused_checks.get(session).cloned().unwrap_or_default();
        // A page may stop itself, by a statement of its own.
        if contexts.is_empty() || paused.reason != "EventListener" {
            self.connection.tell(Some(session), "Debugger.resume", json!({}));
            return;
        }
        // An event that no document knows can't be judged, and isn't let through.
        let left = Arc::new(Mutex::new((contexts.len(), PausedCheck { seen: false, pass: true })));
        for context in contexts {
            let (left, connection, session_id) = (left.clone(), self.connection.clone(), session.to_owned());
            let params = json!({
                "expression": "handeye.checkPaused()",
                "uniqueContextId": context, "returnByValue": true, "silent": true,
            });
            self.connection.then(Some(session), "Runtime.evaluate", params, move |reply| {
                let evaluated = reply.ok().and_then(|raw| read::<Evaluated>("Runtime.evaluate", &raw).ok());
                // A document that has left since knows of no event.
                let check = evaluated.and_then(|e| e.result.value).and_then(|v| parse::<PausedCheck>(v.get()).ok());
                let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                left.0 -= 1;
                if let Some(check) = check.filter(|check| check.seen) {
                    left.1.seen = true;
                    left.1.pass &= check.pass;
                }
                if left.0 == 0 {
                    let terminate = !(left.1.seen && left.1.pass);
                    connection.tell(Some(&session_id), "Debugger.resume", json!({ "terminateOnResume": terminate }));
                }
            });
        }
    }
}

/// Lets a document of ours take input.
pub(crate) fn release(connection: &Connection, session: &str, context: &str) {
    let params = json!({ "functionDeclaration": "() => globalThis.handeye?.release()", "uniqueContextId": context });
    connection.tell(Some(session), "Runtime.callFunctionOn", params);
}

fn note_tree(world: &mut World, session: &str, tree: FrameTree) {
    let info = tree.frame;
    let frame = world.frame(&info.id, session);
    frame.loader = info.loader_id;
    frame.url = format!("{}{}", info.url, info.url_fragment.as_deref().unwrap_or(""));
    frame.origin = if info.security_origin == "://" { "null".into() } else { info.security_origin };
    if info.parent_id.is_some() {
        frame.parent = info.parent_id;
    }
    for child in tree.child_frames {
        note_tree(world, session, child);
    }
}
