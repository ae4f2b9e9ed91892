//! The layer that traces: what was in sight before and after a call, the state, what consoles said and models were asked, beside
//! the call and its answer. What a recording hides is hidden here. A call never fails for what its trace lacks.

use crate::core::read_policy::ReadPolicy;
use crate::core::render::count;
use crate::core::session::Kind;
use crate::dispatch::glance::{self, LOOK, check_read};
use crate::dispatch::record;
use crate::trace::folder::RECORDING;
use crate::trace::line::{Asked, Called, Picture, Said};
use crate::trace::tracing::{AskedLog, Noting, Tracing};
use crate::trace::writer::Tracer;
use crate::{Effect, Entry, Flags, Request, Response, Session};
use handeye_engine::Show;
use handeye_engine::observe::outline::{self, Style};
use handeye_engine::observe::snapshot;
use handeye_engine::recording::Log;
use handeye_engine::wording::shown;
use handeye_scene::{Code, Look, ModelKeys, Problem, Ref, Want};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a trace's lines and pictures, at most.
const LARGEST: u64 = 512 * 1024 * 1024;
/// Lines of a state, at most.
const LINES: usize = 20_000;
/// Bytes of a text or a result in a line, at most.
const ANSWER: usize = 256 * 1024;
/// Commands that reach what lets others in, such as cookies, or may do so, such as scripts: what they were asked and answered is in
/// no trace.
const WITHHELD: [&str; 6] = ["cookies", "storage", "clipboard", "network", "set", "eval"];

/// A call that is being traced, if its session is. Dropped before its end, it is written as given up.
pub(crate) struct Traced(Option<Pending>);

struct Pending {
    tracer: Tracer,
    log: Log,
    began: Duration,
    called: Called,
    /// What the caller's model said before it.
    said: Vec<Said>,
    flags: Flags,
    /// The page didn't answer in time: it isn't asked once more.
    is_slow: bool,
}

impl Traced {
    /// Begins a trace where the call asks for one, and looks, where the call acts.
    pub(crate) async fn begin(
        session: &mut Session,
        entry: Option<&Entry>,
        request: &Request,
    ) -> Result<Self, Problem> {
        if let Some(folder) = &request.flags.trace {
            begin_trace(session, entry.is_some_and(|entry| entry.opens), request, folder)?;
        }
        let (Some(trace), Some((_, log))) = (&session.written.trace, &session.written.recording) else {
            return Ok(Self(None));
        };
        let (tracer, log) = (trace.tracer.clone(), log.clone());
        // What was asked between calls belongs to none.
        trace.asked.take();
        let mut flags = Flags { keys: ModelKeys::default(), trace: None, record: None, ..request.flags.clone() };
        let (time, began) = tracer.now();
        let (models, said) = std::mem::take(&mut flags.asked).into_iter().map(Asked::apart).unzip();
        let mut called = Called {
            time,
            at: round(began),
            command: entry.map_or_else(|| request.command.clone(), |entry| entry.name.to_owned()),
            args: request.args.clone(),
            flags: kept_flags(&flags),
            models,
            ..Called::default()
        };
        let mut is_slow = false;
        if entry.is_some_and(|entry| effect(entry, &request.args) == Effect::Acts) && !tracer.has_ended() {
            let before = picture(session, &flags, &tracer).await;
            is_slow = before.as_ref().is_err_and(|problem| problem.code == Code::Timeout);
            called.before = noted("picture before it", before, &mut called.notes);
        }
        // The looks are no part of what the call took.
        let (_, began) = tracer.now();
        Ok(Self(Some(Pending { tracer, log, began, called, said, flags, is_slow })))
    }

