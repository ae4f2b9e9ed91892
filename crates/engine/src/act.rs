//! The one loop through which every action goes: resolve, expect, ready, perform under guard, settle, judge, receipt.

use crate::ask::Ask;
use crate::blank::{blank, why_overtaken, why_withheld};
use crate::deed::{Deed, DropAt, in_view};
use crate::diff::Digest;
use crate::drawn::{self, Drawn};
use crate::eye::Eye;
use crate::locate::{self, Located, Locator, describe, locate};
use crate::matching::{self, Check, Expectation};
use handeye_scene::{
    Aim, Capture, Clock, Code, Delivery, End, Gesture, Guard, Point, Probe, Problem, Receipt, Shown, State, Surface,
    Verdict, Want, Withheld,
};
use std::time::Duration;

mod aftermath;
mod supported;

/// How long one wait for a change lasts while a target isn't ready.
const GLANCE: Duration = Duration::from_millis(200);
/// How often a gesture is tried that the guard stopped before anything reached the page.
const TRIES: u32 = 6;

/// Acts on a target, and reports what came of it.
///
/// Nothing is done when the target can't be told, is gone ([`Code::Stale`]), isn't ready ([`Code::Blocked`]), or isn't as
/// expected (a receipt whose verdict is [`Verdict::Contradicted`]).
pub async fn act(surface: &mut dyn Surface, eye: &mut Eye, clock: &dyn Clock, ask: &Ask) -> Result<Receipt, Problem> {
    if let Some(native) = ask.locators.iter().find_map(|l| numbered(eye, l)) {
        surface.turn_to(native);
    }
    let before = surface.capture(Want::default()).await?;
    refuse_if_blocked(surface, &before)?;
    eye.look(Digest::of(&before));
    let mut located = locate(surface, eye, &ask.locators, &ask.expectation).await?;
    crate::origin::permit(surface, located.native.document(), &ask.barred, ask.deed.verb())?;
    if let Some(only) = &ask.only_in {
        crate::origin::require(surface, located.native.document(), only)?;
    }
    match &ask.deed {
        Deed::Drag { to: DropAt::Element(native), .. } => {
            crate::origin::permit(surface, native.document(), &ask.barred, "drop")?;
        }
        Deed::Drag { to: DropAt::Place(place), .. } if surface.web().is_some() => in_view(*place, before.viewport)?,
        _ => {}
    }
    located.hold_to(&before);
    let deadline = clock.elapsed() + ask.ready;
    let mut act = Act { surface, eye, clock, ask, located, deadline };
    act.run(before).await
}

/// The element that a locator names by number.
fn numbered(eye: &Eye, locator: &Locator) -> Option<handeye_scene::NativeId> {
    match locator {
        Locator::Ref(number) => eye.book.get(*number).map(|known| known.native),
        _ => None,
    }
}

/// A page that shows a dialog can't be acted on; the capture says so by a notice.
fn refuse_if_blocked(surface: &mut dyn Surface, before: &Capture) -> Result<(), Problem> {
    let Some(dialog) = surface.web().and_then(|w| w.dialog()) else { return Ok(()) };
    if !before.nodes.is_empty() {
        return Ok(());
    }
    Err(Problem::new(
        Code::Blocked,
        format!("a dialog is open: {} {}", dialog.kind, crate::outline::quote(&dialog.message, 200)),
    )
    .hint("handeye dialog accept")
    .hint("handeye dialog dismiss")
    .hint("handeye tabs new URL"))
}

struct Act<'a> {
    surface: &'a mut dyn Surface,
    eye: &'a mut Eye,
    clock: &'a dyn Clock,
    ask: &'a Ask,
    located: Located,
    deadline: Duration,
}

/// Where a drag ends.
enum Dropping {
    /// It isn't a drag.
    Nowhere,
    /// At a place, on an element if one was named.
    At(Point, Option<End>),
    /// On nothing: what was named is something else now.
    Refused(String),
}

/// What one try came to.
enum Tried {
    /// The gesture was performed on this element.
    Done(Box<(Probe, Option<Drawn>, Delivery)>),
    /// No gesture was performed; this says why.
    Answer(Box<Receipt>),
}

