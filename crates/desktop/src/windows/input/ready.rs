//! The target of a gesture, looked at right before it.

use crate::guard::differs;
use crate::windows::calls::{self, Fault, problem};
use crate::windows::capture::probe;
use crate::windows::capture::tree::{Hit, Tree};
use crate::windows::desktop::Desktop;
use crate::windows::input::deliveries::{misses, relabelled, withheld};
use crate::windows::input::hold;
use crate::windows::records::ids::Key;
use crate::windows::records::window_list::{Handle, Seen};
use handeye_scene::{Aim, Delivery, Guard, Point, Probe, Problem, Shown};

/// A target that a gesture may be made on: looked at just now, and as the guard wants it.
pub(crate) struct Ready {
    pub(crate) probe: Probe,
    pub(crate) window: Seen,
    pub(crate) key: Key,
    /// What it said just before it was looked at, by one question.
    pub(crate) told: Option<String>,
    /// Where it is a button of Windows' own.
    pub(crate) own: Option<Own>,
}

/// A button of Windows' own.
pub(crate) struct Own {
    pub(crate) handle: Handle,
    /// Its text as the system keeps it, when it was looked at.
    pub(crate) text: String,
}

impl Own {
    pub(crate) fn of(handle: Handle) -> Self {
        Self { handle, text: calls::caption(handle) }
    }
}

impl Ready {
    /// What keeps a gesture from a target that says so now, if something does.
    pub(crate) fn otherwise(&self, says: String, guard: &Guard) -> Option<Delivery> {
        let mut probe = Probe { name: says.clone(), ..self.probe.clone() };
        if probe.texts.text == self.probe.name {
            probe.texts.text.clone_from(&says);
        }
        if let Some(said) = &mut probe.said {
            said.text = says;
        }
        differs(guard, &probe).map(relabelled)
    }
}

/// The guard's target as it is now, if it is what the guard says and takes input.
pub(crate) fn ready(desktop: &mut Desktop, guard: &Guard) -> Result<Result<Option<Ready>, Delivery>, Problem> {
    let ready = as_wanted(desktop, guard)?;
    Ok(match ready {
        Ok(Some(ready)) if !ready.probe.enabled => Err(match ready.probe.behind {
            Some(dialog) => misses(Some(Shown::named(dialog.role, dialog.name))),
            None => withheld("disabled", None),
        }),
        other => other,
    })
}

/// The guard's target as it is now, if it is what the guard says.
pub(crate) fn as_wanted(desktop: &mut Desktop, guard: &Guard) -> Result<Result<Option<Ready>, Delivery>, Problem> {
    let Some(id) = guard.target else { return Ok(Ok(None)) };
    let gone = || Ok(Err(withheld("detached", None)));
    let Some((window, key)) = desktop.found(id) else { return gone() };
    // Before the look: what it says later is compared with this.
    let own = desktop.tree.own_button(&key).map(Own::of);
    let told = match desktop.tree.says(&window, &key, None) {
        Err(Fault::Gone) => None,
        told => told.map_err(problem("ask what it says"))?,
    };
    let Some(probe) = probe::examine(desktop, id, Aim::default())? else { return gone() };
    if let Some(actual) = differs(guard, &probe) {
        return Ok(Err(relabelled(actual)));
    }
    let Some((window, key)) = desktop.found(id) else { return gone() };
    Ok(Ok(Some(Ready { probe, window, key, told, own })))
}

/// What is in the way of input at a place: without a target, and a window that it is held to, nothing is.
pub(crate) fn misses_at(desktop: &mut Desktop, at: Point, ready: Option<&Ready>) -> Result<Option<Delivery>, Problem> {
    if let Some(delivery) = hold::strays(desktop, at) {
        return Ok(Some(delivery));
    }
    let Some(ready) = ready else { return Ok(None) };
    let hit = desktop.tree.hit(&ready.window, &ready.key, at).map_err(problem("tell what is there"))?;
    Ok(match hit {
        Hit::Own => None,
        Hit::Other(cover) => Some(misses(cover.map(|c| Shown::named(c.role, c.name)))),
    })
}

/// What is in the way at the last moment: something else under the pointer, or other words. The words come last: they are
/// the newest.
pub(crate) fn differs_now(
    desktop: &mut Desktop,
    ready: &Ready,
    guard: &Guard,
    at: Option<Point>,
) -> Result<Option<Delivery>, Problem> {
    if let Some(at) = at
        && let Some(delivery) = misses_at(desktop, at, Some(ready))?
    {
        return Ok(Some(delivery));
    }
    let Some(before) = &ready.told else { return Ok(None) };
    match desktop.tree.says(&ready.window, &ready.key, at) {
        Ok(Some(now)) if now == *before => Ok(None),
        Ok(Some(now)) => Ok(ready.otherwise(now, guard)),
        Ok(None) | Err(Fault::Gone) => Ok(Some(withheld("detached", None))),
        Err(fault) => Err(fault.problem("look at it once more")),
    }
}
