//! How long an app that is busy is waited for before the last question to it is given up.
//!
//! The question is asked while the server is held, which nothing on the display can bear for long. So an app that leaves it
//! unanswered is asked again while the server is free: as soon as it answers that, the server is held once more.

use crate::linux::atspi::bus::{ACCESSIBLE, Unanswered};
use crate::linux::desktop::Desktop;
use crate::linux::input::ready::Ready;
use std::time::{Duration, Instant};

/// How long the server is held for the answer of an app at first, and at most: a busy machine takes longer for the same.
const HELD: Duration = Duration::from_millis(120);
const HELD_MOST: Duration = Duration::from_millis(400);
/// How long an app may be busy with something else, in all. A button that is pressed stays down for so long.
const BUSY: Duration = Duration::from_secs(5);
/// How often an app is asked that tells of changes, or does something, all the time.
const STIRS: u32 = 10;
/// How many questions an app may leave unanswered that can't always answer while the server is held.
const UNANSWERED: u32 = 3;

/// What is left of it for one event.
pub(crate) struct Patience {
    until: Instant,
    held: Duration,
    stirs: u32,
    unanswered: u32,
    answers_held: bool,
}

impl Patience {
    pub(crate) fn new(answers_held: bool) -> Self {
        Self { until: Instant::now() + BUSY, held: HELD, stirs: 1, unanswered: 0, answers_held }
    }

    /// How long the server is held for the next question.
    pub(crate) fn held(&self) -> Duration {
        self.held
    }

    /// Whether it is the last question to an app that tells of changes all the time.
    pub(crate) fn is_last(&self) -> bool {
        self.stirs >= STIRS
    }

    /// The app told of a change; whether it is to be asked again.
    pub(crate) fn stirred(&mut self) -> bool {
        self.stirs += 1;
        !self.left().is_zero()
    }

    /// The app left a question unanswered; whether it is to be asked again while the server is held.
    pub(crate) fn unanswered(&mut self) -> bool {
        self.unanswered += 1;
        self.held = (self.held * 3 / 2).min(HELD_MOST);
        self.answers_held || self.unanswered < UNANSWERED
    }

    /// How long it may go on.
    pub(crate) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// Waits until the app answers while the server is free; whether it did in time.
pub(crate) async fn is_free(desktop: &Desktop, ready: &Ready, patience: &Patience) -> bool {
    let left = patience.left();
    let ask = (ACCESSIBLE, "Name");
    let asked = desktop.bus.call_within(&ready.place, "org.freedesktop.DBus.Properties", "Get", &ask, left).await;
    // Why it won't ever answer is for the next question to tell.
    !matches!(asked, Err(Unanswered::Late))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_held_longer_each_time_and_never_long() {
        let mut patience = Patience::new(true);
        let held: Vec<u128> = (0..5)
            .map(|_| {
                let held = patience.held().as_millis();
                assert!(patience.unanswered());
                held
            })
            .collect();
        assert_eq!(held, [120, 180, 270, 400, 400]);
    }

    #[test]
    fn what_cannot_answer_while_the_server_is_held_is_asked_so_three_times() {
        let mut patience = Patience::new(false);
        assert_eq!([(); 3].map(|()| patience.unanswered()), [true, true, false]);
    }
}
