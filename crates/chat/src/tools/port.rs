//! What a tool of the server is.

use crate::wire::ToolSpec;
use async_trait::async_trait;
use handeye_commands::core::chat_settings::ChatEffect;
use serde_json::Value;

/// A tool of the server.
#[async_trait]
pub trait ServerTool: Send + Sync {
    /// What models are told of it.
    fn spec(&self) -> &ToolSpec;
    /// What its calls do.
    fn effect(&self) -> ChatEffect {
        ChatEffect::Act
    }
    /// Carries a call out: what it returned, or why it failed. The arguments fit its schema.
    async fn call(&self, arguments: &Value) -> Result<String, String>;
}

/// A tool's declaration. The schema is written in this crate.
pub(super) fn declared(name: &str, description: &str, parameters: &Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters: parameters.into() }
}
