//! Sessions: what the browser attaches us to, and everything that a session needs before its first script runs.

use super::emulation_calls;
use crate::cdp::link::Link;
use crate::cdp::transport::{Connection, read};
use crate::egress::bounds::{Gate, inner_targets};
use crate::model::Model;
use crate::model::hidden_tab::HiddenTab;
use crate::model::network_log::BODIES;
use crate::model::pages::TabState;
use crate::page::{OWN_SCHEMES, SIGNAL, WORLD, script};
use crate::protocol::{Attached, FrameTree, FrameTreeReply, TargetInfo};
use handeye_scene::{Emulation, Event, Notice};
use serde_json::{Value, json};
use std::time::Instant;

/// Takes what the browser attaches us to.
#[derive(Clone)]
pub(crate) struct Sessions {
    pub(crate) link: Link,
}

impl Sessions {
    pub(crate) fn gate(&self) -> Gate {
        Gate::new(&self.link)
    }

    /// The browser has attached us to a target, as it was asked to itself.
    pub(crate) fn attached(&self, attached: Attached) {
        self.attached_by("", attached);
    }

    /// The browser has attached us to a target, as a session asked it to; none stands for the browser's own.
    pub(crate) fn attached_by(&self, by: &str, attached: Attached) {
        if self.is_clipboard_tab(&attached) {
            return;
        }
        let Some(attached) = self.not_hidden_tab(attached) else { return };
        let Attached { session_id: session, target_info: target, waiting_for_debugger: waiting } = attached;
        let connection = &self.link.connection;
        match target.kind.as_str() {
            "page" if self.is_second_session(&target.target_id) => return,
            "page" if waiting && self.is_for_another_program(&target) => {
                connection.notify(None, "Target.closeTarget", json!({ "targetId": target.target_id }));
                // It may share its process with the page that opened it, which waits as long as it does.
                return connection.notify(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
            }
            "page" => {
                let mut model = self.link.model();
                model.pages.sessions.insert(session.clone(), target.target_id.clone());
                self.note_tab(&mut model, &target);
                if let Some(tab) = model.pages.tab_mut(&target.target_id) {
                    tab.session = Some(session.clone());
                }
                model.pages.frame(&target.target_id, &session);
            }
            "iframe" => {
                let mut model = self.link.model();
                model.pages.sessions.insert(session.clone(), target.target_id.clone());
                let frame = model.pages.frame(&target.target_id, &session);
                frame.url = target.url.clone();
                frame.parent = target.parent_frame_id.clone().or_else(|| frame.parent.take());
            }
            "worker" | "shared_worker" | "service_worker" if self.link.model().network.intercept.holds_all() => {
                return self.gate().hold_worker(&session);
            }
            _ => {
                connection.notify(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
                let by = Some(by).filter(|by| !by.is_empty());
                connection.notify(by, "Target.detachFromTarget", json!({ "sessionId": session }));
                return;
            }
        }
        let popup = waiting && target.kind == "page" && target.opener_id.is_some();
        self.set_up(&session, target.kind == "page", popup);
    }

    /// Whether it is the tab that is told of the clipboard.
    fn is_clipboard_tab(&self, attached: &Attached) -> bool {
        let clipboard = &mut self.link.model().clipboard;
        let is_it = clipboard.is_tab(&attached.target_info.target_id);
        if is_it {
            clipboard.session = Some(attached.session_id.clone());
            self.link.connection.notify(Some(&attached.session_id), "Runtime.runIfWaitingForDebugger", json!({}));
        }
        is_it
    }

    /// Whether it is the second session of a tab, which was asked for and isn't looked at.
    fn is_second_session(&self, target: &str) -> bool {
        let mut model = self.link.model();
        let known = model.pages.tab_mut(target).is_some_and(|tab| tab.session.is_some());
        known && model.targets.second_session.take_if(|wanted| wanted == target).is_some()
    }

    /// Whether a window was opened for no more than an address that another program takes. That it was asked for is told.
    fn is_for_another_program(&self, target: &TargetInfo) -> bool {
        let mut model = self.link.model();
        let is_opened = target.opener_id.as_ref().is_some_and(|o| model.pages.tabs.iter().any(|t| &t.target == o));
        if !is_opened {
            return false;
        }
        let asked = model.targets.windows.came(&target.url, Instant::now());
        let Some(url) = asked.filter(|url| is_external(url)) else { return false };
        model.targets.opening = None;
        model.happened(Event::NewTab { id: String::new(), url });
        let text = "a tab was opened for another program's address, and was closed: nobody could answer its dialog";
        model.reports.notices.push(Notice::new("new_tab", text));
        true
    }

    /// What we were attached to, unless it is the hidden tab. What may be it waits, before its first script, until the browser
    /// has said which target that is: news of a target comes before the answer that names it, and a page may open a tab that
    /// has no opener in between.
    pub(crate) fn not_hidden_tab(&self, attached: Attached) -> Option<Attached> {
        let target = &attached.target_info;
        if !matches!(target.kind.as_str(), "page" | "other") {
            return Some(attached);
        }
        let mut model = self.link.model();
        match &mut model.targets.hidden_tab {
            HiddenTab::Wanted(_, waiting) if target.opener_id.is_none() => {
                waiting.push(attached);
                None
            }
            HiddenTab::Named(named) if *named == target.target_id => {
                model.targets.hidden_tab = HiddenTab::There(attached.session_id.clone(), target.target_id.clone());
                self.link.connection.notify(Some(&attached.session_id), "Runtime.runIfWaitingForDebugger", json!({}));
                None
            }
            // Once is enough.
            HiddenTab::There(_, own) if *own == target.target_id => {
                self.link.connection.notify(
                    None,
                    "Target.detachFromTarget",
                    json!({ "sessionId": attached.session_id }),
                );
                None
            }
            _ => Some(attached),
        }
    }

    /// Everything a session needs before its first script runs; sent in one go, in order.
    fn set_up(&self, session: &str, page: bool, popup: bool) {
        let tell = |method, params: Value| self.link.connection.notify(Some(session), method, params);
        tell("Page.enable", json!({}));
        let (shared, gate) = (self.link.shared.clone(), self.gate());
        let own = session.to_owned();
        self.link.connection.then(Some(session), "Page.getFrameTree", json!({}), move |reply| {
            let Ok(raw) = reply else { return };
            let Ok(tree) = read::<FrameTreeReply>("Page.getFrameTree", &raw) else { return };
            gate.shown_all(&own, &tree.frame_tree);
            note_tree(&mut shared.model(), &own, tree.frame_tree);
            shared.bump();
        });
        let (owned, has_all) = {
            let browser = &self.link.model().browser;
            (browser.owned, browser.has_all_tabs())
        };
        tell("Runtime.enable", json!({}));
        tell("Runtime.addBinding", json!({ "name": SIGNAL, "executionContextName": WORLD }));
        tell(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": script(owned), "worldName": WORLD, "runImmediately": true }),
        );
        tell("Network.enable", json!({ "maxTotalBufferSize": BODIES.0, "maxResourceBufferSize": BODIES.1 }));
        tell("Log.enable", json!({}));
        let (emulation, viewport) = {
            let model = self.link.model();
            (model.emulation.emulation.clone(), model.emulation.viewport)
        };
        if emulation != Emulation::default() {
            let calls = emulation_calls::calls(&Emulation::default(), &emulation, page, viewport);
            calls.into_iter().for_each(|(method, params)| tell(method, params));
        }
        self.gate().set_up().into_iter().for_each(|(method, params)| tell(method, params));
        if self.link.model().network.intercept.is_on() {
            let calls = self.link.model().network.intercept.calls();
            calls.into_iter().for_each(|(method, params)| tell(method, params));
        }
        tell("Inspector.enable", json!({}));
        // Its counts of style and layout tell whether a look at the page still holds.
        tell("Performance.enable", json!({}));
        self.attach_inside(session);
        if page && owned {
            tell("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
        }
        if page && has_all {
            tell("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
            if let Some((width, height)) = viewport.filter(|_| emulation.viewport.is_none()) {
                let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 0, "mobile": false });
                tell("Emulation.setDeviceMetricsOverride", metrics);
            }
        }
        if popup {
            self.gate().silence(session);
        }
        tell("Runtime.runIfWaitingForDebugger", json!({}));
    }

    /// Has the browser attach us to what has a process of its own inside. Asked for once: as it is asked for again, here or by
    /// another program in the same page, each frame whose document comes just then stays empty for good (Chromium 156).
    fn attach_inside(&self, session: &str) {
        let (shared, session) = (self.link.shared.clone(), session.to_owned());
        self.link.connection.then(Some(&session.clone()), "Target.setAutoAttach", inner_targets(), move |_| {
            // Refused, too: then no more will be told.
            let mut model = shared.model();
            let tab = model.pages.tabs.iter_mut().find(|tab| tab.session.as_deref() == Some(&session));
            if let Some(tab) = tab {
                tab.frames_told = true;
            }
            drop(model);
            shared.bump();
        });
    }

    fn note_tab(&self, model: &mut Model, target: &TargetInfo) {
        if model.pages.tab_mut(&target.target_id).is_some() {
            return;
        }
        let id = format!("t{}", model.pages.tabs.len() + 1);
        let opener = target.opener_id.as_ref();
        let opener = opener.and_then(|o| model.pages.tabs.iter().find(|t| &t.target == o)).map(|t| t.id.clone());
        let by = target.opener_frame_id.as_ref().or(target.opener_id.as_ref());
        let maker = by.map_or_else(|| Some("null".into()), |frame| model.pages.origin_of(frame));
        let tab = TabState {
            maker,
            id: id.clone(),
            target: target.target_id.clone(),
            url: target.url.clone(),
            title: target.title.clone(),
            // A tab that a person opened from an attached one is theirs.
            ours: model.browser.has_all_tabs() || (opener.is_some() && model.gesture.recording),
            opener: opener.clone(),
            ..TabState::default()
        };
        model.pages.tabs.push(tab);
        // A browser that isn't ours doesn't hold it until we are there: what it asks for is over by then.
        let is_seen = opener.is_some() && model.browser.owned;
        let opening = model.targets.opening.take().filter(|_| is_seen);
        model.targets.opening = opening.and_then(|opening| opening.came(&target.target_id, Instant::now()));
        if let Some(opener) = opener {
            model.happened(Event::NewTab { id: id.clone(), url: target.url.clone() });
            let notice = Notice::new("new_tab", format!("tab {id} was opened by {opener}"));
            model.reports.notices.push(notice.hint(format!("handeye tabs switch {id}")));
        }
    }

    pub(super) fn created(&self, target: &TargetInfo) {
        let mut model = self.link.model();
        let opened_by_ours = target.opener_id.as_ref().is_some_and(|o| model.pages.tabs.iter().any(|t| &t.target == o));
        let in_our_context = model.browser.context.is_some() && model.browser.context == target.browser_context_id;
        if in_our_context && target.opener_id.is_none() {
            match &model.targets.hidden_tab {
                // Told again once the browser has said which one the hidden tab is.
                HiddenTab::Wanted(..) => return model.targets.untold.push(target.clone()),
                HiddenTab::Named(own) | HiddenTab::There(_, own) if *own == target.target_id => return,
                _ => {}
            }
        }
        // A browser of ours attaches to every page by itself.
        let ours = opened_by_ours || in_our_context;
        if target.kind == "page" && !model.browser.owned && ours {
            self.note_tab(&mut model, target);
            self.link.connection.notify(
                None,
                "Target.attachToTarget",
                json!({ "targetId": target.target_id, "flatten": true }),
            );
        }
    }

    pub(super) fn detached(&self, session: &str) {
        let mut model = self.link.model();
        model.targets.hidden_tab.forget(session);
        model.clipboard.forget(session);
        model.pages.leave_all(session);
        model.pages.dialogs.retain(|_, (by, _)| by != session);
        let target = model.pages.sessions.remove(session);
        model.targets.silenced.remove(session);
        model.guard.paused_checks.remove(session);
        if let Some(target) = target
            && let Some(tab) = model.pages.tab_mut(&target)
            && tab.session.as_deref() == Some(session)
        {
            tab.session = None;
        }
    }
}

/// Lets a document of ours take input.
pub(crate) fn release(connection: &Connection, session: &str, context: &str) {
    let params = json!({ "functionDeclaration": "() => globalThis.handeye?.release()", "uniqueContextId": context });
    connection.notify(Some(session), "Runtime.callFunctionOn", params);
}

fn note_tree(model: &mut Model, session: &str, tree: FrameTree) {
    let info = tree.frame;
    let frame = model.pages.frame(&info.id, session);
    frame.loader = info.loader_id;
    frame.url = format!("{}{}", info.url, info.url_fragment.as_deref().unwrap_or(""));
    frame.origin = if info.security_origin == "://" { "null".into() } else { info.security_origin };
    if info.parent_id.is_some() {
        frame.parent = info.parent_id;
    }
    for child in tree.child_frames {
        note_tree(model, session, child);
    }
}

/// Whether an address is for another program: a browser without a person before it would ask in a dialog that nobody answers. The
/// page's script stops them in windows that are there (`page/changes/external.js`).
fn is_external(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase()).unwrap_or_default();
    !scheme.is_empty() && !OWN_SCHEMES.contains(&&*scheme)
}
