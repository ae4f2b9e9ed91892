//! What changes on the screen, when it has stopped, and what came of a gesture.

use crate::windows::calls;
use crate::windows::desktop::Desktop;
use crate::windows::records::window_list::{Handle, Seen};
use handeye_scene::{Event, Moved, Rect, Settled};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

/// How long nothing may change for the desktop to count as quiet.
const QUIET: Duration = Duration::from_millis(150);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(30);
/// How long the dialog may take that three dots in a label promise.
const DIALOG: Duration = Duration::from_secs(4);
/// How long a program may take to answer before it is judged by what it shows.
const PING: Duration = Duration::from_secs(2);

/// Notes how things are as a gesture begins that goes to this window, if to any.
pub(crate) fn begin(desktop: &mut Desktop, into: Option<Handle>) {
    desktop.gesture.acted_in = into;
    let content = content_of(into);
    desktop.gesture.begun = Some((desktop.seen(), content));
}

/// A number that is another one when a control of a window is. Where the window lies, what in it has the keyboard, and how a
/// default button is framed for that, is no part of it: a click changes that, whatever comes of it.
fn content_of(window: Option<Handle>) -> u64 {
    let mut hash = DefaultHasher::new();
    let told = window.or_else(calls::in_front).and_then(|w| Some((w, calls::traits(w)?)));
    let Some((window, told)) = told else { return 0 };
    let within = |r: Rect| [r.x - told.rect.x, r.y - told.rect.y, r.width, r.height].map(|n| n as i64);
    let (below, _) = calls::children(window);
    for control in below {
        let told = calls::traits(control).map(|t| (t.enabled, within(t.rect), t.shows));
        (control, told, calls::caption(control)).hash(&mut hash);
    }
    hash.finish()
}

/// The same of everything that can be seen of windows without asking more.
fn print(desktop: &Desktop, inside: Option<Handle>) -> u64 {
    let mut hash = DefaultHasher::new();
    for window in desktop.seen() {
        let rect = [window.rect.x, window.rect.y, window.rect.width, window.rect.height].map(|n| n as i64);
        let told = (window.handle, window.title, window.focused, window.minimised, window.enabled, rect);
        told.hash(&mut hash);
    }
    let thread = inside.or_else(calls::in_front).and_then(calls::traits).map(|t| t.thread);
    let focus = thread.and_then(calls::focus_in);
    // One that doesn't answer shows nothing new.
    let text = focus.and_then(|f| calls::text(f, 2000).ok());
    (focus, text, content_of(inside)).hash(&mut hash);
    hash.finish()
}

/// Waits until nothing changed for a while and the program answers; whether it got quiet.
fn wait_until_quiet(desktop: &mut Desktop, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    if let Some(window) = desktop.gesture.acted_in.filter(|w| calls::is_there(*w)) {
        // What it comes to is seen by the look that follows.
        let _ = calls::answers(window, limit.min(PING));
    }
    let mut last = print(desktop, desktop.gesture.acted_in);
    let mut since = Instant::now();
    while since.elapsed() < QUIET {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(LOOK);
        let now = print(desktop, desktop.gesture.acted_in);
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    true
}

pub(crate) fn settle(desktop: &mut Desktop, limit: Duration) -> Settled {
    let mut quiet = wait_until_quiet(desktop, limit);
    let Some((before, content)) = desktop.gesture.begun.clone() else {
        return Settled { quiet, ..Settled::default() };
    };
    let mut after = desktop.seen();
    if std::mem::take(&mut desktop.gesture.promises) {
        let deadline = Instant::now() + DIALOG;
        while without(&after, &before).next().is_none() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
            after = desktop.seen();
        }
        quiet = wait_until_quiet(desktop, limit);
        after = desktop.seen();
    }
    let moved = Moved { later: content_of(desktop.gesture.acted_in) != content, ..Moved::default() };
    let opened = without(&after, &before).map(|w| Event::WindowOpened { title: w.title.clone() });
    let closed = without(&before, &after).map(|w| Event::WindowClosed { title: w.title.clone() });
    Settled { events: opened.chain(closed).collect(), moved, quiet, ..Settled::default() }
}

pub(crate) fn changed(desktop: &mut Desktop, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    let mut before = desktop.last;
    loop {
        let now = print(desktop, None);
        desktop.last = now;
        if before != 0 && now != before {
            return true;
        }
        before = now;
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(left.min(LOOK));
    }
}

/// The windows of one list that aren't in another.
fn without<'a>(these: &'a [Seen], those: &'a [Seen]) -> impl Iterator<Item = &'a Seen> {
    these.iter().filter(|w| !w.popup && !those.iter().any(|o| o.handle == w.handle))
}
