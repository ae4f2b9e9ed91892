//! Acting at a place. What is hit there is reported; it is held to a stated text, else to what it was last shown as.

use crate::act::action::{Action, DropAt, in_view, on_screen};
use crate::act::attempt::{Act, Done, Tried};
use crate::act::request::Place;
use crate::matching::{self, Check, Expectation};
use crate::wording::targets::called;
use handeye_scene::{
    Aim, Code, End, Evidence, Gesture, Guard, NativeId, Point, Probe, Problem, Receipt, Shown, Verdict, Withheld,
};

/// A place that lies in the viewport, or on the screen.
pub(super) struct AtPlace<'a> {
    place: &'a Place,
    /// Where a drag ends.
    to: Option<Point>,
}

impl<'a> AtPlace<'a> {
    /// Input outside the viewport, or the screens of a desktop, reaches nothing: such places are refused.
    pub(super) fn resolve(act: &mut Act<'a>, place: &'a Place) -> Result<Self, Problem> {
        let to = match act.request.action {
            Action::Drag { to: DropAt::Place(to), .. } => Some(to),
            _ => None,
        };
        let is_inside = if act.surface.web().is_some() { in_view } else { on_screen };
        std::iter::once(place.at).chain(to).try_for_each(|place| is_inside(place, act.before.viewport))?;
        Ok(Self { place, to })
    }

    pub(super) async fn attempt(&self, act: &mut Act<'_>) -> Result<Tried, Problem> {
        let gesture = self.gesture(act)?;
        let hit = match act.surface.element_at(self.place.at).await? {
            Some(id) => act.surface.probe(id, Aim::default()).await?,
            None => None,
        };
        let end = match self.to {
            Some(to) => act.surface.element_at(to).await?,
            None => None,
        };
        for id in hit.iter().map(|hit| hit.id).chain(end) {
            crate::policy::origin::permit(act.surface, id.document(), &act.request.denied, "act")?;
        }
        self.permit(act, hit.as_ref(), end).await?;
        let guard = match self.hold(act, hit.as_ref(), end)? {
            Ok(guard) if act.request.guarded => guard,
            Ok(_) => Guard::default(),
            Err(receipt) => return Ok(Tried::Answer(receipt)),
        };
        self.hold_to_window(act).await?;
        let drawn = act.drawn(hit.as_ref(), &gesture, &guard).await?;
        if drawn.is_some() {
            // The pointer has gone there since.
            self.hold_to_window(act).await?;
        }
        let delivery = act.perform(&gesture, &guard).await?;
        let mut receipt = Receipt::new(act.done_words(), Verdict::NoEffect);
        if let Some(probe) = &hit {
            let text = format!("hit {}", called(&probe.role, matching::shown_now(probe).words()));
            receipt.evidence.push(Evidence::Note { text });
        }
        Ok(Tried::Done(Box::new(Done { probe: hit, drawn, delivery, receipt, focus: None, region: None })))
    }

    /// Refuses to press what the rules name, or nobody knows what.
    async fn permit(&self, act: &mut Act<'_>, hit: Option<&Probe>, end: Option<NativeId>) -> Result<(), Problem> {
        match hit {
            Some(hit) => act.permit_press(hit.id).await?,
            None => act.permit_unknown("nobody can say what is at that place")?,
        }
        match (self.to, end) {
            (Some(_), Some(end)) => act.permit_drop(end).await,
            (Some(_), None) => act.permit_unknown("nobody can say what is at the place to drop on"),
            (None, _) => Ok(()),
        }
    }

    fn gesture(&self, act: &Act<'_>) -> Result<Gesture, Problem> {
        act.request.action.gesture_at(self.place.at).ok_or_else(|| {
            let what = format!("can't {} at a place: name a target", act.request.action.verb());
            Problem::new(Code::BadRequest, what).hint("handeye state")
        })
    }

