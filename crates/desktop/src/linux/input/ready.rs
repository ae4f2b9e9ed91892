//! The target of a gesture, looked at right before it.

use crate::guard::differs;
use crate::linux::atspi::bus::{Place, Unanswered};
use crate::linux::atspi::ids::Tree;
use crate::linux::capture::cells;
use crate::linux::capture::names::named;
use crate::linux::capture::probe;
use crate::linux::capture::reach;
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::{by, fault, misses, withheld};
use crate::linux::windows::relations::as_cover;
use crate::linux::x11::xtest::Sent;
use handeye_scene::{Aim, Delivery, Guard, Point, Probe, Problem, Shown, Withheld};
use x11rb::protocol::xproto::Window;

/// A target that a gesture may be made on: looked at just now, and as the guard wants it.
pub(crate) struct Ready {
    pub(crate) probe: Probe,
    pub(crate) place: Place,
    pub(crate) tree: Tree,
    pub(crate) role: u32,
    /// Its name as the app tells it.
    pub(crate) told: String,
    /// What that is made of, where it has none of its own.
    pub(crate) parts: Vec<Place>,
    /// Whether it is shown, by its states.
    pub(crate) shows: bool,
}

impl Ready {
    /// What keeps a gesture from a target that is called so now, if something does.
    pub(crate) fn otherwise(&self, raw: &str, guard: &Guard) -> Option<Delivery> {
        let now = crate::quirks::name(raw, self.tree.quirks);
        if now == self.told {
            return None;
        }
        let mut probe = Probe { name: now.clone(), ..self.probe.clone() };
        if probe.texts.text == self.probe.name {
            probe.texts.text.clone_from(&now);
        }
        probe.said = self.probe.said.as_ref().map(|_| handeye_scene::Said { text: now, cut: false });
        let actual = differs(guard, &probe)?;
        let reason = "relabelled".to_owned();
        Some(Delivery::Withheld(Withheld { reason, actual: Some(Box::new(actual)), partial: false, detail: None }))
    }
}

/// The guard's target as it is now, if it is what the guard says.
pub(crate) async fn ready(desktop: &mut Desktop, guard: &Guard) -> Result<Result<Option<Ready>, Delivery>, Problem> {
    let Some(id) = guard.target else { return Ok(Ok(None)) };
    let Some(known) = desktop.ids.get(id).cloned() else { return Ok(Err(withheld("detached", false, None))) };
    let tree = desktop.tree_of(id)?;
    let place = match cells::resolve(&desktop.bus, &known.place).await {
        Ok(place) => place,
        Err(Unanswered::Gone) if !desktop.bus.is_lost() => return Ok(Err(withheld("detached", false, None))),
        Err(why) => return Err(desktop.unanswered(why, tree.pid)),
    };
    // Before the look: what it is called later is compared with this.
    let (told, parts, shows) = match named(&desktop.bus, &desktop.ids, &place, tree.quirks).await {
        Ok(named) => (named.record.name.clone(), named.parts, named.record.shows(tree.quirks)),
        Err(Unanswered::Gone) if !desktop.bus.is_lost() => return Ok(Err(withheld("detached", false, None))),
        Err(why) => return Err(desktop.unanswered(why, tree.pid)),
    };
    let Some(probe) = probe::examine(desktop, id, Aim::default()).await? else {
        return Ok(Err(withheld("detached", false, None)));
    };
    if let Some(actual) = differs(guard, &probe) {
        let reason = "relabelled".to_owned();
        return Ok(Err(Delivery::Withheld(Withheld {
            reason,
            actual: Some(Box::new(actual)),
            partial: false,
            detail: None,
        })));
    }
    let told = crate::quirks::name(&told, tree.quirks);
    Ok(Ok(Some(Ready { probe, place, tree, role: known.role, told, parts, shows })))
}

/// The child of the root that input at a place must hit: the target's window, or whatever is there without a target.
pub(crate) async fn expected_at(
    desktop: &mut Desktop,
    at: Point,
    ready: Option<&Ready>,
) -> Result<Option<Window>, Problem> {
    match ready {
        None => {
            let top = desktop.display.run(move |side| side.server.top_at(at)).await.map_err(fault)?;
            Ok(top.filter(|top| desktop.gesture.held_to.is_empty() || desktop.gesture.held_to.contains(top)))
        }
        Some(ready) => reach::window_at(desktop, at, &ready.tree, (&ready.place, ready.role)).await,
    }
}

/// What keeps the pointer from the target at a place, within its window: something that lies over it there.
pub(crate) async fn misses_at(
    desktop: &Desktop,
    at: Point,
    ready: Option<&Ready>,
) -> Result<Option<Delivery>, Problem> {
    let Some(Ready { tree, place, role, .. }) = ready else { return Ok(None) };
    let instead = reach::hit_instead(desktop, at, tree, (place, *role)).await?;
    Ok(instead.map(|cover| misses(cover.map(|c| Shown::named(c.role, c.name)))))
}

pub(crate) async fn answer(desktop: &mut Desktop, sent: Sent, means: &str) -> Result<Delivery, Problem> {
    let there = match sent {
        Sent::Yes => return Ok(by(means)),
        Sent::Elsewhere(there) => there,
        Sent::Stopped => None,
    };
    let seen = desktop.seen().await?;
    let actual = there.and_then(|t| seen.iter().find(|w| w.top == t || w.id == t)).map(|window| {
        let cover = as_cover(window);
        Shown::named(cover.role, cover.name)
    });
    Ok(misses(actual))
}
