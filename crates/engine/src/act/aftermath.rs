//! What comes of a gesture: looked at until an effect is seen or the time for it is over, then judged.

use super::Act;
use crate::deed::Deed;
use crate::drawn::Drawn;
use crate::judge::{self, Scene};
use crate::late;
use crate::matching::{self, Check};
use handeye_scene::{Aim, Capture, Delivery, Event, Probe, Problem, Receipt, Settled, Stirred, Verdict, Want};

/// What there is to see after a gesture: nothing of a page that is gone, or behind a dialog.
struct Aftermath {
    settled: Settled,
    stirred: Stirred,
    after: Option<Capture>,
    probe: Option<Probe>,
    /// Why it couldn't be looked at.
    fault: Option<Problem>,
}

impl Act<'_> {
    /// Waits until it is quiet, and looks at what came of the gesture.
    async fn aftermath(&mut self) -> Result<Aftermath, Problem> {
        let settled = self.surface.settle(self.ask.settle).await?;
        let blocked = settled.events.iter().any(|e| matches!(e, Event::Dialog { .. } | Event::Gone { .. }));
        let nothing = Aftermath { settled, stirred: Stirred::default(), after: None, probe: None, fault: None };
        if blocked {
            return Ok(nothing);
        }
        // What happened is known, whatever can be seen of it.
        let after = match self.surface.capture(Want::default()).await {
            Ok(after) => after,
            Err(fault) => return Ok(Aftermath { fault: Some(fault), ..nothing }),
        };
        // After the look: what it shows is among them.
        let stirred = self.surface.stirred().await;
        let settled = Settled { busy: nothing.settled.busy || stirred.untold, ..nothing.settled };
        let seen = Aftermath { settled, stirred, after: Some(after), probe: None, fault: None };
        match self.surface.probe(self.located.native, Aim::default()).await {
            Ok(probe) => Ok(Aftermath { probe, ..seen }),
            Err(fault) => Ok(Aftermath { fault: Some(fault), ..seen }),
        }
    }

    /// Waits until an effect is seen, or the time for that is over, and judges it.
    pub(super) async fn judge(
        &mut self,
        before: Capture,
        (probe, drawn): (Probe, Option<Drawn>),
        delivery: Delivery,
    ) -> Result<Receipt, Problem> {
        let mut receipt = self.receipt(&probe, Verdict::NoEffect);
        if let Delivery::Delivered { by, .. } = &delivery {
            receipt.by.clone_from(by);
        }
        // Of what nobody can say whether it was done, a picture tells nothing.
        let drawn = drawn.filter(|_| matches!(delivery, Delivery::Delivered { .. }));
        let mut patience = late::Patience::new(self.clock, self.ask.effect).untold(drawn.is_some());
        // Only what the last look shows is told, and counts as shown.
        let told = self.eye.book.clone();
        let (mut judged, in_events, fault) = loop {
            let Aftermath { settled, stirred, after, probe: probe_after, fault } = match self.aftermath().await {
                Ok(aftermath) => aftermath,
                Err(problem) => {
                    self.surface.rest().await;
                    return Ok(judge::unseen(receipt, problem));
                }
            };
            let scene = Scene {
                deed: &self.ask.deed,
                before: &probe,
                after: probe_after.as_ref(),
                settled: &settled,
                stirred: &stirred,
                delivery: &delivery,
            };
            let mut judged = receipt.clone();
            judge::judge(&mut judged, self.eye, &scene, &before, after.as_ref(), self.ask.changes);
            if let Some(drawn) = drawn {
                drawn.judge(self.surface, &mut judged, 0, patience.is_first()).await;
            }
            // What scrolls is told with the gesture.
            let waits = !matches!(self.ask.deed, Deed::Scroll { .. });
            let is_open = waits && after.is_some() && fault.is_none() && late::is_open(&judged);
            if !is_open || !patience.comes_more(self.surface, self.clock).await {
                break (judged, settled.moved.by_input, fault);
            }
            self.eye.book.clone_from(&told);
        };
        self.surface.rest().await;
        judged.notices.extend(self.surface.notices());
        if let Some(fault) = fault
            && !matches!(judged.verdict, Verdict::Confirmed | Verdict::Contradicted)
        {
            return Ok(judge::unseen(judged, fault));
        }
        let unchecked = matching::check(&self.ask.expectation, self.located.shown.as_ref(), &probe, &self.eye.mask)
            == Check::Unverifiable;
        if unchecked && judged.verdict == Verdict::Confirmed {
            judged.verdict = Verdict::Unverifiable;
            judged.reason = Some("it has no text that could be checked against the expectation".into());
        }
        self.eye.doubt(&mut judged, in_events, self.clock.elapsed());
        Ok(judged)
    }
}
