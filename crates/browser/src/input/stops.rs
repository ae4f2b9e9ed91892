//! Where the debugger stops the page before its listeners, so that the page script can judge first: in documents that
//! we entered late, and where a target has several listeners for one event.

use super::mode::STOPPED;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::transport::read;
use crate::protocol::{DescribedNode, Evaluated, Listener, Listeners, NodeNumber, Resolved};
use handeye_scene::{Code, DocumentId, NativeId, Problem};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::RwLockReadGuard;
use tokio::time::Instant;

/// How long the target's document may take to arm or disarm.
pub(super) const ARM_LIMIT: Duration = Duration::from_secs(5);
/// How long input waits while a page is stopped for a frozen document.
const THAW_LIMIT: Duration = Duration::from_secs(3);
/// How deep in a target listeners are looked for that share its events.
const SEVERAL_DEPTH: u32 = 4;
/// The group of the objects by which they are asked for.
const SEVERAL: &str = "handeye-several";

/// Where a debugger stops: before the listeners of these events, on elements of this name (`*`: on all).
pub(super) struct Stops {
    pub(super) types: Vec<&'static str>,
    pub(super) on: String,
}

/// Whether our listeners stand before the page's in a document.
pub(super) async fn at_start(link: &Link, document: DocumentId) -> bool {
    let known = link.model().pages.document(document).and_then(|d| d.at_start);
    if let Some(known) = known {
        return known;
    }
    let Some((session, context)) =
        link.model().pages.document(document).map(|d| (d.session.clone(), d.context.clone()))
    else {
        return true;
    };
    let params = json!({ "expression": "handeye.atStart", "uniqueContextId": context, "returnByValue": true });
    let pending = link.connection.send(Some(&session), "Runtime.evaluate", params);
    let at_start = link.page_reply::<Option<bool>>(pending, CALL_LIMIT).await.ok().flatten().unwrap_or(false);
    if let Some(state) = link.model().pages.document_mut(document) {
        state.at_start = Some(at_start);
    }
    at_start
}

/// The events that the target has several listeners for: one may relabel it, and the next one act. Of elements in it, some
/// may listen for it. Asked by the page's own wrapper of the element: by ours, inline handlers would be made in our world. None
/// where the target is gone, which the page script judges; what doesn't answer in time is no page to press in.
pub(super) async fn stops_among_several(link: &Link, target: NativeId) -> Result<Option<Stops>, Problem> {
    let Some((session, context, main)) = where_it_is(link, target) else { return Ok(None) };
    let asked = Several { link, session: &session, until: Instant::now() + ARM_LIMIT };
    let found = asked.listeners(target, &context, main).await;
    link.connection.notify(Some(&session), "Runtime.releaseObjectGroup", json!({ "objectGroup": SEVERAL }));
    let Some((node, listeners)) = found? else { return Ok(None) };
    link.model().gesture.heard.clone_from(&listeners);
    Ok(among_several(&node, &listeners))
}

/// The session of the target's document, its context, and the page's own.
fn where_it_is(link: &Link, target: NativeId) -> Option<(String, String, i64)> {
    let model = link.model();
    let document = model.pages.document(target.document())?;
    let main = model.pages.frames.get(&document.frame)?.main_context_id;
    Some((document.session.clone(), document.context.clone(), main))
}

/// What listens at a target, asked within one limit.
struct Several<'a> {
    link: &'a Link,
    session: &'a str,
    until: Instant,
}

