//! Clicks, and the last look before each event of theirs.
//!
//! Controls that act on the release are pressed, looked at once more while pressed, and let go where the pointer is only if they
//! are still what they were; else beside them, which they take for a change of mind. A button of Windows' own is looked at for
//! the last time while its thread is kept from anything else, and is told of the release, or of a click without the pointer,
//! before that thread goes on: nothing comes between. Of any other control the last question is one message that its thread
//! answers, and the event comes next.

use super::calls::{self, Fault, Message};
use super::gestures::{Ready, by, misses, relabelled, told, unsent, withheld};
use super::pointing::pointed_at;
use super::seen::Handle;
use super::surface::{Desktop, problem};
use super::tree::{Hit, Tree};
use crate::guard::differs;
use handeye_scene::{Aim, Button, Code, Delivery, Guard, Modifiers, Point, Probe, Problem, Shown, Withheld};
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

/// A button of Windows' own.
pub(super) struct Own {
    handle: Handle,
    /// Its text as the system keeps it, when it was looked at.
    text: String,
}

impl Own {
    pub(super) fn of(handle: Handle) -> Self {
        Self { handle, text: calls::caption(handle) }
    }
}

impl Desktop {
    /// What is in the way of input at a place: without a target, and a window that it is held to, nothing is.
    pub(super) fn misses(&mut self, at: Point, ready: Option<&Ready>) -> Result<Option<Delivery>, Problem> {
        if let Some(delivery) = self.strays(at) {
            return Ok(Some(delivery));
        }
        let Some(ready) = ready else { return Ok(None) };
        let hit = self.tree.hit(&ready.window, &ready.key, at).map_err(problem("tell what is there"))?;
        Ok(match hit {
            Hit::Own => None,
            Hit::Other(cover) => Some(misses(cover.map(|c| Shown::named(c.role, c.name)))),
        })
    }

    pub(super) fn click(
        &mut self,
        (at, button, count): (Point, Button, u8),
        modifiers: Modifiers,
        ready: Option<&Ready>,
        guard: &Guard,
    ) -> Result<Delivery, Problem> {
        calls::point_to(at).map_err(unsent)?;
        if let Some(ready) = ready {
            std::thread::sleep(ARRIVED);
            let Some(now) = self.examine(ready.probe.id, Aim::default())? else {
                return Ok(withheld("detached", None));
            };
            if let Some(actual) = differs(guard, &now) {
                return Ok(relabelled(actual));
            }
            if !super::seen::contains(now.rect, at) {
                return Ok(withheld("miss", None));
            }
            if let Some(delivery) = self.differs_now(ready, guard, Some(at))? {
                return Ok(delivery);
            }
            if button == Button::Left && count == 1 && ON_RELEASE.contains(&ready.probe.role.as_str()) {
                return self.press_and_release(at, modifiers, ready, guard);
            }
        } else if let Some(delivery) = self.strays(at) {
            return Ok(delivery);
        }
        calls::click_at(at, button, count, modifiers).map_err(unsent)?;
        Ok(by("the pointer"))
    }

    /// Presses, looks again, and lets go: on the control if it is still what it was, else beside it.
    fn press_and_release(
        &mut self,
        at: Point,
        modifiers: Modifiers,
        ready: &Ready,
        guard: &Guard,
    ) -> Result<Delivery, Problem> {
        calls::press(at, Button::Left, modifiers).map_err(unsent)?;
        let is_down = self.await_press(ready);
        let mut stopped = self.differs_now(ready, guard, Some(at));
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
    fn await_press(&mut self, ready: &Ready) -> bool {
        let deadline = Instant::now() + PRESSED;
        loop {
            match self.tree.is_down(&ready.key) {
                Ok(Some(false)) if Instant::now() < deadline => std::thread::sleep(LOOK),
                told => return matches!(told, Ok(Some(true))),
            }
        }
    }

    /// What is in the way at the last moment: something else under the pointer, or other words. The words come last: they are
    /// the newest.
    pub(super) fn differs_now(
        &mut self,
        ready: &Ready,
        guard: &Guard,
        at: Option<Point>,
    ) -> Result<Option<Delivery>, Problem> {
        if let Some(at) = at
            && let Some(delivery) = self.misses(at, Some(ready))?
        {
            return Ok(Some(delivery));
        }
        let Some(before) = &ready.told else { return Ok(None) };
        match self.tree.says(&ready.window, &ready.key, at) {
            Ok(Some(now)) if now == *before => Ok(None),
            Ok(Some(now)) => Ok(ready.otherwise(now, guard)),
            Ok(None) | Err(Fault::Gone) => Ok(Some(withheld("detached", None))),
            Err(fault) => Err(fault.problem("look at it once more")),
        }
    }

    pub(super) fn invoke(&mut self, ready: &Ready, guard: &Guard) -> Result<Delivery, Problem> {
        let Some(means) = ready.probe.activation.as_deref() else {
            let what =
                format!("{} {:?} has nothing of its own that stands for a click", ready.probe.role, ready.probe.name);
            return Err(Problem::new(Code::Unsupported, what).hint("handeye click REF --method pointer"));
        };
        if let Some(delivery) = self.differs_now(ready, guard, None)? {
            return Ok(delivery);
        }
        let done = match &ready.own {
            Some(own) if means == super::control::CLICK => {
                if let Some(delivery) = send(own, calls::CLICK, None, ready, guard)? {
                    return Ok(delivery);
                }
                // A dialog that it opens answers for it.
                match calls::answers(own.handle, calls::CLICK_LIMIT) {
                    Ok(()) | Err(Fault::Late) => return Ok(by("the message BM_CLICK")),
                    Err(fault) => Err(fault),
                }
            }
            _ => self.tree.invoke(&ready.key),
        };
        match done {
            // What it closes takes its answer with it.
            Err(Fault::Gone) => Ok(Delivery::Unseen),
            Err(fault) => Err(fault.problem("click it")),
            Ok(done) => Ok(told(done)),
        }
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
        if text == own.text { None } else { ready.otherwise(super::classes::plain(&text), guard) }
    };
    match calls::send_unless(own.handle, message, stops) {
        Err(Fault::Gone) => Ok(Some(withheld("detached", None))),
        other => other.map_err(problem("look at it once more")),
    }
}

impl Ready {
    /// What keeps a gesture from a target that says so now, if something does.
    fn otherwise(&self, says: String, guard: &Guard) -> Option<Delivery> {
        let mut probe = Probe { name: says.clone(), ..self.probe.clone() };
        if probe.texts.text == self.probe.name {
            probe.texts.text.clone_from(&says);
        }
        if let Some(said) = &mut probe.said {
            said.text = says;
        }
        differs(guard, &probe).map(relabelled)
    }
}

/// The same of a gesture that had begun.
fn begun(delivery: Delivery) -> Delivery {
    match delivery {
        Delivery::Withheld(stopped) => Delivery::Withheld(Withheld { partial: true, ..stopped }),
        other => other,
    }
}
