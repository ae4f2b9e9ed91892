//! The guard: every document of the tab is armed before a gesture and asked afterwards what it let through.
//!
//! The document of the target lets only events pass that hit the target while it says what it said; all others let none
//! pass. How the checks work inside the events is in the page script's `guard.js`; what was measured is in the recipe
//! that ARCHITECTURE.md names.

use super::mode::Mode;
use super::settle;
use super::spot::Spot;
use super::stops::{ARM_LIMIT, Stops, at_start, stop_at_listeners, stops_among_several};
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use crate::cdp::silent;
use crate::protocol::GuardSignal;
use crate::targets::sessions::release;
use handeye_scene::{Delivery, DocumentId, Guard, NativeId, Point, Problem, Said, Shown, Withheld};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// How long signals may come after the news of the dialog or the navigation that the same gesture brought.
const SIGNAL_LIMIT: Duration = Duration::from_millis(500);
/// How long putting right what a cut-off gesture left may hold up what comes next.
const RECOVER_LIMIT: Duration = Duration::from_secs(2);

#[derive(Debug, Deserialize)]
struct Armed {
    ok: bool,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    facts: Option<Named>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Named {
    role: String,
    name: String,
    text: String,
}

/// By what a gesture was done whose click never came, as the page answered the press.
const PRESS_ALONE: &str = "the press alone";

/// What a document says of the events it saw.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Log {
    events: Vec<Record>,
    /// The page answered an event that the target got, and took it away.
    #[serde(default)]
    answered: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Record {
    #[serde(rename = "type")]
    kind: String,
    pass: bool,
    late: bool,
    over: bool,
    reason: Option<String>,
    hit: Option<Named>,
    now: Option<Named>,
}

/// A guard in force.
pub(crate) struct Standing {
    /// None: raw input, held to the rules about targets alone.
    target: Option<NativeId>,
    mode: Mode,
    documents: Vec<DocumentId>,
    /// The sessions whose debuggers stop events: of documents that we entered late, or before each listener of a target that
    /// has several.
    paused: Vec<(String, Stops)>,
}

impl From<Named> for Shown {
    fn from(named: Named) -> Self {
        // What has no name is called by what it says.
        let says = named.name.is_empty() && !named.text.is_empty();
        let said = says.then_some(Said { text: named.text, cut: false });
        Shown { said, ..Shown::named(handeye_scene::model::role::known(&named.role).to_owned(), named.name) }
    }
}

/// The guard as the page script's `arm` takes it.
pub(crate) fn spec(guard: &Guard, target: Option<u32>, mode: Mode) -> Value {
    json!({
        "mode": mode.word(),
        "target": target,
        "follow": guard.follow,
        "place": guard.place,
        "held": guard.held,
    })
}

/// The rules about targets that hold in a document, for gestures that press something.
pub(crate) fn ward(link: &Link, document: DocumentId, mode: Mode) -> Value {
    if mode.presses() { json!(link.model().targets_denied_in(document)) } else { Value::Null }
}

/// Where a drag is to end, as the page script of `document` takes it.
fn end_of(guard: &Guard, document: DocumentId) -> Value {
    let Some(end) = &guard.end else { return Value::Null };
    let here = end.target.document() == document;
    json!({
        "target": if here { end.target.number() } else { 0 },
        "held": end.held.as_ref().filter(|_| here),
    })
}

/// Arms the documents of the active tab and reads what they let through.
pub(crate) struct Sentry {
    link: Link,
    /// What a cancelled gesture may have left: keys or buttons down, documents armed.
    pub(super) unfinished: bool,
}

impl Sentry {
    pub(super) fn new(link: &Link) -> Self {
        Self { link: link.clone(), unfinished: false }
    }

    /// Whether raw input is to be looked at, too: rules about targets hold somewhere.
    pub(crate) fn looks_at_raw(&self) -> bool {
        !self.link.model().policy.denied.targets.is_empty()
    }

