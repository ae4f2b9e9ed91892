//! When an app that a gesture went to has answered: what listens for input there has done its work by then.

use crate::linux::atspi::bus::{ACCESSIBLE, Place};
use crate::linux::desktop::Desktop;
use crate::linux::settle::quiet;
use crate::linux::windows::window_list::Seen;
use std::time::{Duration, Instant};

/// How many of its turns an app is asked for: Qt answers the display in one, and passes its input on in the next.
const TURNS: usize = 2;
/// How long after an accessible action, or a key, that only begins a click that click comes: GTK takes 250 ms, Qt 100 ms
/// (`animateClick`).
const ACTS_LATE: Duration = Duration::from_millis(350);

/// Waits until the app has read what it was sent, and notes when it had answered after that, where it is known to listen and to
/// answer by one thread.
pub(crate) async fn await_answer(desktop: &mut Desktop, before: &[Seen], limit: Duration) {
    // One that answers nothing takes that long once, whatever it is asked.
    let until = Instant::now() + limit;
    let left = || until.saturating_duration_since(Instant::now());
    let acted_in = desktop.gesture.acted_in;
    let has_read = match acted_in {
        Some(window) => quiet::has_read(&desktop.display, window, left()).await,
        None => false,
    };
    if desktop.bus.change_log(|log| log.has_answered()) {
        return;
    }
    let pointed_in = desktop.gesture.pointed_in;
    let lies_there = |w: &&Seen| if acted_in.is_some() { Some(w.id) == acted_in } else { Some(w.top) == pointed_in };
    let Some(window) = before.iter().find(lies_there).cloned() else { return };
    let Some(app) = app_of(desktop, window.pid).await else { return };
    // It asks the display, and is asked by the bus, in the turns in which it deals with input.
    if !desktop.apps.quirks(&app.bus).is_some_and(|quirks| quirks.stands_still) {
        return;
    }
    // A menu doesn't say what it has read; another window of its app does.
    let asked = match window.popup {
        true => before.iter().find(|w| !w.popup && w.pid == window.pid),
        false => (!has_read && acted_in.is_none()).then_some(&window),
    };
    let has_read = match asked {
        Some(asked) => quiet::has_read(&desktop.display, asked.id, left()).await,
        None => has_read,
    };
    if has_read && answers(desktop, &app, until).await {
        let later = if desktop.gesture.acts_late { ACTS_LATE } else { Duration::ZERO };
        desktop.bus.change_log(|log| log.answered(&app.bus, Instant::now() + later));
    }
}

/// The app that the gesture went to.
async fn app_of(desktop: &mut Desktop, pid: u32) -> Option<Place> {
    match &desktop.gesture.acted_on {
        Some(app) => Some(app.clone()),
        // One that shows no tree tells of nothing either.
        None => desktop.apps_of(pid).await.ok()?.first().map(|app| app.root.clone()),
    }
}

/// Whether an app answers so often as to have dealt with all that it had read.
async fn answers(desktop: &Desktop, app: &Place, until: Instant) -> bool {
    for _ in 0..TURNS {
        let left = until.saturating_duration_since(Instant::now());
        if desktop.bus.call_within(app, ACCESSIBLE, "GetRole", &(), left).await.is_err() {
            return false;
        }
    }
    true
}
