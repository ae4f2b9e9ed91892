//! `handeye _serve`: the process that a session's daemon is, started by clients and not meant for people.

use crate::aims::Finder;
use crate::open::{MachineClock, Surfaces};
use crate::reader::TextReader;
use crate::version::VERSION;
use crate::{config, open, print};
use handeye_commands::Session;
use handeye_scene::{Code, Problem};
use handeye_server::{Client, Place, Serve, SessionName, serve};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// How many heaps glibc makes (mallopt(3)): one for each thread without it, and each keeps what a look at a large page took.
const HEAPS: &str = "MALLOC_ARENA_MAX";

/// The process that serves the session.
pub(crate) fn process(name: &SessionName) -> Command {
    // Without a path of its own the process is looked up by name, which is right for an installed one.
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| PathBuf::from("handeye")));
    // What a page or an app is launched with is none of the token's business.
    command.env_remove(config::MCP_TOKEN);
    if config::variable(HEAPS).is_none() {
        command.env(HEAPS, "1");
    }
    command.arg("_serve").arg("--session").arg(name.as_str()).arg("--folder").arg(config::runtime_folder());
    command
}

/// Serves until the session ends.
pub(crate) fn run(args: &[OsString]) -> u8 {
    match read(args).and_then(|(name, folder)| start(&name, folder)) {
        Ok(()) => 0,
        Err(problem) => print::problem(&problem, false),
    }
}

fn read(args: &[OsString]) -> Result<(String, PathBuf), Problem> {
    match args {
        [_, session, name, folder, path] if session == "--session" && folder == "--folder" => {
            Ok((name.to_string_lossy().into_owned(), PathBuf::from(path)))
        }
        _ => Err(Problem::new(Code::BadRequest, "usage: handeye _serve --session NAME --folder FOLDER")),
    }
}

fn start(name: &str, folder: PathBuf) -> Result<(), Problem> {
    let name = SessionName::new(name)?;
    let place = Place::open(&folder)?;
    let opener = Arc::new(Surfaces { folder: place.own(&name) });
    let mut session = Session::new(name.as_str(), opener, Arc::new(MachineClock::new()));
    session.means.folder = Some(place.own(&name));
    session.means.reader = Some(Arc::new(TextReader::default()));
    session.means.models = Some(Arc::new(handeye_models::Clients::of_session(name.as_str())));
    session.means.aims = Some(Arc::new(Finder));
    serve(Serve { place, name, session, version: VERSION.to_owned() })
}

/// A client of the sessions in `place`.
pub(crate) fn client(place: &Place) -> Client<'_> {
    Client { place, version: VERSION, daemon: &process, reap: &open::reap, asks: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_has_one_heap_where_its_caller_says_nothing_of_it() {
        let command = process(&SessionName::new("one").unwrap());
        let told = command.get_envs().find(|(name, _)| *name == HEAPS).and_then(|(_, value)| value);
        let wanted = config::variable(HEAPS).is_none().then(|| OsString::from("1"));
        assert_eq!(told.map(OsString::from), wanted);
    }
}