impl Several<'_> {
    /// None: the browser knows of no such thing any more.
    async fn answer<T: DeserializeOwned>(&self, method: &'static str, params: Value) -> Result<Option<T>, Problem> {
        let pending = self.link.connection.send(Some(self.session), method, params);
        match self.link.reply_by(pending, self.until, ARM_LIMIT).await? {
            Ok(raw) => read(method, &raw).map(Some).map_err(|e| self.link.problem(e)),
            Err(error) => match self.link.problem(error) {
                gone if gone.code == Code::Stale => Ok(None),
                problem => Err(problem),
            },
        }
    }

    async fn listeners(
        &self,
        target: NativeId,
        context: &str,
        main: i64,
    ) -> Result<Option<(NodeNumber, Vec<Listener>)>, Problem> {
        let element = json!({
            "expression": format!("handeye.element({})", target.number()), "uniqueContextId": context, "objectGroup": SEVERAL,
        });
        let own: Option<Evaluated> = self.answer("Runtime.evaluate", element).await?;
        let Some(own) = own.and_then(|own| own.result.object_id) else { return Ok(None) };
        let node: Option<DescribedNode> = self.answer("DOM.describeNode", json!({ "objectId": own })).await?;
        let Some(DescribedNode { node }) = node else { return Ok(None) };
        let theirs =
            json!({ "backendNodeId": node.backend_node_id, "executionContextId": main, "objectGroup": SEVERAL });
        let theirs: Option<Resolved> = self.answer("DOM.resolveNode", theirs).await?;
        let Some(theirs) = theirs.and_then(|theirs| theirs.object.object_id) else { return Ok(None) };
        let asked = json!({ "objectId": theirs, "depth": SEVERAL_DEPTH, "pierce": true });
        let found: Option<Listeners> = self.answer("DOMDebugger.getEventListeners", asked).await?;
        Ok(found.map(|found| (node, found.listeners)))
    }
}

fn among_several(node: &NodeNumber, listeners: &[Listener]) -> Option<Stops> {
    let holders = |kind: &str| {
        let mut holders: HashMap<i64, usize> = HashMap::new();
        for listener in listeners.iter().filter(|l| l.kind == kind) {
            *holders.entry(listener.backend_node_id.unwrap_or(node.backend_node_id)).or_default() += 1;
        }
        holders.remove(&node.backend_node_id);
        holders
    };
    let count = |kind: &str, own: bool| {
        let of_kind = listeners.iter().filter(|l| l.kind == kind);
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

/// Makes the debugger stop before listeners of the gesture's events, so that the page script can judge first. `paused` has it
/// from the first moment, so that whatever comes between ends it.
pub(super) async fn stop_at_listeners(
    link: &Link,
    document: DocumentId,
    stops: Stops,
    paused: &mut Vec<(String, Stops)>,
) -> Result<(), Problem> {
    let (session, contexts) = {
        let mut model = link.model();
        let session = model.pages.document(document).map(|d| d.session.clone()).unwrap_or_default();
        let contexts: Vec<String> =
            model.pages.living().filter(|d| d.session == session).map(|d| d.context.clone()).collect();
        model.guard.paused_checks.insert(session.clone(), contexts.clone());
        // Nothing comes behind the last event of a click.
        model.guard.one_by_one |= stops.types.iter().any(|kind| *kind != "click");
        (session, contexts)
    };
    debug_assert!(!contexts.is_empty());
    link.connection.notify(Some(&session), "Debugger.enable", json!({}));
    for event in &stops.types {
        let at = json!({ "eventName": event, "targetName": stops.on });
        link.connection.notify(Some(&session), "DOMDebugger.setEventListenerBreakpoint", at);
    }
    paused.push((session.clone(), stops));
    link.call::<Value>(Some(&session), "Debugger.setSkipAllPauses", json!({ "skip": false }), ARM_LIMIT).await?;
    Ok(())
}

/// Whether the debugger stops the page in events of the gesture that aren't its `last`. Input that comes to a page that is
/// stopped is lost: then one event is sent after the other.
pub(super) fn stops_at_listeners(link: &Link, last: bool) -> bool {
    let model = link.model();
    !model.guard.paused_checks.is_empty() && (model.guard.one_by_one || !last)
}

/// Input is on its way until this is dropped: nothing but the gesture itself stops a page meanwhile, which would lose it. Not to be
/// asked for by who has it.
pub(super) async fn sending(link: &Link) -> Option<RwLockReadGuard<'_, ()>> {
    link.shared.sending(link.in_time(Instant::now() + THAW_LIMIT)).await
}
