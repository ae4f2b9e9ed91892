//! What comes of a gesture: looked at until an effect is seen or the time for it is over, then judged.

use crate::act::action::Action;
use crate::act::attempt::{Act, Done};
use crate::act::outcome::{Outcome, Undirected};
use crate::act::request::AimedAt;
use crate::act::taken_back::{Kept, says_what_is_held};
use crate::act::verdict;
use crate::act::{late_effects, mutations, region};
use crate::matching::{self, Check, Expectation};
use handeye_scene::{
    Aim, Capture, Delivery, Event, Moved, NativeId, Probe, Problem, Receipt, Settled, Stirred, Verdict, Want, Whence,
};
use std::collections::HashSet;
use std::time::Duration;

/// Of so many nodes a look takes a few milliseconds.
const FEW_NODES: usize = 1500;

/// So long after a gesture nothing may come where a look that was taken at once is to stand.
const CALM: Duration = Duration::from_millis(30);

/// Longer where a control is said to hold something: some pages set it back within that time.
const CALM_HELD: Duration = Duration::from_millis(50);

/// Why what may have changed by itself proves nothing.
const UNSURE: &str = "what changed did so after the app had answered, or went on changing, as it may by itself, and nothing else was seen to change";

/// Why changes that the page had begun by itself prove nothing.
const ELSEWHERE: &str =
    "something changed after it, but of what the page had begun by itself, and not of what listens for it there";

/// Why changes of which the page didn't say what began them prove nothing.
const UNANSWERED: &str =
    "something changed after it, and the page didn't answer in time what began that, so it may have come by itself";

/// Why changes after a press that nothing hears prove nothing.
const DEAF: &str =
    "something changed after it, but nothing listens for a click there, and it may come of what was done before";

/// What there is to see after a gesture: nothing of a page that is gone, or behind a dialog.
struct Aftermath {
    settled: Settled,
    stirred: Stirred,
    after: Option<Capture>,
    probe: Option<Probe>,
    /// For keys: the target that has the focus then.
    focus: Option<NativeId>,
    /// Why it couldn't be looked at.
    fault: Option<Problem>,
    /// Whether that was before the surface was quiet.
    at_once: bool,
    /// Whether something came meanwhile that the look may not show.
    is_overtaken: bool,
}

/// Whether a look that was taken at once shows all that is to be seen: it confirms by what tells, and nothing has come since, nor is
/// to come.
fn is_all(judged: &Receipt, own: usize, settled: &Settled, stirred: &Stirred) -> bool {
    let is_told = judged.verdict == Verdict::Confirmed && !late_effects::is_open(judged, own);
    is_told && !stirred.pending && !settled.moved.later
}

/// Whether something changed inside the gesture's own events, and is still changed: what is set to what it was proves nothing, where
/// each change is told (`told`), as by pages; nor does what a page says of the pointer or the focus.
fn is_in_events(moved: Moved, stirred: &Stirred, told: bool) -> bool {
    let is_one = stirred.mutations.iter().any(mutations::is_by_input);
    let is_whole = told && !stirred.unnamed_by_input && !stirred.untold;
    is_one || stirred.set_by_input || moved.by_input && !is_whole
}

/// Whether a look that was taken before this event may be out of date. What may go on all the time is no reason to look again: a page
/// that loads itself again, requests, frames of advertisements.
fn is_turn(event: &Event) -> bool {
    let ends_it = matches!(event, Event::Unreachable { .. } | Event::Dialog { .. } | Event::Gone { .. });
    ends_it || event.is_new_document() && *event != Event::LoadedAgain
}

/// Those of what happened that make a look taken before them out of date, and weren't known when it was begun.
fn overtaking(known: &[Event], by_now: &[Event]) -> Vec<Event> {
    let mut known = known.to_vec();
    let mut is_news = |event: &Event| match known.iter().position(|one| one == event) {
        Some(at) => {
            known.swap_remove(at);
            false
        }
        None => true,
    };
    by_now.iter().filter(|event| is_news(event) && is_turn(event)).cloned().collect()
}

