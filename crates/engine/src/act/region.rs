//! Acting on a region: by its place, after a fresh look that what is seen there is what was shown.
//!
//! An action that has no form by coordinates is refused, and never made into a click.

use crate::act::action::{Action, ClickBy, DropAt, is_within};
use crate::act::attempt::{Act, Done, Tried};
use crate::act::drawn::Drawn;
use crate::act::drop::{Dropping, drop_place, find_region};
use crate::act::empty_receipt::{why_overtaken, why_withheld};
use crate::act::watched::{Watched, is_pressed, known, stand_still, within_reach};
use crate::locate::Locator;
use crate::matching::{self, Expectation};
use crate::observe::memory::Memory;
use crate::observe::outline::{quote, quote_own, round};
use crate::observe::refs::Region;
use crate::perceive::regions::{place, target};
use handeye_scene::{
    Aim, Button, Capture, Chord, Code, Delivery, EditKind, End, Evidence, Gesture, Guard, Modifiers, NativeId, Point,
    Pressed, Probe, Problem, Receipt, Rect, Ref, Verdict, Want, Withheld,
};
use std::time::Duration;

/// What a region was told from changed its size where a side is longer or shorter by more, in units of the surface.
const RESIZED: f64 = 1.0;

/// A region that is acted on.
pub(super) struct OnRegion {
    number: Ref,
    region: Region,
    /// The place in it that is meant.
    at: Point,
}

/// A gesture, with the element and the region that it must end on.
type Aimed = (Gesture, Option<End>, Option<Box<Watched>>);

/// A gesture that is about to be made.
struct Poised {
    gesture: Gesture,
    guard: Guard,
    /// The region that a drag ends on.
    end: Option<Box<Watched>>,
}

/// The region that these locators name, if it is one: by number, and before any other.
pub(super) fn named(memory: &Memory, locators: &[Locator]) -> Option<(Ref, Region)> {
    match locators.first() {
        Some(Locator::Ref(number)) => known(memory, *number).ok(),
        _ => None,
    }
}

impl OnRegion {
    pub(super) fn resolve(act: &mut Act<'_>, (number, region): (Ref, Region)) -> Result<Self, Problem> {
        let at = aimed(&region, &act.request.action)?;
        let to = match act.request.action {
            Action::Drag { to: DropAt::Place(to), .. } => Some(to),
            Action::Drag { to: DropAt::Region(to), .. } => Some(known(act.memory, to)?.1.claim.rect.center()),
            _ => None,
        };
        let places: Vec<Point> = std::iter::once(at).chain(to).collect();
        within_reach(act.surface, &places, act.before.viewport)?;
        Ok(Self { number, region, at })
    }

    /// Looks whether it is there as it was shown, puts the pointer there, looks whether it still is, and does it once.
    pub(super) async fn attempt(&self, act: &mut Act<'_>) -> Result<Tried, Problem> {
        let any = act.request.expectation == Expectation::Any;
        let mut now = act.surface.capture(Want::default()).await?;
        let watched =
            Watched::find((act.surface, act.clock), (self.number, self.region.clone()), &mut now, any).await?;
        let hit = self.hit(act, &watched, &now).await?;
        if let Some(receipt) = self.unexpected(act) {
            return Ok(Tried::Answer(Box::new(receipt)));
        }
        watched.hold_to_window(act.surface, self.at, false).await?;
        if any || !is_pressed(&act.request.action) || !watched.is_by_pixels() {
            let poised = match self.poise(act, hit.as_ref(), None).await? {
                Ok(poised) => poised,
                Err(receipt) => return Ok(Tried::Answer(receipt)),
            };
            return self.perform(act, &watched, (hit, poised), None).await;
        }
        let end = match act.request.action {
            Action::Drag { to: DropAt::Region(number), .. } => Some(find_region(act, number).await?),
            _ => None,
        };
        // What is drawn otherwise under the pointer would get the press: the pointer comes first.
        let pointing = guard(act, hit.as_ref(), self.at);
        let delivery = act.perform(&Gesture::Hover { at: self.at }, &pointing).await?;
        let came = act.clock.elapsed();
        if let Delivery::Withheld(_) = delivery {
            return Ok(self.done(act, (hit, None), delivery));
        }
        act.surface.settle(act.request.settle).await?;
        // What its coming changed is no effect of the press.
        act.before = act.surface.capture(Want { compared: true, ..Want::default() }).await?;
        let now = act.before.clone();
        watched.check_anchors(&now)?;
        let hit = self.hit(act, &watched, &now).await?;
        let poised = match self.poise(act, hit.as_ref(), end).await? {
            Ok(poised) => poised,
            Err(receipt) => return Ok(Tried::Answer(receipt)),
        };
        self.perform(act, &watched, (hit, poised), Some(came)).await
    }

