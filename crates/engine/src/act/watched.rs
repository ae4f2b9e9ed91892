//! Whether a region is there as it was shown: before the pointer comes there, by its pixels; and with the pointer on it, until
//! right before the press, by its shapes.

use crate::act::action::{Action, in_view, on_screen};
use crate::observe::memory::Memory;
use crate::observe::refs::Region;
use crate::perceive::blink::{self, differs_by_a_caret};
use crate::perceive::likeness::is_alike;
use crate::perceive::pixels::{decode, print};
use crate::perceive::regions::place;
use crate::wording::targets::called;
use handeye_scene::{
    Capture, Clock, Code, NativeId, NodeKind, Picture, Point, Probe, Problem, Rect, Ref, Source, Surface, Want,
};
use std::time::Duration;

/// How far an anchor may be from where it was and still be there, in units of the surface.
const STILL: f64 = 1.0;
/// Waits between looks that must be the same at what is drawn under the pointer: uneven, as what moves comes back to where it was.
const GLANCES: [Duration; 2] = [Duration::from_millis(40), Duration::from_millis(70)];
/// So long after the pointer came, what it brings about may still be to come: what is pointed to is often drawn otherwise only
/// after a while, so that a pointer that passes by changes nothing.
const COMING: Duration = Duration::from_millis(250);
/// What doesn't stand still within this, and so many looks, never does.
const RESTLESS: Duration = Duration::from_secs(2);
const LOOKS: usize = 8;

/// A region that an action is about, as it was when it was found to be there still.
pub(super) struct Watched {
    pub(super) number: Ref,
    pub(super) region: Region,
    /// What the surface showed then, where the region is known by pixels.
    seen: Option<Picture>,
    /// On a desktop, the window that it was seen in, and the one whose windows belong together.
    window: (String, String),
}

/// The region of a number that something is done with.
pub(super) fn known(memory: &Memory, number: Ref) -> Result<(Ref, Region), Problem> {
    let gone =
        || Problem::new(Code::Stale, format!("what {number} was seen on is no longer open")).hint("handeye state");
    memory.refs.region(number).cloned().map(|region| (number, region)).ok_or_else(gone)
}

/// Where a region is, if it is there as it was shown.
pub async fn place_of(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    memory: &Memory,
    number: Ref,
) -> Result<Rect, Problem> {
    let (number, region) = known(memory, number)?;
    let rect = region.claim.rect;
    surface.turn_to(NativeId::new(region.document, 0));
    let mut now = surface.capture(Want::default()).await?;
    Watched::find((surface, clock), (number, region), &mut now, false).await?;
    Ok(rect)
}

/// Refuses places that lie out of what can be pointed to.
pub(super) fn within_reach(surface: &mut dyn Surface, places: &[Point], viewport: Rect) -> Result<(), Problem> {
    let is_inside = if surface.web().is_some() { in_view } else { on_screen };
    places.iter().try_for_each(|place| is_inside(*place, viewport))
}

impl Watched {
    /// The region, if it is there as it was shown, or is again once what blinks there is back; `now` is looked at anew then. `any`:
    /// whatever lies level with it.
    pub(super) async fn find(
        (surface, clock): (&mut dyn Surface, &dyn Clock),
        (number, region): (Ref, Region),
        now: &mut Capture,
        any: bool,
    ) -> Result<Self, Problem> {
        // A window's address is its handle.
        let own = now.documents.iter().find(|d| d.id == region.document).map(|d| &d.url);
        let own = own.filter(|handle| !handle.is_empty()).unwrap_or(&now.url);
        let window = (own.clone(), now.url.clone());
        let mut watched = Self { number, region, seen: None, window };
        watched.check_anchors(now)?;
        let Some(own) = watched.region.looks.own else {
            // Without pixels, only anchors can tell that it is the same.
            let is_told = !watched.region.anchors.is_empty();
            return if is_told { Ok(watched) } else { Err(watched.stale("nobody can say what is seen there")) };
        };
        let is_own = |picture: &Picture| print(picture, watched.region.claim.rect) == Some(own);
        let is_row = |picture: &Picture| {
            any || watched.region.looks.row.is_none_or(|(band, row)| print(picture, band) == Some(row))
        };
        let glance = blink::glance(surface, clock, |picture| is_own(picture) && is_row(picture)).await?;
        if !is_own(&glance.picture) {
            return Err(watched.stale("what is seen there has changed"));
        }
        if !is_row(&glance.picture) {
            return Err(watched.beside("what is seen level with it has changed"));
        }
        if glance.waited {
            *now = surface.capture(Want::default()).await?;
            watched.check_anchors(now)?;
        }
        watched.seen = Some(glance.picture);
        Ok(watched)
    }

    /// Whether pixels alone tell that it is the same.
    pub(super) fn is_by_pixels(&self) -> bool {
        self.region.anchors.is_empty() && self.seen.is_some()
    }

