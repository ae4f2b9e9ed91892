//! What the console says, and exceptions that nothing caught.

use crate::protocol::{CallFrame, ConsoleCalled, ExceptionThrown, LogAdded, Preview, RemoteObject};
use crate::ring::Ring;
use crate::surface::Browser;
use crate::world::World;
use handeye_scene::heard::{MESSAGES, Wanted};
use handeye_scene::{Console, Heard, Look, Mask, Message};

/// Longest text of one message that is kept, characters.
const TEXT: usize = 4000;

/// What was heard of consoles.
pub(crate) struct Voices {
    all: Ring<Voice>,
    /// How many were forgotten before they were given, since that was last told: of all, and of errors.
    lost: (u64, u64),
}

struct Voice {
    message: Message,
    given: bool,
}

impl Default for Voices {
    fn default() -> Self {
        Self { all: Ring::new(MESSAGES), lost: (0, 0) }
    }
}

impl Voices {
    fn add(&mut self, message: Message) {
        if let Some(Voice { message, given: false }) = self.all.going() {
            self.lost.0 += 1;
            self.lost.1 += u64::from(message.is_error());
        }
        self.all.push(Voice { message, given: false });
    }
}

impl World {
    pub(crate) fn console_called(&mut self, session: &str, called: ConsoleCalled) {
        // What a group or a timer does is no message.
        if matches!(called.kind.as_str(), "clear" | "endGroup" | "profile" | "profileEnd") {
            return;
        }
        let text = formatted(&called.args, &self.mask);
        let source = called.stack_trace.and_then(|s| s.call_frames.first().map(place)).unwrap_or_default();
        let by = Some(called.execution_context_id);
        self.say(
            session,
            by,
            Message { time: called.timestamp, kind: called.kind, text, source, ..Message::default() },
        );
    }

    pub(crate) fn exception_thrown(&mut self, session: &str, thrown: ExceptionThrown) {
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
        self.say(session, details.execution_context_id, message);
    }

    pub(crate) fn log_added(&mut self, session: &str, added: LogAdded) {
        let entry = added.entry;
        let source = match (entry.url.as_deref(), entry.line_number) {
            (Some(url), Some(line)) => format!("{url}:{}", line.saturating_add(1)),
            (Some(url), None) => url.to_owned(),
            _ => String::new(),
        };
        let kind = if entry.level == "verbose" { "debug" } else { entry.level.as_str() };
        let (kind, text) = (kind.to_owned(), entry.text);
        self.say(session, None, Message { time: entry.timestamp, kind, text, source, ..Message::default() });
    }

    fn say(&mut self, session: &str, context: Option<i64>, message: Message) {
        let tab = self.tab_of(session);
        let text = self.cut(&message.text, TEXT);
        let origin = context.and_then(|id| self.origin_in(session, id));
        let message = Message { tab, text, origin, ..message };
        self.note_exception(&message);
        self.voices.add(message);
    }

    /// Origin of the document that a context belongs to.
    fn origin_in(&self, session: &str, context: i64) -> Option<String> {
        let mut frames = self.frames.iter();
        let (frame, _) = frames.find(|(_, f)| f.session == session && f.main_context_id == context)?;
        self.origin_of(frame)
    }
}

impl World {
    /// A text, masked whole and then cut off at `limit` characters.
    pub(crate) fn cut(&self, text: &str, limit: usize) -> String {
        cut(&self.mask.of(text), limit)
    }
}

/// A text, cut off at `limit` characters with an ellipsis: one that may hold a secret is masked before.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(limit).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

fn place(frame: &CallFrame) -> String {
    if frame.url.is_empty() {
        return String::new();
    }
    format!("{}:{}:{}", frame.url, frame.line_number.saturating_add(1), frame.column_number.saturating_add(1))
}

