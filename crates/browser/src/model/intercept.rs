//! Requests that wait for us: blocked, answered in the site's place, asked for a password, or held to bounds.
//!
//! The browser stops requests only as long as there is a rule, a password or a bound.

use crate::protocol::{AuthRequired, RequestPaused};
use base64::Engine as _;
use handeye_scene::{Bounds, Credentials, Header, Rule, RuleAction};
use serde_json::{Value, json};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// What requests are stopped for.
#[derive(Default)]
pub(crate) struct Intercept {
    pub(crate) rules: Vec<Rule>,
    pub(crate) password: Option<Credentials>,
    pub(crate) bounds: Option<Arc<dyn Bounds>>,
    /// Requests that were given the password once: who asks again doesn't take it.
    asked: HashSet<String>,
    /// Frames and addresses of requests that passed in a session, and may come by again at the browser.
    passed: VecDeque<(String, String)>,
}

/// Lets a request go on as it is.
pub(crate) const CONTINUE: &str = "Fetch.continueRequest";

/// How many are remembered; any other is judged a second time.
const PASSED: usize = 500;

impl Intercept {
    /// Whether requests are stopped at all.
    pub(crate) fn is_on(&self) -> bool {
        self.changes() || self.bounds.is_some()
    }

    /// Whether requests may be answered otherwise than the site does.
    pub(crate) fn changes(&self) -> bool {
        !self.rules.is_empty() || self.password.is_some()
    }

    /// Whether the requests of workers are held to bounds.
    pub(crate) fn holds_all(&self) -> bool {
        self.bounds.as_ref().is_some_and(|bounds| bounds.holds_all())
    }

    /// Which requests are stopped.
    fn pattern(&self) -> Value {
        match self.changes() || self.holds_all() {
            true => json!({ "urlPattern": "*" }),
            false => json!({ "urlPattern": "*", "resourceType": "Document" }),
        }
    }

    /// What tells a session to stop requests, or to go on without.
    pub(crate) fn calls(&self) -> Vec<(&'static str, Value)> {
        let pattern = self.pattern();
        let stops = match self.is_on() {
            true => ("Fetch.enable", json!({ "patterns": [pattern], "handleAuthRequests": self.password.is_some() })),
            false => ("Fetch.disable", json!({})),
        };
        // A service worker or the cache would answer before us.
        vec![
            stops,
            ("Network.setBypassServiceWorker", json!({ "bypass": self.is_on() })),
            ("Network.setCacheDisabled", json!({ "cacheDisabled": self.changes() })),
        ]
    }

    /// What tells the browser itself to stop requests: it sees those of documents that have no session yet.
    pub(crate) fn below(&self) -> (&'static str, Value) {
        match self.is_on() {
            true => ("Fetch.enable", json!({ "patterns": [self.pattern()] })),
            false => ("Fetch.disable", json!({})),
        }
    }

    pub(crate) fn note_passed(&mut self, paused: &RequestPaused) {
        if self.passed.len() == PASSED {
            self.passed.pop_front();
        }
        self.passed.push_back((paused.frame_id.clone(), paused.request.url.clone()));
    }

    /// Whether a request that is stopped at the browser was let pass in its session; said once.
    pub(crate) fn has_passed(&mut self, paused: &RequestPaused) -> bool {
        let is_it = |(frame, url): &(String, String)| *frame == paused.frame_id && *url == paused.request.url;
        self.passed.iter().position(is_it).and_then(|at| self.passed.remove(at)).is_some()
    }

    /// What becomes of a request.
    pub(crate) fn decide(&self, paused: &RequestPaused) -> (&'static str, Value) {
        let id = &paused.request_id;
        match self.rules.iter().find(|r| (r.matches)(&paused.request.url)).map(|r| &r.action) {
            None => (CONTINUE, json!({ "requestId": id })),
            Some(RuleAction::Block) => {
                ("Fetch.failRequest", json!({ "requestId": id, "errorReason": "BlockedByClient" }))
            }
            Some(RuleAction::Mock { status, headers, body }) => {
                let given = |name: &str| {
                    let found = paused.request.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
                    found.and_then(|(_, v)| v.as_str()).map(str::to_owned)
                };
                let mut headers = headers.clone();
                let mut status = *status;
                // A page of another origin may read it, and may ask whether it may.
                if let Some(origin) = given("origin") {
                    headers.extend(allowing(&origin, given("access-control-request-headers")));
                    if paused.request.method == "OPTIONS" {
                        status = 204;
                    }
                }
                let body = base64::engine::general_purpose::STANDARD.encode(body);
                let params =
                    json!({ "requestId": id, "responseCode": status, "responseHeaders": headers, "body": body });
                ("Fetch.fulfillRequest", params)
            }
        }
    }

    /// The answer to a site that asks for a password.
    pub(crate) fn answer(&mut self, asked: &AuthRequired) -> Value {
        let known = self
            .password
            .as_ref()
            .filter(|p| asked.auth_challenge.source != "Proxy" && same_origin(&p.origin, &asked.auth_challenge.origin));
        let answer = match known {
            Some(known) if self.asked.insert(asked.request_id.clone()) => {
                json!({ "response": "ProvideCredentials", "username": known.user, "password": known.password })
            }
            // The site's own page on it is shown.
            _ => json!({ "response": "CancelAuth" }),
        };
        json!({ "requestId": asked.request_id, "authChallengeResponse": answer })
    }
}

fn same_origin(known: &str, asking: &str) -> bool {
    known.trim_end_matches('/').eq_ignore_ascii_case(asking.trim_end_matches('/'))
}

fn allowing(origin: &str, asked: Option<String>) -> Vec<Header> {
    let header = |name: &str, value: &str| Header { name: name.into(), value: value.into() };
    let mut out = vec![
        header("Access-Control-Allow-Origin", origin),
        header("Access-Control-Allow-Credentials", "true"),
        header("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    ];
    out.extend(asked.map(|a| header("Access-Control-Allow-Headers", &a)));
    out
}
