//! Trees of accessible objects as records: in bulk where the app has a cache, else node by node with joined calls.

use crate::linux::atspi::bus::{Bus, Place, Unanswered};
use crate::linux::atspi::objects::{self, MOST_CHILDREN, look};
use crate::linux::capture::app_cache::{Cache, from_cache, in_bulk};
use crate::linux::capture::cells;
use crate::linux::capture::clipping::bounds;
use crate::linux::capture::hidden_pages;
use crate::linux::capture::holders;
use crate::linux::capture::labels;
use crate::linux::capture::menu_bars;
use crate::linux::capture::reading::{BUDGET, MOST_NODES, Reading};
use crate::quirks::Quirks;
use crate::record::{Interfaces, Record, bit};
use crate::roles::{Part, SCROLL_BAR, TAB, role};
use futures_util::StreamExt;
use futures_util::future::{join_all, join3};
use std::collections::HashSet;
use std::time::Instant;
use tokio::time::sleep;

/// How many nodes of an app are asked about at once where each is asked by itself.
const AT_ONCE: usize = 16;
/// Places and texts that are asked for together: an app answers one after the other, and many at once hold nobody up.
const PIPELINED: usize = 1024;
/// Characters of a text that are read for a look.
const TEXT_MOST: i32 = 500;

/// Reads what is shown of the window at `frame`; of its tables all (`rows`), or what is in sight.
pub(crate) async fn read(
    bus: &Bus,
    frame: &Place,
    cached: Option<&mut Cache>,
    quirks: Quirks,
    rows: bool,
) -> Result<Reading, Unanswered> {
    let mut reading = match cached.filter(|c| c.records.contains_key(&*frame.path)) {
        Some(cache) => in_bulk(bus, cache, frame, quirks).await,
        None => walk(bus, frame, quirks).await?,
    };
    let begun = Instant::now();
    menu_bars::leave_out_unused(bus, frame, &mut reading.records).await;
    cells::add(bus, frame, &mut reading, quirks, rows).await;
    settle_tabs(&mut reading.records, quirks);
    fill(bus, frame, &mut reading.records, quirks).await?;
    hidden_pages::leave_out(bus, frame, &mut reading.records, quirks).await;
    if begun.elapsed() > BUDGET && reading.partial.is_none() {
        reading.partial = Some("some places and texts weren't told in time".into());
    }
    Ok(reading)
}

/// Has tabs say which of them is chosen.
fn settle_tabs(records: &mut [Record], quirks: Quirks) {
    for i in (0..records.len()).filter(|_| quirks.tabs_focused) {
        let bar = records[i].parent.filter(|_| records[i].role == TAB);
        if let Some(bar) = bar {
            let has_keyboard = records[bar].has(bit::FOCUSED);
            records[i].take_for_chosen(has_keyboard);
        }
    }
}

/// A node on the way: its record, and its children's places among the nodes.
struct Visit {
    record: Record,
    children: Vec<usize>,
}

/// Level by level, the nodes of a level joined.
async fn walk(bus: &Bus, frame: &Place, quirks: Quirks) -> Result<Reading, Unanswered> {
    let begun = Instant::now();
    let mut partial = None;
    let mut visits: Vec<Visit> = Vec::new();
    let mut level: Vec<(String, Option<usize>)> = vec![(frame.path.to_string(), None)];
    let mut met = HashSet::new();
    while !level.is_empty() {
        // What holds what it lies in is shown once.
        level.retain(|(path, _)| met.insert(path.clone()));
        let whole = level.len();
        let left = BUDGET.saturating_sub(begun.elapsed());
        let asked = futures_util::stream::iter(std::mem::take(&mut level))
            .map(async |(path, parent)| (look(bus, &frame.at(&path)).await, parent))
            .buffered(AT_ONCE)
            .take_until(sleep(left));
        let answers: Vec<_> = asked.collect().await;
        let cut = answers.len() < whole;
        if visits.is_empty() && cut {
            return Err(Unanswered::Late);
        }
        for (answer, parent) in answers {
            let (record, children) = match answer {
                Ok(seen) => seen,
                // What vanished meanwhile is left out; a window that doesn't answer at all is a problem.
                Err(Unanswered::Gone) if parent.is_some() => continue,
                Err(Unanswered::Late) if parent.is_some() => {
                    partial = Some("the app answered some calls too late".to_owned());
                    continue;
                }
                Err(other) => return Err(other),
            };
            if parent.is_some() && !record.shows(quirks) {
                continue;
            }
            let manages = record.hides_children();
            visits.push(Visit { record, children: Vec::new() });
            let index = visits.len() - 1;
            if let Some(parent) = parent {
                visits[parent].children.push(index);
            }
            if !manages {
                level.extend(children.into_iter().take(MOST_CHILDREN).map(|path| (path, Some(index))));
            }
        }
        if visits.len() >= MOST_NODES || cut || begun.elapsed() > BUDGET {
            partial = Some(format!("only the upper levels, {} nodes, were read in time", visits.len()));
            break;
        }
    }
    Ok(Reading { records: in_order(visits), partial })
}

