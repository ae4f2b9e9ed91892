//! What pages say and load: console messages, errors, requests and what becomes of them.

use crate::Problem;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Console messages that are kept; older ones are forgotten first.
pub const MESSAGES: usize = 500;
/// Requests that are kept; older ones are forgotten first.
pub const REQUESTS: usize = 1000;

/// Which of the things that were kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Look {
    /// Those that were not yet given.
    #[default]
    New,
    /// All that are kept.
    All,
    /// All that are kept, and those not yet given stay new.
    Kept,
}

/// Something a page said, or the browser said of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// When, in milliseconds since 1970.
    pub time: f64,
    /// Its tab.
    pub tab: String,
    /// `log`, `info`, `warning`, `error`, `debug`, … as the console names it; `exception` for one that nothing caught.
    pub kind: String,
    /// What it says.
    pub text: String,
    /// Where it comes from: address, line and column.
    pub source: String,
    /// Origin of the document that said it, where that is known.
    #[serde(skip)]
    pub origin: Option<String>,
}

impl Message {
    /// Whether it tells of a fault: an exception, or an error that the page or the browser reports.
    pub fn is_error(&self) -> bool {
        matches!(self.kind.as_str(), "exception" | "error" | "assert")
    }
}

/// What was heard.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch<T> {
    /// It, oldest first.
    pub items: Vec<T>,
    /// How many were forgotten before anybody looked.
    pub forgotten: u64,
}

/// A header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A request and what became of it. Cookies are left out of the headers, credentials are masked there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NetworkRequest {
    /// Its number in this session, never reused.
    pub number: u64,
    /// The tab that it is for.
    pub tab: String,
    /// When it began, in milliseconds since 1970.
    pub time: f64,
    /// Its method.
    pub method: String,
    /// Its address.
    pub url: String,
    /// Address of the document that sent it.
    #[serde(skip)]
    pub document: String,
    /// What it is for, in small letters: `document`, `script`, `fetch`, `xhr`, `image`…
    pub kind: String,
    /// Headers of the request.
    pub request_headers: Vec<Header>,
    /// What was sent, as far as the browser tells; at most 64 KB. It may be a password: shown where it is asked for alone.
    pub sent: Option<String>,
    /// HTTP status; none before the answer.
    pub status: Option<u16>,
    /// Its words.
    pub status_text: String,
    /// Version of HTTP.
    pub protocol: String,
    /// Kind of content.
    pub mime: String,
    /// Headers of the answer.
    pub response_headers: Vec<Header>,
    /// Address of the server.
    pub server: String,
    /// Whether the browser's cache answered.
    pub cached: bool,
    /// Bytes that came over the network.
    pub bytes: u64,
    /// Bytes of its body, unpacked.
    pub unpacked: u64,
    /// Milliseconds until the answer began.
    pub waited_ms: Option<f64>,
    /// Milliseconds until it was complete.
    pub took_ms: Option<f64>,
    /// Why it failed.
    pub failure: Option<String>,
}

/// A body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Body {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether the browser takes it for text.
    pub text: bool,
}

/// What to do with requests that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// They fail.
    Block,
    /// They are answered with this, and never reach the network.
    Mock {
        /// HTTP status.
        status: u16,
        /// Headers.
        headers: Vec<Header>,
        /// The body.
        #[serde(skip)]
        body: Vec<u8>,
    },
}

/// Says whether one is wanted. What isn't wanted isn't given, and stays new.
pub type Wanted<'a, T> = &'a (dyn Fn(&T) -> bool + Send + Sync);

/// Says whether an address is meant.
pub type Matches = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What to do with certain requests.
#[derive(Clone)]
pub struct Rule {
    /// Its number in this session.
    pub number: u64,
    /// The pattern, as it was written.
    pub pattern: String,
    /// Whether it means an address.
    pub matches: Matches,
    /// What to do.
    pub action: RuleAction,
}

/// What the console of every tab of the session says.
pub trait Console: Send {
    /// Messages, with errors or errors alone; those given are old then.
    fn messages(&mut self, look: Look, errors: bool, wanted: Wanted<Message>) -> Batch<Message>;
}

/// Requests of every tab of the session.
#[async_trait]
pub trait Traffic: Send {
    /// Requests; those given are old then.
    fn exchanges(&mut self, look: Look, wanted: Wanted<NetworkRequest>) -> Batch<NetworkRequest>;
    /// The body of an answer, as long as the browser has it.
    async fn body(&mut self, number: u64) -> Result<Body, Problem>;
    /// Waits for the answer to a request that was sent since the last action began.
    async fn answered(&mut self, matches: &Matches, limit: Duration) -> Result<Option<NetworkRequest>, Problem>;
    /// Rules in force, in the order in which they are tried.
    fn rules(&self) -> Vec<Rule>;
    /// Puts these rules in force, in every tab and those to come.
    async fn set_rules(&mut self, rules: Vec<Rule>) -> Result<(), Problem>;
}
