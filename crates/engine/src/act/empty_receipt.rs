//! The receipt of an action with nothing in it yet but its target, and why one wasn't done or can't be vouched for.

use crate::act::request::ActionRequest;
use crate::locate::{self, Located, Locator};
use crate::matching::{self, Check, Expectation};
use crate::wording::targets::called;
use handeye_scene::{EditKind, Mask, Matched, Probe, Receipt, Ref, Shown, Target, Verdict, Withheld};

pub(crate) fn empty_receipt(
    request: &ActionRequest,
    located: &Located,
    (number, probe): (Ref, &Probe),
    verdict: Verdict,
    mask: &Mask,
) -> Receipt {
    let mut target = Target::of(probe, number);
    if target.name.is_empty() && target.text.is_none() && probe.edit == EditKind::None {
        // What has no name is called by what it says, on surfaces that don't tell of that by itself too.
        target.text = Some(crate::observe::outline::cut(&probe.texts.text, 80)).filter(|text| !text.is_empty());
    }
    let by_number = matches!(located.used, Locator::Ref(_)) && located.tried.is_empty();
    let stated = matches!(&request.expectation, Expectation::Text(_));
    let matched = (!by_number || stated).then(|| Matched {
        used: located.used.words(),
        used_xpath: match &located.used {
            Locator::Xpath(x) => Some(x.clone()),
            _ => None,
        },
        verified: match &request.expectation {
            Expectation::Text(_) => {
                matches!(matching::check(&request.expectation, None, probe, mask), Check::Holds(fields) if !fields.is_empty())
            }
            _ => false,
        },
        actual_text: locate::actual(probe),
        tried: located.tried.clone(),
    });
    Receipt { target: Some(target), matched, ..Receipt::new(request.action.past(), verdict) }
}

/// Why, and how far, the guard stopped a gesture, in words.
pub(crate) fn why_withheld(withheld: &Withheld, probe: &Probe) -> String {
    let found = found(withheld);
    let why = match withheld.reason.as_str() {
        "miss" | "denied" => "the events would have hit something else",
        "misplaced" => "the press would have come to another place of it than it was aimed at",
        "shifted" => "what lay at that place of it was scrolled or moved away",
        "relabelled" => what_changed(withheld, probe),
        "detached" => "the target was removed",
        "disabled" => "the target was disabled",
        "inert" => "the target is inert, or behind a modal dialog",
        "refused" => "the control doesn't take it",
        "busy" => "the app was too busy to say what it shows",
        "cut off" => "it was cut off on the way",
        "broken" => "the page keeps it from being checked inside the events",
        "untold" => "the page kept the rest of it from being seen, so that nobody can say what got it",
        "unclicked" => "the page took it out between press and release, so that no click came of them",
        other => other,
    };
    let how_far = if withheld.partial { "begun and then withheld" } else { "withheld" };
    let detail = withheld.detail.as_ref().map(|d| format!(": {d}")).unwrap_or_default();
    format!("{how_far}: {why}{found}{detail}")
}

/// What was found in place of what was meant.
fn found(withheld: &Withheld) -> String {
    let words = |a: &Shown| format!(", found {}", called(&a.role, a.words()));
    withheld.actual.as_deref().map(words).unwrap_or_default()
}

fn what_changed(withheld: &Withheld, probe: &Probe) -> &'static str {
    let same_label = withheld.actual.as_ref().is_some_and(|a| matching::same_name(a, &probe.role, &probe.name));
    if same_label {
        "what it shows, the row it is in or where it leads changed"
    } else {
        "the target changed what it says"
    }
}

/// What is said of a gesture that listeners of the page got before the target was relabelled.
pub(crate) fn why_overtaken(withheld: &Withheld, probe: &Probe) -> String {
    let got = match withheld.reason.as_str() {
        "answered" => {
            let found = found(withheld);
            return format!("begun, and the page changed the target in answer{found}: the rest was withheld");
        }
        "intercepted" => "delivered to a listener on the way to the target, which didn't get it",
        _ => "delivered, and kept from what else listens there",
    };
    format!("{got}: {}{}", what_changed(withheld, probe), found(withheld))
}
