//! What `handeye.toml` may say of the chat backend of `handeye serve`.

use handeye_scene::Wire;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a model is given tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Calling {
    /// By the wire's own means.
    #[default]
    Native,
    /// By a section of the prompt: the model answers with JSON in its text.
    Prompt,
}

/// A model that requests may name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatModel {
    /// What requests call it.
    pub name: String,
    /// What its server calls it, where that is another name.
    pub model: Option<String>,
    /// Base address of its server; that of `[models]` where it isn't set.
    pub url: Option<String>,
    /// Which wire it speaks; that of `[models]` where it isn't set.
    pub wire: Option<Wire>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// How long an answer may take, in seconds.
    pub timeout: Option<f64>,
    /// Tokens of an answer at most.
    pub max_tokens: Option<u32>,
    /// How it is given tools.
    pub calling: Calling,
}

/// An agent that requests may name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatAgent {
    /// What requests call it.
    pub id: String,
    /// What it is told above the conversation.
    pub prompt: Option<String>,
    /// Models that it may be asked with; all where none is named.
    pub models: Vec<String>,
    /// Tools of the server that it has; all that are configured where none is named.
    pub tools: Option<Vec<String>>,
}

/// Where `search_web` searches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// Address of a SearXNG that answers in JSON, such as `https://searx.example/search`.
    pub url: Option<String>,
}

/// The chat backend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatSettings {
    /// Origins that may ask, such as `chrome-extension://ID`; requests without an origin come from no page.
    pub origins: Vec<String>,
    /// Names that the server is reached by, beside this machine's own.
    pub hosts: Vec<String>,
    /// Models that requests may name.
    pub models: Vec<ChatModel>,
    /// Agents that requests may name.
    pub agents: Vec<ChatAgent>,
    /// How long a proposed call waits for the person, in seconds.
    pub approval: f64,
    /// Requests that a user may make in a minute.
    pub requests_per_minute: u32,
    /// Tokens that a user may use in a day; any number where it isn't set.
    pub tokens_per_day: Option<u64>,
    /// The tool `search_web`.
    pub search: SearchSettings,
}

impl Default for ChatSettings {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            hosts: Vec::new(),
            models: Vec::new(),
            agents: Vec::new(),
            approval: 600.0,
            requests_per_minute: 120,
            tokens_per_day: None,
            search: SearchSettings::default(),
        }
    }
}