    /// The guard under which it is done, or the receipt that says why it isn't.
    fn hold(
        &self,
        act: &mut Act<'_>,
        hit: Option<&Probe>,
        end: Option<NativeId>,
    ) -> Result<Result<Guard, Box<Receipt>>, Problem> {
        let guard = match act.request.denied.is_empty() {
            true => Guard::default(),
            false => found_there(hit, self.to.map(|_| end))?,
        };
        let Some(probe) = hit else {
            let stated = matches!(act.request.expectation, Expectation::Text(_));
            let nothing = || act.refused(Verdict::Contradicted, "withheld: there is no element at that place".into());
            return Ok(if stated { Err(Box::new(nothing())) } else { Ok(guard) });
        };
        let shown = self.shown(act, probe);
        if matches!(act.request.expectation, Expectation::LastShown) && shown.is_none() {
            return Ok(Ok(guard));
        }
        let refused = |act: &Act<'_>, verdict, reason| Ok(Err(Box::new(act.refused(verdict, reason))));
        match matching::check(&act.request.expectation, shown.as_ref(), probe, &act.memory.mask) {
            _ if act.request.expectation == Expectation::Any => Ok(Ok(guard)),
            Check::Holds(_) if !matching::is_in_row(shown.as_ref(), probe) => {
                let what = called(&probe.role, matching::shown_now(probe).words());
                refused(act, Verdict::Contradicted, format!("withheld: {what} is there, in another row than was shown"))
            }
            Check::Holds(fields) => {
                let mut held = matching::hold(shown.as_ref(), probe);
                matching::hold_fields(&mut held, fields);
                // A place in what was shown may be a part of it that listens for itself.
                let place = matches!(act.request.expectation, Expectation::LastShown);
                Ok(Ok(Guard { target: Some(probe.id), held: Some(held), place, ..guard }))
            }
            Check::Unverifiable if act.request.act_on_unverifiable => Ok(Ok(guard)),
            Check::Unverifiable => {
                let reason = format!("withheld: the {} at that place has no text to check", probe.role);
                refused(act, Verdict::Unverifiable, reason)
            }
            Check::Fails { actual } => {
                let found = crate::observe::outline::quote(&actual, 80);
                let reason = match (&act.request.expectation, &shown) {
                    (Expectation::Text(text), _) => {
                        let wanted = crate::observe::outline::quote_own(text, 80);
                        format!("withheld: expected text {wanted}, found {found}")
                    }
                    (_, shown) => {
                        let was = shown.as_ref().map(|s| called(&s.role, s.words())).unwrap_or_default();
                        format!("withheld: you were last shown {was} there; it is now {} {found}", probe.role)
                    }
                };
                refused(act, Verdict::Contradicted, reason)
            }
        }
    }

    /// What was last shown of the element that is hit, where it was shown at all.
    fn shown(&self, act: &Act<'_>, hit: &Probe) -> Option<Shown> {
        let number = act.memory.refs.number(hit.id)?;
        act.memory.refs.get(number).map(|known| known.shown.clone())
    }

    /// Right before the events once more: another window may have come up there.
    async fn hold_to_window(&self, act: &mut Act<'_>) -> Result<(), Problem> {
        let Some(window) = &self.place.window else { return Ok(()) };
        let Some(windows) = act.surface.windows() else { return Ok(()) };
        for place in std::iter::once(self.place.at).chain(self.to) {
            windows.hold_to(window, Some(place)).await?;
        }
        Ok(())
    }
}

/// While the rules deny an origin, input at a place is held to what was found there, whose document may be acted on: another may
/// come under it meanwhile. `ends`: what a drag ends on.
fn found_there(hit: Option<&Probe>, ends: Option<Option<NativeId>>) -> Result<Guard, Problem> {
    let unknown = || {
        let what = "the policy denies an origin, and nobody can say which document is at that place";
        Problem::new(Code::Denied, what).hint("handeye state").hint("handeye config show")
    };
    let target = hit.map(|hit| hit.id).ok_or_else(unknown)?;
    let end = match ends {
        Some(end) => Some(End { target: end.ok_or_else(unknown)?, held: None }),
        None => None,
    };
    Ok(Guard { target: Some(target), place: true, end, ..Guard::default() })
}

/// What the guard stopped at a place.
pub(super) fn withheld(act: &mut Act<'_>, done: &Done, withheld: &Withheld) -> Receipt {
    if withheld.was_heard() {
        let mut receipt = done.receipt.clone();
        receipt.verdict = Verdict::Unverifiable;
        receipt.reason = Some("delivered, then found relabelled".into());
        return receipt;
    }
    let how_far = if withheld.partial { "begun and then withheld" } else { "withheld" };
    act.refused(Verdict::Contradicted, format!("{how_far}: the place now shows something else"))
}
