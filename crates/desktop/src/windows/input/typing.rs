//! Key strokes, and whether they go where they are meant to.

use crate::windows::calls::{self, Stroke};
use crate::windows::desktop::Desktop;
use crate::windows::input::deliveries::{by, partly, unsent, withheld};
use crate::windows::input::focus;
use crate::windows::input::held_keys::Held;
use crate::windows::input::ready::Ready;
use crate::windows::records::keys::named;
use crate::windows::records::window_list::{Handle, Seen};
use crate::windows::settle::settled;
use crate::windows::top_level::raise;
use handeye_scene::{Chord, Code, Delivery, Problem, Shown, Withheld};
use std::time::Duration;

/// Types a text into the target, or into what has the keyboard in the current window.
pub(crate) fn type_text(
    desktop: &mut Desktop,
    text: &str,
    pace: Duration,
    ready: Option<&Ready>,
) -> Result<Delivery, Problem> {
    typed(desktop, &calls::strokes_of(text), pace, ready)
}

/// Presses chords in order.
pub(crate) fn chords(desktop: &mut Desktop, chords: &[Chord], ready: Option<&Ready>) -> Result<Delivery, Problem> {
    let strokes = chords.iter().map(stroke).collect::<Result<Vec<_>, _>>()?;
    typed(desktop, &strokes, Duration::ZERO, ready)
}

/// Presses a key and keeps it down.
pub(crate) fn key_down(desktop: &mut Desktop, chord: &Chord, ready: Option<&Ready>) -> Result<Delivery, Problem> {
    let stroke = Stroke { down: true, up: false, ..stroke(chord)? };
    if !calls::has_key(&stroke) {
        let what = "no key of this keyboard stands for it: only keys that it has can be kept down";
        return Err(Problem::new(Code::Unsupported, what).hint("handeye type TEXT"));
    }
    let delivery = typed(desktop, &[stroke], Duration::ZERO, ready)?;
    if matches!(delivery, Delivery::Delivered { .. }) {
        desktop.held.push(Held::Key(stroke));
    }
    Ok(delivery)
}

/// Lets a key go, wherever the keyboard is now.
pub(crate) fn key_up(desktop: &mut Desktop, chord: &Chord) -> Result<Delivery, Problem> {
    let stroke = Stroke { down: false, up: true, ..stroke(chord)? };
    let was_down = calls::is_key_down(&stroke);
    calls::send_strokes(&stroke).map_err(unsent)?;
    desktop.held.retain(|held| !matches!(held, Held::Key(key) if key.key == stroke.key));
    Ok(if was_down { by("keys") } else { partly("refused", "it wasn't down".into()) })
}

/// Lets go what is kept down.
pub(crate) fn let_go(desktop: &mut Desktop) -> Result<(), Problem> {
    let held = std::mem::take(&mut desktop.held);
    held.into_iter().rev().try_for_each(|held| match held {
        Held::Key(key) => calls::send_strokes(&Stroke { down: false, up: true, ..key }).map_err(unsent),
        Held::Button(button) => calls::button(button, false).map_err(unsent),
    })
}

fn typed(
    desktop: &mut Desktop,
    strokes: &[Stroke],
    pace: Duration,
    ready: Option<&Ready>,
) -> Result<Delivery, Problem> {
    if let Some(ready) = ready {
        let has = ready.probe.states.has(handeye_scene::State::Focused) && ready.window.focused;
        if !has {
            focus::focus_on(desktop, ready)?;
            if !focus::comes_to_have_keyboard(desktop, ready)? {
                return Ok(withheld("miss", Some("it didn't take the keyboard".into())));
            }
        }
        return Ok(send(desktop, strokes, pace, &ready.window)?.unwrap_or_else(|| by("keys")));
    }
    let current = desktop.current()?;
    settled::begin(desktop, Some(current.handle));
    // What has the keyboard may be a dialog of the current window. Another window of its program is another one.
    let inside = calls::in_front().is_some_and(|front| takes_keys_of(front, &current));
    if !inside && !raise::raise(desktop, &current)? {
        return Ok(withheld("miss", Some(format!("{:?} didn't take the keyboard", current.title))));
    }
    Ok(send(desktop, strokes, pace, &current)?.unwrap_or_else(|| by("keys")))
}

/// Sends strokes as long as a window, or a dialog of it, has the keyboard; what was in the way.
pub(crate) fn send(
    desktop: &Desktop,
    strokes: &[Stroke],
    pace: Duration,
    window: &Seen,
) -> Result<Option<Delivery>, Problem> {
    for (sent, stroke) in strokes.iter().enumerate() {
        desktop.check_failsafe()?;
        let front = calls::in_front();
        if !front.is_some_and(|front| takes_keys_of(front, window)) {
            let name = front.map(calls::caption).unwrap_or_default();
            let actual = front.map(|_| Box::new(Shown::named("window", name)));
            let reason = "miss".to_owned();
            return Ok(Some(Delivery::Withheld(Withheld { reason, actual, partial: sent > 0, detail: None })));
        }
        calls::send_strokes(stroke).map_err(unsent)?;
        if !pace.is_zero() {
            std::thread::sleep(pace);
        }
    }
    Ok(None)
}

/// Whether what has the keyboard is a window, or a dialog of it. Menus and lists never have it: what they belong to has.
pub(crate) fn takes_keys_of(front: Handle, window: &Seen) -> bool {
    let same_thread = || calls::traits(front).is_some_and(|t| t.thread == window.thread);
    let family = calls::family_of(window.handle);
    family.is_some() && calls::family_of(front) == family || window.popup && same_thread()
}

fn stroke(chord: &Chord) -> Result<Stroke, Problem> {
    let key = named(&chord.key)
        .ok_or_else(|| Problem::new(Code::Unsupported, format!("there is no key `{}` here", chord.key)))?;
    Ok(Stroke { modifiers: chord.modifiers, is_chord: true, ..Stroke::of(key) })
}
