//! Writes a trace: line by line and picture by picture, within a bound, until something can't be written.

use crate::trace::change::{Lines, between};
use crate::trace::folder::{self, Files};
use crate::trace::line::{Begun, Called, Closed, FORMAT, Line, Picture, Recorded, Said};
use crate::trace::page;
use crate::trace::reader::{self, Found};
use handeye_engine::chain::{Chain, digest, hex};
use handeye_scene::{Clock, Problem, Shot};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes that the chain adds to a line, at most.
const MORE: u64 = 256;

/// A trace that is being written. Clones write to the same one; with the last of them it is closed.
#[derive(Clone)]
pub struct Tracer(Arc<Mutex<State>>);

struct State {
    folder: PathBuf,
    to: Box<dyn Write + Send>,
    chain: Chain,
    room: Room,
    calls: u64,
    /// The state last written.
    last: Option<Vec<String>>,
    /// Pictures that are there.
    pictures: HashSet<String>,
    recorded: Arc<Mutex<Sums>>,
    time: Time,
    end: End,
    words: Words,
    /// Unlocked with this.
    _lock: File,
}

/// When the trace began, and what tells how long ago that is.
struct Time {
    clock: Arc<dyn Clock>,
    began: Duration,
}

/// What models said, until the trace ends.
#[derive(Default)]
struct Words {
    held: Vec<Said>,
    /// Takes out of it what is known by then to be hidden.
    hides: Option<Hides>,
}

/// Takes out of a value what must not be written.
pub type Hides = Box<dyn Fn(&mut Value) + Send>;

/// Bytes that may be written.
struct Room {
    left: u64,
    limit: u64,
}

/// Whether anything more is written.
#[derive(Default)]
struct End {
    /// Why not.
    why: Option<String>,
    /// Whether that was told.
    is_told: bool,
    /// The last line is written.
    is_closed: bool,
}

/// What was written of a recording.
#[derive(Default)]
struct Sums {
    bytes: u64,
    hasher: Sha256,
}

/// A file whose digest is kept while it is written.
struct Summed {
    to: File,
    sums: Arc<Mutex<Sums>>,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.to.write(bytes)?;
        let mut sums = locked(&self.sums);
        sums.hasher.update(bytes.get(..written).unwrap_or_default());
        sums.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

/// How a trace was closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ending {
    /// Its folder.
    pub folder: String,
    /// How many calls it holds.
    pub calls: u64,
    /// The digest of its last line.
    pub last: String,
}

impl Tracer {
    /// Begins a trace of at most `limit` bytes in a new folder; beside it, where its recording is to be written.
    ///
    /// # Errors
    /// [`handeye_scene::Code::File`] where the folder holds something or can't be written.
    pub fn begin(
        at: &Path,
        limit: u64,
        (session, version): (&str, &str),
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, Box<dyn Write + Send>), Problem> {
        if holds_nothing(at) {
            folder::clear(at, (page::NAME, page::START));
        }
        let Files { lines, recording, lock } = folder::create(at)?;
        let recorded = Arc::new(Mutex::new(Sums::default()));
        let mut state = State {
            folder: at.to_owned(),
            to: Box::new(lines),
            chain: Chain::default(),
            room: Room { left: limit, limit },
            calls: 0,
            last: None,
            pictures: HashSet::new(),
            recorded: recorded.clone(),
            time: Time { began: clock.elapsed(), clock },
            end: End::default(),
            words: Words::default(),
            _lock: lock,
        };
        let (session, version, time) = (session.to_owned(), version.to_owned(), state.time.clock.timestamp());
        state.write(&Line::Trace(Begun { format: FORMAT, session, version, time }));
        match state.end.why.take() {
            Some(why) => {
                state.end.is_closed = true;
                Err(Problem::new(handeye_scene::Code::File, why).hint("handeye open URL --trace FOLDER"))
            }
            None => Ok((Self(Arc::new(Mutex::new(state))), Box::new(Summed { to: recording, sums: recorded }))),
        }
    }

