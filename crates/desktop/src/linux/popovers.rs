//! Popovers of GTK 4: each is shown in a window of its own, and tells of places as if that lay where its button begins. So each is
//! a tree of its own. One that is closed stays in the tree of its window.

use super::apps::Frame;
use super::bus::Place;
use super::tree::Reading;
use super::windows::Seen;
use crate::quirks::{Extents, Quirks};
use crate::record::Record;

/// What these are called by their classes: `GtkPopover`, `GtkPopoverMenu`. What they hold isn't shown but in one of them.
const CLASS: &str = "GtkPopover";
const CONTENT: &str = "GtkPopoverContent";
/// How far the size of one may be from its window's.
const OFF: f64 = 1.5;

/// Takes the popovers out of a tree: those that are open, each with its window's place among `windows`.
pub(super) fn take(
    reading: &mut Reading,
    frame: &Place,
    quirks: Quirks,
    windows: &[&Seen],
) -> Vec<(usize, Frame, Reading)> {
    if quirks.extents != Extents::Surface {
        return Vec::new();
    }
    let is_one = |r: &Record| r.name.starts_with(CLASS) && r.name != CONTENT;
    let tops: Vec<usize> = (0..reading.records.len()).filter(|i| is_one(&reading.records[*i])).collect();
    let open: Vec<(usize, Frame, Reading)> = tops
        .iter()
        .filter_map(|top| {
            let record = reading.records[*top].clone();
            let window = window_of(&record, windows)?;
            let place = frame.at(&record.path);
            Some((window, Frame { place, record }, below(&reading.records, *top)))
        })
        .collect();
    super::bars::leave_out(&mut reading.records, &tops.into_iter().collect());
    open
}

/// The one window that may be a popover's.
fn window_of(record: &Record, windows: &[&Seen]) -> Option<usize> {
    let rect = record.rect?;
    let fits =
        |w: &Seen| w.popup && (w.rect.width - rect.width).abs() < OFF && (w.rect.height - rect.height).abs() < OFF;
    let mut found = windows.iter().enumerate().filter(|(_, w)| fits(w)).map(|(i, _)| i);
    found.next().filter(|_| found.next().is_none())
}

/// A record with all that is in it, but for what is in another popover, as a tree of its own.
fn below(records: &[Record], top: usize) -> Reading {
    let mut places: Vec<Option<usize>> = vec![None; records.len()];
    let mut kept: Vec<Record> = Vec::new();
    for (i, record) in records.iter().enumerate().skip(top) {
        let parent = record.parent.and_then(|p| places[p]);
        let is_other = i != top && record.name.starts_with(CLASS) && record.name != CONTENT;
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
    use handeye_scene::Rect;

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
