//! Holding the browser to its bounds: every request for a document waits for a ruling, and what came without a request is
//! left again. A refused document never takes the place of the one that is open.

use crate::cdp::link::Link;
use crate::cdp::transport::read;
use crate::model::hidden_tab::HiddenTab;
use crate::model::intercept::CONTINUE;
use crate::model::{Model, Refused};
use crate::protocol::{FrameInfo, FrameTree, FrameTreeReply, RequestPaused};
use base64::Engine as _;
use handeye_scene::{Bounds, Code, Notice, Problem, Ruling};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long a host name may take to be looked up.
const LOOKUP: Duration = Duration::from_secs(5);
/// Schemes whose documents come without a request that would wait for us, each with one that any bounds on it mean.
const UNASKED: [(&str, &str); 3] = [("data", "data:,"), ("blob", "blob:null/0"), ("filesystem", "filesystem:null/0")];
const SCRIPTS_OFF: &str = "Emulation.setScriptExecutionDisabled";
/// World of the script that stops them.
const STOPPER: &str = "handeye bounds";
/// How long the sessions of a browser that was attached to may take to say which frames they have.
const IDENTIFY: Duration = Duration::from_secs(2);
/// Characters of an address that are told.
const TOLD: usize = 200;

/// What requests pass.
#[derive(Clone)]
pub(crate) struct Gate {
    link: Link,
}

/// How many refusals are told of until the next command: a page can ask for any number of addresses.
const NOTICES: usize = 20;

impl Gate {
    pub(crate) fn new(link: &Link) -> Self {
        Self { link: link.clone() }
    }

    /// Tells of something other than a document that was refused.
    pub(crate) fn tell_refused(&self, text: &str) {
        tell_once(&mut self.link.model(), Notice::new("denied", text));
        self.link.shared.bump();
    }

