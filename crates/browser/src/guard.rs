//! The guard: every document of the tab is armed before a gesture and asked afterwards what it let through.
//!
//! The document of the target lets only events pass that hit the target while it says what it said; all others let none
//! pass. How the checks work inside the events is in the page script's `guard.js`; what was measured is in the recipe
//! that ARCHITECTURE.md names.

use crate::events::release;
use crate::mode::{Mode, STOPPED};
use crate::protocol::{DescribedNode, Evaluated, GuardSignal, Listeners, Resolved};
use crate::surface::{Browser, CALL_LIMIT, PageError};
use handeye_scene::{Delivery, DocumentId, Guard, NativeId, Problem, Said, Shown, Withheld};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long signals may come after the news of the dialog or the navigation that the same gesture brought.
const SIGNAL_LIMIT: Duration = Duration::from_millis(500);
/// How long putting right what a cut-off gesture left may hold up what comes next.
const RECOVER_LIMIT: Duration = Duration::from_secs(2);
/// How long the target's document may take to arm or disarm.
const ARM_LIMIT: Duration = Duration::from_secs(5);
/// The same for all other documents together: one that hangs takes no input either.
pub(crate) const OTHERS_LIMIT: Duration = Duration::from_secs(1);

/// How deep in a target listeners are looked for that share its events.
const SEVERAL_DEPTH: u32 = 4;
/// The group of the objects by which they are asked for.
const SEVERAL: &str = "handeye-several";

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
    target: NativeId,
    mode: Mode,
    documents: Vec<DocumentId>,
    /// The sessions whose debuggers stop events: of documents that we entered late, or before each listener of a target that
    /// has several.
    paused: Vec<(String, Stops)>,
}

/// Where a debugger stops: before the listeners of these events, on elements of this name (`*`: on all).
struct Stops {
    types: Vec<&'static str>,
    on: String,
}

