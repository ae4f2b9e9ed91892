//! Effects that come late: what one action began may be seen only while the next one is looked at.

use crate::act::mutations::is_slight;
use crate::act::verdict;
use crate::observe::memory::{Effectless, Memory};
use crate::observe::outline::quote;
use handeye_scene::{Clock, Evidence, Mutated, Notice, Receipt, Surface, Target, Verdict};
use std::time::Duration;

/// So long after an action without effect, what changes in its document may still come of it.
const LATE: Duration = Duration::from_secs(3);

/// Least time between two looks, of a surface that never rests.
const BETWEEN: Duration = Duration::from_millis(100);

/// How long an effect is waited for after a gesture.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    until: Duration,
    looked: Duration,
    /// Whether what is looked at tells of no change.
    untold: bool,
    first: bool,
}

impl Patience {
    /// From now on, by the session's clock.
    pub fn new(clock: &dyn Clock, limit: Duration) -> Self {
        let now = clock.elapsed();
        Self { until: now + limit, looked: now.saturating_sub(BETWEEN), untold: false, first: true }
    }

    /// The same where what is looked at may change untold: then it is looked at all the while.
    #[must_use]
    pub fn untold(self, untold: bool) -> Self {
        Self { untold, ..self }
    }

    /// Whether the first look is still to come.
    pub fn is_first(&self) -> bool {
        self.first
    }

    /// Waits for a change; false when the time is over. What can't be waited for doesn't come.
    pub async fn comes_more(&mut self, surface: &mut dyn Surface, clock: &dyn Clock) -> bool {
        self.first = false;
        let left = |now: Duration| self.until.saturating_sub(now);
        let changed = match left(clock.elapsed()) {
            Duration::ZERO => false,
            left if self.untold => surface.changed(left.min(BETWEEN)).await.is_ok(),
            left => matches!(surface.changed(left).await, Ok(true)),
        };
        if !changed {
            return false;
        }
        let now = clock.elapsed();
        clock.sleep((self.looked + BETWEEN).saturating_sub(now).min(left(now))).await;
        self.looked = clock.elapsed();
        true
    }
}

/// Whether an effect that tells may still come: a receipt of none, of a state that isn't as asked for, or by evidence that says
/// nothing of what changed. Its `own` first evidence was known beforehand.
pub fn is_open(receipt: &Receipt, own: usize) -> bool {
    let evidence = &receipt.evidence[own..];
    match receipt.verdict {
        Verdict::NoEffect => true,
        Verdict::Contradicted => verdict::held_back(evidence).is_none() && !evidence.iter().any(is_unreached),
        Verdict::Confirmed => !evidence.is_empty() && evidence.iter().all(is_slight),
        // A page may read files before it sends them.
        Verdict::Unverifiable => receipt.reason.as_deref() == Some(verdict::EMPTIED) || evidence.iter().all(is_slight),
    }
}

fn is_unreached(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::Unreachable { .. })
}

impl Memory {
    /// Says in a receipt if what it goes by may come of the action before, of which nothing was seen. Its `own` first evidence was
    /// known beforehand. `in_events`: something changed inside the gesture's own events, which is no other's doing. `now`: the
    /// time, by the session's clock.
    pub fn doubt(&mut self, receipt: &mut Receipt, own: usize, in_events: bool, now: Duration) {
        let Some(target) = &receipt.target else { return };
        let before =
            self.effectless.take().filter(|b| b.document == target.document && now.saturating_sub(b.at) <= LATE);
        if let Some(before) = before
            && may_be_anyones(receipt, own, in_events, false)
        {
            let ago = now.saturating_sub(before.at).as_secs_f64();
            let text = format!("what changed may come of {} {ago:.1} s before, which had no effect then", before.words);
            receipt.notices.push(Notice::new("late", text));
        }
    }

    /// Notes an action of which nothing was seen that tells: what changes next may come of it.
    pub(super) fn note_effectless(&mut self, receipt: &Receipt, now: Duration) {
        let Some(target) = &receipt.target else { return };
        if matches!(receipt.verdict, Verdict::NoEffect | Verdict::Unverifiable) {
            self.effectless = Some(Effectless { words: words(receipt, target), document: target.document, at: now });
        }
    }
}

impl Memory {
    /// Whether something was done in the target's document so shortly before that this may still come of it. Notes that something
    /// was done now.
    pub(super) fn has_acted_before(&mut self, receipt: &Receipt, now: Duration) -> bool {
        let Some(target) = &receipt.target else { return false };
        let before = self.acted.replace((target.document, now));
        before.is_some_and(|(document, at)| document == target.document && now.saturating_sub(at) <= LATE)
    }
}

/// Whether a receipt is confirmed by what says nothing of what it came of alone. Its `own` first evidence was known beforehand, and
/// confirms nothing. `in_events`: something changed inside the gesture's own events, which is no other's doing. `led`: a script took
/// a frame elsewhere that it wasn't aimed at.
pub(super) fn may_be_anyones(receipt: &Receipt, own: usize, in_events: bool, led: bool) -> bool {
    let is_led = |e: &Evidence| led && matches!(e, Evidence::DocumentNavigated { .. });
    receipt.verdict == Verdict::Confirmed
        && !in_events
        && receipt.evidence.iter().skip(own).all(|e| is_anyones(e) || is_led(e))
}

/// Whether it moved the caret or selected something: a press does that itself, whatever listens.
pub(super) fn has_selected(receipt: &Receipt) -> bool {
    let by_press = |what: &[Mutated]| what.iter().any(|one| matches!(&*one.property, "caret" | "selection"));
    receipt.evidence.iter().any(|evidence| matches!(evidence, Evidence::Mutated { what, .. } if by_press(what)))
}

/// Whether evidence says nothing of what it came of.
fn is_anyones(evidence: &Evidence) -> bool {
    matches!(evidence, Evidence::Changes { .. } | Evidence::Mutated { .. } | Evidence::Requested { .. })
}

fn words(receipt: &Receipt, target: &Target) -> String {
    format!("[{}] {} {}, {}", target.r#ref.0, target.role, quote(target.words(), 60), receipt.action)
}
