//! What the places of targets tell of those that the tree doesn't hold: borders of columns and rows, splitters, the parts of
//! scroll bars and number fields, handles of text areas, edges of windows. No model is asked, and no pixel is looked at.
//!
//! Each rectangle is computed from rectangles that the surface told, so it is as exact as these, and says from which. Whether a
//! border can be dragged nobody can tell from places alone: that is what the confidence is for.

mod bars;
mod borders;
mod panes;
pub(super) mod part;
mod sheet;
mod window;

use async_trait::async_trait;
use handeye_scene::{Capture, Claim, Claims, Perceiver, Problem, Sight, Source, Wants};

/// What the places of targets tell.
#[derive(Debug, Clone, Copy, Default)]
pub struct Structure;

#[async_trait]
impl Perceiver for Structure {
    fn source(&self) -> Source {
        Source::Structure
    }

    fn wants(&self) -> Wants {
        Wants::default()
    }

    async fn perceive(&self, sight: &Sight<'_>, _known: &[Claim]) -> Result<Claims, Problem> {
        Ok(claims(sight.capture).into())
    }
}

/// Every claim that a capture's places support.
pub fn claims(capture: &Capture) -> Vec<Claim> {
    let mut found = borders::claims(capture);
    found.extend(sheet::claims(capture));
    found.extend(bars::claims(capture));
    found.extend(panes::claims(capture));
    found.extend(window::claims(capture));
    let area = capture.viewport;
    found.retain(|c| area.width <= 0.0 || c.rect.centered_in(&area));
    found
}

#[cfg(test)]
mod tests;
