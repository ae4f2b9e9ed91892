//! The binary `handeye`: the shell's way to everything in `commands`, and the process that a session's daemon is.
//!
//! What it is: the command line ([`cli`]) made from the list of commands, the configuration ([`config`]), the only
//! printing ([`print`]), what the machine offers to commands ([`host`], [`doctor`]) and what a session is opened with
//! ([`open`]). The only crate that names a concrete surface, the clients of models, or what reads pictures.
//!
//! What it must never contain: what commands do, or decisions about pages.
//!
//! Start reading at [`run`].

mod aims;
mod asked;
mod audit;
mod batch;
mod call;
mod caller;
mod chat;
mod cli;
mod collection;
mod config;
mod consent;
mod database;
mod docs;
mod doctor;
#[cfg(test)]
mod fuzz;
mod help;
#[cfg(test)]
mod hints;
mod host;
mod interrupt;
mod learnt;
mod listening;
mod mcp;
mod open;
mod print;
mod question;
mod reader;
mod replay;
mod serve;
mod skill;
mod snapshots;
mod source;
mod task;
mod text_models;
mod typescript;
mod version;
mod view;

use call::perform;
use cli::Parsed;
use config::Given;
use handeye_commands::{Entry, Response, Run};
use handeye_scene::Problem;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    ExitCode::from(run(args))
}

/// Runs one command line and returns the exit status.
fn run(args: Vec<OsString>) -> u8 {
    match args.first().and_then(|a| a.to_str()) {
        Some("_serve") => return serve::run(&args),
        Some("_docs") => return docs::run(&args),
        _ => {}
    }
    match cli::parse(args) {
        Ok(Parsed::Text(text)) => print::out(&text).unwrap_or(0),
        Ok(Parsed::Mcp { globals, http }) => mcp::run(globals, http.as_deref()),
        Ok(Parsed::View { globals, http }) => {
            ended(view::show(&globals, http.as_deref()), &globals.given(), globals.json)
        }
        Ok(Parsed::Serve { globals, serve }) if serve.verifies_audit => {
            audit::verify(serve.database.as_deref(), serve.expected.as_deref(), globals.json)
        }
        Ok(Parsed::Serve { globals, serve }) => {
            let given = globals.given();
            ended(chat::run(&given, &serve, snapshots::sessions, globals.json), &given, globals.json)
        }
        Ok(Parsed::Token { json, token, database }) => chat::token(&token, database.as_deref(), json),
        Ok(Parsed::Call(call)) => {
            let json = call.globals.json;
            let given = call.globals.given();
            let done =
                batch::spelled_out(call, batch::ANYONE).and_then(|call| perform(call, None, consent::terminal()));
            told(done.unwrap_or_else(Response::from), &given, json)
        }
        Err(refused) => told(Response::from(refused.problem), &refused.given, refused.json),
    }
}

/// The exit status of what prints for itself, unless it fails.
fn ended(ended: Result<(), Problem>, given: &Given, json: bool) -> u8 {
    ended.map_or_else(|problem| told(Response::from(problem), given, json), |()| 0)
}

/// Prints an answer, and returns the exit status.
fn told(mut response: Response, given: &Given, json: bool) -> u8 {
    lead_back(&mut response, given);
    print::response(response, json)
}

/// Commands that run where the user is, and work in a session.
const IN_SESSIONS: [&str; 3] = ["do", "extract", "observe"];

/// Makes the commands to run next lead to the session and the configuration that were named on the command line.
fn lead_back(response: &mut Response, given: &Given) {
    let config = given.config.as_deref().and_then(Path::to_str);
    let of_problem = response.error.iter_mut().flat_map(|problem| problem.hints.iter_mut());
    for hint in response.hints.iter_mut().chain(of_problem).filter(|hint| !hint.asks_for_help()) {
        let entry = hint.name().and_then(handeye_commands::dispatch::find);
        let is_for_one = |entry: &Entry| !matches!(entry.run, Run::Host(_)) || IN_SESSIONS.contains(&entry.name);
        // It is of one session, and no command of it.
        let is_view = hint.name() == Some("view");
        let is_front = help::FRONTS.iter().any(|(name, _)| hint.name() == Some(*name));
        if let Some(session) = given.session.as_deref().filter(|_| is_view || entry.is_some_and(is_for_one)) {
            *hint = hint.clone().in_session(session);
        }
        if let Some(config) = config.filter(|_| is_front || entry.is_some()) {
            *hint = hint.clone().with_config(config);
        }
    }
}
