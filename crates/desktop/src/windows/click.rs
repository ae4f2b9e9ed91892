//! Clicks, and the last look before each event of theirs.
//!
//! Controls that act on the release are pressed, looked at once more while pressed, and let go where the pointer is only if they
//! are still what they were; else beside them, which they take for a change of mind. The last question is one message that the
//! control's own thread answers: it has nothing else to do at that moment, and the event, or the message that stands for a click,
//! comes next.

use super::calls::{self, Fault};
use super::gestures::{Ready, by, relabelled, told, unsent, withheld};
use super::surface::{Desktop, problem};
use super::tree::{Hit, Tree};
use crate::guard::differs;
use handeye_scene::{Aim, Button, Code, Delivery, Guard, Modifiers, Point, Problem, Shown, Withheld};
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
const ON_RELEASE: [&str; 4] = ["button", "checkbox", "radio", "togglebutton"];

impl Desktop {
    /// What is in the way of input at a place: without a target, nothing is.
    pub(super) fn misses(&mut self, at: Point, ready: Option<&Ready>) -> Result<Option<Delivery>, Problem> {
        let Some(ready) = ready else { return Ok(None) };
        let hit = self.tree.hit(&ready.window, &ready.key, at).map_err(problem("tell what is there"))?;
        Ok(match hit {
            Hit::Own => None,
            Hit::Other(cover) => {
                let actual = cover.map(|c| Shown { role: c.role, name: c.name, row: None });
                let reason = "miss".to_owned();
                Some(Delivery::Withheld(Withheld { reason, actual, partial: false, detail: None }))
            }
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
            if let Some(delivery) = self.differs_now(ready, Some(at))? {
                return Ok(delivery);
            }
            if button == Button::Left && count == 1 && ON_RELEASE.contains(&ready.probe.role.as_str()) {
                return self.press_and_release(at, modifiers, ready);
            }
        }
        calls::click_at(at, button, count, modifiers).map_err(unsent)?;
        Ok(by("the pointer"))
    }

    /// Presses, looks again, and lets go: on the control if it is still what it was, else beside it.
    fn press_and_release(&mut self, at: Point, modifiers: Modifiers, ready: &Ready) -> Result<Delivery, Problem> {
        calls::press(at, Button::Left, modifiers).map_err(unsent)?;
        self.await_press(ready);
        let stopped = self.differs_now(ready, Some(at));
        let stays = matches!(stopped, Ok(None));
        let rect = ready.probe.rect;
        let beside = Point::new(rect.x + rect.width + BESIDE, rect.y + rect.height + BESIDE);
        // Whatever came of the look, the button doesn't stay down.
        calls::release(if stays { at } else { beside }, Button::Left, modifiers).map_err(unsent)?;
        Ok(stopped?.unwrap_or_else(|| by("the pointer")))
    }

    /// Waits until the control shows that it has got the press; one that doesn't tell is waited for as long.
    fn await_press(&mut self, ready: &Ready) {
        let deadline = Instant::now() + PRESSED;
        while Instant::now() < deadline && matches!(self.tree.is_down(&ready.key), Ok(Some(false))) {
            std::thread::sleep(LOOK);
        }
    }

    /// What is in the way at the last moment: something else under the pointer, or other words. The words come last: they are
    /// the newest.
    fn differs_now(&mut self, ready: &Ready, at: Option<Point>) -> Result<Option<Delivery>, Problem> {
        if let Some(at) = at
            && let Some(delivery) = self.misses(at, Some(ready))?
        {
            return Ok(Some(delivery));
        }
        let Some(before) = &ready.told else { return Ok(None) };
        match self.tree.says(&ready.key) {
            Ok(Some(now)) if now == *before => Ok(None),
            Ok(Some(now)) => {
                let name = super::classes::plain(&now);
                Ok(Some(relabelled(Shown { role: ready.probe.role.clone(), name, row: None })))
            }
            Ok(None) | Err(Fault::Gone) => Ok(Some(withheld("detached", None))),
            Err(fault) => Err(fault.problem("look at it once more")),
        }
    }

    pub(super) fn invoke(&mut self, ready: &Ready) -> Result<Delivery, Problem> {
        if ready.probe.activation.is_none() {
            let what =
                format!("{} {:?} has nothing of its own that stands for a click", ready.probe.role, ready.probe.name);
            return Err(Problem::new(Code::Unsupported, what).hint("handeye click REF --method pointer"));
        }
        if let Some(delivery) = self.differs_now(ready, None)? {
            return Ok(delivery);
        }
        match self.tree.invoke(&ready.key) {
            // What it closes takes its answer with it.
            Err(Fault::Gone) => Ok(Delivery::Unseen),
            Err(fault) => Err(fault.problem("click it")),
            Ok(done) => Ok(told(done)),
        }
    }
}
