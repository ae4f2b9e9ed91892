//! What pages ask the network for: what is waited for, and what a gesture is seen to bring.

use super::faults;
use crate::model::{Mark, Model};
use crate::protocol::{Finished, Request, RequestEvent, RequestSent, SocketEvent, StackTrace};
use handeye_scene::Event;
use std::time::Instant;

/// The browser's word for what leaves a page as it is: a download, an answer without a document.
const BROKEN_OFF: &str = "net::ERR_ABORTED";

/// Most sockets that are known by their addresses.
const SOCKETS: usize = 200;

pub(super) fn sent(model: &mut Model, session: &str, sent: RequestSent) {
    let tab = model.pages.tab_of(session);
    let mask = model.policy.mask.clone();
    model.network.log.sent(tab, session, &sent, &mask);
    if sent.kind == "Document" {
        note_asked(model, &sent);
    }
    let ours = sent.frame_id.as_ref().is_none_or(|f| model.pages.is_active(f) && !model.navigates_itself(f));
    if !ours {
        if let Some(tab) = sent.frame_id.as_ref().filter(|f| sent.kind == "Document" && model.has_opened(f)) {
            // Where nothing answers there, that is what the gesture came to.
            model.targets.asks(tab);
            model.network.pending.insert(sent.request_id.clone(), Instant::now());
            model.network.opened = Some((sent.request_id, sent.request.method, sent.request.url));
        }
        return;
    }
    // Pictures belong to what is shown, unless a script asks for one. That is done once the script has run, so that no more is
    // known of it than that the parser doesn't ask; nor is it of one that a style sheet asks for as a rule comes to hold.
    let by_script = sent.initiator.kind != "parser" && matches!(sent.kind.as_str(), "Image" | "Media");
    let told = by_script || matches!(sent.kind.as_str(), "XHR" | "Fetch" | "Ping" | "EventSource");
    let Request { method, url, .. } = sent.request;
    if told {
        model.happened(Event::Requested { method, url });
    } else if sent.kind == "Document" {
        note_led(model, session, sent.frame_id.as_deref(), sent.initiator.stack);
        model.network.document = Some((sent.request_id.clone(), method, url));
    }
    let awaited = matches!(sent.kind.as_str(), "Document" | "XHR" | "Fetch" | "Script");
    if awaited {
        model.network.pending.insert(sent.request_id, Instant::now());
    }
    if told || awaited {
        model.touch();
    }
}

/// When a frame began to go elsewhere: a redirect goes on with what was begun.
fn note_asked(model: &mut Model, sent: &RequestSent) {
    let of_frame = sent.frame_id.as_ref().and_then(|id| model.pages.frames.get_mut(id));
    if of_frame.as_ref().is_none_or(|frame| frame.parent.is_none()) {
        model.pages.documents.asked(&sent.request_id, &sent.request.method, &sent.request.url);
    }
    let Some(frame) = of_frame else { return };
    if frame.asked.as_ref().is_none_or(|(loader, _)| *loader != sent.request_id) {
        frame.asked = Some((sent.request_id.clone(), Instant::now()));
        frame.in_vain = false;
    }
}

/// A script takes a frame inside the page elsewhere that the gesture isn't aimed at.
fn note_led(model: &mut Model, session: &str, frame: Option<&str>, stack: Option<StackTrace>) {
    let (Some(frame), Some(stack)) = (frame, stack) else { return };
    let is_inside = model.pages.active.as_deref() != Some(frame) && model.pages.frames.contains_key(frame);
    if is_inside && !model.is_aimed_in(frame) {
        model.gesture.moved.led = true;
        model.mark(Mark { session: session.to_owned(), stack, own: true });
    }
}

/// A WebSocket was opened, or a message sent by one: of a gesture once for each.
pub(super) fn socket(model: &mut Model, session: &str, event: &SocketEvent) {
    let method = if event.url.is_empty() { "WebSocket message to" } else { "WebSocket" };
    if !event.url.is_empty() {
        if model.network.sockets.len() >= SOCKETS {
            model.network.sockets.clear();
        }
        model.network.sockets.insert(event.request_id.clone(), event.url.clone());
    }
    let active = model
        .pages
        .active
        .clone()
        .and_then(|frame| model.pages.tabs.iter().find(|t| t.target == frame))
        .map(|t| t.id.clone());
    if active != Some(model.pages.tab_of(session)) {
        return;
    }
    let url = model.network.sockets.get(&event.request_id).cloned().unwrap_or_default();
    let asked = Event::Requested { method: method.into(), url };
    if !model.gesture.events.contains(&asked) {
        model.happened(asked);
        model.touch();
    }
}

pub(super) fn responded(model: &mut Model, session: &str, event: &RequestEvent) {
    model.network.log.responded(session, event);
    faults::note_failure(model, session, &event.request_id);
    let frame = event.frame_id.as_ref().and_then(|id| model.pages.frames.get(id));
    if event.kind == "Document"
        && frame.is_none_or(|f| f.parent.is_none())
        && let Some(response) = &event.response
    {
        model.pages.documents.answered(&event.loader_id, response.status);
    }
}

/// A request was answered whole, or failed.
pub(super) fn finished(model: &mut Model, session: &str, finished: Finished) {
    model.network.log.finished(session, &finished);
    if !finished.error_text.is_empty() {
        faults::note_failure(model, session, &finished.request_id);
    }
    if finished.kind == "Document" && !finished.error_text.is_empty() {
        model.pages.asked_in_vain(&finished.request_id);
        let is_it = |asked: &mut (String, String, String)| asked.0 == finished.request_id;
        let opened = model.network.opened.take_if(is_it);
        if opened.is_some() {
            model.targets.fails(finished.error_text == BROKEN_OFF, Instant::now());
        }
        let asked = model.network.document.take_if(is_it).or(opened);
        // An answer without a document, such as 204, leaves the page where it is: all the same it was asked for.
        if let Some((_, method, url)) = asked {
            model.happened(Event::Requested { method, url });
        }
        model.network.failure = Some(finished.error_text);
    }
    if model.network.pending.remove(&finished.request_id).is_some() {
        model.touch();
    }
}
