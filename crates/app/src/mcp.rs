//! `handeye mcp`: an agent's calls, carried out as those of the command line are.

use crate::call::perform;
use crate::cli::{self, Call, Globals, Parsed};
use crate::listening::{bound, stopped};
use crate::serve::client;
use crate::{batch, config, print};
use handeye_commands::{Entry, Response};
use handeye_scene::{Code, Problem};
use handeye_server::{Asked, Caller, Calls, Listen, Place, SessionName, serve_mcp, serve_mcp_http};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

/// How the variables begin that an agent may name as holding a secret. It could have any other of the environment put into
/// a page.
const SECRET: &str = "HANDEYE_SECRET_";
/// What to write to be listened on.
const LISTEN: &str = "handeye mcp --http 127.0.0.1:8931";

/// Standard input is the protocol's.
const AGENT: batch::Caller = batch::Caller { has_stdin: false, check: check_secrets };

/// Serves until the agent hangs up; over HTTP, until this process is asked to end.
pub(crate) fn run(globals: Globals, http: Option<&str>) -> u8 {
    // Sessions of the agents' own end with the server; one that was named is shared, and goes on.
    let is_named = globals.session.is_some() || config::names_session();
    let own = (!is_named).then(Own::default);
    let (agent, version) = (Arc::new(Agent::new(globals, own.clone())), crate::version::VERSION);
    let served = match http {
        None => serve_mcp(agent, version, stopped()),
        Some(address) => listen(address).and_then(|listen| serve_mcp_http(agent, version, listen, stopped())),
    };
    let ended = own.map_or(Ok(()), |own| own.end_all());
    match served.and(ended) {
        Ok(()) => 0,
        // Standard output belongs to the protocol.
        Err(problem) => print::problem(&problem, false),
    }
}

/// The sessions that this server opens for its agents: `mcp-PID`, and `mcp-PID-N` for each client that has one of its own.
#[derive(Clone, Default)]
struct Own(Arc<Mutex<Names>>);

#[derive(Default)]
struct Names {
    given: u64,
    open: BTreeSet<String>,
}

impl Own {
    fn held(&self) -> MutexGuard<'_, Names> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name that no other agent of this server has.
    fn name(&self) -> String {
        let mut names = self.held();
        let name = match names.given {
            0 => format!("mcp-{}", std::process::id()),
            nth => format!("mcp-{}-{nth}", std::process::id()),
        };
        names.given += 1;
        names.open.insert(name.clone());
        name
    }

    fn end(&self, name: &str) -> Result<(), Problem> {
        end(name)?;
        self.held().open.remove(name);
        Ok(())
    }

    fn end_all(&self) -> Result<(), Problem> {
        let open = std::mem::take(&mut self.held().open);
        open.iter().map(|name| end(name)).fold(Ok(()), Result::and)
    }
}

/// Listens on an address of this machine, and prints where, and the token that clients show unless the environment gave it.
fn listen(address: &str) -> Result<Listen, Problem> {
    let listener = bound(address, LISTEN)?;
    let given = config::mcp_token()?;
    let is_given = given.is_some();
    let token = given.map_or_else(handeye_server::token, Ok)?;
    let mut told = format!("http://{}/mcp\n", listener.at);
    if !is_given {
        told.push_str(&format!("Authorization: Bearer {token}\n"));
    }
    match print::out(&told) {
        None => Ok(Listen { listener: listener.listener, token }),
        Some(_) => Err(Problem::new(Code::File, "where it listens can't be told")),
    }
}

/// Ends a session, where there is one.
fn end(name: &str) -> Result<(), Problem> {
    let folder = config::runtime_folder();
    if Path::new(&folder).symlink_metadata().is_err() {
        return Ok(());
    }
    let place = Place::open(&folder)?;
    client(&place).stop(&SessionName::new(name)?).map(drop)
}

/// Carries out an agent's calls.
struct Agent {
    globals: Globals,
    /// What names sessions, where this one is the agent's own.
    own: Option<Own>,
    cleared: Once,
}

impl Agent {
    fn new(mut globals: Globals, own: Option<Own>) -> Self {
        globals.session = own.as_ref().map(Own::name).or(globals.session);
        Self { globals, own, cleared: Once::new() }
    }
}

impl Calls for Agent {
    fn call(&self, asked: Asked, caller: Caller<'_>) -> Response {
        let Asked { entry, args, options } = asked;
        if let (Some(_), Some(name)) = (&self.own, &self.globals.session) {
            // What a server of the same number left that was killed.
            self.cleared.call_once(|| drop(end(name)));
        }
        let mut globals = self.globals.clone();
        globals.return_state = options.return_state.or(globals.return_state);
        globals.timeout = options.timeout.or(globals.timeout);
        globals.window = options.window.or(globals.window);
        globals.backend = options.backend.or(globals.backend);
        let prepared = check_secrets(&args).and_then(|()| (entry.resolve_paths)(args));
        let done = prepared
            .and_then(|args| batch::spelled_out(Call { entry, args, globals }, AGENT))
            .and_then(|call| perform(call, Some(caller.cancelled), caller.asks));
        done.unwrap_or_else(Response::from)
    }

    fn another(&self) -> Option<Arc<dyn Calls>> {
        let own = self.own.clone()?;
        Some(Arc::new(Self::new(self.globals.clone(), Some(own))))
    }

    fn end(&self) {
        if let (Some(own), Some(name)) = (&self.own, &self.globals.session) {
            // One that can't be ended now is cleared away with what is left of dead ones.
            let _ = own.end(name);
        }
    }

    fn read(&self, words: &[String]) -> Option<(&'static Entry, Map<String, Value>)> {
        match cli::parse(words.iter().map(OsString::from).collect()) {
            Ok(Parsed::Call(Call { entry, args: Value::Object(mut args), globals })) => {
                args.extend(globals.timeout.map(|timeout| ("timeout".to_owned(), timeout.into())));
                args.extend(globals.window.map(|window| ("window".to_owned(), window.into())));
                Some((entry, args))
            }
            _ => None,
        }
    }
}

/// Refuses names of variables that weren't put there for agents.
fn check_secrets(args: &Value) -> Result<(), Problem> {
    let secrets = args.get("secrets").and_then(Value::as_array).into_iter().flatten().filter_map(|one| one.get("env"));
    let named = secrets.chain(args.get("password_env")).filter_map(Value::as_str);
    match named.into_iter().find(|name| !name.starts_with(SECRET)) {
        None => Ok(()),
        Some(name) => Err(Problem::new(
            Code::Denied,
            format!("an agent may name variables that begin with {SECRET} alone, not {name}: give it to the server so"),
        )),
    }
}
