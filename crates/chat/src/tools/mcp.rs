//! Tools of other servers, by the Model Context Protocol: a program that is started here, or a server over HTTP. Each is called
//! `SERVER__TOOL`, and waits for the person as every other.

use super::http::encryption;
use super::port::ServerTool;
use crate::wire::{Json, ToolSpec};
use async_trait::async_trait;
use handeye_commands::core::chat_settings::{ChatEffect, McpSettings};
use handeye_scene::{Code, Problem};
use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorData, Tool};
use rmcp::service::{ClientInitializeError, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

/// How long a server may take to begin, and to tell its tools.
const BEGINNING: Duration = Duration::from_secs(30);
/// How long a call may take.
const CALL: Duration = Duration::from_secs(120);
/// Characters of a result.
const RESULT: usize = 50_000;
/// Characters of what a server says of an error.
const SAID: usize = 1_000;
/// Characters of a tool's name, ours included.
const NAME: usize = 64;

/// How a server is reached.
#[derive(Debug, Clone)]
pub struct Reach {
    /// What the settings say.
    pub settings: McpSettings,
    /// The token of a server over HTTP.
    pub token: Option<String>,
    /// Variables of the environment that a program must not see.
    pub hidden: Vec<String>,
}

/// A connection, and the program at its end.
struct Connection {
    client: RunningService<RoleClient, ()>,
    _program: Option<Child>,
}

/// A server.
struct Server {
    reach: Reach,
    connection: Mutex<Option<Connection>>,
}

impl Server {
    async fn connect(&self) -> Result<Connection, String> {
        let McpSettings { command, url, .. } = &self.reach.settings;
        let began = async {
            match (command.split_first(), url) {
                (Some((program, arguments)), None) => self.start(program, arguments).await,
                (None, Some(url)) => {
                    encryption();
                    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
                    config.auth_header.clone_from(&self.reach.token);
                    let transport = StreamableHttpClientTransport::from_config(config);
                    let client = ().serve(transport).await.map_err(|e| unmet(&e))?;
                    Ok(Connection { client, _program: None })
                }
                _ => Err("it takes either `command` or `url`".to_owned()),
            }
        };
        let began = tokio::time::timeout(BEGINNING, began).await;
        began.map_err(|_| format!("it says nothing for {} s", BEGINNING.as_secs()))?
    }

    async fn start(&self, program: &str, arguments: &[String]) -> Result<Connection, String> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        for name in &self.reach.hidden {
            command.env_remove(name);
        }
        let mut child =
            command.spawn().map_err(|e| format!("its program `{program}` can't be started: {}", e.kind()))?;
        let (Some(out), Some(into)) = (child.stdout.take(), child.stdin.take()) else {
            return Err("its program has no pipes".to_owned());
        };
        let client = ().serve((out, into)).await.map_err(|e| unmet(&e))?;
        Ok(Connection { client, _program: Some(child) })
    }

    /// Makes a call, on a new connection where the old one is gone.
    async fn call(&self, tool: &str, arguments: &Value) -> Result<CallToolResult, String> {
        let peer = {
            let mut connection = self.connection.lock().await;
            if connection.as_ref().is_none_or(|connection| connection.client.is_transport_closed()) {
                *connection = Some(self.connect().await?);
            }
            connection.as_ref().map(|connection| connection.client.peer().clone()).ok_or("there is no connection")?
        };
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let called = tokio::time::timeout(CALL, peer.call_tool(request)).await;
        called.map_err(|_| format!("it took more than {} s", CALL.as_secs()))?.map_err(|e| failed(&e))
    }

    async fn tools(&self) -> Result<Vec<Tool>, String> {
        let connection = self.connect().await?;
        let listed = tokio::time::timeout(BEGINNING, connection.client.list_all_tools()).await;
        let tools = listed.map_err(|_| "it doesn't tell its tools".to_owned())?.map_err(|e| failed(&e))?;
        *self.connection.lock().await = Some(connection);
        Ok(tools)
    }
}

