//! What a pointer hits within a window: the part of an element that can be seen, and what lies over it there.
//!
//! Extents aren't clipped by what an element lies in. And of things that overlap, GTK 3 and Qt tell the first in the tree,
//! whichever lies above (`Hits::First`): what comes later in the tree does. GTK 4 tells what its pointer would find (`Hits::Picks`).

use super::bus::{ACCESSIBLE, Bus, Place, Unanswered};
use super::ids::Tree;
use super::stacked::{Stacked, beside_coming_bars};
use super::surface::Linux;
use super::tree::{self, children_of, parent};
use super::windows::Seen;
use crate::quirks::{Extents, Hits, Quirks};
use crate::record::{Interfaces, Record};
use crate::roles::{CELL, COMBO_BOX, FRAME, MENU_BAR, MENUS, Part, TABLES, TEXTS, role};
use futures_util::future::{join, join_all};
use handeye_scene::{Cover, Point, Rect};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use zbus::zvariant::OwnedObjectPath;

pub(super) const COMPONENT: &str = "org.a11y.atspi.Component";
/// How deep an element may lie in its window.
const DEPTH: usize = 48;
/// How long what an element lies in is taken to be the same.
const MOMENT: Duration = Duration::from_millis(800);
/// How far what lies at a place may be below the element that it is part of.
const INSIDE: usize = 12;
/// Roles of what shows nothing of its children beside itself: filler, internal frame, layered pane, list, panel, page tab list,
/// root pane, scroll pane, split pane, table, tree, tree table, viewport, window, list box.
const CLIPS: [u32; 16] = [16, 20, 23, 28, 30, 31, 39, 38, 46, 49, 53, 55, 65, 66, 68, 98];
/// Roles of controls that consist of others: combo box, button, spin button, toggle button.
const COMPOSITE: [u32; 4] = [COMBO_BOX, 43, 52, 62];

/// What lies at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum There {
    /// The element, or a part of it; or nobody can tell.
    It,
    /// Something else.
    Other(Option<Cover>),
}

/// One of those that an element lies in, itself included.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) place: Place,
    pub(super) role: u32,
    /// Where it is on the screen.
    pub(super) rect: Option<Rect>,
}

/// An element with what it lies in, up to the top of its tree, and what is known of what may lie over it.
pub(crate) struct Line {
    pub(super) links: Vec<Link>,
    /// From its toolkit's extents to the screen's.
    pub(super) shift: (f64, f64),
    pub(super) quirks: Quirks,
    /// The part of it that can be seen, if any can.
    pub(crate) part: Option<Rect>,
    stacked: Stacked,
}

/// What an element was found to lie in a moment ago: it is asked for when a place is chosen, and again right before the press.
#[derive(Default)]
pub(crate) struct Lines(Mutex<Option<Kept>>);

/// When it was found, of which element, and what it lies in.
type Kept = (Instant, Place, Vec<(Place, u32)>);

