//! Drags, the wheel, and single steps of the pointer.

use crate::linux::capture::scrollbars;
use crate::linux::desktop::Desktop;
use crate::linux::geometry::contains;
use crate::linux::input::deliveries::{by, fault, withheld};
use crate::linux::input::ready::{self, Ready};
use crate::linux::input::typing::TYPING_LIMIT;
use crate::linux::windows::arrange;
use crate::linux::x11::held_keys;
use crate::linux::x11::pointer::{self, Way};
use crate::linux::x11::xtest::{self, Sent};
use handeye_scene::{Button, Delivery, End, Guard, Modifiers, MouseStep, Point, Problem};
use std::time::Duration;
use x11rb::protocol::xproto::Window;

/// Pixels that one click of the wheel scrolls, about.
const WHEEL: f64 = 60.0;

/// Drags from one place to another. What it ends on is looked at right before, and its window once more before the drop.
pub(crate) async fn drag(
    desktop: &mut Desktop,
    (from, to): (Point, Point),
    (button, modifiers): (Button, Modifiers),
    time: Duration,
    end: Option<&End>,
    ready: Option<&Ready>,
) -> Result<Delivery, Problem> {
    let Some(taken) = ready::expected_at(desktop, from, ready).await? else { return Ok(withheld("miss", false, None)) };
    if let Some(delivery) = ready::misses_at(desktop, from, ready).await? {
        return Ok(delivery);
    }
    let dropped = match end {
        None if desktop.gesture.held_to.is_empty() || is_in_frame(desktop, from, taken).await? => None,
        None => match ready::expected_at(desktop, to, None).await? {
            Some(window) => Some(window),
            None => return Ok(withheld("miss", false, None)),
        },
        Some(end) => {
            let there = Guard { target: Some(end.target), held: end.held.clone(), ..Guard::default() };
            let there = match ready::ready(desktop, &there).await? {
                Ok(there) => there,
                Err(delivery) => return Ok(delivery),
            };
            if let Some(delivery) = ready::misses_at(desktop, to, there.as_ref()).await? {
                return Ok(delivery);
            }
            match ready::expected_at(desktop, to, there.as_ref()).await? {
                Some(window) => Some(window),
                None => return Ok(withheld("miss", false, None)),
            }
        }
    };
    let way = Way { from, to, taken, dropped };
    let sent = desktop
        .display
        .run_while(time + TYPING_LIMIT, move |side, wanted| {
            pointer::drag(&side.server, &mut side.held, way, button, time, modifiers, wanted)
        })
        .await
        .map_err(fault)?;
    match sent {
        // It had been taken by then.
        Sent::Stopped => Ok(withheld("miss", true, Some("it was let go where it was taken".into()))),
        sent => ready::answer(desktop, sent, "the pointer").await,
    }
}

/// Whether a place lies in the frame that the window manager put around a window. What is dragged there sizes or moves the
/// window, and is dropped on nothing: an edge is let go beside the window that it made smaller, or would make larger.
async fn is_in_frame(desktop: &Desktop, at: Point, top: Window) -> Result<bool, Problem> {
    let seen = desktop.seen().await?;
    Ok(seen.iter().any(|window| window.top == top && window.id != top && !contains(window.rect, at)))
}

pub(crate) async fn mouse(desktop: &mut Desktop, step: MouseStep) -> Result<Delivery, Problem> {
    if let MouseStep::Move(to) = step {
        let place =
            desktop.display.run(move |side| xtest::point_to(&side.server, to).and_then(|()| side.server.pointer()));
        let now = place.await.map_err(fault)?;
        let there = (now.x - to.x).abs() < 1.0 && (now.y - to.y).abs() < 1.0;
        let otherwise = || format!("the pointer is at {},{}, not at {},{}", now.x, now.y, to.x, to.y);
        return Ok(if there { by("the pointer") } else { withheld("refused", true, Some(otherwise())) });
    }
    let held_to = std::mem::take(&mut desktop.gesture.held_to);
    let sent = desktop.display.run(move |side| {
        // A button is let go wherever the pointer is by now.
        if !held_to.is_empty() && !matches!(step, MouseStep::Up(_)) {
            let top = side.server.top_at(side.server.pointer()?)?;
            if top.is_none_or(|top| !held_to.contains(&top)) {
                return Ok(Sent::Elsewhere(top));
            }
        }
        let done = match step {
            MouseStep::Move(to) => xtest::point_to(&side.server, to),
            MouseStep::Down(button) => held_keys::button(&side.server, &mut side.held, button, true),
            MouseStep::Up(button) => held_keys::button(&side.server, &mut side.held, button, false),
            MouseStep::Wheel { dx, dy } => pointer::wheel_here(&side.server, clicks(dx, dy)),
        };
        done.map(|()| Sent::Yes)
    });
    let sent = sent.await.map_err(fault)?;
    ready::answer(desktop, sent, "the pointer").await
}

pub(crate) async fn scroll(
    desktop: &mut Desktop,
    at: Option<Point>,
    dx: f64,
    dy: f64,
    ready: Option<&Ready>,
) -> Result<Delivery, Problem> {
    let seen = desktop.seen().await?;
    let current = match ready.and_then(|r| seen.iter().find(|w| Some(w.id) == r.tree.window)) {
        Some(window) => window.clone(),
        None => desktop.current_of(&seen)?.clone(),
    };
    if !current.popup {
        let id = current.id;
        desktop.display.run(move |side| arrange::activate(&side.server, id)).await.map_err(fault)?;
    }
    let at = at.unwrap_or_else(|| current.rect.center());
    let Some(expected) = ready::expected_at(desktop, at, ready).await? else {
        return Ok(withheld("miss", false, None));
    };
    if ready.is_none() && expected != current.top {
        return ready::answer(desktop, Sent::Elsewhere(Some(expected)), "the wheel").await;
    }
    if let Some(delivery) = ready::misses_at(desktop, at, ready).await? {
        return Ok(delivery);
    }
    let before = scrollbars::scrolled(desktop, &current).await;
    let turn = clicks(dx, dy);
    let sent =
        desktop.display.run(move |side| pointer::wheel(&side.server, at, turn, Some(expected))).await.map_err(fault)?;
    if sent != Sent::Yes {
        return ready::answer(desktop, sent, "the wheel").await;
    }
    tokio::time::sleep(Duration::from_millis(120)).await;
    let moved = match (before, scrollbars::scrolled(desktop, &current).await) {
        (Some(before), Some(after)) => Some((after.0 - before.0, after.1 - before.1)),
        _ => None,
    };
    Ok(Delivery::Delivered { holds: None, moved, by: Some("the wheel".into()) })
}

/// Pixels as clicks of the wheel.
fn clicks(dx: f64, dy: f64) -> (i32, i32) {
    let count = |d: f64| (d / WHEEL).abs().ceil().min(200.0).copysign(d) as i32;
    (if dx == 0.0 { 0 } else { count(dx) }, if dy == 0.0 { 0 } else { count(dy) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_clicks_of_the_wheel() {
        assert_eq!(clicks(0.0, 600.0), (0, 10));
        assert_eq!(clicks(-1.0, -0.0), (-1, 0));
        assert_eq!(clicks(0.0, -1e7), (0, -200));
    }
}
