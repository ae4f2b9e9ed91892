//! What a window holds without showing it, where its toolkit doesn't say so.
//!
//! GTK 4 tells of pages that were shown before as if they still were, each where another is now: what overlaps with something
//! beside it is there if its pointer finds it anywhere.

use crate::linux::atspi::bus::{Bus, Place};
use crate::linux::atspi::objects::found_at;
use crate::linux::capture::clipping::bound;
use crate::linux::capture::popovers::is_popover;
use crate::linux::capture::reading;
use crate::linux::geometry::{around, both, places};
use crate::quirks::{Hits, Quirks};
use crate::record::Record;
use futures_util::future::join_all;
use handeye_scene::Rect;
use std::collections::HashMap;

/// How much of something another must lie on to be looked into.
const MOST_OF: f64 = 0.5;
/// How many things are looked into.
const MOST: usize = 64;

/// Takes out what isn't shown, with all that is in it.
pub(crate) async fn leave_out(bus: &Bus, frame: &Place, records: &mut Vec<Record>, quirks: Quirks) {
    if quirks.hits != Hits::Picks || !quirks.showing_missing {
        return;
    }
    let spans = spans(records);
    let asked = overlapping(records, &spans).into_iter().take(MOST);
    let mut bounds: Vec<Option<Rect>> = vec![None; records.len()];
    let mut inner = bounds.clone();
    for (i, record) in records.iter().enumerate() {
        bounds[i] = record.parent.and_then(|p| inner[p]);
        inner[i] = bound(record, bounds[i], quirks);
    }
    let (spans, bounds) = (&spans, &bounds);
    let found = join_all(asked.map(async |at| {
        let rect = bounds[at].map_or(spans[at], |bound| both(bound, spans[at]?))?;
        let looks = places(rect).into_iter().map(async |p| found_at(bus, frame, p, (0.0, 0.0)).await);
        let answers = join_all(looks).await;
        if answers.iter().any(Result::is_err) {
            return None;
        }
        Some((at, answers.into_iter().flatten().flatten().collect::<Vec<Place>>()))
    }))
    .await;
    let by_path: HashMap<&str, usize> = records.iter().enumerate().map(|(i, r)| (r.path.as_str(), i)).collect();
    let is_in = |path: &str, at: usize| {
        let first = by_path.get(path).copied();
        std::iter::successors(first, |i| records[*i].parent).any(|i| i == at)
    };
    let unseen = found.into_iter().flatten().filter(|(at, found)| !found.iter().any(|p| is_in(&p.path, *at)));
    let unseen = unseen.map(|(at, _)| at).collect();
    reading::leave_out(records, &unseen);
}

/// Where each is; what doesn't tell is where that is which it holds.
fn spans(records: &[Record]) -> Vec<Option<Rect>> {
    let mut spans: Vec<Option<Rect>> = records.iter().map(|r| r.rect).collect();
    for i in (0..records.len()).rev() {
        if let (Some(parent), Some(rect)) = (records[i].parent, spans[i])
            && records[parent].rect.is_none()
        {
            spans[parent] = Some(spans[parent].map_or(rect, |span| around(span, rect)));
        }
    }
    spans
}

/// Those that lie where something beside them does, most of one on the other.
fn overlapping(records: &[Record], spans: &[Option<Rect>]) -> Vec<usize> {
    let mut beside: HashMap<usize, Vec<(usize, Rect)>> = HashMap::new();
    for (i, record) in records.iter().enumerate() {
        // A popover lies in a window of its own.
        if let (Some(parent), Some(rect), false) = (record.parent, spans[i], is_popover(record)) {
            beside.entry(parent).or_default().push((i, rect));
        }
    }
    let area = |r: Rect| r.width * r.height;
    let lies_on = |a: Rect, b: Rect| both(a, b).is_some_and(|part| area(part) > area(a).min(area(b)) * MOST_OF);
    let mut found: Vec<usize> = Vec::new();
    for these in beside.values() {
        let is_on_another = |(i, rect): &&(usize, Rect)| these.iter().any(|(o, r)| o != i && lies_on(*rect, *r));
        found.extend(these.iter().filter(is_on_another).map(|(i, _)| *i));
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_where_something_beside_it_does_is_looked_into() {
        let record = |parent, rect| Record { parent, rect: Some(rect), ..Record::default() };
        let page = Rect::new(0.0, 30.0, 100.0, 50.0);
        let records = [
            record(None, Rect::new(0.0, 0.0, 100.0, 100.0)),
            record(Some(0), Rect::new(0.0, 0.0, 100.0, 32.0)),
            record(Some(0), page),
            record(Some(0), page),
            record(Some(3), page),
        ];
        assert_eq!(overlapping(&records, &spans(&records)), [2, 3]);
        // The same of pages that don't tell where they are themselves.
        let mut records = records.to_vec();
        records[3].rect = None;
        assert_eq!(overlapping(&records, &spans(&records)), [2, 3]);
    }
}
