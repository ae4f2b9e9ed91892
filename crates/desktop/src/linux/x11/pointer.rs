//! The pointer: drags and the wheel, by XTEST.

use crate::linux::x11::held_keys::{self, Held};
use crate::linux::x11::server::{Fault, Server};
use crate::linux::x11::xtest::{self, BUTTON_PRESS, BUTTON_RELEASE, KEY_PRESS, KEY_RELEASE, Sent, number, rest};
use handeye_scene::{Button, Modifiers, Point};
use std::time::Duration;
use x11rb::protocol::xproto::{ConnectionExt as _, Window};

/// Where a drag goes, and the windows that must be at its ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) taken: Window,
    /// None where it may end on anything.
    pub(crate) dropped: Option<Window>,
}

/// Presses at one place, moves, releases at another. Stopped, it is let go where it was taken.
pub(crate) fn drag(
    server: &Server,
    held: &mut Held,
    way: Way,
    button: Button,
    time: Duration,
    modifiers: Modifiers,
    wanted: &dyn Fn() -> bool,
) -> Result<Sent, Fault> {
    const STEPS: u32 = 16;
    let Way { from, to, taken, dropped } = way;
    xtest::point_to(server, from)?;
    std::thread::sleep(Duration::from_millis(15));
    let held = held_keys::modifier_keys(server, held, modifiers)?;
    let before = server.connection.query_tree(server.root)?.reply()?.children;
    let pressed = server.held_still(|| {
        let top = server.top_at(from)?;
        if top != Some(taken) {
            return Ok(Sent::Elsewhere(top));
        }
        xtest::keys(server, &held, KEY_PRESS)?;
        xtest::fake(server, BUTTON_PRESS, number(button), (0, 0))?;
        server.sync()?;
        Ok(Sent::Yes)
    })?;
    if pressed != Sent::Yes {
        return Ok(pressed);
    }
    let moved = (1..=STEPS).try_for_each(|i| {
        rest(time / STEPS, wanted);
        if !wanted() {
            return Ok(());
        }
        // Between two steps the pointer is where we put it, unless somebody has moved it.
        server.check_failsafe()?;
        let part = f64::from(i) / f64::from(STEPS);
        xtest::point_to(server, Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part))
    });
    // Whatever happened, no button stays down.
    let wanted = wanted() && moved.is_ok();
    let stopped = match moved {
        Err(Fault::Problem(problem)) => Some(problem),
        _ => None,
    };
    let ended = server.held_still(|| {
        let there = wanted && dropped.is_none_or(|dropped| drops_on(server, to, dropped, &before));
        if !there {
            xtest::point_to(server, from)?;
        }
        xtest::fake(server, BUTTON_RELEASE, number(button), (0, 0))?;
        xtest::keys(server, &held, KEY_RELEASE)?;
        server.sync()?;
        Ok(if there { Sent::Yes } else { Sent::Stopped })
    });
    stopped.map_or(ended, |problem| Err(Fault::Problem(problem)))
}

/// Whether what is dropped at a place goes to this window. The picture of what is dragged, which came up since, is none.
fn drops_on(server: &Server, to: Point, window: Window, before: &[Window]) -> bool {
    let Ok(Some(top)) = server.top_at(to) else { return false };
    let attributes = || server.connection.get_window_attributes(top).ok()?.reply().ok();
    top == window || !before.contains(&top) && attributes().is_some_and(|a| a.override_redirect)
}

/// Turns the wheel by so many clicks, right and down positive, if `expected` is under the pointer.
pub(crate) fn wheel(server: &Server, at: Point, (x, y): (i32, i32), expected: Option<Window>) -> Result<Sent, Fault> {
    xtest::point_to(server, at)?;
    server.held_still(|| {
        let top = server.top_at(at)?;
        if expected.is_some_and(|e| top != Some(e)) {
            return Ok(Sent::Elsewhere(top));
        }
        for (clicks, forth, back) in [(y, 5, 4), (x, 7, 6)] {
            for _ in 0..clicks.unsigned_abs().min(200) {
                let button = if clicks > 0 { forth } else { back };
                xtest::fake(server, BUTTON_PRESS, button, (0, 0))?;
                xtest::fake(server, BUTTON_RELEASE, button, (0, 0))?;
            }
        }
        server.sync()?;
        Ok(Sent::Yes)
    })
}

/// The same where the pointer is.
pub(crate) fn wheel_here(server: &Server, clicks: (i32, i32)) -> Result<(), Fault> {
    let at = server.pointer()?;
    wheel(server, at, clicks, None).map(drop)
}
