//! The place that a press must come to, as the document of its target has it.

use crate::capture::placement::{self, BESIDE, InDocument};
use crate::cdp::link::Link;
use handeye_scene::{Guard, NativeId, Point, Problem};
use serde_json::{Value, json};

/// Where a press must come, in pixels of the target's document.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spot {
    /// In its viewport. None: that is no matter.
    at: Option<Point>,
    /// In the target, from its top left corner. None: anywhere.
    offset: Option<Point>,
    /// By how much it may be missed.
    near: f64,
}

impl Spot {
    /// For a press at a place of the main viewport. None: nobody can say.
    pub(super) async fn of(link: &Link, guard: &Guard, target: NativeId, at: Point) -> Result<Option<Self>, Problem> {
        let (at, near, map) = match placement::in_document(link, target.document(), at).await? {
            InDocument::Alike => (None, BESIDE, None),
            InDocument::At(at, near, map) => (Some(at), near, Some(map)),
            InDocument::Unknown => return Ok(None),
        };
        let offset = match (guard.offset, map) {
            (Some(offset), Some(map)) => placement::offset_in_document(link, target, &map, offset).await,
            (offset, _) => offset,
        };
        let is_known = offset.is_some() || guard.offset.is_none();
        Ok(is_known.then_some(Self { at, offset, near }))
    }

    /// In the viewport, as the page script takes it.
    pub(super) fn in_viewport(&self) -> Value {
        self.told(self.at)
    }

    /// In the target, as the page script takes it.
    pub(super) fn in_target(&self) -> Value {
        self.told(self.offset)
    }

    fn told(&self, place: Option<Point>) -> Value {
        json!(place.map(|place| [place.x, place.y, self.near]))
    }
}
