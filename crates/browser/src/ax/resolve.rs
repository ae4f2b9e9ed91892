//! From the browser's numbers of nodes to the page script's numbers of elements.

use crate::protocol::Resolved;
use crate::surface::{Browser, CALL_LIMIT, PageError};
use handeye_scene::{Code, DocumentId, NativeId, Problem};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::Instant;

/// How many nodes are handed to the page script at once.
const BATCH: usize = 500;
/// Handles of nodes are held under this name until the batch is done.
const GROUP: &str = "handeye-ax";

impl Browser {
    /// What elements are called; none for those that are gone or are no elements.
    pub(crate) async fn numbers_of(
        &self,
        document: DocumentId,
        nodes: &[i64],
    ) -> Result<Vec<Option<NativeId>>, Problem> {
        let function = "(_, ...nodes) => handeye.called(...nodes)";
        let numbers: Vec<u32> = match self.with_nodes(document, nodes, function, &Value::Null).await {
            Ok(numbers) => numbers,
            Err(PageError::Gone) => Vec::new(),
            Err(PageError::Problem(problem)) => return Err(problem),
        };
        let called = |i: usize| numbers.get(i).filter(|n| **n > 0).map(|n| NativeId::new(document, *n));
        Ok((0..nodes.len()).map(called).collect())
    }

    /// Runs a function of the page script's world on nodes, batch by batch: `(want, ...nodes) => answers`, one for each.
    pub(crate) async fn with_nodes<T: DeserializeOwned>(
        &self,
        document: DocumentId,
        nodes: &[i64],
        function: &str,
        want: &Value,
    ) -> Result<Vec<T>, PageError> {
        let (session, context, context_id) = {
            let world = self.shared.world();
            let state = world.document(document).filter(|d| d.alive).ok_or(PageError::Gone)?;
            (state.session.clone(), state.context.clone(), state.context_id)
        };
        let mut out = Vec::with_capacity(nodes.len());
        for batch in nodes.chunks(BATCH) {
            let mut arguments = vec![json!({ "value": want })];
            let resolve = |id: &i64| {
                let params = json!({ "backendNodeId": id, "executionContextId": context_id, "objectGroup": GROUP });
                self.connection.send(Some(&session), "DOM.resolveNode", params)
            };
            let tickets: Vec<_> = batch.iter().map(resolve).collect();
            let deadline = Instant::now() + CALL_LIMIT;
            for ticket in tickets {
                arguments.push(match self.answer_by::<Resolved>(ticket, deadline, CALL_LIMIT).await {
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
            let ticket = self.connection.send(Some(&session), "Runtime.callFunctionOn", params);
            let answers = self.told::<Vec<T>>(ticket, CALL_LIMIT).await;
            self.connection.tell(Some(&session), "Runtime.releaseObjectGroup", json!({ "objectGroup": GROUP }));
            out.extend(answers?);
        }
        Ok(out)
    }
}
