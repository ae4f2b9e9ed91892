//! The last that an app tells of an object while the display is held, and whether it stands still then.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place, Unanswered};
use crate::linux::atspi::main_thread::Steps;
use crate::linux::atspi::objects::{COMPONENT, bits};
use std::time::{Duration, Instant};

/// How long an app may take until it stands still, or tells of what it changes before it does.
const STOPS: Duration = Duration::from_millis(2);
/// How often an app is asked on that was told to stop.
const ASKED_ON: usize = 3;
/// Extents of the screen, not of a window.
const OF_THE_SCREEN: u32 = 0;

/// What is asked about while the display is held.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) at: &'a Place,
    /// What its name is made of.
    pub(crate) parts: &'a [Place],
    /// The process of its app.
    pub(crate) pid: u32,
    /// How many events the app had sent when it was last asked for the place: what was told since may have moved it.
    pub(crate) since: Option<u64>,
    /// Whether the app tells places then.
    pub(crate) tells_places: bool,
    /// Whether it stands still once it is told that its window's state changed.
    pub(crate) stands_still: bool,
}

/// The last that an app told of an object before it stood still.
pub(crate) struct LastWord {
    /// What it is called by itself, and what the parts of its name say.
    pub(crate) name: String,
    pub(crate) said: Vec<String>,
    /// Its states.
    pub(crate) states: u64,
    /// Left, top, width, height; none where the app can't tell.
    pub(crate) extents: Option<(i32, i32, i32, i32)>,
    /// Whether the app doesn't answer because it does something.
    pub(crate) is_at_work: bool,
    /// Whether it told of no change meanwhile, and did nothing but answer.
    pub(crate) is_quiet: bool,
}

/// What an object is called, its states and where it is, the newest that there is before its app stands still: it is told to
/// stop (`quiesce`), and asked on until no answer comes. Where an object is some toolkits can't tell while the display is held.
///
/// An app that stands still by being told so sleeps once after each answer, and once more when it waits for the display.
/// Another number after any of them means that it did something else, which may be a change. The questions find it idle:
/// timers that come due while it deals with something would have their turn right after it, before the event that is sent.
pub(crate) async fn last_word(
    bus: &Bus,
    target: &Target<'_>,
    limit: Duration,
    halt: &(dyn Fn() + Sync),
) -> Result<LastWord, Unanswered> {
    let Target { at, parts, pid, since, tells_places, stands_still } = *target;
    let told = since.unwrap_or_else(|| bus.told_by(&at.bus));
    let asked = Instant::now();
    let left = || limit.saturating_sub(asked.elapsed());
    // What it told of before it answered this has come by then.
    bus.call_within(at, "org.freedesktop.DBus.Peer", "Ping", &(), left()).await?;
    let mut steps = Steps::begin(pid, STOPS).await;
    steps.wake();
    let states = states_within(bus, at, left()).await?;
    steps.step(STOPS).await;
    steps.wake();
    let extents = if tells_places { extents_within(bus, at, left()).await } else { None };
    if tells_places {
        steps.step(STOPS).await;
    }
    let mut said = Vec::with_capacity(parts.len());
    for part in parts {
        steps.wake();
        said.push(bus.name_within(part, left()).await?.trim().to_owned());
        steps.step(STOPS).await;
    }
    steps.wake();
    let mut name = bus.name_within(at, left()).await?;
    steps.step(STOPS).await;
    halt();
    let mut is_silent = false;
    for _ in 0..ASKED_ON {
        steps.wake();
        match bus.name_within(at, STOPS).await {
            Ok(newer) => name = newer,
            Err(Unanswered::Late) => {
                is_silent = true;
                break;
            }
            Err(why) => return Err(why),
        }
        // It may have got this before it heeds the stop.
        steps.step(STOPS).await;
    }
    steps.step(Duration::ZERO).await;
    // A timer that runs in the very turn in which it answers, or stops, lets it sleep no more often.
    let stands = is_silent && steps.are_all() && !steps.is_due();
    let is_at_work = is_silent && !steps.sleeps();
    // What can't be counted is taken at its word.
    let is_quiet = !is_at_work && (stands || !stands_still || !steps.are_told()) && bus.told_by(&at.bus) == told;
    Ok(LastWord { name, said, states, extents, is_at_work, is_quiet })
}

/// The states of an object, within a limit of its own.
async fn states_within(bus: &Bus, at: &Place, limit: Duration) -> Result<u64, Unanswered> {
    let answer = bus.call_within(at, ACCESSIBLE, "GetState", &(), limit).await?;
    let told: Vec<u32> = answer.body().deserialize().map_err(|_| Unanswered::Gone)?;
    Ok(bits(&told))
}

/// Where an object is, as its toolkit says, within a limit of its own: left, top, width, height.
async fn extents_within(bus: &Bus, at: &Place, limit: Duration) -> Option<(i32, i32, i32, i32)> {
    let answer = bus.call_within(at, COMPONENT, "GetExtents", &(OF_THE_SCREEN,), limit).await.ok()?;
    Some(answer.body().deserialize::<((i32, i32, i32, i32),)>().ok()?.0)
}
