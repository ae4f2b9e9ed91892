//! Gestures: the control's own message or pattern first, else the pointer and keys; the guard is checked right before each.

use super::calls::{self, Fault, Path};
use super::click::Own;
use super::ids::Key;
use super::keys::notches;
use super::probe::Aimed;
use super::seen::{Handle, Seen};
use super::surface::{Desktop, problem};
use super::tree::{Done, Tree};
use super::typing::Held;
use crate::guard::differs;
use handeye_scene::{
    Aim, Button, Code, Delivery, Gesture, Guard, Modifiers, MouseStep, Point, Probe, Problem, Shown, Withheld,
};
use std::time::Duration;

/// How long typing may take.
const TYPING: Duration = Duration::from_secs(120);
/// How long a program may take to show what the wheel did.
const WHEEL: Duration = Duration::from_millis(120);

/// How long a gesture may take beside what every call may.
pub(super) fn takes(gesture: &Gesture) -> Duration {
    match gesture {
        Gesture::Type { .. } | Gesture::Keys(_) | Gesture::Replace(_) => TYPING,
        Gesture::Drag { duration_ms, .. } => Duration::from_millis(*duration_ms),
        _ => Duration::ZERO,
    }
}

/// A target that a gesture may be made on: looked at just now, and as the guard wants it.
pub(super) struct Ready {
    pub(super) probe: Probe,
    pub(super) window: Seen,
    pub(super) key: Key,
    /// What it said just before it was looked at, by one question.
    pub(super) told: Option<String>,
    /// Where it is a button of Windows' own.
    pub(super) own: Option<Own>,
}

pub(super) fn by(means: impl Into<String>) -> Delivery {
    Delivery::Delivered { holds: None, moved: None, by: Some(means.into()) }
}

pub(super) fn withheld(reason: &str, detail: Option<String>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial: false, detail })
}

/// Something else would have been hit.
pub(super) fn misses(actual: Option<Shown>) -> Delivery {
    Delivery::Withheld(Withheld { reason: "miss".into(), actual: actual.map(Box::new), partial: false, detail: None })
}

/// The same of what had begun.
pub(super) fn partly(reason: &str, detail: String) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial: true, detail: Some(detail) })
}

pub(super) fn unsent(fault: Fault) -> Problem {
    fault.problem("send input")
}

impl Desktop {
    pub(super) fn gesture(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        // The target tells which window this goes to; what is to change there is noted before anything is done.
        let into = guard.target.and_then(|id| self.ids.window(id.document()));
        self.begin(into);
        let ready = match self.ready(guard)? {
            Ok(ready) => ready,
            Err(delivery) => return Ok(delivery),
        };
        self.promises = ready.is_some()
            && matches!(gesture, Gesture::Click { .. } | Gesture::Invoke)
            && guard.held.as_ref().is_some_and(|held| held.name_ends_with("..."));
        match (gesture, ready) {
            (Gesture::Click { at, button, count, modifiers }, ready) => {
                self.click((*at, *button, *count), *modifiers, ready.as_ref(), guard)
            }
            (Gesture::Invoke, Some(ready)) => self.invoke(&ready, guard),
            (Gesture::Expand(on), Some(ready)) => {
                let done = self.tree.expand(&ready.key, *on).map_err(problem("open or close it"))?;
                Ok(told(done))
            }
            (Gesture::Focus, Some(ready)) => self.focus_on(&ready).map(by),
            (Gesture::Set(value), Some(ready)) => self.set(&ready, value),
            (Gesture::Replace(text), Some(ready)) => self.replace(&ready, text),
            (Gesture::Choose(options), Some(ready)) => self.choose_options(&ready, options),
            (Gesture::Hover { at }, ready) => {
                calls::point_to(*at).map_err(unsent)?;
                Ok(self.misses(*at, ready.as_ref())?.unwrap_or_else(|| by("the pointer")))
            }
            (Gesture::Drag { from, to, button, duration_ms, modifiers }, ready) => {
                let time = Duration::from_millis(*duration_ms);
                let way = Path { from: *from, to: *to };
                self.drag(way, (*button, *modifiers), time, guard, ready.as_ref())
            }
            (Gesture::Scroll { at, dx, dy }, ready) => self.scroll(*at, *dx, *dy, ready.as_ref()),
            (Gesture::Type { text, pace_ms }, ready) => {
                self.type_text(text, Duration::from_millis(*pace_ms), ready.as_ref())
            }
            (Gesture::Keys(chords), ready) => self.chords(chords, ready.as_ref()),
            (Gesture::KeyDown(chord), ready) => self.key_down(chord, ready.as_ref()),
            (Gesture::KeyUp(chord), _) => self.key_up(chord),
            (Gesture::Mouse(step, _), _) => self.mouse(*step),
            (Gesture::Upload(_), _) => {
                Err(Problem::new(Code::Unsupported, "a window takes files by its own dialog").hint("handeye state"))
            }
            (Gesture::Put { .. }, Some(_)) => {
                Err(Problem::new(Code::Unsupported, "secrets go into documents of a browser alone"))
            }
            (_, None) => Err(Problem::new(Code::Unsupported, "this needs a target")),
        }
    }

