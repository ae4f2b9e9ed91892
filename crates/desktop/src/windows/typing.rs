//! Key strokes, and whether they go where they are meant to.

use super::calls::{self, Stroke};
use super::gestures::{Ready, by, partly, unsent, withheld};
use super::keys::named;
use super::seen::{Handle, Seen};
use super::surface::Desktop;
use handeye_scene::{Button, Chord, Code, Delivery, Problem, Shown, Withheld};
use std::time::Duration;

/// What is kept down between commands. All of it is let go when the session ends.
pub(super) enum Held {
    Key(Stroke),
    Button(Button),
}

impl Desktop {
    /// Types a text into the target, or into what has the keyboard in the current window.
    pub(super) fn type_text(&mut self, text: &str, pace: Duration, ready: Option<&Ready>) -> Result<Delivery, Problem> {
        self.typed(&calls::strokes_of(text), pace, ready)
    }

    /// Presses chords in order.
    pub(super) fn chords(&mut self, chords: &[Chord], ready: Option<&Ready>) -> Result<Delivery, Problem> {
        let strokes = chords.iter().map(stroke).collect::<Result<Vec<_>, _>>()?;
        self.typed(&strokes, Duration::ZERO, ready)
    }

    /// Presses a key and keeps it down.
    pub(super) fn key_down(&mut self, chord: &Chord, ready: Option<&Ready>) -> Result<Delivery, Problem> {
        let stroke = Stroke { down: true, up: false, ..stroke(chord)? };
        if !calls::has_key(&stroke) {
            let what = "no key of this keyboard stands for it: only keys that it has can be kept down";
            return Err(Problem::new(Code::Unsupported, what).hint("handeye type TEXT"));
        }
        let delivery = self.typed(&[stroke], Duration::ZERO, ready)?;
        if matches!(delivery, Delivery::Delivered { .. }) {
            self.held.push(Held::Key(stroke));
        }
        Ok(delivery)
    }

    /// Lets a key go, wherever the keyboard is now.
    pub(super) fn key_up(&mut self, chord: &Chord) -> Result<Delivery, Problem> {
        let stroke = Stroke { down: false, up: true, ..stroke(chord)? };
        let was_down = calls::is_key_down(&stroke);
        calls::send_strokes(&stroke).map_err(unsent)?;
        self.held.retain(|held| !matches!(held, Held::Key(key) if key.key == stroke.key));
        Ok(if was_down { by("keys") } else { partly("refused", "it wasn't down".into()) })
    }

    /// Lets go what is kept down.
    pub(super) fn let_go(&mut self) -> Result<(), Problem> {
        let held = std::mem::take(&mut self.held);
        held.into_iter().rev().try_for_each(|held| match held {
            Held::Key(key) => calls::send_strokes(&Stroke { down: false, up: true, ..key }).map_err(unsent),
            Held::Button(button) => calls::button(button, false).map_err(unsent),
        })
    }

    fn typed(&mut self, strokes: &[Stroke], pace: Duration, ready: Option<&Ready>) -> Result<Delivery, Problem> {
        if let Some(ready) = ready {
            let has = ready.probe.states.has(handeye_scene::State::Focused) && ready.window.focused;
            if !has {
                self.focus_on(ready)?;
                if !self.comes_to_have_keyboard(ready)? {
                    return Ok(withheld("miss", Some("it didn't take the keyboard".into())));
                }
            }
            return Ok(self.send(strokes, pace, &ready.window)?.unwrap_or_else(|| by("keys")));
        }
        let current = self.current()?;
        self.begin(Some(current.handle));
        // What has the keyboard may be a dialog of the current window. Another window of its program is another one.
        let inside = calls::in_front().is_some_and(|front| takes_keys_of(front, &current));
        if !inside && !self.raise(&current)? {
            return Ok(withheld("miss", Some(format!("{:?} didn't take the keyboard", current.title))));
        }
        Ok(self.send(strokes, pace, &current)?.unwrap_or_else(|| by("keys")))
    }

    /// Sends strokes as long as a window, or a dialog of it, has the keyboard; what was in the way.
    pub(super) fn send(
        &mut self,
        strokes: &[Stroke],
        pace: Duration,
        window: &Seen,
    ) -> Result<Option<Delivery>, Problem> {
        for (sent, stroke) in strokes.iter().enumerate() {
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
}

/// Whether what has the keyboard is a window, or a dialog of it. Menus and lists never have it: what they belong to has.
fn takes_keys_of(front: Handle, window: &Seen) -> bool {
    let same_thread = || calls::traits(front).is_some_and(|t| t.thread == window.thread);
    let family = calls::family_of(window.handle);
    family.is_some() && calls::family_of(front) == family || window.popup && same_thread()
}

fn stroke(chord: &Chord) -> Result<Stroke, Problem> {
    let key = named(&chord.key)
        .ok_or_else(|| Problem::new(Code::Unsupported, format!("there is no key `{}` here", chord.key)))?;
    Ok(Stroke { modifiers: chord.modifiers, is_chord: true, ..Stroke::of(key) })
}