/// Parents before children, siblings in order.
fn in_order(mut visits: Vec<Visit>) -> Vec<Record> {
    let mut records = Vec::with_capacity(visits.len());
    let mut open: Vec<(usize, Option<usize>)> = if visits.is_empty() { Vec::new() } else { vec![(0, None)] };
    while let Some((index, parent)) = open.pop() {
        let visit = &mut visits[index];
        let mut record = std::mem::take(&mut visit.record);
        record.parent = parent;
        records.push(record);
        let at = records.len() - 1;
        open.extend(visit.children.iter().rev().map(|c| (*c, Some(at))));
    }
    records
}

/// Places and texts of the records that an agent is told of, all asked for together.
async fn fill(bus: &Bus, frame: &Place, records: &mut [Record], quirks: Quirks) -> Result<(), Unanswered> {
    let wanted: Vec<usize> = (0..records.len())
        .filter(|i| is_wanted(records, *i, quirks) && cells::parse(&records[*i].path).is_none())
        .collect();
    let asked = wanted.iter().copied().map(async |i: usize| {
        let record = &records[i];
        let at = frame.at(&record.path);
        let labelled =
            async { if labels::takes_one(record, quirks) { objects::labels(bus, &at).await } else { Vec::new() } };
        join3(objects::extents(bus, &at, record), objects::value(bus, &at, record, TEXT_MOST), labelled).await
    });
    let answers = futures_util::stream::iter(asked.collect::<Vec<_>>()).buffered(PIPELINED).take_until(sleep(BUDGET));
    let answers: Vec<_> = answers.collect().await;
    for (i, (rect, value, labels)) in wanted.into_iter().zip(answers) {
        (records[i].rect, records[i].value, records[i].labels) = (rect, value, labels);
    }
    Ok(())
}

fn is_wanted(records: &[Record], at: usize, quirks: Quirks) -> bool {
    let record = &records[at];
    let what = role(record.role);
    // What isn't shown is found by where it lies.
    let is_placed =
        (quirks.showing_missing || bounds(record.role, quirks)) && record.interfaces.has(Interfaces::COMPONENT);
    is_placed
        || holders::is_one(records, at)
        || what.kind != Part::Holder
        || record.is_active()
        || !crate::quirks::name(&record.name, quirks).is_empty()
}

/// The scroll bars of a window: whether each is upright, and what it stands at.
pub(crate) async fn bars(
    bus: &Bus,
    frame: &Place,
    cached: Option<&Cache>,
    quirks: Quirks,
) -> Result<Vec<(bool, f64)>, Unanswered> {
    const UPRIGHT: u64 = 1 << 29;
    let reading = match cached.filter(|c| c.records.contains_key(&*frame.path)) {
        Some(cache) => from_cache(cache, frame, quirks),
        None => walk(bus, frame, quirks).await?,
    };
    let asked = reading.records.iter().filter(|r| r.role == SCROLL_BAR).map(async |record| {
        let value = bus.property(&frame.at(&record.path), "org.a11y.atspi.Value", "CurrentValue").await.ok()?;
        Some((record.has(UPRIGHT), f64::try_from(value).ok()?))
    });
    Ok(join_all(asked).await.into_iter().flatten().collect())
}