    /// The guard's target as it is now, if it is what the guard says and takes input.
    fn ready(&mut self, guard: &Guard) -> Result<Result<Option<Ready>, Delivery>, Problem> {
        let ready = self.as_wanted(guard)?;
        Ok(match ready {
            Ok(Some(ready)) if !ready.probe.enabled => Err(match ready.probe.behind {
                Some(dialog) => misses(Some(Shown::named(dialog.role, dialog.name))),
                None => withheld("disabled", None),
            }),
            other => other,
        })
    }

    /// The guard's target as it is now, if it is what the guard says.
    fn as_wanted(&mut self, guard: &Guard) -> Result<Result<Option<Ready>, Delivery>, Problem> {
        let Some(id) = guard.target else { return Ok(Ok(None)) };
        let gone = || Ok(Err(withheld("detached", None)));
        let Some((window, key)) = self.found(id) else { return gone() };
        // Before the look: what it says later is compared with this.
        let own = self.tree.own_button(&key).map(Own::of);
        let told = match self.tree.says(&window, &key, None) {
            Err(Fault::Gone) => None,
            told => told.map_err(problem("ask what it says"))?,
        };
        let Some(probe) = self.examine(id, Aim::default())? else { return gone() };
        if let Some(actual) = differs(guard, &probe) {
            return Ok(Err(relabelled(actual)));
        }
        let Some((window, key)) = self.found(id) else { return gone() };
        Ok(Ok(Some(Ready { probe, window, key, told, own })))
    }

