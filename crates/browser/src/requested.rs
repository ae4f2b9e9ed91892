//! What pages ask the network for: what is waited for, and what a gesture is seen to bring.

use crate::events::Events;
use crate::protocol::{RequestEvent, RequestSent, SocketEvent};
use handeye_scene::Event;
use std::time::Instant;

/// Most sockets that are known by their addresses.
const SOCKETS: usize = 200;

impl Events {
    pub(crate) fn requested(&self, session: &str, sent: RequestSent) {
        let mut world = self.shared.world();
        let tab = world.tab_of(session);
        let mask = world.mask.clone();
        world.flows.sent(tab, session, &sent, &mask);
        let ours = sent.frame_id.as_ref().is_none_or(|f| world.is_active(f) && !world.roams(f));
        if !ours {
            return;
        }
        // Pictures belong to what is shown, unless a script asks for one.
        let by_script = sent.initiator.kind == "script" && matches!(sent.kind.as_str(), "Image" | "Media");
        let told = by_script || matches!(sent.kind.as_str(), "XHR" | "Fetch" | "Ping" | "EventSource");
        if told {
            world.happened(Event::Requested { method: sent.request.method, url: sent.request.url });
        }
        let awaited = matches!(sent.kind.as_str(), "Document" | "XHR" | "Fetch" | "Script");
        if awaited {
            world.requests.insert(sent.request_id, Instant::now());
        }
        if told || awaited {
            world.touch();
        }
    }

    /// A WebSocket was opened, or a message sent by one: of a gesture once for each.
    pub(crate) fn socket(&self, session: &str, event: &SocketEvent) {
        let mut world = self.shared.world();
        let method = if event.url.is_empty() { "WebSocket message to" } else { "WebSocket" };
        if !event.url.is_empty() {
            if world.sockets.len() >= SOCKETS {
                world.sockets.clear();
            }
            world.sockets.insert(event.request_id.clone(), event.url.clone());
        }
        let active =
            world.active.clone().and_then(|frame| world.tabs.iter().find(|t| t.target == frame)).map(|t| t.id.clone());
        if active != Some(world.tab_of(session)) {
            return;
        }
        let url = world.sockets.get(&event.request_id).cloned().unwrap_or_default();
        let asked = Event::Requested { method: method.into(), url };
        if !world.events.contains(&asked) {
            world.happened(asked);
            world.touch();
        }
    }

    pub(crate) fn responded(&self, session: &str, event: &RequestEvent) {
        let mut world = self.shared.world();
        world.flows.responded(session, event);
        world.note_failure(session, &event.request_id);
        let frame = event.frame_id.as_ref().and_then(|id| world.frames.get(id));
        if event.kind == "Document"
            && frame.is_none_or(|f| f.parent.is_none())
            && let Some(response) = &event.response
        {
            world.documents.answered(&event.loader_id, response.status);
        }
    }
}
