//! A hidden tab that shows an empty page of any origin, for what only a page of that origin may touch.
//!
//! No request of it reaches the network: each is answered here with an empty page.

use super::sessions::Sessions;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::transport::{CallError, read};
use crate::model::hidden_tab::HiddenTab;
use crate::protocol::json::parse;
use crate::protocol::{Attached, Evaluated};
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

/// A hidden tab is to come; its number.
fn want(sessions: &Sessions) -> u64 {
    let mut model = sessions.link.model();
    model.targets.hidden_tabs += 1;
    model.targets.hidden_tab = HiddenTab::Wanted(model.targets.hidden_tabs, Vec::new());
    model.targets.hidden_tabs
}

/// The browser has said which target the hidden tab is that was asked for by this number: what waited for that goes on.
/// Whoever asked may have given it up meanwhile.
fn name(sessions: &Sessions, number: u64, target: String, given_up: bool) {
    let named = target.clone();
    let waiting = {
        let mut model = sessions.link.model();
        let waiting = match &mut model.targets.hidden_tab {
            HiddenTab::Wanted(wanted, waiting) if *wanted == number => Some(std::mem::take(waiting)),
            _ => None,
        };
        match (waiting, given_up) {
            (Some(waiting), false) => {
                model.targets.hidden_tab = HiddenTab::Named(target);
                waiting
            }
            (waiting, _) => {
                if waiting.is_some() {
                    model.targets.hidden_tab = HiddenTab::None;
                }
                let own = |attached: &Attached| attached.target_info.target_id == target;
                let waiting = waiting.unwrap_or_default().into_iter().filter(|attached| !own(attached)).collect();
                sessions.link.connection.notify(None, "Target.closeTarget", json!({ "targetId": target }));
                waiting
            }
        }
    };
    go_on(sessions, waiting, Some(&named));
}

/// There is to be no hidden tab: its target, if it has one.
fn leave(sessions: &Sessions) -> Option<String> {
    let left = std::mem::take(&mut sessions.link.model().targets.hidden_tab);
    match left {
        HiddenTab::None => None,
        HiddenTab::Wanted(_, waiting) => {
            go_on(sessions, waiting, None);
            None
        }
        HiddenTab::Named(target) | HiddenTab::There(_, target) => Some(target),
    }
}

/// These waited, and are tabs like any other, but for the one that was to be hidden.
fn go_on(sessions: &Sessions, waiting: Vec<Attached>, hidden: Option<&str>) {
    let untold = std::mem::take(&mut sessions.link.model().targets.untold);
    untold.iter().filter(|tab| Some(tab.target_id.as_str()) != hidden).for_each(|tab| sessions.created(tab));
    waiting.into_iter().for_each(|attached| sessions.attached(attached));
    sessions.link.shared.bump();
}

fn sessions(link: &Link) -> Sessions {
    Sessions { link: link.clone() }
}

/// Runs `expression` in an empty page of each origin, in one hidden tab; what it gave for each.
pub(crate) async fn at_origins<T: DeserializeOwned>(
    link: &Link,
    asked: &[(String, String)],
) -> Result<Vec<T>, Problem> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let session = open(link).await?;
    let mut out = Vec::new();
    let mut failed = None;
    for (origin, expression) in asked {
        match at_origin(link, &session, origin, expression).await {
            Ok(value) => out.push(value),
            Err(problem) => {
                failed = Some(problem);
                break;
            }
        }
    }
    close(link).await;
    failed.map_or(Ok(out), Err)
}

async fn at_origin<T: DeserializeOwned>(
    link: &Link,
    session: &str,
    origin: &str,
    expression: &str,
) -> Result<T, Problem> {
    let url = format!("{origin}/");
    let navigated: Value = link.call(Some(session), "Page.navigate", json!({ "url": url }), CALL_LIMIT).await?;
    if let Some(error) = navigated.get("errorText").and_then(Value::as_str).filter(|e| !e.is_empty()) {
        return Err(Problem::new(Code::Unreachable, format!("no page of {origin} can be shown: {error}"))
            .hint("handeye storage list"));
    }
    let params = json!({ "expression": expression, "returnByValue": true });
    let evaluated: Evaluated = link.call(Some(session), "Runtime.evaluate", params, CALL_LIMIT).await?;
    value_of(evaluated, origin)
}

async fn open(link: &Link) -> Result<String, Problem> {
    // What an earlier command left that was broken off.
    close(link).await;
    let number = want(&sessions(link));
    let hidden = json!({ "url": "about:blank", "hidden": true, "background": true });
    let made = match make(link, number, hidden).await {
        // Browsers that know no hidden tabs.
        Err(problem) if problem.code == Code::Bug => {
            make(link, number, json!({ "url": "about:blank", "background": true })).await
        }
        other => other,
    };
    let opened = match made {
        Ok(target) => enter(link, &target).await,
        Err(problem) => Err(problem),
    };
    if opened.is_err() {
        close(link).await;
    }
    opened
}

