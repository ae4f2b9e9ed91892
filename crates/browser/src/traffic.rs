//! Requests of every tab and what became of them, as the browser tells.

use crate::protocol::{BodyReply, Finished, Received, RequestEvent, RequestSent, Response};
use crate::ring::Ring;
use crate::surface::{Browser, CALL_LIMIT};
use crate::world::World;
use async_trait::async_trait;
use base64::Engine as _;
use handeye_scene::heard::{EXCHANGES, Matches, Wanted};
use handeye_scene::{Body, Code, Exchange, Header, Heard, Look, Mask, Problem, Rule, Traffic};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use tokio::time::Instant;

/// Most of what was sent that is kept, bytes.
const SENT: usize = 64 << 10;
/// What the browser keeps of answers for us, bytes: of all in a document's process, and of one.
pub(crate) const BODIES: (u32, u32) = (20 << 20, 5 << 20);

/// One request.
#[derive(Debug)]
struct Flow {
    exchange: Exchange,
    session: String,
    id: String,
    /// When it began, on the browser's own clock, seconds.
    began: f64,
    done: bool,
    given: bool,
}

/// Every request.
pub(crate) struct Flows {
    all: Ring<Flow>,
    by_id: HashMap<(String, String), u64>,
    /// How many were forgotten before they were given, since that was last told.
    lost: u64,
    /// The number of the first that came after the last action began.
    pub(crate) mark: u64,
}

impl Default for Flows {
    fn default() -> Self {
        Self { all: Ring::new(EXCHANGES), by_id: HashMap::new(), lost: 0, mark: 0 }
    }
}

impl Flows {
    /// From here on, requests are of a new action.
    pub(crate) fn begin(&mut self) {
        self.mark = self.all.next();
    }

    fn of(&mut self, session: &str, id: &str) -> Option<&mut Flow> {
        let number = *self.by_id.get(&(session.to_owned(), id.to_owned()))?;
        self.all.get_mut(number)
    }

    /// A request, and whether it was sent since the last action began.
    pub(crate) fn told(&self, session: &str, id: &str) -> Option<(&Exchange, bool)> {
        let number = *self.by_id.get(&(session.to_owned(), id.to_owned()))?;
        Some((&self.all.get(number)?.exchange, number >= self.mark))
    }

    pub(crate) fn sent(&mut self, tab: String, session: &str, sent: &RequestSent, mask: &Mask) {
        if let Some(redirect) = &sent.redirect_response
            && let Some(flow) = self.of(session, &sent.request_id)
        {
            flow.answer(redirect, sent.timestamp);
            flow.end(sent.timestamp, redirect.encoded_data_length);
        }
        if sent.request.url.starts_with("data:") {
            return;
        }
        let body = sent.request.post_data.as_ref().map(|b| crate::console::cut(&mask.of(b), SENT));
        let exchange = Exchange {
            number: self.all.next() + 1,
            tab,
            time: sent.wall_time * 1000.0,
            method: sent.request.method.clone(),
            url: sent.request.url.clone(),
            document: sent.document_url.clone(),
            kind: sent.kind.to_lowercase(),
            request_headers: headers(&sent.request.headers),
            sent: body,
            ..Exchange::default()
        };
        let (session, id) = (session.to_owned(), sent.request_id.clone());
        let flow = Flow {
            exchange,
            session: session.clone(),
            id: id.clone(),
            began: sent.timestamp,
            done: false,
            given: false,
        };
        self.lost += u64::from(self.all.going().is_some_and(|going| !going.given));
        let number = self.all.push(flow);
        self.by_id.insert((session, id), number);
        // What was forgotten needs no finding.
        if self.by_id.len() > 2 * EXCHANGES {
            let first = self.all.first();
            self.by_id.retain(|_, number| *number >= first);
        }
    }

    pub(crate) fn responded(&mut self, session: &str, event: &RequestEvent) {
        if let Some(flow) = self.of(session, &event.request_id)
            && let Some(response) = &event.response
        {
            flow.answer(response, event.timestamp);
        }
    }

    pub(crate) fn cached(&mut self, session: &str, id: &str) {
        if let Some(flow) = self.of(session, id) {
            flow.exchange.cached = true;
        }
    }

