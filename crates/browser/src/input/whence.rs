//! Whence what changed after a gesture's events came. While a gesture is under way the debugger keeps, with each timer, promise
//! and request, the stack that began it; a page can't tell that it does. What was begun before has none, and what a page goes on
//! with by itself was begun by something that listens for no input.

use super::listeners::{Asking, Unanswered};
use crate::cdp::link::Link;
use crate::cdp::page_call::PageError;
use crate::cdp::transport::{PendingReply, read};
use crate::model::{Mark, Model};
use crate::protocol::{CallFrame, Listener, StackTold, StackTrace, StackTraceId};
use handeye_scene::{DocumentId, NativeId, Whence};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// The group of the objects by which it is asked.
const GROUP: &str = "handeye-whence";
/// How long it is asked for: a page on a machine that is busy with other things answers by then.
const LIMIT: Duration = Duration::from_secs(10);
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

/// Events that other documents bring about in a page.
const SENT: [&str; 3] = ["hashchange", "message", "storage"];

/// Whence it came, of all that was seen to change since the gesture was made. Where the page doesn't say so in time, nobody knows.
pub(crate) async fn whence(link: &Link, target: Option<NativeId>) -> Whence {
    let (marks, at) = {
        let model = link.model();
        let at = Made::of(&model, target);
        (model.gesture.marks.clone(), at)
    };
    let Some(at) = at.filter(|_| !marks.is_empty()) else { return Whence::Untold };
    told(link, &at, marks).await.unwrap_or(Whence::Unanswered)
}

/// Where a gesture was made.
struct Made {
    document: DocumentId,
    session: String,
    /// Whether that is inside the page's main document.
    is_framed: bool,
    /// The element; none: at what has the focus.
    target: Option<NativeId>,
    until: Instant,
}

impl Made {
    /// None where its document is gone: that the page went elsewhere is told by itself.
    fn of(model: &Model, target: Option<NativeId>) -> Option<Self> {
        let main = model.pages.main_document();
        let document = target.map(NativeId::document).or(main)?;
        let session = model.pages.document(document).filter(|d| d.alive)?.session.clone();
        Some(Self { document, session, is_framed: Some(document) != main, target, until: Instant::now() + LIMIT })
    }

    fn ask<'a>(&self, link: &'a Link, document: DocumentId) -> Option<Asking<'a>> {
        Asking::of(link, document, GROUP, self.until.saturating_duration_since(Instant::now()))
    }
}

async fn told(link: &Link, at: &Made, marks: Vec<Mark>) -> Result<Whence, Unanswered> {
    let is_own = |mark: &Mark| !at.is_framed || mark.session == at.session;
    let (own, others) = marks.into_iter().partition(is_own);
    let Some(Begun { first, resumed }) = begun(link, at.until, own).await? else { return Ok(Whence::Untold) };
    if !(first.is_empty() && resumed.is_empty()) {
        let Some(heard) = heard(link, at).await? else { return Ok(Whence::Untold) };
        let is_first = first.iter().flatten().any(|frame| heard.iter().any(|l| is_in(frame, l)));
        // What a frame's listener changes around the frame at once isn't inside an event there.
        let resumes = |l: &Listener| at.is_framed || l.is_async();
        let is_resumed = || resumed.iter().any(|frame| heard.iter().any(|l| resumes(l) && is_in(frame, l)));
        if is_first || is_resumed() {
            return Ok(Whence::Gesture);
        }
        // The script of a link's address is one that has no address itself.
        if first.iter().flatten().any(|frame| frame.url.is_empty()) && runs_by_address(link, at).await? {
            return Ok(Whence::Gesture);
        }
    }
    if was_sent(link, at, others).await? {
        return Ok(Whence::Untold);
    }
    // No script begins what an element shows by itself.
    let acts = match at.target {
        Some(target) => !is_plain(link, at, target).await?,
        None => false,
    };
    Ok(if acts { Whence::Untold } else { Whence::Elsewhere })
}

/// Whether what changed in other processes than the target's was set off by something that was sent to the page: by whom no stack
/// tells.
async fn was_sent(link: &Link, at: &Made, others: Vec<Mark>) -> Result<bool, Unanswered> {
    if others.is_empty() {
        return Ok(false);
    }
    let Some(Begun { first, resumed }) = begun(link, at.until, others).await? else { return Ok(true) };
    let main = link.model().pages.main_document();
    let Some(asking) = main.and_then(|main| at.ask(link, main)) else { return Ok(true) };
    let found = asking.listeners("handeye.eventPath(0)").await;
    asking.end();
    let mut hears = found?.unwrap_or_default();
    hears.retain(|l| SENT.contains(&l.kind.as_str()));
    Ok(first.iter().flatten().chain(&resumed).any(|frame| hears.iter().any(|l| is_in(frame, l))))
}