/// Gets the hidden tab's session, in which no request reaches the network.
async fn enter(link: &Link, target: &str) -> Result<String, Problem> {
    let session = session_of(link, target).await?;
    link.connection.notify(Some(&session), "Network.setBypassServiceWorker", json!({ "bypass": true }));
    link.call::<Value>(Some(&session), "Fetch.enable", json!({}), CALL_LIMIT).await?;
    Ok(session)
}

/// Has the browser make the tab; its target. It is named where the events are applied, in order with them.
async fn make(link: &Link, number: u64, params: Value) -> Result<String, Problem> {
    let method = "Target.createTarget";
    let sessions = sessions(link);
    let (tell, told) = oneshot::channel();
    link.connection.then(None, method, link.in_context(params), move |reply| {
        let made = reply.and_then(|raw| read::<Created>(method, &raw)).map(|made| made.target_id);
        if let Ok(target) = &made {
            name(&sessions, number, target.clone(), tell.is_closed());
        }
        let _ = tell.send(made);
    });
    let (deadline, limit) = link.within(Instant::now() + CALL_LIMIT, CALL_LIMIT);
    let made = match tokio::time::timeout_at(deadline, told).await {
        Ok(Ok(made)) => made,
        Ok(Err(_)) => Err(CallError::Lost("the connection was closed".into())),
        Err(_) => return Err(link.mute(limit)),
    };
    made.map_err(|e| link.problem(e))
}

async fn session_of(link: &Link, target: &str) -> Result<String, Problem> {
    let there = || match &link.model().targets.hidden_tab {
        HiddenTab::There(session, _) => Some(session.clone()),
        _ => None,
    };
    // A browser of ours attaches to every tab by itself, but not to hidden ones.
    if there().is_none() {
        let params = json!({ "targetId": target, "flatten": true });
        link.call::<Value>(None, "Target.attachToTarget", params, CALL_LIMIT).await?;
    }
    let deadline = Instant::now() + CALL_LIMIT;
    link.shared.wait_until(deadline, || Ok(there())).await?.ok_or_else(|| {
        Problem::new(Code::Timeout, "the browser didn't open a hidden tab in time").hint("handeye tabs list")
    })
}