    /// What takes out of what models said what must not be written.
    pub fn hide_by(&self, hides: Hides) {
        self.state().words.hides = Some(hides);
    }

    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        self.state().folder.clone()
    }

    /// Whether nothing more is written.
    pub fn has_ended(&self) -> bool {
        self.state().end.why.is_some()
    }

    /// The time: as RFC 3339 has it, and since the trace began.
    pub fn now(&self) -> (String, Duration) {
        let state = self.state();
        (state.time.clock.timestamp(), state.time.clock.elapsed().saturating_sub(state.time.began))
    }

    /// Keeps a picture; one that is there already isn't written again.
    pub fn keep(&self, shot: &Shot) -> Option<Picture> {
        let mut state = self.state();
        if state.end.why.is_some() {
            return None;
        }
        let sha256 = digest(&shot.bytes);
        let bytes = shot.bytes.len();
        if !state.pictures.contains(&sha256) {
            if bytes as u64 > state.room.left {
                state.fill();
                return None;
            }
            let path = folder::picture(&state.folder, &sha256);
            let written = folder::open_new(&path).and_then(|mut file| file.write_all(&shot.bytes));
            if let Err(e) = written {
                state.end.why = Some(format!("the trace can't be written, and ends before this command: {e}"));
                return None;
            }
            state.room.left -= bytes as u64;
            state.pictures.insert(sha256.clone());
        }
        Some(Picture { sha256, bytes, scale: shot.scale, area: shot.area })
    }

    /// Writes a call, with the state after it as lines. What models said before it, by their order, is held until the trace ends.
    pub fn call(&self, mut called: Called, said: Vec<Said>, state_after: Option<Vec<String>>) {
        let mut state = self.state();
        if state.end.why.is_some() || state.end.is_closed {
            return;
        }
        called.recording = state.recorded();
        if let Some(lines) = state_after {
            called.state = Some(match &state.last {
                Some(before) => between(before, &lines),
                None => Lines::Whole(lines.clone()),
            });
            state.last = Some(lines);
        }
        state.calls += 1;
        state.write(&Line::Call(Box::new(called)));
        if state.end.why.is_none() {
            let call = state.calls;
            state.words.held.extend(said.into_iter().enumerate().map(|(model, said)| Said { call, model, ..said }));
        }
    }

    /// Closes it; none where it ended before.
    pub fn close(&self, by: &str) -> Option<Ending> {
        let mut state = self.state();
        state.close(by);
        let closed = state.end.why.is_none().then(|| state.chain.last().to_owned());
        closed.map(|last| Ending { folder: state.folder.display().to_string(), calls: state.calls, last })
    }

    /// What to tell the caller, once, if it ended before its session.
    pub fn notice(&self) -> Option<String> {
        let mut state = self.state();
        let why = state.end.why.clone().filter(|_| !state.end.is_told);
        state.end.is_told |= why.is_some();
        why
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.0)
    }
}