    /// What a session needs before its first script runs, where there are bounds.
    pub(crate) fn set_up(&self) -> Vec<(&'static str, Value)> {
        let Some(bounds) = self.link.model().network.intercept.bounds.clone() else { return Vec::new() };
        // A page made ready in advance would be loaded out of our sight.
        let mut calls = vec![("Page.setPrerenderingAllowed", json!({ "isAllowed": false }))];
        let schemes = refused_schemes(&*bounds);
        if !schemes.is_empty() {
            // It is left when the browser tells of it; until then it must not do anything.
            let source = format!("if ({}.includes(location.protocol)) stop()", json!(schemes));
            calls.push(("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source, "worldName": STOPPER })));
        }
        calls
    }

    /// Has the requests of a worker wait for us, and of those that it starts.
    pub(crate) fn hold_worker(&self, session: &str) {
        let calls = self.link.model().network.intercept.calls();
        let stops = calls.into_iter().filter(|(method, _)| *method == "Fetch.enable");
        let inner = ("Target.setAutoAttach", inner_targets());
        let run = ("Runtime.runIfWaitingForDebugger", json!({}));
        for (method, params) in stops.chain([inner, run]) {
            self.link.connection.notify(Some(session), method, params);
        }
    }

    /// Keeps the scripts of a popup from running until its first document is known: where that is of its opener's origin, the
    /// browser goes on using the window of the empty document before it, and runs no script of ours at its start.
    pub(crate) fn silence(&self, session: &str) {
        let mut model = self.link.model();
        if model.network.intercept.bounds.as_deref().is_none_or(|bounds| refused_schemes(bounds).is_empty()) {
            return;
        }
        model.targets.silenced.insert(session.to_owned());
        self.link.connection.notify(Some(session), SCRIPTS_OFF, json!({ "value": true }));
    }

    fn unsilence(&self, session: &str) {
        if self.link.model().targets.silenced.remove(session) {
            self.link.connection.notify(Some(session), SCRIPTS_OFF, json!({ "value": false }));
        }
    }

    /// A request waits for us to say what becomes of it: in the session of its document, or, with none, at the browser, which
    /// sees those of documents that ran before they had a session, too (sandboxed ones, say).
    pub(crate) fn paused(&self, session: &str, paused: RequestPaused) {
        let aside = {
            let model = self.link.model();
            matches!(&model.targets.hidden_tab, HiddenTab::There(its, _) if its == session)
                || model.clipboard.is_tab(&paused.frame_id)
        };
        if aside {
            let (method, params) = empty_page(&paused.request_id);
            return self.link.connection.notify(at(session), method, params);
        }
        let (known, owned) = {
            let mut model = self.link.model();
            if session.is_empty() && model.network.intercept.has_passed(&paused) {
                return self.go_on(session, &paused);
            }
            (model.pages.frames.contains_key(&paused.frame_id), model.browser.owned)
        };
        if session.is_empty() && !owned && !known { self.identify(paused) } else { self.rule(session, paused) }
    }

    /// Finds out whether a request is of a document of ours that isn't known yet, or of a person's other tabs, which we leave alone:
    /// by the frames that every session of ours has by now. What can't be told is held to the rules.
    fn identify(&self, paused: RequestPaused) {
        let sessions: Vec<String> = self.link.model().pages.sessions.keys().cloned().collect();
        let (tell, mut told) = mpsc::channel(sessions.len().max(1));
        for session in &sessions {
            let (tell, frame) = (tell.clone(), paused.frame_id.clone());
            self.link.connection.then(Some(session), "Page.getFrameTree", json!({}), move |reply| {
                // One that is gone has no frames.
                let read = reply.map(|raw| read::<FrameTreeReply>("Page.getFrameTree", &raw));
                let has = matches!(&read, Ok(Ok(tree)) if has(&tree.frame_tree, &frame));
                let _ = tell.try_send(has);
            });
        }
        drop(tell);
        let gate = self.clone();
        tokio::spawn(async move {
            let asked = async {
                while let Some(has) = told.recv().await {
                    if has {
                        return true;
                    }
                }
                false
            };
            let ours = tokio::time::timeout(IDENTIFY, asked).await.unwrap_or(true);
            if ours { gate.rule("", paused) } else { gate.go_on("", &paused) }
        });
    }

    fn rule(&self, session: &str, paused: RequestPaused) {
        let bounds = self.link.model().network.intercept.bounds.clone();
        let Some(bounds) = bounds else { return self.pass(session, &paused) };
        let url = &paused.request.url;
        match if is_document(&paused) { bounds.document(url) } else { bounds.request(url) } {
            Ruling::Allow => self.pass(session, &paused),
            Ruling::Refuse(why) => self.refuse(session, &paused, &why),
            Ruling::Resolve(host) => {
                let (gate, session) = (self.clone(), session.to_owned());
                tokio::spawn(async move {
                    match lookup(&*bounds, &host).await {
                        Ok(()) => gate.pass(&session, &paused),
                        Err(why) => gate.refuse(&session, &paused, &why),
                    }
                });
            }
        }
    }

    fn pass(&self, session: &str, paused: &RequestPaused) {
        if is_document(paused) {
            self.unsilence(session);
        }
        let (method, params) = self.link.model().network.intercept.decide(paused);
        if method == CONTINUE && !session.is_empty() {
            self.link.model().network.intercept.note_passed(paused);
        }
        self.link.connection.notify(at(session), method, params);
    }

    fn go_on(&self, session: &str, paused: &RequestPaused) {
        self.link.connection.notify(at(session), CONTINUE, json!({ "requestId": paused.request_id }));
    }

    fn refuse(&self, session: &str, paused: &RequestPaused, why: &str) {
        let reason = if is_document(paused) {
            let place = (paused.frame_id.as_str(), paused.network_id.as_str());
            note_refusal(&mut self.link.model(), place, &paused.request.url, why);
            // The page that is open stays.
            "Aborted"
        } else {
            self.tell_refused(&format!("a request to {} was refused: {why}", told(&paused.request.url)));
            "BlockedByClient"
        };
        let params = json!({ "requestId": paused.request_id, "errorReason": reason });
        self.link.connection.notify(at(session), "Fetch.failRequest", params);
        self.link.shared.bump();
    }

    /// Leaves the documents out of bounds of a page that was there before us.
    pub(crate) fn shown_all(&self, session: &str, tree: &FrameTree) {
        self.shown(session, &tree.frame);
        tree.child_frames.iter().for_each(|child| self.shown_all(session, child));
    }

    /// A document has come into a frame.
    pub(crate) fn came(&self, session: &str, info: &FrameInfo) {
        self.shown(session, info);
        let bounds = self.link.model().network.intercept.bounds.clone();
        if bounds.is_some_and(|bounds| matches!(bounds.document(&info.url), Ruling::Allow)) {
            self.unsilence(session);
        }
    }

    /// A document is there: left at once when it is out of bounds, such as one that no request was made for.
    fn shown(&self, session: &str, info: &FrameInfo) {
        let (bounds, owned) = {
            let model = self.link.model();
            (model.network.intercept.bounds.clone(), model.browser.owned)
        };
        let Some(bounds) = bounds else { return };
        // An empty address is a document yet to come.
        if info.unreachable_url.is_some() || info.url.is_empty() || info.url == ":" {
            return;
        }
        match bounds.document(&info.url) {
            Ruling::Allow => {}
            Ruling::Refuse(why) => self.leave(session, info, &why),
            // Every request of a browser of ours has been looked up already.
            Ruling::Resolve(_) if owned => {}
            Ruling::Resolve(host) => {
                let (gate, session, info) = (self.clone(), session.to_owned(), info.clone());
                tokio::spawn(async move {
                    if let Err(why) = lookup(&*bounds, &host).await {
                        gate.leave(&session, &info, &why);
                    }
                });
            }
        }
    }

    fn leave(&self, session: &str, info: &FrameInfo, why: &str) {
        note_refusal(&mut self.link.model(), (&info.id, &info.loader_id), &info.url, why);
        let params = json!({ "url": "about:blank", "frameId": info.id });
        self.link.connection.notify(Some(session), "Page.navigate", params);
        self.link.shared.bump();
    }
}

/// The frames that have processes of their own get sessions of their own. Everything else that starts is told of as well: what
/// is left out of the list is held all the same, by the document that starts it, and nobody could let it go.
pub(crate) fn inner_targets() -> Value {
    // A service worker is held by no document.
    let left_out = ["page", "tab", "browser", "service_worker"].map(|kind| json!({ "type": kind, "exclude": true }));
    let filter: Vec<Value> = left_out.into_iter().chain([json!({})]).collect();
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter })
}

