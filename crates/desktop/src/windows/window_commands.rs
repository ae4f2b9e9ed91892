//! What only a desktop can do: its windows, programs and pictures.

use crate::windows::calls::{self, problem};
use crate::windows::capture::tree::Tree;
use crate::windows::desktop::Desktop;
use crate::windows::records::window_list::{Seen, group, top_at};
use crate::windows::top_level::raise;
use handeye_scene::{Arrange, Code, NativeId, Point, Problem, Rect, Shot, ShotArea, Window};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a window is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// Flags of a program that is started on its own: no console of ours, no group of ours.
const ON_ITS_OWN: u32 = 0x0000_0008 | 0x0000_0200;

pub(crate) fn told(seen: &Seen) -> Window {
    Window {
        id: seen.handle.to_string(),
        title: seen.title.clone(),
        process: seen.process().to_owned(),
        pid: seen.pid,
        rect: seen.rect,
        focused: seen.focused,
        minimised: seen.minimised,
        workspace: None,
    }
}

pub(crate) fn list(desktop: &Desktop) -> Vec<Window> {
    desktop.seen().iter().filter(|w| !w.popup).map(told).collect()
}

/// Looks until something holds of the windows; the last look.
fn until(desktop: &Desktop, limit: Duration, holds: impl Fn(&[Seen]) -> bool) -> Vec<Seen> {
    let deadline = Instant::now() + limit;
    loop {
        let seen = desktop.seen();
        if holds(&seen) || Instant::now() >= deadline {
            return seen;
        }
        std::thread::sleep(LOOK);
    }
}

pub(crate) fn activate(desktop: &mut Desktop, id: &str) -> Result<Window, Problem> {
    let window = desktop.by_handle(id)?;
    if raise::raise(desktop, &window)? {
        return Ok(told(&desktop.by_handle(id)?));
    }
    let why = if window.enabled { "the system didn't give it" } else { "a dialog of it keeps it from having" };
    Err(Problem::new(Code::Blocked, format!("{:?}: {why} the keyboard", window.title)).hint("handeye windows"))
}

pub(crate) fn launch(
    desktop: &mut Desktop,
    program: &str,
    args: &[String],
    limit: Duration,
) -> Result<Option<Window>, Problem> {
    let deadline = Instant::now() + limit;
    let before = desktop.seen();
    let child = start(program, args)?;
    let pid = child.id();
    reap(child);
    let new = |w: &Seen| !w.popup && !before.iter().any(|b| b.handle == w.handle);
    let own = |seen: &[Seen]| seen.iter().any(|w| new(w) && w.pid == pid);
    let mut seen = until(desktop, limit, |seen| seen.iter().any(new));
    if !own(&seen) && seen.iter().any(new) {
        // Another program's window may have come up just then.
        seen = until(desktop, Duration::from_millis(300), own);
    }
    let Some(window) = seen.iter().find(|w| new(w) && w.pid == pid).or_else(|| seen.iter().find(|w| new(w))) else {
        return Ok(None);
    };
    // It answers once it is put together.
    let left = deadline.saturating_duration_since(Instant::now()).min(Duration::from_secs(6));
    let _ = calls::answers(window.handle, left);
    Ok(Some(told(&desktop.by_handle(&window.handle.to_string()).unwrap_or_else(|_| window.clone()))))
}

pub(crate) fn close(desktop: &mut Desktop, id: &str, limit: Duration) -> Result<bool, Problem> {
    let window = desktop.by_handle(id)?;
    if !window.enabled {
        let dialog = desktop.seen().into_iter().find(|w| w.owner == Some(window.handle));
        let name = dialog.map(|d| d.title).unwrap_or_default();
        return Err(Problem::new(Code::Blocked, format!("{:?} waits for its dialog {name:?}", window.title))
            .hint("handeye state"));
    }
    calls::ask_to_close(window.handle).map_err(problem("close a window"))?;
    let gone = |seen: &[Seen]| !seen.iter().any(|w| w.handle == window.handle);
    let asks = |seen: &[Seen]| seen.iter().any(|w| w.owner == Some(window.handle) && !w.popup);
    let seen = until(desktop, limit, |seen| gone(seen) || asks(seen));
    Ok(gone(&seen))
}

pub(crate) fn arrange(desktop: &mut Desktop, id: &str, to: Arrange) -> Result<Window, Problem> {
    let window = desktop.by_handle(id)?;
    calls::arrange(window.handle, to).map_err(problem("place a window"))?;
    let is_so = |w: &Seen| match to {
        Arrange::Minimise => w.minimised,
        Arrange::Maximise | Arrange::Restore => !w.minimised && w.rect != window.rect,
        Arrange::Move(x, y) => (w.rect.x, w.rect.y) == (f64::from(x), f64::from(y)),
        Arrange::Resize(width, height) => (w.rect.width, w.rect.height) == (f64::from(width), f64::from(height)),
    };
    // A program may hold its window to a size of its own.
    let seen =
        until(desktop, Duration::from_millis(400), |seen| seen.iter().any(|w| w.handle == window.handle && is_so(w)));
    let now = seen.iter().find(|w| w.handle == window.handle);
    now.map(told).ok_or_else(|| Problem::new(Code::Lost, "the window is gone").hint("handeye windows"))
}

