//! Popovers of GTK 4: each is shown in a window of its own, and tells of places as if that lay where its button begins. So each is
//! a tree of its own. One that is closed stays in the tree of its window.

use crate::linux::atspi::bus::Place;
use crate::linux::capture::frames::Frame;
use crate::linux::capture::reading::{Reading, leave_out};
use crate::linux::windows::window_list::Seen;
use crate::quirks::{Extents, Quirks};
use crate::record::Record;
use crate::roles::{MENUS, Part, role};
use handeye_scene::Rect;

/// What these are called by their classes: `GtkPopover`, `GtkPopoverMenu`. What they hold isn't shown but in one of them.
const CLASS: &str = "GtkPopover";
const CONTENT: &str = "GtkPopoverContent";
/// How far the size of one may be from its window's, and how wide its margins may be.
const OFF: f64 = 1.5;
const MARGIN: f64 = 24.0;

/// Takes the popovers out of a tree: those that are open, each with its window's place among `windows`.
pub(crate) fn take(
    reading: &mut Reading,
    frame: &Place,
    quirks: Quirks,
    windows: &[&Seen],
) -> Vec<(usize, Frame, Reading)> {
    if quirks.extents != Extents::Surface {
        return Vec::new();
    }
    let tops: Vec<usize> = (0..reading.records.len()).filter(|i| is_popover(&reading.records[*i])).collect();
    let open: Vec<(usize, Frame, Reading)> = tops
        .iter()
        .filter_map(|top| {
            let record = reading.records[*top].clone();
            let above = reading.records[record.parent?].rect?;
            let window = window_of(&record, above, windows)?;
            let place = frame.at(&record.path);
            let size = windows[window].rect;
            let record = Record { rect: Some(Rect::new(above.x, above.y, size.width, size.height)), ..record };
            Some((window, Frame { place, record }, below(&reading.records, *top)))
        })
        .collect();
    leave_out(&mut reading.records, &tops.into_iter().collect());
    open
}

/// A popover by its class. What a program calls so itself is a control, or a text.
pub(crate) fn is_popover(record: &Record) -> bool {
    let holds = role(record.role).kind == Part::Holder || MENUS.contains(&record.role);
    holds && record.name.starts_with(CLASS) && record.name != CONTENT
}

/// The one window that may be a popover's. It is told to begin where what it belongs to does, but for its margin.
fn window_of(record: &Record, above: Rect, windows: &[&Seen]) -> Option<usize> {
    let rect = record.rect?;
    let (left, top) = (rect.x - above.x, rect.y - above.y);
    let is_margin = |by: f64| (-OFF..=MARGIN).contains(&by);
    let fits = |w: &Seen| is_margin(w.rect.width - rect.width - left) && is_margin(w.rect.height - rect.height - top);
    if !is_margin(left) || !is_margin(top) {
        return None;
    }
    let mut found = windows.iter().enumerate().filter(|(_, w)| w.popup && fits(w)).map(|(i, _)| i);
    found.next().filter(|_| found.next().is_none())
}

/// A record with all that is in it, but for what is in another popover, as a tree of its own.
fn below(records: &[Record], top: usize) -> Reading {
    let mut places: Vec<Option<usize>> = vec![None; records.len()];
    let mut kept: Vec<Record> = Vec::new();
    for (i, record) in records.iter().enumerate().skip(top) {
        let parent = record.parent.and_then(|p| places[p]);
        let is_other = i != top && is_popover(record);
        if i != top && (parent.is_none() || is_other) {
            continue;
        }
        places[i] = Some(kept.len());
        kept.push(Record { parent, ..record.clone() });
    }
    Reading { records: kept, partial: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quirks::quirks;

    #[test]
    fn open_popovers_are_trees_of_their_own_and_closed_ones_are_none() {
        let size = |width| Some(Rect::new(0.0, 603.0, width, 104.0));
        let record = |name: &str, parent, rect| Record { name: name.into(), parent, rect, ..Record::default() };
        let mut reading = Reading {
            records: vec![
                record("window", None, size(420.0)),
                record("GtkPopover", Some(0), size(151.0)),
                record("GtkPopoverContent", Some(1), size(127.0)),
                record("First choice", Some(2), size(93.0)),
                record("GtkPopoverMenu", Some(0), size(99.0)),
                record("Closed", Some(4), size(93.0)),
                record("last", Some(0), size(93.0)),
            ],
            partial: None,
        };
        let rect = Rect::new(355.0, 884.0, 151.0, 104.0);
        let popup = Seen { popup: true, rect, ..Seen::default() };
        let main = Seen { rect: Rect::new(0.0, 0.0, 151.0, 104.0), ..Seen::default() };
        let frame = Place::new(":1.1", "/w");
        let open = take(&mut reading, &frame, quirks("GTK", "4.8"), &[&main, &popup]);
        let names = |r: &Reading| r.records.iter().map(|r| r.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&reading), ["window", "last"]);
        let [(1, _, only)] = &open[..] else { panic!("{}", open.len()) };
        assert_eq!(names(only), ["GtkPopover", "GtkPopoverContent", "First choice"]);
        assert_eq!(only.records[2].parent, Some(1));
    }
}