/// How a request of a session is answered; none stands for the browser's own.
fn at(session: &str) -> Option<&str> {
    Some(session).filter(|session| !session.is_empty())
}

/// What has the browser attach us to everything of these kinds before its first script runs.
pub(crate) fn attaching(kinds: &[&str]) -> Value {
    let filter: Vec<Value> = kinds.iter().map(|kind| json!({ "type": kind })).collect();
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter })
}

/// Of the schemes whose documents come without a request, those out of bounds.
fn refused_schemes(bounds: &dyn Bounds) -> Vec<String> {
    let refused = |(scheme, sample): &(&str, &str)| match bounds.document(sample) {
        Ruling::Refuse(_) => Some(format!("{scheme}:")),
        _ => None,
    };
    UNASKED.iter().filter_map(refused).collect()
}

fn has(tree: &FrameTree, frame: &str) -> bool {
    tree.frame.id == frame || tree.child_frames.iter().any(|child| has(child, frame))
}

fn is_document(paused: &RequestPaused) -> bool {
    paused.resource_type == "Document"
}

/// Looks a host name up; why it is out of bounds, if any of its addresses is, or if it has none.
async fn lookup(bounds: &dyn Bounds, host: &str) -> Result<(), String> {
    match addresses(bounds, host).await {
        Ok(_) => Ok(()),
        Err(NoWay::Unknown(why) | NoWay::DeniedOrigins(why)) => Err(why),
    }
}

/// Why a host isn't connected to.
#[derive(Debug)]
pub(crate) enum NoWay {
    /// Nobody knows it.
    Unknown(String),
    /// It is out of bounds.
    DeniedOrigins(String),
}

