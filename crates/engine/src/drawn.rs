//! What scripts draw themselves, such as a canvas, shows in no tree: its pixels are compared.

use crate::mutations::is_unspecific;
use handeye_scene::{Clock, Evidence, Probe, Receipt, Rect, Surface, Verdict};
use std::time::Duration;

/// Waits between the pictures that must be the same before a gesture for one after it to tell anything: uneven, as what moves
/// comes back to where it was.
const STEADY: [Duration; 2] = [Duration::from_millis(40), Duration::from_millis(70)];

/// A picture before a gesture.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    area: Rect,
    pixels: u64,
    /// Whether it stood still.
    steady: bool,
}

/// Whether what an element shows is drawn by a script or a plug-in.
pub fn is_drawn(probe: &Probe) -> bool {
    matches!(probe.tag.as_str(), "canvas" | "embed" | "object" | "video")
}

impl Drawn {
    /// What a rectangle shows now; none where no picture of it can be had.
    pub async fn before(surface: &mut dyn Surface, clock: &dyn Clock, area: Rect) -> Option<Self> {
        let pixels = surface.pixels(area).await?;
        let mut steady = true;
        for wait in STEADY {
            clock.sleep(wait).await;
            steady &= surface.pixels(area).await? == pixels;
        }
        Some(Self { area, pixels, steady })
    }

    /// Judges a gesture by what is drawn since, where nothing tells of it but the receipt's `own` first evidence.
    pub async fn judge(self, surface: &mut dyn Surface, receipt: &mut Receipt, own: usize) {
        let tells_nothing = matches!(receipt.verdict, Verdict::NoEffect | Verdict::Unverifiable);
        if !tells_nothing || !receipt.evidence[own..].iter().all(is_unspecific) {
            return;
        }
        if self.steady && surface.pixels(self.area).await.is_some_and(|pixels| pixels != self.pixels) {
            receipt.evidence.push(Evidence::Drawn);
            (receipt.verdict, receipt.reason) = (Verdict::Confirmed, None);
        }
    }

    /// No effect is known of where a picture changes by itself.
    pub fn doubt(self, receipt: &mut Receipt) {
        if !self.steady && receipt.verdict == Verdict::NoEffect {
            receipt.verdict = Verdict::Unverifiable;
            receipt.reason = Some("what is drawn there changes by itself, and nothing else was seen to change".into());
        }
    }
}
