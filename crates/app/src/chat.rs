//! `handeye serve` and `handeye token`: the chat backend, by the settings of `[chat]`.

use crate::config::{self, Config, Given};
use crate::database::{open, problem, refuse_queried};
use crate::listening::{interrupted, stopped, this_machines};
use crate::print;
use clap::{Arg, ArgAction, ArgMatches, Command};
use handeye_chat::decide::permit::Rules;
use handeye_chat::decide::redact::Redact;
use handeye_chat::http::{DRAIN, Door, Listen, Snapshots, check_origin};
use handeye_chat::run::{Catalog, Limits, Service};
use handeye_chat::store::{Kind, PAIRING_HOLDS};
use handeye_chat::tools::{ServerTool, check, configured, mcp};
use handeye_commands::Settings;
use handeye_commands::core::chat_settings::{ChatSettings, SnapshotSettings, seconds};
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// What to write to be listened on.
const LISTEN: &str = "handeye serve --listen 127.0.0.1:8932";
/// Where it listens unless it is told.
const ADDRESS: &str = "127.0.0.1:8932";
/// For how long it is waited for what is still under way once nothing is served any more.
const ENDING: Duration = Duration::from_secs(2);
/// Names that this machine has for itself.
const OWN_NAMES: [&str; 4] = ["localhost", "127.0.0.1", "[::1]", "::1"];

/// What `serve` is told on the command line.
#[derive(Debug, Clone)]
pub(crate) struct Serve {
    listen: String,
    pub(crate) database: Option<String>,
    origins: Vec<String>,
    trusts_user_id: bool,
    behind_proxy: bool,
    /// Whether the audit log is followed, in place of serving.
    pub(crate) verifies_audit: bool,
    /// A digest that the log must have.
    pub(crate) expected: Option<String>,
}

/// What `token` is told to do.
#[derive(Debug, Clone)]
pub(crate) enum Token {
    /// Makes one for a user.
    Create(String),
    /// Makes a code by which a client gets one for a user.
    Pair(String),
    /// Lists them.
    List,
    /// Revokes one.
    Revoke(String),
}

fn database() -> Arg {
    let help = "Database: postgres://USER@HOST/NAME, or sqlite://FILE [default: a SQLite file in the data folder] [env: HANDEYE_DATABASE]";
    Arg::new("database").long("database").value_name("URL").help(help)
}

/// What takes the arguments of `serve`.
pub(crate) fn serve_command(command: Command) -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    command
        .arg(Arg::new("listen").long("listen").value_name("ADDRESS").default_value(ADDRESS).help("Listen here"))
        .arg(database())
        .arg(
            Arg::new("origin")
                .long("origin")
                .value_name("ORIGIN")
                .action(ArgAction::Append)
                .help("Let pages of this origin ask, beside those of chat.origins, such as chrome-extension://ID"),
        )
        .arg(flag(
            "trust-user-id",
            "Take the user_id of a request for who asks, without a token, and tell clients of nothing that they don't know: for clients that were written by the plain wire alone. On this machine's own addresses only",
        ))
        .arg(flag("behind-proxy", "Listen on an address that other machines reach, behind a proxy that speaks TLS"))
        .arg(flag(
            "verify-audit",
            "Serve nothing: follow the audit log of the database from its first entry to its last, and say how many there are and the hash of the last, or which one was changed or is missing",
        ))
        .arg(
            Arg::new("expect-audit")
                .long("expect-audit")
                .value_name("HASH")
                .requires("verify-audit")
                .help("The hash of an entry that was noted before: the log must still have it, since of a log whose end was cut off the rest follows"),
        )
}

/// What takes the arguments of `token`.
pub(crate) fn token_command(command: Command) -> Command {
    let part = |name: &'static str, about: &'static str| Command::new(name).about(about).arg(database());
    command
        .subcommand_required(true)
        .subcommand(
            part("create", "Make a token for a user, and print it once")
                .arg(Arg::new("user").required(true).value_name("USER").help("The user's name")),
        )
        .subcommand(
            part("pair", "Print a code for the settings of the extension, which gets it a token of a user: once, within five minutes")
                .arg(Arg::new("user").required(true).value_name("USER").help("The user's name")),
        )
        .subcommand(part("list", "List tokens: whose they are, and whether they hold"))
        .subcommand(
            part("revoke", "Revoke a token")
                .arg(Arg::new("id").required(true).value_name("ID").help("The token's id, as `token list` shows it")),
        )
}