    /// Arms every document of the tab. `Err` of the inner result: the target isn't what it should be, nothing is armed.
    pub(crate) async fn arm(
        &mut self,
        guard: &Guard,
        mode: Mode,
        spot: Option<Spot>,
    ) -> Result<Option<Result<Standing, Withheld>>, Problem> {
        let Some(target) = guard.target else { return self.arm_free(mode).await };
        let documents: Vec<DocumentId> = {
            let mut model = self.link.model();
            // From here on new documents go on denying: none comes up between the list and the flag.
            model.guard.is_armed = true;
            model.aim(target.document());
            model.pages.active_documents().into_iter().map(|d| d.1).collect()
        };
        self.unfinished = true;
        let mut standing = Standing { target: Some(target), mode, documents: documents.clone(), paused: Vec::new() };
        let mut all_pending = Vec::new();
        for document in documents {
            let number = (document == target.document()).then(|| target.number());
            let mut spec = spec(guard, number, mode);
            spec["end"] = end_of(guard, document);
            if number.is_some() {
                spec["spot"] = json!(spot.map(|spot| spot.told()));
            }
            spec["ward"] = ward(&self.link, document, mode);
            all_pending.push((document, self.link.send_to_page(document, "arm", &[spec])));
        }
        let mut fault = None;
        let mut met = false;
        let mut late = Vec::new();
        let began = Instant::now();
        for (document, pending) in all_pending {
            // One that hangs arms itself when it comes to it: what it is sent stays in order.
            let limit =
                if document == target.document() { ARM_LIMIT } else { silent::bystander_limit(&self.link, document) };
            let armed = match pending {
                Ok(pending) => self.link.page_reply_by::<Armed>(pending, began + limit, ARM_LIMIT).await,
                Err(error) => Err(error),
            };
            if document != target.document() {
                if armed.is_ok() && !self.link.model().browser.owned {
                    late.push(document);
                }
                // A document that went away, or answers nothing, can be hit by nothing either way.
                continue;
            }
            met = true;
            match armed {
                Ok(Armed { ok: true, .. }) => {}
                Ok(Armed { reason, facts, .. }) => fault = Some((reason.unwrap_or_else(|| "detached".into()), facts)),
                Err(PageError::Gone) => fault = Some(("detached".into(), None)),
                Err(PageError::Problem(problem)) => {
                    self.disarm(&standing).await;
                    return Err(problem);
                }
            }
        }
        if !met {
            fault = Some(("detached".into(), None));
        }
        if let Some((reason, facts)) = fault {
            self.disarm(&standing).await;
            return Ok(Some(Err(Withheld {
                reason,
                actual: facts.map(|f| Box::new(f.into())),
                partial: false,
                detail: None,
            })));
        }
        late.push(target.document());
        match self.pause(&mut standing, (target, late)).await {
            Ok(()) => Ok(Some(Ok(standing))),
            Err(problem) => Err(self.give_up(&standing, problem).await),
        }
    }

    /// Ends a gesture that nothing was sent of.
    async fn give_up(&mut self, standing: &Standing, problem: Problem) -> Problem {
        self.disarm(standing).await;
        settle::end_gesture(&self.link);
        problem
    }

    /// Stops the page before its listeners, where ours don't stand before them, and where a target has several.
    async fn pause(&self, standing: &mut Standing, (target, late): (NativeId, Vec<DocumentId>)) -> Result<(), Problem> {
        self.pause_late(standing, late).await?;
        if standing.paused.is_empty()
            && standing.mode == Mode::Pointer
            && let Some(stops) = stops_among_several(&self.link, target).await?
        {
            stop_at_listeners(&self.link, target.document(), stops, &mut standing.paused).await?;
        }
        Ok(())
    }

    /// Stops documents before their listeners, where ours don't stand before them.
    async fn pause_late(&self, standing: &mut Standing, late: Vec<DocumentId>) -> Result<(), Problem> {
        for document in late {
            let session = self.link.model().pages.document(document).map(|d| d.session.clone());
            if session.is_some_and(|s| !standing.paused.iter().any(|(p, _)| *p == s))
                && !at_start(&self.link, document).await
            {
                let stops = Stops { types: standing.mode.types(), on: "*".into() };
                stop_at_listeners(&self.link, document, stops, &mut standing.paused).await?;
            }
        }
        Ok(())
    }

