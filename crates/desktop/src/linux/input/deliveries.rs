//! How a gesture ends.

use crate::linux::x11::server::Fault;
use handeye_scene::{Delivery, Problem, Shown, Withheld};

pub(crate) fn by(means: impl Into<String>) -> Delivery {
    Delivery::Delivered { holds: None, moved: None, by: Some(means.into()) }
}

pub(crate) fn withheld(reason: &str, partial: bool, detail: Option<String>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial, detail })
}

pub(crate) fn fault(e: Fault) -> Problem {
    e.problem("send input")
}

/// Something else would have been hit.
pub(crate) fn misses(actual: Option<Shown>) -> Delivery {
    Delivery::Withheld(Withheld { reason: "miss".into(), actual: actual.map(Box::new), partial: false, detail: None })
}

/// What is said where a target didn't come to have the keyboard.
pub(crate) fn no_keyboard() -> Delivery {
    withheld("miss", false, Some("it didn't take the keyboard".into()))
}
