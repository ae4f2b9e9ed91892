//! Whence what changed after a gesture's events came. While a gesture is under way the debugger keeps, with each timer, promise
//! and request, the stack that began it; a page can't tell that it does. What was begun before has none, and what a page goes on
//! with by itself was begun by something that listens for no input.

use super::listeners::Asking;
use super::stops::ARM_LIMIT;
use crate::cdp::link::Link;
use crate::cdp::transport::PendingReply;
use crate::model::Mark;
use crate::protocol::{CallFrame, Listener, StackTold, StackTrace, StackTraceId};
use handeye_scene::{NativeId, Whence};
use serde_json::json;

/// The group of the objects by which it is asked.
const GROUP: &str = "handeye-whence";
/// How often what began something is asked for that another part of the page has told of.
const LINKS: usize = 8;
/// Events that input brings about, but for those that come with the pointer alone, or of what loses the focus.
const HEARD: [&str; 41] = [
    "auxclick",
    "beforeinput",
    "beforetoggle",
    "cancel",
    "change",
    "click",
    "close",
    "command",
    "compositionend",
    "compositionstart",
    "contextmenu",
    "copy",
    "cut",
    "dblclick",
    "dragend",
    "dragstart",
    "drop",
    "focus",
    "focusin",
    "formdata",
    "hashchange",
    "input",
    "invalid",
    "keydown",
    "keypress",
    "keyup",
    "mousedown",
    "mouseup",
    "paste",
    "pointerdown",
    "pointerup",
    "popstate",
    "reset",
    "select",
    "selectionchange",
    "selectstart",
    "submit",
    "toggle",
    "touchend",
    "touchstart",
    "wheel",
];

/// Whence it came, of all that was seen to change since the gesture was made.
pub(crate) async fn whence(link: &Link, target: Option<NativeId>) -> Whence {
    let (marks, main) = {
        let model = link.model();
        (model.gesture.marks.clone(), model.pages.main_document())
    };
    // Of what a frame's own listeners change in other documents no stack tells.
    let is_framed = target.is_some_and(|target| Some(target.document()) != main);
    if marks.is_empty() || is_framed {
        return Whence::Untold;
    }
    let Some(Begun { first, resumed }) = begun(link, marks).await else { return Whence::Untold };
    if !(first.is_empty() && resumed.is_empty()) {
        let Some(heard) = heard(link, target).await else { return Whence::Untold };
        let is_first = first.iter().flatten().any(|frame| heard.iter().any(|l| is_in(frame, l)));
        let is_resumed = || resumed.iter().any(|frame| heard.iter().any(|l| l.is_async() && is_in(frame, l)));
        if is_first || is_resumed() {
            return Whence::Gesture;
        }
    }
    // No script begins what an element does by itself.
    match target {
        Some(target) if !is_plain(link, target).await => Whence::Untold,
        _ => Whence::Elsewhere,
    }
}

/// How what changed was begun.
#[derive(Default)]
struct Begun {
    /// The first stacks.
    first: Vec<Vec<CallFrame>>,
    /// Where something ran that nothing is known to have begun: a listener that waits for something itself has no stack before.
    resumed: Vec<CallFrame>,
}

/// How all that was seen to change was begun; none where the browser can't tell.
async fn begun(link: &Link, marks: Vec<Mark>) -> Option<Begun> {
    let asked: Vec<_> = marks
        .into_iter()
        .map(|mark| {
            let pending = mark.stack.parent_id.as_ref().map(|id| ask(link, &mark.session, id));
            (mark, pending)
        })
        .collect();
    let mut begun = Begun::default();
    for (mark, pending) in asked {
        let parent = match (pending, mark.stack.parent) {
            (Some(pending), _) => Some(told(link, pending).await?),
            (None, parent) => parent.map(|parent| *parent),
        };
        let stack = match (mark.own, parent) {
            (true, None) => {
                begun.first.push(mark.stack.call_frames);
                continue;
            }
            (true, Some(parent)) => parent,
            // What ran there, and what began that.
            (false, parent) => match parent {
                Some(ran) => {
                    let last = ran.call_frames.last().cloned();
                    match next(link, &mark.session, ran).await {
                        Some(before) => before,
                        None => {
                            begun.resumed.extend(last);
                            continue;
                        }
                    }
                }
                None => continue,
            },
        };
        begun.first.extend(first(link, &mark.session, stack).await);
    }
    Some(begun)
}

fn ask(link: &Link, session: &str, id: &StackTraceId) -> PendingReply {
    link.connection.send(Some(session), "Debugger.getStackTrace", json!({ "stackTraceId": id }))
}

async fn told(link: &Link, pending: PendingReply) -> Option<StackTrace> {
    link.answer::<StackTold>(pending, ARM_LIMIT).await.ok().map(|told| told.stack_trace)
}