    /// Arms every document for raw input, where rules about targets hold.
    async fn arm_free(&mut self, mode: Mode) -> Result<Option<Result<Standing, Withheld>>, Problem> {
        if !mode.presses() || !self.looks_at_raw() {
            return Ok(None);
        }
        let documents: Vec<DocumentId> = {
            let mut model = self.link.model();
            model.guard.is_armed = true;
            model.pages.active_documents().into_iter().map(|d| d.1).collect()
        };
        self.unfinished = true;
        let mut standing = Standing { target: None, mode: Mode::Free, documents, paused: Vec::new() };
        let mut all_pending = Vec::new();
        for document in &standing.documents {
            let mut spec = spec(&Guard::default(), None, Mode::Free);
            spec["ward"] = ward(&self.link, *document, Mode::Free);
            all_pending.push((*document, self.link.send_to_page(*document, "arm", &[spec])));
        }
        let mut late = Vec::new();
        let began = Instant::now();
        for (document, pending) in all_pending {
            let limit = silent::bystander_limit(&self.link, document);
            let Ok(pending) = pending else { continue };
            // One that hangs arms itself when it comes to it; one that is gone can be hit by nothing.
            if self.link.page_reply_by::<Armed>(pending, began + limit, ARM_LIMIT).await.is_ok() {
                late.push(document);
            }
        }
        if let Err(problem) = self.pause_late(&mut standing, late).await {
            return Err(self.give_up(&standing, problem).await);
        }
        Ok(Some(Ok(standing)))
    }

    /// Releases every document, and says what they let through.
    async fn disarm(&mut self, standing: &Standing) -> Vec<(DocumentId, Option<Log>)> {
        for (session, stops) in &standing.paused {
            for event in &stops.types {
                let at = json!({ "eventName": event, "targetName": stops.on });
                self.link.connection.notify(Some(session), "DOMDebugger.removeEventListenerBreakpoint", at);
            }
            // What it knows of what began what is asked for when the gesture is judged.
            self.link.connection.notify(Some(session), "Debugger.setSkipAllPauses", json!({ "skip": true }));
            let mut model = self.link.model();
            model.guard.paused_checks.remove(session);
            model.gesture.debugged.push(session.clone());
        }
        self.link.model().guard.one_by_one = false;
        let all_pending: Vec<_> =
            standing.documents.iter().map(|d| (*d, self.link.send_to_page(*d, "disarm", &[]))).collect();
        let mut logs = Vec::new();
        let began = Instant::now();
        for (document, pending) in all_pending {
            let limit = match standing.target.is_some_and(|target| document == target.document()) {
                true => ARM_LIMIT,
                false => silent::bystander_limit(&self.link, document),
            };
            let log = match pending {
                Ok(pending) => self.link.page_reply_by::<Log>(pending, began + limit, ARM_LIMIT).await.ok(),
                Err(_) => None,
            };
            logs.push((document, log));
        }
        if self.link.model().pages.dialog().is_none() {
            release_new(&self.link, &standing.documents);
            self.unfinished = false;
        }
        logs
    }

