//! Where objects are on the screen, which is not what every toolkit tells.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place};
use crate::linux::atspi::ids::Tree;
use crate::linux::atspi::objects::{self, parent, placed};
use crate::linux::capture::cells;
use crate::linux::geometry::{contains, moved};
use crate::linux::windows::window_list::Seen;
use crate::quirks::{Extents, Quirks};
use crate::record::Record;
use handeye_scene::{Point, Rect};

/// From a toolkit's extents to the screen's.
pub(crate) fn shift(window: &Seen, frame: Option<Rect>, quirks: Quirks) -> (f64, f64) {
    match (quirks.extents, frame) {
        (Extents::Surface, Some(rect)) => (
            window.rect.x + (window.rect.width - rect.width) / 2.0 - rect.x,
            window.rect.y + (window.rect.height - rect.height) / 2.0 - rect.y,
        ),
        _ => (0.0, 0.0),
    }
}

/// Where an object is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// As its toolkit tells it.
    told: Rect,
    /// On the screen.
    pub(crate) screen: Rect,
    /// How many events its app had sent by then.
    pub(crate) since: u64,
}

impl Standing {
    /// Whether it leaves a place of the screen that it held, now that its toolkit tells this of it.
    pub(crate) fn leaves(&self, at: Point, told: Rect) -> bool {
        let by = (self.screen.x - self.told.x, self.screen.y - self.told.y);
        contains(self.screen, at) && !contains(moved(told, by), at)
    }
}

/// An object's screen rectangle, from its toolkit's.
pub(crate) async fn on_screen(bus: &Bus, tree: &Tree, seen: &[Seen], place: &Place, record: &Record) -> Option<Rect> {
    Some(standing(bus, tree, seen, place, record).await?.screen)
}

/// The same, beside what the toolkit tells.
pub(crate) async fn standing(
    bus: &Bus,
    tree: &Tree,
    seen: &[Seen],
    place: &Place,
    record: &Record,
) -> Option<Standing> {
    if !tree.quirks.places_held {
        // What it has still to tell of what was before has come with the answer.
        let _ = bus.ask::<_, u32>(place, ACCESSIBLE, "GetRole", &()).await;
    }
    let since = bus.told_by(&place.bus);
    let told = cells::extents(bus, place, record).await?;
    if tree.quirks.extents == Extents::Screen {
        return Some(Standing { told, screen: told, since });
    }
    seen.iter().find(|w| Some(w.id) == tree.window)?;
    let screen = moved(told, shift_of(bus, tree, seen).await);
    Some(Standing { told, screen, since })
}

/// From a toolkit's extents to the screen's.
pub(crate) async fn shift_of(bus: &Bus, tree: &Tree, seen: &[Seen]) -> (f64, f64) {
    if tree.quirks.extents == Extents::Screen {
        return (0.0, 0.0);
    }
    let Some(window) = seen.iter().find(|w| Some(w.id) == tree.window) else { return (0.0, 0.0) };
    if window.popup {
        // A popover's places are told from where what it belongs to begins.
        let Ok(above) = parent(bus, &tree.frame).await else { return (0.0, 0.0) };
        let begins = objects::extents(bus, &tree.frame.at(&above), &placed()).await;
        return begins.map_or((0.0, 0.0), |r| (window.rect.x - r.x, window.rect.y - r.y));
    }
    let rect = objects::extents(bus, &tree.frame, &placed()).await;
    shift(window, rect, tree.quirks)
}
