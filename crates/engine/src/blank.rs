//! The receipt of an action with nothing in it yet but its target.

use crate::act::Ask;
use crate::expect::{self, Check, Expectation};
use crate::locate::{self, Located, Locator};
use crate::mask::Mask;
use handeye_scene::{Matched, Probe, Receipt, Ref, Target, Verdict};

pub(crate) fn blank(
    ask: &Ask,
    located: &Located,
    (number, probe): (Ref, &Probe),
    verdict: Verdict,
    mask: &Mask,
) -> Receipt {
    let mut target = Target::of(probe, number);
    if target.name.is_empty() {
        // What has no name is called by what it says.
        target.name = crate::outline::cut(&probe.texts.text, 80);
    }
    let by_number = matches!(located.used, Locator::Ref(_)) && located.tried.is_empty();
    let stated = matches!(&ask.expectation, Expectation::Text(_));
    let matched = (!by_number || stated).then(|| Matched {
        used: located.used.words(),
        used_xpath: match &located.used {
            Locator::Xpath(x) => Some(x.clone()),
            _ => None,
        },
        verified: match &ask.expectation {
            Expectation::Text(_) => {
                matches!(expect::check(&ask.expectation, None, probe, mask), Check::Holds(fields) if !fields.is_empty())
            }
            _ => false,
        },
        actual_text: locate::actual(probe),
        tried: located.tried.clone(),
    });
    Receipt { target: Some(target), matched, ..Receipt::new(ask.deed.past(), verdict) }
}
