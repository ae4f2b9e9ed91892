//! What a page takes back soon after it was done: a switch that is set back, a value that is put back when a request failed. It
//! is watched for only where something is still to come of the gesture's events.

use crate::act::action::Action;
use crate::act::late_effects::Patience;
use crate::observe::outline::quote;
use handeye_scene::{Change, Clock, Evidence, Notice, Receipt, Ref, States, Surface, Verdict};
use std::time::Duration;

/// So long after an action what it changed may be taken back.
const SOON: Duration = Duration::from_millis(500);

/// What is said of the focus.
const FOCUS: &str = "the focus";

/// What an action changed of controls.
pub(super) struct Kept {
    held: Vec<Held>,
    patience: Patience,
    /// Whether it was looked at once the time was over.
    looked_last: bool,
}

/// One state or value of a control.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    number: Option<Ref>,
    property: String,
    from: String,
    to: String,
}

impl Kept {
    /// What a receipt is confirmed by that can be taken back; none where it is by nothing of that kind. It is watched for no
    /// longer than `limit`. That the target got the focus counts where that was what was asked for.
    pub(super) fn of(receipt: &Receipt, action: &Action, clock: &dyn Clock, limit: Duration) -> Option<Self> {
        let mut held = held_by(receipt);
        if !matches!(action, Action::Focus) {
            held.retain(|one| one.property != FOCUS);
        }
        let is_kept = receipt.verdict == Verdict::Confirmed && !held.is_empty() && !limit.is_zero();
        is_kept.then(|| Self { held, patience: Patience::new(clock, SOON.min(limit)), looked_last: false })
    }

    /// Waits for a change; false when the time is over, and it was looked at since: that a script sets a value tells nobody.
    pub(super) async fn comes_more(&mut self, surface: &mut dyn Surface, clock: &dyn Clock) -> bool {
        self.patience.comes_more(surface, clock).await || !std::mem::replace(&mut self.looked_last, true)
    }

    /// Says in a later receipt what was taken back; whether anything was.
    pub(super) fn tell(&self, later: &mut Receipt) -> bool {
        let now = held_by(later);
        let is_back = |one: &&Held| !now.iter().any(|n| (n.number, &n.property) == (one.number, &one.property));
        let back: Vec<String> = self.held.iter().filter(is_back).map(Held::words).collect();
        if back.is_empty() {
            return false;
        }
        let text = format!("the page took back what had changed: {}", back.join("; "));
        match later.verdict {
            Verdict::NoEffect | Verdict::Unverifiable => {
                (later.verdict, later.reason) = (Verdict::Unverifiable, Some(text));
                later.hints.push("handeye state".into());
            }
            _ => later.notices.push(Notice::new("taken_back", text)),
        }
        true
    }
}

impl Held {
    fn words(&self) -> String {
        let number = self.number.map_or_else(String::new, |number| format!("[{}] ", number.0));
        format!("{number}{} {} → {}", self.property, quote(&self.from, 60), quote(&self.to, 60))
    }
}

/// Whether a receipt may say what a control holds: of what isn't listed nobody knows. A click alone may prove something else.
pub(super) fn says_what_is_held(receipt: &Receipt, action: &Action) -> bool {
    let is_added = |change: &Change| match change {
        Change::Added { target } => target.value.is_some() || target.states != States::default(),
        _ => false,
    };
    !matches!(action, Action::Click { .. })
        || receipt.more_changes > 0
        || receipt.changes.iter().any(is_added)
        || held_by(receipt).iter().any(|held| held.property != FOCUS)
}

/// The states and values of controls that a receipt tells of as changed.
fn held_by(receipt: &Receipt) -> Vec<Held> {
    let own = receipt.target.as_ref().map(|target| target.r#ref);
    let mut held = Vec::new();
    for change in &receipt.changes {
        if let Change::Changed { r#ref, property, from, to } = change
            && matches!(property.as_str(), "states" | "value")
        {
            held.push(Held { number: Some(*r#ref), property: property.clone(), from: from.clone(), to: to.clone() });
        }
    }
    for evidence in &receipt.evidence {
        match evidence {
            Evidence::Property { property, from, to } => {
                held.push(Held { number: own, property: property.clone(), from: from.clone(), to: to.clone() });
            }
            Evidence::Focused => {
                held.push(Held { number: own, property: FOCUS.into(), from: "elsewhere".into(), to: "here".into() });
            }
            Evidence::Mutated { what, .. } => {
                held.extend(what.iter().filter(|one| is_state(&one.property)).map(|one| Held {
                    number: one.r#ref,
                    property: one.property.clone(),
                    from: one.from.clone(),
                    to: one.to.clone(),
                }))
            }
            _ => {}
        }
    }
    held
}

/// Whether an attribute says what a control is.
fn is_state(property: &str) -> bool {
    const STATES: [&str; 8] = ["checked", "disabled", "hidden", "open", "readonly", "selected", "value", "data-state"];
    property.starts_with("aria-") && property != "aria-busy" || STATES.contains(&property)
}
