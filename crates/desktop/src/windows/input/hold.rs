//! Places that are meant as those of one window: a gesture that is held to it hits that window, what belongs to it, or nothing.

use crate::windows::calls::{self, problem};
use crate::windows::desktop::Desktop;
use crate::windows::input::deliveries::misses;
use crate::windows::records::classes::{Family, family};
use crate::windows::records::window_list::Handle;
use handeye_scene::{Delivery, Point, Problem, Shown};

/// How long a chain of owners may be.
const OWNERS: usize = 16;

/// Refuses a place (none: where the pointer is) at which something else would be hit, and holds the next gesture to the window.
pub(crate) fn hold_to(desktop: &mut Desktop, id: &str, at: Option<Point>) -> Result<(), Problem> {
    desktop.gesture.held_to = None;
    let window = desktop.by_handle(id)?.handle;
    let at = at.map_or_else(calls::pointer, Ok).map_err(problem("tell what is there"))?;
    let there = top_at(at);
    if there.is_some_and(|there| belongs(there, window)) {
        desktop.gesture.held_to = Some(window);
        return Ok(());
    }
    let seen = desktop.seen();
    let title = seen.iter().find(|w| Some(w.handle) == there).map_or("nothing", |w| &w.title);
    Err(handeye_scene::not_there(at, title))
}

/// What comes of a gesture at a place that has become another window's than the one that it is held to.
pub(crate) fn strays(desktop: &Desktop, at: Point) -> Option<Delivery> {
    let held = desktop.gesture.held_to?;
    let there = top_at(at);
    let is_own = there.is_some_and(|there| belongs(there, held));
    (!is_own).then(|| misses(there.map(|there| Shown::named("window", calls::caption(there)))))
}

/// The top-level window that a pointer hits at a place.
fn top_at(at: Point) -> Option<Handle> {
    calls::window_at(at).and_then(calls::own_window)
}

/// Whether a top-level window is this one or belongs to it: by its owners, or as a menu or list that it has open, which may have
/// none.
fn belongs(there: Handle, window: Handle) -> bool {
    if is_owned(there, window) {
        return true;
    }
    let (Some(popup), Some(told)) = (calls::traits(there), calls::traits(window)) else { return false };
    let is_fleeting = matches!(family(&popup.class), Family::Menu | Family::Hint | Family::List);
    let in_use = || calls::focus_in(told.thread).and_then(calls::own_window);
    is_fleeting && popup.thread == told.thread && in_use().is_some_and(|used| is_owned(used, window))
}

fn is_owned(of: Handle, by: Handle) -> bool {
    std::iter::successors(Some(of), |window| calls::owner(*window)).take(OWNERS).any(|window| window == by)
}
