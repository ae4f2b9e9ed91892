//! Bars of menus that an app has twice: its own, and one of the toolkit that it runs on. LibreOffice says of both that they are
//! shown; the one that nobody sees has no height, and its menus open nowhere.

use crate::linux::atspi::bus::{Bus, Place};
use crate::linux::atspi::objects;
use crate::linux::capture::reading::leave_out;
use crate::record::Record;
use crate::roles::MENU_BAR;
use std::collections::HashSet;

/// Takes the bars out that have no size, with all that is in them, where another has their menus.
pub(crate) async fn leave_out_unused(bus: &Bus, frame: &Place, records: &mut Vec<Record>) {
    let bars: Vec<usize> = (0..records.len()).filter(|i| records[*i].role == MENU_BAR).collect();
    if bars.len() < 2 {
        return;
    }
    let asked = bars.iter().map(|bar| &records[*bar]);
    let asked = asked.map(async |bar| objects::told_extents(bus, &frame.at(&bar.path), bar).await);
    let told = futures_util::future::join_all(asked).await;
    let sized = |told: &Option<(i32, i32, i32, i32)>| told.map(|(_, _, width, height)| width > 0 && height > 0);
    let with = |size: bool| {
        let of_it = bars.iter().zip(&told).filter(move |(_, told)| sized(told) == Some(size));
        of_it.map(|(bar, _)| *bar).collect::<Vec<usize>>()
    };
    let unused = unused(records, &with(true), &with(false));
    leave_out(records, &unused);
}

/// Those of the bars `without` a size whose menus one of those `with` a size has.
fn unused(records: &[Record], with: &[usize], without: &[usize]) -> HashSet<usize> {
    let menus = |bar: usize| -> HashSet<&str> {
        records.iter().filter(|r| r.parent == Some(bar)).map(|r| r.name.trim()).collect()
    };
    let is_elsewhere = |bar: &usize| with.iter().any(|other| menus(*bar).is_subset(&menus(*other)));
    without.iter().copied().filter(is_elsewhere).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_without_a_size_is_left_out_where_another_has_its_menus() {
        let record = |name: &str, parent| Record { name: name.into(), parent, ..Record::default() };
        let mut records = vec![
            record("frame", None),
            record("unseen", Some(0)),
            record("File", Some(1)),
            record("Open", Some(2)),
            record("seen", Some(0)),
            record(" File ", Some(4)),
            record("Edit", Some(4)),
            record("other", Some(0)),
            record("Layer", Some(7)),
        ];
        let found = unused(&records, &[4], &[1, 7]);
        assert_eq!(found, [1].into());
        leave_out(&mut records, &found);
        let left: Vec<(&str, Option<usize>)> = records.iter().map(|r| (r.name.trim(), r.parent)).collect();
        let edit = ("Edit", Some(1));
        assert_eq!(
            left,
            [("frame", None), ("seen", Some(0)), ("File", Some(1)), edit, ("other", Some(0)), ("Layer", Some(4))]
        );
    }
}
