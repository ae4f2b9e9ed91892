//! What the browser tells, applied to the [`Model`] in the order of arrival.

use super::sessions::Sessions;
use super::{clipboard, console, contexts, dialogs, downloads, frames, paused, requests, signals};
use crate::cdp::link::Link;
use crate::cdp::transport::{Handler, Incoming};
use crate::model::Model;
use crate::protocol::json::parse;
use crate::protocol::{
    Attached, AuthRequired, BindingCalled, Chosen, ConsoleCalled, ContextCreated, ContextDestroyed, DialogOpening,
    Download, ExceptionThrown, Finished, FrameEvent, FrameNavigated, LogAdded, Named, Paused, Received, RequestEvent,
    RequestPaused, RequestSent, SocketEvent, TargetChanged, WindowOpened,
};
use handeye_scene::Event;
use serde_json::Value;
use std::sync::MutexGuard;

/// Applies events.
#[derive(Clone)]
pub(crate) struct Events {
    sessions: Sessions,
}

impl Handler for Events {
    fn event(&mut self, event: Incoming<'_>) {
        self.apply(event.session.unwrap_or_default(), event.method, event.params);
        self.sessions.link.shared.bump();
    }

    fn lost(&mut self, reason: &str) {
        self.model().browser.lost = Some(reason.to_owned());
        self.sessions.link.shared.bump();
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
    pub(crate) fn new(link: &Link) -> Self {
        Self { sessions: Sessions { link: link.clone() } }
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        self.sessions.link.model()
    }

    fn apply(&mut self, session: &str, method: &str, params: &str) {
        if self.model().clipboard.is_at(session) {
            return self.apply_to_clipboard(session, method, params);
        }
        match method {
            "Target.attachedToTarget" => reading!(params, Attached, |a| self.sessions.attached_by(session, a)),
            "Target.detachedFromTarget" => reading!(params, Named, |n| self.sessions.detached(&n.session_id)),
            "Target.targetCreated" => reading!(params, TargetChanged, |t| self.sessions.created(&t.target_info)),
            "Target.targetInfoChanged" => {
                reading!(params, TargetChanged, |t| frames::renamed(&mut self.model(), t.target_info))
            }
            "Target.targetDestroyed" => reading!(params, Named, |n| frames::destroyed(&mut self.model(), &n.target_id)),
            "Target.targetCrashed" => reading!(params, Named, |n| frames::crashed(&mut self.model(), &n.target_id)),
            "Inspector.targetCrashed" => {
                let target = self.model().pages.sessions.get(session).cloned().unwrap_or_default();
                frames::crashed(&mut self.model(), &target);
                self.model().document_crashed(session, &target);
            }
            "Page.frameAttached" => {
                reading!(params, FrameEvent, |f| frames::frame_attached(&mut self.model(), session, f))
            }
            "Page.frameDetached" => reading!(params, FrameEvent, |f| frames::frame_detached(&mut self.model(), &f)),
            "Page.frameNavigated" => reading!(params, FrameNavigated, |f| {
                self.sessions.gate().came(session, &f.frame);
                frames::navigated(&mut self.model(), session, f);
            }),
            "Page.documentOpened" => reading!(params, FrameNavigated, |f| {
                self.sessions.gate().came(session, &f.frame);
                self.model().pages.reopened(&f.frame.id);
            }),
            "Page.navigatedWithinDocument" => {
                reading!(params, FrameEvent, |f| frames::navigated_within(&mut self.model(), &f))
            }
            "Page.frameStartedLoading" | "Page.frameStartedNavigating" | "Page.frameRequestedNavigation" => {
                reading!(params, FrameEvent, |f| frames::loading(&mut self.model(), &f.frame_id, method));
            }
            "Page.frameStoppedLoading" | "Page.frameClearedScheduledNavigation" => {
                reading!(params, FrameEvent, |f| {
                    let mut model = self.model();
                    model.pages.loading.remove(&f.frame_id);
                    model.touch();
                });
            }
            "Page.javascriptDialogOpening" => {
                reading!(params, DialogOpening, |d| dialogs::opened(&mut self.model(), session, d))
            }
            "Page.javascriptDialogClosed" => dialogs::closed(&mut self.model(), session),
            "Page.windowOpen" => reading!(params, WindowOpened, |w| frames::window_opened(&mut self.model(), w.url)),
            "Page.fileChooserOpened" => reading!(params, Chosen, |c| {
                let mut model = self.model();
                downloads::chooser_opened(&mut model, session, &c);
                model.gesture.events.push(Event::FileChooser);
            }),
            "Runtime.executionContextCreated" => {
                reading!(params, ContextCreated, |c| contexts::created(&self.sessions.link, session, c))
            }
            "Runtime.executionContextDestroyed" => {
                reading!(params, ContextDestroyed, |c| self.model().pages.leave(&c.execution_context_unique_id));
            }
            "Runtime.executionContextsCleared" => self.model().pages.leave_all(session),
            "Runtime.bindingCalled" => {
                reading!(params, BindingCalled, |b| signals::signalled(&mut self.model(), session, &b))
            }
            "Runtime.consoleAPICalled" => {
                reading!(params, ConsoleCalled, |c| console::called(&mut self.model(), session, c));
            }
            "Runtime.exceptionThrown" => {
                reading!(params, ExceptionThrown, |e| console::thrown(&mut self.model(), session, e));
            }
            "Log.entryAdded" => reading!(params, LogAdded, |l| console::logged(&mut self.model(), session, l)),
            "Network.requestWillBeSent" => {
                reading!(params, RequestSent, |r| requests::sent(&mut self.model(), session, r))
            }
            "Network.webSocketCreated" => {
                reading!(params, SocketEvent, |e| requests::socket(&mut self.model(), session, &e))
            }
            "Network.webSocketFrameSent" => {
                reading!(params, SocketEvent, |e| requests::socket(&mut self.model(), session, &e))
            }
            "Network.responseReceived" => {
                reading!(params, RequestEvent, |r| requests::responded(&mut self.model(), session, &r))
            }
            "Network.requestServedFromCache" => {
                reading!(params, RequestEvent, |r| self.model().network.log.cached(session, &r.request_id));
            }
            "Network.dataReceived" => reading!(params, Received, |r| self.model().network.log.received(session, &r)),
            "Network.loadingFinished" | "Network.loadingFailed" => {
                reading!(params, Finished, |r| requests::finished(&mut self.model(), session, r));
            }
            "Browser.downloadWillBegin" => reading!(params, Download, |d| downloads::began(&mut self.model(), d)),
            "Browser.downloadProgress" => reading!(params, Download, |d| downloads::went_on(&mut self.model(), d)),
            "Debugger.paused" => reading!(params, Paused, |p| paused::paused(&self.sessions.link, session, &p)),
            "Fetch.authRequired" => reading!(params, AuthRequired, |a| {
                let answer = self.model().network.intercept.answer(&a);
                self.sessions.link.connection.notify(Some(session), "Fetch.continueWithAuth", answer);
            }),
            "Fetch.requestPaused" => reading!(params, RequestPaused, |r| self.sessions.gate().paused(session, r)),
            "Input.dragIntercepted" => {
                reading!(params, Value, |v| self.model().gesture.drag = v.get("data").cloned());
            }
            _ => {}
        }
    }
    /// What the tab tells that is told of the clipboard: nothing of it is any page's.
    fn apply_to_clipboard(&self, session: &str, method: &str, params: &str) {
        match method {
            "Runtime.bindingCalled" => {
                reading!(params, BindingCalled, |b| clipboard::told(&self.sessions.link, &b))
            }
            "Fetch.requestPaused" => reading!(params, RequestPaused, |r| self.sessions.gate().paused(session, r)),
            _ => {}
        }
    }
}
