//! What keeps an app, and its window manager, from coming between the last look and the event.
//!
//! While the server is held nobody else is served. An app that asks for something stands still from then to the end of it, and the
//! event is the first thing that it finds then. Window managers take presses first, and hand them on a moment later: a press that
//! is replayed below their windows goes to the app at once.

use super::display::{Fault, Side};
use super::input::BUTTON_PRESS;
use handeye_scene::Point;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::{
    Allow, ConnectionExt as _, EventMask, GrabMode, GrabStatus, PROPERTY_NOTIFY_EVENT, Property, PropertyNotifyEvent,
    Window,
};
use x11rb::{CURRENT_TIME, NONE};

/// Windows lie this deep in each other.
const DEPTH: usize = 12;

/// What an app's first thread does, by proc(5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thread {
    /// Whether it sleeps. One that doesn't answer and doesn't sleep is at work.
    pub(super) sleeps: bool,
    /// How often it has gone to sleep by itself so far.
    pub(super) slept: u64,
}

impl Thread {
    /// None where nothing tells.
    pub(super) fn of(pid: u32) -> Option<Self> {
        Self::read(&std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/status")).ok()?)
    }

    fn read(status: &str) -> Option<Self> {
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let slept = field("voluntary_ctxt_switches:")?.parse().ok()?;
        Some(Self { sleeps: field("State:")?.starts_with('S'), slept })
    }
}

/// What an app's first thread did from one answer to the next: it goes to sleep once, if nothing else is to be done.
pub(super) struct Steps {
    pid: u32,
    last: Option<Thread>,
    /// Whether nothing told of it.
    untold: bool,
    are_all: bool,
}

impl Steps {
    /// From when it sleeps, which it is given some time for.
    pub(super) async fn begin(pid: u32, limit: Duration) -> Self {
        let last = asleep(pid, limit).await;
        Self { pid, last, untold: last.is_none(), are_all: last.is_some_and(|thread| thread.sleeps) }
    }

    /// One more, once it sleeps again.
    pub(super) async fn step(&mut self, limit: Duration) {
        let now = asleep(self.pid, limit).await;
        let once = self.last.zip(now).is_some_and(|(last, now)| now.sleeps && now.slept == last.slept + 1);
        self.are_all &= once;
        self.last = now;
    }

    /// Whether it did nothing else.
    pub(super) fn are_all(&self) -> bool {
        self.are_all
    }

    /// Whether it slept at the last of them.
    pub(super) fn sleeps(&self) -> bool {
        self.last.is_none_or(|thread| thread.sleeps)
    }

    /// Whether anything tells of it.
    pub(super) fn are_told(&self) -> bool {
        !self.untold
    }
}

/// What a thread does once it sleeps, or when it still doesn't after a time.
async fn asleep(pid: u32, limit: Duration) -> Option<Thread> {
    let deadline = Instant::now() + limit;
    loop {
        let thread = Thread::of(pid)?;
        if thread.sleeps || Instant::now() >= deadline {
            return Some(thread);
        }
        tokio::task::yield_now().await;
    }
}

impl Side {
    /// Tells the app of a window that its state has changed: GTK and Qt ask the server then what it is.
    pub(super) fn halt(&self, window: Window) -> Result<(), Fault> {
        let event = PropertyNotifyEvent {
            response_type: PROPERTY_NOTIFY_EVENT,
            sequence: 0,
            window,
            atom: self.atoms._NET_WM_STATE,
            time: CURRENT_TIME,
            state: Property::NEW_VALUE,
        };
        // Without a mask it goes to the app alone.
        self.connection.send_event(false, window, EventMask::NO_EVENT, event)?;
        self.sync()
    }

    /// Presses a button where the pointer is: in this window, past whoever takes presses on those around it. Where someone holds
    /// the pointer, as a menu does, the press goes there anyhow.
    pub(super) fn press(&self, button: u8, below: Option<Window>) -> Result<(), Fault> {
        let Some(innermost) = below else { return self.fake(BUTTON_PRESS, button, (0, 0)) };
        let grabbed = self
            .connection
            .grab_pointer(
                false,
                innermost,
                EventMask::BUTTON_PRESS,
                GrabMode::SYNC,
                GrabMode::ASYNC,
                NONE,
                NONE,
                CURRENT_TIME,
            )?
            .reply()?;
        if grabbed.status != GrabStatus::SUCCESS {
            return self.fake(BUTTON_PRESS, button, (0, 0));
        }
        self.connection.allow_events(Allow::SYNC_POINTER, CURRENT_TIME)?;
        let pressed = self.fake(BUTTON_PRESS, button, (0, 0));
        self.connection.allow_events(Allow::REPLAY_POINTER, CURRENT_TIME)?;
        // Nothing is left of it if the press came to us and went on.
        self.connection.ungrab_pointer(CURRENT_TIME)?;
        pressed
    }

    /// The innermost window at a place.
    pub(super) fn innermost(&self, at: Point) -> Result<Window, Fault> {
        let mut window = self.root;
        for _ in 0..DEPTH {
            let (x, y) = (at.x.round() as i16, at.y.round() as i16);
            let child = self.connection.translate_coordinates(self.root, window, x, y)?.reply()?.child;
            if child == NONE {
                break;
            }
            window = child;
        }
        Ok(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_does_is_read() {
        let told =
            "Name:\tState: R\nState:\tS (sleeping)\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!(Thread::read(told), Some(Thread { sleeps: true, slept: 17 }));
        assert_eq!(Thread::read("State:\tS (sleeping)\n"), None);
        assert!(Thread::of(std::process::id()).is_some());
    }
}
