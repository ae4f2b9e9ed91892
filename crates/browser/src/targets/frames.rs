//! Tabs and frames: where they go, and that they come and go.

use crate::model::Model;
use crate::model::windows_asked::Opening;
use crate::protocol::{FrameEvent, FrameNavigated, TargetInfo};
use handeye_scene::{Event, Notice};
use std::time::Instant;

pub(super) fn renamed(model: &mut Model, target: TargetInfo) {
    if let Some(tab) = model.pages.tab_mut(&target.target_id) {
        tab.url = target.url;
        tab.title = target.title;
    }
}

pub(super) fn destroyed(model: &mut Model, target: &str) {
    let active = model.pages.active.as_deref() == Some(target);
    let Some(tab) = model.pages.tab_mut(target) else { return };
    tab.closed = true;
    let id = tab.id.clone();
    model.remove_frame(target);
    model.targets.loads(target);
    model.pages.dialogs.remove(target);
    if active {
        model.gesture.events.push(Event::Gone { reason: format!("tab {id} was closed") });
    }
    model.touch();
}

/// A page opens a window. Of a tab that is lent nobody will tell us of the new one: it isn't lent.
pub(super) fn window_opened(model: &mut Model, url: String) {
    if model.browser.lent {
        model.happened(Event::NewTab { id: String::new(), url });
        let text = "a tab was opened that isn't lent: whoever lent this one can lend that one in its place";
        model.reports.notices.push(Notice::new("new_tab", text));
    } else {
        let now = Instant::now();
        if model.browser.owned {
            model.targets.windows.note(url.clone(), now);
        }
        model.targets.opening = Some(Opening::asked(url, now));
    }
    model.touch();
}

pub(super) fn crashed(model: &mut Model, target: &str) {
    let active = model.pages.active.as_deref() == Some(target);
    let Some(tab) = model.pages.tab_mut(target) else { return };
    // It is told of twice, and the second time may come when the way out has already begun.
    if std::mem::replace(&mut tab.crash_told, true) {
        return;
    }
    tab.crashed = true;
    let session = tab.session.clone().unwrap_or_default();
    model.pages.leave_all(&session);
    if active {
        model.gesture.events.push(Event::Gone { reason: "the page crashed".into() });
    }
    model.touch();
}

pub(super) fn frame_attached(model: &mut Model, session: &str, event: FrameEvent) {
    let frame = model.pages.frame(&event.frame_id, session);
    frame.parent = event.parent_frame_id;
    model.touch();
}

pub(super) fn frame_detached(model: &mut Model, event: &FrameEvent) {
    // Swapped: the frame lives on in a process of its own, whose session is about to be told.
    if event.reason != "swap" {
        model.remove_frame(&event.frame_id);
    }
    model.touch();
}

pub(super) fn navigated(model: &mut Model, session: &str, navigated: FrameNavigated) {
    let info = navigated.frame;
    let url = format!("{}{}", info.url, info.url_fragment.as_deref().unwrap_or(""));
    let frame = model.pages.frame(&info.id, session);
    let first = frame.loader.is_empty();
    // A frame that is put into the page only now, such as an advert's, isn't where anything was led.
    let is_led = info.parent_id.is_none() || !first;
    let another = frame.loader != info.loader_id;
    frame.unreachable.clone_from(&info.unreachable_url);
    frame.loader = info.loader_id;
    let was = std::mem::replace(&mut frame.url, url.clone());
    frame.origin = if info.security_origin == "://" { "null".into() } else { info.security_origin };
    if info.parent_id.is_some() {
        frame.parent = info.parent_id;
    } else {
        let origin = frame.origin.clone();
        model.pages.visit(&origin);
    }
    if model.pages.active.as_deref() == Some(info.id.as_str()) {
        if let Some(tab) = model.pages.tab_mut(&info.id) {
            tab.url = url.clone();
            tab.crashed = false;
            tab.crash_told = false;
        }
        model.network.pending.clear();
        model.pages.arrivals += 1;
        model.arrived(&info.id, url, another, &was);
    } else if !first && model.pages.is_active(&info.id) {
        model.went(&info.id, url);
    }
    model.targets.loads(&info.id);
    let is_looked_at = model.pages.is_active(&info.id) || model.has_opened(&info.id);
    if let Some(url) = info.unreachable_url.filter(|_| is_led && is_looked_at) {
        model.happened(Event::Unreachable { url });
    }
    model.touch();
}

pub(super) fn navigated_within(model: &mut Model, event: &FrameEvent) {
    if let Some(frame) = model.pages.frames.get_mut(&event.frame_id) {
        frame.url = event.url.clone();
    }
    if model.pages.active.as_deref() == Some(event.frame_id.as_str()) {
        if let Some(tab) = model.pages.tab_mut(&event.frame_id) {
            tab.url = event.url.clone();
        }
        model.went_within(&event.frame_id, event.url.clone());
    }
    model.touch();
}

pub(super) fn loading(model: &mut Model, frame: &str, method: &str) {
    // A requested navigation may yet come to nothing (a download, a 204): only a started load is waited for.
    if method != "Page.frameRequestedNavigation" {
        model.pages.loading.insert(frame.to_owned());
    }
    model.touch();
}
