//! The one loop through which every action goes, whatever it is aimed at: resolve, expect, ready, perform under guard, settle,
//! judge, receipt.

pub mod action;
mod aftermath;
mod attempt;
pub mod drawn;
mod drop;
pub(crate) mod empty_receipt;
pub mod filling;
mod focus;
mod formatted;
pub mod late_effects;
pub mod mutations;
mod outcome;
mod place;
mod presses;
mod put_back;
pub mod read_back;
mod ready;
mod region;
pub(crate) mod request;
mod same_target;
mod supported;
mod taken_back;
mod target;
pub mod verdict;
mod watched;
mod with_pointer;

use crate::act::attempt::{Act, Done, Tried};
use crate::act::request::{ActionRequest, AimedAt, Asked, Stopped};
use crate::locate::Locator;
use crate::observe::blocked;
use crate::observe::diff::Fingerprint;
use crate::observe::memory::Memory;
use handeye_scene::{Capture, Clock, Delivery, NativeId, Problem, Receipt, Surface, TargetRule, Want, Withheld};
use std::time::Duration;
pub use watched::place_of;

/// How often a gesture is tried that the guard stopped before anything reached the page.
const TRIES: u32 = 6;

/// Acts, and reports what came of it.
///
/// Nothing is done when the target can't be told, is gone ([`Code::Stale`]), isn't ready ([`Code::Blocked`]), or isn't as
/// expected (a receipt whose verdict is [`Verdict::Contradicted`]).
pub async fn act(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    clock: &dyn Clock,
    request: &ActionRequest,
) -> Result<Receipt, Problem> {
    act_under(surface, memory, clock, request, &[]).await.map_err(|stopped| stopped.problem)
}

/// The same under rules about targets ([`crate::policy::targets`]).
pub async fn act_under(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    clock: &dyn Clock,
    request: &ActionRequest,
    rules: &[TargetRule],
) -> Result<Receipt, Stopped> {
    let mut asks = None;
    let outcome = act_once(surface, memory, clock, (request, rules), &mut asks).await;
    outcome.map_err(|problem| Stopped { problem, asks })
}

async fn act_once(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    clock: &dyn Clock,
    (request, rules): (&ActionRequest, &[TargetRule]),
    asks: &mut Option<Asked>,
) -> Result<Receipt, Problem> {
    if let AimedAt::Target(locators) = &request.aim
        && let Some(native) = locators.iter().find_map(|l| numbered(memory, l))
    {
        surface.turn_to(native);
    }
    // Before the look: what comes of it is no effect of the keys. What may be denied is left where it is.
    let may_be_denied = !(rules.is_empty() && request.denied.is_empty());
    let focus_is_told = match request.aim {
        AimedAt::Focus if may_be_denied => surface.windows().is_none(),
        AimedAt::Focus => surface.take_keyboard().await?,
        _ => true,
    };
    let before = surface.capture(Want { compared: true, ..Want::default() }).await?;
    refuse_if_blocked(surface, &before)?;
    let now = Fingerprint::of(&before);
    memory.note_came_up(&now);
    memory.look(now);
    let deadline = Duration::ZERO;
    let mut act =
        Act { surface, memory, clock, request, rules, asks, before, focus_is_told, deadline, is_watched: false };
    let aimed = Aimed::resolve(&mut act).await?;
    act.deadline = clock.elapsed() + request.ready;
    let gestures = act.memory.gestures();
    let mut receipt = act.run(&aimed).await?;
    receipt.begun = receipt.action == request.action.verb() && act.memory.gestures() != gestures;
    receipt.notices.extend(act.memory.take_came_up());
    Ok(receipt)
}

/// The element that a locator names by number.
fn numbered(memory: &Memory, locator: &Locator) -> Option<NativeId> {
    match locator {
        Locator::Ref(number) => {
            let region = || Some(NativeId::new(memory.refs.region(*number)?.document, 0));
            memory.refs.get(*number).map(|known| known.native).or_else(region)
        }
        _ => None,
    }
}

/// A page that shows a dialog can't be acted on; the capture says so by a notice.
fn refuse_if_blocked(surface: &mut dyn Surface, before: &Capture) -> Result<(), Problem> {
    if before.nodes.is_empty() { blocked::check(surface) } else { Ok(()) }
}

