//! A target right before an event, while the server still serves its app.

use crate::linux::atspi::bus::{ACCESSIBLE, Unanswered};
use crate::linux::atspi::last_word::{self, LastWord, Target};
use crate::linux::capture::content_names;
use crate::linux::capture::labels;
use crate::linux::capture::names::named;
use crate::linux::capture::screen_place::{self, Standing};
use crate::linux::desktop::Desktop;
use crate::linux::geometry::contains;
use crate::linux::input::deliveries::withheld;
use crate::linux::input::patience::{self, Patience};
use crate::linux::input::ready::{self, Ready};
use crate::quirks::Hits;
use crate::record::{Interfaces, Record};
use handeye_scene::{Delivery, Guard, Point, Problem, Withheld};
use std::time::Duration;

/// How often an app that is busy over and over is asked what lies at a place.
const TRIES: u32 = 5;

/// A target at the last moment before a stroke.
pub(crate) enum Now {
    /// As it was meant, and there.
    As(Option<Standing>),
    Not(Delivery),
}

/// The target once more with the server free, and what lies over it: whatever its app did may have moved it, or something
/// over it. What a press opened may lie over it when the button is let go.
pub(crate) async fn at_rest(
    desktop: &Desktop,
    at: Point,
    (is_release, ready): (bool, &Ready),
    guard: &Guard,
    patience: &Patience,
) -> Result<Now, Problem> {
    let mut tries = 0;
    loop {
        let now = now(desktop, ready, guard, at).await?;
        if matches!(now, Now::Not(_)) || is_release {
            return Ok(now);
        }
        tries += 1;
        match ready::misses_at(desktop, at, Some(ready)).await? {
            None => return Ok(now),
            // An app that is busy again tells of nothing there.
            Some(Delivery::Withheld(Withheld { actual: None, .. })) if tries < TRIES => {
                if !patience::is_free(desktop, ready, patience).await {
                    return Ok(Now::Not(withheld("busy", false, None)));
                }
            }
            Some(delivery) => return Ok(Now::Not(delivery)),
        }
    }
}

/// Where the target is at the last moment, or what is in the way of a gesture, by as few calls as tell: another name, role or
/// place.
pub(crate) async fn now(desktop: &Desktop, ready: &Ready, guard: &Guard, at: Point) -> Result<Now, Problem> {
    let Ready { place, tree, .. } = ready;
    let seen = desktop.seen().await?;
    let record = Record { interfaces: Interfaces::named(["Component"].into_iter()), ..Record::default() };
    // The name comes last: it is the newest when the gesture is made.
    let standing = screen_place::standing(&desktop.bus, tree, &seen, place, &record).await;
    let (role, name) = futures_util::future::join(
        desktop.bus.ask::<_, u32>(place, ACCESSIBLE, "GetRole", &()),
        name_now(desktop, ready),
    )
    .await;
    let name = match (role, name) {
        (Ok(role), Ok(name)) if role == ready.role => name,
        (Ok(_), Ok(_)) | (Err(Unanswered::Gone), _) | (_, Err(Unanswered::Gone)) if !desktop.bus.is_lost() => {
            return Ok(Now::Not(withheld("detached", false, None)));
        }
        (Err(why), _) | (_, Err(why)) => return Err(desktop.unanswered(why, tree.pid)),
        _ => return Err(desktop.unanswered(Unanswered::Gone, tree.pid)),
    };
    if let Some(delivery) = ready.otherwise(&name, guard) {
        return Ok(Now::Not(delivery));
    }
    if standing.is_some_and(|s| contains(s.screen, at)) {
        return Ok(Now::As(standing));
    }
    // What a control is hit by may reach beyond what it tells.
    if standing.is_some() && tree.quirks.hits == Hits::Picks {
        return Ok(ready::misses_at(desktop, at, Some(ready)).await?.map_or(Now::As(standing), Now::Not));
    }
    Ok(Now::Not(withheld("miss", false, None)))
}

/// What a target is called now, by the rule that looks go by.
pub(crate) async fn name_now(desktop: &Desktop, ready: &Ready) -> Result<String, Unanswered> {
    if ready.parts.is_empty() {
        return desktop.bus.text_property(&ready.place, ACCESSIBLE, "Name").await;
    }
    Ok(named(&desktop.bus, &desktop.ids, &ready.place, ready.tree.quirks).await?.record.name)
}

/// The same at the last moment, with its states and place: see `atspi::last_word`. Of a name that is made of others these are
/// asked for.
pub(crate) async fn last_word(
    desktop: &Desktop,
    ready: &Ready,
    standing: Option<Standing>,
    limit: Duration,
    halt: &(dyn Fn() + Sync),
) -> Result<LastWord, Unanswered> {
    let quirks = ready.tree.quirks;
    let target = Target {
        at: &ready.place,
        parts: &ready.parts,
        pid: ready.tree.pid,
        // Where it is asked for the place again then, that tells.
        since: standing.map(|standing| standing.since).filter(|_| !quirks.places_held),
        tells_places: quirks.places_held,
        // It is told by its window.
        stands_still: quirks.stands_still && ready.tree.window.is_some(),
    };
    let last = last_word::last_word(&desktop.bus, &target, limit, halt).await?;
    let told = Record { role: ready.role, name: last.name, ..Record::default() };
    let is_labelled = !ready.parts.is_empty() && labels::says_choice(&told, quirks);
    let own = if is_labelled { String::new() } else { content_names::own(&told, quirks) };
    let name = if own.is_empty() { last.said.join(" ") } else { own };
    Ok(LastWord { name, ..last })
}
