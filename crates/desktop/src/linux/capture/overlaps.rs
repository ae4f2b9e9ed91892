//! What may lie over an element in its own window, of toolkits whose tree alone tells which of two things lies above.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place};
use crate::linux::atspi::objects::{self, bits, children_of, placed};
use crate::linux::capture::ancestry::Link;
use crate::linux::capture::clipping::drops_down;
use crate::linux::geometry::{both, contains, moved};
use crate::quirks::Quirks;
use crate::record::bit;
use crate::roles::{FRAME, HEADERS, TABLES};
use futures_util::future::{join, join_all};
use handeye_scene::{Point, Rect};
use zbus::zvariant::OwnedObjectPath;

/// Roles of what may hold things that overlap: filler, frame, internal frame, layered pane, panel, root pane, scroll pane,
/// split pane, viewport, window, dialog.
const STACKS: [u32; 11] = [16, 20, 23, 28, 30, 39, 46, 49, 53, 68, 69];
/// How many things beside an element are asked where they are.
const BESIDE: usize = 64;
const TABLE: &str = "org.a11y.atspi.Table";
/// How wide a scroll bar may be.
const BAR: f64 = 20.0;

/// What lies over an element, or over some of it.
#[derive(Default)]
pub(crate) struct Stacked(Vec<Above>);

/// One thing that lies over an element.
pub(crate) struct Above {
    rect: Rect,
    pub(crate) place: Place,
    /// A popover of GTK 3: wherever in its window a click goes, that only closes it.
    pub(crate) takes_all: bool,
}

impl Stacked {
    /// What lies over it at a place.
    pub(crate) fn at(&self, at: Point) -> Option<&Above> {
        self.0.iter().find(|above| above.takes_all || contains(above.rect, at))
    }
}

/// What is shown over the part of an element that can be seen: what comes later in the tree.
pub(crate) async fn stacked(bus: &Bus, links: &[Link], part: Rect, shift: (f64, f64)) -> Stacked {
    let until = links.iter().skip(1).position(|l| drops_down(l.role)).map_or(links.len(), |at| at + 1);
    let levels = links[..until].windows(2).filter(|pair| STACKS.contains(&pair[1].role));
    let later = join_all(levels.map(async |pair| {
        let children = children_of(bus, &pair[1].place).await;
        let own = children.iter().position(|path| **path == *pair[0].place.path);
        let later = own.map_or(children.len(), |own| own + 1);
        // What lies on top comes last.
        let is_top = pair[1].role == FRAME;
        let later = children.into_iter().skip(later).rev().take(BESIDE);
        later.map(|path| (pair[1].place.at(&path), is_top)).collect::<Vec<_>>()
    }));
    let asked = later.await.into_iter().flatten().map(async |(place, is_top): (Place, bool)| {
        let rect = moved(objects::extents(bus, &place, &placed()).await?, shift);
        let overlaps = both(part, rect).is_some();
        if !overlaps && !is_top {
            return None;
        }
        let states: Vec<u32> = bus.ask(&place, ACCESSIBLE, "GetState", &()).await.ok()?;
        let has = |state| bits(&states) & state != 0;
        let takes_all = is_top && has(bit::MODAL);
        (has(bit::SHOWING) && (overlaps || takes_all)).then_some(Above { rect, place, takes_all })
    });
    Stacked(join_all(asked).await.into_iter().flatten().collect())
}