impl Serve {
    /// Reads what was parsed.
    pub(crate) fn from_matches(matches: &ArgMatches) -> Self {
        let text = |name| matches.get_one::<String>(name).cloned();
        Self {
            listen: text("listen").unwrap_or_else(|| ADDRESS.to_owned()),
            database: text("database"),
            origins: matches.get_many::<String>("origin").into_iter().flatten().cloned().collect(),
            trusts_user_id: matches.get_flag("trust-user-id"),
            behind_proxy: matches.get_flag("behind-proxy"),
            verifies_audit: matches.get_flag("verify-audit"),
            expected: text("expect-audit"),
        }
    }
}

/// Reads what was parsed: what to do, and on which database.
pub(crate) fn token_from_matches(matches: &ArgMatches) -> Option<(Token, Option<String>)> {
    let (name, matches) = matches.subcommand()?;
    let text = |name| matches.get_one::<String>(name).cloned().unwrap_or_default();
    let token = match name {
        "create" => Token::Create(text("user")),
        "pair" => Token::Pair(text("user")),
        "list" => Token::List,
        _ => Token::Revoke(text("id")),
    };
    Some((token, matches.get_one::<String>("database").cloned()))
}

pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Problem> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|e| Problem::new(Code::Unavailable, format!("no runtime can be made: {e}")))
}

/// `handeye token`.
pub(crate) fn token(token: &Token, database: Option<&str>, is_json: bool) -> u8 {
    tell(runtime().and_then(|runtime| runtime.block_on(tell_token(token, database))), is_json)
}

fn tell(told: Result<(Value, String), Problem>, is_json: bool) -> u8 {
    match told {
        Ok((value, text)) => {
            let out = if is_json { format!("{value}\n") } else { text };
            print::out(&out).unwrap_or(0)
        }
        Err(problem) => print::problem(&problem, is_json),
    }
}

async fn tell_token(token: &Token, database: Option<&str>) -> Result<(Value, String), Problem> {
    let (store, _) = open(database, false).await?;
    let told = match token {
        Token::Create(user) => {
            let (id, token) = store.create_token(user).await.map_err(problem)?;
            (json!({"id": id, "user": user, "token": token}), format!("{token}\n"))
        }
        Token::Pair(user) => {
            let code = store.pairings().create(user).await.map_err(problem)?;
            (json!({"code": code, "user": user, "seconds": PAIRING_HOLDS.as_secs()}), format!("{code}\n"))
        }
        Token::List => {
            let tokens = store.tokens().await.map_err(problem)?;
            let line = |token: &handeye_chat::store::TokenInfo| {
                format!("{}  {}  {}\n", token.id, if token.revoked.is_some() { "revoked" } else { "holds" }, token.user)
            };
            let value: Value = tokens
                .iter()
                .map(|token| json!({"id": token.id, "user": token.user, "created": token.created, "revoked": token.revoked}))
                .collect();
            let text: String = tokens.iter().map(line).collect();
            (value, if text.is_empty() { "no tokens\n".to_owned() } else { text })
        }
        Token::Revoke(id) => {
            store.revoke_token(id).await.map_err(|error| problem(error).hint("handeye token list"))?;
            (json!({"revoked": id}), format!("revoked {id}\n"))
        }
    };
    store.close().await;
    Ok(told)
}

/// Makes who looks into sessions, for those who may.
pub(crate) type Sight = fn(Vec<SnapshotSettings>) -> Arc<dyn Snapshots>;

/// `handeye serve`: until this process is asked to end.
pub(crate) fn run(given: &Given, serve: &Serve, sight: Sight, is_json: bool) -> Result<(), Problem> {
    let config = Config::load(given)?;
    let runtime = runtime()?;
    let served = runtime.block_on(served(&config, serve, sight, is_json));
    // A query of a tool may be under way still, and nothing of it is kept: it isn't waited for.
    runtime.shutdown_timeout(ENDING);
    served
}

