//! What a script can't see by itself: closed shadow roots, and who listens for clicks.

use super::roots::roots;
use crate::cdp::link::{CALL_LIMIT, FRAME_LIMIT, Link};
use crate::cdp::page_call::PageError;
use crate::cdp::silent;
use crate::cdp::transport::PendingReply;
use crate::page::MAIN_WORLD;
use crate::protocol::{Evaluated, Listener, Listeners, Resolved};
use handeye_scene::{Code, DocumentId, Problem};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// Documents up to this many nodes are searched for closed roots whenever they changed; larger ones when first seen.
const SMALL: usize = 2_000;
/// Elements whose listeners are told to the script in one look; the rest follows in later ones.
const LISTENERS: usize = 300;
/// Up to so many elements that can have a root are asked about one by one, whatever the size of the document.
const FEW_HOSTS: usize = 12;
/// How deep closed roots are looked for in closed roots, then.
const ROOTS_IN_ROOTS: usize = 4;
/// How long a whole tree may take.
const TREE_LIMIT: Duration = Duration::from_secs(10);

/// Event types by which an element is operated.
const CLICKS: [&str; 7] = ["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart"];

#[derive(Debug, Deserialize)]
struct Version {
    version: u64,
    /// Something is being scrolled smoothly.
    #[serde(default)]
    scrolling: bool,
}

/// Tells the page script of every document that has changed since last time what it can't see.
/// Says which don't answer: there is no use in asking them more.
pub(crate) async fn find(link: &Link, documents: &[(String, DocumentId)]) -> Result<Vec<DocumentId>, Problem> {
    let mut silent = Vec::new();
    let began = Instant::now();
    let asked: Vec<_> = documents.iter().map(|(frame, d)| (frame, *d, link.send_to_page(*d, "changes", &[]))).collect();
    for (frame, document, pending) in asked {
        let Ok(pending) = pending else { continue };
        let limit = if link.model().pages.is_main(document) { TREE_LIMIT } else { silent::frame_limit(link, document) };
        let version = match link.page_reply_by::<Version>(pending, began + limit, limit).await {
            Ok(Version { version, scrolling }) => {
                if scrolling {
                    // Rectangles and hit tests of a moving page don't belong together.
                    let _ = link.page_call::<bool>(document, "rest", &[], FRAME_LIMIT).await;
                }
                version
            }
            Err(PageError::Problem(problem)) if problem.code == Code::Timeout => {
                if !link.model().pages.is_main(document) {
                    silent::note(link, document);
                }
                silent.push(document);
                continue;
            }
            // A document that is gone shows so in the capture itself.
            Err(_) => continue,
        };
        let scanned = link.model().pages.document(document).and_then(|d| d.scanned);
        if scanned == Some(version) {
            continue;
        }
        match scan(link, frame, document, scanned.is_none()).await {
            // It has stopped answering: what it doesn't tell now it tells when it is looked at next.
            Err(problem) if problem.code == Code::Timeout => continue,
            other => other?,
        }
        if let Some(state) = link.model().pages.document_mut(document) {
            state.scanned = Some(version);
        }
    }
    Ok(silent)
}

