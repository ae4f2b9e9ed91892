//! What a guard says of a target, against what the target says now.

use handeye_scene::{Guard, Probe, Shown};

/// What the target says now, where that isn't what it is held to.
pub(crate) fn differs(guard: &Guard, probe: &Probe) -> Option<Shown> {
    let kept = guard.held.as_ref().is_none_or(|held| held.is_kept(probe));
    (!kept).then(|| Shown::named(probe.role.clone(), probe.name.clone()))
}
