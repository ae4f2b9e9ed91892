//! Acting on a target: resolve, expect, ready, and the guard under which the gesture is made.

use crate::act::action::{Action, DropAt, in_view};
use crate::act::attempt::{Act, Done, GLANCE, Tried};
use crate::act::drop::{Dropping, drop_place};
use crate::act::empty_receipt::{empty_receipt, why_overtaken, why_withheld};
use crate::locate::{self, Located, Locator, locate};
use crate::matching::{self, Check, Expectation};
use handeye_scene::{Gesture, Guard, Probe, Problem, Receipt, Verdict, Want, Withheld};

/// A target, as it was found.
pub(super) struct OnTarget {
    pub(super) located: Located,
}

impl OnTarget {
    /// Finds the target, and asks whether the policy lets its documents be acted on.
    pub(super) async fn resolve(act: &mut Act<'_>, locators: &[Locator]) -> Result<Self, Problem> {
        let request = act.request;
        let mut located = locate(act.surface, act.memory, locators, &request.expectation).await?;
        crate::policy::origin::permit(act.surface, located.native.document(), &request.denied, request.action.verb())?;
        if let Some(only) = &request.only_in {
            crate::policy::origin::require(act.surface, located.native.document(), only)?;
        }
        match &request.action {
            Action::Drag { to: DropAt::Element(native), .. } => {
                crate::policy::origin::permit(act.surface, native.document(), &request.denied, "drop")?;
            }
            Action::Drag { to: DropAt::Place(place), .. } if act.surface.web().is_some() => {
                in_view(*place, act.before.viewport)?;
            }
            _ => {}
        }
        located.hold_to(&act.before);
        Ok(Self { located })
    }

    /// Waits until the target is as expected and ready, then performs the gesture once.
    pub(super) async fn attempt(&self, act: &mut Act<'_>) -> Result<Tried, Problem> {
        let action = &act.request.action;
        let aim = action.aim();
        loop {
            let Some(probe) = act.surface.probe(self.located.native, aim).await? else {
                return Err(self.stale(act).await?);
            };
            // What isn't shown doesn't say what it is: it is waited for, and held to what it says then.
            if (self.is_seen(act, &probe) || self.reads_as_held(act, &probe))
                && let Some(receipt) = self.answer(act, &probe).await?
            {
                return Ok(Tried::Answer(Box::new(receipt)));
            }
            act.permit_on(&probe).await?;
            let Some(obstacle) = self.obstacle(act, &probe)? else {
                let (to, end, on) = match drop_place(act, None).await? {
                    Dropping::Nowhere => (None, None, None),
                    Dropping::At(point, end, on) => (Some(point), end.map(|end| *end), on),
                    Dropping::Refused(reason) => {
                        let mut receipt = self.refusal(act, &probe, Verdict::Contradicted);
                        receipt.reason = Some(reason);
                        receipt.hints.push("handeye state".into());
                        return Ok(Tried::Answer(Box::new(receipt)));
                    }
                };
                let gesture = match (&act.request.only_in, action) {
                    (Some(origin), Action::Input(text)) => Gesture::Put { text: text.clone(), origin: origin.clone() },
                    _ => action.gesture(&probe, to),
                };
                let guard = Guard { end: end.filter(|_| act.request.guarded), ..self.guard(act, &probe) };
                let drawn = act.drawn(Some(&probe), &gesture, &guard).await?;
                if let Some(on) = &on {
                    let any = act.request.expectation == Expectation::Any;
                    on.await_drop(act.surface, act.clock, any).await?;
                }
                let delivery = act.perform(&gesture, &guard).await?;
                let receipt = self.receipt(act, &probe, Verdict::NoEffect);
                let focus = matches!(action, Action::Keys { .. }).then_some(probe.id);
                let done = Done { probe: Some(probe), drawn, delivery, receipt, focus, region: None };
                return Ok(Tried::Done(Box::new(done)));
            };
            let now = act.clock.elapsed();
            if now >= act.deadline {
                return Err(obstacle);
            }
            act.surface.changed(GLANCE.min(act.deadline.saturating_sub(now))).await?;
        }
    }

    /// What is answered without a gesture: the target is another one, by what it says, its row or where it leads; or it is
    /// already as asked.
    async fn answer(&self, act: &mut Act<'_>, probe: &Probe) -> Result<Option<Receipt>, Problem> {
        if let Some(receipt) = self.expect(act, probe).await? {
            return Ok(Some(receipt));
        }
        let other = self.in_another_row(act, probe).or_else(|| self.leading_elsewhere(act, probe));
        Ok(other.or_else(|| self.already(act, probe)))
    }

