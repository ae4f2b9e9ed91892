//! The client's side of a call. Blocking and small: for a running session it costs a connection, a line each way, and no
//! more, because the shell starts a process for every command.

use crate::process::hold::{self, Found};
use crate::process::lock_file::Record;
use crate::process::runtime_dir::{Place, SessionName};
use crate::process::start::{self, Starter};
use crate::session::consent::{AnswerLine, Given, Numbered, QuestionLine};
use crate::transport::mcp::port::Asks;
use crate::transport::system::{self, Caller, Replies, Unconnected, Watch};
use handeye_commands::{Flags, Request, Response, SessionInfo};
use handeye_scene::{Code, Problem};
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// How long a session may take to say that it is there.
const PING_LIMIT: Duration = Duration::from_secs(2);
/// How long a daemon that was told to end may take: longer than its surface may take to close.
const END_LIMIT: Duration = Duration::from_secs(15);
/// How long a signal may take to end a daemon.
const KILL_LIMIT: Duration = Duration::from_secs(3);

/// What to do when the session has no daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Start one: the command opens something.
    Start,
    /// Say so: the command needs something that is open.
    Report,
}

/// Calls sessions of one place.
pub struct Client<'a> {
    /// Where they are.
    pub place: &'a Place,
    /// Version of handeye.
    pub version: &'a str,
    /// The process that serves a session (see [`crate::serve`]).
    pub daemon: &'a dyn Fn(&SessionName) -> Command,
    /// Ends what a dead daemon launched and kept in this folder.
    pub reap: &'a dyn Fn(&Path),
    /// Puts questions of the policy to a person; none where nobody can be asked.
    pub asks: Option<Asks>,
}

/// Longest wait for an answer when the call itself sets no limit: longer than any command takes, so only a daemon that is
/// stopped or stuck is given up.
const ANSWER_LIMIT: Duration = Duration::from_secs(15 * 60);

/// How long whoever watches may wait for an answer: longer than the daemon waits for something to tell.
const WATCH_LIMIT: Duration = Duration::from_secs(25);

/// For what takes but a moment.
const UNWATCHED: Watch<'static> = Watch { is_there: &|| true, cancelled: None };

