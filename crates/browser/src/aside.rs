//! A hidden tab that shows an empty page of any origin, for what only a page of that origin may touch.
//!
//! No request of it reaches the network: each is answered here with an empty page.

use crate::events::Events;
use crate::protocol::{Attached, Evaluated};
use crate::surface::{Browser, CALL_LIMIT};
use crate::transport::{CallError, parse, read};
use crate::world::Aside;
use base64::Engine as _;
use handeye_scene::{Code, Problem};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// What `Target.createTarget` answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

/// What answers a request of the hidden tab.
pub(crate) fn empty_page(request: &str) -> (&'static str, Value) {
    let body = base64::engine::general_purpose::STANDARD.encode("<!doctype html>");
    let headers = json!([{ "name": "Content-Type", "value": "text/html" }]);
    (
        "Fetch.fulfillRequest",
        json!({ "requestId": request, "responseCode": 200, "responseHeaders": headers, "body": body }),
    )
}

impl Aside {
    /// A session is gone.
    pub(crate) fn forget(&mut self, session: &str) {
        if let Aside::Wanted(_, waiting) = self {
            waiting.retain(|attached| attached.session_id != session);
        }
    }
}

impl Events {
    /// What we were attached to, unless it is the hidden tab. What may be it waits, before its first script, until the browser
    /// has said which target that is: news of a target comes before the answer that names it, and a page may open a tab that
    /// has no opener in between.
    pub(crate) fn not_aside(&self, attached: Attached) -> Option<Attached> {
        let target = &attached.target_info;
        if !matches!(target.kind.as_str(), "page" | "other") {
            return Some(attached);
        }
        let mut world = self.shared.world();
        match &mut world.aside {
            Aside::Wanted(_, waiting) if target.opener_id.is_none() => {
                waiting.push(attached);
                None
            }
            Aside::Named(named) if *named == target.target_id => {
                world.aside = Aside::There(attached.session_id.clone(), target.target_id.clone());
                self.connection.tell(Some(&attached.session_id), "Runtime.runIfWaitingForDebugger", json!({}));
                None
            }
            // Once is enough.
            Aside::There(_, own) if *own == target.target_id => {
                self.connection.tell(None, "Target.detachFromTarget", json!({ "sessionId": attached.session_id }));
                None
            }
            _ => Some(attached),
        }
    }

    /// A hidden tab is to come; its number.
    fn want_aside(&self) -> u64 {
        let mut world = self.shared.world();
        world.asides += 1;
        world.aside = Aside::Wanted(world.asides, Vec::new());
        world.asides
    }

    /// The browser has said which target the hidden tab is that was asked for by this number: what waited for that goes on.
    /// Whoever asked may have given it up meanwhile.
    fn name_aside(&self, number: u64, target: String, given_up: bool) {
        let waiting = {
            let mut world = self.shared.world();
            let waiting = match &mut world.aside {
                Aside::Wanted(wanted, waiting) if *wanted == number => Some(std::mem::take(waiting)),
                _ => None,
            };
            match (waiting, given_up) {
                (Some(waiting), false) => {
                    world.aside = Aside::Named(target);
                    waiting
                }
                (waiting, _) => {
                    if waiting.is_some() {
                        world.aside = Aside::None;
                    }
                    let own = |attached: &Attached| attached.target_info.target_id == target;
                    let waiting = waiting.unwrap_or_default().into_iter().filter(|attached| !own(attached)).collect();
                    self.connection.tell(None, "Target.closeTarget", json!({ "targetId": target }));
                    waiting
                }
            }
        };
        self.go_on(waiting);
    }

    /// There is to be no hidden tab: its target, if it has one.
    fn leave_aside(&self) -> Option<String> {
        let left = std::mem::take(&mut self.shared.world().aside);
        match left {
            Aside::None => None,
            Aside::Wanted(_, waiting) => {
                self.go_on(waiting);
                None
            }
            Aside::Named(target) | Aside::There(_, target) => Some(target),
        }
    }

    /// These waited, and are tabs like any other.
    fn go_on(&self, waiting: Vec<Attached>) {
        waiting.into_iter().for_each(|attached| self.attached(attached));
        self.shared.bump();
    }
}

