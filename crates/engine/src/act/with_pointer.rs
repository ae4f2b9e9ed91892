//! What comes and goes with the pointer, with scrolling to what is pressed, or with what lost the focus, and not of a click.

use crate::act::action::Action;
use crate::act::mutations::proves_nothing;
use crate::act::outcome::Outcome;
use crate::observe::diff::Differences;
use crate::observe::memory::Memory;
use handeye_scene::{Cause, Evidence, Verdict};

/// Why it proves nothing of a click.
pub(super) const WHY: &str =
    "what changed came with the pointer, with scrolling there, or with what lost the focus, and not of the click";

/// Whether all that a click is seen to have changed was made before anything was pressed, or beside it.
pub(super) fn is_all(evidence: &[Evidence], outcome: &Outcome) -> bool {
    let moved = outcome.settled.moved;
    let stirred = outcome.stirred;
    let is_pressed =
        moved.by_input || stirred.set_by_input || stirred.mutations.iter().any(|m| m.cause == Cause::Input);
    let comes_so =
        |e: &Evidence| matches!(e, Evidence::Changes { .. } | Evidence::Mutated { .. } | Evidence::Requested { .. });
    matches!(outcome.action, Action::Click { .. })
        && moved.by_motion
        && !is_pressed
        && !moved.later
        && !evidence.is_empty()
        && evidence.iter().all(comes_so)
}

/// Whether all that looks show of a click came with the pointer, or goes on by itself: pages note in the press itself that there was
/// one, which says nothing of what else changed. `others`: what differs, and not by itself.
pub(super) fn is_beside(outcome: &Outcome, others: &Differences, memory: &Memory) -> bool {
    let stirred = outcome.stirred;
    if !matches!(outcome.action, Action::Click { .. }) || stirred.set_by_input || stirred.with_pointer.is_empty() {
        return false;
    }
    // A text that both say is said by neither alone.
    let both = stirred.with_pointer.union(&stirred.self_changing).copied().collect();
    !others.clone().without_noise(memory).is_empty() && others.clone().without(&both).without_noise(memory).is_empty()
}

/// The verdict by what else was seen than that: where it proves nothing, and there is no other reason.
pub(super) fn by_rest(
    rest: &[Evidence],
    judge: impl FnOnce(&[Evidence]) -> (Verdict, Option<String>),
) -> (Verdict, Option<String>) {
    let (verdict, reason) = judge(rest);
    let is_by_rest = verdict == Verdict::Unverifiable && reason.as_deref() == proves_nothing(rest);
    match verdict == Verdict::NoEffect || is_by_rest {
        true => (Verdict::Unverifiable, Some(WHY.to_owned())),
        false => (verdict, reason),
    }
}
