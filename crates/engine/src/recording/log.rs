//! What is noted: one command at a time, written when it is over, within a bound.

use super::line::{Call, FORMAT, Line};
use super::redact::{Ended, Masker, Redaction};
use handeye_scene::{Code, Problem};
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A recording that is being made. Clones write to the same one.
#[derive(Clone)]
pub struct Log(Arc<Mutex<State>>);

struct State {
    to: Box<dyn Write + Send>,
    redaction: Redaction,
    /// The command that runs; none between commands.
    group: Option<Group>,
    /// Bytes that may still be written.
    left: u64,
    limit: u64,
    surfaces: u32,
    /// Whether single keys of the command that ended last are hidden.
    keys_hidden: bool,
    /// Why nothing more is written.
    ended: Option<String>,
    /// Whether that was told.
    told: bool,
}

struct Group {
    command: String,
    request: Value,
    calls: Vec<Call>,
    /// Bytes of the calls, about.
    size: u64,
    left_out: bool,
}

impl Log {
    /// Begins a recording of at most `limit` bytes.
    ///
    /// # Errors
    /// [`Code::File`] where the first line can't be written.
    pub fn begin(
        to: Box<dyn Write + Send>,
        limit: u64,
        session: &str,
        version: &str,
        masker: Masker,
    ) -> Result<Self, Problem> {
        let redaction = Redaction::new(masker);
        let (group, surfaces, left) = (None, 0, limit);
        let (keys_hidden, ended, told) = (false, None, false);
        let mut state = State { to, redaction, group, left, limit, surfaces, keys_hidden, ended, told };
        state.write(&[Line::Recording { format: FORMAT, session: session.to_owned(), version: version.to_owned() }]);
        match state.ended.take() {
            None => Ok(Self(Arc::new(Mutex::new(state)))),
            Some(why) => Err(Problem::new(Code::File, why)),
        }
    }

    /// A command begins: what is asked from here on is noted. `request` is its wire form.
    pub fn request(&self, command: &str, request: Value) {
        let mut state = self.state();
        state.redaction.begin_command();
        let (command, calls) = (command.to_owned(), Vec::new());
        state.group = Some(Group { command, request, calls, size: 0, left_out: false });
    }

    /// Texts that the command which began is to put in: what it doesn't put in may be a password all the same.
    pub fn puts(&self, texts: Vec<String>) {
        self.state().redaction.puts(texts);
    }

    /// The command is over. What to tell the caller, if the recording ended with it.
    pub fn response(&self, response: Value) -> Option<String> {
        let mut state = self.state();
        state.end(Line::Response(response));
        let why = state.ended.clone().filter(|_| !state.told);
        state.told |= why.is_some();
        why
    }

    /// The command was given up, if one still runs.
    pub fn cancel(&self) {
        self.state().end(Line::Cancelled);
    }

    /// Takes out of a request, and of what belongs to it, what is never written, as of the command that ended last. What is to be
    /// hidden is learnt also where nothing more is written.
    pub fn redact(&self, request: &mut Value, others: &mut [&mut Value]) {
        let state = self.state();
        state.redaction.request(request, state.keys_hidden);
        for value in others {
            state.redaction.answer(value);
        }
    }

    /// Takes out of what was said beside the commands so far what is never written, as far as it is known by now.
    pub fn redact_said(&self, value: &mut Value) {
        self.state().redaction.said(value);
    }

    /// Of the command that runs only its name is kept.
    pub(super) fn leave_out(&self) {
        if let Some(group) = &mut self.state().group {
            group.left_out = true;
            group.calls.clear();
        }
    }

    /// The number of the next surface.
    pub(super) fn next_surface(&self) -> u32 {
        let mut state = self.state();
        state.surfaces += 1;
        state.surfaces
    }

    /// Notes a call, where a command runs.
    pub(super) fn note(&self, on: u32, name: &str, args: impl Serialize, answer: &impl Serialize) {
        let mut state = self.state();
        let state = &mut *state;
        let Some(group) = state.group.as_mut() else { return };
        let value = |part: Result<Value, serde_json::Error>| part.unwrap_or_default();
        let (args, answer) = (value(serde_json::to_value(args)), value(serde_json::to_value(answer)));
        let call = Call { on, name: name.to_owned(), args, answer };
        state.redaction.learn(&call);
        if group.left_out || state.ended.is_some() {
            return;
        }
        group.size += size(&call);
        // No more is kept in memory than may be written.
        if group.size > state.left {
            state.fill();
        } else {
            group.calls.push(call);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end(&mut self, outcome: Line) {
        let Some(group) = self.group.take() else { return };
        let ended = match &outcome {
            Line::Response(answer) => Ended::of(answer),
            _ => Ended::Otherwise,
        };
        let keys_hidden = self.redaction.end_of_command(&group.request, ended);
        self.keys_hidden = keys_hidden;
        if self.ended.is_some() {
            return;
        }
        let mut lines = match group.left_out {
            true => vec![Line::LeftOut(group.command)],
            false => {
                let calls = group.calls.into_iter().map(Line::Call);
                std::iter::once(Line::Request(group.request)).chain(calls).chain([outcome]).collect()
            }
        };
        for line in &mut lines {
            self.redaction.redact(line, keys_hidden);
        }
        self.write(&lines);
    }

    fn fill(&mut self) {
        let limit = self.limit;
        self.ended = Some(format!("the recording reached its limit of {limit} bytes, and ends before this command"));
        if let Some(group) = &mut self.group {
            group.calls.clear();
        }
        if let Ok(line) = serde_json::to_string(&Line::Full(limit)) {
            // Where this can't be written, the recording ends all the same.
            let _ = self.to.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.to.flush());
        }
    }

    /// Writes whole groups or nothing.
    fn write(&mut self, lines: &[Line]) {
        let mut text = String::new();
        for line in lines {
            match serde_json::to_string(line) {
                Ok(line) => text.push_str(&line),
                Err(e) => {
                    self.ended = Some(format!("the recording can't be written as JSON: {e}"));
                    return;
                }
            }
            text.push('\n');
        }
        let bytes = text.len() as u64;
        if bytes > self.left {
            return self.fill();
        }
        self.left -= bytes;
        if let Err(e) = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()) {
            self.ended = Some(format!("the recording can't be written: {e}"));
        }
    }
}

/// Bytes of a call as it is written.
fn size(call: &Call) -> u64 {
    struct Count(u64);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting doesn't fail, and what can't be written is told when it is to be.
    let _ = serde_json::to_writer(&mut count, call);
    count.0
}
