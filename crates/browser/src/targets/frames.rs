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
    model.targets.untold.retain(|untold| untold.target_id != target);
    let Some(tab) = model.pages.tab_mut(target) else { return };
    tab.closed = true;
    let id = tab.id.clone();
    model.remove_frame(target);
    model.targets.shows(target);
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
    // What is shown without a request, such as an empty page, takes the place of what was asked for.
    frame.asked.take_if(|(asked, _)| another && *asked != info.loader_id);
    frame.loader = info.loader_id;
    if another {
        frame.came = Some(Instant::now());
    }
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
        model.pages.inner_arrivals += 1;
        model.went(&info.id, url);
    }
    model.targets.shows(&info.id);
    let is_looked_at = model.pages.is_active(&info.id) || model.has_opened(&info.id);
    if let Some(url) = info.unreachable_url.filter(|_| is_led && is_looked_at) {
        model.happened(Event::Unreachable { url });
    }
    model.touch();
}

pub(super) fn navigated_within(model: &mut Model, event: &FrameEvent) {
    // A link to the place of the page that its address names already.
    let is_there = model.pages.frames.get(&event.frame_id).is_some_and(|frame| frame.url == event.url);
    if let Some(frame) = model.pages.frames.get_mut(&event.frame_id) {
        frame.url = event.url.clone();
    }
    note_rewritten(model, event);
    if model.pages.active.as_deref() == Some(event.frame_id.as_str()) {
        if let Some(tab) = model.pages.tab_mut(&event.frame_id) {
            tab.url = event.url.clone();
        }
        model.went_within(&event.frame_id, event.url.clone(), is_there);
    } else if model.pages.is_active(&event.frame_id) {
        model.pages.inner_arrivals += 1;
    }
    model.touch();
}

/// A script has put an address of its own in the history, even the same one: from then on that is what the browser loads again,
/// by GET, whatever the page came from. A step to another place of the page isn't that.
fn note_rewritten(model: &mut Model, event: &FrameEvent) {
    if event.navigation_type != "historyApi" {
        return;
    }
    let loader = model.pages.frames.get(&event.frame_id).map(|frame| frame.loader.clone()).unwrap_or_default();
    model.pages.documents.gets_when_reloaded(&loader);
}

pub(super) fn loading(model: &mut Model, frame: &str, method: &str) {
    // A requested navigation may yet come to nothing (a download, a 204): only a started load is waited for.
    if method == "Page.frameRequestedNavigation" {
        model.gesture.asked_away = true;
    } else {
        model.pages.loading.insert(frame.to_owned());
    }
    model.touch();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::requests;
    use handeye_scene::NativeId;
    use serde_json::json;
    use std::collections::HashSet;

    type Step = fn(&mut Model, &str, &str);

    /// A tab with a frame in it, both of which show a document that was asked for long ago.
    fn page() -> Model {
        let mut model = Model::default();
        model.pages.active = Some("main".into());
        for (frame, number) in [("main", 1), ("ad", 2)] {
            model.pages.frame(frame, "s").parent = (frame == "ad").then(|| "main".into());
            asks(&mut model, frame, "first");
            shows(&mut model, frame, "first");
            model.pages.enter(frame, "s", frame, number);
        }
        model
    }

    fn asks(model: &mut Model, frame: &str, loader: &str) {
        let sent = json!({ "requestId": format!("{frame} {loader}"), "frameId": frame, "type": "Document",
            "request": { "method": "GET", "url": format!("http://a/{loader}") } });
        requests::sent(model, "s", serde_json::from_value(sent).unwrap());
    }

    fn shows(model: &mut Model, frame: &str, loader: &str) {
        let parent = (frame == "ad").then_some("main");
        let told = json!({ "frame": { "id": frame, "parentId": parent, "loaderId": format!("{frame} {loader}"),
            "url": format!("http://a/{loader}"), "securityOrigin": "http://a" } });
        navigated(model, "s", serde_json::from_value(told).unwrap());
    }

    /// What is seen of a gesture, and how many documents are said to change by themselves.
    fn seen(model: &mut Model) -> (Vec<Event>, bool, usize) {
        let itself = model.navigated_itself(&HashSet::new());
        let documents = itself.iter().filter(|id| **id == NativeId::new(id.document(), 0)).count();
        (model.gesture.events.clone(), model.gesture.moved.by_itself, documents)
    }

    #[test]
    fn a_document_is_a_gestures_if_it_was_asked_for_in_it() {
        let url = || "http://a/second".to_owned();
        let led = || Event::Navigated { url: url(), again: false, document: true };
        let itself = |inside| Event::WentItself { url: url(), inside };
        for (frame, asked_before, shown_before, aimed, event, by_itself, looked_before) in [
            ("main", true, true, false, None, false, false),
            ("ad", true, true, false, None, false, false),
            // It came between the look and the gesture.
            ("ad", true, true, false, None, false, true),
            ("main", true, false, false, Some(itself(false)), false, true),
            ("ad", true, false, false, None, true, false),
            ("ad", true, false, true, Some(itself(true)), false, true),
            ("main", false, false, false, Some(led()), false, true),
            ("ad", false, false, false, Some(Event::DocumentNavigated { url: url() }), false, true),
            ("ad", false, false, true, Some(Event::DocumentNavigated { url: url() }), false, false),
        ] {
            let row = format!("{frame}, asked before: {asked_before}, shown before: {shown_before}, aimed: {aimed}");
            let mut model = page();
            let inside = model.pages.frames["ad"].document.unwrap();
            if looked_before {
                model.habits.looks();
            }
            let steps: [(bool, Step); 2] = [(asked_before, asks), (shown_before, shows)];
            for (_, step) in steps.iter().filter(|(before, _)| *before) {
                step(&mut model, frame, "second");
            }
            // A gesture comes no sooner than the clock can tell.
            std::thread::sleep(std::time::Duration::from_millis(2));
            model.begin();
            if aimed {
                model.aim(inside);
            }
            for (_, step) in steps.iter().filter(|(before, _)| !*before) {
                step(&mut model, frame, "second");
            }
            let (mut events, moved, documents) = seen(&mut model);
            events.retain(|e| !matches!(e, Event::Requested { .. }));
            assert_eq!((events, moved), (event.into_iter().collect(), by_itself), "{row}");
            // Of a page all that is in it comes with it.
            let (came, all) = (asked_before && (!shown_before || looked_before), frame == "main");
            assert_eq!(documents > 0, came, "{row}");
            assert_eq!(documents > 1, came && all, "{row}");
        }
    }
}
