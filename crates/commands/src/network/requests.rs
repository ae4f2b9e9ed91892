//! `network`: requests of the session, and what is to become of certain ones.

use crate::core::read_policy::ReadPolicy;
use crate::core::render::count;
use crate::core::secrets;
use crate::network::answer::{RuleInfo, SHOWN, Shown, unsent};
use crate::network::console;
use crate::{Command, Effect, Session};
use handeye_engine::observe::wait::url_matches;
use handeye_scene::{Body, Code, Header, Look, NetworkRequest, Problem, Rule, RuleAction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Largest body that is put in a site's place, bytes.
const LARGEST: u64 = 20 << 20;

/// Show requests and responses, block requests, mock responses
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "A PATTERN is a part of the address, or with * the whole of it.\nThe last 1000 requests of the session are kept, without cookies and credentials; bodies up to 5 MB, until the page goes elsewhere.\n\nExamples:\n  handeye network list --filter /api/\n  handeye network show 12 --to answer.json\n  handeye network mock '*/api/user*' --body '{\"name\": \"Ann\"}' --type application/json\n  handeye network block doubleclick.net"
)]
pub struct Network {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Action,
}

/// What a request is for, as the browser tells.
const KINDS: [&str; 19] = [
    "document",
    "stylesheet",
    "script",
    "fetch",
    "xhr",
    "image",
    "font",
    "media",
    "websocket",
    "eventsource",
    "manifest",
    "ping",
    "preflight",
    "prefetch",
    "texttrack",
    "signedexchange",
    "cspviolationreport",
    "fedcm",
    "other",
];

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Show requests of the active tab since you last looked
    List {
        /// Only those whose address matches
        #[arg(long, value_name = "PATTERN")]
        #[serde(default)]
        filter: Option<String>,
        /// Only those of these kinds, separated by commas
        #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = KINDS, ignore_case = true)]
        #[serde(default)]
        kind: Vec<String>,
        /// Only those that failed, or were answered with a status of 400 or more
        #[arg(long)]
        #[serde(default)]
        failed: bool,
        /// Everything that is kept: of every tab, seen before or not, each request by itself
        #[arg(long)]
        #[serde(default)]
        all: bool,
    },
    /// Show one request and its response, with headers and body
    Show {
        /// Its number in the list
        #[arg(value_parser = crate::core::value_parsers::whole("number of a request", 1_u64.., 12))]
        number: u64,
        /// Save the response body to this file
        #[arg(long, value_name = "FILE")]
        #[serde(default)]
        to: Option<PathBuf>,
        /// Show the request body too: it may hold a password
        #[arg(long)]
        #[serde(default)]
        values: bool,
    },
    /// Save what is kept as a HAR 1.2 archive
    Har {
        /// Where to save it
        file: PathBuf,
        /// Include the response bodies that the browser still has
        #[arg(long)]
        #[serde(default)]
        bodies: bool,
        /// Include request bodies: they may hold passwords
        #[arg(long)]
        #[serde(default)]
        values: bool,
    },
    /// Block requests: they fail
    Block {
        /// Which addresses: a part of the address, or with * all of it
        pattern: String,
    },
    /// Mock responses: requests are answered here and never sent
    Mock {
        /// Which addresses: a part of the address, or with * all of it
        pattern: String,
        /// Response body
        #[arg(long, value_name = "TEXT", conflicts_with = "body_file")]
        #[serde(default)]
        body: Option<String>,
        /// File whose content is the response body
        #[arg(long, value_name = "FILE")]
        #[serde(default)]
        body_file: Option<PathBuf>,
        /// HTTP status of the response
        #[arg(long, value_name = "N", default_value = "200", value_parser = crate::core::value_parsers::whole("HTTP status", 100_u16..=599, 404))]
        #[serde(default = "fine")]
        status: u16,
        /// Content type of the response
        #[arg(long = "type", value_name = "MIME", default_value = "text/plain; charset=utf-8")]
        #[serde(default = "plain")]
        mime: String,
        /// A response header, as NAME: VALUE [repeatable]
        #[arg(long, value_name = "HEADER")]
        #[serde(default)]
        header: Vec<String>,
    },
    /// Show the rules for blocking and mocking
    Rules,
    /// Remove one rule, or all
    Clear {
        /// Number of the rule
        #[arg(value_parser = crate::core::value_parsers::whole("number of a rule", 1_u64.., 1))]
        #[serde(default)]
        rule: Option<u64>,
    },
}

fn fine() -> u16 {
    200
}

