//! How long nothing must happen for an app to be done with what a gesture began.
//!
//! What comes of a gesture takes several turns of the app, of the display and of the window manager. How long a turn is shows in
//! how long an answer takes: an app that is slow to answer, or on a machine under load, is given more time to show something.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place, Unanswered};
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

/// How long the longer of two questions took, which share the limit: an app that hangs is not asked again. None: it didn't answer
/// in time.
async fn longest_of_two<A: Future<Output = bool>>(limit: Duration, ask: impl Fn(Duration) -> A) -> Option<Duration> {
    let begun = Instant::now();
    let mut longest = Duration::ZERO;
    for _ in 0..2 {
        let asked = Instant::now();
        if !ask(limit.saturating_sub(begun.elapsed())).await {
            return None;
        }
        longest = longest.max(asked.elapsed());
    }
    Some(longest)
}

/// Waits until no event came for a while, `least` or longer, and the app answers at once: one that is putting a window
/// together does neither.
pub(crate) async fn wait_until_quiet(bus: &Bus, app: Option<&Place>, least: Duration, limit: Duration) -> Rest {
    // Its events came before its answer.
    wait_for_rest(|left| turn_of(bus, app, left), || bus.events().1, least, limit).await
}

/// The same by what tells how long a turn takes, within a limit, and when the last event came.
async fn wait_for_rest<A: Future<Output = Option<Duration>>>(
    turn_of: impl Fn(Duration) -> A,
    last_event: impl Fn() -> Option<Instant>,
    least: Duration,
    limit: Duration,
) -> Rest {
    let deadline = Instant::now() + limit;
    let left = || deadline.saturating_duration_since(Instant::now());
    let (mut begun, mut turn, mut busy, mut was_busy) = (Instant::now(), Duration::ZERO, false, false);
    while !left().is_zero() {
        let given = left();
        let took = turn_of(given).await.filter(|took| *took < AT_ONCE);
        // Less time than an app may take tells nothing new.
        busy = took.is_none() && (busy || given >= AT_ONCE);
        was_busy |= took.is_none();
        // What it was busy with is about to show.
        (begun, turn) = took.map_or_else(|| (Instant::now(), Duration::ZERO), |took| (begun, turn.max(took)));
        let since = last_event().filter(|l| *l > begun).unwrap_or(begun).elapsed();
        if took.is_some() && since >= quiet_for(least, turn) {
            return Rest::Quiet;
        }
        tokio::time::sleep(quiet_for(least, turn).saturating_sub(since).min(ASKED).min(left())).await;
    }
    let is_about_to_show = was_busy && begun.elapsed() < quiet_for(least, turn);
    if busy || is_about_to_show { Rest::Busy } else { Rest::Restless }
}

/// How long the app that was acted on takes for one turn; None where it doesn't answer within the limit. A question may come right
/// before its turn ends; the one that follows on the answer takes a whole one.
async fn turn_of(bus: &Bus, app: Option<&Place>, limit: Duration) -> Option<Duration> {
    let Some(app) = app else { return Some(Duration::ZERO) };
    longest_of_two(limit, move |left| async move {
        // Whether it is still there is for the look that follows to say.
        !matches!(bus.call_within(app, ACCESSIBLE, "GetRole", &(), left).await, Err(Unanswered::Late))
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
            async move {
                tokio::time::sleep(left).await;
                false
            }
        };
        assert_eq!(longest_of_two(limit, hangs).await, None);
        assert_eq!(asked.take(), 1);
        let limit = Duration::from_secs(60);
        let answers = |_| {
            asked.set(asked.get() + 1);
            std::future::ready(true)
        };
        assert!(longest_of_two(limit, answers).await < Some(limit));
        assert_eq!(asked.take(), 2);
    }

    #[tokio::test]
    async fn an_app_that_is_busy_at_the_end_of_the_wait_was_busy_however_little_time_was_left() {
        let least = Duration::from_millis(5);
        for limit in [45, 60, 79, 81, 95, 119].map(Duration::from_millis) {
            let never = |left| async move {
                std::thread::sleep(left);
                None
            };
            assert_eq!(wait_for_rest(never, || None, least, limit).await, Rest::Busy, "{limit:?}");
            let slow = |left: Duration| async move {
                std::thread::sleep(left.min(AT_ONCE));
                (left > AT_ONCE).then_some(AT_ONCE)
            };
            assert_eq!(wait_for_rest(slow, || None, least, limit).await, Rest::Busy, "{limit:?}");
            let first = std::cell::Cell::new(true);
            let answers_at_last = |left: Duration| {
                let hangs = first.take();
                async move {
                    std::thread::sleep(if hangs {
                        left.saturating_sub(Duration::from_millis(3))
                    } else {
                        Duration::ZERO
                    });
                    (!hangs).then_some(Duration::ZERO)
                }
            };
            assert_eq!(wait_for_rest(answers_at_last, || None, least, limit).await, Rest::Busy, "{limit:?}");
            let tells = || Some(Instant::now() + Duration::from_secs(60));
            let at_once = |_| std::future::ready(Some(Duration::ZERO));
            assert_eq!(wait_for_rest(at_once, tells, least, limit).await, Rest::Restless, "{limit:?}");
            let answers = |_| std::future::ready(Some(Duration::ZERO));
            let rest = wait_for_rest(answers, || None, Duration::ZERO, limit).await;
            assert_eq!(rest, Rest::Quiet, "{limit:?}");
        }
    }

    #[test]
    fn an_app_that_answers_slowly_is_given_more_time() {
        let millis = |n| Duration::from_millis(n);
        assert_eq!([1, 9, 20, 39].map(|n| quiet_for(QUIET, millis(n))), [150, 150, 320, 624].map(millis));
    }
}