/// What an action is aimed at, as far as that was found before it.
enum Aimed<'a> {
    Target(Box<target::OnTarget>),
    Region(Box<region::OnRegion>),
    Place(place::AtPlace<'a>),
    Focus(focus::AtFocus<'a>),
    Surface,
}

impl Aimed<'_> {
    async fn resolve<'r>(act: &mut Act<'r>) -> Result<Aimed<'r>, Problem> {
        Ok(match &act.request.aim {
            AimedAt::Target(locators) if let Some(known) = region::named(act.memory, locators) => {
                Aimed::Region(Box::new(region::OnRegion::resolve(act, known)?))
            }
            AimedAt::Target(locators) => Aimed::Target(Box::new(target::OnTarget::resolve(act, locators).await?)),
            AimedAt::Place(place) => Aimed::Place(place::AtPlace::resolve(act, place)?),
            AimedAt::Focus => Aimed::Focus(focus::AtFocus::Whatever),
            AimedAt::Filled { native, role, name } => Aimed::Focus(focus::AtFocus::Filled(*native, role, name)),
            AimedAt::Surface => Aimed::Surface,
        })
    }

    async fn attempt(&self, act: &mut Act<'_>) -> Result<Tried, Problem> {
        match self {
            Aimed::Target(target) => target.attempt(act).await,
            Aimed::Region(region) => region.attempt(act).await,
            Aimed::Place(place) => place.attempt(act).await,
            Aimed::Focus(focus) => focus.attempt(act).await,
            Aimed::Surface => act.on_surface().await,
        }
    }

    /// The receipt of a gesture that the guard stopped.
    fn withheld(&self, act: &mut Act<'_>, done: &Done, withheld: &Withheld) -> Receipt {
        match (self, &done.probe) {
            (Aimed::Target(target), Some(probe)) => target.withheld(act, probe, withheld),
            (Aimed::Region(region), _) => region.withheld(act, done, withheld),
            (Aimed::Focus(focus), _) => focus.withheld(act, done, withheld),
            (Aimed::Surface, _) => act.surface_withheld(withheld),
            _ => place::withheld(act, done, withheld),
        }
    }

    /// Whether what was stopped before anything reached the page is tried again: what it is meant for is known, and is held to
    /// what it says then.
    fn may_try_again(&self, request: &ActionRequest) -> bool {
        match self {
            Aimed::Target(_) | Aimed::Region(_) => true,
            Aimed::Place(_) => request.expectation != crate::Expectation::Any,
            Aimed::Focus(_) => matches!(request.expectation, crate::Expectation::Text(_)),
            Aimed::Surface => false,
        }
    }
}

impl Act<'_> {
    async fn run(&mut self, aimed: &Aimed<'_>) -> Result<Receipt, Problem> {
        let outcome = self.run_watched(aimed).await;
        if !self.is_watched {
            return outcome;
        }
        // Also after a refusal or an error: a page learns what changes by itself only while no gesture is under way.
        self.rest().await;
        let mut receipt = outcome?;
        receipt.notices.extend(self.surface.notices());
        Ok(receipt)
    }

    async fn run_watched(&mut self, aimed: &Aimed<'_>) -> Result<Receipt, Problem> {
        let mut tries = 0;
        loop {
            tries += 1;
            let done = match aimed.attempt(self).await? {
                Tried::Done(done) => *done,
                Tried::Answer(receipt) => return Ok(*receipt),
            };
            let Delivery::Withheld(withheld) = &done.delivery else { return self.judge(done).await };
            if withheld.reason == Withheld::FORBIDDEN {
                let _ = self.surface.settle(self.request.settle).await;
                return Err(crate::policy::targets::withheld(withheld));
            }
            // What lies elsewhere in the target now isn't what the place was chosen for.
            let reached_nothing = !withheld.partial && !matches!(withheld.reason.as_str(), "refused" | "shifted");
            if reached_nothing
                && aimed.may_try_again(self.request)
                && tries < TRIES
                && self.clock.elapsed() < self.deadline
            {
                continue;
            }
            if !reached_nothing || !matches!(aimed, Aimed::Target(_)) {
                // What was withheld is told even if the page can't be asked any more.
                let _ = self.surface.settle(self.request.settle).await;
            }
            return Ok(aimed.withheld(self, &done, withheld));
        }
    }
}
