//! A parsed call, carried out: on this machine, or on the session that it is for.

use crate::batch;
use crate::caller::By;
use crate::cli::Call;
use crate::config::{self, Config};
use crate::host::Machine;
use crate::interrupt::Interrupt;
use crate::serve;
use crate::source;
use handeye_commands::{Entry, Flags, Request, Response, Run, Status};
use handeye_scene::{ModelKeys, Problem, Verdict};
use handeye_server::{Asks, Client, Missing, Place, SessionName};
use serde_json::Value;

/// Carries a call out, until `cancelled` says that nobody waits for it; `asks` puts questions of the policy to a person.
pub(crate) fn perform(
    mut call: Call,
    cancelled: Option<&dyn Fn() -> bool>,
    asks: Option<Asks>,
) -> Result<Response, Problem> {
    match call.entry.run {
        Run::Host(run) => {
            let by = By { globals: call.globals, cancelled, asks, perform };
            let reply = run(call.args, &Machine::new(by, call.entry.name)?)?;
            let status = if reply.verdict == Verdict::Confirmed { Status::Ok } else { Status::NotConfirmed };
            Ok(Response {
                status,
                result: Some(reply.data),
                text: Some(reply.text),
                hints: reply.hints,
                state: None,
                error: None,
            })
        }
        Run::Session(_) | Run::Steps(_) | Run::Aim(_) => {
            let config = Config::load(&call.globals.given())?;
            source::check_rules(&config.settings, &config.files)?;
            config::take_passwords(&mut call.args)?;
            config::take_secrets(&mut call.args)?;
            config::take_surroundings(call.entry.name, &mut call.args);
            let name = SessionName::new(&config.session)?;
            let place = Place::open(&config::runtime_folder())?;
            let mut settings = config.settings;
            if call.entry.name == "open" && call.globals.backend.is_some() {
                settings.desktop.backend = call.globals.backend;
            }
            let asks_models = (call.entry.asks_models)(&call.args) || batch::asks_models(&call.args);
            let keys = if asks_models { config::model_keys(&settings.models)? } else { ModelKeys::default() };
            // Whoever calls for others tells by itself when nobody waits any more.
            let listens = batch::is_list(call.entry) && cancelled.is_none();
            let interrupt = listens.then(Interrupt::listen).transpose()?;
            let flags = Flags {
                return_state: call.globals.return_state,
                timeout: config.timeout,
                json: call.globals.json,
                window: call.globals.window,
                tab: call.globals.tab,
                backend: call.globals.backend,
                answers: false,
                interruptible: interrupt.as_ref().map(|interrupt| interrupt.call.clone()),
                record: call.globals.record.as_deref().map(config::absolute).transpose()?,
                trace: call.globals.trace.as_deref().map(config::absolute).transpose()?,
                asked: call.globals.asked,
                keys,
                own_file: config.own.clone().filter(|_| asks_models),
                settings,
            };
            let missing = missing(call.entry, &call.args);
            let request = Request { command: call.entry.name.to_owned(), args: call.args, flags };
            let asks = match &interrupt {
                Some(interrupt) => asks.map(|asks| interrupt.until(asks)),
                None => asks,
            };
            let client = Client { asks, ..serve::client(&place) };
            match interrupt {
                Some(interrupt) => interrupt.call(&client, (&name, &request), missing),
                None => client.call_until(&name, &request, missing, cancelled),
            }
        }
    }
}

/// Only a command that opens something starts a session; any other would find it blank.
fn missing(entry: &Entry, args: &Value) -> Missing {
    if entry.opens || batch::is_list(entry) && batch::opens(args) { Missing::Start } else { Missing::Report }
}
