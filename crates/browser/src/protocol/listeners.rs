//! What listens at an element, as the browser tells it.

use serde::Deserialize;

/// `DOMDebugger.getEventListeners`.
#[derive(Debug, Deserialize)]
pub(crate) struct Listeners {
    pub(crate) listeners: Vec<Listener>,
}

/// `DOMDebugger.EventListener`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Listener {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) backend_node_id: Option<i64>,
    pub(crate) script_id: String,
    pub(crate) line_number: i64,
    pub(crate) column_number: i64,
    /// Told where the asked object is of a group.
    pub(crate) handler: Option<Handler>,
}

impl Listener {
    /// Whether it waits for something itself.
    pub(crate) fn is_async(&self) -> bool {
        self.handler.as_ref().is_some_and(|handler| handler.description.starts_with("async"))
    }
}

/// `Runtime.RemoteObject`, of a function.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Handler {
    /// Its source.
    pub(crate) description: String,
}