    /// Looks, and writes the call with its answer. That the trace ended with it is added to the answer's text.
    pub(crate) async fn end(mut self, session: &mut Session, response: &mut Response) {
        let Some(pending) = &mut self.0 else { return };
        let tracer = pending.tracer.clone();
        pending.called.seconds = round(tracer.now().1.saturating_sub(pending.began));
        let mut state = None;
        let is_lost = response.error.as_ref().is_some_and(|problem| problem.code == Code::Lost);
        if session.surface.is_some() && !session.ended && !is_lost && !tracer.has_ended() {
            state = pending.look(session).await;
        }
        if let Some(trace) = &session.written.trace {
            pending.called.models.extend(trace.asked.take());
        }
        pending.called.answer = Some(answer(response, &mut pending.called.notes));
        if let Some(pending) = self.0.take() {
            pending.write(state);
        }
        let closed = if session.ended { tracer.close("closed") } else { None };
        let told = closed.as_ref().map(|ending| {
            let calls = count(ending.calls as usize, "call");
            format!("{}: {calls}, the last line's digest is {}", ending.folder, ending.last)
        });
        if let Some(ending) = closed
            && let Some(Value::Object(result)) = &mut response.result
        {
            result.insert("trace".to_owned(), json!(ending));
        }
        // Told once: not to whom gets no text.
        if let Some(text) = &mut response.text
            && let Some(said) = told.or_else(|| tracer.notice())
        {
            text.push_str(&format!("\n[trace] {said}"));
        }
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        if let Some(pending) = self.0.take() {
            pending.write(None);
        }
    }
}

impl Pending {
    /// What is in sight after the call: the picture, what consoles said, and the state.
    async fn look(&mut self, session: &mut Session) -> Option<Vec<String>> {
        let notes = &mut self.called.notes;
        if self.is_slow {
            notes.push("no picture after it: the page didn't answer before it".into());
            return None;
        }
        let refused = session.refused;
        let after = picture(session, &self.flags, &self.tracer).await;
        let is_seen = after.is_ok();
        self.called.after = noted("picture after it", after, notes);
        match console(session) {
            Ok(said) => self.called.console = said,
            Err(problem) => notes.push(format!("no console: {}", problem.message)),
        }
        let lines = if is_seen { noted("state", state(session).await, notes) } else { None };
        if let Some(surface) = session.surface.as_mut() {
            surface.allow(None);
        }
        session.refused = refused;
        lines
    }

    /// Writes it without what is hidden.
    fn write(self, state: Option<Vec<String>>) {
        let Self { tracer, log, mut called, said, .. } = self;
        let mut request =
            json!({ "args": std::mem::take(&mut called.args), "flags": std::mem::take(&mut called.flags) });
        let mut answer = called.answer.take().unwrap_or_default();
        let mut console = Value::Array(std::mem::take(&mut called.console));
        let mut models = json!(called.models);
        let mut state_value = json!(state);
        log.redact(&mut request, &mut [&mut answer, &mut console, &mut models, &mut state_value]);
        if WITHHELD.contains(&called.command.as_str()) {
            withhold(&mut request, &mut answer);
            called.notes.push("what it was asked and answered is in no trace".into());
        }
        called.args = request.get_mut("args").map(Value::take).unwrap_or_default();
        if let Some(Value::Object(flags)) = request.get_mut("flags").map(Value::take) {
            called.flags = flags;
        }
        called.answer = Some(answer).filter(|answer| !answer.is_null());
        if let Value::Array(console) = console {
            called.console = console;
        }
        // What was redacted keeps its shape.
        called.models = serde_json::from_value(models).unwrap_or_default();
        tracer.call(called, said, serde_json::from_value(state_value).unwrap_or_default());
    }
}

/// What remains of a call that reaches what lets others in: that it was made, and how it ended.
fn withhold(request: &mut Value, answer: &mut Value) {
    if let Some(args) = request.get_mut("args") {
        *args = Value::Null;
    }
    if let Some(members) = answer.as_object_mut() {
        members.retain(|name, _| name == "status" || name == "error");
        if let Some(problem) = members.get_mut("error").and_then(Value::as_object_mut) {
            problem.retain(|name, _| name == "code");
        }
    }
}

