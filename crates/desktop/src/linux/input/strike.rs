//! The events of a click, sent while the server is held, if what is to be hit is there and the app's last word allows it.

use crate::linux::windows::window_list;
use crate::linux::x11::display::Side;
use crate::linux::x11::held_keys;
use crate::linux::x11::pending_windows::{self, Met};
use crate::linux::x11::quiesce;
use crate::linux::x11::server::{Fault, Server};
use crate::linux::x11::xtest::{self, BUTTON_RELEASE, KEY_PRESS, KEY_RELEASE, Sent, number};
use handeye_scene::{Button, Modifiers, Point};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use x11rb::protocol::xproto::{ConnectionExt as _, Keycode, Window};

/// How long an app may take to see that the pointer has left what it pressed.
const LEAVES: Duration = Duration::from_millis(40);

/// What a click must hit.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    /// The child of the root.
    top: Window,
    /// The window of the target, if there is one, and where it is.
    window: Option<Window>,
    origin: Option<(i16, i16)>,
    /// The keys that are held meanwhile.
    pub(crate) held: Vec<Keycode>,
}

impl Spot {
    /// One that hasn't been approached yet.
    pub(crate) fn new(top: Window, window: Option<Window>) -> Self {
        Self { top, window, origin: None, held: Vec::new() }
    }
}

/// What is sent once nothing is in its way.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stroke {
    Press,
    Release,
    /// How many clicks.
    Clicks(u8),
}

/// What is to be done while the server is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Have the app stand still, and wait for the next word.
    Halt,
    Go,
    Stop,
}

/// The word that is waited for while the server is held.
pub(crate) struct Word {
    asked: oneshot::Sender<()>,
    given: mpsc::Receiver<Turn>,
    limit: Duration,
}

impl Word {
    /// A word, the question for it, and the way to give it.
    pub(crate) fn new(limit: Duration) -> (Self, oneshot::Receiver<()>, mpsc::Sender<Turn>) {
        let ((asked, question), (give, given)) = (oneshot::channel(), mpsc::channel());
        (Self { asked, given, limit }, question, give)
    }

    /// Asks for it, and waits. Without an answer it is a no.
    fn answer(self, mut halt: impl FnMut()) -> bool {
        if self.asked.send(()).is_err() {
            return false;
        }
        let deadline = Instant::now() + self.limit;
        loop {
            match self.given.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Turn::Halt) => halt(),
                Ok(turn) => return turn == Turn::Go,
                Err(_) => return false,
            }
        }
    }
}

/// Points to a place, and gets everything ready for a click there.
pub(crate) fn approach(side: &mut Side, at: Point, modifiers: Modifiers, spot: Spot) -> Result<Spot, Fault> {
    let origin = spot.window.map(|window| origin(&side.server, window)).transpose()?;
    xtest::point_to(&side.server, at)?;
    // Apps that light up what the pointer is on get to see it come.
    std::thread::sleep(Duration::from_millis(15));
    pending_windows::let_come(&side.server, &mut side.met)?;
    Ok(Spot { origin, held: held_keys::modifier_keys(&side.server, &side.held, modifiers)?, ..spot })
}

/// Where a window is.
fn origin(server: &Server, window: Window) -> Result<(i16, i16), Fault> {
    let place = server.connection.translate_coordinates(window, server.root, 0, 0)?.reply()?;
    Ok((place.dst_x, place.dst_y))
}

/// Presses and releases at a place, if what is to be hit is there and hasn't moved since.
pub(crate) fn click(side: &mut Side, at: Point, button: Button, count: u8, spot: &Spot) -> Result<Sent, Fault> {
    strike(side, at, button, Stroke::Clicks(count), spot, None)
}

