//! The place that a press must come to, as the document of its target has it.

use crate::capture::placement::{self, BESIDE, InDocument};
use crate::cdp::link::Link;
use handeye_scene::{Guard, Point, Problem};
use serde_json::{Value, json};

/// Where a press must come, in pixels of the target's document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    /// In its viewport.
    at: Point,
    /// In the target, from its top left corner. None: anywhere.
    offset: Option<Point>,
    /// By how much it may be missed.
    near: f64,
    /// Whether a press may go astray on its way there.
    strays: bool,
}

/// Whether a press is held to a place.
pub(super) enum Spotted {
    Anywhere,
    There(Spot),
    /// Nobody can say where it is.
    Unknown,
}

impl Spot {
    /// For a press at a place of the main viewport.
    pub(super) async fn of(link: &Link, guard: &Guard, at: Point) -> Result<Spotted, Problem> {
        let Some(target) = guard.target.filter(|_| guard.place) else { return Ok(Spotted::Anywhere) };
        let (at, near, map) = match placement::in_document(link, target.document(), at).await? {
            InDocument::Alike if guard.offset.is_none() => return Ok(Spotted::Anywhere),
            InDocument::Alike => (at, BESIDE, None),
            InDocument::At(at, near, map) => (at, near, Some(map)),
            InDocument::Unknown => return Ok(Spotted::Unknown),
        };
        let offset = match (guard.offset, map) {
            (Some(offset), Some(map)) => match placement::offset_in_document(link, target, &map, offset).await {
                Some(offset) => Some(offset),
                None => return Ok(Spotted::Unknown),
            },
            (offset, _) => offset,
        };
        Ok(Spotted::There(Self { at, offset, near, strays: map.is_some() }))
    }

    /// As the page script takes it.
    pub(super) fn told(&self) -> Value {
        let place = |place: Point| [place.x, place.y];
        json!({ "at": place(self.at), "offset": self.offset.map(place), "near": self.near, "strays": self.strays })
    }
}