impl Browser {
    /// Runs `expression` in an empty page of each origin, in one hidden tab; what it gave for each.
    pub(crate) async fn at_origins<T: DeserializeOwned>(
        &mut self,
        asked: &[(String, String)],
    ) -> Result<Vec<T>, Problem> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let session = self.open_aside().await?;
        let mut out = Vec::new();
        let mut failed = None;
        for (origin, expression) in asked {
            match self.at_origin(&session, origin, expression).await {
                Ok(value) => out.push(value),
                Err(problem) => {
                    failed = Some(problem);
                    break;
                }
            }
        }
        self.close_aside().await;
        failed.map_or(Ok(out), Err)
    }

    async fn at_origin<T: DeserializeOwned>(
        &self,
        session: &str,
        origin: &str,
        expression: &str,
    ) -> Result<T, Problem> {
        let url = format!("{origin}/");
        let navigated: Value = self.call(Some(session), "Page.navigate", json!({ "url": url }), CALL_LIMIT).await?;
        if let Some(error) = navigated.get("errorText").and_then(Value::as_str).filter(|e| !e.is_empty()) {
            return Err(Problem::new(Code::Unreachable, format!("no page of {origin} can be shown: {error}"))
                .hint("handeye storage list"));
        }
        let params = json!({ "expression": expression, "returnByValue": true });
        let evaluated: Evaluated = self.call(Some(session), "Runtime.evaluate", params, CALL_LIMIT).await?;
        value_of(evaluated, origin)
    }

    async fn open_aside(&mut self) -> Result<String, Problem> {
        // What an earlier command left that was broken off.
        self.close_aside().await;
        let number = self.events().want_aside();
        let hidden = json!({ "url": "about:blank", "hidden": true, "background": true });
        let made = match self.make_aside(number, hidden).await {
            // Browsers that know no hidden tabs.
            Err(problem) if problem.code == Code::Bug => {
                self.make_aside(number, json!({ "url": "about:blank", "background": true })).await
            }
            other => other,
        };
        let opened = match made {
            Ok(target) => self.enter_aside(&target).await,
            Err(problem) => Err(problem),
        };
        if opened.is_err() {
            self.close_aside().await;
        }
        opened
    }

    /// Gets the hidden tab's session, in which no request reaches the network.
    async fn enter_aside(&self, target: &str) -> Result<String, Problem> {
        let session = self.aside_session(target).await?;
        self.connection.tell(Some(&session), "Network.setBypassServiceWorker", json!({ "bypass": true }));
        self.call::<Value>(Some(&session), "Fetch.enable", json!({}), CALL_LIMIT).await?;
        Ok(session)
    }

    fn events(&self) -> Events {
        let viewport = self.shared.world().viewport;
        Events { shared: self.shared.clone(), connection: self.connection.clone(), viewport }
    }

    /// Has the browser make the tab; its target. It is named where the events are applied, in order with them.
    async fn make_aside(&self, number: u64, params: Value) -> Result<String, Problem> {
        let method = "Target.createTarget";
        let events = self.events();
        let (tell, told) = oneshot::channel();
        self.connection.then(None, method, params, move |reply| {
            let made = reply.and_then(|raw| read::<Created>(method, &raw)).map(|made| made.target_id);
            if let Ok(target) = &made {
                events.name_aside(number, target.clone(), tell.is_closed());
            }
            let _ = tell.send(made);
        });
        let (deadline, limit) = self.within(Instant::now() + CALL_LIMIT, CALL_LIMIT);
        let made = match tokio::time::timeout_at(deadline, told).await {
            Ok(Ok(made)) => made,
            Ok(Err(_)) => Err(CallError::Lost("the connection was closed".into())),
            Err(_) => return Err(self.mute(limit)),
        };
        made.map_err(|e| self.problem(e))
    }

    async fn aside_session(&self, target: &str) -> Result<String, Problem> {
        let there = |b: &Self| match &b.shared.world().aside {
            Aside::There(session, _) => Some(session.clone()),
            _ => None,
        };
        // A browser of ours attaches to every tab by itself, but not to hidden ones.
        if there(self).is_none() {
            let params = json!({ "targetId": target, "flatten": true });
            self.call::<Value>(None, "Target.attachToTarget", params, CALL_LIMIT).await?;
        }
        let deadline = Instant::now() + CALL_LIMIT;
        loop {
            let mut watch = self.shared.watch();
            if let Some(session) = there(self) {
                return Ok(session);
            }
            if tokio::time::timeout_at(deadline, watch.changed()).await.is_err() {
                return Err(Problem::new(Code::Timeout, "the browser didn't open a hidden tab in time")
                    .hint("handeye tabs list"));
            }
        }
    }

    async fn close_aside(&mut self) {
        if let Some(target) = self.events().leave_aside() {
            let _ = self.call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }), CALL_LIMIT).await;
        }
    }
}