/// Whether a trace is there of a session in which nothing was done: it couldn't be opened as it was written, and is begun anew.
fn holds_nothing(at: &Path) -> bool {
    let is_refused = |called: &Called| called.answer.as_ref().is_some_and(|answer| answer.get("error").is_some());
    let book = if folder::is_being_written(at) { None } else { reader::read(at).ok() };
    book.is_some_and(|book| {
        book.verified.found != Found::Edited
            && book.verified.pictures == 0
            && book.calls.iter().all(|(_, called)| is_refused(called))
    })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn recorded(&self) -> Recorded {
        let sums = locked(&self.recorded);
        Recorded { bytes: sums.bytes, sha256: hex(&sums.hasher.clone().finalize()) }
    }

    fn close(&mut self, by: &str) {
        if self.end.is_closed || self.end.why.is_some() {
            return;
        }
        self.end.is_closed = true;
        self.tell();
        let (time, calls, recording) = (self.time.clock.timestamp(), self.calls, self.recorded());
        // The last line has room in any case.
        self.room.left = self.room.left.max(4096);
        self.write(&Line::Closed(Closed { time, by: by.to_owned(), calls, recording }));
    }

    /// Writes what models said, as far as there is room. Without what takes passwords out of it, it isn't written.
    fn tell(&mut self) {
        let held = std::mem::take(&mut self.words.held);
        let Some(hides) = self.words.hides.take() else { return };
        for said in held {
            let mut value = serde_json::json!(said);
            hides(&mut value);
            // What was taken out keeps its shape.
            let Ok(said) = serde_json::from_value(value) else { continue };
            let line = Line::Said(said);
            let bytes = serde_json::to_string(&line).map_or(u64::MAX, |text| text.len() as u64);
            if bytes + MORE > self.room.left || self.end.why.is_some() {
                return;
            }
            self.write(&line);
        }
    }

    /// Closes it since it may not grow any more.
    fn fill(&mut self) {
        let why = format!("the trace reached its limit of {} bytes, and ends before this command", self.room.limit);
        self.close(&why);
        self.end.why.get_or_insert(why);
    }

    fn write(&mut self, line: &Line) {
        let mut chain = self.chain.clone();
        let mut text = chain.line(line.members());
        text.push('\n');
        if text.len() as u64 > self.room.left {
            self.calls = self.calls.saturating_sub(1);
            return self.fill();
        }
        match self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()) {
            Ok(()) => {
                self.room.left -= text.len() as u64;
                self.chain = chain;
            }
            Err(e) => self.end.why = Some(format!("the trace can't be written, and ends before this command: {e}")),
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.close("stopped");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::line::Asked;
    use handeye_scene::Rect;
    use std::io::{Error, ErrorKind};

    /// A clock that stands still.
    struct Still;

    #[async_trait::async_trait]
    impl Clock for Still {
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
        fn timestamp(&self) -> String {
            "2026-01-01T00:00:00Z".into()
        }
        async fn sleep(&self, _time: Duration) {}
    }

    /// A disk that is full.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _bytes: &[u8]) -> std::io::Result<usize> {
            Err(Error::from(ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn begun(at: &Path, limit: u64) -> Tracer {
        Tracer::begin(at, limit, ("s", "1"), Arc::new(Still)).unwrap_or_else(|e| panic!("{e}")).0
    }

    fn called(command: &str) -> Called {
        let answer = Some(serde_json::json!({ "status": "ok" }));
        Called { command: command.to_owned(), answer, ..Called::default() }
    }

    fn found(at: &Path) -> (Found, usize, Option<String>) {
        let verified = reader::read(at).unwrap_or_else(|e| panic!("{e}")).verified;
        assert!(verified.faults.is_empty() || verified.found == Found::Edited, "{verified:?}");
        (verified.found, verified.calls, verified.ended)
    }

    #[test]
    fn a_trace_is_closed_by_whoever_lets_go_of_it_last() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("new/t");
        let tracer = begun(&at, 1 << 20);
        tracer.call(called("open"), Vec::new(), Some(vec!["page".into()]));
        let other = tracer.clone();
        drop(tracer);
        assert_eq!(found(&at), (Found::Running, 1, None));
        other.call(called("click"), Vec::new(), Some(vec!["page".into(), "text".into()]));
        drop(other);
        assert_eq!(found(&at), (Found::Intact, 2, Some("stopped".into())));
        // Nothing is written over.
        let again = Tracer::begin(&at, 1 << 20, ("s", "1"), Arc::new(Still));
        assert_eq!(again.err().map(|problem| problem.code), Some(handeye_scene::Code::File));
    }

    #[test]
    fn whichever_byte_is_changed_it_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("t");
        let (tracer, mut recording) =
            Tracer::begin(&at, 1 << 20, ("s", "1"), Arc::new(Still)).unwrap_or_else(|e| panic!("{e}"));
        recording.write_all(b"{\"recording\":1}\n").unwrap();
        let shot = Shot { bytes: b"a picture".to_vec(), scale: 1.0, area: Rect::new(0.0, 0.0, 1.0, 1.0) };
        let before = tracer.keep(&shot);
        // A page may hold the very character that stands for what is no text.
        tracer.call(
            Called { before: before.clone(), ..called("click") },
            Vec::new(),
            Some(vec!["登录 \u{fffd}".into()]),
        );
        drop(tracer);
        assert_eq!(found(&at).0, Found::Intact);
        let picture = folder::picture(&at, &before.expect("it is kept").sha256);
        for path in [at.join(folder::LINES), at.join(folder::RECORDING), picture] {
            let whole = std::fs::read(&path).unwrap();
            for place in 0..whole.len() {
                for to in [whole[place] ^ 1, whole[place].wrapping_add(1)] {
                    let mut bytes = whole.clone();
                    bytes[place] = to;
                    std::fs::write(&path, &bytes).unwrap();
                    let verified = reader::read(&at).map(|book| book.verified.found);
                    assert_ne!(verified.ok(), Some(Found::Intact), "byte {place} of {} as {to}", path.display());
                }
            }
            std::fs::write(&path, whole).unwrap();
        }
    }

    #[test]
    fn what_models_said_is_written_at_the_end_without_what_is_hidden_by_then() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("t");
        let tracer = begun(&at, 1 << 20);
        tracer.hide_by(Box::new(|value| {
            *value = serde_json::from_str(&value.to_string().replace("hunter2", "•")).unwrap()
        }));
        let asked = |answer: &str| Asked { answer: answer.into(), calls: vec!["click [1]".into()], ..Asked::default() };
        for (command, answer) in [("click", "not hunter2"), ("state", "next")] {
            let (asked, said) = asked(answer).apart();
            tracer.call(Called { models: vec![asked], ..called(command) }, vec![said], None);
        }
        let answers = || {
            let calls = reader::read(&at).unwrap_or_else(|e| panic!("{e}")).calls;
            calls.into_iter().map(|(_, call)| call.models[0].answer.clone()).collect::<Vec<_>>()
        };
        assert_eq!(answers(), ["click [1]", "click [1]"]);
        drop(tracer);
        assert_eq!(answers(), ["not •", "next"]);
        assert_eq!(found(&at), (Found::Intact, 2, Some("stopped".into())));
    }

    #[test]
    fn a_trace_that_is_full_is_closed_and_says_so_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("t");
        let tracer = begun(&at, 2000);
        let shot = |bytes: usize| Shot { bytes: vec![7; bytes], scale: 1.0, area: Rect::new(0.0, 0.0, 1.0, 1.0) };
        let first = tracer.keep(&shot(500)).expect("there is room");
        assert_eq!(tracer.keep(&shot(500)), Some(first.clone()), "it is there already");
        tracer.call(Called { before: Some(first), ..called("click") }, Vec::new(), None);
        assert_eq!((tracer.keep(&shot(5000)), tracer.has_ended()), (None, true));
        tracer.call(called("state"), Vec::new(), None);
        assert!(tracer.notice().is_some_and(|why| why.contains("limit of 2000 bytes")));
        assert_eq!((tracer.notice(), tracer.close("closed")), (None, None));
        let (word, calls, ended) = found(&at);
        assert_eq!((word, calls, ended.is_some_and(|why| why.contains("limit"))), (Found::Intact, 1, true));
    }

    #[test]
    fn a_full_disk_ends_a_trace_which_is_then_cut_short() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("t");
        let tracer = begun(&at, 1 << 20);
        tracer.call(called("open"), Vec::new(), None);
        tracer.state().to = Box::new(Full);
        tracer.call(called("click"), Vec::new(), None);
        assert!(tracer.has_ended() && tracer.notice().is_some());
        assert_eq!(tracer.close("closed"), None);
        drop(tracer);
        assert_eq!(found(&at), (Found::CutShort, 1, None));
    }

    #[test]
    fn a_trace_in_which_nothing_could_be_opened_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let refused = Called { answer: Some(serde_json::json!({ "error": { "code": "file" } })), ..called("open") };
        begun(folder.path(), 1 << 20).call(refused, Vec::new(), None);
        begun(folder.path(), 1 << 20).call(called("open"), Vec::new(), None);
        assert_eq!(found(folder.path()).1, 1);
    }
}