impl From<Named> for Shown {
    fn from(named: Named) -> Self {
        // What has no name is called by what it says.
        let says = named.name.is_empty() && !named.text.is_empty();
        let said = says.then_some(Said { text: named.text, cut: false });
        Shown { said, ..Shown::named(handeye_scene::role::known(&named.role).to_owned(), named.name) }
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

/// Where a drag is to end, as the page script of `document` takes it.
fn end_of(guard: &Guard, document: DocumentId) -> Value {
    let Some(end) = &guard.end else { return Value::Null };
    let here = end.target.document() == document;
    json!({
        "target": if here { end.target.number() } else { 0 },
        "held": end.held.as_ref().filter(|_| here),
    })
}

impl Browser {
    /// Arms every document of the tab. `Err` of the inner result: the target isn't what it should be, nothing is armed.
    pub(crate) async fn arm(
        &mut self,
        guard: &Guard,
        mode: Mode,
    ) -> Result<Option<Result<Standing, Withheld>>, Problem> {
        let Some(target) = guard.target else { return Ok(None) };
        let documents: Vec<DocumentId> = {
            let mut world = self.shared.world();
            // From here on new documents go on denying: none comes up between the list and the flag.
            world.gesture = true;
            world.roaming.aim(target.document());
            world.active_documents().into_iter().map(|d| d.1).collect()
        };
        self.unfinished = true;
        let mut standing = Standing { target, mode, documents: documents.clone(), paused: Vec::new() };
        let mut tickets = Vec::new();
        for document in documents {
            let number = (document == target.document()).then(|| target.number());
            let mut spec = spec(guard, number, mode);
            spec["end"] = end_of(guard, document);
            tickets.push((document, self.ask(document, "arm", &[spec])));
        }
        let mut fault = None;
        let mut met = false;
        let mut late = Vec::new();
        let began = Instant::now();
        for (document, ticket) in tickets {
            // One that hangs arms itself when it comes to it: what it is sent stays in order.
            let limit = if document == target.document() { ARM_LIMIT } else { self.bystander_limit(document) };
            let armed = match ticket {
                Ok(ticket) => self.told_by::<Armed>(ticket, began + limit, ARM_LIMIT).await,
                Err(error) => Err(error),
            };
            if document != target.document() {
                if armed.is_ok() && !self.shared.world().owned {
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
        for document in late {
            let session = self.shared.world().document(document).map(|d| d.session.clone());
            if session.is_some_and(|s| !standing.paused.iter().any(|(p, _)| *p == s)) && !self.at_start(document).await
            {
                let stops = Stops { types: mode.types(), on: "*".into() };
                standing.paused.push((self.stop_at_listeners(document, &stops).await?, stops));
            }
        }
        if standing.paused.is_empty()
            && mode == Mode::Pointer
            && let Some(stops) = self.stops_among_several(target).await
        {
            standing.paused.push((self.stop_at_listeners(target.document(), &stops).await?, stops));
        }
        Ok(Some(Ok(standing)))
    }

    /// Whether our listeners stand before the page's in a document.
    async fn at_start(&self, document: DocumentId) -> bool {
        let known = self.shared.world().document(document).and_then(|d| d.at_start);
        if let Some(known) = known {
            return known;
        }
        let Some((session, context)) =
            self.shared.world().document(document).map(|d| (d.session.clone(), d.context.clone()))
        else {
            return true;
        };
        let params = json!({ "expression": "handeye.atStart", "uniqueContextId": context, "returnByValue": true });
        let ticket = self.connection.send(Some(&session), "Runtime.evaluate", params);
        let at_start = self.told::<Option<bool>>(ticket, CALL_LIMIT).await.ok().flatten().unwrap_or(false);
        if let Some(state) = self.shared.world().document_mut(document) {
            state.at_start = Some(at_start);
        }
        at_start
    }

    /// The events that the target has several listeners for: one may relabel it, and the next one act. Of elements in it, some
    /// may listen for it. Asked by the page's own wrapper of the element: by ours, inline handlers would be made in our world.
    async fn stops_among_several(&self, target: NativeId) -> Option<Stops> {
        let (session, context, main) = {
            let world = self.shared.world();
            let document = world.document(target.document())?;
            let main = world.frames.get(&document.frame)?.main_context_id;
            (document.session.clone(), document.context.clone(), main)
        };
        let send = |method, params| self.connection.send(Some(&session), method, params);
        let element = json!({
            "expression": format!("handeye.element({})", target.number()), "uniqueContextId": context, "objectGroup": SEVERAL,
        });
        let own: Evaluated = self.answer(send("Runtime.evaluate", element), ARM_LIMIT).await.ok()?;
        let node = json!({ "objectId": own.result.object_id? });
        let DescribedNode { node } = self.answer(send("DOM.describeNode", node), ARM_LIMIT).await.ok()?;
        let theirs =
            json!({ "backendNodeId": node.backend_node_id, "executionContextId": main, "objectGroup": SEVERAL });
        let Resolved { object } = self.answer(send("DOM.resolveNode", theirs), ARM_LIMIT).await.ok()?;
        let asked = json!({ "objectId": object.object_id?, "depth": SEVERAL_DEPTH, "pierce": true });
        let found: Listeners = self.answer(send("DOMDebugger.getEventListeners", asked), ARM_LIMIT).await.ok()?;
        self.connection.tell(Some(&session), "Runtime.releaseObjectGroup", json!({ "objectGroup": SEVERAL }));
        let holders = |kind: &str| {
            let mut holders: HashMap<i64, usize> = HashMap::new();
            for listener in found.listeners.iter().filter(|l| l.kind == kind) {
                *holders.entry(listener.backend_node_id.unwrap_or(node.backend_node_id)).or_default() += 1;
            }
            holders.remove(&node.backend_node_id);
            holders
        };
        let count = |kind: &str, own: bool| {
            let of_kind = found.listeners.iter().filter(|l| l.kind == kind);
            of_kind.filter(|l| !own || l.backend_node_id.is_none_or(|id| id == node.backend_node_id)).count()
        };
        // One on the target is ours.
        let several = |kind: &&'static str| count(kind, true) > 1 && count(kind, false) > 2;
        // Elements in it may have several of their own, of any name.
        let inside = |kind: &str| holders(kind).values().any(|count| *count > 1);
        let types: Vec<&'static str> = STOPPED.iter().copied().filter(|kind| several(kind) || inside(kind)).collect();
        let on = if types.iter().any(|kind| inside(kind)) { "*".to_owned() } else { node.node_name.to_lowercase() };
        (!types.is_empty()).then_some(Stops { types, on })
    }

    /// Makes the debugger stop before listeners of the gesture's events, so that the page script can judge first.
    async fn stop_at_listeners(&self, document: DocumentId, stops: &Stops) -> Result<String, Problem> {
        let (session, contexts) = {
            let mut world = self.shared.world();
            let session = world.document(document).map(|d| d.session.clone()).unwrap_or_default();
            let contexts: Vec<String> =
                world.living().filter(|d| d.session == session).map(|d| d.context.clone()).collect();
            world.paused_checks.insert(session.clone(), contexts.clone());
            // Nothing comes behind the last event of a click.
            world.one_by_one |= stops.types.iter().any(|kind| *kind != "click");
            (session, contexts)
        };
        debug_assert!(!contexts.is_empty());
        self.connection.tell(Some(&session), "Debugger.enable", json!({}));
        for event in &stops.types {
            let at = json!({ "eventName": event, "targetName": stops.on });
            self.connection.tell(Some(&session), "DOMDebugger.setEventListenerBreakpoint", at);
        }
        self.call::<Value>(Some(&session), "Debugger.setSkipAllPauses", json!({ "skip": false }), ARM_LIMIT).await?;
        Ok(session)
    }

    /// Whether the debugger stops the page in events of the gesture that aren't its `last`. Input that comes to a page that is
    /// stopped is lost: then one event is sent after the other.
    pub(crate) fn stops_at_listeners(&self, last: bool) -> bool {
        let world = self.shared.world();
        !world.paused_checks.is_empty() && (world.one_by_one || !last)
    }

    /// Releases every document, and says what they let through.
    async fn disarm(&mut self, standing: &Standing) -> Vec<(DocumentId, Option<Log>)> {
        for (session, stops) in &standing.paused {
            for event in &stops.types {
                let at = json!({ "eventName": event, "targetName": stops.on });
                self.connection.tell(Some(session), "DOMDebugger.removeEventListenerBreakpoint", at);
            }
            self.connection.tell(Some(session), "Debugger.disable", json!({}));
            self.shared.world().paused_checks.remove(session);
        }
        self.shared.world().one_by_one = false;
        let tickets: Vec<_> = standing.documents.iter().map(|d| (*d, self.ask(*d, "disarm", &[]))).collect();
        let mut logs = Vec::new();
        let began = Instant::now();
        for (document, ticket) in tickets {
            let limit = match document == standing.target.document() {
                true => ARM_LIMIT,
                false => self.bystander_limit(document),
            };
            let log = match ticket {
                Ok(ticket) => self.told_by::<Log>(ticket, began + limit, ARM_LIMIT).await.ok(),
                Err(_) => None,
            };
            logs.push((document, log));
        }
        if self.shared.world().dialog().is_none() {
            self.release_new(&standing.documents);
            self.unfinished = false;
        }
        logs
    }

    /// Documents that came up during the gesture have denied input until now.
    fn release_new(&self, armed: &[DocumentId]) {
        let new: Vec<(String, String)> = {
            let mut world = self.shared.world();
            world.gesture = false;
            let mine = world.documents.iter().filter(|(id, d)| d.alive && !armed.contains(id));
            mine.map(|(_, d)| (d.session.clone(), d.context.clone())).collect()
        };
        for (session, context) in new {
            release(&self.connection, &session, &context);
        }
    }

    /// Ends the guard: what became of the gesture.
    pub(crate) async fn verify(&mut self, standing: Standing) -> Delivery {
        let logs = self.disarm(&standing).await;
        let own = logs.iter().find(|(d, _)| *d == standing.target.document()).and_then(|(_, log)| log.as_ref());
        let Some(own) = own else {
            self.await_signals(standing.mode).await;
            // The document is gone, or a dialog holds it: what it signalled before decides.
            let world = self.shared.world();
            let is_fault = |s: &&GuardSignal| !s.pass && !s.over && standing.mode.is_fault(&s.kind);
            let late = world.signals.iter().find(|s| s.late);
            return match world.signals.iter().find(is_fault) {
                Some(fault) => Delivery::Withheld(Withheld {
                    reason: fault.reason.clone().unwrap_or_else(|| "miss".into()),
                    actual: None,
                    partial: world.signals.iter().any(|s| s.pass && (s.kind == "mousedown" || s.kind == "keydown")),
                    detail: None,
                }),
                // A page that leaves before the press got nothing that anybody could tell of.
                None if !world.signals.iter().any(|s| s.pass && standing.mode.is_heard(&s.kind)) => Delivery::Unseen,
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
        if let Some(fault) =
            own.events.iter().chain(drops).find(|e| !e.pass && !e.over && standing.mode.is_fault(&e.kind))
        {
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

    /// Waits for what a document that can't be asked any more has said of the gesture. The news of a dialog, and of a
    /// document that took its place, come by other ways than what it said before, and may overtake it.
    async fn await_signals(&self, mode: Mode) {
        let deadline = Instant::now() + SIGNAL_LIMIT;
        loop {
            let mut watch = self.shared.watch();
            {
                let world = self.shared.world();
                let held = world.dialog().is_some() && !world.signals.is_empty();
                if held || world.signals.iter().any(|s| !s.pass || mode.ends(&s.kind)) {
                    return;
                }
            }
            if self.check_page().is_err() || tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return;
            }
        }
    }

    /// Whether a deed by script had begun when a dialog came up; the news of it may come by another way, a moment later.
    pub(crate) async fn deed_began(&self) -> bool {
        let deadline = Instant::now() + SIGNAL_LIMIT;
        loop {
            let mut watch = self.shared.watch();
            if self.shared.world().signals.iter().any(|s| s.kind == "deed") {
                return true;
            }
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return false;
            }
        }
    }

    /// Puts right what a gesture that was cut short has left: keys and buttons down, documents armed. A page that doesn't
    /// answer is not waited for long; what is left is put right when it does.
    pub(crate) async fn recover(&mut self) {
        if !self.unfinished || self.shared.world().dialog().is_some() || self.check_page().is_err() {
            return;
        }
        self.unfinished = tokio::time::timeout(RECOVER_LIMIT, self.put_right()).await.is_err();
        self.shared.world().gesture = false;
    }

    async fn put_right(&self) {
        let documents: Vec<DocumentId> = self.shared.world().active_documents().into_iter().map(|d| d.1).collect();
        let paused: Vec<String> = self.shared.world().paused_checks.drain().map(|(session, _)| session).collect();
        for session in paused {
            self.connection.tell(Some(&session), "Debugger.disable", json!({}));
        }
        if let Ok(session) = self.session() {
            let up = json!({
                "type": "mouseReleased", "x": self.pointer.x, "y": self.pointer.y, "button": "left", "buttons": 0, "clickCount": 0,
            });
            if self.held.0 == 0 && self.shared.world().gesture {
                // While still armed, so that nothing is clicked by it.
                let _ = self.connection.call::<Value>(Some(&session), "Input.dispatchMouseEvent", up, CALL_LIMIT).await;
            }
        }
        // Before the documents are released: one that comes up meanwhile is then released as it comes.
        self.shared.world().gesture = false;
        for document in documents {
            let _ = self.page::<Value>(document, "disarm", &[], ARM_LIMIT).await;
        }
    }
}

/// The click came to listeners of the target, or of what it is in; that it was relabelled showed before the last of them ran.
fn overtaken(reason: &str, actual: Option<Shown>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: actual.map(Box::new), partial: true, detail: None })
}
