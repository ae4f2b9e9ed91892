//! What scripts draw themselves, such as a canvas, shows in no tree, and what a window without one shows neither: the pixels are
//! compared.

use crate::act::mutations::is_unspecific;
use handeye_scene::{Aim, Capture, Clock, Evidence, NativeId, Probe, Receipt, Rect, Surface, Verdict};
use std::time::Duration;

/// Waits between the pictures that must be the same before a gesture for one after it to tell anything: uneven, as what moves
/// comes back to where it was.
const STEADY: [Duration; 2] = [Duration::from_millis(40), Duration::from_millis(70)];

/// How long the same must show again after a change for that to be an effect: longer than carets take to blink, and clocks of
/// seconds to go on.
const STANDS: Duration = Duration::from_millis(1400);
/// So long after its first change a window may change on, as what flashes where it is pressed does.
const FADES: Duration = Duration::from_millis(350);
/// And so long an element, which may be a picture that moves to where a press takes it.
const MOVES: Duration = Duration::from_millis(2500);
/// What stood still, and then changes at so many looks running, goes on since it was pressed: no clock ticks as fast.
const RUNNING: usize = 8;
/// How often it is looked at meanwhile: shorter than carets are hidden.
const LOOK: Duration = Duration::from_millis(120);
/// What is looked at less often, as on a busy machine, may have been on and off between two looks: carets are for 500 ms and more each.
const BLINK: Duration = Duration::from_millis(450);

/// What is drawn somewhere before a gesture.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    of: Of,
    /// Where it was.
    area: Rect,
    /// None where nothing is known of it.
    pixels: Result<u64, Unknown>,
}

/// Why nothing is known of what is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unknown {
    /// It doesn't stand still.
    Moving,
    /// No picture can be had.
    Unpictured,
}

/// What draws.
#[derive(Debug, Clone, Copy)]
enum Of {
    Element(NativeId),
    Video(NativeId),
    /// The current window, of which no tree tells.
    Window,
}

/// Whether what an element shows is drawn by a script or a plug-in.
pub fn is_drawn(probe: &Probe) -> bool {
    matches!(probe.tag.as_str(), "canvas" | "embed" | "object" | "video")
}

impl Drawn {
    /// What an element shows now.
    pub async fn before(surface: &mut dyn Surface, clock: &dyn Clock, probe: &Probe) -> Self {
        let of = if probe.tag == "video" { Of::Video(probe.id) } else { Of::Element(probe.id) };
        Self { of, area: probe.rect, pixels: steady(surface, clock, probe.rect).await }
    }

    /// What the current window shows now, which is here.
    pub async fn in_window(surface: &mut dyn Surface, clock: &dyn Clock, area: Rect) -> Self {
        Self { of: Of::Window, area, pixels: steady(surface, clock, area).await }
    }

    /// The same right before the gesture, which may come long after: what has changed meanwhile, as the pointer brings it about
    /// only after a while, may go on changing.
    pub(super) async fn again(self, surface: &mut dyn Surface) -> Self {
        let Ok(pixels) = self.pixels else { return self };
        let is_same = surface.pixels(self.area).await == Some(pixels);
        if is_same { self } else { Self { pixels: Err(Unknown::Moving), ..self } }
    }

    /// Judges a gesture by what is drawn since, where nothing tells of it but the receipt's `own` first evidence. No effect is
    /// known of where nothing can be compared. `at_once`: it is the first look since. `after`: the look, where there is one.
    pub async fn judge(
        self,
        surface: &mut dyn Surface,
        clock: &dyn Clock,
        receipt: &mut Receipt,
        (own, at_once): (usize, bool),
        after: Option<&Capture>,
    ) {
        let tells_nothing = matches!(receipt.verdict, Verdict::NoEffect | Verdict::Unverifiable);
        if !tells_nothing || !receipt.evidence[own..].iter().all(is_unspecific) {
            return;
        }
        let stays = self.pixels.is_ok() && self.stays(surface, after).await;
        let now = if stays { surface.pixels(self.area).await } else { None };
        let is_effect = match now {
            Some(now) if Ok(now) == self.pixels => return,
            Some(now) => self.is_effect(surface, clock, now, at_once).await,
            None => false,
        };
        if is_effect {
            receipt.evidence.push(Evidence::Drawn);
            (receipt.verdict, receipt.reason) = (Verdict::Confirmed, None);
        } else if receipt.verdict == Verdict::NoEffect
            || matches!(self.of, Of::Window)
            || receipt.evidence[own..].is_empty()
        {
            // That nothing was seen to change would be untrue.
            receipt.verdict = Verdict::Unverifiable;
            let why = if self.pixels == Err(Unknown::Unpictured) { UNPICTURED } else { UNCOMPARED };
            receipt.reason = Some(why.into());
        }
    }

    /// Whether that something else is drawn comes of the gesture, and not of what draws, as with clocks: it changes at once, and
    /// then stands.
    async fn is_effect(self, surface: &mut dyn Surface, clock: &dyn Clock, now: u64, at_once: bool) -> bool {
        let (on, running) = match self.of {
            // It plays from then on.
            Of::Video(_) => return at_once,
            Of::Element(_) => (MOVES, RUNNING),
            Of::Window => (FADES, usize::MAX),
        };
        let stands = if at_once { stands(surface, clock, self.area, (on, running), now).await } else { None };
        stands.is_some_and(|stands| Ok(stands) != self.pixels)
    }

