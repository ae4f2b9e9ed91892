//! How a gesture ends.

use crate::windows::calls::Fault;
use crate::windows::capture::tree::Done;
use handeye_scene::{Delivery, Problem, Shown, Withheld};

pub(crate) fn by(means: impl Into<String>) -> Delivery {
    Delivery::Delivered { holds: None, moved: None, by: Some(means.into()) }
}

pub(crate) fn withheld(reason: &str, detail: Option<String>) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial: false, detail })
}

/// Something else would have been hit.
pub(crate) fn misses(actual: Option<Shown>) -> Delivery {
    Delivery::Withheld(Withheld { reason: "miss".into(), actual: actual.map(Box::new), partial: false, detail: None })
}

/// The same of what had begun.
pub(crate) fn partly(reason: &str, detail: String) -> Delivery {
    Delivery::Withheld(Withheld { reason: reason.into(), actual: None, partial: true, detail: Some(detail) })
}

pub(crate) fn unsent(fault: Fault) -> Problem {
    fault.problem("send input")
}

pub(crate) fn relabelled(actual: Shown) -> Delivery {
    let reason = "relabelled".to_owned();
    Delivery::Withheld(Withheld { reason, actual: Some(Box::new(actual)), partial: false, detail: None })
}

pub(crate) fn told(done: Done) -> Delivery {
    match done {
        Done::By(means) => by(means),
        Done::Not(why) => withheld("refused", Some(why)),
    }
}