/// The same step by step, each with a word to wait for.
pub(crate) fn strike(
    side: &mut Side,
    at: Point,
    button: Button,
    stroke: Stroke,
    spot: &Spot,
    word: Option<Word>,
) -> Result<Sent, Fault> {
    let Side { server, met, .. } = side;
    let server = &*server;
    server.held_still(|| {
        // A release goes to what was pressed, whatever lies there now.
        let there = match stroke {
            Stroke::Release => left_it(server, at, spot)?,
            _ => in_the_way(server, met, at, spot)?,
        };
        if let Some(there) = there {
            return Ok(Sent::Elsewhere(there));
        }
        if !matches!(stroke, Stroke::Release) && server.pointer()? != at {
            xtest::point_to(server, at)?;
        }
        let below = pressed_in(server, at, stroke, spot)?;
        // A window that is gone is missed by the event, too.
        let halt = || drop(spot.window.map(|window| quiesce::halt(server, window)));
        if word.is_some_and(|word| !word.answer(halt)) {
            return Ok(Sent::Stopped);
        }
        let button = number(button);
        match stroke {
            Stroke::Press => {
                xtest::keys(server, &spot.held, KEY_PRESS)?;
                quiesce::press(server, button, below)?;
            }
            Stroke::Release => {
                xtest::fake(server, BUTTON_RELEASE, button, (0, 0))?;
                xtest::keys(server, &spot.held, KEY_RELEASE)?;
            }
            Stroke::Clicks(count) => {
                xtest::keys(server, &spot.held, KEY_PRESS)?;
                for _ in 0..count.clamp(1, 3) {
                    quiesce::press(server, button, below)?;
                    xtest::fake(server, BUTTON_RELEASE, button, (0, 0))?;
                }
                xtest::keys(server, &spot.held, KEY_RELEASE)?;
            }
        }
        server.sync()?;
        Ok(Sent::Yes)
    })
}

/// The innermost window that a press goes to, where that has the keyboard already and needs no window manager for it.
fn pressed_in(server: &Server, at: Point, stroke: Stroke, spot: &Spot) -> Result<Option<Window>, Fault> {
    let Some(window) = spot.window.filter(|_| !matches!(stroke, Stroke::Release)) else { return Ok(None) };
    let focus = server.connection.get_input_focus()?.reply()?.focus;
    Ok(if server.lies_in(focus, window)? { Some(quiesce::innermost(server, at)?) } else { None })
}

/// What lies where something else is to be hit: a window, or nothing that is known by now.
fn in_the_way(server: &Server, met: &mut Met, at: Point, spot: &Spot) -> Result<Option<Option<Window>>, Fault> {
    if pending_windows::meet(server, met)? || pending_windows::is_any_coming(server, met) {
        return Ok(Some(None));
    }
    let top = server.top_at(at)?;
    let moved = has_moved(server, spot);
    Ok((top != Some(spot.top) || moved).then(|| top.filter(|_| !moved)))
}

/// What a release would be outside of what was pressed for: its window is elsewhere, or another one lies over it. A popup is
/// what the press opened.
fn left_it(server: &Server, at: Point, spot: &Spot) -> Result<Option<Option<Window>>, Fault> {
    if has_moved(server, spot) {
        return Ok(Some(None));
    }
    let top = server.top_at(at)?.filter(|top| *top != spot.top);
    let Some(top) = top else { return Ok(None) };
    let covers = window_list::list(server)?.iter().any(|w| w.top == top && !w.popup);
    Ok(covers.then_some(Some(top)))
}

/// Whether the window of the target is elsewhere by now.
fn has_moved(server: &Server, spot: &Spot) -> bool {
    spot.window.is_some_and(|window| origin(server, window).ok() != spot.origin)
}

/// Lets a button go beside what it was pressed on.
pub(crate) fn take_back(server: &Server, beside: Point, button: Button, held: &[Keycode]) -> Result<(), Fault> {
    xtest::point_to(server, beside)?;
    // What hears of the pointer once a frame is to see it leave before the release.
    std::thread::sleep(LEAVES);
    xtest::fake(server, BUTTON_RELEASE, number(button), (0, 0))?;
    xtest::keys(server, held, KEY_RELEASE)?;
    server.sync()
}
