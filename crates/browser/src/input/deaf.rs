//! Whether nothing at all hears a press at an element: then what changes after one isn't its effect.

use super::stops::ARM_LIMIT;
use crate::cdp::link::Link;
use crate::cdp::transport::PendingReply;
use crate::protocol::{DescribedNode, Evaluated, Listeners, Properties, Resolved};
use handeye_scene::NativeId;
use serde_json::{Value, json};

/// The group of the objects by which it is asked.
const GROUP: &str = "handeye-deaf";
/// How deep in the element listeners are looked for: what is pressed may lie in it.
const DEPTH: u32 = 12;
/// Events that a press at an element brings about, there or where the focus was.
const HEARD: [&str; 16] = [
    "pointerdown",
    "mousedown",
    "pointerup",
    "mouseup",
    "click",
    "dblclick",
    "auxclick",
    "contextmenu",
    "touchstart",
    "touchend",
    "focus",
    "focusin",
    "blur",
    "focusout",
    "change",
    "selectionchange",
];

/// Whether neither the element nor anything that its events pass through listens for a press, nor acts by itself. What can't be
/// told isn't deaf.
pub(crate) async fn is_deaf(link: &Link, target: NativeId) -> bool {
    let Some(asking) = Asking::of(link, target) else { return false };
    let is_deaf = asking.is_deaf(target.number()).await.unwrap_or(false);
    let group = json!({ "objectGroup": GROUP });
    link.connection.notify(Some(&asking.session), "Runtime.releaseObjectGroup", group);
    is_deaf
}

/// By what a document is asked.
struct Asking<'a> {
    link: &'a Link,
    session: String,
    /// Our world's context.
    ours: String,
    /// The page's.
    main: i64,
}

impl<'a> Asking<'a> {
    fn of(link: &'a Link, target: NativeId) -> Option<Self> {
        let model = link.model();
        let document = model.pages.document(target.document())?;
        let main = model.pages.frames.get(&document.frame)?.main_context_id;
        Some(Self { link, session: document.session.clone(), ours: document.context.clone(), main })
    }

    fn send(&self, method: &'static str, params: Value) -> PendingReply {
        self.link.connection.send(Some(&self.session), method, params)
    }

    fn evaluate(&self, expression: &str) -> PendingReply {
        let params = json!({ "expression": expression, "uniqueContextId": self.ours, "objectGroup": GROUP });
        self.send("Runtime.evaluate", params)
    }

    async fn properties(&self, of: Evaluated) -> Option<Properties> {
        let params = json!({ "objectId": of.result.object_id?, "ownProperties": true });
        self.link.answer(self.send("Runtime.getProperties", params), ARM_LIMIT).await.ok()
    }

    /// None: it can't be told.
    async fn is_deaf(&self, number: u32) -> Option<bool> {
        let path = self.evaluate(&format!("handeye.pressPath({number})"));
        let own = self.evaluate("handeye.pressPath");
        let window = json!({ "expression": "globalThis", "contextId": self.main, "objectGroup": GROUP });
        let window = self.send("Runtime.evaluate", window);
        let path: Evaluated = self.link.answer(path, ARM_LIMIT).await.ok()?;
        let own: Evaluated = self.link.answer(own, ARM_LIMIT).await.ok()?;
        let window: Evaluated = self.link.answer(window, ARM_LIMIT).await.ok()?;
        let nodes = self.properties(path).await?;
        let script = self.properties(own).await?.script()?;
        let mut heard_by = self.as_the_page_has_them(nodes.objects()).await?;
        heard_by.push(window.result.object_id?);
        self.listens(&heard_by, &script).await.map(|listens| !listens)
    }

    /// The page's own objects of these nodes: by ours, inline handlers would be made in our world.
    async fn as_the_page_has_them(&self, nodes: impl Iterator<Item = &str>) -> Option<Vec<String>> {
        let asked: Vec<_> = nodes.map(|id| self.send("DOM.describeNode", json!({ "objectId": id }))).collect();
        let mut resolved = Vec::new();
        for node in asked {
            let DescribedNode { node } = self.link.answer(node, ARM_LIMIT).await.ok()?;
            let params =
                json!({ "backendNodeId": node.backend_node_id, "executionContextId": self.main, "objectGroup": GROUP });
            resolved.push(self.send("DOM.resolveNode", params));
        }
        let mut objects = Vec::new();
        for object in resolved {
            let Resolved { object } = self.link.answer(object, ARM_LIMIT).await.ok()?;
            objects.push(object.object_id?);
        }
        Some(objects)
    }

    /// Whether one of these objects, or what is in the first, has a listener for a press that isn't of our `script`.
    async fn listens(&self, objects: &[String], script: &str) -> Option<bool> {
        let ask = |(i, id): (usize, &String)| {
            let depth = if i == 0 { DEPTH } else { 1 };
            let params = json!({ "objectId": id, "depth": depth, "pierce": i == 0 });
            self.send("DOMDebugger.getEventListeners", params)
        };
        let asked: Vec<_> = objects.iter().enumerate().map(ask).collect();
        let mut listens = false;
        for found in asked {
            let found: Listeners = self.link.answer(found, ARM_LIMIT).await.ok()?;
            listens |= found.listeners.iter().any(|l| HEARD.contains(&l.kind.as_str()) && l.script_id != script);
        }
        Some(listens)
    }
}
