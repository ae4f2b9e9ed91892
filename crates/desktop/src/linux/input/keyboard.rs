//! Giving a window the keyboard, before keys are sent to whatever has the focus in it.

use crate::linux::capture::window_group;
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::fault;
use crate::linux::input::gestures;
use crate::linux::windows::arrange;
use crate::linux::windows::relations::root_of;
use handeye_scene::Problem;
use std::time::{Duration, Instant};

/// How long a window that has the keyboard may take to tell what in it has the focus: there may be nothing.
const TOLD_WITHIN: Duration = Duration::from_millis(500);
/// The same for one that has it already.
const TOLD_SOON: Duration = Duration::from_millis(150);
const LOOK: Duration = Duration::from_millis(25);

/// Gives the keyboard to the current window, where neither it nor one of its own has it; whether it is told then what in it has
/// the focus. A window that comes to have the keyboard gives it to an element of its own, sooner or later.
pub(crate) async fn take(desktop: &mut Desktop) -> Result<bool, Problem> {
    desktop.find_bus().await?;
    let seen = desktop.seen().await?;
    let current = desktop.current_of(&seen)?.clone();
    let root = root_of(&seen, &current);
    if seen.iter().any(|w| w.focused && root_of(&seen, w) == root) {
        // It may have had it for a moment only.
        return Ok(is_told(desktop, TOLD_SOON, 1).await.is_some());
    }
    // A locked screen is told of by the gesture.
    if gestures::refuse_if_locked(desktop, &seen).await.is_err() {
        return Ok(true);
    }
    // A dialog of its own may take it instead.
    desktop.display.run(move |side| arrange::activate(&side.server, current.id)).await.map_err(fault)?;
    // What holds others gets the focus before one of them does.
    Ok(is_told(desktop, TOLD_WITHIN, 2).await == Some(true))
}

/// Whether an element has the focus, the same one in so many looks; none where it isn't known.
async fn is_told(desktop: &mut Desktop, limit: Duration, looks: u32) -> Option<bool> {
    let until = Instant::now() + limit;
    let (mut last, mut alike) = (None, 0);
    loop {
        let focused = window_group::has_keyboard(desktop).await.ok()?;
        alike = if focused.is_some() && focused == last { alike + 1 } else { u32::from(focused.is_some()) };
        if alike >= looks || Instant::now() > until {
            return Some(alike >= looks);
        }
        last = focused;
        tokio::time::sleep(LOOK).await;
    }
}