/// What is told of a call that failed: nothing of how the server is reached, since its address may hold a password.
fn failed(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(said) => in_its_words(said),
        ServiceError::TransportSend(_) | ServiceError::TransportClosed => "its server can't be reached".to_owned(),
        ServiceError::Timeout { .. } => "its server doesn't answer".to_owned(),
        ServiceError::Cancelled { .. } => "it was broken off".to_owned(),
        _ => "its server's answer can't be read".to_owned(),
    }
}

/// The same of a server that can't be begun with.
fn unmet(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(said) => in_its_words(said),
        ClientInitializeError::TransportError { .. } | ClientInitializeError::ConnectionClosed(_) => {
            "its server can't be reached".to_owned()
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => unmet(fallback),
        ClientInitializeError::Cancelled => "it was broken off".to_owned(),
        _ => "its server doesn't speak the protocol".to_owned(),
    }
}

/// What the server itself says of its error.
fn in_its_words(said: &ErrorData) -> String {
    said.message.chars().take(SAID).collect()
}

/// A tool of a server.
struct McpTool {
    spec: ToolSpec,
    name: String,
    effect: ChatEffect,
    server: Arc<Server>,
}

/// The tools of all servers. One that can't be reached is named.
pub async fn tools(servers: &[Reach]) -> Result<Vec<Arc<dyn ServerTool>>, Problem> {
    let mut all: Vec<Arc<dyn ServerTool>> = Vec::new();
    for reach in servers {
        let McpSettings { name, tools: wanted, .. } = &reach.settings;
        let problem = |code, why: String| {
            Problem::new(code, format!("the server `{name}` of chat.mcp: {why}")).hint("handeye config show")
        };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_name {
            return Err(problem(Code::BadRequest, "`name` takes ASCII letters, digits and `-`".to_owned()));
        }
        let server = Arc::new(Server { reach: reach.clone(), connection: Mutex::default() });
        let told = server.tools().await.map_err(|why| problem(Code::Unavailable, why))?;
        if let Some(missing) = wanted.iter().flatten().find(|wanted| !told.iter().any(|tool| tool.name == **wanted)) {
            return Err(problem(Code::NotFound, format!("it has no tool `{missing}`")));
        }
        let is_wanted =
            |tool: &&Tool| wanted.as_ref().is_none_or(|wanted| wanted.iter().any(|name| *name == tool.name));
        for tool in told.iter().filter(is_wanted) {
            all.push(Arc::new(of(name, tool, &server)));
        }
    }
    Ok(all)
}

fn of(server_name: &str, tool: &Tool, server: &Arc<Server>) -> McpTool {
    let fits = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = format!("{server_name}__{}", tool.name).chars().map(fits).take(NAME).collect();
    let description = tool.description.as_deref().unwrap_or_default().to_owned();
    let parameters = Json::from(&Value::Object(tool.input_schema.as_ref().clone()));
    let reads = tool.annotations.as_ref().is_some_and(|told| told.read_only_hint == Some(true));
    let effect = if reads { ChatEffect::Read } else { ChatEffect::Act };
    let spec = ToolSpec { name, description, parameters };
    McpTool { spec, name: tool.name.to_string(), effect, server: server.clone() }
}

#[async_trait]
impl ServerTool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> ChatEffect {
        self.effect
    }

    async fn call(&self, arguments: &Value) -> Result<String, String> {
        let result = self.server.call(&self.name, arguments).await?;
        let texts = result.content.iter().filter_map(|part| part.as_text()).map(|part| part.text.as_str());
        let mut text = texts.collect::<Vec<_>>().join("\n");
        if let Some(value) = result.structured_content.as_ref().filter(|_| text.is_empty()) {
            text = value.to_string();
        }
        let told: String = text.chars().take(RESULT).collect();
        if result.is_error == Some(true) { Err(told) } else { Ok(told) }
    }
}
