//! The receipt of an action with nothing in it yet but its target.

use crate::act::Ask;
use crate::expect::{self, Check, Expectation};
use crate::locate::{self, Located, Locator};
use handeye_scene::{Matched, Probe, Receipt, Ref, Source, Target, Verdict};

pub(crate) fn blank(ask: &Ask, located: &Located, number: Ref, probe: &Probe, verdict: Verdict) -> Receipt {
    let target = Target {
        r#ref: number,
        role: probe.role.clone(),
        // What has no name is called by what it says.
        name: if probe.name.is_empty() { crate::outline::cut(&probe.texts.text, 80) } else { probe.name.clone() },
        value: Some(probe.texts.value.clone()).filter(|v| !v.is_empty()),
        states: probe.states,
        rect: probe.rect,
        document: probe.document,
        xpath: Some(probe.xpath.clone()),
        href: probe.href.clone(),
        source: Source::Native,
        native: Some(probe.id),
    };
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
                matches!(expect::check(&ask.expectation, None, probe), Check::Holds(fields) if !fields.is_empty())
            }
            _ => false,
        },
        actual_text: locate::actual(probe),
        tried: located.tried.clone(),
    });
    Receipt {
        action: ask.deed.past().into(),
        target: Some(target),
        matched,
        by: None,
        verdict,
        reason: None,
        evidence: Vec::new(),
        changes: Vec::new(),
        more_changes: 0,
        notices: Vec::new(),
        hints: Vec::new(),
    }
}