    /// Refuses a region whose document was left, or of which what it was told from is gone or elsewhere.
    pub(super) fn check_anchors(&self, now: &Capture) -> Result<(), Problem> {
        if !now.documents.iter().any(|d| d.id == self.region.document) {
            return Err(self.stale("its document was left"));
        }
        for (anchor, was) in &self.region.anchors {
            let Some(is) = place(now, *anchor) else { return Err(self.stale("what it was told from is gone")) };
            let sides = [(is.x, was.x), (is.y, was.y), (is.width, was.width), (is.height, was.height)];
            if sides.iter().any(|(is, was)| (is - was).abs() > STILL) {
                return Err(self.stale("what it was told from is elsewhere, or of another size"));
            }
        }
        Ok(())
    }

    /// Refuses a place that was told from elements and at which another target lies: where these are, the surface told wrong.
    /// LibreOffice, for one, tells of its cells where they were before its menu bar came up.
    pub(super) fn check_hit(&self, now: &Capture, hit: Option<&Probe>) -> Result<(), Problem> {
        let Some(hit) = hit else { return Ok(()) };
        if !is_foreign(now, hit.id, &self.region.anchors) {
            return Ok(());
        }
        let what =
            format!("at the place of {} lies {}, which it wasn't told from", self.number, called(&hit.role, &hit.name));
        Err(Problem::new(Code::Blocked, what).hint(again(self.region.claim.source)).hint("handeye screenshot"))
    }

    /// Refuses a place of a page at which another element lies than when it was shown, which may be one that shows nothing: in its
    /// middle, and at the place in it that is meant, where this was found.
    pub(super) async fn check_covered(
        &self,
        surface: &mut dyn Surface,
        (at, hit): (Point, Option<&Probe>),
    ) -> Result<(), Problem> {
        let Some(was) = self.region.hit else { return Ok(()) };
        let middle = self.region.claim.rect.center();
        let is_there = hit.is_some_and(|hit| hit.id == was);
        if is_there && (at == middle || surface.element_at(middle).await? == Some(was)) {
            return Ok(());
        }
        Err(self.stale("another element lies there than when it was shown"))
    }

    /// Refuses a place on a desktop at which something of another window lies.
    pub(super) fn check_window(&self, surface: &mut dyn Surface, hit: Option<&Probe>) -> Result<(), Problem> {
        let Some(hit) = hit.filter(|hit| hit.document != self.region.document) else { return Ok(()) };
        if surface.windows().is_none() {
            return Ok(());
        }
        let there = called(&hit.role, &hit.name);
        let what = format!("at the place of {} lies something of another window: {there}", self.number);
        Err(Problem::new(Code::Blocked, what).hint("handeye windows"))
    }

    /// Holds the next gesture on a desktop to the window that it was seen in, and refuses a place at which another one lies: what
    /// lies over a window isn't in the picture of it, and may have no tree. `whole`: to all windows that belong together, for what
    /// goes from one of them to another.
    pub(super) async fn hold_to_window(
        &self,
        surface: &mut dyn Surface,
        at: Point,
        whole: bool,
    ) -> Result<(), Problem> {
        let Some(windows) = surface.windows() else { return Ok(()) };
        windows.hold_to(if whole { &self.window.1 } else { &self.window.0 }, Some(at)).await
    }

    /// Right before a drag ends on it that begins at an element: whether it stands still, and nothing lies over it.
    pub(super) async fn await_drop(
        &self,
        surface: &mut dyn Surface,
        clock: &dyn Clock,
        any: bool,
    ) -> Result<(), Problem> {
        self.hold_to_window(surface, self.region.claim.rect.center(), false).await?;
        if any {
            return Ok(());
        }
        let since = clock.elapsed().saturating_sub(COMING);
        stand_still(surface, clock, &[self], since).await
    }

    /// Refuses what is seen now, with the pointer on it, if it isn't what was seen before the pointer came, whatever its colours.
    fn compare(&self, now: &Picture) -> Result<(), Problem> {
        // What is told from elements is known by these, and marks itself where it is pointed to, as grips of borders do.
        let Some(before) = self.seen.as_ref().filter(|_| self.region.anchors.is_empty()) else { return Ok(()) };
        if !is_same(before, now, self.region.claim.rect) {
            return Err(self.stale("what is seen there changed when the pointer came over it"));
        }
        if self.sides().into_iter().all(|part| is_same(before, now, part)) {
            return Ok(());
        }
        Err(self.beside("what is seen level with it changed when the pointer came over it"))
    }

    /// What lies level with it, on both sides: what is pointed to may have moved by a pixel, which what lies beside it has not.
    fn sides(&self) -> Vec<Rect> {
        let Some((band, _)) = self.region.looks.row else { return Vec::new() };
        let own = self.region.claim.rect;
        let (left, right) = (own.x - band.x, band.x + band.width - own.x - own.width);
        let sides = [(band.x, left), (own.x + own.width, right)].map(|(x, width)| Rect { x, width, ..band });
        sides.into_iter().filter(|side| side.width >= 1.0).collect()
    }