impl Client<'_> {
    /// Runs one command on a session.
    pub fn call(&self, name: &SessionName, request: &Request, missing: Missing) -> Result<Response, Problem> {
        self.call_until(name, request, missing, None)
    }

    /// The same, until `cancelled` says so: the daemon is hung up on then, and ends the call.
    pub fn call_until(
        &self,
        name: &SessionName,
        request: &Request,
        missing: Missing,
        cancelled: Option<&dyn Fn() -> bool>,
    ) -> Result<Response, Problem> {
        let answers = self.asks.is_some();
        let request = &Request { flags: Flags { answers, ..request.flags.clone() }, ..request.clone() };
        let replies = self.replies();
        let mut line = serde_json::to_vec(request)
            .map_err(|e| Problem::new(Code::Bug, format!("can't write the request as JSON: {e}")))?;
        line.push(b'\n');
        // A daemon that ends on its own answers every call it began; one that it cut off without an answer may go to its
        // successor, of which there could be another end to run into.
        for _ in 0..3 {
            // Held until the answer is here: its end tells a daemon that was just started that nobody waits for it.
            let (caller, _starter) = self.reach(name, missing)?;
            let record = Record::read(&self.place.record(name));
            self.check_version(name, record.as_ref())?;
            let watch = Watch { is_there: &|| self.may_answer(name), cancelled };
            match caller.exchange(&line, ANSWER_LIMIT, &replies, watch) {
                Ok(Some(answer)) => {
                    return serde_json::from_slice(&answer).map_err(|e| {
                        Problem::new(Code::Bug, format!("the answer of session `{name}` can't be read: {e}"))
                    });
                }
                Ok(None) => {
                    if let Found::Dead(_) = hold::look(self.place, name)? {
                        let lost = self.lost(name, record.as_ref());
                        self.clear(name)?;
                        // A command that starts a daemon anyway starts it anew.
                        if matches!(missing, Missing::Report) {
                            return Err(lost);
                        }
                    }
                }
                Err(e) => return Err(cut_off(name, &e)),
            }
        }
        Err(Problem::new(Code::Lost, format!("session `{name}` ended before `{}` could run", request.command))
            .hint("handeye open URL"))
    }

    /// Has a call end in order that was given this name; whoever waits for it is answered with what was done by then.
    pub fn interrupt(&self, name: &SessionName, call: &str) -> Result<(), Problem> {
        let request = serde_json::json!({ "command": "_interrupt", "args": { "call": call } });
        if let Some(caller) = self.connect(name)? {
            let line = format!("{request}\n");
            let told = caller.exchange(line.as_bytes(), PING_LIMIT, &silent(), UNWATCHED);
            told.map_err(|e| cut_off(name, &e))?;
        }
        Ok(())
    }

    /// Answers the questions of a call by asking a person.
    fn replies(&self) -> Replies {
        let Some(asks) = self.asks.clone() else { return silent() };
        Arc::new(move |line| {
            let QuestionLine { question: Numbered { id, question } } = serde_json::from_slice(line).ok()?;
            let Some(consent) = asks(&question) else { return Some(Vec::new()) };
            let answer = AnswerLine { answer: Given { id, consent } };
            let mut line = serde_json::to_vec(&answer).ok()?;
            line.push(b'\n');
            Some(line)
        })
    }

    /// Asks a session's daemon on behalf of whoever watches: see `_watch` in [`crate::session`].
    pub fn watch(
        &self,
        name: &SessionName,
        command: &str,
        args: serde_json::Value,
    ) -> Result<serde_json::Value, Problem> {
        let request = Request { command: command.to_owned(), args, flags: Flags::default() };
        let mut line = serde_json::to_vec(&request)
            .map_err(|e| Problem::new(Code::Bug, format!("can't write the request as JSON: {e}")))?;
        line.push(b'\n');
        let none =
            || Problem::new(Code::NotFound, format!("nothing is open in session `{name}`")).hint("handeye open URL");
        let caller = self.connect(name)?.ok_or_else(none)?;
        let answer = caller.exchange(&line, WATCH_LIMIT, &silent(), UNWATCHED).map_err(|e| cut_off(name, &e))?;
        let response: Response = serde_json::from_slice(&answer.ok_or_else(none)?)
            .map_err(|e| Problem::new(Code::Bug, format!("the answer of session `{name}` can't be read: {e}")))?;
        match response.error {
            Some(problem) => Err(problem),
            None => Ok(response.result.unwrap_or_default()),
        }
    }

    /// Every session of the place. What dead daemons left is cleared away; they are listed this once, as not alive.
    pub fn sessions(&self) -> Result<Vec<SessionInfo>, Problem> {
        let mut sessions = Vec::new();
        for name in self.place.names()? {
            let (record, living) = match hold::look(self.place, &name)? {
                Found::Living(record) => (record, true),
                Found::Dead(record) => (record, false),
                Found::Nothing => (None, false),
            };
            let pong = if living { self.ping(&name) } else { None };
            if !living && !self.clear(&name)? {
                // It ended in good order just now.
                continue;
            }
            let pid = record.map(|r| r.pid).unwrap_or_default();
            let url = pong.as_ref().and_then(|p| p.get("url")?.as_str().map(str::to_owned));
            sessions.push(SessionInfo { name: name.as_str().to_owned(), pid, url, alive: pong.is_some() });
        }
        Ok(sessions)
    }

    /// Ends a session, by force where it doesn't answer; whether there was one.
    pub fn stop(&self, name: &SessionName) -> Result<bool, Problem> {
        let held = match hold::look(self.place, name)? {
            Found::Living(record) => record,
            Found::Dead(_) => {
                self.clear(name)?;
                return Ok(true);
            }
            Found::Nothing => return self.clear(name),
        };
        let gone = |limit| hold::wait_until_gone(self.place, name, held.as_ref(), limit);
        // Force is for a daemon that doesn't even answer; one that does is given the time to close its browser.
        let answers = self.ping(name).is_some();
        if answers && let Some(caller) = self.connect(name)? {
            let _ = caller.exchange(b"{\"command\":\"_shutdown\"}\n", END_LIMIT, &silent(), UNWATCHED);
        }
        if gone(if answers { END_LIMIT } else { Duration::ZERO })? {
            return Ok(true);
        }
        for at_once in [false, true] {
            // Its record is still held, by it, so the process id in it is nobody else's.
            if let Some(record) = &held {
                system::end(record.pid, at_once);
            }
            if gone(KILL_LIMIT)? {
                self.clear(name)?;
                return Ok(true);
            }
        }
        Err(Problem::new(Code::Unavailable, format!("the daemon of session `{name}` can't be ended"))
            .hint("handeye doctor"))
    }

    /// Whether a daemon that was asked is still there: one that nobody can connect to is closing, and answers what it began.
    fn may_answer(&self, name: &SessionName) -> bool {
        let Ok(Some(caller)) = self.connect(name) else { return true };
        matches!(caller.exchange(b"{\"command\":\"_ping\"}\n", PING_LIMIT, &silent(), UNWATCHED), Ok(Some(_)))
    }

    fn ping(&self, name: &SessionName) -> Option<serde_json::Value> {
        let caller = self.connect(name).ok()??;
        let line = caller.exchange(b"{\"command\":\"_ping\"}\n", PING_LIMIT, &silent(), UNWATCHED).ok()??;
        serde_json::from_slice(&line).ok()
    }

    /// A connection to the session's daemon; none when nobody listens.
    fn connect(&self, name: &SessionName) -> Result<Option<Caller>, Problem> {
        let address = self.place.address(name)?;
        let shown = system::left_by(&address).map_or_else(|| format!("session `{name}`"), |p| p.display().to_string());
        match system::connect(&address) {
            Ok(caller) => Ok(Some(caller)),
            Err(Unconnected::Nobody) => Ok(None),
            Err(Unconnected::Stranger(who)) => Err(Problem::new(
                Code::Denied,
                format!("{shown} is served by {who}, not by you; nothing was sent to it"),
            )
            .hint("handeye doctor")),
            Err(Unconnected::Failed(e)) => {
                Err(Problem::new(Code::Unavailable, format!("can't connect to {shown}: {e}")).hint("handeye doctor"))
            }
        }
    }

    /// A connection, to a daemon that is started for it where `missing` says so.
    fn reach(&self, name: &SessionName, missing: Missing) -> Result<(Caller, Option<Starter>), Problem> {
        if let Some(caller) = self.connect(name)? {
            return Ok((caller, None));
        }
        // From here on one client at a time: of two that find nobody, one starts the daemon and the other finds it.
        let _lock = start::lock(self.place)?;
        if let Some(caller) = self.connect(name)? {
            return Ok((caller, None));
        }
        // A daemon that lives and doesn't listen is about to end.
        if !hold::wait_until_gone(self.place, name, None, END_LIMIT)? {
            let message = format!("the daemon of session `{name}` lives and doesn't listen");
            return Err(Problem::new(Code::Lost, message).hint(format!("handeye sessions stop {name}")));
        }
        let record = Record::read(&self.place.record(name));
        let lost = self.lost(name, record.as_ref());
        let remains = start::clear(self.place, name, self.reap)?;
        match missing {
            Missing::Report if remains => Err(lost),
            Missing::Report => Err(Problem::new(Code::NotFound, format!("nothing is open in session `{name}`"))
                .hint("handeye open URL")
                .hint("handeye sessions list")),
            Missing::Start => {
                let starter = start::start((self.daemon)(name), self.place, name)?;
                match self.connect(name)? {
                    Some(caller) => Ok((caller, Some(starter))),
                    None => Err(self.lost(name, Record::read(&self.place.record(name)).as_ref())),
                }
            }
        }
    }

    fn clear(&self, name: &SessionName) -> Result<bool, Problem> {
        let _lock = start::lock(self.place)?;
        match hold::look(self.place, name)? {
            // Started by someone else in the meantime.
            Found::Living(_) => Ok(false),
            Found::Dead(_) | Found::Nothing => start::clear(self.place, name, self.reap),
        }
    }

    fn check_version(&self, name: &SessionName, record: Option<&Record>) -> Result<(), Problem> {
        match record {
            Some(record) if record.version != self.version => Err(Problem::new(
                Code::Unsupported,
                format!("session `{name}` is held by handeye {}, and this is handeye {}", record.version, self.version),
            )
            .hint(format!("handeye sessions stop {name}"))),
            _ => Ok(()),
        }
    }

    fn lost(&self, name: &SessionName, record: Option<&Record>) -> Problem {
        let pid = record.map(|r| format!(" (pid {})", r.pid)).unwrap_or_default();
        let words =
            start::last_words(&self.place.log(name)).map(|w| format!("; its last words: {w}")).unwrap_or_default();
        Problem::new(Code::Lost, format!("the daemon of session `{name}` died{pid}; its page and refs are gone{words}"))
            .hint("handeye open URL")
    }
}

/// Answers nothing.
fn silent() -> Replies {
    Arc::new(|_| None)
}

fn cut_off(name: &SessionName, error: &io::Error) -> Problem {
    if error.kind() == io::ErrorKind::TimedOut {
        return Problem::new(Code::Timeout, format!("the daemon of session `{name}` doesn't answer: {error}"))
            .hint(format!("handeye sessions stop {name}"));
    }
    if error.kind() == io::ErrorKind::ConnectionAborted {
        return Problem::new(Code::Lost, format!("the call to session `{name}` ended: {error}")).hint("handeye state");
    }
    Problem::new(Code::Lost, format!("the connection to session `{name}` broke: {error}"))
        .hint("handeye state")
        .hint(format!("handeye sessions stop {name}"))
}
