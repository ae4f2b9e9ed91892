//! The wait for what comes of a gesture.

use crate::linux::capture::sorted_tables;
use crate::linux::desktop::Desktop;
use crate::linux::settle::answered;
use crate::linux::settle::outcome::{self, Begun, without};
use crate::linux::settle::quiet::{self, CLOSED, QUIET, Rest};
use crate::linux::x11::pending_windows::COMING;
use handeye_scene::{Problem, Settled};
use std::time::{Duration, Instant};

/// How long the dialog may take that three dots in a label promise, as every toolkit's guidelines have it.
const DIALOG: Duration = Duration::from_secs(4);
/// How often one that is promised is looked for at least, and one that is about to come up.
const PROMISED: Duration = Duration::from_millis(150);
const LOOK: Duration = Duration::from_millis(20);
/// How long an app may take to read its input before it is judged by what it shows.
const PING: Duration = Duration::from_secs(2);

/// Waits until the app that was acted on is done, and tells what came of it.
pub(crate) async fn settle(desktop: &mut Desktop, limit: Duration) -> Result<Settled, Problem> {
    let Some(Begun { seen: before, told, known }) = desktop.gesture.begun.clone() else {
        let rest = quiet::wait_until_quiet(&desktop.bus, desktop.gesture.acted_on.as_ref(), QUIET, limit).await;
        return Ok(Settled { quiet: rest == Rest::Quiet, ..Settled::default() });
    };
    let acted_in = desktop.gesture.acted_in;
    answered::await_answer(desktop, &before, limit.min(PING)).await;
    // What comes of a menu's item comes once the menu is closed.
    let acted = acted_in.and_then(|window| before.iter().find(|w| w.id == window && !w.popup));
    let least = match acted {
        Some(window) if desktop.seen().await?.iter().all(|w| w.id != window.id) => CLOSED,
        _ => QUIET,
    };
    let mut rest = quiet::wait_until_quiet(&desktop.bus, desktop.gesture.acted_on.as_ref(), least, limit).await;
    let mut after = desktop.seen().await?;
    let promised = std::mem::take(&mut desktop.gesture.promises);
    let deadline = Instant::now() + if promised { DIALOG } else { COMING };
    let mut waited = promised;
    while without(&after, &before).next().is_none()
        && (promised || quiet::is_any_coming_since(&desktop.display, &known, acted_in).await?)
        && Instant::now() < deadline
    {
        desktop.bus.next_event(if promised { PROMISED } else { LOOK }).await;
        after = desktop.seen().await?;
        waited = true;
    }
    if waited {
        rest = quiet::wait_until_quiet(&desktop.bus, desktop.gesture.acted_on.as_ref(), QUIET, limit).await;
        after = desktop.seen().await?;
    }
    sorted_tables::check(desktop).await;
    let pid = acted_in.and_then(|window| before.iter().find(|w| w.id == window)).map(|w| w.pid).filter(|p| *p > 0);
    let events = outcome::came_and_went(&mut desktop.notices, pid, &before, &after);
    let moved = outcome::has_moved(&desktop.bus, desktop.gesture.acted_on.as_ref(), &told);
    Ok(Settled { events, moved, quiet: rest == Rest::Quiet, busy: rest == Rest::Busy, ..Settled::default() })
}