fn begin_trace(session: &mut Session, opens: bool, request: &Request, folder: &Path) -> Result<(), Problem> {
    let wrong = |why: String| Problem::new(Code::BadRequest, why);
    match &session.written.trace {
        Some(own) if own.folder == folder => return Ok(()),
        Some(own) => {
            let why = format!("session `{}` is traced into {} already", session.name, own.folder.display());
            return Err(wrong(why).hint("handeye close"));
        }
        None => {}
    }
    if request.flags.record.is_some() || session.written.recording.is_some() {
        let why = format!("a trace holds the recording of its session, as {RECORDING}: leave --record out");
        return Err(wrong(why).hint("handeye open URL --trace FOLDER"));
    }
    record::check_new(session, opens, ("trace", "--trace"), folder)?;
    let clock = session.clock.clone();
    let about = (session.name.as_str(), env!("CARGO_PKG_VERSION"));
    let (tracer, recording) = Tracer::begin(folder, LARGEST, about, clock.clone())?;
    record::start(session, &folder.join(RECORDING), recording)?;
    if let Some((_, log)) = &session.written.recording {
        let log = log.clone();
        tracer.hide_by(Box::new(move |said| log.redact_said(said)));
    }
    let asked = Arc::new(AskedLog::default());
    if let Some(inner) = session.means.models.take() {
        session.means.models = Some(Arc::new(Noting { inner, log: asked.clone(), clock }));
    }
    session.written.trace = Some(Tracing { folder: folder.to_owned(), tracer, asked, heard: 0 });
    Ok(())
}

fn effect(entry: &Entry, args: &Value) -> Effect {
    let own = entry.effect_of.and_then(|effect_of| effect_of(args.clone()).ok());
    own.unwrap_or(entry.effect)
}

/// What else a call brings that says what it does.
fn kept_flags(flags: &Flags) -> Map<String, Value> {
    let mut members = match json!(flags) {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let kept = ["return_state", "timeout", "window", "tab", "backend"];
    members.retain(|name, value| kept.contains(&name.as_str()) && !value.is_null());
    members
}

/// The answer, within bounds.
fn answer(response: &Response, notes: &mut Vec<String>) -> Value {
    let mut answer = json!(response);
    if let Some(members) = answer.as_object_mut() {
        for name in ["result", "state"] {
            let bytes = members.get(name).map_or(0, |value| value.to_string().len());
            if bytes > ANSWER {
                members.remove(name);
                notes.push(format!("the {name} has {bytes} bytes, more than a line of a trace holds"));
            }
        }
        if let Some(Value::String(text)) = members.get_mut("text")
            && text.len() > ANSWER
        {
            *text = outline::cut(text, ANSWER / 4);
            notes.push("the text is cut".into());
        }
    }
    answer
}

/// What was looked for, or a note of why it isn't there.
fn noted<T>(what: &str, looked: Result<Option<T>, Problem>, notes: &mut Vec<String>) -> Option<T> {
    looked.unwrap_or_else(|problem| {
        notes.push(format!("no {what}: {}", problem.message));
        None
    })
}

/// A picture of what is in sight, under the rules of the call; none where nothing is open.
async fn picture(session: &mut Session, flags: &Flags, tracer: &Tracer) -> Result<Option<Picture>, Problem> {
    if session.surface.is_none() {
        return Ok(None);
    }
    session.take_flags(flags.clone());
    if let Some(surface) = session.surface.as_mut() {
        surface.allow(Some(LOOK));
    }
    check_tab(session, flags).await?;
    let shot = glance::picture(session).await?;
    Ok(tracer.keep(&shot))
}

/// A tab that isn't in front isn't pictured: turning to it would be an act.
async fn check_tab(session: &mut Session, flags: &Flags) -> Result<(), Problem> {
    let (Some(named), Some(Kind::Pages)) = (&flags.tab, session.kind()) else { return Ok(()) };
    let tabs = session.web()?.tabs().await?;
    match tabs.iter().any(|tab| tab.active && *tab.id == **named) {
        true => Ok(()),
        false => Err(Problem::new(Code::Unsupported, format!("the call is about tab {named}, which isn't in front"))),
    }
}

/// The state as lines. Nothing of it counts as shown: what has no number yet gets none by it.
async fn state(session: &mut Session) -> Result<Option<Vec<String>>, Problem> {
    check_read(session).await?;
    let text = session.settings().limits.text;
    let mask = session.memory.mask.clone();
    let (surface, memory, _) = session.parts()?;
    let capture = surface.capture(Want { rows: true, ..Want::default() }).await?;
    let (mut own, generation, last) = (memory.clone(), memory.generation, memory.refs.last());
    let told = shown::masked(mask, async {
        let show = Show { text, ..Show::default() };
        let view = snapshot::see(&capture, &mut own, show, generation, String::new())?;
        Ok(outline::view(&view, Style { text, ..Style::default() }))
    });
    let told = told.await?;
    check_read(session).await?;
    let mut lines: Vec<String> = told.lines().map(|line| without_number(line, last)).collect();
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("… cut here".into());
    }
    Ok(Some(lines))
}