/// What began a stack.
async fn next(link: &Link, session: &str, stack: StackTrace) -> Option<StackTrace> {
    match (stack.parent, stack.parent_id) {
        (Some(parent), _) => Some(*parent),
        (None, Some(id)) => told(link, ask(link, session, &id)).await,
        (None, None) => None,
    }
}

/// The first of the stacks that led to one, which isn't empty.
async fn first(link: &Link, session: &str, stack: StackTrace) -> Option<Vec<CallFrame>> {
    let (mut at, mut links) = (stack, 0);
    let mut found = None;
    loop {
        if !at.call_frames.is_empty() {
            found = Some(std::mem::take(&mut at.call_frames));
        }
        links += usize::from(at.parent_id.is_some());
        match next(link, session, at).await {
            Some(before) if links < LINKS => at = before,
            _ => return found,
        }
    }
}

/// Whether nothing that a press passes through acts by itself, as a link or a list does.
async fn is_plain(link: &Link, target: NativeId) -> bool {
    let Some(asking) = Asking::of(link, target.document(), GROUP) else { return false };
    let path = asking.listeners(&format!("handeye.pressPath({})", target.number())).await;
    asking.end();
    path.is_some()
}

/// What listens for input where the gesture was made, now or before it.
async fn heard(link: &Link, target: Option<NativeId>) -> Option<Vec<Listener>> {
    let main = link.model().pages.main_document();
    let (document, number) = match target {
        Some(target) => (target.document(), target.number()),
        None => (main?, 0),
    };
    let before = link.model().gesture.heard.clone();
    let asking = Asking::of(link, document, GROUP)?;
    let found = asking.listeners(&format!("handeye.eventPath({number})")).await;
    asking.end();
    let mut heard = found?;
    heard.extend(before);
    heard.retain(|l| HEARD.contains(&l.kind.as_str()));
    Some(heard)
}

/// Whether a place in a script lies in what a listener runs.
fn is_in(frame: &CallFrame, listener: &Listener) -> bool {
    if frame.script_id != listener.script_id {
        return false;
    }
    let source = listener.handler.as_ref().map_or("", |handler| handler.description.as_str());
    // One that stands in an attribute is a script of its own.
    if source.starts_with(&format!("function on{}(event) {{\n", listener.kind)) {
        return true;
    }
    let start = (listener.line_number, listener.column_number);
    let at = (frame.line_number, frame.column_number);
    let (lines, last) = match source.rsplit_once('\n') {
        Some((above, last)) => (above.split('\n').count() as i64, last),
        None => (0, source),
    };
    let width = last.encode_utf16().count() as i64;
    // The place that is told is where the parameters begin.
    let end = (start.0 + lines, if lines == 0 { start.1 + width - before_parameters(source) } else { width });
    start <= at && at <= end
}

/// How much of a function's source stands before its parameters, in UTF-16 units.
fn before_parameters(source: &str) -> i64 {
    let arrow = source.find("=>").unwrap_or(source.len());
    let named = source.find('(').filter(|at| *at < arrow).unwrap_or_default();
    source[..named].encode_utf16().count() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Handler;

    #[test]
    fn a_frame_is_in_a_listener_by_its_place_alone() {
        let listener = |source: &str| Listener {
            kind: "click".into(),
            script_id: "7".into(),
            line_number: 3,
            column_number: 10,
            handler: Some(Handler { description: source.into() }),
            ..Listener::default()
        };
        let frame = |script: &str, line, column| CallFrame {
            script_id: script.into(),
            line_number: line,
            column_number: column,
            ..CallFrame::default()
        };
        let arrow = "() => later()";
        let long = "function save(e) {\n  later();\n}";
        for (source, script, line, column, is) in [
            (arrow, "7", 3, 16, true),
            (arrow, "7", 3, 9, false),
            (arrow, "7", 3, 40, false),
            (arrow, "7", 4, 2, false),
            ("e => later(e)", "7", 3, 22, true),
            ("e => later(e)", "7", 3, 24, false),
            ("async function save() {}", "7", 3, 15, true),
            ("async function save() {}", "7", 3, 30, false),
            (arrow, "8", 3, 16, false),
            (long, "7", 4, 200, true),
            (long, "7", 5, 1, true),
            (long, "7", 5, 9, false),
            (long, "7", 6, 0, false),
            (long, "7", 2, 99, false),
            ("function onclick(event) {\nlater()\n}", "7", 0, 0, true),
            ("function onclick(event) {\nlater()\n}", "8", 0, 0, false),
        ] {
            assert_eq!(
                is_in(&frame(script, line, column), &listener(source)),
                is,
                "{source}: {script} {line}:{column}"
            );
        }
    }
}
