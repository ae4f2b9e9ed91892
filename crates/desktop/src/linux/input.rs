//! Pointer and keys by XTEST.
//!
//! What is to be hit is checked while the server is held: no other client can raise a window, or take the keyboard, between
//! the check and the event.

use super::display::{Fault, Side};
use super::keymap::{Keymap, named, symbol};
use handeye_scene::{Button, Chord, Modifiers, Point};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, Keycode, Keysym, Window};
use x11rb::protocol::xtest::ConnectionExt as _;

pub(super) const KEY_PRESS: u8 = 2;
pub(super) const KEY_RELEASE: u8 = 3;
pub(super) const BUTTON_PRESS: u8 = 4;
pub(super) const BUTTON_RELEASE: u8 = 5;
const MOTION: u8 = 6;

/// Whether input was sent, or what was in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It was.
    Yes,
    /// Another window was there, or had the keyboard: nothing was sent.
    Elsewhere(Option<Window>),
    /// The target wasn't what it should be, or its app didn't say: nothing was sent.
    Stopped,
}

/// Where a drag goes, and the windows that must be at its ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) taken: Window,
    /// None where it may end on anything.
    pub(crate) dropped: Option<Window>,
}

impl Side {
    pub(super) fn fake(&self, kind: u8, detail: u8, at: (i16, i16)) -> Result<(), Fault> {
        self.connection.xtest_fake_input(kind, detail, 0, self.root, at.0, at.1, 0)?;
        Ok(())
    }

    /// Moves the pointer.
    pub(crate) fn point_to(&mut self, to: Point) -> Result<(), Fault> {
        self.fake(MOTION, 0, (to.x.round() as i16, to.y.round() as i16))?;
        self.sync()
    }

    /// Presses at one place, moves, releases at another. Stopped, it is let go where it was taken.
    pub(crate) fn drag(
        &mut self,
        way: Way,
        button: Button,
        time: Duration,
        modifiers: Modifiers,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Sent, Fault> {
        const STEPS: u32 = 16;
        let Way { from, to, taken, dropped } = way;
        self.point_to(from)?;
        std::thread::sleep(Duration::from_millis(15));
        let held = self.modifier_keys(modifiers)?;
        let before = self.connection.query_tree(self.root)?.reply()?.children;
        let pressed = self.held_still(|side| {
            let top = side.top_at(from)?;
            if top != Some(taken) {
                return Ok(Sent::Elsewhere(top));
            }
            side.keys(&held, KEY_PRESS)?;
            side.fake(BUTTON_PRESS, number(button), (0, 0))?;
            side.sync()?;
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
            let part = f64::from(i) / f64::from(STEPS);
            self.point_to(Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part))
        });
        // Whatever happened, no button stays down.
        let wanted = wanted() && moved.is_ok();
        self.held_still(|side| {
            let there = wanted && dropped.is_none_or(|dropped| side.drops_on(to, dropped, &before));
            if !there {
                side.point_to(from)?;
            }
            side.fake(BUTTON_RELEASE, number(button), (0, 0))?;
            side.keys(&held, KEY_RELEASE)?;
            side.sync()?;
            Ok(if there { Sent::Yes } else { Sent::Stopped })
        })
    }

    /// Whether what is dropped at a place goes to this window. The picture of what is dragged, which came up since, is none.
    fn drops_on(&self, to: Point, window: Window, before: &[Window]) -> bool {
        let Ok(Some(top)) = self.top_at(to) else { return false };
        let attributes = || self.connection.get_window_attributes(top).ok()?.reply().ok();
        top == window || !before.contains(&top) && attributes().is_some_and(|a| a.override_redirect)
    }

    /// Turns the wheel by so many clicks, right and down positive, if `expected` is under the pointer.
    pub(crate) fn wheel(&mut self, at: Point, (x, y): (i32, i32), expected: Option<Window>) -> Result<Sent, Fault> {
        self.point_to(at)?;
        self.held_still(|side| {
            let top = side.top_at(at)?;
            if expected.is_some_and(|e| top != Some(e)) {
                return Ok(Sent::Elsewhere(top));
            }
            for (clicks, forth, back) in [(y, 5, 4), (x, 7, 6)] {
                for _ in 0..clicks.unsigned_abs().min(200) {
                    let button = if clicks > 0 { forth } else { back };
                    side.fake(BUTTON_PRESS, button, (0, 0))?;
                    side.fake(BUTTON_RELEASE, button, (0, 0))?;
                }
            }
            side.sync()?;
            Ok(Sent::Yes)
        })
    }