/// The arguments as the console shows them.
fn formatted(args: &[RemoteObject], mask: &Mask) -> String {
    let Some((first, rest)) = args.split_first() else { return String::new() };
    let template = first.value.as_ref().filter(|_| first.kind == "string").and_then(|v| text_of(v.get()));
    let mut rest = rest.iter();
    let mut out = match template {
        Some(template) if template.contains('%') && rest.len() > 0 => {
            let mut out = String::new();
            let mut letters = template.chars().peekable();
            while let Some(c) = letters.next() {
                match (c, letters.peek().copied()) {
                    ('%', Some('%')) => {
                        letters.next();
                        out.push('%');
                    }
                    ('%', Some('s' | 'd' | 'i' | 'f' | 'o' | 'O')) if rest.len() > 0 => {
                        letters.next();
                        out.push_str(&rest.next().map(|one| shown(one, mask)).unwrap_or_default());
                    }
                    // A style.
                    ('%', Some('c')) if rest.len() > 0 => {
                        letters.next();
                        rest.next();
                    }
                    _ => out.push(c),
                }
            }
            out
        }
        _ => shown(first, mask),
    };
    for more in rest {
        out.push(' ');
        out.push_str(&shown(more, mask));
    }
    out
}

fn text_of(json: &str) -> Option<String> {
    crate::transport::parse(json).ok()
}

fn shown(object: &RemoteObject, mask: &Mask) -> String {
    if let Some(value) = &object.value {
        return text_of(value.get()).unwrap_or_else(|| value.get().to_owned());
    }
    if object.kind == "undefined" {
        return "undefined".into();
    }
    if object.subtype.as_deref() == Some("null") {
        return "null".into();
    }
    match &object.preview {
        Some(preview) if object.subtype.as_deref() != Some("error") => previewed(preview, mask),
        _ => object.description.clone().or_else(|| object.unserializable_value.clone()).unwrap_or_default(),
    }
}

/// Characters of what the browser cuts a part out of, and where it does.
const ABBREVIATED: (usize, usize) = (100, 50);

/// A text as previews of objects hold it: of a long one the browser shows but both ends.
fn abbreviated(text: &str, mask: &Mask) -> String {
    let (length, middle) = ABBREVIATED;
    match text.split_once('…') {
        Some((start, end)) if start.chars().count() == middle && text.chars().count() == length => {
            format!("{}…{}", mask.start(start), mask.end(end))
        }
        _ => text.to_owned(),
    }
}

fn previewed(preview: &Preview, mask: &Mask) -> String {
    let list = preview.subtype.as_deref() == Some("array");
    let members = preview.properties.iter().map(|p| {
        let value = match (&p.value_preview, &p.value) {
            (Some(nested), _) => previewed(nested, mask),
            (None, Some(value)) if p.kind == "string" => format!("{:?}", abbreviated(value, mask)),
            (None, Some(value)) => value.clone(),
            (None, None) => p.kind.clone(),
        };
        if list { value } else { format!("{}: {value}", p.name) }
    });
    let members = members.chain(preview.overflow.then(|| "…".to_owned())).collect::<Vec<_>>().join(", ");
    if members.is_empty() && !list {
        return preview.description.clone().unwrap_or_else(|| "{}".into());
    }
    if list { format!("[{members}]") } else { format!("{{{members}}}") }
}

impl Console for Browser {
    fn messages(&mut self, look: Look, errors: bool, wanted: Wanted<Message>) -> Heard<Message> {
        let mut world = self.shared.world();
        let voices = &mut world.voices;
        let mut items = Vec::new();
        for voice in voices.all.iter_mut() {
            let asked = (look != Look::New || !voice.given) && (!errors || voice.message.is_error());
            if asked && wanted(&voice.message) {
                voice.given |= look != Look::Kept;
                items.push(voice.message.clone());
            }
        }
        let lost = if errors { &mut voices.lost.1 } else { &mut voices.lost.0 };
        let forgotten = match look {
            Look::New => std::mem::take(lost),
            Look::All | Look::Kept => voices.all.first(),
        };
        Heard { items, forgotten }
    }
}
