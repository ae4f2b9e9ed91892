//! What of an element its holders let be seen, by what they tell of themselves.

use crate::linux::geometry::both;
use crate::quirks::{Hits, Quirks};
use crate::record::Record;
use crate::roles::{COMBO_BOX, MENU_BAR, MENUS};
use handeye_scene::Rect;

/// Whether what lies in it is shown in a window of its own while it is open.
pub(crate) fn drops_down(role: u32) -> bool {
    MENUS.contains(&role) || role == COMBO_BOX || role == MENU_BAR
}

/// Whether the children of an object of this role are looked for within it alone, in a look: what scrolls, and whatever Qt has.
pub(crate) fn bounds(role: u32, quirks: Quirks) -> bool {
    const SCROLLS: [u32; 8] = [31, 49, 53, 55, 65, 66, 68, 98];
    const FILLER: u32 = 20;
    quirks.hits != Hits::Untold && (SCROLLS.contains(&role) || quirks.hides_bars && role == FILLER)
}

/// The part of what is in an object that can be seen, where that of the object is known; none: all of it.
pub(crate) fn bound(record: &Record, above: Option<Rect>, quirks: Quirks) -> Option<Rect> {
    if drops_down(record.role) {
        return None;
    }
    let Some(own) = record.rect.filter(|_| bounds(record.role, quirks)) else { return above };
    let nothing = Rect::new(own.x, own.y, 0.0, 0.0);
    Some(above.map_or(own, |above| both(above, own).unwrap_or(nothing)))
}
