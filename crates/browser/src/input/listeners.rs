//! What listens to events at an element, asked of a document.

use crate::cdp::link::Link;
use crate::cdp::transport::PendingReply;
use crate::protocol::{DescribedNode, Evaluated, Listener, Listeners, Properties, Resolved};
use handeye_scene::DocumentId;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// How deep in the element listeners are looked for: what is pressed may lie in it.
const DEPTH: u32 = 12;

/// It didn't answer in time, or not what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unanswered;

/// By what a document is asked.
pub(super) struct Asking<'a> {
    link: &'a Link,
    pub(super) session: String,
    /// The group of the objects by which it is asked.
    group: &'static str,
    /// Our world's context.
    ours: String,
    /// The page's.
    main: i64,
    /// Until when it may answer, and how long that is.
    until: (Instant, Duration),
}

impl<'a> Asking<'a> {
    /// Asks a document, within a limit for all that is asked; none where it is gone.
    pub(super) fn of(link: &'a Link, document: DocumentId, group: &'static str, limit: Duration) -> Option<Self> {
        let model = link.model();
        let document = model.pages.document(document)?;
        let main = model.pages.frames.get(&document.frame)?.main_context_id;
        let until = (Instant::now() + limit, limit);
        Some(Self { link, session: document.session.clone(), group, ours: document.context.clone(), main, until })
    }

    fn send(&self, method: &'static str, params: Value) -> PendingReply {
        self.link.connection.send(Some(&self.session), method, params)
    }

    async fn answer<T: DeserializeOwned>(&self, pending: PendingReply) -> Result<T, Unanswered> {
        let (until, limit) = self.until;
        self.link.answer_by(pending, until, limit).await.map_err(|_| Unanswered)
    }

    fn evaluate(&self, expression: &str) -> PendingReply {
        let params = json!({ "expression": expression, "uniqueContextId": self.ours, "objectGroup": self.group });
        self.send("Runtime.evaluate", params)
    }

    async fn properties(&self, id: String) -> Result<Properties, Unanswered> {
        let params = json!({ "objectId": id, "ownProperties": true });
        self.answer(self.send("Runtime.getProperties", params)).await
    }

    /// What listens at the nodes that an expression gives, in the first of them, and at the window; none: it gives none.
    pub(super) async fn listeners(&self, nodes: &str) -> Result<Option<Vec<Listener>>, Unanswered> {
        let path = self.evaluate(nodes);
        let window = json!({ "expression": "globalThis", "contextId": self.main, "objectGroup": self.group });
        let window = self.send("Runtime.evaluate", window);
        let path: Evaluated = self.answer(path).await?;
        let window: Evaluated = self.answer(window).await?;
        let Some(path) = path.result.object_id else { return Ok(None) };
        let nodes = self.properties(path).await?;
        let mut heard_by = self.as_the_page_has_them(nodes.objects()).await?;
        heard_by.push(window.result.object_id.ok_or(Unanswered)?);
        self.listening(&heard_by).await.map(Some)
    }

    /// The script of ours.
    pub(super) async fn script(&self) -> Result<String, Unanswered> {
        let own: Evaluated = self.answer(self.evaluate("handeye.pressPath")).await?;
        self.properties(own.result.object_id.ok_or(Unanswered)?).await?.script().ok_or(Unanswered)
    }

    /// Lets go of what was asked about.
    pub(super) fn end(&self) {
        self.link.connection.notify(
            Some(&self.session),
            "Runtime.releaseObjectGroup",
            json!({ "objectGroup": self.group }),
        );
    }

    /// The page's own objects of these nodes: by ours, inline handlers would be made in our world.
    async fn as_the_page_has_them(&self, nodes: impl Iterator<Item = &str>) -> Result<Vec<String>, Unanswered> {
        let asked: Vec<_> = nodes.map(|id| self.send("DOM.describeNode", json!({ "objectId": id }))).collect();
        let mut resolved = Vec::new();
        for node in asked {
            let DescribedNode { node } = self.answer(node).await?;
            let params = json!({ "backendNodeId": node.backend_node_id, "executionContextId": self.main, "objectGroup": self.group });
            resolved.push(self.send("DOM.resolveNode", params));
        }
        let mut objects = Vec::new();
        for object in resolved {
            let Resolved { object } = self.answer(object).await?;
            objects.push(object.object_id.ok_or(Unanswered)?);
        }
        Ok(objects)
    }

    /// What listens at these objects, and in the first of them.
    async fn listening(&self, objects: &[String]) -> Result<Vec<Listener>, Unanswered> {
        let ask = |(i, id): (usize, &String)| {
            let depth = if i == 0 { DEPTH } else { 1 };
            let params = json!({ "objectId": id, "depth": depth, "pierce": i == 0 });
            self.send("DOMDebugger.getEventListeners", params)
        };
        let asked: Vec<_> = objects.iter().enumerate().map(ask).collect();
        let mut listeners = Vec::new();
        for found in asked {
            let found: Listeners = self.answer(found).await?;
            listeners.extend(found.listeners);
        }
        Ok(listeners)
    }
}