impl Act<'_> {
    /// Waits until it is quiet, or for less where the surface can tell `at_once`, and looks at what came of the gesture: once more
    /// where something came meanwhile.
    async fn aftermath(&mut self, target: Option<NativeId>, at_once: bool) -> Result<Aftermath, Problem> {
        let seen = self.look_after(target, at_once).await?;
        if !seen.is_overtaken {
            return Ok(seen);
        }
        let is_gone = seen.settled.events.iter().any(Event::is_new_document);
        match self.look_after(target, false).await {
            // What was seen before still holds, but for what happened since.
            Ok(again) if again.fault.is_some() && seen.fault.is_none() && !is_gone => Ok(seen),
            again => again,
        }
    }

    async fn look_after(&mut self, target: Option<NativeId>, at_once: bool) -> Result<Aftermath, Problem> {
        let answered = if at_once { self.surface.answered().await } else { None };
        let at_once = answered.is_some();
        let settled = match answered {
            Some(settled) => settled,
            None => self.surface.settle(self.request.settle).await?,
        };
        let blocked = settled.events.iter().any(|e| matches!(e, Event::Dialog { .. } | Event::Gone { .. }));
        let stirred = Stirred::default();
        let nothing = Aftermath {
            settled,
            stirred,
            after: None,
            probe: None,
            focus: None,
            fault: None,
            at_once,
            is_overtaken: false,
        };
        if blocked {
            return Ok(nothing);
        }
        // What happened is known, whatever can be seen of it.
        let after = match self.surface.capture(Want::default()).await {
            Ok(after) => after,
            Err(fault) => {
                let came = overtaking(&nothing.settled.events, &self.surface.stirred().await.events);
                return Ok(Aftermath { fault: Some(fault), is_overtaken: !came.is_empty(), ..nothing });
            }
        };
        // After the look: what it shows is among them.
        let stirred = self.surface.stirred().await;
        let mut settled = Settled {
            busy: nothing.settled.busy || stirred.untold,
            moved: nothing.settled.moved.and(stirred.moved),
            ..nothing.settled
        };
        let came = overtaking(&settled.events, &stirred.events);
        let is_overtaken = !came.is_empty();
        settled.events.extend(came);
        let focus = match (&self.request.aim, &self.request.action) {
            (AimedAt::Focus, _) | (AimedAt::Target(_), Action::Keys { .. }) => self.surface.focused().await,
            _ => Ok(None),
        };
        let probe = match target {
            Some(target) => self.surface.probe(target, Aim::default()).await,
            None => Ok(None),
        };
        let seen = Aftermath { settled, stirred, is_overtaken, ..nothing };
        let is_listed = |id: &NativeId| after.nodes.iter().any(|n| n.id == Some(*id));
        match (probe, focus) {
            (Ok(probe), Ok(focus)) => {
                let focus = focus.filter(is_listed);
                Ok(Aftermath { probe, focus, after: Some(after), ..seen })
            }
            (Err(fault), _) | (_, Err(fault)) => Ok(Aftermath { fault: Some(fault), after: Some(after), ..seen }),
        }
    }

    /// Waits until an effect is seen, or the time for that is over, and judges it.
    pub(super) async fn judge(&mut self, done: Done) -> Result<Receipt, Problem> {
        let Done { probe, drawn, delivery, mut receipt, focus, region } = done;
        if let Delivery::Delivered { by, .. } = &delivery {
            receipt.by.clone_from(by);
        }
        // What is known beforehand is no effect.
        let own = receipt.evidence.len();
        let target = probe.as_ref().map(|probe| probe.id);
        // Of what nobody can say whether it was done, a picture tells nothing.
        let drawn = drawn.filter(|_| matches!(delivery, Delivery::Delivered { .. }));
        let mut patience = late_effects::Patience::new(self.clock, self.request.effect).untold(drawn.is_some());
        // Only what the last look shows is told, and counts as shown.
        let told = self.memory.refs.clone();
        let mut kept = None;
        // What is dragged may be on its way back by a style alone, of which nothing tells.
        let is_page = self.surface.web().is_some();
        let mut looks_last = matches!(self.request.action, Action::Drag { .. });
        let mut at_once = drawn.is_none() && region.is_none() && self.may_answer_at_once();
        let (mut judged, in_events, stray, awaits, fault) = loop {
            let seen = match self.aftermath(target, std::mem::take(&mut at_once)).await {
                Ok(seen) => seen,
                Err(problem) => {
                    return Ok(verdict::unseen(receipt, problem));
                }
            };
            let Aftermath {
                settled,
                stirred,
                after,
                probe: probe_after,
                focus: focus_after,
                fault,
                at_once: is_early,
                ..
            } = seen;
            let resized: Vec<_> = region.iter().zip(&after).flat_map(|(of, now)| region::resized(of, now)).collect();
            let outcome = Outcome {
                action: &self.request.action,
                undirected: self.undirected(target, region.is_some()),
                resized: resized.clone(),
                before: probe.as_ref(),
                after: probe_after.as_ref(),
                focus: if focus.is_some() || self.focus_is_told {
                    (focus, focus_after)
                } else {
                    (focus_after, focus_after)
                },
                settled: &settled,
                stirred: &stirred,
                delivery: &delivery,
            };
            let mut judged = receipt.clone();
            verdict::judge(&mut judged, self.memory, &outcome, (&self.before, after.as_ref()), self.request.changes);
            let in_events = is_in_events(settled.moved, &stirred, is_page);
            if is_early && !(fault.is_none() && in_events && is_all(&judged, own, &settled, &stirred)) {
                patience = late_effects::Patience::new(self.clock, self.request.effect);
                self.memory.refs.clone_from(&told);
                continue;
            }
            // A page is asked whatever changed inside the events: what goes on by itself is another thing of it.
            if late_effects::may_be_anyones(&judged, own, in_events && !is_page, false) {
                let unsure = self.surface.unsure().await;
                if !unsure.is_empty() {
                    self.memory.refs.clone_from(&told);
                    judged = self.judge_without(&receipt, outcome, unsure, after.as_ref());
                }
            }
            if let Some(drawn) = drawn {
                let known = (own, patience.is_first());
                drawn.judge(self.surface, self.clock, &mut judged, known, after.as_ref()).await;
            }
            if after.is_some() && resized.is_empty() && region.as_ref().is_some_and(|anchors| !anchors.is_empty()) {
                region::doubt_drag(&self.request.action, &mut judged);
            }
            // What scrolls is told with the gesture.
            let waits = !matches!(self.request.action, Action::Scroll { .. });
            let stray = match &fault {
                None => Box::pin(self.why_stray(target, settled.moved, in_events, (&judged, own))).await,
                Some(_) => None,
            };
            if is_early && !(stray.is_none() && self.shows_all(&judged, (&settled, &stirred, after.as_ref())).await) {
                patience = late_effects::Patience::new(self.clock, self.request.effect);
                self.memory.refs.clone_from(&told);
                continue;
            }
            let is_open =
                waits && after.is_some() && fault.is_none() && (stray.is_some() || late_effects::is_open(&judged, own));
            let is_back = kept.as_ref().is_some_and(|kept: &Kept| kept.tell(&mut judged));
            if kept.is_none() && stirred.pending && stray.is_none() && waits {
                kept = Kept::of(&judged, &self.request.action, self.clock, self.request.effect);
            }
            let goes_on = match &mut kept {
                _ if is_back => false,
                Some(kept) => kept.comes_more(self.surface, self.clock).await,
                None => {
                    is_open && (patience.comes_more(self.surface, self.clock).await || std::mem::take(&mut looks_last))
                }
            };
            if !goes_on {
                break (judged, in_events, stray, settled.awaits.is_some(), fault);
            }
            self.memory.refs.clone_from(&told);
        };
        self.rest().await;
        judged.notices.extend(self.surface.notices());
        if let Some(fault) = fault
            && !matches!(judged.verdict, Verdict::Confirmed | Verdict::Contradicted)
            && !awaits
        {
            return Ok(verdict::unseen(judged, fault));
        }
        // A region was held to what it is called before anything was done.
        if judged.verdict == Verdict::Confirmed && region.is_none() && self.is_unchecked(probe.as_ref()) {
            judged.verdict = Verdict::Unverifiable;
            judged.reason = Some("it has no text that could be checked against the expectation".into());
        }
        let now = self.clock.elapsed();
        // What it may have come of instead is told with it.
        self.memory.doubt(&mut judged, own, in_events, now);
        if let Some(why) = stray {
            (judged.verdict, judged.reason) = (Verdict::Unverifiable, Some(why.into()));
            judged.hints = vec!["handeye state".into()];
        }
        if self.memory.has_acted_before(&judged, now) {
            self.doubt_deaf(target, in_events, (&mut judged, own)).await;
        }
        self.memory.note_effectless(&judged, now);
        Ok(judged)
    }

    /// The judgement by what else changed than these: where nothing else did, nobody can say what it came of.
    fn judge_without(
        &mut self,
        receipt: &Receipt,
        outcome: Outcome<'_>,
        unsure: HashSet<NativeId>,
        after: Option<&Capture>,
    ) -> Receipt {
        let mut stirred = outcome.stirred.clone();
        stirred.self_changing.extend(unsure);
        let outcome = Outcome { stirred: &stirred, ..outcome };
        let mut judged = receipt.clone();
        verdict::judge(&mut judged, self.memory, &outcome, (&self.before, after), self.request.changes);
        if judged.verdict != Verdict::Confirmed {
            judged.verdict = Verdict::Unverifiable;
            judged.reason = Some(UNSURE.into());
        }
        judged
    }

    /// Why all that was seen to change, which came later, proves nothing: the page had begun it elsewhere, or didn't say what had.
    async fn why_stray(
        &mut self,
        target: Option<NativeId>,
        moved: Moved,
        in_events: bool,
        (judged, own): (&Receipt, usize),
    ) -> Option<&'static str> {
        // What is put in is read back, which is proof enough.
        let is_doubtful = !matches!(self.request.action, Action::Input(_))
            && (moved.later || moved.led)
            && late_effects::may_be_anyones(judged, own, in_events, moved.led);
        if !is_doubtful {
            return None;
        }
        match self.surface.whence(target).await {
            Whence::Elsewhere => Some(ELSEWHERE),
            Whence::Unanswered => Some(UNANSWERED),
            Whence::Gesture | Whence::Untold => None,
        }
    }

    /// Takes back what is confirmed by changes after a press that nothing listens for, where another action came before it. That a
    /// listener heard it and was taken away since, as one that hears once, can't be told: alone, such a press is left as it is.
    async fn doubt_deaf(&mut self, target: Option<NativeId>, in_events: bool, (judged, own): (&mut Receipt, usize)) {
        let is_press = matches!(self.request.action, Action::Click { .. });
        let is_doubtful =
            late_effects::may_be_anyones(judged, own, in_events, false) && !late_effects::has_selected(judged);
        let Some(target) = target.filter(|_| is_press && is_doubtful) else { return };
        let why = match self.surface.is_deaf(target).await {
            Some(false) => return,
            Some(true) => DEAF,
            None => UNANSWERED,
        };
        (judged.verdict, judged.reason) = (Verdict::Unverifiable, Some(why.into()));
    }

    /// Whether a look that was taken at once is the same once the surface is calm.
    async fn shows_all(&mut self, judged: &Receipt, seen: (&Settled, &Stirred, Option<&Capture>)) -> bool {
        let (settled, stirred, Some(after)) = seen else { return false };
        if judged.verdict != Verdict::Confirmed {
            return false;
        }
        let rest = if says_what_is_held(judged, &self.request.action) { CALM_HELD } else { CALM };
        let Some(calm) = self.surface.calm(rest).await else { return false };
        if (Settled { moved: calm.moved.and(stirred.moved), ..calm }) != *settled {
            return false;
        }
        let Ok(again) = self.surface.capture(Want::default()).await else { return false };
        // What happened since the look before is told once.
        Capture { notices: after.notices.clone(), ..again } == *after && self.surface.stirred().await == *stirred
    }

    /// Whether it may be looked at before the surface is quiet: what is scrolled or dragged goes on moving, and where a look takes
    /// long, two take longer than the quiet.
    fn may_answer_at_once(&self) -> bool {
        let is_small = self.before.nodes.len() <= FEW_NODES;
        is_small && !matches!(self.request.action, Action::Scroll { .. } | Action::Drag { .. })
    }

    /// What went to no target that was named: what got it, and whether it was to change anything, isn't known.
    fn undirected(&self, target: Option<NativeId>, is_region: bool) -> Option<Undirected> {
        match (&self.request.aim, &self.request.action) {
            (_, action) if is_region && !matches!(action, Action::Input(_)) => Some(Undirected::Place),
            (AimedAt::Place(_), _) => Some(Undirected::Place),
            (AimedAt::Focus | AimedAt::Filled { .. }, _) => Some(Undirected::Keys { focused: target.is_some() }),
            (AimedAt::Target(_), Action::Keys { .. }) => Some(Undirected::Keys { focused: true }),
            (AimedAt::Target(_) | AimedAt::Surface, _) => None,
        }
    }

    /// Whether a stated expectation couldn't be checked, and the action was done all the same, as it was asked for.
    fn is_unchecked(&self, probe: Option<&Probe>) -> bool {
        let Some(probe) = probe.filter(|_| matches!(self.request.expectation, Expectation::Text(_))) else {
            return false;
        };
        matching::check(&self.request.expectation, None, probe, &self.memory.mask) == Check::Unverifiable
    }
}
