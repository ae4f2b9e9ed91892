//! What consoles say, and exceptions that nothing caught, as they come.

use super::faults;
use super::values::formatted;
use crate::model::{Mark, Model};
use crate::protocol::{CallFrame, ConsoleCalled, ExceptionThrown, LogAdded};
use handeye_scene::Message;

/// Longest text of one message that is kept, characters.
const TEXT: usize = 4000;

pub(super) fn called(model: &mut Model, session: &str, called: ConsoleCalled) {
    // Our own world says something only to have told what began what runs there.
    let is_ours = |model: &Model| {
        model.pages.living().any(|d| d.context_id == called.execution_context_id && d.session == session)
    };
    if called.kind == "debug" && is_ours(model) {
        let stack = called.stack_trace.unwrap_or_default();
        return model.mark(Mark { session: session.to_owned(), stack, own: false });
    }
    // What a group or a timer does is no message.
    if matches!(called.kind.as_str(), "clear" | "endGroup" | "profile" | "profileEnd") {
        return;
    }
    let text = formatted(&called.args, &model.policy.mask);
    let source = called.stack_trace.and_then(|s| s.call_frames.first().map(place)).unwrap_or_default();
    let by = Some(called.execution_context_id);
    say(model, session, by, Message { time: called.timestamp, kind: called.kind, text, source, ..Message::default() });
}

pub(super) fn thrown(model: &mut Model, session: &str, thrown: ExceptionThrown) {
    let details = thrown.exception_details;
    let text = match details.exception.as_ref() {
        Some(e) => match (&e.description, &e.value) {
            (Some(description), _) => description.clone(),
            (None, Some(value)) => format!("{} {value}", details.text),
            (None, None) => details.text.clone(),
        },
        None => details.text.clone(),
    };
    let url = details.url.unwrap_or_default();
    let source = match url.is_empty() {
        true => String::new(),
        false => {
            format!("{url}:{}:{}", details.line_number.saturating_add(1), details.column_number.saturating_add(1))
        }
    };
    let kind = "exception".to_owned();
    let message = Message { time: thrown.timestamp, kind, text, source, ..Message::default() };
    say(model, session, details.execution_context_id, message);
}

pub(super) fn logged(model: &mut Model, session: &str, added: LogAdded) {
    let entry = added.entry;
    let source = match (entry.url.as_deref(), entry.line_number) {
        (Some(url), Some(line)) => format!("{url}:{}", line.saturating_add(1)),
        (Some(url), None) => url.to_owned(),
        _ => String::new(),
    };
    let kind = if entry.level == "verbose" { "debug" } else { entry.level.as_str() };
    let (kind, text) = (kind.to_owned(), entry.text);
    say(model, session, None, Message { time: entry.timestamp, kind, text, source, ..Message::default() });
}

fn say(model: &mut Model, session: &str, context: Option<i64>, message: Message) {
    let tab = model.pages.tab_of(session);
    let text = model.cut(&message.text, TEXT);
    let origin = context.and_then(|id| origin_in(model, session, id));
    let message = Message { tab, text, origin, ..message };
    faults::note_exception(model, &message);
    model.reports.console.add(message);
}

/// Origin of the document that a context belongs to.
fn origin_in(model: &Model, session: &str, context: i64) -> Option<String> {
    let mut frames = model.pages.frames.iter();
    let (frame, _) = frames.find(|(_, f)| f.session == session && f.main_context_id == context)?;
    model.pages.origin_of(frame)
}

fn place(frame: &CallFrame) -> String {
    if frame.url.is_empty() {
        return String::new();
    }
    format!("{}:{}:{}", frame.url, frame.line_number.saturating_add(1), frame.column_number.saturating_add(1))
}
