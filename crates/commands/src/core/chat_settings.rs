//! What `handeye.toml` may say of the chat backend of `handeye serve`.

use handeye_scene::{Code, Problem, Wire};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::time::Duration;

/// A length of time of the settings in seconds, held to bounds. One that is no number, or below 0, is refused.
pub fn seconds(key: &str, value: f64, bounds: RangeInclusive<f64>) -> Result<Duration, Problem> {
    if value >= 0.0 {
        return Ok(Duration::from_secs_f64(value.clamp(*bounds.start(), *bounds.end())));
    }
    let what = format!("{key} is {value}: it takes a number of seconds");
    Err(Problem::new(Code::BadRequest, what).hint("handeye config show"))
}

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

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatEffect {
    /// It only reads.
    Read,
    /// It may change something.
    Act,
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatPermission {
    /// It is carried out without a question, unless it pays, deletes, sends or logs in.
    Allow,
    /// The person is asked.
    #[default]
    Ask,
    /// It is refused, and the model is told.
    Deny,
}

/// What becomes of calls that fit it; of several rules the first that fits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChatRule {
    /// Agents that it is for; all where none is named.
    pub agents: Vec<String>,
    /// Names of tools, of which `*` at the end stands for any rest; all where none is named.
    pub tools: Vec<String>,
    /// Origins of the page that the person looks at, such as `https://*.example.com`; any where none is named.
    pub origins: Vec<String>,
    /// What the call does; anything where it isn't said.
    pub effects: Vec<ChatEffect>,
    /// What becomes of it.
    pub then: ChatPermission,
}

/// Where `search_web` searches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// Address of a SearXNG that answers in JSON, such as `https://searx.example/search`.
    pub url: Option<String>,
}

/// What `query_database` reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuerySettings {
    /// Name of the environment variable that holds the database's address: `postgres://…` or `sqlite://FILE`.
    pub url_env: Option<String>,
    /// What is in it, for the model: tables and columns.
    pub about: String,
    /// Rows of one answer at most.
    pub rows: u32,
    /// How long a query may take, in seconds.
    pub seconds: f64,
}

impl Default for QuerySettings {
    fn default() -> Self {
        Self { url_env: None, about: String::new(), rows: 100, seconds: 5.0 }
    }
}

/// Where `fetch_url` may go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FetchSettings {
    /// Whether there is the tool.
    pub enabled: bool,
    /// Origins that it may ask, such as `https://*.example.com`; any, when none is named.
    pub allow_origins: Vec<String>,
    /// Origins that it may not ask.
    pub deny_origins: Vec<String>,
    /// Whether it may ask this machine and private networks.
    pub private: bool,
}

/// A server of the Model Context Protocol whose tools the chat has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpSettings {
    /// What its tools are called by: `NAME__TOOL`.
    pub name: String,
    /// The program that is started, and its arguments.
    pub command: Vec<String>,
    /// The address of one over HTTP, instead.
    pub url: Option<String>,
    /// Name of the environment variable that holds the token of one over HTTP.
    pub token_env: Option<String>,
    /// Its tools that the chat has; all where none is named.
    pub tools: Option<Vec<String>>,
}

/// Who may ask for snapshots of which sessions' pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotSettings {
    /// Names of users; a user of `--trust-user-id` is `user_id:NAME`.
    pub users: Vec<String>,
    /// Names of sessions of this machine, as `--session` has them.
    pub sessions: Vec<String>,
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
    /// What becomes of calls; the person is asked about those that no rule fits.
    pub rules: Vec<ChatRule>,
    /// How long a proposed call waits for the person, in seconds.
    pub approval: f64,
    /// Requests that a user may make in a minute.
    pub requests_per_minute: u32,
    /// Tokens that a user may use in a day; any number where it isn't set.
    pub tokens_per_day: Option<u64>,
    /// The tool `search_web`.
    pub search: SearchSettings,
    /// The tool `query_database`.
    pub query: QuerySettings,
    /// The tool `fetch_url`.
    pub fetch: FetchSettings,
    /// Servers of the Model Context Protocol.
    pub mcp: Vec<McpSettings>,
    /// Who may look into which sessions by `POST /api/v1/snapshot`; nobody where none is named.
    pub snapshots: Vec<SnapshotSettings>,
}

impl Default for ChatSettings {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            hosts: Vec::new(),
            models: Vec::new(),
            agents: Vec::new(),
            rules: Vec::new(),
            approval: 600.0,
            requests_per_minute: 120,
            tokens_per_day: None,
            search: SearchSettings::default(),
            query: QuerySettings::default(),
            fetch: FetchSettings::default(),
            mcp: Vec::new(),
            snapshots: Vec::new(),
        }
    }
}