    /// The same where the pointer is.
    pub(crate) fn wheel_here(&mut self, clicks: (i32, i32)) -> Result<(), Fault> {
        let at = self.pointer()?;
        self.wheel(at, clicks, None).map(drop)
    }

    /// Where the pointer is.
    pub(crate) fn pointer(&self) -> Result<Point, Fault> {
        let at = self.connection.query_pointer(self.root)?.reply()?;
        Ok(Point::new(at.root_x.into(), at.root_y.into()))
    }

    /// Runs `job` while no other client is served.
    pub(super) fn held_still<R>(&mut self, job: impl FnOnce(&mut Self) -> Result<R, Fault>) -> Result<R, Fault> {
        self.connection.grab_server()?;
        // Requests wait for company on their way out: what others are asked meanwhile must not come before it.
        self.sync()?;
        let outcome = job(self);
        self.connection.ungrab_server()?;
        self.connection.flush()?;
        outcome
    }

    pub(super) fn keys(&self, keys: &[Keycode], kind: u8) -> Result<(), Fault> {
        keys.iter().try_for_each(|key| self.fake(kind, *key, (0, 0)))
    }

    /// Leaves the keyboard and the pointer as they were found.
    pub(crate) fn put_back(&mut self) -> Result<(), Fault> {
        let let_go = self.let_go();
        self.restore_keys().and(let_go)
    }

    /// Sends key strokes as long as the keyboard is in `expected`; how many were sent, and what stopped them. The characters
    /// that no key stands for are in `lent`.
    pub(crate) fn strokes(
        &mut self,
        strokes: &[Stroke],
        lent: &HashMap<Keysym, Keycode>,
        expected: Option<Window>,
        pace: Duration,
        wanted: &dyn Fn() -> bool,
    ) -> Result<(usize, Sent), Fault> {
        let map = self.keymap()?;
        for (count, stroke) in strokes.iter().enumerate() {
            if !wanted() {
                return Ok((count, Sent::Stopped));
            }
            let sent = self.held_still(|side| {
                let focus = side.connection.get_input_focus()?.reply()?.focus;
                if let Some(window) = expected
                    && !side.lies_in(focus, window)?
                {
                    return Ok(Sent::Elsewhere(Some(focus)));
                }
                side.stroke(stroke, &map, lent)?;
                Ok(Sent::Yes)
            })?;
            if sent != Sent::Yes {
                return Ok((count, sent));
            }
            rest(pace, wanted);
        }
        self.sync()?;
        Ok((strokes.len(), Sent::Yes))
    }

    fn stroke(&self, stroke: &Stroke, map: &Keymap, lent: &HashMap<Keysym, Keycode>) -> Result<(), Fault> {
        let found = map.key(stroke.symbol).or_else(|| lent.get(&stroke.symbol).map(|c| (*c, false)));
        // A character without a key was refused before anything was sent.
        let Some((code, shifted)) = found else { return Err(Fault::Refused) };
        let held = self.not_held(map.modifiers(map.for_key(stroke.modifiers, code, shifted))?);
        self.keys(&held, KEY_PRESS)?;
        self.fake(KEY_PRESS, code, (0, 0))?;
        self.fake(KEY_RELEASE, code, (0, 0))?;
        let back: Vec<Keycode> = held.iter().rev().copied().collect();
        self.keys(&back, KEY_RELEASE)?;
        self.sync()
    }

    /// Keys without those that are kept down anyway.
    pub(super) fn not_held(&self, codes: Vec<Keycode>) -> Vec<Keycode> {
        codes.into_iter().filter(|code| !self.held.has_key(*code)).collect()
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // A display that is gone has no keys.
        let _ = self.put_back();
    }
}

/// One key, pressed with what is held for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) symbol: Keysym,
    pub(crate) modifiers: Modifiers,
}

impl Stroke {
    /// A character.
    pub(crate) fn of(c: char) -> Self {
        Self { symbol: symbol(c), modifiers: Modifiers::default() }
    }

    /// A chord; none where its key has no symbol.
    pub(crate) fn chord(chord: &Chord) -> Option<Self> {
        Some(Self { symbol: named(&chord.key)?, modifiers: chord.modifiers })
    }
}

/// Waits for a time, or until nobody wants what comes after it.
fn rest(time: Duration, wanted: &dyn Fn() -> bool) {
    const LOOK: Duration = Duration::from_millis(20);
    let deadline = Instant::now() + time;
    while wanted() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(LOOK));
    }
}

pub(super) fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}