async fn served(config: &Config, options: &Serve, sight: Sight, is_json: bool) -> Result<(), Problem> {
    let settings = &config.settings.chat;
    let keys = config::chat_keys(&config.settings)?;
    let catalog = Catalog::new(settings, &config.settings.models, &keys)?;
    let approval = seconds("chat.approval", settings.approval, 1.0..=86_400.0)?;
    let rules = Rules::new(&settings.rules)?;
    for (from, origin) in origins(settings, options) {
        check_origin(origin).map_err(|why| {
            Problem::new(Code::BadRequest, format!("{from} {origin}: {why}")).hint("handeye serve --help")
        })?;
    }
    let listener = listen(options)?;
    refuse_queried(options.database.as_deref(), config::chat_query(settings)?.as_deref())?;
    let (store, _lock) = open(options.database.as_deref(), true).await?;
    if store.kind() == Kind::Sqlite {
        store.forget_leases().await.map_err(problem)?;
    }
    let redact = Redact::new(&config::chat_secrets(&config.settings, options.database.as_deref()));
    let limits = Limits { approval, tokens_per_day: settings.tokens_per_day, rules, redact };
    let service = Service::new(store, catalog, tools(&config.settings).await?, limits);
    let at = listener.local_addr().map_err(|e| Problem::new(Code::Unavailable, format!("can't listen: {e}")))?;
    let door = Door {
        hosts: OWN_NAMES.iter().map(|name| (*name).to_owned()).chain(settings.hosts.iter().cloned()).collect(),
        origins: origins(settings, options).map(|(_, origin)| origin.clone()).collect(),
        trusts_user_id: options.trusts_user_id,
        requests_per_minute: settings.requests_per_minute,
    };
    let address = format!("http://{at}");
    if print::out(&if is_json { json!({ "address": address }).to_string() } else { address }).is_some() {
        return Err(Problem::new(Code::File, "where it listens can't be told"));
    }
    let snapshots = sight(settings.snapshots.clone());
    let asked = service.clone();
    let stopped = async move {
        stopped().await;
        if let Some(waits) = waits(asked.running()) {
            print::progress(&waits, false);
        }
    };
    handeye_chat::http::serve_with(service, Listen { listener, door }, Some(snapshots), (stopped, interrupted())).await
}

/// Who may ask, and where that is said.
fn origins<'a>(settings: &'a ChatSettings, options: &'a Serve) -> impl Iterator<Item = (&'static str, &'a String)> {
    let named = settings.origins.iter().map(|origin| ("chat.origins", origin));
    named.chain(options.origins.iter().map(|origin| ("--origin", origin)))
}

/// What is said before the answers under way are waited for.
fn waits(answers: usize) -> Option<String> {
    let seconds = DRAIN.as_secs();
    match answers {
        0 => None,
        1 => Some(format!("waiting for 1 answer, for {seconds} s at most; Ctrl-C ends it at once")),
        _ => Some(format!("waiting for {answers} answers, for {seconds} s at most; Ctrl-C ends them at once")),
    }
}

fn listen(options: &Serve) -> Result<TcpListener, Problem> {
    let address = &options.listen;
    let wrong = |why: String| Problem::new(Code::BadRequest, format!("--listen {address}: {why}")).hint(LISTEN);
    let own = this_machines(address);
    let at = match own {
        Ok(at) => at,
        Err(why) if !options.behind_proxy => {
            return Err(wrong(format!("{why}; --behind-proxy says that a proxy with TLS stands before it")));
        }
        Err(_) if options.trusts_user_id => {
            return Err(wrong("--trust-user-id takes this machine's own addresses alone".into()));
        }
        Err(_) => address.parse().map_err(|_| wrong("it takes ADDRESS:PORT".into()))?,
    };
    TcpListener::bind(at).map_err(|e| {
        Problem::new(Code::Unavailable, format!("can't listen on {address}: {e}"))
            .hint("handeye serve --listen 127.0.0.1:0")
    })
}

/// The tools that are configured.
async fn tools(settings: &Settings) -> Result<Vec<Arc<dyn ServerTool>>, Problem> {
    let chat = &settings.chat;
    let mut tools = configured(chat, config::chat_query(chat)?.as_deref())?;
    tools.extend(mcp::tools(&config::chat_servers(settings)?).await?);
    for warning in check(chat, &tools)? {
        print::progress(&warning, false);
    }
    Ok(tools)
}