/// What a script that touches a storage gave, or why it may not.
pub(crate) fn value_of<T: DeserializeOwned>(evaluated: Evaluated, origin: &str) -> Result<T, Problem> {
    if let Some(exception) = evaluated.exception_details {
        let text = exception.exception.and_then(|e| e.description).unwrap_or(exception.text);
        let first = text.lines().next().unwrap_or_default();
        let problem = Problem::new(Code::Unsupported, format!("the storage of {origin} can't be used: {first}"));
        return Err(problem.hint("handeye state"));
    }
    let value = evaluated.result.value.as_ref().map_or("null", |v| v.get());
    parse(value).map_err(|e| Problem::new(Code::Bug, format!("what the storage of {origin} holds can't be read: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Shared;
    use crate::transport::Connection;
    use crate::wire::Wire;
    use tokio::sync::mpsc;

    /// A browser of ours that says what the test has it say; what is sent to it.
    fn browser() -> (Events, mpsc::UnboundedReceiver<String>) {
        let (outgoing, sent) = mpsc::unbounded_channel();
        let wire = Wire { outgoing, incoming: mpsc::channel(1).1, tasks: Vec::new() };
        let events = Events { shared: Shared::new(true), connection: Connection::new(&wire), viewport: None };
        assert_eq!(events.want_aside(), 1);
        (events, sent)
    }

    /// A tab comes: its target is named as its session, in capitals.
    fn comes(events: &Events, session: &str, opener: Option<&str>) {
        let target =
            json!({ "targetId": session.to_uppercase(), "type": "page", "title": "", "url": "", "openerId": opener });
        let told = json!({ "sessionId": session, "targetInfo": target, "waitingForDebugger": true });
        events.attached(parse(&told.to_string()).unwrap());
    }

    fn tabs(events: &Events) -> Vec<String> {
        events.shared.world().tabs.iter().map(|t| t.target.clone()).collect()
    }

    /// The methods that a session was sent.
    fn sent_to(session: &str, sent: &mut mpsc::UnboundedReceiver<String>) -> Vec<String> {
        let mut out = Vec::new();
        while let Ok(text) = sent.try_recv() {
            let message: Value = parse(&text).unwrap();
            if message["sessionId"] == session {
                out.push(message["method"].as_str().unwrap().to_owned());
            }
        }
        out
    }

    #[test]
    fn the_hidden_tab_is_the_one_that_the_browser_names() {
        for order in [["popup", "own"], ["own", "popup"]] {
            let (events, mut sent) = browser();
            order.iter().for_each(|session| comes(&events, session, None));
            assert!(tabs(&events).is_empty() && sent.try_recv().is_err(), "{order:?}: none runs before it is known");
            events.name_aside(1, "OWN".into(), false);
            assert!(
                matches!(&events.shared.world().aside, Aside::There(s, t) if s == "own" && t == "OWN"),
                "{order:?}"
            );
            assert_eq!(tabs(&events), ["POPUP"], "{order:?}");
            let told = sent_to("popup", &mut sent);
            assert!(told.contains(&"Page.enable".into()), "{told:?}");
            assert_eq!(told.last().map(String::as_str), Some("Runtime.runIfWaitingForDebugger"));
        }
    }

    #[test]
    fn tabs_that_come_when_it_is_named_or_that_have_an_opener_do_not_wait() {
        let (events, mut sent) = browser();
        comes(&events, "tied", Some("TAB"));
        assert_eq!(tabs(&events), ["TIED"]);
        events.name_aside(1, "OWN".into(), false);
        comes(&events, "popup", None);
        comes(&events, "own", None);
        comes(&events, "late", None);
        assert_eq!(tabs(&events), ["TIED", "POPUP", "LATE"]);
        assert_eq!(sent_to("own", &mut sent), ["Runtime.runIfWaitingForDebugger"]);
        comes(&events, "own", None);
        assert_eq!(tabs(&events).len(), 3, "attached to twice");
    }

    #[test]
    fn no_tab_is_lost_or_made_up_where_none_is_named() {
        let (events, mut sent) = browser();
        comes(&events, "popup", None);
        comes(&events, "gone", None);
        events.detached("gone");
        assert_eq!(events.leave_aside(), None);
        assert_eq!(tabs(&events), ["POPUP"]);
        // The answer comes when it is wanted no more.
        sent_to("", &mut sent);
        events.name_aside(1, "OWN".into(), false);
        let last: Value = parse(&sent.try_recv().unwrap()).unwrap();
        assert_eq!((&last["method"], &last["params"]["targetId"]), (&"Target.closeTarget".into(), &"OWN".into()));
        assert!(matches!(events.shared.world().aside, Aside::None));
    }

    /// The targets that the browser was to close.
    fn closed(sent: &mut mpsc::UnboundedReceiver<String>) -> Vec<String> {
        let mut out = Vec::new();
        while let Ok(text) = sent.try_recv() {
            let message: Value = parse(&text).unwrap();
            if message["method"] == "Target.closeTarget" {
                out.push(message["params"]["targetId"].as_str().unwrap().to_owned());
            }
        }
        out
    }

    #[test]
    fn one_that_was_given_up_is_closed_and_holds_up_no_tab() {
        let (events, mut sent) = browser();
        comes(&events, "popup", None);
        comes(&events, "own", None);
        events.name_aside(1, "OWN".into(), true);
        assert_eq!((tabs(&events), closed(&mut sent)), (vec!["POPUP".to_owned()], vec!["OWN".to_owned()]));
        assert!(matches!(events.shared.world().aside, Aside::None));
    }

    #[test]
    fn one_that_was_given_up_is_not_taken_for_the_next() {
        let (events, mut sent) = browser();
        assert_eq!(events.leave_aside(), None);
        assert_eq!(events.want_aside(), 2);
        comes(&events, "popup", None);
        events.name_aside(1, "OLD".into(), true);
        assert_eq!(closed(&mut sent), ["OLD"]);
        assert!(tabs(&events).is_empty(), "the next isn't known yet");
        events.name_aside(2, "OWN".into(), false);
        assert_eq!(tabs(&events), ["POPUP"]);
        assert_eq!((events.leave_aside(), closed(&mut sent)), (Some("OWN".into()), vec![]));
    }
}
