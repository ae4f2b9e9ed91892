//! How long nothing must happen for an app to be done with what a gesture began.
//!
//! What comes of a gesture takes several turns of the app, of the display and of the window manager. How long a turn is shows in
//! how long an answer takes: an app that is slow to answer, or on a machine under load, is given more time to show something.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place};
use crate::linux::x11::display::{Display, LIMIT};
use crate::linux::x11::pending_windows;
use crate::linux::x11::ping;
use crate::linux::x11::server::Fault;
use handeye_scene::Problem;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

/// How long nothing may happen for an app to count as quiet.
pub(crate) const QUIET: Duration = Duration::from_millis(150);
/// The same once the window that was acted in is closed: that is what came of it.
pub(crate) const CLOSED: Duration = Duration::from_millis(60);
/// How many of its turns may pass until something is seen.
const TURNS: u32 = 16;
/// An app that takes longer to answer is busy.
const AT_ONCE: Duration = Duration::from_millis(40);
/// How often it is asked.
const ASKED: Duration = Duration::from_millis(50);

/// How a wait for an app to be quiet ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing happened for a while, and it answers at once.
    Quiet,
    /// It kept telling of changes.
    Restless,
    /// It didn't answer at once.
    Busy,
}

/// How long nothing may happen with an app that takes so long for a turn.
fn quiet_for(least: Duration, turn: Duration) -> Duration {
    least.max(turn * TURNS)
}

/// How long the longer of two questions took, which share the limit: an app that hangs is not asked again.
async fn longest_of_two<A: Future<Output = ()>>(limit: Duration, ask: impl Fn(Duration) -> A) -> Duration {
    let begun = Instant::now();
    let mut longest = Duration::ZERO;
    for _ in 0..2 {
        let left = limit.saturating_sub(begun.elapsed());
        if left.is_zero() {
            break;
        }
        let asked = Instant::now();
        ask(left).await;
        longest = longest.max(asked.elapsed());
    }
    longest
}

/// Waits until no event came for a while, `least` or longer, and the app answers at once: one that is putting a window
/// together does neither.
pub(crate) async fn wait_until_quiet(bus: &Bus, app: Option<&Place>, least: Duration, limit: Duration) -> Rest {
    let deadline = Instant::now() + limit;
    let left = || deadline.saturating_duration_since(Instant::now());
    let (mut begun, mut turn) = (Instant::now(), Duration::ZERO);
    loop {
        let took = turn_of(bus, app, left()).await;
        let busy = took >= AT_ONCE;
        // What it was busy with is about to show.
        (begun, turn) = if busy { (Instant::now(), Duration::ZERO) } else { (begun, turn.max(took)) };
        // Its events came before its answer.
        let (_, last) = bus.events();
        let since = last.filter(|l| *l > begun).unwrap_or(begun).elapsed();
        if !busy && since >= quiet_for(least, turn) {
            return Rest::Quiet;
        }
        if left().is_zero() {
            return if busy { Rest::Busy } else { Rest::Restless };
        }
        tokio::time::sleep(quiet_for(least, turn).saturating_sub(since).min(ASKED).min(left())).await;
    }
}

/// How long the app that was acted on takes for one turn. A question may come right before its turn ends; the one that
/// follows on the answer takes a whole one.
async fn turn_of(bus: &Bus, app: Option<&Place>, limit: Duration) -> Duration {
    let Some(app) = app else { return Duration::ZERO };
    longest_of_two(limit, move |left| async move {
        // Whether it is still there is for the look that follows to say.
        let _ = bus.call_within(app, ACCESSIBLE, "GetRole", &(), left).await;
    })
    .await
}

/// Waits until the app of a window has read all input that was sent to it; whether it says so.
pub(crate) async fn has_read(display: &Display, window: Window, limit: Duration) -> bool {
    let asked =
        display.run_within(limit + LIMIT, move |side| ping::ping(&side.server, &mut side.clip, window, limit)).await;
    // A window that is gone by now has nothing to read.
    matches!(asked, Ok(Some(true)))
}

/// Whether a window is about to come up that isn't `known`: one of the app that `window` is of, where there is one.
pub(crate) async fn is_any_coming_since(
    display: &Display,
    known: &[Window],
    window: Option<Window>,
) -> Result<bool, Problem> {
    let known = known.to_vec();
    let fault = |e: Fault| e.problem("list the windows");
    display.run(move |side| pending_windows::is_any_coming_since(&side.server, &known, window)).await.map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_app_that_hangs_takes_the_limit_once() {
        let limit = Duration::from_millis(20);
        let asked = std::cell::Cell::new(0);
        let hangs = |left| {
            asked.set(asked.get() + 1);
            tokio::time::sleep(left)
        };
        assert!(longest_of_two(limit, hangs).await >= limit);
        assert_eq!(asked.take(), 1);
        let limit = Duration::from_secs(60);
        let answers = |_| {
            asked.set(asked.get() + 1);
            std::future::ready(())
        };
        assert!(longest_of_two(limit, answers).await < limit);
        assert_eq!(asked.take(), 2);
    }

    #[test]
    fn an_app_that_answers_slowly_is_given_more_time() {
        let millis = |n| Duration::from_millis(n);
        assert_eq!([1, 9, 20, 39].map(|n| quiet_for(QUIET, millis(n))), [150, 150, 320, 624].map(millis));
    }
}
