//! What a pointer hits within a window: the part of an element that can be seen, and what lies over it there.
//!
//! Extents aren't clipped by what an element lies in. And of things that overlap, GTK 3 and Qt tell the first in the tree,
//! whichever lies above (`Hits::First`): what comes later in the tree does. GTK 4 tells what its pointer would find (`Hits::Picks`).

use crate::linux::atspi::apps::Apps;
use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place, ROOT, Unanswered};
use crate::linux::atspi::ids::Tree;
use crate::linux::atspi::objects::{children_of, found_at, parent};
use crate::linux::capture::ancestry::{self, Lines, Link};
use crate::linux::capture::clipping::drops_down;
use crate::linux::capture::overlaps::{self, Stacked, beside_coming_bars};
use crate::linux::capture::screen_place;
use crate::linux::geometry::{both, contains};
use crate::linux::windows::window_list::Seen;
use crate::quirks::{Hits, Quirks};
use crate::roles::{CELL, COMBO_BOX, FRAME, Part, TABLES, role};
use futures_util::future::join;
use handeye_scene::{Cover, Point, Rect};

/// How far what lies at a place may be below the element that it is part of.
const INSIDE: usize = 12;
/// Roles of what shows nothing of its children beside itself: filler, internal frame, layered pane, list, panel, page tab list,
/// root pane, scroll pane, split pane, table, tree, tree table, viewport, window, list box.
const CLIPS: [u32; 16] = [16, 20, 23, 28, 30, 31, 39, 38, 46, 49, 53, 55, 65, 66, 68, 98];
/// Roles of controls that consist of others: combo box, button, spin button, toggle button.
const COMPOSITE: [u32; 4] = [COMBO_BOX, 43, 52, 62];

/// Roles of fields: password, text, entry, spin button.
const FIELDS: [u32; 5] = [40, 52, 60, 61, 79];

/// What lies at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum There {
    /// The element, or a part of it; or nobody can tell.
    It,
    /// Something else.
    Other(Option<Cover>),
}

/// An element with what it lies in, up to the top of its tree, and what is known of what may lie over it.
pub(crate) struct Line {
    pub(crate) links: Vec<Link>,
    /// From its toolkit's extents to the screen's.
    pub(crate) shift: (f64, f64),
    pub(crate) quirks: Quirks,
    /// The part of it that can be seen, if any can.
    pub(crate) part: Option<Rect>,
    stacked: Stacked,
    /// Whether all that it lies in was told.
    is_whole: bool,
}

/// Where an element lies, and what may lie over it. `rect`: where it says that it is.
pub(crate) async fn line(bus: &Bus, lines: &Lines, tree: &Tree, seen: &[Seen], place: &Place, rect: Rect) -> Line {
    let shift = screen_place::shift_of(bus, tree, seen).await;
    let links = ancestry::links(bus, lines, tree, place, shift).await;
    let is_whole = links.is_some();
    let links = links.unwrap_or_default();
    let mut part = Some(rect).filter(|_| is_whole);
    for link in links.iter().skip(1) {
        if drops_down(link.role) || tree.quirks.hits == Hits::Untold {
            break;
        }
        if let (Some(now), Some(holder), true) = (part, link.rect, CLIPS.contains(&link.role)) {
            part = both(now, holder);
        }
    }
    let mut line = Line { links, shift, quirks: tree.quirks, part, stacked: Stacked::default(), is_whole };
    if line.quirks.hits == Hits::First && line.part.is_some() {
        line.part = line.part.and_then(|part| beside_coming_bars(part, rect, &line.links));
        line.part = match line.part {
            Some(part) => overlaps::beside_headers(bus, &line.links, part, line.quirks, line.shift, rect).await,
            None => None,
        };
        if let Some(part) = line.part {
            line.stacked = overlaps::stacked(bus, &line.links, part, line.shift).await;
        }
    }
    line
}

/// What lies at a place of an element.
pub(crate) async fn there(bus: &Bus, apps: &Apps, line: &Line, at: Point) -> There {
    if !line.is_whole || line.part.is_none_or(|part| !contains(part, at)) {
        return There::Other(None);
    }
    match line.quirks.hits {
        Hits::Untold => There::It,
        Hits::Picks => picked(bus, apps, line, at).await,
        Hits::First => {
            match line.stacked.at(at) {
                Some(above) if above.takes_all => return There::Other(Some(open(bus, &above.place).await)),
                Some(above) => return There::Other(cover(bus, apps, &above.place).await),
                None => {}
            }
            match held_by_table(bus, apps, line, at).await {
                There::It => inside(bus, apps, line, at).await,
                other => other,
            }
        }
    }
}

