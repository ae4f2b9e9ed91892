//! Gestures: the control's own message or pattern first, else the pointer and keys; the guard is checked right before each.

use crate::windows::calls::{self, Path, problem};
use crate::windows::capture::tree::Tree;
use crate::windows::desktop::Desktop;
use crate::windows::input::click;
use crate::windows::input::deliveries::{by, told, unsent};
use crate::windows::input::focus;
use crate::windows::input::pointer_gestures;
use crate::windows::input::ready;
use crate::windows::input::typing;
use crate::windows::input::values;
use crate::windows::settle::settled;
use handeye_scene::{Code, Delivery, Gesture, Guard, MouseStep, Problem};
use std::time::Duration;

/// How long typing may take.
const TYPING: Duration = Duration::from_secs(120);

/// How long a gesture may take beside what every call may.
pub(crate) fn takes(gesture: &Gesture) -> Duration {
    match gesture {
        Gesture::Type { .. } | Gesture::Keys(_) | Gesture::Replace(_) => TYPING,
        Gesture::Drag { duration_ms, .. } => Duration::from_millis(*duration_ms),
        _ => Duration::ZERO,
    }
}

/// Whether a gesture may move the pointer.
pub(crate) fn moves_pointer(gesture: &Gesture) -> bool {
    matches!(
        gesture,
        Gesture::Click { .. }
            | Gesture::Hover { .. }
            | Gesture::Drag { .. }
            | Gesture::Scroll { .. }
            | Gesture::Mouse(MouseStep::Move(_), _)
    )
}

pub(crate) fn perform(desktop: &mut Desktop, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
    // The target tells which window this goes to; what is to change there is noted before anything is done.
    let into = guard.target.and_then(|id| desktop.ids.window(id.document()));
    settled::begin(desktop, into);
    let ready = match ready::ready(desktop, guard)? {
        Ok(ready) => ready,
        Err(delivery) => return Ok(delivery),
    };
    desktop.gesture.promises = ready.is_some()
        && matches!(gesture, Gesture::Click { .. } | Gesture::Invoke)
        && guard.held.as_ref().is_some_and(|held| held.name_ends_with("..."));
    match (gesture, ready) {
        (Gesture::Click { at, button, count, modifiers }, ready) => {
            click::click(desktop, (*at, *button, *count), *modifiers, ready.as_ref(), guard)
        }
        (Gesture::Invoke, Some(ready)) => click::invoke(desktop, &ready, guard),
        (Gesture::Expand(on), Some(ready)) => {
            let done = desktop.tree.expand(&ready.key, *on).map_err(problem("open or close it"))?;
            Ok(told(done))
        }
        (Gesture::Focus, Some(ready)) => focus::focus_on(desktop, &ready).map(by),
        (Gesture::Set(value), Some(ready)) => values::set(desktop, &ready, value),
        (Gesture::Replace(text), Some(ready)) => values::replace(desktop, &ready, text),
        (Gesture::Choose(options), Some(ready)) => values::choose_options(desktop, &ready, options),
        (Gesture::Hover { at }, ready) => {
            calls::point_to(*at).map_err(unsent)?;
            Ok(ready::misses_at(desktop, *at, ready.as_ref())?.unwrap_or_else(|| by("the pointer")))
        }
        (Gesture::Drag { from, to, button, duration_ms, modifiers }, ready) => {
            let time = Duration::from_millis(*duration_ms);
            let way = Path { from: *from, to: *to };
            pointer_gestures::drag(desktop, way, (*button, *modifiers), time, guard, ready.as_ref())
        }
        (Gesture::Scroll { at, dx, dy }, ready) => pointer_gestures::scroll(desktop, *at, *dx, *dy, ready.as_ref()),
        (Gesture::Type { text, pace_ms }, ready) => {
            typing::type_text(desktop, text, Duration::from_millis(*pace_ms), ready.as_ref())
        }
        (Gesture::Keys(chords), ready) => typing::chords(desktop, chords, ready.as_ref()),
        (Gesture::KeyDown(chord), ready) => typing::key_down(desktop, chord, ready.as_ref()),
        (Gesture::KeyUp(chord), _) => typing::key_up(desktop, chord),
        (Gesture::Mouse(step, _), _) => pointer_gestures::mouse(desktop, *step),
        (Gesture::Upload(_), _) => {
            Err(Problem::new(Code::Unsupported, "a window takes files by its own dialog").hint("handeye state"))
        }
        (Gesture::Put { .. }, Some(_)) => {
            Err(Problem::new(Code::Unsupported, "secrets go into documents of a browser alone"))
        }
        (_, None) => Err(Problem::new(Code::Unsupported, "this needs a target")),
    }
}