    /// Ends the guard: what became of the gesture.
    pub(crate) async fn verify(&mut self, standing: Standing) -> Delivery {
        let logs = self.disarm(&standing).await;
        let Some(target) = standing.target else { return self.verify_free(&logs).await };
        let own = logs.iter().find(|(d, _)| *d == target.document()).and_then(|(_, log)| log.as_ref());
        let Some(own) = own else {
            await_signals(&self.link, standing.mode).await;
            // The document is gone, or a dialog holds it: what it signalled before decides.
            let model = self.link.model();
            let is_fault = |s: &&GuardSignal| {
                !s.pass && !s.over && (standing.mode.is_fault(&s.kind) || is_forbidden(s.reason.as_deref(), &s.kind))
            };
            let late = model.guard.signals.iter().find(|s| s.late);
            return match model.guard.signals.iter().find(is_fault) {
                Some(fault) => Delivery::Withheld(Withheld {
                    reason: fault.reason.clone().unwrap_or_else(|| "miss".into()),
                    actual: None,
                    partial: model
                        .guard
                        .signals
                        .iter()
                        .any(|s| s.pass && matches!(s.kind.as_str(), "pointerdown" | "mousedown" | "keydown")),
                    detail: None,
                }),
                // A page that leaves before the press got nothing that anybody could tell of.
                None if !model.guard.signals.iter().any(|s| s.pass && standing.mode.is_heard(&s.kind)) => {
                    Delivery::Unseen
                }
                None if late.is_some() => {
                    overtaken(late.and_then(|s| s.reason.as_deref()).unwrap_or("overtaken"), None)
                }
                // A page that leaves at the press, as some menus make it, got what it waited for.
                None => Delivery::Delivered { holds: None, moved: None, by: None },
            };
        };
        let passed = |kind: &str| own.events.iter().any(|e| e.pass && e.kind == kind);
        let partial = passed("mousedown") || passed("pointerdown") || passed("keydown") || passed("beforeinput");
        let others = logs.iter().filter_map(|(_, log)| log.as_ref()).flat_map(|l| &l.events);
        // A drag may end in another document than it began in.
        let drops = others.filter(|e| standing.mode == Mode::Drag && matches!(e.kind.as_str(), "drop" | "mouseup"));
        let is_fault = |e: &&Record| {
            !e.pass && !e.over && (standing.mode.is_fault(&e.kind) || is_forbidden(e.reason.as_deref(), &e.kind))
        };
        if let Some(fault) = own.events.iter().chain(drops).find(is_fault) {
            let actual = fault.now.clone().or_else(|| fault.hit.clone()).map(|a| Box::new(a.into()));
            let reason = fault.reason.clone().unwrap_or_else(|| "miss".into());
            return Delivery::Withheld(Withheld { reason, actual, partial, detail: None });
        }
        let elsewhere = logs.iter().filter_map(|(_, log)| log.as_ref()).flat_map(|l| &l.events).find(|e| !e.pass);
        // Keys that no document saw went nowhere; those that another one saw were meant for the target and denied there.
        if own.events.is_empty() && elsewhere.is_none() && standing.mode != Mode::Keyboard {
            // No document that we armed saw anything: it may have gone to one that none of them could stop, so it must not
            // be tried again.
            return Delivery::Unseen;
        }
        if own.events.is_empty() && elsewhere.is_some() {
            let actual = elsewhere.and_then(|e| e.hit.clone()).map(|a| Box::new(a.into()));
            return Delivery::Withheld(Withheld { reason: "miss".into(), actual, partial: false, detail: None });
        }
        if let Some(late) = own.events.iter().find(|e| e.late) {
            return overtaken(late.reason.as_deref().unwrap_or("overtaken"), late.now.clone().map(Into::into));
        }
        // The browser makes no click of a press and a release when the page took the element out in between, if only to
        // put it elsewhere.
        let clicked = own.events.iter().any(|e| standing.mode.ends(&e.kind));
        // Unless that is its answer: then nothing of the gesture is left to do, and the receipt says so.
        let is_last = |e: &&Record| e.pass && standing.mode.ends(&e.kind);
        if standing.mode == Mode::Pointer && own.answered && !own.events.iter().any(|e| is_last(&e)) {
            return Delivery::Delivered { holds: None, moved: None, by: Some(PRESS_ALONE.into()) };
        }
        if standing.mode == Mode::Pointer && passed("mouseup") && !clicked {
            return Delivery::Withheld(Withheld { reason: "unclicked".into(), actual: None, partial, detail: None });
        }
        // What a document says nothing of hasn't been delivered: listeners of the page's may have kept it from ours.
        if standing.mode == Mode::Pointer && !clicked {
            return Delivery::Withheld(Withheld { reason: "untold".into(), actual: None, partial: true, detail: None });
        }
        Delivery::Delivered { holds: None, moved: None, by: None }
    }

    /// What became of raw input: it reached something, unless a rule names what it would have pressed.
    async fn verify_free(&self, logs: &[(DocumentId, Option<Log>)]) -> Delivery {
        let events: Vec<&Record> = logs.iter().filter_map(|(_, log)| log.as_ref()).flat_map(|l| &l.events).collect();
        let heard = events.iter().any(|e| e.pass && is_heard_raw(&e.kind));
        // A key that comes up where it didn't go down does nothing there.
        if let Some(fault) = events.iter().find(|e| !(e.pass || heard && e.kind == "keyup")) {
            let actual = fault.now.clone().or_else(|| fault.hit.clone()).map(|a| Box::new(a.into()));
            let reason = fault.reason.clone().unwrap_or_else(|| "denied".into());
            return Delivery::Withheld(Withheld { reason, actual, partial: heard, detail: None });
        }
        // A document that is gone, or that a dialog holds, may have said so before.
        let model = self.link.model();
        match model.guard.signals.iter().find(|s| is_forbidden(s.reason.as_deref(), &s.kind) && !s.pass) {
            Some(_) => {
                let partial = model.guard.signals.iter().any(|s| s.pass && is_heard_raw(&s.kind));
                Delivery::Withheld(Withheld { reason: Withheld::FORBIDDEN.into(), actual: None, partial, detail: None })
            }
            None => Delivery::Delivered { holds: None, moved: None, by: None },
        }
    }

