//! A server of a test's own, and the requests that it is sent.

use super::client::{self, Answer};
use super::cluster::Postgres;
use handeye_chat::decide::permit::Rules;
use handeye_chat::decide::redact::Redact;
use handeye_chat::http::{Door, Listen, serve};
use handeye_chat::run::{Catalog, Limits, Service};
use handeye_chat::store::{AuditEntry, Store};
use handeye_chat::tools::{ServerTool, configured};
use handeye_commands::core::chat_settings::{Calling, ChatModel, ChatSettings};
use handeye_scene::{ModelKeys, ModelsConfig, Wire};
use handeye_testkit::is_full;
use handeye_testkit::models::{Asked, ModelServer};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A database of a test's own.
pub(super) enum Database {
    Sqlite(TempDir),
    Postgres(String),
}

thread_local! {
    /// Where the tests of this thread have their databases, if not in files.
    static CLUSTER: RefCell<Option<Rc<Postgres>>> = const { RefCell::new(None) };
}

/// Has the databases that are made from here on in PostgreSQL.
pub(super) fn use_postgres(cluster: &Rc<Postgres>) {
    CLUSTER.with(|on| *on.borrow_mut() = Some(cluster.clone()));
}

impl Database {
    pub(super) fn new() -> Self {
        match CLUSTER.with(|on| on.borrow().clone()) {
            Some(cluster) => Self::Postgres(cluster.database()),
            None => Self::Sqlite(tempfile::tempdir().unwrap()),
        }
    }

    pub(super) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => format!("sqlite://{}?mode=rwc", folder.path().join("chat.db").display()),
            Self::Postgres(url) => url.clone(),
        }
    }
}

/// How a model is reached: both wires, and with or without function calling.
pub(super) const WAYS: [(Wire, Calling); 4] = [
    (Wire::Openai, Calling::Native),
    (Wire::Anthropic, Calling::Native),
    (Wire::Openai, Calling::Prompt),
    (Wire::Anthropic, Calling::Prompt),
];

/// The ways that a test tries: on PostgreSQL, which knows nothing of them, two with each wire and each form of calls.
pub(super) fn ways() -> Vec<(Wire, Calling)> {
    let is_on_postgres = CLUSTER.with(|on| on.borrow().is_some());
    if is_on_postgres && !is_full() { vec![WAYS[0], WAYS[3]] } else { WAYS.to_vec() }
}

/// Settings with one model, which requests call as the document does.
pub(super) fn settings(model: &ModelServer, (wire, calling): (Wire, Calling)) -> ChatSettings {
    let model = ChatModel {
        name: "claude-3-opus".into(),
        model: Some("scripted".into()),
        url: Some(model.url()),
        wire: Some(wire),
        timeout: Some(30.0),
        calling,
        ..ChatModel::default()
    };
    ChatSettings { models: vec![model], requests_per_minute: 100_000, ..ChatSettings::default() }
}

/// What no text may hold.
pub(super) const SECRET: &str = "sk-of-the-model-77";

/// A running server; it ends in order when dropped.
pub(super) struct Chat {
    pub(super) port: u16,
    pub(super) store: Store,
    pub(super) service: Arc<Service>,
    runtime: Option<Runtime>,
    stop: Option<oneshot::Sender<()>>,
    ended: Option<tokio::task::JoinHandle<()>>,
}

impl Chat {
    /// One for clients that know the document alone.
    pub(super) fn plain(database: &Database, settings: &ChatSettings) -> Self {
        Self::start(database, settings, true)
    }

    pub(super) fn start(database: &Database, settings: &ChatSettings, trusts_user_id: bool) -> Self {
        Self::with(database, settings, trusts_user_id, &[])
    }

    /// One that has more tools than are configured.
    pub(super) fn with(
        database: &Database,
        settings: &ChatSettings,
        trusts_user_id: bool,
        more: &[Arc<dyn ServerTool>],
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let store = runtime.block_on(Store::open(&database.url())).unwrap();
        let catalog = Catalog::new(settings, &ModelsConfig::default(), &ModelKeys::default()).unwrap();
        let limits = Limits {
            approval: Duration::from_secs_f64(settings.approval),
            tokens_per_day: settings.tokens_per_day,
            rules: Rules::new(&settings.rules).unwrap(),
            redact: Redact::new(&[SECRET.to_owned()]),
        };
        let tools = configured(settings, None).unwrap().into_iter().chain(more.iter().cloned()).collect();
        let service = Service::new(store.clone(), catalog, tools, limits);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let door = Door {
            hosts: vec!["127.0.0.1".into(), "localhost".into()],
            origins: settings.origins.clone(),
            trusts_user_id,
            requests_per_minute: settings.requests_per_minute,
        };
        let (stop, stopped) = oneshot::channel();
        let serves = service.clone();
        let ended = runtime.spawn(async move {
            let stopped = async { drop(stopped.await) };
            serve(serves, Listen { listener, door }, stopped).await.unwrap();
        });
        Self { port, store, service, runtime: Some(runtime), stop: Some(stop), ended: Some(ended) }
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().unwrap()
    }