impl Lines {
    fn get(&self, place: &Place) -> Option<Vec<(Place, u32)>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, of, above) = kept.as_ref()?;
        (of == place && since.elapsed() < MOMENT).then(|| above.clone())
    }

    fn keep(&self, place: &Place, above: &[(Place, u32)]) {
        let kept = (Instant::now(), place.clone(), above.to_vec());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

/// Whether what lies in it is shown in a window of its own while it is open.
pub(super) fn drops_down(role: u32) -> bool {
    MENUS.contains(&role) || role == COMBO_BOX || role == MENU_BAR
}

pub(super) fn both(a: Rect, b: Rect) -> Option<Rect> {
    let (x, y) = (a.x.max(b.x), a.y.max(b.y));
    let (right, down) = ((a.x + a.width).min(b.x + b.width), (a.y + a.height).min(b.y + b.height));
    (right > x && down > y).then(|| Rect::new(x, y, right - x, down - y))
}

/// Whether the children of an object of this role are looked for within it alone, in a look: what scrolls, and whatever Qt has.
pub(super) fn bounds(role: u32, quirks: Quirks) -> bool {
    const SCROLLS: [u32; 8] = [31, 49, 53, 55, 65, 66, 68, 98];
    const FILLER: u32 = 20;
    quirks.hits != Hits::Untold && (SCROLLS.contains(&role) || quirks.hides_bars && role == FILLER)
}

/// The part of what is in an object that can be seen, where that of the object is known; none: all of it.
pub(super) fn bound(record: &Record, above: Option<Rect>, quirks: Quirks) -> Option<Rect> {
    if drops_down(record.role) {
        return None;
    }
    let Some(own) = record.rect.filter(|_| bounds(record.role, quirks)) else { return above };
    let nothing = Rect::new(own.x, own.y, 0.0, 0.0);
    Some(above.map_or(own, |above| both(above, own).unwrap_or(nothing)))
}

/// Places of a rectangle, the middle first.
pub(crate) fn places(rect: Rect) -> Vec<Point> {
    let center = rect.center();
    let (w, h) = (rect.width / 4.0, rect.height / 4.0);
    let (far_w, far_h) = (w * 1.7, h * 1.7);
    let by = [
        (0.0, 0.0),
        (-w, 0.0),
        (w, 0.0),
        (0.0, -h),
        (0.0, h),
        (-far_w, -far_h),
        (far_w, -far_h),
        (-far_w, far_h),
        (far_w, far_h),
    ];
    let mut places: Vec<Point> = Vec::with_capacity(by.len());
    for (dx, dy) in by {
        let place = Point::new((center.x + dx).floor(), (center.y + dy).floor());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

impl Linux {
    /// Where an element lies, and what may lie over it. `rect`: where it says that it is.
    pub(crate) async fn line(&self, tree: &Tree, seen: &[Seen], place: &Place, rect: Rect) -> Line {
        let shift = self.shift_of(tree, seen).await;
        let links = self.links(tree, place, shift).await;
        let mut part = Some(rect);
        for link in links.iter().skip(1) {
            if drops_down(link.role) {
                break;
            }
            if let (Some(now), Some(holder), true) = (part, link.rect, CLIPS.contains(&link.role)) {
                part = both(now, holder);
            }
        }
        let mut line = Line { links, shift, quirks: tree.quirks, part, stacked: Stacked::default() };
        if line.quirks.hits == Hits::First && line.part.is_some() {
            line.part = line.part.and_then(|part| beside_coming_bars(part, rect, &line.links));
            line.part = self.beside_headers(&line, rect).await;
            line.stacked = self.stacked(&line).await;
        }
        line
    }

    /// From a toolkit's extents to the screen's.
    pub(super) async fn shift_of(&self, tree: &Tree, seen: &[Seen]) -> (f64, f64) {
        if tree.quirks.extents == Extents::Screen {
            return (0.0, 0.0);
        }
        let Some(window) = seen.iter().find(|w| Some(w.id) == tree.window) else { return (0.0, 0.0) };
        let rect = tree::extents(&self.bus, &tree.frame, &placed()).await;
        super::sight::shift(window, rect, tree.quirks)
    }

    /// An element and what it lies in. A chain that breaks off is told as far as it goes.
    async fn links(&self, tree: &Tree, place: &Place, shift: (f64, f64)) -> Vec<Link> {
        let known = self.lines.get(place);
        let above = match known {
            Some(above) => above,
            None => {
                let above = self.above(tree, place).await;
                self.lines.keep(place, &above);
                above
            }
        };
        let asked = above.into_iter().map(async |(place, role)| {
            let rect = tree::extents(&self.bus, &place, &placed()).await;
            Link { place, role, rect: rect.map(|r| moved(r, shift)) }
        });
        join_all(asked).await
    }

    /// The objects that an element lies in, itself the first, each with its role.
    async fn above(&self, tree: &Tree, place: &Place) -> Vec<(Place, u32)> {
        let mut places = vec![place.clone()];
        while places.len() < DEPTH && places[places.len() - 1] != tree.frame {
            let at = &places[places.len() - 1];
            match parent(&self.bus, at).await {
                Ok(path) if path != super::bus::ROOT && !path.ends_with("/null") && *path != *at.path => {
                    places.push(at.at(&path));
                }
                _ => break,
            }
        }
        // A popover of GTK 3 lies in its window, and says that it lies in what opened it.
        let tops = children_of(&self.bus, &tree.frame).await;
        if let Some(at) = places.iter().position(|p| tops.iter().any(|top| **top == *p.path)) {
            places.truncate(at + 1);
            places.push(tree.frame.clone());
        }
        let asked = places.into_iter().map(async |place| {
            let role = self.bus.ask::<_, u32>(&place, ACCESSIBLE, "GetRole", &()).await.unwrap_or_default();
            (place, role)
        });
        join_all(asked).await
    }

    /// What lies at a place of an element.
    pub(crate) async fn there(&self, line: &Line, at: Point) -> There {
        if line.part.is_none_or(|part| !super::sight::contains(part, at)) {
            return There::Other(None);
        }
        match line.quirks.hits {
            Hits::Untold => There::It,
            Hits::Picks => self.picked(line, at).await,
            Hits::First => {
                if let Some(above) = line.stacked.at(at) {
                    return There::Other(self.cover(&above.clone()).await);
                }
                match self.held_by_table(line, at).await {
                    There::It => self.inside(line, at).await,
                    other => other,
                }
            }
        }
    }

    /// What its pointer would find there, by the toolkit itself.
    async fn picked(&self, line: &Line, at: Point) -> There {
        let Some(top) = line.links.last() else { return There::It };
        let target = &line.links[0];
        let found = match found_at(&self.bus, &top.place, at, line.shift).await {
            Ok(Some(found)) => found,
            // What a field of text is typed into isn't told of.
            Ok(None) if line.links.len() == 1 || TEXTS.contains(&target.role) => return There::It,
            Ok(None) => return There::Other(None),
            Err(_) => return There::It,
        };
        self.is_of(target, found).await
    }

    /// Whether an object is the target or a part of it that does nothing else.
    async fn is_of(&self, target: &Link, found: Place) -> There {
        let (mut at, mut other) = (found.clone(), None);
        for _ in 0..INSIDE {
            if at == target.place {
                return other.map_or(There::It, |other| There::Other(Some(other)));
            }
            if other.is_none() && !COMPOSITE.contains(&target.role) {
                other = self.control(&at).await;
            }
            match parent(&self.bus, &at).await {
                Ok(path) if path != super::bus::ROOT => at = at.at(&path),
                _ => break,
            }
        }
        There::Other(self.cover(&found).await)
    }

    /// What lies at a place within the target itself: a button of a row is another control.
    async fn inside(&self, line: &Line, at: Point) -> There {
        let target = &line.links[0];
        if COMPOSITE.contains(&target.role) || drops_down(target.role) {
            return There::It;
        }
        let mut of = target.place.clone();
        for _ in 0..INSIDE {
            match found_at(&self.bus, &of, at, line.shift).await {
                Ok(Some(found)) if found != target.place => of = found,
                _ => break,
            }
            if let Some(other) = self.control(&of).await {
                return There::Other(Some(other));
            }
        }
        There::It
    }

    /// What its table says that lies there, of a cell and what is in one: a cell's extents reach below headers.
    async fn held_by_table(&self, line: &Line, at: Point) -> There {
        let Some(below) = line.links.windows(2).position(|pair| TABLES.contains(&pair[1].role)) else {
            return There::It;
        };
        let (cell, table) = (&line.links[below], &line.links[below + 1]);
        let Ok(Some(found)) = found_at(&self.bus, &table.place, at, line.shift).await else { return There::It };
        if found == cell.place || self.is_same_cell(cell, &found).await {
            return There::It;
        }
        match self.is_of(&Link { role: COMBO_BOX, ..cell.clone() }, found.clone()).await {
            There::It => There::It,
            There::Other(_) => There::Other(self.cover(&found).await),
        }
    }

    /// Whether two objects stand for the same cell: a spreadsheet makes them when they are asked for.
    async fn is_same_cell(&self, cell: &Link, found: &Place) -> bool {
        if cell.role != CELL {
            return false;
        }
        let index = async |of: &Place| self.bus.ask::<_, i32>(of, ACCESSIBLE, "GetIndexInParent", &()).await.ok();
        let (a, b) = join(index(&cell.place), index(found)).await;
        a.is_some_and(|a| a >= 0) && a == b && parent(&self.bus, found).await == parent(&self.bus, &cell.place).await
    }

    /// An object as another control, if it is one.
    async fn control(&self, at: &Place) -> Option<Cover> {
        let number = self.bus.ask::<_, u32>(at, ACCESSIBLE, "GetRole", &()).await.ok()?;
        if role(number).kind == Part::Operable { self.cover(at).await } else { None }
    }

    /// An object as what covers.
    pub(super) async fn cover(&self, at: &Place) -> Option<Cover> {
        let quirks = self.apps.quirks(&at.bus)?;
        let number = self.bus.ask::<_, u32>(at, ACCESSIBLE, "GetRole", &()).await.ok()?;
        let name = self.bus.text_property(at, ACCESSIBLE, "Name").await.unwrap_or_default();
        let word = if number == FRAME { "region" } else { role(number).word };
        Some(Cover { id: None, role: word.to_owned(), name: crate::quirks::name(&name, quirks) })
    }
}

/// The object that a toolkit finds at a place of the screen, asked of one that it lies in. None: none, or it can't tell.
pub(super) async fn found_at(bus: &Bus, of: &Place, at: Point, shift: (f64, f64)) -> Result<Option<Place>, Unanswered> {
    let at = ((at.x - shift.0) as i32, (at.y - shift.1) as i32, 0_u32);
    let (_, path) = bus.ask::<_, ((String, OwnedObjectPath),)>(of, COMPONENT, "GetAccessibleAtPoint", &at).await?.0;
    let path = path.as_str();
    Ok((!path.ends_with("/null") && *path != *of.path).then(|| of.at(path)))
}

/// Something that may be asked for its extents.
pub(super) fn placed() -> Record {
    Record { interfaces: Interfaces::named(["Component"].into_iter()), ..Record::default() }
}

pub(super) fn moved(rect: Rect, (dx, dy): (f64, f64)) -> Rect {
    Rect::new(rect.x + dx, rect.y + dy, rect.width, rect.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_what_lies_in_both() {
        let row = Rect::new(10.0, 90.0, 200.0, 40.0);
        assert_eq!(both(row, Rect::new(0.0, 0.0, 100.0, 100.0)), Some(Rect::new(10.0, 90.0, 90.0, 10.0)));
        assert_eq!(both(row, Rect::new(0.0, 0.0, 100.0, 90.0)), None);
    }

    #[test]
    fn places_lie_within_and_begin_in_the_middle() {
        for rect in [Rect::new(10.0, 20.0, 200.0, 40.0), Rect::new(-5.0, 3.0, 1.0, 1.0)] {
            let places = places(rect);
            assert!(places.iter().all(|p| super::super::sight::contains(rect, *p)), "{rect:?} {places:?}");
        }
        assert_eq!(places(Rect::new(10.0, 20.0, 200.0, 40.0))[0], Point::new(110.0, 40.0));
    }
}
