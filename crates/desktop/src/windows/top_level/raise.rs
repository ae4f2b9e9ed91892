//! Putting a window on top.

use crate::windows::calls;
use crate::windows::desktop::Desktop;
use crate::windows::records::classes::style;
use crate::windows::records::window_list::{Handle, Seen};
use handeye_scene::Problem;
use std::time::Duration;

/// Raises a window; whether it came to the front.
pub(crate) fn raise(desktop: &mut Desktop, window: &Seen) -> Result<bool, Problem> {
    const PATIENCE: u32 = 50;
    let on_top = desktop.seen().iter().find(|w| !w.popup).is_some_and(|w| w.handle == window.handle);
    for look in 0..PATIENCE {
        let in_front = calls::in_front() == Some(window.handle) && !is_minimised(window.handle);
        if in_front && (on_top || look > 0) {
            return Ok(true);
        }
        if look % 10 == 0 {
            calls::activate(window.handle, window.minimised, look > 0);
            // It has been put on top once it answers; one that doesn't is found out by what follows.
            let _ = calls::answers(window.handle, Duration::from_millis(300));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(false)
}

fn is_minimised(window: Handle) -> bool {
    calls::traits(window).is_some_and(|t| t.style & style::MINIMISED != 0)
}