/// The addresses that a host stands for, every one within bounds.
pub(crate) async fn addresses(bounds: &dyn Bounds, host: &str) -> Result<Vec<IpAddr>, NoWay> {
    let unknown = |what: String| Err(NoWay::Unknown(format!("--public-only, and {host} {what}")));
    let found = match tokio::time::timeout(LOOKUP, tokio::net::lookup_host((host, 0))).await {
        Ok(Ok(found)) => found.map(|address| address.ip()).collect::<Vec<_>>(),
        Ok(Err(e)) => return unknown(format!("can't be looked up: {e}")),
        Err(_) => return unknown(format!("wasn't found within {} s", LOOKUP.as_secs())),
    };
    let is_address = host.parse::<IpAddr>().is_ok();
    // This machine may have an address that others have, too.
    let own = |address: IpAddr| {
        super::connect::is_own(address).then(|| format!("--public-only, and {address} is this machine"))
    };
    match found.iter().find_map(|address| bounds.place(*address).or_else(|| own(*address))) {
        Some(why) if is_address => Err(NoWay::DeniedOrigins(why)),
        Some(why) => Err(NoWay::DeniedOrigins(format!("{why}, which {host} stands for"))),
        None => Ok(found),
    }
}

/// What answers a request of the hidden tab.
fn empty_page(request: &str) -> (&'static str, Value) {
    let body = base64::engine::general_purpose::STANDARD.encode("<!doctype html>");
    let headers = json!([{ "name": "Content-Type", "value": "text/html" }]);
    (
        "Fetch.fulfillRequest",
        json!({ "requestId": request, "responseCode": 200, "responseHeaders": headers, "body": body }),
    )
}

fn told(url: &str) -> String {
    let start: String = url.chars().take(TOLD).collect();
    if start.len() < url.len() { format!("{start}…") } else { start }
}

/// Notes that a document of this frame, by this loader, was refused.
fn note_refusal(model: &mut Model, (frame, loader): (&str, &str), url: &str, why: &str) {
    let tab = model.pages.tabs.iter().find(|t| t.target == frame).map(|t| t.id.clone());
    if model.pages.active.as_deref() == Some(frame) {
        model.policy.refused = Some(Refused { loader: loader.into(), url: told(url), why: why.into() });
    }
    let what = match tab {
        Some(_) if model.pages.active.as_deref() == Some(frame) => "the page".to_owned(),
        Some(id) => format!("the page of tab {id}"),
        None => "the document inside the page".to_owned(),
    };
    tell_once(model, Notice::new("denied", format!("{what} {} was refused: {why}", told(url))));
    model.touch();
}

fn tell_once(model: &mut Model, notice: Notice) {
    let told = model.reports.notices.iter().filter(|n| n.kind == notice.kind);
    if told.clone().count() < NOTICES && !told.clone().any(|n| *n == notice) {
        model.reports.notices.push(notice);
    }
}

/// Refuses an address out of bounds before anything is asked of the browser.
pub(crate) async fn permit(link: &Link, url: &str) -> Result<(), Problem> {
    let bounds = link.model().network.intercept.bounds.clone();
    let Some(bounds) = bounds else { return Ok(()) };
    let why = match bounds.document(url) {
        Ruling::Allow => return Ok(()),
        Ruling::Refuse(why) => why,
        Ruling::Resolve(host) => match lookup(&*bounds, &host).await {
            Ok(()) => return Ok(()),
            Err(why) => why,
        },
    };
    Err(denied(&told(url), &why))
}

/// Whether what the active tab was sent to since the last gesture began was out of bounds: by this loader, where it is
/// known, for the page may have gone elsewhere by itself meanwhile. The notice is the problem then.
pub(crate) fn check_refused(link: &Link, loader: Option<&str>) -> Result<(), Problem> {
    let mut model = link.model();
    let ours = |refused: &mut Refused| loader.is_none_or(|l| refused.loader == l);
    let Some(Refused { url, why, .. }) = model.policy.refused.take_if(ours) else { return Ok(()) };
    model.reports.notices.retain(|n| n.kind != "denied" || !n.text.contains(&url));
    Err(denied(&url, &why))
}

fn denied(url: &str, why: &str) -> Problem {
    Problem::new(Code::Denied, format!("{url} is out of bounds: {why}")).hint("handeye state")
}
