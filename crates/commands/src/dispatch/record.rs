//! The layer that records: what a call asked, what surfaces and clock told it, and what it answered.

use crate::{Entry, Request, Response, Session};
use handeye_engine::recording::{Log, Recordings};
use handeye_scene::model::chord::chord;
use handeye_scene::{Code, Hint, ModelKeys, Problem};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

/// Bytes of a recording, at most.
const LARGEST: u64 = 64 * 1024 * 1024;
/// How every recording begins.
const START: &str = "{\"recording\":";

/// Commands that put texts in.
const PUTS: [&str; 6] = ["input", "type", "fill-form", "keys", "keydown", "keyup"];
/// Their arguments that say where, and what is expected there.
const WHERE: [&str; 6] = ["ref", "locators", "target", "expect", "secret", "method"];
/// What switches are set to, which is no password.
const SWITCHED: [&str; 4] = ["on", "off", "true", "false"];

/// A call that is being noted, if its session is recorded. Dropped before its end, it is noted as given up.
pub(crate) struct Noted(Option<Log>);

impl Noted {
    /// Begins a recording where the call asks for one, and notes the call.
    pub(crate) fn begin(session: &mut Session, entry: Option<&Entry>, request: &Request) -> Result<Self, Problem> {
        if let Some(path) = &request.flags.record {
            begin_recording(session, entry.is_some_and(|entry| entry.opens), path)?;
        }
        let log = session.written.recording.as_ref().map(|(_, log)| log.clone());
        if let Some(log) = &log {
            let mut noted = request.clone();
            (noted.flags.record, noted.flags.trace, noted.flags.answers) = (None, None, false);
            // Keys of model servers are in no recording.
            noted.flags.keys = ModelKeys::default();
            noted.flags.asked = Vec::new();
            noted.flags.interruptible = None;
            noted.flags.own_file = None;
            log.request(&request.command, serde_json::to_value(noted).unwrap_or_default());
            log.puts(texts(entry.map(|entry| entry.name), &request.args));
        }
        Ok(Self(log))
    }

    /// Notes the answer. That the recording ended with it is added to its text.
    pub(crate) fn end(mut self, response: &mut Response) {
        let Some(log) = self.0.take() else { return };
        if let Some(why) = log.response(serde_json::to_value(&*response).unwrap_or_default())
            && let Some(text) = &mut response.text
        {
            text.push_str(&format!("\n[record] {why}"));
        }
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some(log) = self.0.take() {
            log.cancel();
        }
    }
}

/// What a call is to put in; of a command that there isn't, whatever may be meant so.
fn texts(command: Option<&str>, args: &Value) -> Vec<String> {
    match (command, args) {
        (Some(command), _) if !PUTS.contains(&command) => Vec::new(),
        // What is no key was meant to be typed.
        (Some("keys" | "keydown" | "keyup"), Value::String(text)) => {
            let words = text.split(' ').filter(|word| word.chars().count() > 1 && chord(word).is_err());
            words.map(str::to_owned).collect()
        }
        (_, Value::String(text)) if SWITCHED.contains(&text.as_str()) => Vec::new(),
        (_, Value::String(text)) => vec![text.clone()],
        (_, Value::Array(items)) => items.iter().flat_map(|item| texts(command, item)).collect(),
        (_, Value::Object(members)) => {
            let put = members.iter().filter(|(name, _)| !WHERE.contains(&name.as_str()));
            put.flat_map(|(_, value)| texts(command, value)).collect()
        }
        _ => Vec::new(),
    }
}

fn begin_recording(session: &mut Session, opens: bool, path: &Path) -> Result<(), Problem> {
    let wrong = |why: String| Problem::new(Code::BadRequest, why);
    match &session.written.recording {
        Some((own, _)) if own == path => return Ok(()),
        Some((own, _)) => {
            let why = format!("session `{}` is recorded into {} already", session.name, own.display());
            return Err(wrong(why).hint("handeye close"));
        }
        None => {}
    }
    check_new(session, opens, ("recording", "--record"), path)?;
    start(session, path, Box::new(create(path)?))
}

/// Refuses to begin in the midst of a session.
pub(crate) fn check_new(
    session: &Session,
    opens: bool,
    (what, flag): (&str, &str),
    path: &Path,
) -> Result<(), Problem> {
    if opens && session.surface.is_none() && session.terms.rules.is_none() {
        return Ok(());
    }
    let why = format!("a {what} begins with its session: nothing may be open yet");
    Err(Problem::new(Code::BadRequest, why)
        .hint(format!("handeye sessions stop {}", session.name))
        .hint(Hint::from("handeye open URL").arg(flag).arg(path.display().to_string())))
}

/// Records the session from here on.
pub(crate) fn start(session: &mut Session, path: &Path, to: Box<dyn Write + Send>) -> Result<(), Problem> {
    let masker = Arc::new(|texts: &[String]| crate::core::secrets::mask_of_texts(texts));
    let log = Log::begin(to, LARGEST, &session.name, env!("CARGO_PKG_VERSION"), masker)?;
    let (opener, clock) = (session.means.opener.clone(), session.clock.clone());
    let recordings = Arc::new(Recordings { log: log.clone(), opener, clock });
    (session.means.opener, session.clock) = (recordings.clone(), recordings);
    session.written.recording = Some((path.to_owned(), log));
    Ok(())
}

/// A file of the user's own. One that is there is written over only if it is a recording.
fn create(path: &Path) -> Result<File, Problem> {
    let fails =
        |e: std::io::Error| Problem::new(Code::File, format!("the recording {} can't be written: {e}", path.display()));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(fails)?;
    let facts = file.metadata().map_err(fails)?;
    let mut start = Vec::new();
    let limit = START.len() as u64;
    if facts.is_file() && facts.len() > 0 {
        BufReader::new(std::io::Read::take(&file, limit)).read_until(b'\n', &mut start).map_err(fails)?;
    }
    if !facts.is_file() || (facts.len() > 0 && start != START.as_bytes()) {
        let what = format!("{} is no recording, and isn't written over", path.display());
        return Err(Problem::new(Code::File, what).hint("handeye open URL --record OTHER"));
    }
    file.set_len(0).map_err(fails)?;
    std::io::Seek::rewind(&mut &file).map_err(fails)?;
    Ok(file)
}