async fn close(link: &Link) {
    if let Some(target) = leave(&sessions(link)) {
        let _ = link.call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }), CALL_LIMIT).await;
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
    use crate::cdp::outbox::{ToSend, outbox};
    use crate::cdp::transport::Connection;
    use crate::cdp::wire::Wire;
    use crate::model::shared::Shared;
    use tokio::sync::mpsc;

    /// A browser of ours that says what the test has it say; what is sent to it.
    fn browser() -> (Sessions, ToSend) {
        let (outgoing, sent) = outbox();
        let wire = Wire { outgoing, incoming: mpsc::channel(1).1, tasks: Vec::new() };
        let sessions = super::sessions(&Link::new(Connection::new(&wire), Shared::new(true)));
        assert_eq!(want(&sessions), 1);
        (sessions, sent)
    }

    /// A tab comes: its target is named as its session, in capitals.
    fn comes(sessions: &Sessions, session: &str, opener: Option<&str>) {
        let target =
            json!({ "targetId": session.to_uppercase(), "type": "page", "title": "", "url": "", "openerId": opener });
        let told = json!({ "sessionId": session, "targetInfo": target, "waitingForDebugger": true });
        sessions.attached(parse(&told.to_string()).unwrap());
    }

    fn tabs(sessions: &Sessions) -> Vec<String> {
        sessions.link.model().pages.tabs.iter().map(|t| t.target.clone()).collect()
    }

    /// The methods that a session was sent.
    fn sent_to(session: &str, sent: &mut ToSend) -> Vec<String> {
        let mut out = Vec::new();
        while let Some(text) = sent.now() {
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
            let (sessions, mut sent) = browser();
            order.iter().for_each(|session| comes(&sessions, session, None));
            assert!(tabs(&sessions).is_empty() && sent.now().is_none(), "{order:?}: none runs before it is known");
            name(&sessions, 1, "OWN".into(), false);
            assert!(
                matches!(&sessions.link.model().targets.hidden_tab, HiddenTab::There(s, t) if s == "own" && t == "OWN"),
                "{order:?}"
            );
            assert_eq!(tabs(&sessions), ["POPUP"], "{order:?}");
            let told = sent_to("popup", &mut sent);
            assert!(told.contains(&"Page.enable".into()), "{told:?}");
            assert_eq!(told.last().map(String::as_str), Some("Runtime.runIfWaitingForDebugger"));
        }
    }

    #[test]
    fn tabs_that_come_when_it_is_named_or_that_have_an_opener_do_not_wait() {
        let (sessions, mut sent) = browser();
        comes(&sessions, "tied", Some("TAB"));
        assert_eq!(tabs(&sessions), ["TIED"]);
        name(&sessions, 1, "OWN".into(), false);
        comes(&sessions, "popup", None);
        comes(&sessions, "own", None);
        comes(&sessions, "late", None);
        assert_eq!(tabs(&sessions), ["TIED", "POPUP", "LATE"]);
        assert_eq!(sent_to("own", &mut sent), ["Runtime.runIfWaitingForDebugger"]);
        comes(&sessions, "own", None);
        assert_eq!(tabs(&sessions).len(), 3, "attached to twice");
    }

    /// A browser that is attached to, with a context of ours, tells of a page of it.
    fn is_told(sessions: &Sessions, target: &str) {
        let told = json!({ "targetId": target, "type": "page", "title": "", "url": "", "browserContextId": "OURS" });
        sessions.created(&parse(&told.to_string()).unwrap());
    }

    #[test]
    fn in_a_context_of_ours_tabs_that_come_meanwhile_are_told_of_later() {
        let attached = || {
            let (sessions, sent) = browser();
            {
                let mut model = sessions.link.model();
                model.browser.owned = false;
                model.browser.context = Some("OURS".into());
            }
            (sessions, sent)
        };
        for order in [["POPUP", "OWN"], ["OWN", "POPUP"]] {
            for given_up in [false, true] {
                let (sessions, _sent) = attached();
                order.iter().for_each(|target| is_told(&sessions, target));
                assert!(tabs(&sessions).is_empty(), "{order:?}: which one it is isn't known yet");
                name(&sessions, 1, "OWN".into(), given_up);
                assert_eq!(tabs(&sessions), ["POPUP"], "{order:?} {given_up}");
            }
        }
        // Told after it was named.
        let (sessions, _sent) = attached();
        name(&sessions, 1, "OWN".into(), false);
        ["OWN", "POPUP"].iter().for_each(|target| is_told(&sessions, target));
        assert_eq!(tabs(&sessions), ["POPUP"]);
        // None is named.
        let (sessions, _sent) = attached();
        is_told(&sessions, "POPUP");
        assert_eq!((leave(&sessions), tabs(&sessions)), (None, vec!["POPUP".to_owned()]));
    }

    #[test]
    fn no_tab_is_lost_or_made_up_where_none_is_named() {
        let (sessions, mut sent) = browser();
        comes(&sessions, "popup", None);
        comes(&sessions, "gone", None);
        sessions.detached("gone");
        assert_eq!(leave(&sessions), None);
        assert_eq!(tabs(&sessions), ["POPUP"]);
        // The answer comes when it is wanted no more.
        sent_to("", &mut sent);
        name(&sessions, 1, "OWN".into(), false);
        let last: Value = parse(&sent.now().unwrap()).unwrap();
        assert_eq!((&last["method"], &last["params"]["targetId"]), (&"Target.closeTarget".into(), &"OWN".into()));
        assert!(matches!(sessions.link.model().targets.hidden_tab, HiddenTab::None));
    }

    /// The targets that the browser was to close.
    fn closed(sent: &mut ToSend) -> Vec<String> {
        let mut out = Vec::new();
        while let Some(text) = sent.now() {
            let message: Value = parse(&text).unwrap();
            if message["method"] == "Target.closeTarget" {
                out.push(message["params"]["targetId"].as_str().unwrap().to_owned());
            }
        }
        out
    }

    #[test]
    fn one_that_was_given_up_is_closed_and_holds_up_no_tab() {
        let (sessions, mut sent) = browser();
        comes(&sessions, "popup", None);
        comes(&sessions, "own", None);
        name(&sessions, 1, "OWN".into(), true);
        assert_eq!((tabs(&sessions), closed(&mut sent)), (vec!["POPUP".to_owned()], vec!["OWN".to_owned()]));
        assert!(matches!(sessions.link.model().targets.hidden_tab, HiddenTab::None));
    }

    #[test]
    fn one_that_was_given_up_is_not_taken_for_the_next() {
        let (sessions, mut sent) = browser();
        assert_eq!(leave(&sessions), None);
        assert_eq!(want(&sessions), 2);
        comes(&sessions, "popup", None);
        name(&sessions, 1, "OLD".into(), true);
        assert_eq!(closed(&mut sent), ["OLD"]);
        assert!(tabs(&sessions).is_empty(), "the next isn't known yet");
        name(&sessions, 2, "OWN".into(), false);
        assert_eq!(tabs(&sessions), ["POPUP"]);
        assert_eq!((leave(&sessions), closed(&mut sent)), (Some("OWN".into()), vec![]));
    }
}