/// How what changed was begun.
#[derive(Default)]
struct Begun {
    /// The first stacks.
    first: Vec<Vec<CallFrame>>,
    /// Where something ran that nothing is known to have begun: a listener that waits for something itself has no stack before.
    resumed: Vec<CallFrame>,
}

/// How all that was seen to change was begun; none where the browser knows of none, as of what another thread sent.
async fn begun(link: &Link, until: Instant, marks: Vec<Mark>) -> Result<Option<Begun>, Unanswered> {
    let asked: Vec<_> = marks
        .into_iter()
        .map(|mark| {
            let pending = mark.stack.parent_id.as_ref().map(|id| ask(link, &mark.session, id));
            (mark, pending)
        })
        .collect();
    let mut begun = Begun::default();
    for (mark, pending) in asked {
        let trail = Trail { link, session: &mark.session, until };
        let parent = match (pending, mark.stack.parent) {
            (Some(pending), _) => match trail.told(pending).await? {
                Some(stack) => Some(stack),
                None => return Ok(None),
            },
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
                    match trail.next(ran).await? {
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
        begun.first.extend(trail.first(stack).await?);
    }
    Ok(Some(begun))
}

fn ask(link: &Link, session: &str, id: &StackTraceId) -> PendingReply {
    link.connection.send(Some(session), "Debugger.getStackTrace", json!({ "stackTraceId": id }))
}

/// The stacks that led to a mark.
struct Trail<'a> {
    link: &'a Link,
    session: &'a str,
    until: Instant,
}

impl Trail<'_> {
    /// A stack that was asked for; none: the browser knows of none, as of what another thread sent.
    async fn told(&self, pending: PendingReply) -> Result<Option<StackTrace>, Unanswered> {
        let reply = self.link.reply_by(pending, self.until, LIMIT).await.map_err(|_| Unanswered)?;
        let Ok(raw) = reply else { return Ok(None) };
        let told: StackTold = read("Debugger.getStackTrace", &raw).map_err(|_| Unanswered)?;
        Ok(Some(told.stack_trace))
    }

    /// What began a stack.
    async fn next(&self, stack: StackTrace) -> Result<Option<StackTrace>, Unanswered> {
        match (stack.parent, stack.parent_id) {
            (Some(parent), _) => Ok(Some(*parent)),
            (None, Some(id)) => self.told(ask(self.link, self.session, &id)).await,
            (None, None) => Ok(None),
        }
    }

    /// The first of the stacks that led to one, which isn't empty.
    async fn first(&self, stack: StackTrace) -> Result<Option<Vec<CallFrame>>, Unanswered> {
        let (mut at, mut links) = (stack, 0);
        let mut found = None;
        loop {
            if !at.call_frames.is_empty() {
                found = Some(std::mem::take(&mut at.call_frames));
            }
            links += usize::from(at.parent_id.is_some());
            if links >= LINKS {
                return Ok(found);
            }
            match self.next(at).await? {
                Some(before) => at = before,
                None => return Ok(found),
            }
        }
    }
}

/// Whether nothing that a press passes through shows by itself that it was pressed, as a box or a list does.
async fn is_plain(link: &Link, at: &Made, target: NativeId) -> Result<bool, Unanswered> {
    let Some(asking) = at.ask(link, at.document) else { return Ok(false) };
    let path = asking.listeners(&format!("handeye.scriptPath({})", target.number())).await;
    asking.end();
    Ok(path?.is_some())
}

/// Whether a press there runs the script of a link's address.
async fn runs_by_address(link: &Link, at: &Made) -> Result<bool, Unanswered> {
    let Some(target) = at.target else { return Ok(false) };
    let limit = at.until.saturating_duration_since(Instant::now());
    match link.page_call(at.document, "runsByAddress", &[json!(target.number())], limit).await {
        Ok(runs) => Ok(runs),
        Err(PageError::Gone) => Ok(false),
        Err(PageError::Problem(_)) => Err(Unanswered),
    }
}

/// What listens for input where the gesture was made, now or before it; none: its document is gone.
async fn heard(link: &Link, at: &Made) -> Result<Option<Vec<Listener>>, Unanswered> {
    let before = link.model().gesture.heard.clone();
    let number = at.target.map_or(0, NativeId::number);
    let Some(asking) = at.ask(link, at.document) else { return Ok(None) };
    let found = asking.listeners(&format!("handeye.eventPath({number})")).await;
    asking.end();
    let mut heard = found?.unwrap_or_default();
    heard.extend(before);
    heard.retain(|l| HEARD.contains(&l.kind.as_str()));
    Ok(Some(heard))
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
