//! What listens to events at an element, asked of a document.

use super::stops::ARM_LIMIT;
use crate::cdp::link::Link;
use crate::cdp::transport::PendingReply;
use crate::protocol::{DescribedNode, Evaluated, Listener, Listeners, Properties, Resolved};
use handeye_scene::DocumentId;
use serde_json::{Value, json};

/// How deep in the element listeners are looked for: what is pressed may lie in it.
const DEPTH: u32 = 12;

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
}

impl<'a> Asking<'a> {
    pub(super) fn of(link: &'a Link, document: DocumentId, group: &'static str) -> Option<Self> {
        let model = link.model();
        let document = model.pages.document(document)?;
        let main = model.pages.frames.get(&document.frame)?.main_context_id;
        Some(Self { link, session: document.session.clone(), group, ours: document.context.clone(), main })
    }

    fn send(&self, method: &'static str, params: Value) -> PendingReply {
        self.link.connection.send(Some(&self.session), method, params)
    }

    fn evaluate(&self, expression: &str) -> PendingReply {
        let params = json!({ "expression": expression, "uniqueContextId": self.ours, "objectGroup": self.group });
        self.send("Runtime.evaluate", params)
    }

    async fn properties(&self, of: Evaluated) -> Option<Properties> {
        let params = json!({ "objectId": of.result.object_id?, "ownProperties": true });
        self.link.answer(self.send("Runtime.getProperties", params), ARM_LIMIT).await.ok()
    }

    /// What listens at the nodes that an expression gives, in the first of them, and at the window; none: it can't be told.
    pub(super) async fn listeners(&self, nodes: &str) -> Option<Vec<Listener>> {
        let path = self.evaluate(nodes);
        let window = json!({ "expression": "globalThis", "contextId": self.main, "objectGroup": self.group });
        let window = self.send("Runtime.evaluate", window);
        let path: Evaluated = self.link.answer(path, ARM_LIMIT).await.ok()?;
        let window: Evaluated = self.link.answer(window, ARM_LIMIT).await.ok()?;
        let nodes = self.properties(path).await?;
        let mut heard_by = self.as_the_page_has_them(nodes.objects()).await?;
        heard_by.push(window.result.object_id?);
        self.listening(&heard_by).await
    }

    /// The script of ours.
    pub(super) async fn script(&self) -> Option<String> {
        let own: Evaluated = self.link.answer(self.evaluate("handeye.pressPath"), ARM_LIMIT).await.ok()?;
        self.properties(own).await?.script()
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
    async fn as_the_page_has_them(&self, nodes: impl Iterator<Item = &str>) -> Option<Vec<String>> {
        let asked: Vec<_> = nodes.map(|id| self.send("DOM.describeNode", json!({ "objectId": id }))).collect();
        let mut resolved = Vec::new();
        for node in asked {
            let DescribedNode { node } = self.link.answer(node, ARM_LIMIT).await.ok()?;
            let params = json!({ "backendNodeId": node.backend_node_id, "executionContextId": self.main, "objectGroup": self.group });
            resolved.push(self.send("DOM.resolveNode", params));
        }
        let mut objects = Vec::new();
        for object in resolved {
            let Resolved { object } = self.link.answer(object, ARM_LIMIT).await.ok()?;
            objects.push(object.object_id?);
        }
        Some(objects)
    }

    /// What listens at these objects, and in the first of them.
    async fn listening(&self, objects: &[String]) -> Option<Vec<Listener>> {
        let ask = |(i, id): (usize, &String)| {
            let depth = if i == 0 { DEPTH } else { 1 };
            let params = json!({ "objectId": id, "depth": depth, "pierce": i == 0 });
            self.send("DOMDebugger.getEventListeners", params)
        };
        let asked: Vec<_> = objects.iter().enumerate().map(ask).collect();
        let mut listeners = Vec::new();
        for found in asked {
            let found: Listeners = self.link.answer(found, ARM_LIMIT).await.ok()?;
            listeners.extend(found.listeners);
        }
        Some(listeners)
    }
}
