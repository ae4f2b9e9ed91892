//! Clicks, and the last look before each event of theirs.
//!
//! Controls that act on the release are pressed, looked at once more while pressed, and let go where the pointer is only if they
//! are still what they were; else beside them, which they take for a change of mind. A button of Windows' own is looked at for
//! the last time while its thread is kept from anything else, and is told of the release, or of a click without the pointer,
//! before that thread goes on: nothing comes between. Of any other control the last question is one message that its thread
//! answers, and the event comes next.

use crate::guard::differs;
use crate::windows::calls::{self, Fault, Message, problem};
use crate::windows::capture::hit_test::pointed_at;
use crate::windows::capture::probe;
use crate::windows::capture::tree::Tree;
use crate::windows::desktop::Desktop;
use crate::windows::input::deliveries::{by, relabelled, told, unsent, withheld};
use crate::windows::input::hold;
use crate::windows::input::ready::{self, Own, Ready};
use crate::windows::records::classes;
use crate::windows::records::control;
use crate::windows::records::window_list;
use handeye_scene::{Aim, Button, Code, Delivery, Guard, Modifiers, Point, Problem, Withheld};
use std::time::{Duration, Instant};

/// How long programs that light up what the pointer is on get to see it come.
const ARRIVED: Duration = Duration::from_millis(15);
/// How long a program may take to show that it has got a press.
const PRESSED: Duration = Duration::from_millis(150);
/// How often that is looked for.
const LOOK: Duration = Duration::from_millis(2);
/// How far beside a control a press is let go that is taken back.
const BESIDE: f64 = 24.0;
/// Roles of controls that act when the button of the pointer is released on them.
const ON_RELEASE: [&str; 6] = ["button", "checkbox", "radio", "togglebutton", "columnheader", "link"];

pub(crate) fn click(
    desktop: &mut Desktop,
    (at, button, count): (Point, Button, u8),
    modifiers: Modifiers,
    ready: Option<&Ready>,
    guard: &Guard,
) -> Result<Delivery, Problem> {
    calls::point_to(at).map_err(unsent)?;
    if let Some(ready) = ready {
        std::thread::sleep(ARRIVED);
        let Some(now) = probe::examine(desktop, ready.probe.id, Aim::default())? else {
            return Ok(withheld("detached", None));
        };
        if let Some(actual) = differs(guard, &now) {
            return Ok(relabelled(actual));
        }
        if !window_list::contains(now.rect, at) {
            return Ok(withheld("miss", None));
        }
        if let Some(delivery) = ready::differs_now(desktop, ready, guard, Some(at))? {
            return Ok(delivery);
        }
        if button == Button::Left && count == 1 && ON_RELEASE.contains(&ready.probe.role.as_str()) {
            return press_and_release(desktop, at, modifiers, ready, guard);
        }
    } else if let Some(delivery) = hold::strays(desktop, at) {
        return Ok(delivery);
    }
    calls::click_at(at, button, count, modifiers).map_err(unsent)?;
    Ok(by("the pointer"))
}

/// Presses, looks again, and lets go: on the control if it is still what it was, else beside it.
fn press_and_release(
    desktop: &mut Desktop,
    at: Point,
    modifiers: Modifiers,
    ready: &Ready,
    guard: &Guard,
) -> Result<Delivery, Problem> {
    calls::press(at, Button::Left, modifiers).map_err(unsent)?;
    let is_down = await_press(desktop, ready);
    let mut stopped = ready::differs_now(desktop, ready, guard, Some(at));
    if let (Ok(None), Some(own), true) = (&stopped, &ready.own, is_down) {
        // What the pointer does next finds it let go.
        stopped = send(own, calls::let_go(own.handle, at, modifiers), Some(at), ready, guard);
    }
    let stays = matches!(stopped, Ok(None));
    let rect = ready.probe.rect;
    let beside = Point::new(rect.x + rect.width + BESIDE, rect.y + rect.height + BESIDE);
    // Whatever came of the look, the button doesn't stay down.
    calls::release(if stays { at } else { beside }, Button::Left, modifiers).map_err(unsent)?;
    Ok(stopped?.map_or_else(|| by("the pointer"), begun))
}

/// Waits until the control shows that it has got the press, and whether it does; one that doesn't tell is waited for as long.
fn await_press(desktop: &mut Desktop, ready: &Ready) -> bool {
    let deadline = Instant::now() + PRESSED;
    loop {
        match desktop.tree.is_down(&ready.key) {
            Ok(Some(false)) if Instant::now() < deadline => std::thread::sleep(LOOK),
            told => return matches!(told, Ok(Some(true))),
        }
    }
}

pub(crate) fn invoke(desktop: &mut Desktop, ready: &Ready, guard: &Guard) -> Result<Delivery, Problem> {
    let Some(means) = ready.probe.activation.as_deref() else {
        let what =
            format!("{} {:?} has nothing of its own that stands for a click", ready.probe.role, ready.probe.name);
        return Err(Problem::new(Code::Unsupported, what).hint("handeye click REF --method pointer"));
    };
    if let Some(delivery) = ready::differs_now(desktop, ready, guard, None)? {
        return Ok(delivery);
    }
    let done = match &ready.own {
        Some(own) if means == control::CLICK => {
            if let Some(delivery) = send(own, calls::CLICK, None, ready, guard)? {
                return Ok(delivery);
            }
            // A dialog that it opens answers for it.
            match calls::answers(own.handle, calls::CLICK_LIMIT) {
                Ok(()) | Err(Fault::Late) => return Ok(by("the message BM_CLICK")),
                Err(fault) => Err(fault),
            }
        }
        _ => desktop.tree.invoke(&ready.key),
    };
    match done {
        // What it closes takes its answer with it.
        Err(Fault::Gone) => Ok(Delivery::Unseen),
        Err(fault) => Err(fault.problem("click it")),
        Ok(done) => Ok(told(done)),
    }
}

/// Sends a button of Windows' own a message unless it says something else by then, or something lies on it; what was in the way.
fn send(
    own: &Own,
    message: Message,
    at: Option<Point>,
    ready: &Ready,
    guard: &Guard,
) -> Result<Option<Delivery>, Problem> {
    let stops = || {
        // What frames it lets the pointer through, which not every system says.
        let hits = |at| calls::window_at(at) == Some(own.handle) || pointed_at(at) == Some(own.handle);
        if at.is_some_and(|at| !hits(at)) {
            return Some(withheld("miss", None));
        }
        let text = calls::caption(own.handle);
        if text == own.text { None } else { ready.otherwise(classes::plain(&text), guard) }
    };
    match calls::send_unless(own.handle, message, stops) {
        Err(Fault::Gone) => Ok(Some(withheld("detached", None))),
        other => other.map_err(problem("look at it once more")),
    }
}

/// The same of a gesture that had begun.
fn begun(delivery: Delivery) -> Delivery {
    match delivery {
        Delivery::Withheld(stopped) => Delivery::Withheld(Withheld { partial: true, ..stopped }),
        other => other,
    }
}