impl Act<'_> {
    async fn run(&mut self, before: Capture) -> Result<Receipt, Problem> {
        let mut tries = 0;
        loop {
            tries += 1;
            let (probe, drawn, delivery) = match self.attempt().await? {
                Tried::Done(done) => *done,
                Tried::Answer(receipt) => return Ok(*receipt),
            };
            match delivery {
                Delivery::Withheld(withheld) if !withheld.partial && withheld.reason != "refused" => {
                    // Nothing reached the page: look again, unless it keeps happening.
                    if tries >= TRIES || self.clock.elapsed() >= self.deadline {
                        return Ok(self.withheld(&probe, &withheld));
                    }
                }
                Delivery::Withheld(withheld) => {
                    // What was withheld is told even if the page can't be asked any more.
                    let _ = self.surface.settle(self.ask.settle).await;
                    self.surface.rest().await;
                    return Ok(self.withheld(&probe, &withheld));
                }
                delivery => return self.judge(before, (probe, drawn), delivery).await,
            }
        }
    }

    /// Waits until the target is as expected and ready, then performs the gesture once.
    async fn attempt(&mut self) -> Result<Tried, Problem> {
        let deed = &self.ask.deed;
        let aim = deed.aim();
        loop {
            let Some(probe) = self.surface.probe(self.located.native, aim).await? else {
                return Err(self.stale().await?);
            };
            // What isn't shown doesn't say what it is: it is waited for, and held to what it says then.
            if (self.is_seen(&probe) || self.reads_as_held(&probe))
                && let Some(receipt) = self.answer(&probe).await?
            {
                return Ok(Tried::Answer(Box::new(receipt)));
            }
            let Some(obstacle) = self.obstacle(&probe)? else {
                let (to, end) = match self.drop_place().await? {
                    Dropping::Nowhere => (None, None),
                    Dropping::At(point, end) => (Some(point), end),
                    Dropping::Refused(reason) => {
                        let mut receipt = self.refusal(&probe, Verdict::Contradicted);
                        receipt.reason = Some(reason);
                        receipt.hints.push("handeye state".into());
                        return Ok(Tried::Answer(Box::new(receipt)));
                    }
                };
                let gesture = match (&self.ask.only_in, deed) {
                    (Some(origin), Deed::Input(text)) => Gesture::Put { text: text.clone(), origin: origin.clone() },
                    _ => deed.gesture(&probe, to),
                };
                let guard = Guard { end: end.filter(|_| self.ask.guarded), ..self.guard(&probe) };
                let drawn = self.drawn(&probe, &gesture, &guard).await?;
                let delivery = self.surface.perform(&gesture, &guard).await?;
                return Ok(Tried::Done(Box::new((probe, drawn, delivery))));
            };
            let now = self.clock.elapsed();
            if now >= self.deadline {
                return Err(obstacle);
            }
            self.surface.changed(GLANCE.min(self.deadline.saturating_sub(now))).await?;
        }
    }

    /// What is answered without a gesture: the target is another one, by what it says, its row or where it leads; or it is
    /// already as asked.
    async fn answer(&mut self, probe: &Probe) -> Result<Option<Receipt>, Problem> {
        if let Some(receipt) = self.expect(probe).await? {
            return Ok(Some(receipt));
        }
        let other = self.in_another_row(probe).or_else(|| self.leading_elsewhere(probe));
        Ok(other.or_else(|| self.already(probe)))
    }

    /// Whether the target says what it is held to.
    fn reads_as_held(&self, probe: &Probe) -> bool {
        let check = matching::check(&self.ask.expectation, self.located.shown.as_ref(), probe, &self.eye.mask);
        matches!(check, Check::Holds(_))
    }

    /// Whether the target is shown, as far as the gesture needs it to be.
    fn is_seen(&self, probe: &Probe) -> bool {
        let deed = &self.ask.deed;
        probe.visible || !(deed.needs_itself() || deed.needs_visible() && probe.point.is_none())
    }

    /// What the target draws now, with the pointer on it where the gesture puts it there: being pointed to is no effect of it.
    async fn drawn(&mut self, probe: &Probe, gesture: &Gesture, guard: &Guard) -> Result<Option<Drawn>, Problem> {
        if self.ask.effect.is_zero() || !drawn::is_drawn(probe) || matches!(self.ask.deed, Deed::Hover) {
            return Ok(None);
        }
        if let Gesture::Click { at, .. } | Gesture::Drag { from: at, .. } = *gesture {
            self.surface.perform(&Gesture::Hover { at }, guard).await?;
            self.surface.settle(self.ask.settle).await?;
        }
        Ok(Some(Drawn::before(self.surface, self.clock, probe).await))
    }

    /// What the events must find: the element with the texts it was just found to have.
    fn guard(&self, probe: &Probe) -> Guard {
        if !self.ask.guarded {
            return Guard::default();
        }
        let guard = Guard { target: Some(probe.id), place: self.ask.deed.place().is_some(), ..Guard::default() };
        let fields = match matching::check(&self.ask.expectation, self.located.shown.as_ref(), probe, &self.eye.mask) {
            _ if self.ask.expectation == Expectation::Any => return guard,
            Check::Holds(fields) => fields,
            _ => Vec::new(),
        };
        // Typing changes a control's value, which a value field of the guard would take for a relabelling, and what its row
        // says where the page shows the value there too.
        let types = matches!(self.ask.deed, Deed::Input(_) | Deed::Type { .. });
        let mut held = matching::hold(self.located.shown.as_ref(), probe);
        held.row = held.row.filter(|_| !types);
        held.own = self.surface.origin(probe.document).filter(|origin| origin != "null");
        if let Deed::Select(options) = &self.ask.deed {
            held.choices = matching::choices(probe, options);
        }
        let fields = fields.into_iter().filter(|(f, _)| !(types && (f == "value" || f == "text"))).collect();
        matching::hold_fields(&mut held, fields);
        Guard { held: Some(held), ..guard }
    }

    /// A target that leads elsewhere than it did is another one, whatever it says: a link, a form's button, an option.
    fn leading_elsewhere(&mut self, probe: &Probe) -> Option<Receipt> {
        if self.ask.expectation == Expectation::Any {
            return None;
        }
        let shown = self.located.shown.as_ref();
        let own = self.surface.origin(probe.document);
        let what = match &self.ask.deed {
            Deed::Select(options) => matching::other_choice(shown, probe, options).map(|(choice, was, now)| {
                format!("option {} was last shown as {was}; it is now {now}", crate::outline::quote_own(&choice, 80))
            }),
            _ => matching::leads_elsewhere(shown, probe, own.as_deref()).map(|(was, now)| {
                let name = self.name(probe);
                format!("you were last shown {name} that leads {was}; it leads {now} now")
            }),
        }?;
        let mut receipt = self.refusal(probe, Verdict::Contradicted);
        receipt.reason = Some(format!("not {}: {what}", self.ask.deed.past()));
        receipt.hints.push("handeye state".into());
        Some(receipt)
    }

    /// A target whose row has come to be about something else is another one, whatever it says itself.
    fn in_another_row(&mut self, probe: &Probe) -> Option<Receipt> {
        if self.ask.expectation == Expectation::Any || matching::is_in_row(self.located.shown.as_ref(), probe) {
            return None;
        }
        let quote = |text: &str| crate::outline::quote(text, 80);
        let was = self.located.shown.as_ref().and_then(|s| s.row.as_ref()).map(|r| quote(&r.text)).unwrap_or_default();
        let now = probe.row.as_ref().map_or_else(|| "another".to_owned(), |r| quote(&r.text));
        let mut receipt = self.refusal(probe, Verdict::Contradicted);
        receipt.reason = Some(format!(
            "not {}: you were last shown {} {} in the row {was}; its row is now {now}",
            self.ask.deed.past(),
            probe.role,
            quote(&probe.name)
        ));
        receipt.hints.push("handeye state".into());
        Some(receipt)
    }

    async fn expect(&mut self, probe: &Probe) -> Result<Option<Receipt>, Problem> {
        let actual = match matching::check(&self.ask.expectation, self.located.shown.as_ref(), probe, &self.eye.mask) {
            Check::Holds(_) => return Ok(None),
            Check::Unverifiable if self.ask.act_on_unverifiable => return Ok(None),
            Check::Unverifiable => {
                let mut receipt = self.refusal(probe, Verdict::Unverifiable);
                receipt.reason = Some(format!(
                    "not {}: {} has no text that could be checked against the expectation",
                    self.ask.deed.past(),
                    self.name(probe)
                ));
                receipt.hints =
                    vec![format!("handeye {} {} --expect-any", self.ask.deed.verb(), self.located.used.words())];
                return Ok(Some(receipt));
            }
            Check::Fails { actual } => actual,
        };
        let mut receipt = self.refusal(probe, Verdict::Contradicted);
        let wanted = match (&self.ask.expectation, &self.located.shown) {
            (Expectation::Text(text), _) => text.clone(),
            (_, Some(shown)) => shown.words().to_owned(),
            _ => String::new(),
        };
        receipt.reason = Some(match (&self.ask.expectation, &self.located.shown) {
            (Expectation::LastShown, Some(shown)) => format!(
                "not {}: you were last shown {} {}; it is now {} {}",
                self.ask.deed.past(),
                shown.role,
                crate::outline::quote(self.differing(shown, probe), 80),
                probe.role,
                crate::outline::quote(&actual, 80)
            ),
            _ => format!(
                "not {}: expected text {}, found {}",
                self.ask.deed.past(),
                crate::outline::quote_own(&wanted, 80),
                crate::outline::quote(&actual, 80)
            ),
        });
        if let (Expectation::Text(_), Some(said)) =
            (&self.ask.expectation, matching::in_row(probe, &wanted, &self.eye.mask))
        {
            let text = format!(
                "its row says {}; --expect is compared with what the target says itself",
                crate::outline::quote(said, 80)
            );
            receipt.evidence.push(handeye_scene::Evidence::Note { text });
            // Without it, the row is held to what was last shown.
            if matches!(self.ask.deed, Deed::Click { .. } | Deed::Check(_) | Deed::Expand(_) | Deed::Hover) {
                receipt.hints.push(format!("handeye {} {}", self.ask.deed.verb(), self.located.used.words()));
            }
        }
        let capture = self.surface.capture(Want::default()).await?;
        for (number, words) in locate::showing(self.eye, &wanted, &capture, self.located.native) {
            receipt.evidence.push(handeye_scene::Evidence::Note { text: format!("{words} does show it") });
            receipt.hints.push(format!("handeye inspect {}", number.0));
        }
        receipt.hints.push("handeye state".into());
        Ok(Some(receipt))
    }

    /// A target that is already as asked needs no gesture.
    fn already(&mut self, probe: &Probe) -> Option<Receipt> {
        let state = match (&self.ask.deed, probe.checked) {
            (Deed::Check(on), Some(checked)) if *on == checked && !probe.states.has(State::Mixed) => {
                if *on {
                    "checked"
                } else {
                    "unchecked"
                }
            }
            _ => match self.ask.deed {
                Deed::Expand(true) if probe.states.has(State::Expanded) => "expanded",
                Deed::Expand(false) if probe.states.has(State::Collapsed) => "collapsed",
                _ => return None,
            },
        };
        let mut receipt = self.receipt(probe, Verdict::Confirmed);
        receipt.evidence.push(handeye_scene::Evidence::Already { state: state.into() });
        Some(receipt)
    }

    /// Why the target isn't ready, if it isn't. What can't ever change is a problem at once.
    fn obstacle(&mut self, probe: &Probe) -> Result<Option<Problem>, Problem> {
        self.supported(probe)?;
        let deed = &self.ask.deed;
        let name = match &self.located.shown {
            Some(shown) if !self.is_seen(probe) => self.called(probe.id, &shown.role, shown.words()),
            _ => self.name(probe),
        };
        let blocked =
            |why: String| Ok(Some(Problem::new(Code::Blocked, format!("can't {} {name}: {why}", deed.verb()))));
        if let Some(dialog) = probe.behind.as_ref().filter(|_| deed.needs_reach(probe)) {
            let what = if self.surface.web().is_some() { &dialog.role } else { "window" };
            let dialog = crate::outline::quote(&dialog.name, 80);
            return blocked(format!("it is covered by {what} {dialog}, a dialog that must be closed first"))
                .map(|p| p.map(|p| p.hint("handeye state")));
        }
        if deed.needs_enabled() && !probe.enabled {
            return blocked("it is disabled".into()).map(|p| p.map(|p| p.hint("handeye state")));
        }
        if !self.is_seen(probe) {
            return blocked("it isn't visible".into()).map(|p| p.map(|p| p.hint("handeye state")));
        }
        if matches!(deed, Deed::Input(_)) && probe.states.has(State::Readonly) {
            return blocked("it is read-only".into());
        }
        if deed.needs_point(probe) && probe.point.is_none() {
            return blocked(match &probe.cover {
                Some(cover) => {
                    let cover_name = match cover.id.and_then(|id| self.eye.book.number(id)) {
                        Some(number) => describe(number, &cover.role, &cover.name),
                        None => locate::called(&cover.role, &cover.name),
                    };
                    format!("it is covered by {cover_name}")
                }
                None => {
                    "no point of it can be hit: it is inert or lets the pointer through, is outside of what can be scrolled into view, or has no size".into()
                }
            })
            .map(|p| p.map(|p| p.hint("handeye screenshot")));
        }
        if deed.needs_point(probe) && !probe.still {
            return blocked("it keeps moving".into());
        }
        Ok(None)
    }

    /// Deeds that the element can't take at all.
    fn supported(&mut self, probe: &Probe) -> Result<(), Problem> {
        // A hint names the target by its number, as every command takes it.
        let number = self.eye.book.mention(probe.id, || matching::shown_now(probe)).0;
        supported::supported(&self.ask.deed, probe, &self.name(probe), number)
    }

    /// Where a drag ends. An element there is held to what the agent was last shown of it, and must be hit.
    async fn drop_place(&mut self) -> Result<Dropping, Problem> {
        let native = match &self.ask.deed {
            Deed::Drag { to: DropAt::Place(point), .. } => return Ok(Dropping::At(*point, None)),
            Deed::Drag { to: DropAt::Element(native), .. } => *native,
            _ => return Ok(Dropping::Nowhere),
        };
        let known = self.eye.book.number(native).and_then(|n| self.eye.book.get(n)).map(|k| k.shown.clone());
        let Some(probe) = self.surface.probe(native, Aim { scroll: false, point: true, ..Aim::default() }).await?
        else {
            return Err(Problem::new(Code::Stale, "the element to drop on is gone").hint("handeye state"));
        };
        let name = self.name(&probe);
        let any = self.ask.expectation == Expectation::Any;
        let check = matching::check(&Expectation::LastShown, known.as_ref(), &probe, &self.eye.mask);
        if !any && (matches!(check, Check::Fails { .. }) || !matching::is_in_row(known.as_ref(), &probe)) {
            let was = known.map(|k| format!("{} {}", k.role, crate::outline::quote(k.words(), 80))).unwrap_or_default();
            return Ok(Dropping::Refused(format!(
                "not dragged: you were last shown {was} to drop on; it is now {name}"
            )));
        }
        let Some(point) = probe.point else {
            let why = match &probe.cover {
                Some(cover) => format!("covered by {} {}", cover.role, crate::outline::quote(&cover.name, 80)),
                None => "out of view".into(),
            };
            return Err(Problem::new(Code::Blocked, format!("can't drag to {name}: it is {why}"))
                .hint("handeye screenshot")
                .hint("handeye scroll down"));
        };
        let held = (!any).then(|| matching::hold(known.as_ref(), &probe));
        Ok(Dropping::At(point, Some(End { target: native, held })))
    }

    async fn stale(&mut self) -> Result<Problem, Problem> {
        let capture = self.surface.capture(Want::default()).await?;
        let number = self.eye.book.number(self.located.native);
        let shown = self.located.shown.clone().unwrap_or_default();
        Ok(locate::stale(self.eye, number, &shown, &capture))
    }

    /// What was shown of the target that isn't so any more: its name, unless that still is.
    fn differing<'s>(&self, shown: &'s Shown, probe: &Probe) -> &'s str {
        match &shown.said {
            Some(said) if matching::same_name(shown, &probe.role, &probe.name) => &said.text,
            _ => shown.words(),
        }
    }

    fn name(&self, probe: &Probe) -> String {
        self.called(probe.id, &probe.role, matching::shown_now(probe).words())
    }

    fn called(&self, id: handeye_scene::NativeId, role: &str, words: &str) -> String {
        match self.eye.book.number(id) {
            Some(number) => describe(number, role, words),
            None => locate::called(role, words),
        }
    }

    /// A receipt for this target, with nothing in it yet. The number is given without noting what the target shows now:
    /// a refusal must not make the new label the one that was last shown. A target that was never shown gets a number.
    fn receipt(&mut self, probe: &Probe, verdict: Verdict) -> Receipt {
        let book = &mut self.eye.book;
        let number = book.mention(probe.id, || matching::shown_now(probe));
        blank(self.ask, &self.located, (number, probe), verdict, &self.eye.mask)
    }

    /// A receipt for what was not done: its action is the verb, not the deed done.
    fn refusal(&mut self, probe: &Probe, verdict: Verdict) -> Receipt {
        Receipt { action: self.ask.deed.verb().into(), ..self.receipt(probe, verdict) }
    }

    fn withheld(&mut self, probe: &Probe, withheld: &Withheld) -> Receipt {
        if withheld.was_heard() {
            return self.overtaken(probe, withheld);
        }
        let mut receipt = self.refusal(probe, Verdict::Contradicted);
        receipt.reason = Some(why_withheld(withheld, probe));
        receipt.hints = vec!["handeye state".into()];
        receipt
    }

    /// Listeners of the page got it while the target was as it was shown, and one relabelled it before the next one's turn.
    fn overtaken(&mut self, probe: &Probe, withheld: &Withheld) -> Receipt {
        let mut receipt = self.receipt(probe, Verdict::Unverifiable);
        receipt.reason = Some(why_overtaken(withheld, probe));
        receipt.hints = vec!["handeye state".into()];
        receipt
    }
}