    /// Whether what is seen now differs by no more than a caret from what was seen before the pointer came, in what it is known by.
    fn blinks(&self, now: &Picture) -> bool {
        let Some(before) = &self.seen else { return false };
        let blinks = |part: Rect| is_same(before, now, part) || differs_by_a_caret(before, now, part);
        blinks(self.region.claim.rect) && self.sides().into_iter().all(blinks)
    }

    /// The pixels by which it is known, as numbers.
    fn prints(&self, picture: &Picture) -> [Option<u64>; 2] {
        let row = self.region.looks.row.and_then(|(band, _)| print(picture, band));
        [print(picture, self.region.claim.rect), row]
    }

    fn called(&self) -> String {
        crate::wording::targets::describe(self.number, &self.region.claim.role, &self.region.claim.name)
    }

    fn stale(&self, why: &str) -> Problem {
        Problem::new(Code::Stale, format!("{} is no longer there as it was shown: {why}", self.called()))
            .hint(again(self.region.claim.source))
    }

    fn beside(&self, what: &str) -> Problem {
        self.stale(&format!("{what}, so that it may be another one that looks alike"))
    }

    fn still_changing(&self) -> Problem {
        let what = format!(
            "what is seen at {} keeps changing while the pointer is on it; --expect-any presses whatever it shows",
            self.called()
        );
        Problem::new(Code::Blocked, what).hint("handeye screenshot")
    }
}

/// Waits, with the pointer on the first of these regions, until what is seen at all of them stands still, and refuses what isn't
/// what was seen before the pointer came; a caret that is gone is waited for. `came`: when it did, by the clock. The last look is
/// that right before the press.
pub(super) async fn stand_still(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    watched: &[&Watched],
    came: Duration,
) -> Result<(), Problem> {
    let Some(first) = watched.iter().find(|w| w.is_by_pixels()) else { return Ok(()) };
    let watched: Vec<&&Watched> = watched.iter().filter(|w| w.is_by_pixels()).collect();
    let begun = clock.elapsed();
    let (mut last, mut same, mut differs) = (None, 0, None);
    for (looks, wait) in GLANCES.iter().cycle().enumerate() {
        let now = clock.elapsed();
        let picture = decode(&surface.picture().await?)?;
        let prints: Vec<_> = watched.iter().map(|w| w.prints(&picture)).collect();
        same = if last.as_ref() == Some(&prints) { same + 1 } else { 0 };
        if same >= GLANCES.len() && now.saturating_sub(came) >= COMING {
            match watched.iter().try_for_each(|w| w.compare(&picture)) {
                Err(problem) if watched.iter().all(|w| w.blinks(&picture)) => differs = Some(problem),
                compared => return compared,
            }
        }
        if looks >= LOOKS && now.saturating_sub(begun) >= RESTLESS {
            return Err(differs.unwrap_or_else(|| first.still_changing()));
        }
        last = Some(prints);
        clock.sleep(*wait).await;
    }
    Ok(())
}

/// Whether a part of two pictures shows the same: the same pixels, or the same shapes in other colours.
fn is_same(before: &Picture, now: &Picture, part: Rect) -> bool {
    let (was, is) = (print(before, part), print(now, part));
    was.is_some() && is.is_some() && (was == is || is_alike(before, now, part))
}

/// Whether an element is a target that has nothing to do with these: it isn't one of them, around or inside one, nor of a role of
/// theirs, as the next column's header is.
fn is_foreign(now: &Capture, hit: NativeId, anchors: &[(NativeId, Rect)]) -> bool {
    let at = |id: NativeId| now.nodes.iter().position(|n| n.id == Some(id) && n.kind != NodeKind::Text);
    let Some(hit) = at(hit).filter(|at| !anchors.is_empty() && now.nodes[*at].kind == NodeKind::Operable) else {
        return false;
    };
    let up =
        |from: usize| std::iter::successors(Some(from), |at| now.nodes.get(*at)?.parent.filter(|above| above < at));
    // What says nothing itself, a pane for one, is among no nodes: nothing lies around it that could be told from it.
    let mut known = anchors.iter().filter_map(|(id, _)| at(*id)).peekable();
    known.peek().is_some()
        && known.all(|anchor| {
            let is_related = up(hit).any(|at| at == anchor) || up(anchor).any(|at| at == hit);
            !is_related && now.nodes[hit].role != now.nodes[anchor].role
        })
}

/// The command that shows again what a source sees.
pub(super) const fn again(source: Source) -> &'static str {
    match source {
        Source::Structure => "handeye state --infer",
        Source::Inferred => "handeye state --infer=model",
        Source::Ocr | Source::Shapes => "handeye state --ocr",
        Source::Vision => "handeye state --vision",
        Source::Native | Source::Ax => "handeye state",
    }
}

/// Whether the pointer presses there: what it only passes over or turns the wheel on isn't held to what it brings about.
pub(super) fn is_pressed(action: &Action) -> bool {
    matches!(action, Action::Click { .. } | Action::Drag { .. } | Action::Input(_))
}