    /// What lies at the place, if it may be acted on there.
    async fn hit(&self, act: &mut Act<'_>, watched: &Watched, now: &Capture) -> Result<Option<Probe>, Problem> {
        let hit = match act.surface.element_at(self.at).await? {
            Some(id) => act.surface.probe(id, Aim::default()).await?,
            None => None,
        };
        if act.request.expectation != Expectation::Any {
            watched.check_covered(act.surface, (self.at, hit.as_ref())).await?;
        }
        watched.check_hit(now, hit.as_ref())?;
        self.check_reach(act, watched, hit.as_ref())?;
        self.permit(act, hit.as_ref()).await?;
        Ok(hit)
    }

    /// The gesture and its guard; or the receipt that says why there is none.
    async fn poise(
        &self,
        act: &mut Act<'_>,
        hit: Option<&Probe>,
        end: Option<Watched>,
    ) -> Result<Result<Poised, Box<Receipt>>, Problem> {
        let guard = guard(act, hit, self.at);
        if let (Action::Input(_), Some(_)) = (&act.request.action, hit) {
            let gesture =
                Gesture::Click { at: self.at, button: Button::Left, count: 1, modifiers: Modifiers::default() };
            return Ok(Ok(Poised { gesture, guard, end: None }));
        }
        let (gesture, on, end) = match self.gesture(act, end).await? {
            Ok(gesture) => gesture,
            Err(receipt) => return Ok(Err(receipt)),
        };
        let guard = Guard { end: on.filter(|_| act.request.guarded), ..guard };
        Ok(Ok(Poised { gesture, guard, end }))
    }

    /// Performs the gesture. `came`: since when the pointer is there, if what it brings about is to be seen before.
    async fn perform(
        &self,
        act: &mut Act<'_>,
        watched: &Watched,
        (hit, Poised { gesture, guard, end }): (Option<Probe>, Poised),
        came: Option<Duration>,
    ) -> Result<Tried, Problem> {
        let drawn = act.drawn(hit.as_ref(), &gesture, &guard).await?;
        if let (Some(end), Gesture::Drag { to, .. }) = (&end, &gesture) {
            end.hold_to_window(act.surface, *to, false).await?;
        }
        // A gesture is held to one window, or to all that belong together.
        let goes_on = end.as_ref().is_some_and(|end| end.region.document != self.region.document);
        watched.hold_to_window(act.surface, self.at, goes_on).await?;
        if let Some(came) = came {
            let all: Vec<&Watched> = std::iter::once(watched).chain(end.as_deref()).collect();
            stand_still(act.surface, act.clock, &all, came).await?;
        } else if let Some(end) = &end {
            end.await_drop(act.surface, act.clock, act.request.expectation == Expectation::Any).await?;
            watched.hold_to_window(act.surface, self.at, goes_on).await?;
        }
        if let (Action::Input(text), Some(field)) = (&act.request.action, &hit) {
            return Ok(match self.input(act, text, field, (&gesture, &guard)).await? {
                Ok(delivery) => self.done(act, (hit, None), delivery),
                Err(receipt) => Tried::Answer(receipt),
            });
        }
        let drawn = match drawn {
            Some(drawn) => Some(drawn.again(act.surface).await),
            None => None,
        };
        let delivery = act.perform(&gesture, &guard).await?;
        Ok(self.done(act, (hit, drawn), delivery))
    }

    fn done(&self, act: &Act<'_>, (probe, drawn): (Option<Probe>, Option<Drawn>), delivery: Delivery) -> Tried {
        let receipt = self.receipt(act.request.action.past(), Verdict::NoEffect);
        let region = Some(self.region.anchors.clone());
        Tried::Done(Box::new(Done { probe, drawn, delivery, receipt, focus: None, region }))
    }

    /// The receipt of a gesture that the guard stopped.
    pub(super) fn withheld(&self, act: &Act<'_>, done: &Done, withheld: &Withheld) -> Receipt {
        let action = &act.request.action;
        let mut receipt = match withheld.was_heard() {
            true => self.receipt(action.past(), Verdict::Unverifiable),
            false => self.receipt(action.verb(), Verdict::Contradicted),
        };
        receipt.reason = done.probe.as_ref().map(|hit| match withheld.was_heard() {
            true => why_overtaken(withheld, hit),
            false => why_withheld(withheld, hit),
        });
        receipt.hints.push("handeye state".into());
        receipt
    }