    pub(crate) fn received(&mut self, session: &str, event: &Received) {
        if let Some(flow) = self.of(session, &event.request_id) {
            let more = event.data_length.max(0.0) as u64;
            flow.exchange.unpacked = flow.exchange.unpacked.saturating_add(more);
        }
    }

    pub(crate) fn finished(&mut self, session: &str, event: &Finished) {
        let Some(flow) = self.of(session, &event.request_id) else { return };
        if !event.error_text.is_empty() {
            let blocked = event.blocked_reason.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
            flow.exchange.failure = Some(format!("{}{blocked}", event.error_text));
        }
        flow.end(event.timestamp, event.encoded_data_length);
    }
}

impl Flow {
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

impl World {
    /// The tab that a session belongs to, as the agent knows it.
    pub(crate) fn tab_of(&self, session: &str) -> String {
        let mut frame = self.sessions.get(session).map(String::as_str);
        for _ in 0..1000 {
            let Some(id) = frame else { break };
            if let Some(tab) = self.tabs.iter().find(|t| t.target == id) {
                return tab.id.clone();
            }
            frame = self.frames.get(id).and_then(|f| f.parent.as_deref());
        }
        String::new()
    }
}

#[async_trait]
impl Traffic for Browser {
    fn exchanges(&mut self, look: Look, wanted: Wanted<Exchange>) -> Heard<Exchange> {
        let mut world = self.shared.world();
        let flows = &mut world.flows;
        let mut items = Vec::new();
        for flow in flows.all.iter_mut() {
            if (look != Look::New || !flow.given) && wanted(&flow.exchange) {
                flow.given |= look != Look::Kept;
                items.push(flow.exchange.clone());
            }
        }
        let forgotten = match look {
            Look::New => std::mem::take(&mut flows.lost),
            Look::All | Look::Kept => flows.all.first(),
        };
        Heard { items, forgotten }
    }

    async fn body(&mut self, number: u64) -> Result<Body, Problem> {
        let gone = |why: &str| {
            Problem::new(Code::NotFound, format!("the body of request {number} can't be had: {why}"))
                .hint("handeye network list --all")
        };
        let (session, id, done) = {
            let world = self.shared.world();
            let flow = number.checked_sub(1).and_then(|n| world.flows.all.get(n));
            let flow = flow.ok_or_else(|| gone("there is no such request, or it is forgotten"))?;
            if !world.sessions.contains_key(&flow.session) {
                return Err(gone("its tab is closed"));
            }
            (flow.session.clone(), flow.id.clone(), flow.done)
        };
        if !done {
            return Err(gone("it isn't complete"));
        }
        let reply = self.connection.call::<BodyReply>(
            Some(&session),
            "Network.getResponseBody",
            json!({ "requestId": id }),
            CALL_LIMIT,
        );
        let reply = reply.await.map_err(|e| match e {
            crate::transport::CallError::Refused { .. } => {
                gone("the browser has let it go: the page went elsewhere, it was larger than 5 MB, or it has none")
            }
            other => self.problem(other),
        })?;
        let bytes = match reply.base64_encoded {
            true => base64::engine::general_purpose::STANDARD
                .decode(&reply.body)
                .map_err(|e| Problem::new(Code::Bug, format!("the body can't be read: {e}")))?,
            false => reply.body.into_bytes(),
        };
        Ok(Body { bytes, text: !reply.base64_encoded })
    }

    async fn answered(&mut self, matches: &Matches, limit: Duration) -> Result<Option<Exchange>, Problem> {
        let deadline = Instant::now() + limit;
        loop {
            let mut watch = self.shared.watch();
            {
                let world = self.shared.world();
                let since = world.flows.all.since(world.flows.mark).map(|(_, f)| &f.exchange);
                let found = since.filter(|e| e.status.is_some() || e.failure.is_some()).find(|e| matches(&e.url));
                if let Some(exchange) = found {
                    return Ok(Some(exchange.clone()));
                }
            }
            self.check_page()?;
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Ok(None);
            }
        }
    }

    fn rules(&self) -> Vec<Rule> {
        self.shared.world().intercept.rules.clone()
    }

    async fn set_rules(&mut self, rules: Vec<Rule>) -> Result<(), Problem> {
        self.shared.world().intercept.rules = rules;
        self.apply_intercept().await
    }
}