    /// Drags from one place to another. What it ends on is looked at right before, and its window once more before the drop.
    fn drag(
        &mut self,
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
            match self.as_wanted(&there)? {
                Ok(ready) => dropped = ready.map(|ready| (ready, there)),
                Err(delivery) => return Ok(delivery),
            }
        }
        for (at, ready, guard) in
            dropped.iter().map(|(d, g)| (way.to, d, g)).chain(ready.map(|ready| (way.from, ready, guard)))
        {
            if let Some(delivery) = self.differs_now(ready, guard, Some(at))? {
                return Ok(delivery);
            }
        }
        for at in [way.to, way.from] {
            if let Some(delivery) = self.strays(at) {
                return Ok(delivery);
            }
        }
        let may_end = || match &dropped {
            Some((there, guard)) => matches!(self.differs_now(there, guard, Some(way.to)), Ok(None)),
            None => self.strays(way.to).is_none(),
        };
        let ended = calls::drag(way, button, time, modifiers, may_end).map_err(unsent)?;
        // It had been taken by then.
        Ok(if ended { by("the pointer") } else { partly("miss", "it was let go where it was taken".into()) })
    }

    /// Raises a window; whether it came to the front.
    pub(super) fn raise(&mut self, window: &Seen) -> Result<bool, Problem> {
        const PATIENCE: u32 = 50;
        let on_top = self.seen().iter().find(|w| !w.popup).is_some_and(|w| w.handle == window.handle);
        for look in 0..PATIENCE {
            let in_front = calls::in_front() == Some(window.handle) && !self.is_minimised(window.handle);
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

    fn is_minimised(&self, window: Handle) -> bool {
        calls::traits(window).is_some_and(|t| t.style & super::classes::style::MINIMISED != 0)
    }

    /// Gives the target the keyboard: by its own means, else by a click into it.
    pub(super) fn focus_on(&mut self, ready: &Ready) -> Result<String, Problem> {
        if !ready.window.popup {
            self.raise(&ready.window)?;
        }
        let asked = self.tree.focus(&ready.key).map_err(problem("give it the keyboard"))?;
        if asked && self.comes_to_have_keyboard(ready)? {
            return Ok("its own focus".into());
        }
        if let Aimed::At(at) = self.hit(ready.probe.rect, &ready.window, &ready.key, None)? {
            calls::point_to(at).map_err(unsent)?;
            calls::click_at(at, Button::Left, 1, Modifiers::default()).map_err(unsent)?;
            self.comes_to_have_keyboard(ready)?;
        }
        Ok("a click into it".into())
    }

    /// Whether the target has the keyboard within a moment.
    pub(super) fn comes_to_have_keyboard(&mut self, ready: &Ready) -> Result<bool, Problem> {
        for _ in 0..10 {
            let now = self.tree.look(&ready.window, &ready.key).map_err(problem("look at it"))?;
            if now.is_some_and(|e| e.is_focused()) {
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    }

    fn scroll(&mut self, at: Option<Point>, dx: f64, dy: f64, ready: Option<&Ready>) -> Result<Delivery, Problem> {
        let seen = self.seen();
        let current = match ready {
            Some(ready) => ready.window.clone(),
            None => self.current_of(&seen)?.clone(),
        };
        if !current.popup {
            self.raise(&current)?;
        }
        let at = at.unwrap_or_else(|| current.rect.center());
        calls::point_to(at).map_err(unsent)?;
        if let Some(delivery) = self.misses(at, ready)? {
            return Ok(delivery);
        }
        if calls::window_at(at).and_then(calls::own_window) != Some(current.handle) {
            return Ok(withheld("miss", None));
        }
        let before = self.tree.scrolled(at);
        calls::wheel(notches(dx, dy)).map_err(unsent)?;
        std::thread::sleep(WHEEL);
        let after = self.tree.scrolled(at);
        let moved = before.zip(after).map(|(b, a)| (a.0 - b.0, a.1 - b.1));
        Ok(Delivery::Delivered { holds: None, moved, by: Some("the wheel".into()) })
    }
}

pub(super) fn relabelled(actual: Shown) -> Delivery {
    let reason = "relabelled".to_owned();
    Delivery::Withheld(Withheld { reason, actual: Some(Box::new(actual)), partial: false, detail: None })
}

pub(super) fn told(done: Done) -> Delivery {
    match done {
        Done::By(means) => by(means),
        Done::Not(why) => withheld("refused", Some(why)),
    }
}

impl Desktop {
    fn mouse(&mut self, step: MouseStep) -> Result<Delivery, Problem> {
        let place = match step {
            MouseStep::Move(to) => Some(to),
            MouseStep::Down(_) | MouseStep::Wheel { .. } => Some(calls::pointer().map_err(unsent)?),
            // What was pressed is let go wherever the pointer is by now.
            MouseStep::Up(_) => None,
        };
        if let Some(delivery) = place.and_then(|at| self.strays(at)) {
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
            self.held.retain(|held| !matches!(held, Held::Button(it) if *it == button));
        }
        if let MouseStep::Down(button) = step {
            self.held.push(Held::Button(button));
        }
        Ok(by("the pointer"))
    }
}

/// Moves the pointer; the edge of the screen stops it.
fn move_to(to: Point) -> Result<Delivery, Problem> {
    calls::point_to(to).map_err(unsent)?;
    let now = calls::pointer().map_err(unsent)?;
    let there = (now.x - to.x).abs() < 1.0 && (now.y - to.y).abs() < 1.0;
    let otherwise = || format!("the pointer is at {},{}, not at {},{}", now.x, now.y, to.x, to.y);
    Ok(if there { by("the pointer") } else { partly("refused", otherwise()) })
}
