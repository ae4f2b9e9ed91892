//! Drags, the wheel, and single steps of the pointer.

use crate::windows::calls::{self, Path};
use crate::windows::capture::tree::Tree;
use crate::windows::desktop::Desktop;
use crate::windows::input::deliveries::{by, partly, unsent, withheld};
use crate::windows::input::held_keys::Held;
use crate::windows::input::hold;
use crate::windows::input::ready::{self, Ready};
use crate::windows::records::keys::notches;
use crate::windows::top_level::raise;
use handeye_scene::{Button, Delivery, Guard, Modifiers, MouseStep, Point, Problem};
use std::time::Duration;

/// How long a program may take to show what the wheel did.
const WHEEL: Duration = Duration::from_millis(120);

/// Drags from one place to another. What it ends on is looked at right before, and its window once more before the drop.
pub(crate) fn drag(
    desktop: &mut Desktop,
    way: Path,
    (button, modifiers): (Button, Modifiers),
    time: Duration,
    guard: &Guard,
    ready: Option<&Ready>,
) -> Result<Delivery, Problem> {
    calls::point_to(way.from).map_err(unsent)?;
    let mut dropped = None;
    if let Some(end) = &guard.end {
        let there = Guard { target: Some(end.target), held: end.held.clone(), ..Guard::default() };
        match ready::as_wanted(desktop, &there)? {
            Ok(ready) => dropped = ready.map(|ready| (ready, there)),
            Err(delivery) => return Ok(delivery),
        }
    }
    for (at, ready, guard) in
        dropped.iter().map(|(d, g)| (way.to, d, g)).chain(ready.map(|ready| (way.from, ready, guard)))
    {
        if let Some(delivery) = ready::differs_now(desktop, ready, guard, Some(at))? {
            return Ok(delivery);
        }
    }
    for at in [way.to, way.from] {
        if let Some(delivery) = hold::strays(desktop, at) {
            return Ok(delivery);
        }
    }
    let may_end = || match &dropped {
        Some((there, guard)) => matches!(ready::differs_now(desktop, there, guard, Some(way.to)), Ok(None)),
        None => hold::strays(desktop, way.to).is_none(),
    };
    let ended = calls::drag(way, button, time, modifiers, may_end).map_err(unsent)?;
    // It had been taken by then.
    Ok(if ended { by("the pointer") } else { partly("miss", "it was let go where it was taken".into()) })
}

pub(crate) fn scroll(
    desktop: &mut Desktop,
    at: Option<Point>,
    dx: f64,
    dy: f64,
    ready: Option<&Ready>,
) -> Result<Delivery, Problem> {
    let seen = desktop.seen();
    let current = match ready {
        Some(ready) => ready.window.clone(),
        None => desktop.current_of(&seen)?.clone(),
    };
    if !current.popup {
        raise::raise(desktop, &current)?;
    }
    let at = at.unwrap_or_else(|| current.rect.center());
    calls::point_to(at).map_err(unsent)?;
    if let Some(delivery) = ready::misses_at(desktop, at, ready)? {
        return Ok(delivery);
    }
    if calls::window_at(at).and_then(calls::own_window) != Some(current.handle) {
        return Ok(withheld("miss", None));
    }
    let before = desktop.tree.scrolled(at);
    calls::wheel(notches(dx, dy)).map_err(unsent)?;
    std::thread::sleep(WHEEL);
    let after = desktop.tree.scrolled(at);
    let moved = before.zip(after).map(|(b, a)| (a.0 - b.0, a.1 - b.1));
    Ok(Delivery::Delivered { holds: None, moved, by: Some("the wheel".into()) })
}

pub(crate) fn mouse(desktop: &mut Desktop, step: MouseStep) -> Result<Delivery, Problem> {
    let place = match step {
        MouseStep::Move(to) => Some(to),
        MouseStep::Down(_) | MouseStep::Wheel { .. } => Some(calls::pointer().map_err(unsent)?),
        // What was pressed is let go wherever the pointer is by now.
        MouseStep::Up(_) => None,
    };
    if let Some(delivery) = place.and_then(|at| hold::strays(desktop, at)) {
        return Ok(delivery);
    }
    match step {
        MouseStep::Move(to) => return move_to(to),
        MouseStep::Down(button) => calls::button(button, true),
        MouseStep::Up(button) => calls::button(button, false),
        MouseStep::Wheel { dx, dy } => calls::wheel(notches(dx, dy)),
    }
    .map_err(unsent)?;
    if let MouseStep::Down(button) | MouseStep::Up(button) = step {
        desktop.held.retain(|held| !matches!(held, Held::Button(it) if *it == button));
    }
    if let MouseStep::Down(button) = step {
        desktop.held.push(Held::Button(button));
    }
    Ok(by("the pointer"))
}

/// Moves the pointer; the edge of the screen stops it.
fn move_to(to: Point) -> Result<Delivery, Problem> {
    calls::point_to(to).map_err(unsent)?;
    let now = calls::pointer().map_err(unsent)?;
    let there = (now.x - to.x).abs() < 1.0 && (now.y - to.y).abs() < 1.0;
    let otherwise = || format!("the pointer is at {},{}, not at {},{}", now.x, now.y, to.x, to.y);
    Ok(if there { by("the pointer") } else { partly("refused", otherwise()) })
}
