//! The server: takes an agent's calls from standard input, carries them out one at a time, in the order in which they came,
//! and answers on standard output.

use super::arguments::{asked, named};
use super::asking::{self, Put};
use super::lines::Lines;
use super::port::{Asked, Caller, Calls};
use super::resources::{self, LastState};
use super::suspended::{Call, Suspended};
use super::{answer, tools};
use crate::transport::http::in_order;
use handeye_commands::{Response, ReturnState, Run};
use handeye_scene::{Code, Problem};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, InitializeRequestParams, InitializeResult,
    InputRequiredResult, InputResponses, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval_at, timeout};

/// How often a call that takes long tells so.
const PROGRESS: Duration = Duration::from_secs(1);
/// How long a call that nobody waits for any more may take to end: starting a daemon can't be cancelled.
const LAST_CALL: Duration = Duration::from_secs(60);

/// Serves one client on standard input and output, until it hangs up or `stop` ends.
pub fn serve_mcp(calls: Arc<dyn Calls>, version: &str, stop: impl Future<Output = ()>) -> Result<(), Problem> {
    in_order(serve(Server::new(calls, version), stop))
}

async fn serve(server: Server, stop: impl Future<Output = ()>) -> Result<(), Problem> {
    let shared = server.clone();
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let transport = Lines::new(input, output);
    let mut stop = std::pin::pin!(stop);
    let running = tokio::select! {
        running = server.serve(transport) => running,
        () = &mut stop => return Ok(()),
    };
    let running = match running {
        Ok(running) => running,
        // It hung up before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(e) => {
            return Err(Problem::new(Code::BadRequest, format!("the client doesn't speak the protocol: {e}")));
        }
    };
    let token = running.cancellation_token();
    let mut over = std::pin::pin!(running.waiting());
    tokio::select! {
        _ = &mut over => {}
        () = &mut stop => {
            token.cancel();
            let _ = timeout(LAST_CALL, over).await;
        }
    }
    shared.end().await;
    Ok(())
}

/// The tools, for whoever is connected.
#[derive(Clone)]
pub(super) struct Server {
    /// What requests share that come without a session of the protocol; over standard input and output, all of them.
    shared: Arc<Shared>,
    /// What the requests of a client share that has shaken hands; none where the one above is for all.
    own: Option<Arc<OnceLock<Own>>>,
    tools: Arc<[Tool]>,
    /// Whatever requests share, to be ended with the server.
    every: Arc<Mutex<Vec<Weak<Shared>>>>,
    version: String,
}

/// What the requests of one client share: ends with its session.
struct Own(Arc<Shared>);

impl Drop for Own {
    fn drop(&mut self) {
        let shared = self.0.clone();
        // Without a runtime the whole server is over, and all that it opened with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                shared.cancel();
                shared.wait().await;
                let _ = tokio::task::spawn_blocking(move || shared.calls.end()).await;
            });
        }
    }
}

/// What requests of one session share.
struct Shared {
    calls: Arc<dyn Calls>,
    /// Held by the call whose turn it is.
    turn: Arc<tokio::sync::Mutex<()>>,
    last: Mutex<LastState>,
    /// Calls that wait for their client to come back with a person's answer.
    suspended: Mutex<Suspended<Running>>,
    /// Set when the session ends, which cancels every call.
    over: Arc<AtomicBool>,
}

/// A call that is carried out.
struct Running {
    name: &'static str,
    returned: Option<ReturnState>,
    call: JoinHandle<Response>,
    questions: Receiver<Put>,
    cancelled: Cancelled,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("handeye", self.version.clone()))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.begin();
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        held(&self.shared().last).read(&request.uri).map(ReadResourceResponse::from)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = request.arguments.unwrap_or_default();
        let name = request.name.as_ref();
        if self.get_tool(name).is_none() {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", answer::shortened(name)), None));
        }
        let refused = |problem: Problem| answer::of(name, problem.into(), self.shared().calls.as_ref());
        Ok(match name {
            tools::LIST => {
                let (text, value) = tools::listed();
                answer::own(text, value).into()
            }
            tools::HELP => self.help(&args).into(),
            _ => {
                let call = Call { tool: name.to_owned(), args };
                let running = match request.request_state {
                    Some(state) => self.shared().resume(&state, &call, request.input_responses),
                    None => self.start(&call, &context).await,
                };
                match running {
                    Ok(running) => self.attend(call, running, context).await,
                    Err(problem) => refused(problem).into(),
                }
            }
        })
    }
}

impl Server {
    pub(super) fn new(calls: Arc<dyn Calls>, version: &str) -> Self {
        let shared = Arc::new(Shared::new(calls));
        let every = Arc::new(Mutex::new(vec![Arc::downgrade(&shared)]));
        Self { shared, own: None, tools: tools::all().into(), every, version: version.to_owned() }
    }

    /// The same server, for a client that may shake hands, which gives it a session of its own.
    pub(super) fn for_client(&self) -> Self {
        Self { own: Some(Arc::default()), ..self.clone() }
    }

    /// Begins the session of a client that shakes hands, unless all share one that was named.
    fn begin(&self) {
        let Some(own) = &self.own else { return };
        let Some(calls) = self.shared.calls.another() else { return };
        let shared = Arc::new(Shared::new(calls));
        let mut every = held(&self.every);
        if self.shared.is_over() {
            shared.cancel();
        }
        every.retain(|one| one.strong_count() > 0);
        every.push(Arc::downgrade(&shared));
        let _ = own.set(Own(shared));
    }