    /// Puts right what a gesture that was cut short has left: keys and buttons down, documents armed. A page that doesn't
    /// answer is not waited for long; what is left is put right when it does.
    pub(crate) async fn recover(&mut self, pointer: Point, held: u8) {
        if !self.unfinished || self.link.model().pages.dialog().is_some() || self.link.check_page().is_err() {
            return;
        }
        self.unfinished = tokio::time::timeout(RECOVER_LIMIT, self.put_right(pointer, held)).await.is_err();
        self.link.model().guard.is_armed = false;
    }

    async fn put_right(&self, pointer: Point, held: u8) {
        let documents: Vec<DocumentId> = self.link.model().pages.active_documents().into_iter().map(|d| d.1).collect();
        let paused: Vec<String> = self.link.model().guard.paused_checks.drain().map(|(session, _)| session).collect();
        for session in paused {
            self.link.connection.notify(Some(&session), "Debugger.disable", json!({}));
        }
        if let Ok(session) = self.link.session() {
            let up = json!({
                "type": "mouseReleased", "x": pointer.x, "y": pointer.y, "button": "left", "buttons": 0, "clickCount": 0,
            });
            if held == 0 && self.link.model().guard.is_armed {
                // While still armed, so that nothing is clicked by it.
                let _ = self
                    .link
                    .connection
                    .call::<Value>(Some(&session), "Input.dispatchMouseEvent", up, CALL_LIMIT)
                    .await;
            }
        }
        // Before the documents are released: one that comes up meanwhile is then released as it comes.
        self.link.model().guard.is_armed = false;
        for document in documents {
            let _ = self.link.page_call::<Value>(document, "disarm", &[], ARM_LIMIT).await;
        }
    }
}

/// Whether an event was stopped because a rule names what it would press.
fn is_forbidden(reason: Option<&str>, kind: &str) -> bool {
    reason == Some(Withheld::FORBIDDEN) && kind != "keyup"
}

/// Whether something begins with an event of raw input.
fn is_heard_raw(kind: &str) -> bool {
    matches!(kind, "pointerdown" | "mousedown" | "keydown" | "keypress" | "beforeinput" | "mouseup")
}

/// Documents that came up during the gesture have denied input until now.
fn release_new(link: &Link, armed: &[DocumentId]) {
    let new: Vec<(String, String)> = {
        let mut model = link.model();
        model.guard.is_armed = false;
        let mine = model.pages.documents.iter().filter(|(id, d)| d.alive && !armed.contains(id));
        mine.map(|(_, d)| (d.session.clone(), d.context.clone())).collect()
    };
    for (session, context) in new {
        release(&link.connection, &session, &context);
    }
}

/// Waits for what a document that can't be asked any more has said of the gesture. The news of a dialog, and of a
/// document that took its place, come by other ways than what it said before, and may overtake it.
async fn await_signals(link: &Link, mode: Mode) {
    let told = || {
        let model = link.model();
        let held = model.pages.dialog().is_some() && !model.guard.signals.is_empty();
        held || model.guard.signals.iter().any(|s| !s.pass || mode.ends(&s.kind))
    };
    link.shared.wait_while(Instant::now() + SIGNAL_LIMIT, || !told() && link.check_page().is_ok()).await;
}

/// Whether a deed by script had begun when a dialog came up; the news of it may come by another way, a moment later.
pub(super) async fn deed_began(link: &Link) -> bool {
    let began = || link.model().guard.signals.iter().any(|s| s.kind == "deed");
    link.shared.wait_while(Instant::now() + SIGNAL_LIMIT, || !began()).await
}

/// The click came to listeners of the target, or of what it is in; that it was relabelled showed before the last of them ran.
fn overtaken(reason: &str, actual: Option<Shown>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: actual.map(Box::new), partial: true, detail: None })
}