    fn receipt(&self, action: &str, verdict: Verdict) -> Receipt {
        Receipt { target: Some(target(self.number, &self.region)), ..Receipt::new(action, verdict) }
    }

    /// What is answered where it isn't called as expected.
    fn unexpected(&self, act: &Act<'_>) -> Option<Receipt> {
        let Expectation::Text(text) = &act.request.expectation else { return None };
        let claim = &self.region.claim;
        if matching::contains(claim.shown(), text) {
            return None;
        }
        let mut receipt = self.receipt(act.request.action.verb(), Verdict::Contradicted);
        let is_unread = claim.shown().is_empty() && !claim.name.is_empty();
        let found = if is_unread { "nothing: a model says what it is called".into() } else { quote(claim.shown(), 80) };
        receipt.reason = Some(format!("expected text {}, found {found}", quote_own(text, 80)));
        receipt.hints.push(if is_unread { "handeye state --ocr --vision".into() } else { "handeye state".into() });
        Some(receipt)
    }

    /// Refuses to press what the rules name: the region, by what it is called, and what is hit there.
    async fn permit(&self, act: &mut Act<'_>, hit: Option<&Probe>) -> Result<(), Problem> {
        let claim = &self.region.claim;
        let own = Pressed { role: claim.role.clone(), words: vec![claim.name.clone()] };
        act.permit_words(NativeId::new(self.region.document, 0), &[own])?;
        match hit {
            Some(hit) => act.permit_press(hit.id).await,
            None => act.permit_unknown("nobody can say what is at that place"),
        }
    }

    /// Refuses what the rules deny, what lies over a window, and what can't be done by place.
    fn check_reach(&self, act: &mut Act<'_>, watched: &Watched, hit: Option<&Probe>) -> Result<(), Problem> {
        let document = hit.map_or(self.region.document, |hit| hit.document);
        let (number, verb) = (self.number, act.request.action.verb());
        crate::policy::origin::permit(act.surface, document, &act.request.denied, verb)?;
        if let (None, false) = (hit, act.request.denied.is_empty()) {
            let what = "the policy denies an origin, and nobody can say which document is at that place";
            return Err(Problem::new(Code::Denied, what).hint("handeye config show"));
        }
        watched.check_window(act.surface, hit)?;
        let by_place = match &act.request.action {
            Action::Click { by, .. } => *by != ClickBy::Activation,
            Action::Hover | Action::Drag { .. } | Action::Scroll { .. } => true,
            Action::Input(_) => return self.check_readable(act, hit),
            _ => false,
        };
        if by_place {
            return Ok(());
        }
        let what = format!(
            "can't {verb} {number}: it is a place without an element, which can be clicked, dragged, pointed to and scrolled"
        );
        Err(Problem::new(Code::Unsupported, what).hint(format!("handeye click {}", number.0)))
    }

    /// Refuses text for a place that can't be read back.
    fn check_readable(&self, act: &Act<'_>, hit: Option<&Probe>) -> Result<(), Problem> {
        let is_field = |hit: &Probe| matches!(hit.edit, EditKind::Text | EditKind::Contenteditable) && hit.enabled;
        if act.request.only_in.is_none() && hit.is_some_and(is_field) {
            return Ok(());
        }
        let number = self.number;
        let what = format!(
            "what is put in at {number} couldn't be read back: no field there says what it holds; click it, then type"
        );
        Err(Problem::new(Code::Unsupported, what).hint(format!("handeye click {}", number.0)))
    }