/// What its pointer would find there, by the toolkit itself.
async fn picked(bus: &Bus, apps: &Apps, line: &Line, at: Point) -> There {
    let Some(top) = line.links.last() else { return There::It };
    let target = &line.links[0];
    let found = match found_at(bus, &top.place, at, line.shift).await {
        Ok(Some(found)) => found,
        // A field of GTK 4 keeps what it is made of to itself.
        Ok(None) if FIELDS.contains(&target.role) => return There::It,
        Ok(None) => return if line.links.len() == 1 { There::It } else { There::Other(None) },
        Err(_) => return There::Other(None),
    };
    is_of(bus, apps, target, found).await
}

/// Whether an object is the target or a part of it that does nothing else.
async fn is_of(bus: &Bus, apps: &Apps, target: &Link, found: Place) -> There {
    let (mut at, mut other) = (found.clone(), None);
    for _ in 0..INSIDE {
        if at == target.place {
            return other.map_or(There::It, |other| There::Other(Some(other)));
        }
        if other.is_none() && !COMPOSITE.contains(&target.role) {
            other = control(bus, apps, &at).await;
        }
        match parent(bus, &at).await {
            Ok(path) if path != ROOT => at = at.at(&path),
            _ => break,
        }
    }
    There::Other(cover(bus, apps, &found).await)
}

/// What lies at a place within the target itself: a button of a row is another control.
async fn inside(bus: &Bus, apps: &Apps, line: &Line, at: Point) -> There {
    let target = &line.links[0];
    if COMPOSITE.contains(&target.role) || drops_down(target.role) {
        return There::It;
    }
    let mut of = target.place.clone();
    for _ in 0..INSIDE {
        match found_at(bus, &of, at, line.shift).await {
            Ok(Some(found)) if found != target.place => of = found,
            Err(Unanswered::Late | Unanswered::Lost) => return There::Other(None),
            _ => break,
        }
        if let Some(other) = control(bus, apps, &of).await {
            return There::Other(Some(other));
        }
    }
    There::It
}

/// What its table says that lies there, of a cell and what is in one: a cell's extents reach below headers.
async fn held_by_table(bus: &Bus, apps: &Apps, line: &Line, at: Point) -> There {
    let Some(below) = line.links.windows(2).position(|pair| TABLES.contains(&pair[1].role)) else {
        return There::It;
    };
    let (cell, table) = (&line.links[below], &line.links[below + 1]);
    let found = match found_at(bus, &table.place, at, line.shift).await {
        Ok(Some(found)) => found,
        Ok(None) => return There::It,
        Err(_) => return There::Other(None),
    };
    if found == cell.place || is_same_cell(bus, cell, &found).await {
        return There::It;
    }
    match is_of(bus, apps, &Link { role: COMBO_BOX, ..cell.clone() }, found.clone()).await {
        There::It => There::It,
        There::Other(_) => There::Other(cover(bus, apps, &found).await),
    }
}

/// Whether two objects stand for the same cell: a spreadsheet makes them when they are asked for.
async fn is_same_cell(bus: &Bus, cell: &Link, found: &Place) -> bool {
    if cell.role != CELL {
        return false;
    }
    let index = async |of: &Place| bus.ask::<_, i32>(of, ACCESSIBLE, "GetIndexInParent", &()).await.ok();
    let (a, b) = join(index(&cell.place), index(found)).await;
    a.is_some_and(|a| a >= 0) && a == b && parent(bus, found).await == parent(bus, &cell.place).await
}

/// A popover that is open as what covers: it is called by the first of what it holds.
async fn open(bus: &Bus, at: &Place) -> Cover {
    /// So many objects of it are asked.
    const ASKED: usize = 12;
    let mut asked = vec![at.clone()];
    let (mut next, mut name) = (0, String::new());
    while name.is_empty() && next < asked.len() {
        let one = asked[next].clone();
        next += 1;
        name = bus.text_property(&one, ACCESSIBLE, "Name").await.unwrap_or_default();
        let room = ASKED.saturating_sub(asked.len());
        asked.extend(children_of(bus, &one).await.iter().take(room).map(|path| one.at(path)));
    }
    Cover { id: None, role: "menu".into(), name: name.trim().to_owned() }
}

/// An object as another control, if it is one.
async fn control(bus: &Bus, apps: &Apps, at: &Place) -> Option<Cover> {
    let number = bus.ask::<_, u32>(at, ACCESSIBLE, "GetRole", &()).await.ok()?;
    if role(number).kind == Part::Operable { cover(bus, apps, at).await } else { None }
}

/// An object as what covers.
pub(crate) async fn cover(bus: &Bus, apps: &Apps, at: &Place) -> Option<Cover> {
    let quirks = apps.quirks(&at.bus)?;
    let number = bus.ask::<_, u32>(at, ACCESSIBLE, "GetRole", &()).await.ok()?;
    let name = bus.text_property(at, ACCESSIBLE, "Name").await.unwrap_or_default();
    let word = if number == FRAME { "region" } else { role(number).word };
    Some(Cover { id: None, role: word.to_owned(), name: crate::quirks::name(&name, quirks) })
}
