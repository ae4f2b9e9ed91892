//! Giving a window the keyboard, before keys are sent to whatever has the focus in it.

use crate::windows::calls;
use crate::windows::capture::window_group;
use crate::windows::desktop::Desktop;
use crate::windows::input::typing;
use crate::windows::top_level::raise;
use handeye_scene::Problem;
use std::time::{Duration, Instant};

/// How long a window that has the keyboard may take to tell what in it has the focus: there may be nothing.
const TOLD_WITHIN: Duration = Duration::from_millis(500);
/// The same for one that has it already.
const TOLD_SOON: Duration = Duration::from_millis(150);
const LOOK: Duration = Duration::from_millis(25);

/// Gives the keyboard to the current window, where neither it nor a dialog of its own has it; whether it is told then what in it
/// has the focus. A window that comes to have the keyboard gives it to an element of its own, sooner or later.
pub(crate) fn take(desktop: &mut Desktop) -> Result<bool, Problem> {
    let current = desktop.current()?;
    if calls::in_front().is_some_and(|front| typing::takes_keys_of(front, &current)) {
        // It may have had it for a moment only.
        return Ok(is_told(desktop, TOLD_SOON, 1).is_some());
    }
    // A dialog of its own may take it instead.
    raise::raise(desktop, &current)?;
    // What holds others gets the focus before one of them does.
    Ok(is_told(desktop, TOLD_WITHIN, 2) == Some(true))
}

/// Whether an element has the focus, the same one in so many looks; none where it isn't known.
fn is_told(desktop: &mut Desktop, limit: Duration, looks: u32) -> Option<bool> {
    let until = Instant::now() + limit;
    let (mut last, mut alike) = (None, 0);
    loop {
        let focused = window_group::focused(desktop).ok()?;
        alike = if focused.is_some() && focused == last { alike + 1 } else { u32::from(focused.is_some()) };
        if alike >= looks || Instant::now() > until {
            return Some(alike >= looks);
        }
        last = focused;
        std::thread::sleep(LOOK);
    }
}