fn plain() -> String {
    "text/plain; charset=utf-8".into()
}

impl Command for Network {
    const NAME: &'static str = "network";
    const EFFECT: Effect = Effect::Acts;
    const VARIES: bool = true;
    type Output = Shown;

    fn effect(&self) -> Effect {
        match self.action {
            Action::Block { .. } | Action::Mock { .. } | Action::Clear { .. } => Effect::Acts,
            _ => Effect::Reads,
        }
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        let path = match &mut self.action {
            Action::Har { file, .. } | Action::Show { to: Some(file), .. } => Some(file),
            Action::Mock { body_file: Some(file), .. } => Some(file),
            _ => None,
        };
        if let Some(path) = path {
            crate::core::args::resolve(path)?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Shown, Problem> {
        match self.action {
            Action::List { filter, kind, failed, all } => {
                let tab = console::own_tab(session, all).await?;
                let readable = ReadPolicy::of(session)?;
                let mask = session.memory.mask.clone();
                let others = AtomicUsize::new(0);
                let wanted = |e: &NetworkRequest| {
                    let asked = filter.as_ref().is_none_or(|f| url_matches(&mask.of(&e.url), f))
                        && (kind.is_empty() || kind.iter().any(|k| k.eq_ignore_ascii_case(&e.kind)))
                        && (!failed || e.failure.is_some() || e.status.is_some_and(|s| s >= 400));
                    let is_here = tab.as_ref().is_none_or(|tab| e.tab == *tab);
                    if asked && !is_here {
                        others.fetch_add(1, Ordering::Relaxed);
                    }
                    asked && is_here && readable.lets_exchange(e)
                };
                let heard = session.traffic()?.exchanges(if all { Look::All } else { Look::New }, &wanted);
                let requests = heard.items.into_iter().map(unsent).collect();
                let (left_out, elsewhere) = (readable.count(), others.into_inner());
                Ok(Shown::List { requests, forgotten: heard.forgotten, left_out, elsewhere, apart: all })
            }
            Action::Show { number, to, values } => show(session, number, to.as_deref(), values).await,
            Action::Har { file, bodies, values } => har(session, &file, bodies, values).await,
            Action::Block { pattern } => add(session, pattern, RuleAction::Block).await,
            Action::Mock { pattern, body, body_file, status, mime, header } => {
                crate::core::permission::permit_script(session, true).await?;
                let body = match body_file {
                    Some(file) => read(&file)?,
                    None => body.unwrap_or_default().into_bytes(),
                };
                let mut headers = vec![Header { name: "Content-Type".into(), value: mime }];
                headers.extend(header.iter().map(|h| parse_header(h)).collect::<Result<Vec<_>, _>>()?);
                add(session, pattern, RuleAction::Mock { status, headers, body }).await
            }
            Action::Rules => Ok(rules(session.traffic()?.rules())),
            Action::Clear { rule } => {
                let traffic = session.traffic()?;
                let (gone, kept): (Vec<Rule>, Vec<Rule>) =
                    traffic.rules().into_iter().partition(|r| rule.is_none_or(|n| n == r.number));
                if let (Some(n), true) = (rule, gone.is_empty()) {
                    return Err(
                        Problem::new(Code::NotFound, format!("there is no rule {n}")).hint("handeye network rules")
                    );
                }
                traffic.set_rules(kept).await?;
                Ok(rules(traffic.rules()))
            }
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Problem> {
    let unread = |why: String| Problem::new(Code::File, format!("can't read {}: {why}", file.display()));
    let size = std::fs::metadata(file).map_err(|e| unread(e.to_string()))?.len();
    if size > LARGEST {
        return Err(unread(format!("it has {size} bytes, more than {LARGEST}")));
    }
    std::fs::read(file).map_err(|e| unread(e.to_string()))
}

/// `NAME: VALUE`.
pub(crate) fn parse_header(text: &str) -> Result<Header, Problem> {
    let wrong = || {
        Problem::new(Code::BadRequest, format!("`{text}` is no header: write it as NAME: VALUE"))
            .hint("handeye network mock PATTERN --header 'Cache-Control: no-store'")
            .hint("handeye set headers 'X-Mine: yes'")
    };
    let (name, value) = text.split_once(':').ok_or_else(wrong)?;
    let (name, value) = (name.trim(), value.trim());
    let token = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c));
    if !token || value.chars().any(char::is_control) {
        return Err(wrong());
    }
    Ok(Header { name: name.into(), value: value.into() })
}

async fn add(session: &mut Session, pattern: String, action: RuleAction) -> Result<Shown, Problem> {
    if pattern.trim().is_empty() {
        return Err(Problem::new(Code::BadRequest, "the pattern is empty: for every request, write *")
            .hint("handeye network block '*'"));
    }
    let mask = session.memory.mask.clone();
    let traffic = session.traffic()?;
    let mut all = traffic.rules();
    let number = all.iter().map(|r| r.number).max().unwrap_or(0) + 1;
    // Whoever writes a whole secret has nothing to find out; whoever writes a part of one may.
    let knows = matches!(action, RuleAction::Block) && mask.of(&pattern) != pattern;
    let meant = pattern.clone();
    let matches = Arc::new(move |url: &str| url_matches(&mask.of(url), &meant) || knows && url_matches(url, &meant));
    // The newest is tried first.
    all.insert(0, Rule { number, pattern, matches, action });
    traffic.set_rules(all).await?;
    Ok(rules(traffic.rules()))
}

fn rules(rules: Vec<Rule>) -> Shown {
    let rules =
        rules.into_iter().map(|r| RuleInfo { number: r.number, pattern: r.pattern, action: r.action }).collect();
    Shown::Rules { rules }
}

async fn show(session: &mut Session, number: u64, to: Option<&Path>, values: bool) -> Result<Shown, Problem> {
    let readable = ReadPolicy::of(session)?;
    let traffic = session.traffic()?;
    let found = traffic.exchanges(Look::Kept, &|e| e.number == number).items.pop();
    let request = found.ok_or_else(|| {
        Problem::new(
            Code::NotFound,
            format!("there is no request {number}, or it was dropped (the last 1000 are kept)"),
        )
        .hint("handeye network list --all")
    })?;
    if !readable.lets_exchange(&request) {
        return Err(Problem::new(
            Code::Denied,
            format!("request {number} isn't shown: the policy denies reading its origin"),
        )
        .hint("handeye config show"));
    }
    let request = Box::new(if values { request } else { unsent(request) });
    let body = match traffic.body(number).await {
        Ok(body) => body,
        Err(problem) if to.is_some() => return Err(problem),
        Err(problem) => return Ok(Shown::One { request, body: None, note: Some(problem.message) }),
    };
    if let Some(file) = to {
        let bytes = secrets::hide_bytes(&session.secrets, &body.bytes);
        crate::core::saved::save(file, &bytes)?;
        let hidden = if bytes == body.bytes { "" } else { ", secrets hidden" };
        let note = Some(format!("body saved to {} ({}{hidden})", file.display(), count(bytes.len(), "byte")));
        return Ok(Shown::One { request, body: None, note });
    }
    let (body, note) = cut(&Body { bytes: secrets::hide_bytes(&session.secrets, &body.bytes), ..body });
    Ok(Shown::One { request, body, note })
}

fn cut(body: &Body) -> (Option<String>, Option<String>) {
    let Ok(text) = std::str::from_utf8(&body.bytes) else {
        return (None, Some(format!("the body is no text ({}): --to FILE saves it", count(body.bytes.len(), "byte"))));
    };
    match text.char_indices().nth(SHOWN) {
        None => (Some(text.to_owned()), None),
        Some((end, _)) => {
            let note = format!("… cut: --to FILE saves all {} bytes", text.len());
            (text.get(..end).map(str::to_owned), Some(note))
        }
    }
}

async fn har(session: &mut Session, file: &Path, bodies: bool, values: bool) -> Result<Shown, Problem> {
    let readable = ReadPolicy::of(session)?;
    let traffic = session.traffic()?;
    let mut entries = Vec::new();
    for exchange in traffic.exchanges(Look::Kept, &|e| readable.lets_exchange(e)).items {
        // One that is gone is left out.
        let body = if bodies { traffic.body(exchange.number).await.ok() } else { None };
        entries.push((exchange, body));
    }
    for body in entries.iter_mut().filter_map(|(_, body)| body.as_mut()) {
        body.bytes = secrets::hide_bytes(&session.secrets, &body.bytes);
    }
    let mut har = crate::network::har::archive(&entries, values, env!("CARGO_PKG_VERSION"));
    secrets::mask_value(&session.secrets, &mut har);
    let text = serde_json::to_string_pretty(&har)
        .map_err(|e| Problem::new(Code::Bug, format!("can't write the archive as JSON: {e}")))?;
    crate::core::saved::save(file, text.as_bytes())?;
    Ok(Shown::Archive { path: file.display().to_string(), requests: entries.len(), left_out: readable.count() })
}
