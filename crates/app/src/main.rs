//! The binary `handeye`: the shell's way to everything in `commands`, and the process that a session's daemon is.
//!
//! What it is: the command line ([`cli`]) made from the list of commands, the configuration ([`config`]), the only
//! printing ([`print`]), what the machine offers to commands ([`host`], [`doctor`]) and what a session is opened with
//! ([`open`]). The only crate that names a concrete surface.
//!
//! What it must never contain: what commands do, or decisions about pages.
//!
//! Start reading at [`run`].

mod cli;
mod config;
mod docs;
mod doctor;
#[cfg(test)]
mod fuzz;
mod help;
mod host;
mod open;
mod print;
mod serve;
mod source;
mod version;

use cli::{Call, Parsed};
use config::Config;
use handeye_commands::{Entry, Flags, Request, Response, Run, Status};
use handeye_scene::{Problem, Verdict};
use handeye_server::{Missing, Place, SessionName};
use host::Machine;
use std::ffi::OsString;
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
        Ok(Parsed::Call(call)) => {
            let json = call.globals.json;
            let session = call.globals.session.clone();
            let mut response = perform(call).unwrap_or_else(Response::from);
            if let Some(session) = session {
                name_session(&mut response, &session);
            }
            print::response(response, json)
        }
        Err(refused) => print::problem(&refused.problem, refused.json),
    }
}

fn perform(mut call: Call) -> Result<Response, Problem> {
    match call.entry.run {
        Run::Host(run) => {
            let reply = run(call.args, &Machine::new(call.globals.given(), call.entry.name)?)?;
            let status = if reply.verdict == Verdict::Confirmed { Status::Ok } else { Status::NotConfirmed };
            Ok(Response { status, result: Some(reply.data), text: Some(reply.text), state: None, error: None })
        }
        Run::Session(_) => {
            let config = Config::load(&call.globals.given())?;
            config::take_passwords(&mut call.args)?;
            config::take_secrets(&mut call.args)?;
            config::take_surroundings(call.entry.name, &mut call.args);
            let name = SessionName::new(&config.session)?;
            let place = Place::open(&config::runtime_folder())?;
            let mut settings = config.settings;
            if call.entry.name == "open" && call.globals.backend.is_some() {
                settings.desktop.backend = call.globals.backend;
            }
            let flags = Flags {
                return_state: call.globals.return_state,
                timeout: config.timeout,
                json: call.globals.json,
                window: call.globals.window,
                backend: call.globals.backend,
                settings,
            };
            let request = Request { command: call.entry.name.to_owned(), args: call.args, flags };
            serve::client(&place).call(&name, &request, missing(call.entry))
        }
    }
}

/// Makes the commands to run next lead to the session that was named on the command line.
fn name_session(response: &mut Response, session: &str) {
    if let Some(problem) = &mut response.error {
        problem.hints.iter_mut().for_each(|hint| *hint = in_session(hint, session));
    }
    // Of what else is printed, lines may be the page's.
    if response.result.as_ref().is_none_or(|result| result.get("verdict").is_none()) {
        return;
    }
    let hints = response.result.as_mut().and_then(|result| result.get_mut("hints")?.as_array_mut());
    for hint in hints.into_iter().flatten() {
        if let Some(text) = hint.as_str() {
            *hint = in_session(text, session).into();
        }
    }
    if let Some(text) = &mut response.text {
        let line = |line: &str| match line.strip_prefix(print::TRY) {
            Some(hint) => format!("{}{}", print::TRY, in_session(hint, session)),
            None => line.to_owned(),
        };
        *text = text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    }
}

fn in_session(hint: &str, session: &str) -> String {
    let Some(command) = hint.strip_prefix("handeye ") else { return hint.to_owned() };
    let name = command.split(' ').next().unwrap_or_default();
    let is_sessions = matches!(handeye_commands::dispatch::find(name), Some(Entry { run: Run::Session(_), .. }));
    if is_sessions && !command.contains("--help") {
        return format!("handeye --session {session} {command}");
    }
    hint.to_owned()
}

/// Only a command that opens something starts a session; any other would find it blank.
fn missing(entry: &Entry) -> Missing {
    if entry.opens { Missing::Start } else { Missing::Report }
}