async fn scan(link: &Link, frame: &str, document: DocumentId, first: bool) -> Result<(), Problem> {
    let Some((session, context, size, main)) = ({
        let model = link.model();
        let main = model.pages.frames.get(frame).and_then(|f| f.main_context.clone());
        model.pages.document(document).map(|d| (d.session.clone(), d.context.clone(), d.size, main))
    }) else {
        return Ok(());
    };
    // The page's own document: asked with ours, Chromium makes our wrappers of elements with inline handlers in the
    // page's realm, and they are no Elements of ours any more.
    let own = main.as_ref().unwrap_or(&context);
    let params = json!({ "expression": "document", "uniqueContextId": own });
    let root: Result<Evaluated, Problem> =
        link.answer(link.connection.send(Some(&session), "Runtime.evaluate", params), CALL_LIMIT).await;
    let root = match root {
        Ok(evaluated) => evaluated.result.object_id,
        Err(problem) if problem.code == Code::Stale => None,
        Err(problem) => return Err(problem),
    };
    let Some(root) = root else { return Ok(()) };
    let whole = (first || size <= SMALL) && !find_roots_of_few(link, document).await?;
    let tree = whole.then(|| {
        let params = json!({ "objectId": root, "depth": -1, "pierce": true });
        link.connection.send(Some(&session), "DOM.describeNode", params)
    });
    let listeners = json!({ "objectId": root, "depth": -1, "pierce": true });
    let listeners = link.connection.send(Some(&session), "DOMDebugger.getEventListeners", listeners);
    if let Some(tree) = tree {
        let described = some(link.answer::<Box<RawValue>>(tree, TREE_LIMIT).await)?;
        adopt_roots(link, document, &session, described.as_ref().map(|d| d.get())).await?;
    }
    if let Some(found) = some(link.answer::<Listeners>(listeners, TREE_LIMIT).await)? {
        // Libraries that pass clicks on have to hear of them first: where nobody listens there is nothing to ask them.
        let any = found.listeners.iter().any(is_for_clicks);
        adopt_listeners(link, document, &session, found).await?;
        if let Some(main) = main.filter(|_| any) {
            adopt_hints(link, document, &session, &main).await?;
        }
    }
    link.connection.notify(Some(&session), "Runtime.releaseObject", json!({ "objectId": root }));
    Ok(())
}

