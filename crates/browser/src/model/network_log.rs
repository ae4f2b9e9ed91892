//! Requests of every tab and what became of them, as the browser tells.

use super::ring::Ring;
use super::text::cut;
use crate::protocol::{Finished, Received, RequestEvent, RequestSent, Response};
use handeye_scene::model::activity::REQUESTS;
use handeye_scene::{Header, Mask, NetworkRequest};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Most of what was sent that is kept, bytes.
const SENT: usize = 64 << 10;
/// What the browser keeps of answers for us, bytes: of all in a document's process, and of one.
pub(crate) const BODIES: (u32, u32) = (20 << 20, 5 << 20);

/// One request.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) exchange: NetworkRequest,
    pub(crate) session: String,
    pub(crate) id: String,
    /// When it began, on the browser's own clock, seconds.
    began: f64,
    pub(crate) done: bool,
    pub(crate) given: bool,
}

/// Every request.
pub(crate) struct NetworkLog {
    pub(crate) all: Ring<Entry>,
    by_id: HashMap<(String, String), u64>,
    /// How many were forgotten before they were given, since that was last told.
    pub(crate) lost: u64,
    /// The number of the first that came after the last action began.
    pub(crate) mark: u64,
}

impl Default for NetworkLog {
    fn default() -> Self {
        Self { all: Ring::new(REQUESTS), by_id: HashMap::new(), lost: 0, mark: 0 }
    }
}

impl NetworkLog {
    /// From here on, requests are of a new action.
    pub(crate) fn begin(&mut self) {
        self.mark = self.all.next();
    }

    fn of(&mut self, session: &str, id: &str) -> Option<&mut Entry> {
        let number = *self.by_id.get(&(session.to_owned(), id.to_owned()))?;
        self.all.get_mut(number)
    }

    /// A request, and whether it was sent since the last action began.
    pub(crate) fn told(&self, session: &str, id: &str) -> Option<(&NetworkRequest, bool)> {
        let number = *self.by_id.get(&(session.to_owned(), id.to_owned()))?;
        Some((&self.all.get(number)?.exchange, number >= self.mark))
    }

    pub(crate) fn sent(&mut self, tab: String, session: &str, sent: &RequestSent, mask: &Mask) {
        if let Some(redirect) = &sent.redirect_response
            && let Some(entry) = self.of(session, &sent.request_id)
        {
            entry.answer(redirect, sent.timestamp);
            entry.end(sent.timestamp, redirect.encoded_data_length);
        }
        if sent.request.url.starts_with("data:") {
            return;
        }
        let body = sent.request.post_data.as_ref().map(|b| cut(&mask.of(b), SENT));
        let exchange = NetworkRequest {
            number: self.all.next() + 1,
            tab,
            time: sent.wall_time * 1000.0,
            method: sent.request.method.clone(),
            url: sent.request.url.clone(),
            document: sent.document_url.clone(),
            kind: sent.kind.to_lowercase(),
            request_headers: headers(&sent.request.headers),
            sent: body,
            ..NetworkRequest::default()
        };
        let (session, id) = (session.to_owned(), sent.request_id.clone());
        let entry = Entry {
            exchange,
            session: session.clone(),
            id: id.clone(),
            began: sent.timestamp,
            done: false,
            given: false,
        };
        self.lost += u64::from(self.all.going().is_some_and(|going| !going.given));
        let number = self.all.push(entry);
        self.by_id.insert((session, id), number);
        // What was forgotten needs no finding.
        if self.by_id.len() > 2 * REQUESTS {
            let first = self.all.first();
            self.by_id.retain(|_, number| *number >= first);
        }
    }

    pub(crate) fn responded(&mut self, session: &str, event: &RequestEvent) {
        if let Some(entry) = self.of(session, &event.request_id)
            && let Some(response) = &event.response
        {
            entry.answer(response, event.timestamp);
        }
    }

    pub(crate) fn cached(&mut self, session: &str, id: &str) {
        if let Some(entry) = self.of(session, id) {
            entry.exchange.cached = true;
        }
    }

    pub(crate) fn received(&mut self, session: &str, event: &Received) {
        if let Some(entry) = self.of(session, &event.request_id) {
            let more = event.data_length.max(0.0) as u64;
            entry.exchange.unpacked = entry.exchange.unpacked.saturating_add(more);
        }
    }

    pub(crate) fn finished(&mut self, session: &str, event: &Finished) {
        let Some(entry) = self.of(session, &event.request_id) else { return };
        if !event.error_text.is_empty() {
            let blocked = event.blocked_reason.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
            entry.exchange.failure = Some(format!("{}{blocked}", event.error_text));
        }
        entry.end(event.timestamp, event.encoded_data_length);
    }
}

impl Entry {
    fn answer(&mut self, response: &Response, timestamp: f64) {
        let exchange = &mut self.exchange;
        exchange.status = Some(response.status);
        exchange.status_text = response.status_text.clone();
        exchange.protocol = response.protocol.clone();
        exchange.mime = response.mime_type.clone();
        exchange.response_headers = headers(&response.headers);
        exchange.server = response.remote_ip_address.clone();
        exchange.cached |= response.from_disk_cache;
        exchange.waited_ms = Some((timestamp - self.began) * 1000.0);
    }

    fn end(&mut self, timestamp: f64, bytes: f64) {
        self.done = true;
        self.exchange.bytes = bytes.max(0.0) as u64;
        self.exchange.took_ms = Some((timestamp - self.began) * 1000.0);
    }
}

fn headers(given: &BTreeMap<String, Value>) -> Vec<Header> {
    let text = |name: &str, v: &Value| match name.to_lowercase().as_str() {
        // Whoever has them is logged in.
        "authorization" | "proxy-authorization" => "•".repeat(8),
        _ => v.as_str().map_or_else(|| v.to_string(), str::to_owned),
    };
    let told = given.iter().filter(|(name, _)| !name.to_lowercase().contains("cookie"));
    told.map(|(name, value)| Header { name: name.clone(), value: text(name, value) }).collect()
}