    fn shared(&self) -> &Arc<Shared> {
        self.own.as_ref().and_then(|own| own.get()).map_or(&self.shared, |own| &own.0)
    }

    /// Cancels every call, and waits for what is still carried out.
    pub(super) async fn end(&self) {
        let every: Vec<Arc<Shared>> = {
            let every = held(&self.every);
            self.shared.cancel();
            every.iter().filter_map(Weak::upgrade).collect()
        };
        every.iter().for_each(|shared| shared.cancel());
        for shared in every {
            shared.wait().await;
        }
    }

    fn help(&self, args: &Map<String, Value>) -> CallToolResult {
        let told = named(args).map(|entry| tools::told(entry, args.get("output") == Some(&json!(true))));
        match told {
            Ok((text, value)) => answer::own(text, value),
            Err(problem) => answer::of(tools::HELP, problem.into(), self.shared().calls.as_ref()),
        }
    }

    /// Begins to carry a call out when its turn comes.
    async fn start(&self, call: &Call, context: &RequestContext<RoleServer>) -> Result<Running, Problem> {
        let asked: Asked = asked(&call.tool, call.args.clone())?;
        let name = asked.entry.name;
        let shared = self.shared();
        // Those that need no session wait for none.
        let turn = match asked.entry.run {
            Run::Host(_) => None,
            Run::Session(_) | Run::Steps(_) | Run::Aim(_) => tokio::select! {
                turn = shared.turn.clone().lock_owned() => Some(turn),
                () = context.ct.cancelled() => return Err(gave_up(name)),
            },
        };
        if shared.is_over() {
            return Err(gave_up(name));
        }
        let cancelled = Cancelled(Arc::default());
        let (flag, over) = (cancelled.0.clone(), shared.over.clone());
        let is_cancelled = Arc::new(move || flag.load(Ordering::Relaxed) || over.load(Ordering::Relaxed));
        let (asks, questions) = asking::channel(is_cancelled.clone());
        let asks = asking::can_ask(context.client_capabilities()).then_some(asks);
        let returned = asked.options.return_state;
        let calls = shared.calls.clone();
        let call = tokio::task::spawn_blocking(move || {
            let response = calls.call(asked, Caller { cancelled: is_cancelled.as_ref(), asks });
            drop(turn);
            response
        });
        Ok(Running { name, returned, call, questions, cancelled })
    }

    /// Waits for a call; tells of a long one, puts its questions, and ends one that was cancelled.
    async fn attend(&self, call: Call, mut running: Running, context: RequestContext<RoleServer>) -> CallToolResponse {
        let name = running.name;
        let shared = self.shared();
        let token = context.meta.get_progress_token();
        let begun = Instant::now();
        let mut ticks = interval_at(begun + PROGRESS, PROGRESS);
        let response = loop {
            tokio::select! {
                done = &mut running.call => break done,
                () = context.ct.cancelled(), if !running.cancelled.is_set() => running.cancelled.set(),
                Some(put) = running.questions.recv() => {
                    if !may_request(&context) {
                        return match shared.suspend(call, put, running) {
                            Ok(asked) => asked.into(),
                            Err(problem) => answer::of(name, problem.into(), shared.calls.as_ref()).into(),
                        };
                    }
                    tokio::spawn(put.elicit(context.peer.clone()));
                }
                _ = ticks.tick(), if token.is_some() => {
                    let Some(token) = token.clone() else { continue };
                    let seconds = begun.elapsed().as_secs_f64().round();
                    let progress = ProgressNotificationParam::new(token, seconds).with_message(format!("{name}: {seconds} s"));
                    // A client that reads nothing is not waited for.
                    let _ = timeout(PROGRESS, context.peer.notify_progress(progress)).await;
                }
            }
        };
        let broken = |e| Problem::new(Code::Bug, format!("`{name}` broke off by a fault of handeye: {e}")).into();
        let response = response.unwrap_or_else(broken);
        held(&shared.last).note(name, running.returned, &response);
        answer::of(name, response, shared.calls.as_ref()).into()
    }
}

impl Shared {
    fn new(calls: Arc<dyn Calls>) -> Self {
        Self { calls, turn: Arc::default(), last: Mutex::default(), suspended: Mutex::default(), over: Arc::default() }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Cancels every call, those to come too.
    fn cancel(&self) {
        self.over.store(true, Ordering::Relaxed);
        held(&self.suspended).clear();
    }

    /// Waits for what is still carried out.
    async fn wait(&self) {
        // Held by a call until it is over.
        let _ = timeout(LAST_CALL, self.turn.lock()).await;
    }

    /// Lets a call wait for its client, which is asked for a person's answer.
    fn suspend(&self, call: Call, put: Put, running: Running) -> Result<InputRequiredResult, Problem> {
        held(&self.suspended).add(call, put, running, |running| running.call.is_finished())
    }

    /// Goes on with a call whose client came back.
    fn resume(&self, state: &str, call: &Call, responses: Option<InputResponses>) -> Result<Running, Problem> {
        let (put, running) = held(&self.suspended).take(state, call)?;
        put.take(responses.unwrap_or_default());
        Ok(running)
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether servers may make requests, by the version that was agreed on; later ones answer with what they need instead.
fn may_request(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_none_or(|version| version.as_str() < ProtocolVersion::V_2026_07_28.as_str())
}

/// Tells a call that nobody waits for it; so does being dropped.
struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        self.set();
    }
}

fn gave_up(name: &str) -> Problem {
    Problem::new(Code::Lost, format!("`{name}` was cancelled before its turn came"))
}