/// Looks for closed roots where few elements can have one; false: there are many, and nothing was done.
async fn find_roots_of_few(link: &Link, document: DocumentId) -> Result<bool, Problem> {
    for _ in 0..ROOTS_IN_ROOTS {
        let hosts =
            link.page_call::<Option<Vec<u32>>>(document, "possibleHosts", &[json!(FEW_HOSTS)], TREE_LIMIT).await;
        let Ok(Some(hosts)) = hosts else { return Ok(false) };
        if !find_of(link, document, &hosts, false).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn adopt_hints(link: &Link, document: DocumentId, session: &str, main: &str) -> Result<(), Problem> {
    let params = json!({ "expression": MAIN_WORLD, "uniqueContextId": main, "returnByValue": true, "silent": true, "timeout": 500 });
    let pending = link.connection.send(Some(session), "Runtime.evaluate", params);
    if let Some(evaluated) = some(link.answer::<Evaluated>(pending, TREE_LIMIT).await)?
        && let Some(paths) = evaluated.result.value.and_then(|v| serde_json::from_str::<Value>(v.get()).ok())
        && paths.as_array().is_some_and(|p| !p.is_empty())
    {
        // The page's own world is not to be trusted: what isn't a path is refused by the script, and hints only add.
        let _ = link.page_call::<Value>(document, "hint", &[paths], CALL_LIMIT).await;
    }
    Ok(())
}

async fn adopt_roots(link: &Link, document: DocumentId, session: &str, tree: Option<&str>) -> Result<(), Problem> {
    // A tree that the browser can't describe as a whole (it nests too deep) is searched by its likely hosts alone.
    let (closed, size) = tree.map_or((Vec::new(), SMALL + 1), |text| {
        let found = roots(text);
        (found.closed, found.nodes)
    });
    let new: Vec<i64> = {
        let mut model = link.model();
        let Some(state) = model.pages.document_mut(document) else { return Ok(()) };
        state.size = size;
        closed.into_iter().filter(|id| state.roots.insert(*id)).collect()
    };
    for pending in resolve(link, document, session, &new) {
        adopt(link, session, pending).await?;
    }
    Ok(())
}

async fn adopt(link: &Link, session: &str, pending: PendingReply) -> Result<bool, Problem> {
    let Some(Resolved { object }) = some(link.answer::<Resolved>(pending, CALL_LIMIT).await)? else {
        return Ok(false);
    };
    let params = json!({
        "functionDeclaration": "function () { return handeye.adoptRoot(this.host, this); }",
        "objectId": object.object_id, "returnByValue": true,
    });
    let pending = link.connection.send(Some(session), "Runtime.callFunctionOn", params);
    Ok(link.page_reply::<bool>(pending, CALL_LIMIT).await.unwrap_or(false))
}

/// Looks for closed roots of a few elements; whether there were any. `once`: those without aren't asked about again.
pub(crate) async fn find_of(link: &Link, document: DocumentId, hosts: &[u32], once: bool) -> Result<bool, Problem> {
    let Some((session, context)) =
        link.model().pages.document(document).map(|d| (d.session.clone(), d.context.clone()))
    else {
        return Ok(false);
    };
    let mut found = false;
    let element = |host: &u32| {
        let params = json!({ "expression": format!("handeye.element({host})"), "uniqueContextId": context });
        (*host, link.connection.send(Some(&session), "Runtime.evaluate", params))
    };
    let asked: Vec<_> = hosts.iter().take(50).map(element).collect();
    for (host, pending) in asked {
        let Some(Evaluated { result, .. }) = some(link.answer(pending, CALL_LIMIT).await)? else { continue };
        let Some(object) = result.object_id else { continue };
        let params = json!({ "objectId": object, "depth": 1, "pierce": true });
        let pending = link.connection.send(Some(&session), "DOM.describeNode", params);
        let Some(described) = some(link.answer::<Box<RawValue>>(pending, CALL_LIMIT).await)? else { continue };
        let closed = roots(described.get()).closed;
        if closed.is_empty() && once {
            let _ = link.page_call::<Value>(document, "adoptRoot", &[json!(host), Value::Null], CALL_LIMIT).await;
        }
        // The host's own root may stand behind those of its children and of what is in it.
        for root in closed {
            let new = link.model().pages.document_mut(document).is_some_and(|d| d.roots.insert(root));
            for pending in resolve(link, document, &session, &[root]) {
                found |= adopt(link, &session, pending).await? && new;
            }
        }
    }
    Ok(found)
}

fn resolve(link: &Link, document: DocumentId, session: &str, backend: &[i64]) -> Vec<PendingReply> {
    let context = link.model().pages.document(document).map_or(0, |d| d.context_id);
    let send = |id: &i64| {
        let params = json!({ "backendNodeId": id, "executionContextId": context, "objectGroup": "handeye" });
        link.connection.send(Some(session), "DOM.resolveNode", params)
    };
    backend.iter().map(send).collect()
}

async fn adopt_listeners(link: &Link, document: DocumentId, session: &str, found: Listeners) -> Result<(), Problem> {
    let new: Vec<i64> = {
        let mut model = link.model();
        let Some(state) = model.pages.document_mut(document) else { return Ok(()) };
        let clicks = found.listeners.iter().filter(|l| is_for_clicks(l));
        let mut new: Vec<i64> = Vec::new();
        for id in clicks.filter_map(|l| l.backend_node_id) {
            if new.len() < LISTENERS && state.listening.insert(id) {
                new.push(id);
            }
        }
        new
    };
    if new.is_empty() {
        return Ok(());
    }
    let mut arguments = Vec::new();
    for pending in resolve(link, document, session, &new) {
        // Nodes of other documents don't resolve here; theirs are told to them.
        if let Some(Resolved { object }) = some(link.answer::<Resolved>(pending, CALL_LIMIT).await)?
            && object.subtype.as_deref() == Some("node")
        {
            arguments.push(json!({ "objectId": object.object_id }));
        }
    }
    let Some(context) = link.model().pages.document(document).map(|d| d.context.clone()) else { return Ok(()) };
    let params = json!({
        "functionDeclaration": "(...nodes) => handeye.adoptListeners(nodes)",
        "arguments": arguments, "uniqueContextId": context, "returnByValue": true,
    });
    let pending = link.connection.send(Some(session), "Runtime.callFunctionOn", params);
    let _ = link.page_reply::<Value>(pending, CALL_LIMIT).await;
    link.connection.notify(Some(session), "Runtime.releaseObjectGroup", json!({ "objectGroup": "handeye" }));
    Ok(())
}

fn is_for_clicks(listener: &Listener) -> bool {
    CLICKS.contains(&listener.kind.as_str())
}

/// An answer that may be missing because what was asked about has gone; the page being lost or held is a problem.
fn some<T>(answer: Result<T, Problem>) -> Result<Option<T>, Problem> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(problem) if matches!(problem.code, Code::Lost | Code::Blocked | Code::Timeout) => Err(problem),
        Err(_) => Ok(None),
    }
}