    /// The gesture, and what it must end on if a target was named; or the receipt that says why there is none.
    async fn gesture(&self, act: &mut Act<'_>, end: Option<Watched>) -> Result<Result<Aimed, Box<Receipt>>, Problem> {
        if let Action::Drag { to, button, duration_ms } = &act.request.action {
            let (from, button, duration_ms) = (self.at, *button, *duration_ms);
            if let DropAt::Element(id) = to {
                crate::policy::origin::permit(act.surface, id.document(), &act.request.denied, "drop")?;
            }
            match drop_place(act, end).await? {
                Dropping::At(to, on, end) => {
                    let modifiers = Modifiers::default();
                    return Ok(Ok((Gesture::Drag { from, to, button, duration_ms, modifiers }, on.map(|on| *on), end)));
                }
                Dropping::Refused(reason) => {
                    let mut receipt = self.receipt(act.request.action.verb(), Verdict::Contradicted);
                    receipt.reason = Some(reason);
                    receipt.hints.push("handeye state".into());
                    return Ok(Err(Box::new(receipt)));
                }
                Dropping::Nowhere => {}
            }
        }
        let gesture = act.request.action.gesture_at(self.at).ok_or_else(|| {
            let what = format!("can't {} at a place: name a target", act.request.action.verb());
            Problem::new(Code::Unsupported, what).hint("handeye state")
        })?;
        Ok(Ok((gesture, None, None)))
    }

    /// Clicks, selects all and types; the loop reads it back. Nothing is typed where the field didn't take the focus.
    async fn input(
        &self,
        act: &mut Act<'_>,
        text: &str,
        field: &Probe,
        (click, guard): (&Gesture, &Guard),
    ) -> Result<Result<Delivery, Box<Receipt>>, Problem> {
        let delivery = act.perform(click, guard).await?;
        if !matches!(delivery, Delivery::Delivered { .. }) {
            return Ok(Ok(delivery));
        }
        act.surface.settle(act.request.settle).await?;
        if act.surface.focused().await? != Some(field.id) {
            let mut receipt = self.receipt(act.request.action.verb(), Verdict::Contradicted);
            receipt.reason = Some("clicked; it didn't take the focus, so nothing was typed".into());
            return Ok(Err(Box::new(receipt)));
        }
        let keys = Guard { target: Some(field.id), ..Guard::default() };
        let chord =
            |ctrl: bool, key: &str| Chord { modifiers: Modifiers { ctrl, ..Modifiers::default() }, key: key.into() };
        let clear = Gesture::Keys(vec![chord(true, "a"), chord(false, "Delete")]);
        let delivery = act.perform(&clear, &keys).await?;
        if !matches!(delivery, Delivery::Delivered { .. }) || text.is_empty() {
            return Ok(Ok(delivery));
        }
        Ok(Ok(act.perform(&Gesture::Type { text: text.to_owned(), pace_ms: 0 }, &keys).await?))
    }
}

/// What every event must hit: on a page, what was just found at the place, and there that place of it.
fn guard(act: &Act<'_>, hit: Option<&Probe>, at: Point) -> Guard {
    match hit {
        Some(hit) if act.request.guarded && act.before.surface == "web" => {
            let offset = Point::new(at.x - hit.rect.x, at.y - hit.rect.y);
            let offset = (act.request.expectation != Expectation::Any).then_some(offset);
            Guard { target: Some(hit.id), place: true, offset, ..Guard::default() }
        }
        _ => Guard::default(),
    }
}

/// The place that is meant in a region.
fn aimed(region: &Region, action: &Action) -> Result<Point, Problem> {
    let rect = region.claim.rect;
    match action.place() {
        None => Ok(rect.center()),
        Some(offset) if is_within(offset, rect) => Ok(Point::new(rect.x + offset.x, rect.y + offset.y)),
        Some(offset) => {
            let size = format!("{}×{}", rect.width, rect.height);
            Err(Problem::new(
                Code::BadRequest,
                format!("{},{} is outside the target, which is {size}", offset.x, offset.y),
            ))
        }
    }
}

/// A border that is dragged is to make what it was told from larger or smaller: whatever else changed proves nothing of that.
pub(super) fn doubt_drag(action: &Action, judged: &mut Receipt) {
    if matches!(action, Action::Drag { .. }) && judged.verdict == Verdict::Confirmed {
        judged.verdict = Verdict::Unverifiable;
        judged.reason = Some("something changed, and what it was told from is as large as before".into());
    }
}

/// How much wider or narrower, higher or lower became what a region was told from: elements, and where they were.
pub(super) fn resized(anchors: &[(NativeId, Rect)], after: &Capture) -> Vec<Evidence> {
    let mut found = Vec::new();
    for (anchor, was) in anchors {
        let Some(now) = place(after, *anchor) else { continue };
        for (side, was, is) in [("width", was.width, now.width), ("height", was.height, now.height)] {
            if (was - is).abs() > RESIZED {
                let [from, to] = [was, is].map(|side| round(side).to_string());
                found.push(Evidence::Property { property: side.into(), from, to });
            }
        }
    }
    found
}
