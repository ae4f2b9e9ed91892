//! Accessible actions.

use crate::linux::atspi::bus::Unanswered;
use crate::linux::atspi::objects::ACTION;
use crate::linux::capture::probe::{self, click_action, expand_action};
use crate::linux::desktop::Desktop;
use crate::linux::input::deliveries::{by, withheld};
use crate::linux::input::last_look;
use crate::linux::input::ready::Ready;
use handeye_scene::{Code, Delivery, Guard, Problem, State};
use std::time::Duration;

/// How long an action may take to return; a modal dialog that it opens may keep it.
const ACTION_LIMIT: Duration = Duration::from_millis(1500);

pub(crate) async fn invoke(desktop: &mut Desktop, ready: &Ready, guard: &Guard) -> Result<Delivery, Problem> {
    let record = crate::record::Record {
        role: ready.role,
        interfaces: crate::record::Interfaces::named(["Action"].into_iter()),
        ..crate::record::Record::default()
    };
    let actions = probe::actions(&desktop.bus, &ready.place, &record).await;
    match click_action(&record, &actions) {
        Some(index) => act(desktop, ready, guard, index, &actions[index]).await,
        None => Err(Problem::new(
            Code::Unsupported,
            format!("{} {:?} has no action that stands for a click", ready.probe.role, ready.probe.name),
        )
        .hint("handeye click REF --method pointer")),
    }
}

pub(crate) async fn expand(desktop: &mut Desktop, ready: &Ready, guard: &Guard, on: bool) -> Result<Delivery, Problem> {
    // What has come to be so by itself would be turned back by an action that does both.
    if ready.probe.states.has(if on { State::Expanded } else { State::Collapsed }) {
        return Ok(by("itself"));
    }
    let record = crate::record::Record {
        role: ready.role,
        interfaces: crate::record::Interfaces::named(["Action"].into_iter()),
        ..crate::record::Record::default()
    };
    let actions = probe::actions(&desktop.bus, &ready.place, &record).await;
    match expand_action(&actions, on) {
        Some(index) => act(desktop, ready, guard, index, &actions[index]).await,
        None => Ok(withheld("refused", false, Some("it no longer opens or closes by itself".into()))),
    }
}

pub(crate) async fn act(
    desktop: &mut Desktop,
    ready: &Ready,
    guard: &Guard,
    index: usize,
    name: &str,
) -> Result<Delivery, Problem> {
    match last_look::name_now(desktop, ready).await {
        Ok(now) => {
            if let Some(delivery) = ready.otherwise(&now, guard) {
                return Ok(delivery);
            }
        }
        Err(Unanswered::Gone) if !desktop.bus.is_lost() => return Ok(withheld("detached", false, None)),
        Err(why) => return Err(desktop.unanswered(why, ready.tree.pid)),
    }
    desktop.gesture.acts_late = ready.tree.quirks.acts_late;
    let index = i32::try_from(index).unwrap_or_default();
    let done = desktop.bus.call_within(&ready.place, ACTION, "DoAction", &(index,), ACTION_LIMIT).await;
    match done.map(|answer| answer.body().deserialize::<bool>().unwrap_or(true)) {
        // An action that opens a modal dialog returns when that is closed: it was done.
        Ok(true) | Err(Unanswered::Late) => Ok(by(format!("the accessible action `{name}`"))),
        Ok(false) => Ok(withheld("refused", false, Some(format!("its action `{name}` wasn't taken")))),
        // What the action closes takes its answer with it.
        Err(Unanswered::Gone) => Ok(Delivery::Unseen),
        Err(other) => Err(desktop.unanswered(other, ready.tree.pid)),
    }
}
