//! What `network` answers, and how it is written.

use crate::Render;
use crate::core::read_policy;
use crate::core::render::count;
use crate::network::console::{self, clock};
use handeye_engine::observe::outline::quote_own;
use handeye_engine::wording::shown::{self, address, word};
use handeye_scene::{Header, NetworkRequest, RuleAction};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;

/// Characters of a body that are shown; `--to` saves all of it.
pub(super) const SHOWN: usize = 20_000;

/// What `network` returns.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Shown {
    /// Requests.
    List {
        /// They, oldest first.
        requests: Vec<NetworkRequest>,
        /// How many were forgotten before they were looked at.
        forgotten: u64,
        /// How many are left out, since the policy denies reading their origin.
        left_out: usize,
        /// How many new ones other tabs have.
        elsewhere: usize,
        /// Whether each is written by itself.
        #[serde(skip)]
        apart: bool,
    },
    /// One request.
    One {
        /// It.
        request: Box<NetworkRequest>,
        /// The answer's body, where it is text; cut after 20,000 characters.
        body: Option<String>,
        /// Why there is no body, or how much of it there is, or where it was saved.
        note: Option<String>,
    },
    /// An archive.
    Archive {
        /// Where it is.
        path: String,
        /// How many requests it holds.
        requests: usize,
        /// How many are left out, since the policy denies reading their origin.
        left_out: usize,
    },
    /// Rules in force.
    Rules {
        /// They, in the order in which they are tried.
        rules: Vec<RuleInfo>,
    },
}

/// A rule in force.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleInfo {
    /// Its number.
    pub(super) number: u64,
    /// Which addresses.
    pub(super) pattern: String,
    /// What becomes of requests there.
    pub(super) action: RuleAction,
}

impl Render for Shown {
    fn render(&self) -> String {
        match self {
            Shown::List { requests, forgotten, left_out, elsewhere, apart } => {
                let mut lines = list(requests, *forgotten, *apart);
                lines.extend(read_policy::line(*left_out));
                if lines.is_empty() {
                    lines.push("no new requests".into());
                }
                lines.extend(console::elsewhere(*elsewhere, "requests"));
                lines.join("\n")
            }
            Shown::One { request, body, note } => one(request, body.as_deref(), note.as_deref()),
            Shown::Archive { path, requests, left_out } => {
                let lines =
                    [Some(format!("saved {path} ({})", count(*requests, "request"))), read_policy::line(*left_out)];
                lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
            }
            Shown::Rules { rules } if rules.is_empty() => "no request is blocked or answered here".into(),
            Shown::Rules { rules } => rules.iter().map(rule_line).collect::<Vec<_>>().join("\n"),
        }
    }
}

fn rule_line(rule: &RuleInfo) -> String {
    match &rule.action {
        RuleAction::Block => format!("{} block {}", rule.number, quote_own(&rule.pattern, 500)),
        RuleAction::Mock { status, body, .. } => {
            format!(
                "{} answer {} with {status} ({})",
                rule.number,
                quote_own(&rule.pattern, 500),
                count(body.len(), "byte")
            )
        }
    }
}

/// Requests as lines; unless each is wanted by itself, those to one address with one outcome are counted, and the last is shown.
fn list(requests: &[NetworkRequest], forgotten: u64, apart: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if forgotten > 0 {
        lines.push(format!("… older requests that were dropped: {forgotten}"));
    }
    let mut alike: Vec<(&NetworkRequest, usize)> = Vec::new();
    let mut known = HashMap::new();
    for e in requests {
        let at = *known.entry((&e.method, &e.url, &e.kind, e.status, &e.failure)).or_insert(alike.len());
        match alike.get_mut(at).filter(|_| !apart) {
            Some(same) => *same = (e, same.1 + 1),
            None => alike.push((e, 1)),
        }
    }
    lines.extend(alike.into_iter().map(|(e, times)| match times {
        1 => line(e),
        times => format!("{} ×{times}", line(e)),
    }));
    lines
}

/// One request on one line.
pub(crate) fn line(e: &NetworkRequest) -> String {
    let outcome = match (&e.failure, e.status, e.took_ms) {
        (Some(failure), ..) => shown::line(failure, 200),
        (None, Some(status), Some(took)) => format!("{status} in {took:.0} ms, {} bytes", e.bytes),
        (None, Some(status), None) => format!("{status}, under way"),
        (None, None, _) => "no answer yet".into(),
    };
    let cached = if e.cached { ", from the cache" } else { "" };
    format!(
        "{} {} {} {} {} → {outcome}{cached}",
        e.number,
        clock(e.time),
        word(&e.kind, 40),
        word(&e.method, 40),
        address(&e.url)
    )
}

fn one(e: &NetworkRequest, body: Option<&str>, note: Option<&str>) -> String {
    let mut out = line(e);
    let mut part = |title: &str, headers: &[Header]| {
        for h in headers {
            let _ = write!(out, "\n{title} {}: {}", word(&h.name, 200), shown::line(&h.value, 2_000));
        }
    };
    part(">", &e.request_headers);
    part("<", &e.response_headers);
    if let Some(sent) = &e.sent {
        let _ = write!(out, "\nsent:{}", shown::block(sent, SHOWN));
    }
    if let Some(body) = body {
        let _ = write!(out, "\nbody:{}", shown::block(body, SHOWN));
    }
    if let Some(note) = note {
        let _ = write!(out, "\n{note}");
    }
    out
}

/// Without what was sent, which may be a password.
pub(crate) fn unsent(mut exchange: NetworkRequest) -> NetworkRequest {
    exchange.sent = None;
    exchange
}