/// The part of a cell that isn't below a header of its table, nor below a scroll bar that its toolkit doesn't tell of.
pub(crate) async fn beside_headers(
    bus: &Bus,
    links: &[Link],
    part: Rect,
    quirks: Quirks,
    shift: (f64, f64),
    rect: Rect,
) -> Option<Rect> {
    let mut part = part;
    let Some(below) = links.windows(2).position(|pair| TABLES.contains(&pair[1].role)) else {
        return Some(part);
    };
    let (cell, table) = (&links[below], &links[below + 1]);
    if HEADERS.contains(&cell.role) {
        return Some(part);
    }
    let (column, row) =
        join(header(bus, table, "GetColumnHeader", shift), header(bus, table, "GetRowHeader", shift)).await;
    let edge = |from: f64, to: f64| (to - from).max(0.0);
    if let Some(column) = column {
        let cut = edge(part.y, column.y + column.height);
        part = Rect::new(part.x, part.y + cut, part.width, part.height - cut);
    }
    if let Some(row) = row {
        let cut = edge(part.x, row.x + row.width);
        part = Rect::new(part.x + cut, part.y, part.width - cut, part.height);
    }
    if let Some(view) = table.rect.filter(|_| quirks.hides_bars) {
        let last = last_column(bus, table, shift).await;
        let is_wide = |rect: Rect| rect.x < view.x || rect.x + rect.width > view.x + view.width;
        part = beside_bars(part, view, is_wide(rect) || last.is_some_and(is_wide), is_wide(rect));
    }
    some(part)
}

/// Where a cell of the last column is.
async fn last_column(bus: &Bus, table: &Link, shift: (f64, f64)) -> Option<Rect> {
    let count = i32::try_from(bus.property(&table.place, TABLE, "NColumns").await.ok()?).ok()?;
    let at = (0_i32, count.checked_sub(1).filter(|last| *last > 0)?);
    let (_, path) =
        bus.ask::<_, ((String, OwnedObjectPath),)>(&table.place, TABLE, "GetAccessibleAt", &at).await.ok()?.0;
    let cell = objects::extents(bus, &table.place.at(path.as_str()), &placed()).await?;
    Some(moved(cell, shift))
}

/// Where the first header of a kind is, if a table shows such.
async fn header(bus: &Bus, table: &Link, which: &str, shift: (f64, f64)) -> Option<Rect> {
    let (_, path) = bus.ask::<_, ((String, OwnedObjectPath),)>(&table.place, TABLE, which, &(0_i32,)).await.ok()?.0;
    let header = table.place.at(path.as_str());
    let number = bus.ask::<_, u32>(&header, ACCESSIBLE, "GetRole", &()).await.ok()?;
    let rect = moved(objects::extents(bus, &header, &placed()).await?, shift);
    (HEADERS.contains(&number) && table.rect.is_some_and(|t| both(t, rect).is_some())).then_some(rect)
}

fn some(part: Rect) -> Option<Rect> {
    (part.width >= 1.0 && part.height >= 1.0).then_some(part)
}

/// The part of what is wider than the pane that it scrolls in, beside the scroll bars that come over it with the pointer.
pub(crate) fn beside_coming_bars(part: Rect, rect: Rect, links: &[Link]) -> Option<Rect> {
    const SCROLL_PANE: u32 = 49;
    let panes = links.iter().skip(1).filter(|l| l.role == SCROLL_PANE).filter_map(|l| l.rect);
    let is_wide = |pane: &Rect| rect.x < pane.x || rect.x + rect.width > pane.x + pane.width;
    some(panes.filter(is_wide).fold(part, |part, pane| beside_bars(part, pane, true, true)))
}

/// The part of a cell beside the scroll bars that its view may have: one below where the view holds more than its width, one at
/// its right where the cell reaches beyond that.
fn beside_bars(part: Rect, view: Rect, below: bool, right: bool) -> Rect {
    let most = |is: bool, edge: f64| if is { edge - BAR } else { edge };
    let (right, down) = (most(right, view.x + view.width), most(below, view.y + view.height));
    Rect::new(part.x, part.y, part.width.min(right - part.x), part.height.min(down - part.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_hit_beside_the_bars_that_its_view_may_have() {
        let view = Rect::new(0.0, 0.0, 100.0, 100.0);
        let cell = Rect::new(0.0, 70.0, 100.0, 30.0);
        assert_eq!(beside_bars(cell, view, false, false), cell);
        assert_eq!(beside_bars(cell, view, true, true), Rect::new(0.0, 70.0, 80.0, 10.0));
        let upper = Rect::new(0.0, 10.0, 60.0, 30.0);
        assert_eq!(beside_bars(upper, view, true, true), upper);
    }
}
