//! Replays traces: on what was recorded, or by the same calls in a session of its own on the live page.

use crate::caller::By;
use crate::cli::{Call, Globals};
use crate::config;
use crate::serve::client;
use handeye_commands::dispatch::find;
use handeye_commands::dispatch::playback::play_on;
use handeye_commands::trace::line::Called;
use handeye_commands::trace::reader::{self, Book, Found};
use handeye_commands::trace::replay::{self, Divergence, Replayed};
use handeye_commands::{Entry, Response, ReturnState};
use handeye_scene::{Code, Hint, Problem};
use handeye_server::{Place, SessionName};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Replays what was recorded: nothing outside is touched.
pub(crate) fn offline(folder: &Path) -> Result<Replayed, Problem> {
    // What an edited recording says of itself is alike, whatever happened.
    let book = unedited(folder)?;
    let recording = reader::recording_of(&book)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|e| Problem::new(Code::Unavailable, format!("no runtime for a replay can be made: {e}")))?;
    let playing = runtime.block_on(play_on(&recording))?;
    Ok(Replayed {
        alike: playing.played.alike,
        verdicts: playing.verdicts,
        left_out: playing.played.left_out,
        left_out_commands: each_once(playing.left_out),
        divergence: playing.divergence.map(|diverged| Divergence {
            line: diverged.line,
            command: diverged.command,
            what: diverged.problem.message,
        }),
        ..Replayed::new(book.verified.found, false)
    })
}

/// Makes the same calls in a new session, up to the first that comes to something else. Whatever became of it, the session ends.
pub(crate) fn live(folder: &Path, on: Option<&str>, by: &By<'_>) -> Result<Replayed, Problem> {
    let book = unedited(folder)?;
    let session = SessionName::new(&format!("replay-{}", std::process::id()))?;
    let place = Place::open(&config::runtime_folder())?;
    let done = make(&book, on, session.as_str(), by);
    // Where it ended by a call of its own, there is nothing left to stop.
    let stopped = client(&place).stop(&session);
    let replayed = done?;
    stopped.map(|_| replayed)
}

/// The trace, where it is as it was written.
fn unedited(folder: &Path) -> Result<Book, Problem> {
    let book = reader::read(folder)?;
    if book.verified.found != Found::Edited {
        return Ok(book);
    }
    let text = format!("{} isn't as it was written, so nothing of it is done", folder.display());
    Err(Problem::new(Code::File, text).hint(Hint::from("handeye trace verify").arg(folder.display().to_string())))
}

fn make(book: &Book, on: Option<&str>, session: &str, by: &By<'_>) -> Result<Replayed, Problem> {
    let mut replayed = Replayed::new(book.verified.found, true);
    let (mut left_out, mut on) = (Vec::new(), on);
    for (line, called) in &book.calls {
        let entry = find(&called.command).filter(|_| !is_end(called));
        let (Some(entry), Some(args), Some(recorded)) = (entry, replay::args(called, on), &called.answer) else {
            if !is_end(called) {
                left_out.push(called.command.clone());
            }
            continue;
        };
        if called.command == "open" {
            on = None;
        }
        let response = call(entry, args, called, session, by);
        let now = serde_json::to_value(&response).unwrap_or_default();
        if let Some(what) = replay::difference(recorded, &now) {
            replayed.divergence = Some(Divergence { line: *line, command: called.command.clone(), what });
            break;
        }
        replayed.alike += 1;
        replayed.verdicts += usize::from(replay::has_verdict(&now));
    }
    replayed.left_out = left_out.len();
    replayed.left_out_commands = each_once(left_out);
    Ok(replayed)
}

/// Whether a call ended the session, as the end of the replay does.
fn is_end(called: &Called) -> bool {
    let ended = called.answer.as_ref().and_then(|answer| answer.pointer("/result/ended"));
    called.command == "close" && ended == Some(&serde_json::Value::Bool(true))
}

fn call(entry: &'static Entry, args: serde_json::Value, called: &Called, session: &str, by: &By<'_>) -> Response {
    let globals = Globals {
        session: Some(session.to_owned()),
        json: false,
        return_state: flag::<ReturnState>(called, "return_state"),
        timeout: flag(called, "timeout").or(by.globals.timeout),
        window: flag(called, "window"),
        tab: flag(called, "tab"),
        backend: flag(called, "backend"),
        record: None,
        trace: None,
        asked: Vec::new(),
        config: by.globals.config.clone(),
    };
    (by.perform)(Call { entry, args, globals }, by.cancelled, by.asks.clone()).unwrap_or_else(Response::from)
}

fn flag<T: DeserializeOwned>(called: &Called, name: &str) -> Option<T> {
    serde_json::from_value(replay::flag(&called.flags, name)?.clone()).ok()
}

fn each_once(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}
