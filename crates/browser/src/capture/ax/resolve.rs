//! From the browser's numbers of nodes to the page script's numbers of elements.

use super::frames::Framed;
use crate::cdp::link::{CALL_LIMIT, Link};
use crate::cdp::page_call::PageError;
use crate::protocol::{Evaluated, Resolved};
use handeye_scene::{Code, DocumentId, NativeId, Problem};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::Instant;

/// How many nodes are handed to the page script at once.
const BATCH: usize = 500;
/// Handles of nodes are held under this name until the batch is done.
const GROUP: &str = "handeye-ax";

/// `DOM.describeNode`, of which only the node's number is wanted.
#[derive(Deserialize)]
struct Described {
    node: DescribedNode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DescribedNode {
    backend_node_id: i64,
}

/// What elements are called; none for those that are gone or are no elements.
pub(crate) async fn numbers_of(
    link: &Link,
    document: DocumentId,
    nodes: &[i64],
) -> Result<Vec<Option<NativeId>>, Problem> {
    let function = "(_, ...nodes) => handeye.called(...nodes)";
    let numbers: Vec<u32> = match with_nodes(link, document, nodes, function, &Value::Null).await {
        Ok(numbers) => numbers,
        Err(PageError::Gone) => Vec::new(),
        Err(PageError::Problem(problem)) => return Err(problem),
    };
    let called = |i: usize| numbers.get(i).filter(|n| **n > 0).map(|n| NativeId::new(document, *n));
    Ok((0..nodes.len()).map(called).collect())
}

/// Runs a function of the page script's world on nodes, batch by batch: `(want, ...nodes) => answers`, one for each.
pub(crate) async fn with_nodes<T: DeserializeOwned>(
    link: &Link,
    document: DocumentId,
    nodes: &[i64],
    function: &str,
    want: &Value,
) -> Result<Vec<T>, PageError> {
    let (session, context, context_id) = {
        let model = link.model();
        let state = model.pages.document(document).filter(|d| d.alive).ok_or(PageError::Gone)?;
        (state.session.clone(), state.context.clone(), state.context_id)
    };
    let mut out = Vec::with_capacity(nodes.len());
    for batch in nodes.chunks(BATCH) {
        let mut arguments = vec![json!({ "value": want })];
        let resolve = |id: &i64| {
            let params = json!({ "backendNodeId": id, "executionContextId": context_id, "objectGroup": GROUP });
            link.connection.send(Some(&session), "DOM.resolveNode", params)
        };
        let all_pending: Vec<_> = batch.iter().map(resolve).collect();
        let deadline = Instant::now() + CALL_LIMIT;
        for pending in all_pending {
            arguments.push(match link.answer_by::<Resolved>(pending, deadline, CALL_LIMIT).await {
                Ok(Resolved { object }) => json!({ "objectId": object.object_id }),
                Err(problem) if matches!(problem.code, Code::Lost | Code::Blocked | Code::Timeout) => {
                    return Err(problem.into());
                }
                // It is gone.
                Err(_) => json!({ "value": null }),
            });
        }
        let params = json!({
            "functionDeclaration": function, "arguments": arguments, "uniqueContextId": context, "returnByValue": true,
        });
        let pending = link.connection.send(Some(&session), "Runtime.callFunctionOn", params);
        let answers = link.page_reply::<Vec<T>>(pending, CALL_LIMIT).await;
        link.connection.notify(Some(&session), "Runtime.releaseObjectGroup", json!({ "objectGroup": GROUP }));
        out.extend(answers?);
    }
    Ok(out)
}

/// Where an element stands in the trees: index of its document, backend node.
pub(crate) async fn focus_of(link: &Link, id: NativeId, frames: &[Framed]) -> Result<(usize, i64), Problem> {
    let gone = || Problem::new(Code::Stale, "the element to focus on is gone").hint("handeye state");
    let at = frames.iter().position(|f| f.document == Some(id.document())).ok_or_else(gone)?;
    let context = link.model().pages.document(id.document()).map(|d| d.context.clone()).ok_or_else(gone)?;
    let session = Some(frames[at].session.as_str());
    let params = json!({ "expression": format!("handeye.element({})", id.number()), "uniqueContextId": context });
    let evaluated: Evaluated =
        link.answer(link.connection.send(session, "Runtime.evaluate", params), CALL_LIMIT).await?;
    let object = evaluated.result.object_id.ok_or_else(gone)?;
    let params = json!({ "objectId": object });
    let described =
        link.answer::<Described>(link.connection.send(session, "DOM.describeNode", params), CALL_LIMIT).await;
    link.connection.notify(session, "Runtime.releaseObject", json!({ "objectId": object }));
    Ok((at, described?.node.backend_node_id))
}