    /// Whether the target says what it is held to.
    fn reads_as_held(&self, act: &Act<'_>, probe: &Probe) -> bool {
        let check = matching::check(&act.request.expectation, self.located.shown.as_ref(), probe, &act.memory.mask);
        matches!(check, Check::Holds(_))
    }

    /// Whether the target is shown, as far as the gesture needs it to be.
    pub(super) fn is_seen(&self, act: &Act<'_>, probe: &Probe) -> bool {
        let action = &act.request.action;
        probe.visible || !(action.needs_itself() || action.needs_visible() && probe.point.is_none())
    }

    /// What the events must find: the element with the texts it was just found to have.
    fn guard(&self, act: &Act<'_>, probe: &Probe) -> Guard {
        if !act.request.guarded {
            return Guard::default();
        }
        let guard = Guard {
            target: Some(probe.id),
            // Keys may go where they themselves move the focus.
            follow: matches!(act.request.action, Action::Keys { .. }),
            place: act.request.action.place().is_some(),
            offset: act.request.action.place(),
            ..Guard::default()
        };
        let fields =
            match matching::check(&act.request.expectation, self.located.shown.as_ref(), probe, &act.memory.mask) {
                _ if act.request.expectation == Expectation::Any => return guard,
                Check::Holds(fields) => fields,
                _ => Vec::new(),
            };
        // Typing changes a control's value, which a value field of the guard would take for a relabelling, and what its row
        // says where the page shows the value there too.
        let types = matches!(act.request.action, Action::Input(_) | Action::Type { .. });
        let mut held = matching::hold(self.located.shown.as_ref(), probe);
        held.row = held.row.filter(|_| !types);
        held.own = act.surface.origin(probe.document).filter(|origin| origin != "null");
        if let Action::Select(options) = &act.request.action {
            held.choices = matching::choices(&probe.options, options);
        }
        let fields = fields.into_iter().filter(|(f, _)| !(types && (f == "value" || f == "text"))).collect();
        matching::hold_fields(&mut held, fields);
        Guard { held: Some(held), ..guard }
    }

    pub(super) async fn stale(&self, act: &mut Act<'_>) -> Result<Problem, Problem> {
        let capture = act.surface.capture(Want::default()).await?;
        let number = act.memory.refs.number(self.located.native);
        let shown = self.located.shown.clone().unwrap_or_default();
        Ok(locate::stale(act.memory, number, &shown, &capture))
    }

    pub(super) fn name(&self, act: &Act<'_>, probe: &Probe) -> String {
        act.called(probe.id, &probe.role, matching::shown_now(probe).words())
    }

    /// A receipt for this target, with nothing in it yet. The number is given without noting what the target shows now:
    /// a refusal must not make the new label the one that was last shown. A target that was never shown gets a number.
    pub(super) fn receipt(&self, act: &mut Act<'_>, probe: &Probe, verdict: Verdict) -> Receipt {
        let refs = &mut act.memory.refs;
        let number = refs.mention(probe.id, || matching::shown_now(probe));
        empty_receipt(act.request, &self.located, (number, probe), verdict, &act.memory.mask)
    }

    /// A receipt for what was not done: its action is the verb, not the deed done.
    pub(super) fn refusal(&self, act: &mut Act<'_>, probe: &Probe, verdict: Verdict) -> Receipt {
        Receipt { action: act.request.action.verb().into(), ..self.receipt(act, probe, verdict) }
    }

    pub(super) fn withheld(&self, act: &mut Act<'_>, probe: &Probe, withheld: &Withheld) -> Receipt {
        if withheld.was_heard() {
            return self.overtaken(act, probe, withheld);
        }
        let mut receipt = self.refusal(act, probe, Verdict::Contradicted);
        receipt.reason = Some(why_withheld(withheld, probe));
        receipt.hints = vec!["handeye state".into()];
        receipt
    }

    /// Listeners of the page got it while the target was as it was shown, and one relabelled it before the next one's turn.
    fn overtaken(&self, act: &mut Act<'_>, probe: &Probe, withheld: &Withheld) -> Receipt {
        let mut receipt = self.receipt(act, probe, Verdict::Unverifiable);
        receipt.reason = Some(why_overtaken(withheld, probe));
        receipt.hints = vec!["handeye state".into()];
        receipt
    }
}