/// A line of a state, without a number that nobody was told.
fn without_number(line: &str, last: Ref) -> String {
    let is_new = |digits: &str| digits.parse::<u32>().is_ok_and(|number| number > last.0);
    let Some((before, rest)) = line.split_once('[') else { return line.to_owned() };
    match rest.split_once(']') {
        Some((digits, rest)) if is_new(digits) && !before.contains(|c: char| c.is_alphanumeric() || c == '"') => {
            format!("{before}[new]{rest}")
        }
        _ => line.to_owned(),
    }
}

/// What consoles said since this was last asked. For whoever asks with `console` it stays new.
fn console(session: &mut Session) -> Result<Vec<Value>, Problem> {
    if session.kind() != Some(Kind::Pages) {
        return Ok(Vec::new());
    }
    let unread = ReadPolicy::of(session)?;
    let mask = session.memory.mask.clone();
    let heard = session.written.trace.as_ref().map_or(0, |trace| trace.heard);
    let batch = session.console()?.messages(Look::Kept, false, &|_| true);
    let next = batch.forgotten + batch.items.len() as u64;
    // Another browser counts from the start.
    let heard = if next < heard { 0 } else { heard };
    let skipped = usize::try_from(heard.saturating_sub(batch.forgotten)).unwrap_or(usize::MAX);
    if let Some(trace) = &mut session.written.trace {
        trace.heard = next;
    }
    let new = batch.items.into_iter().skip(skipped).filter(|message| unread.lets_message(message));
    Ok(new
        .map(|mut message| {
            message.text = mask.of(&message.text).into_owned();
            json!(message)
        })
        .collect())
}

/// Seconds to the millisecond.
fn round(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_nobody_was_told_are_left_out() {
        for (line, shown) in [
            ("[3] button \"Buy\"", "[3] button \"Buy\""),
            ("  [4] link \"[9] more\"", "  [new] link \"[9] more\""),
            ("\"text [9]\"", "\"text [9]\""),
            ("[x] y", "[x] y"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_number(line, Ref(3)), shown);
        }
    }

    #[test]
    fn what_lets_others_in_leaves_a_name_and_an_outcome() {
        for name in WITHHELD {
            assert!(crate::dispatch::find(name).is_some(), "{name}");
        }
        let mut request = json!({ "args": { "value": "token" }, "flags": {} });
        let mut answer =
            json!({ "status": "error", "text": "token", "error": { "code": "denied", "message": "token" } });
        withhold(&mut request, &mut answer);
        assert_eq!(answer, json!({ "status": "error", "error": { "code": "denied" } }));
        assert!(!request.to_string().contains("token"));
    }
}