    /// Whether it is where it was: another place shows something else, whatever was done.
    async fn stays(&self, surface: &mut dyn Surface, after: Option<&Capture>) -> bool {
        let place = match self.of {
            Of::Element(id) | Of::Video(id) => match surface.probe(id, Aim::default()).await {
                Ok(Some(probe)) => Some(probe.rect),
                _ => None,
            },
            Of::Window => after.and_then(|after| after.treeless),
        };
        let Some(place) = place else { return false };
        let sides = |r: Rect| [r.x, r.y, r.width, r.height];
        sides(place).iter().zip(sides(self.area)).all(|(now, before)| (now - before).abs() <= 0.5)
    }
}

/// What a place shows, if that stays the same for a moment.
async fn steady(surface: &mut dyn Surface, clock: &dyn Clock, area: Rect) -> Result<u64, Unknown> {
    let pixels = surface.pixels(area).await.ok_or(Unknown::Unpictured)?;
    let mut is_steady = true;
    for wait in STEADY {
        clock.sleep(wait).await;
        is_steady &= surface.pixels(area).await.ok_or(Unknown::Unpictured)? == pixels;
    }
    if is_steady { Ok(pixels) } else { Err(Unknown::Moving) }
}

/// What a place shows that has just begun to change, once it stands still, or goes on at so many looks `running`; none where it changes
/// now and then for longer than `on`.
async fn stands(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    area: Rect,
    (on, running): (Duration, usize),
    changed: u64,
) -> Option<u64> {
    let mut watch = Watch::new(changed, clock.elapsed(), on, running);
    loop {
        clock.sleep(LOOK).await;
        let pixels = surface.pixels(area).await?;
        match watch.see(pixels, clock.elapsed()) {
            Seen::Undecided => {}
            Seen::Stands => return Some(pixels),
            Seen::Restless => return None,
        }
    }
}

/// What was seen of a place that has begun to change.
#[derive(Debug)]
struct Watch {
    begun: Duration,
    on: Duration,
    running: usize,
    last: u64,
    /// Since when it shows that, as far as it was looked at often enough.
    since: Duration,
    looked: Duration,
    /// So many looks running found something else.
    changes: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Undecided,
    /// It stands still, or has gone on changing at each look.
    Stands,
    /// It changes now and then, or can't be looked at often enough to tell.
    Restless,
}

impl Watch {
    fn new(last: u64, now: Duration, on: Duration, running: usize) -> Self {
        Self { begun: now, on, running, last, since: now, looked: now, changes: 0 }
    }

    /// One more look.
    fn see(&mut self, pixels: u64, now: Duration) -> Seen {
        let gap = now.saturating_sub(self.looked);
        self.looked = now;
        let so_far = now.saturating_sub(self.begun);
        if pixels != self.last {
            self.changes = if gap <= BLINK { self.changes + 1 } else { 0 };
            (self.last, self.since) = (pixels, now);
            return match () {
                () if self.changes >= self.running => Seen::Stands,
                () if so_far > self.on => Seen::Restless,
                () => Seen::Undecided,
            };
        }
        self.changes = 0;
        // What was on and off and on again meanwhile looks the same.
        if gap > BLINK {
            self.since = now;
        }
        match () {
            () if now.saturating_sub(self.since) >= STANDS => Seen::Stands,
            () if so_far > self.on + 2 * STANDS => Seen::Restless,
            () => Seen::Undecided,
        }
    }
}

/// Why nothing is known of what no picture can be had of.
const UNPICTURED: &str =
    "no picture of what is drawn there can be had, as of a tab behind another, and nothing else was seen to change";

/// Why nothing is known of what is drawn.
const UNCOMPARED: &str =
    "what is drawn there may change by itself or can't be compared, and nothing else was seen to change";

#[cfg(test)]
mod tests {
    use super::*;

    /// What a watch comes to of what is drawn at each time, looked at so often, ms.
    fn comes_to(drawn: impl Fn(u64) -> u64, gap: u64) -> Seen {
        let mut watch = Watch::new(drawn(0), Duration::ZERO, MOVES, RUNNING);
        for at in (gap..20_000).step_by(gap as usize) {
            match watch.see(drawn(at), Duration::from_millis(at)) {
                Seen::Undecided => {}
                seen => return seen,
            }
        }
        panic!("undecided after 20 s, looked at each {gap} ms");
    }

    #[test]
    fn what_blinks_stands_at_no_pace_of_looks() {
        for half in [500, 530, 600, 1000] {
            for gap in (120..2500).step_by(10) {
                assert_eq!(
                    comes_to(|at| at / half % 2, gap),
                    Seen::Restless,
                    "on and off for {half} ms, each {gap} ms"
                );
            }
        }
    }

    #[test]
    fn what_changed_once_stands_and_what_runs_does() {
        for gap in [120, 200, 350, 450] {
            assert_eq!(comes_to(|_| 1, gap), Seen::Stands, "each {gap} ms");
        }
        for gap in [120, 200, 350] {
            assert_eq!(comes_to(|at| at.min(700), gap), Seen::Stands, "700 ms of motion, each {gap} ms");
        }
        for (gap, seen) in [(120, Seen::Stands), (300, Seen::Stands), (460, Seen::Restless), (600, Seen::Restless)] {
            assert_eq!(comes_to(|at| at, gap), seen, "motion without end, each {gap} ms");
        }
    }
}