    /// A token for a user.
    pub(super) fn token(&self, user: &str) -> String {
        self.runtime().block_on(self.store.create_token(user)).unwrap().1
    }

    pub(super) fn audit(&self) -> Vec<AuditEntry> {
        self.runtime().block_on(self.store.audit_log()).unwrap()
    }

    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime().block_on(future)
    }

    /// Sends a request of the chat.
    #[track_caller]
    pub(super) fn chat(&self, body: &Value) -> Answer {
        client::send(self.port, CHAT, &[JSON], body.to_string().as_bytes()).expect("it answers")
    }

    /// The same with a token.
    #[track_caller]
    pub(super) fn chat_as(&self, token: &str, body: &Value) -> Answer {
        let bearer = format!("Bearer {token}");
        client::send(self.port, CHAT, &[JSON, ("authorization", &bearer)], body.to_string().as_bytes())
            .expect("it answers")
    }

    /// Ends it as a crash does: nothing more is written, no lease given back.
    pub(super) fn crash(mut self) {
        self.stop = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::ZERO);
        }
    }

    /// Ends it in order.
    pub(super) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let (Some(runtime), Some(ended)) = (&self.runtime, self.ended.take()) {
            runtime.block_on(ended).unwrap();
        }
    }
}

impl Drop for Chat {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(2));
        }
    }
}

/// The address of the chat.
pub(super) const CHAT: &str = "POST /api/v1/agent/chat";
/// What a body is declared to be.
pub(super) const JSON: (&str, &str) = ("content-type", "application/json");

/// The tools that the extension sends, as it writes them.
pub(super) const BROWSER_TOOLS: &str = include_str!("../../../../fixtures/chat/browser_tools.json");

/// The tools that the extension sends.
pub(super) fn browser_tools() -> Value {
    serde_json::from_str(BROWSER_TOOLS).unwrap()
}

/// The page of the document's example.
pub(super) fn page() -> Value {
    json!({
        "url": "https://www.taobao.com",
        "title": "淘宝网 - 首页",
        "elements": [
            {"id": "e_1706789012_abc123", "desc": "输入框:搜索(placeholder:搜索)"},
            {"id": "e_1706789012_def456", "desc": "按钮:搜索"},
            {"id": "e_1706789012_ghi789", "desc": "链接:登录"}
        ],
        "selectedText": ""
    })
}

/// A request with the tools and the page.
pub(super) fn request(message: &str) -> Value {
    let mut body = bare(message);
    body["current_page_info"] = page();
    body["browser_tools"] = browser_tools();
    body
}

/// A request without tools and page.
pub(super) fn bare(message: &str) -> Value {
    json!({"message": message, "role": "user", "model": "claude-3-opus", "agent_id": "default", "session_id": "s-1", "user_id": "user_xxx"})
}

/// A decision on a call.
pub(super) fn decision(decision: &Value) -> Value {
    let mut body = request(&decision.to_string());
    body["role"] = json!("function");
    body
}

/// What a model says that calls a tool, by either way.
pub(super) fn call(calling: Calling, before: &str, tool: &str, arguments: &str) -> handeye_testkit::models::Answer {
    use handeye_testkit::models::Answer;
    match calling {
        Calling::Native => Answer::Call(vec![(tool.to_owned(), arguments.to_owned())]),
        Calling::Prompt => {
            let written = json!({"tool_call": {"tool_name": tool, "arguments": arguments}});
            Answer::Say(format!("{before}```json\n{written:#}\n```"))
        }
    }
}

/// The texts that a model was given as system instructions.
pub(super) fn system(asked: &Asked) -> String {
    let of_messages = asked.body["messages"].as_array().into_iter().flatten().filter(|m| m["role"] == "system");
    let told = of_messages.filter_map(|m| m["content"].as_str()).chain(asked.body["system"].as_str());
    told.collect::<Vec<_>>().join("\n")
}
