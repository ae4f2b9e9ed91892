//! What scripts draw themselves, such as a canvas, shows in no tree: its pixels are compared.

use crate::act::mutations::is_unspecific;
use handeye_scene::{Aim, Clock, Evidence, NativeId, Probe, Receipt, Rect, Surface, Verdict};
use std::time::Duration;

/// Waits between the pictures that must be the same before a gesture for one after it to tell anything: uneven, as what moves
/// comes back to where it was.
const STEADY: [Duration; 2] = [Duration::from_millis(40), Duration::from_millis(70)];

/// What an element draws before a gesture.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    id: NativeId,
    /// Where it was.
    area: Rect,
    /// None where it doesn't stand still, or no picture can be had: then nothing is known of it.
    pixels: Option<u64>,
}

/// Whether what an element shows is drawn by a script or a plug-in.
pub fn is_drawn(probe: &Probe) -> bool {
    matches!(probe.tag.as_str(), "canvas" | "embed" | "object" | "video")
}

impl Drawn {
    /// What an element shows now.
    pub async fn before(surface: &mut dyn Surface, clock: &dyn Clock, probe: &Probe) -> Self {
        let area = probe.rect;
        let mut pixels = surface.pixels(area).await;
        for wait in STEADY {
            clock.sleep(wait).await;
            let now = surface.pixels(area).await;
            pixels = pixels.filter(|before| now == Some(*before));
        }
        Self { id: probe.id, area, pixels }
    }

    /// Judges a gesture by what is drawn since, where nothing tells of it but the receipt's `own` first evidence. What changes
    /// only later than `at_once` may do so by itself, as clocks do, and no effect is known of where nothing can be compared.
    pub async fn judge(self, surface: &mut dyn Surface, receipt: &mut Receipt, own: usize, at_once: bool) {
        let tells_nothing = matches!(receipt.verdict, Verdict::NoEffect | Verdict::Unverifiable);
        if !tells_nothing || !receipt.evidence[own..].iter().all(is_unspecific) {
            return;
        }
        let stays = self.pixels.is_some() && self.stays(surface).await;
        let now = if stays { surface.pixels(self.area).await } else { None };
        match now {
            Some(_) if now == self.pixels => {}
            Some(_) if at_once => {
                receipt.evidence.push(Evidence::Drawn);
                (receipt.verdict, receipt.reason) = (Verdict::Confirmed, None);
            }
            _ if receipt.verdict == Verdict::NoEffect => {
                receipt.verdict = Verdict::Unverifiable;
                receipt.reason = Some(UNCOMPARED.into());
            }
            _ => {}
        }
    }

    /// Whether it is where it was: another place shows something else, whatever was done.
    async fn stays(&self, surface: &mut dyn Surface) -> bool {
        let Ok(Some(probe)) = surface.probe(self.id, Aim::default()).await else { return false };
        let sides = |r: Rect| [r.x, r.y, r.width, r.height];
        sides(probe.rect).iter().zip(sides(self.area)).all(|(now, before)| (now - before).abs() <= 0.5)
    }
}

/// Why nothing is known of what is drawn.
const UNCOMPARED: &str =
    "what is drawn there may change by itself or can't be compared, and nothing else was seen to change";