pub(crate) fn shoot(desktop: &mut Desktop, area: ShotArea) -> Result<Shot, Problem> {
    let picture = problem("give a picture");
    match area {
        ShotArea::Viewport => {
            let seen = desktop.seen();
            let window = desktop.current_of(&seen)?.clone();
            if window.minimised {
                return Err(Problem::new(Code::Blocked, format!("the window {:?} is minimised", window.title))
                    .hint("handeye window restore"));
            }
            let pixels = if is_free(&seen, &window) {
                calls::shoot_screen(window.rect)
            } else {
                calls::shoot_window(window.handle, window.rect)
            };
            as_shot(&pixels.map_err(picture)?, window.rect)
        }
        ShotArea::FullPage => shoot_part(calls::virtual_screen()),
        ShotArea::Clip(rect) => shoot_part(rect),
    }
}

fn shoot_part(area: Rect) -> Result<Shot, Problem> {
    let screen = calls::virtual_screen();
    let (left, top) = (area.x.max(screen.x).floor(), area.y.max(screen.y).floor());
    let right = (area.x + area.width).min(screen.x + screen.width).ceil();
    let bottom = (area.y + area.height).min(screen.y + screen.height).ceil();
    if right - left < 1.0 || bottom - top < 1.0 {
        return Err(Problem::new(Code::Blocked, "that part isn't on the screen"));
    }
    let part = Rect::new(left, top, right - left, bottom - top);
    as_shot(&calls::shoot_screen(part).map_err(problem("give a picture"))?, part)
}

/// The whole text of an element.
pub(crate) fn text(desktop: &mut Desktop, of: NativeId) -> Result<String, Problem> {
    let gone = || Problem::new(Code::Stale, "it is gone").hint("handeye state");
    let (window, key) = desktop.found(of).ok_or_else(gone)?;
    let element = desktop.tree.look(&window, &key).map_err(problem("read it"))?.ok_or_else(gone)?;
    let whole = desktop.tree.text(&key).map_err(problem("read it"))?;
    Ok(whole.or(element.value.filter(|_| element.name.is_empty())).unwrap_or(element.name))
}

/// Whether nothing lies on a window, and all of it is on the screen.
fn is_free(seen: &[Seen], window: &Seen) -> bool {
    let screen = calls::virtual_screen();
    let r = window.rect;
    let inside = r.x >= screen.x
        && r.y >= screen.y
        && r.x + r.width <= screen.x + screen.width
        && r.y + r.height <= screen.y + screen.height;
    let family = group(seen, window);
    let above = seen.iter().take_while(|w| w.handle != window.handle);
    let covered =
        above.filter(|w| !w.minimised && w.rect.intersects(&r)).any(|w| !family.iter().any(|f| f.handle == w.handle));
    let middle = Point::new(r.x + r.width / 2.0, r.y + 1.0);
    inside && !covered && top_at(seen, middle).is_some()
}

fn as_shot(pixels: &[u8], area: Rect) -> Result<Shot, Problem> {
    let bytes = crate::picture::encode(pixels, area.width as u32, area.height as u32)?;
    Ok(Shot { bytes, scale: 1.0, area })
}

fn start(program: &str, args: &[String]) -> Result<Child, Problem> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // It outlives the session, as it would when started by hand.
    command.creation_flags(ON_ITS_OWN);
    command.spawn().map_err(|e| {
        Problem::new(Code::NotFound, format!("{program} can't be started: {e}")).hint("handeye launch APP")
    })
}

/// Waits for the end of a process, so that the system can forget it.
fn reap(mut child: Child) {
    // Without a thread for it the system keeps its number until this process ends, and nothing worse.
    let _ = std::thread::Builder::new().name("reaper".into()).spawn(move || child.wait());
}

/// Leaves the window that commands look at if it is gone; a word about the one that they look at then.
pub(crate) fn leave_lost(desktop: &mut Desktop) -> Result<Option<String>, Problem> {
    let seen = desktop.seen();
    let Err(lost) = desktop.current_of(&seen) else { return Ok(None) };
    if lost.code != Code::Lost {
        return Ok(None);
    }
    (desktop.current.chosen, desktop.current.turned) = (None, None);
    let now = desktop.current_of(&seen)?;
    Ok(Some(format!("{}: this is another one, {:?} ({})", lost.message, now.title, now.process())))
}
