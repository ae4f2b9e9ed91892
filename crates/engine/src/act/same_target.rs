//! Whether the target still is the one that is meant: by what it says, its row, and where it leads.

use crate::act::action::Action;
use crate::act::attempt::Act;
use crate::act::target::OnTarget;
use crate::locate;
use crate::matching::{self, Check, Expectation};
use handeye_scene::{Probe, Problem, Receipt, Shown, Verdict, Want};

impl OnTarget {
    pub(super) async fn expect(&self, act: &mut Act<'_>, probe: &Probe) -> Result<Option<Receipt>, Problem> {
        let mut meant = &act.request.expectation;
        let mut check = matching::check(meant, self.located.shown.as_ref(), probe, &act.memory.mask);
        if check == Check::Unverifiable && act.request.act_on_unverifiable {
            // What can't be compared with the words is held to what was shown of it.
            meant = &Expectation::LastShown;
            check = matching::check(meant, self.located.shown.as_ref(), probe, &act.memory.mask);
        }
        let actual = match check {
            Check::Holds(_) => return Ok(None),
            Check::Unverifiable => {
                let mut receipt = self.refusal(act, probe, Verdict::Unverifiable);
                receipt.reason = Some(format!(
                    "not {}: {} has no text that could be checked against the expectation",
                    act.request.action.past(),
                    self.name(act, probe)
                ));
                receipt.hints = vec![
                    format!("handeye {} {} --expect-any", act.request.action.verb(), self.located.used.words()).into(),
                ];
                return Ok(Some(receipt));
            }
            Check::Fails { actual } => actual,
        };
        let mut receipt = self.refusal(act, probe, Verdict::Contradicted);
        let wanted = match (meant, &self.located.shown) {
            (Expectation::Text(text), _) => text.clone(),
            (_, Some(shown)) => shown.words().to_owned(),
            _ => String::new(),
        };
        receipt.reason = Some(match (meant, &self.located.shown) {
            (Expectation::LastShown, Some(shown)) => format!(
                "not {}: you were last shown {} {}; it is now {} {}",
                act.request.action.past(),
                shown.role,
                crate::observe::outline::quote(self.differing(shown, probe), 80),
                probe.role,
                crate::observe::outline::quote(&actual, 80)
            ),
            _ => format!(
                "not {}: expected text {}, found {}",
                act.request.action.past(),
                crate::observe::outline::quote_own(&wanted, 80),
                crate::observe::outline::quote(&actual, 80)
            ),
        });
        if let (Expectation::Text(_), Some(said)) = (meant, matching::in_row(probe, &wanted, &act.memory.mask)) {
            let text = format!(
                "its row says {}; --expect is compared with what the target says itself",
                crate::observe::outline::quote(said, 80)
            );
            receipt.evidence.push(handeye_scene::Evidence::Note { text });
            // Without it, the row is held to what was last shown.
            if matches!(act.request.action, Action::Click { .. } | Action::Check(_) | Action::Expand(_) | Action::Hover)
            {
                let again = format!("handeye {} {}", act.request.action.verb(), self.located.used.words());
                receipt.hints.push(again.into());
            }
        }
        let capture = act.surface.capture(Want::default()).await?;
        for (number, words) in locate::showing(act.memory, &wanted, &capture, self.located.native) {
            receipt.evidence.push(handeye_scene::Evidence::Note { text: format!("{words} does show it") });
            receipt.hints.push(format!("handeye inspect {}", number.0).into());
        }
        receipt.hints.push("handeye state".into());
        Ok(Some(receipt))
    }

    /// A target whose row has come to be about something else is another one, whatever it says itself.
    pub(super) fn in_another_row(&self, act: &mut Act<'_>, probe: &Probe) -> Option<Receipt> {
        if act.request.expectation == Expectation::Any || matching::is_in_row(self.located.shown.as_ref(), probe) {
            return None;
        }
        let quote = |text: &str| crate::observe::outline::quote(text, 80);
        let was = self.located.shown.as_ref().and_then(|s| s.row.as_ref()).map(|r| quote(&r.text)).unwrap_or_default();
        let now = probe.row.as_ref().map_or_else(|| "another".to_owned(), |r| quote(&r.text));
        let mut receipt = self.refusal(act, probe, Verdict::Contradicted);
        receipt.reason = Some(format!(
            "not {}: you were last shown {} {} in the row {was}; its row is now {now}",
            act.request.action.past(),
            probe.role,
            quote(&probe.name)
        ));
        receipt.hints.push("handeye state".into());
        Some(receipt)
    }

    /// A target that leads elsewhere than it did is another one, whatever it says: a link, a form's button, an option.
    pub(super) fn leading_elsewhere(&self, act: &mut Act<'_>, probe: &Probe) -> Option<Receipt> {
        if act.request.expectation == Expectation::Any {
            return None;
        }
        let shown = self.located.shown.as_ref();
        let own = act.surface.origin(probe.document);
        let what = match &act.request.action {
            Action::Select(options) => matching::other_choice(shown, probe, options).map(|(choice, was, now)| {
                format!(
                    "option {} was last shown as {was}; it is now {now}",
                    crate::observe::outline::quote_own(&choice, 80)
                )
            }),
            _ => matching::leads_elsewhere(shown, probe, own.as_deref()).map(|(was, now)| {
                let name = self.name(act, probe);
                format!("you were last shown {name} that leads {was}; it leads {now} now")
            }),
        }?;
        let mut receipt = self.refusal(act, probe, Verdict::Contradicted);
        receipt.reason = Some(format!("not {}: {what}", act.request.action.past()));
        receipt.hints.push("handeye state".into());
        Some(receipt)
    }

    /// What was shown of the target that isn't so any more: its name, unless that still is.
    fn differing<'s>(&self, shown: &'s Shown, probe: &Probe) -> &'s str {
        match &shown.said {
            Some(said) if matching::same_name(shown, &probe.role, &probe.name) => &said.text,
            _ => shown.words(),
        }
    }
}
