//! Cells of tables whose children must not be listed: those in sight, by row and column.
//!
//! A cell is known by its object where the toolkit keeps that with its row, else by its table, row and column
//! (`TABLE#ROW,COLUMN`): a spreadsheet makes the objects of cells when they are asked for, and lets them go again.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place, Unanswered};
use crate::linux::atspi::ids::Ids;
use crate::linux::atspi::objects::{self, ACTION};
use crate::linux::capture::names::{Named, named};
use crate::linux::capture::reading::Reading;
use crate::quirks::Quirks;
use crate::record::{Record, bit};
use crate::roles::{HEADERS, SPREADSHEET};
use futures_util::StreamExt;
use handeye_scene::Rect;
use std::ops::RangeInclusive;
use zbus::zvariant::OwnedObjectPath;

const TABLE: &str = "org.a11y.atspi.Table";
/// Most cells that are listed of one table.
const MOST: i32 = 500;
/// A table of so many cells is listed whole, whatever of it is in sight.
const SMALL: i64 = 60;
/// The same where what is out of sight is asked for: no spreadsheet.
const WHOLE: i64 = 6000;
/// Characters of a cell that are read for a look.
const TEXT_MOST: i32 = 200;
/// Actions that are looked at.
const ACTIONS: i32 = 6;
/// Headers that are asked for.
const MOST_HEADERS: usize = 50;
/// How many are asked for at once.
const AT_ONCE: usize = 32;

/// Adds the cells after their tables: those in sight, or all of them (`rows`).
pub(crate) async fn add(bus: &Bus, frame: &Place, reading: &mut Reading, quirks: Quirks, rows: bool) {
    let is_table = |r: &Record| r.hides_children() && r.shows(quirks);
    let mut at = 0;
    while at < reading.records.len() {
        if is_table(&reading.records[at]) {
            // Whatever its toolkit, a spreadsheet lets the objects of its cells go again.
            let keeps_cells = quirks.keeps_cells && !is_in_spreadsheet(&reading.records, at);
            let quirks = Quirks { keeps_cells, ..quirks };
            let table = frame.at(&reading.records[at].path);
            let cells = in_sight(bus, &table, &reading.records[at], quirks, rows).await;
            insert(&mut reading.records, at, cells);
        }
        at += 1;
    }
}

/// Whether a record lies in a document of cells.
fn is_in_spreadsheet(records: &[Record], at: usize) -> bool {
    std::iter::successors(Some(at), |i| records[*i].parent).any(|i| records[i].role == SPREADSHEET)
}

/// Puts records behind the one at `at`, as its children.
fn insert(records: &mut Vec<Record>, at: usize, cells: Vec<Record>) {
    let count = cells.len();
    for record in &mut records[at + 1..] {
        record.parent = record.parent.map(|p| if p > at { p + count } else { p });
    }
    let cells = cells.into_iter().map(|cell| Record { parent: Some(at), ..cell });
    records.splice(at + 1..at + 1, cells);
}

async fn in_sight(bus: &Bus, table: &Place, record: &Record, quirks: Quirks, all: bool) -> Vec<Record> {
    let number = async |name: &str| -> i32 {
        let told = bus.property(table, TABLE, name).await.ok();
        told.and_then(|n| i32::try_from(n).ok()).unwrap_or(0).max(0)
    };
    let (rows, columns) = (number("NRows").await, number("NColumns").await);
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    let count = i64::from(rows) * i64::from(columns);
    let whole = count <= if all { WHOLE } else { SMALL };
    let (first, last) =
        if whole { ((0, 0), (rows - 1, columns - 1)) } else { corners(bus, table, record, rows, columns).await };
    let wide = (last.1 - first.1 + 1).clamp(1, MOST);
    let most = if whole { WHOLE as i32 } else { MOST };
    let high = (last.0 - first.0 + 1).clamp(1, (most / wide).max(1));
    let mut records = if quirks.keeps_cells { headers(bus, table, first.1..=last.1).await } else { Vec::new() };
    let places = (0..high).flat_map(|r| (0..wide).map(move |c| (first.0 + r, first.1 + c)));
    let looks = futures_util::stream::iter(places)
        .map(async |(row, column)| {
            let at = table.at(&cell_path(table, row, column));
            let real = resolve(bus, &at).await.ok()?;
            // A cell is called by what it holds, wherever it lies.
            let unnumbered = Ids::default();
            let Named { record: cell, .. } = named(bus, &unnumbered, &real, quirks).await.ok()?;
            if is_empty(bus, &real, &cell).await {
                return None;
            }
            if quirks.keeps_cells {
                // Filled in with all the other objects.
                return Some(Record { path: real.path.to_string(), ..cell });
            }
            let (rect, value) = futures_util::future::join(
                objects::extents(bus, &real, &cell),
                objects::value(bus, &real, &cell, TEXT_MOST),
            )
            .await;
            Some(Record { path: at.path.to_string(), rect, value, ..cell })
        })
        .buffered(AT_ONCE);
    records.extend(looks.collect::<Vec<_>>().await.into_iter().flatten());
    records
}

/// Whether a cell says nothing, and nothing can be done with it but to choose its row.
async fn is_empty(bus: &Bus, at: &Place, cell: &Record) -> bool {
    let says = !cell.name.trim().is_empty() || !cell.description.trim().is_empty();
    if says || cell.is_switch() || cell.has(bit::EDITABLE) {
        return false;
    }
    // One that isn't on doesn't say that it can be.
    let count = bus.property(at, ACTION, "NActions").await.ok().and_then(|n| i32::try_from(n).ok()).unwrap_or(0);
    let names = (0..count.min(ACTIONS)).map(async |i| bus.ask::<_, String>(at, ACTION, "GetName", &(i,)).await);
    !futures_util::future::join_all(names).await.iter().any(|name| name.as_deref() == Ok("toggle"))
}

/// The headers of columns, where a table has such.
async fn headers(bus: &Bus, table: &Place, columns: RangeInclusive<i32>) -> Vec<Record> {
    let looks = columns.take(MOST_HEADERS).map(async |column: i32| {
        let (_, path) =
            bus.ask::<_, ((String, OwnedObjectPath),)>(table, TABLE, "GetColumnHeader", &(column,)).await.ok()?.0;
        let header = objects::look(bus, &table.at(path.as_str())).await.ok()?.0;
        HEADERS.contains(&header.role).then_some(header)
    });
    futures_util::future::join_all(looks).await.into_iter().flatten().collect()
}

fn cell_path(table: &Place, row: i32, column: i32) -> String {
    format!("{}#{row},{column}", table.path)
}

/// The rows and columns of the cells at the corners of what is seen of a large table.
async fn corners(bus: &Bus, table: &Place, record: &Record, rows: i32, columns: i32) -> ((i32, i32), (i32, i32)) {
    let all = ((0, 0), (rows - 1, columns.min(20) - 1));
    let Some(rect) = objects::extents(bus, table, record).await else { return all };
    // Headers lie over the first cells, and beside the last there may be none.
    let mut first = None;
    for inset in [6, 18, 30, 42, 60] {
        first = first.or(cell_at(bus, table, rect.x as i32 + inset, rect.y as i32 + inset).await);
    }
    let (right, bottom) = ((rect.x + rect.width) as i32, (rect.y + rect.height) as i32);
    let mut last = None;
    for inset in [6, 24, 60, 120] {
        last = last.or(cell_at(bus, table, right - inset, bottom - inset).await);
    }
    match (first, last) {
        (Some(first), Some(last)) if last.0 >= first.0 && last.1 >= first.1 => (first, last),
        (Some(first), _) => (first, (rows - 1, (first.1 + 19).min(columns - 1))),
        _ => all,
    }
}

/// The row and column of the cell at a place of the screen.
async fn cell_at(bus: &Bus, table: &Place, x: i32, y: i32) -> Option<(i32, i32)> {
    let (_, path): (String, OwnedObjectPath) = bus
        .ask::<_, ((String, OwnedObjectPath),)>(
            table,
            "org.a11y.atspi.Component",
            "GetAccessibleAtPoint",
            &(x, y, 0_u32),
        )
        .await
        .ok()?
        .0;
    let cell = table.at(path.as_str());
    let index: i32 = bus.ask(&cell, ACCESSIBLE, "GetIndexInParent", &()).await.ok()?;
    if index < 0 || cell.path == table.path {
        return None;
    }
    let row: i32 = bus.ask(table, TABLE, "GetRowAtIndex", &(index,)).await.ok()?;
    let column: i32 = bus.ask(table, TABLE, "GetColumnAtIndex", &(index,)).await.ok()?;
    (row >= 0 && column >= 0).then_some((row, column))
}

/// The object that stands for a place now: of a cell, the one that its table has at its row and column.
pub(crate) async fn resolve(bus: &Bus, place: &Place) -> Result<Place, Unanswered> {
    let Some((table, row, column)) = parse(&place.path) else { return Ok(place.clone()) };
    let table = place.at(table);
    let (_, path) =
        bus.ask::<_, ((String, OwnedObjectPath),)>(&table, TABLE, "GetAccessibleAt", &(row, column)).await?.0;
    if path.as_str().ends_with("/null") { Err(Unanswered::Gone) } else { Ok(table.at(path.as_str())) }
}

/// The table, row and column of a cell's path.
pub(crate) fn parse(path: &str) -> Option<(&str, i32, i32)> {
    let (table, cell) = path.split_once('#')?;
    let (row, column) = cell.split_once(',')?;
    Some((table, row.parse().ok()?, column.parse().ok()?))
}

/// Where a cell is: what its object says.
pub(crate) async fn extents(bus: &Bus, place: &Place, record: &Record) -> Option<Rect> {
    objects::extents(bus, &resolve(bus, place).await.ok()?, record).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_known_by_row_and_column() {
        assert_eq!(parse("/a/b#3,14"), Some(("/a/b", 3, 14)));
        assert_eq!(parse("/a/b"), None);
        assert_eq!(parse("/a/b#3"), None);
    }

    #[test]
    fn cells_stand_behind_their_table() {
        let record = |path: &str, parent| Record { path: path.into(), parent, ..Record::default() };
        let mut records =
            vec![record("w", None), record("t", Some(0)), record("box", Some(0)), record("button", Some(2))];
        insert(&mut records, 1, vec![record("t#0,0", None), record("t#0,1", None)]);
        let told: Vec<(&str, Option<usize>)> = records.iter().map(|r| (r.path.as_str(), r.parent)).collect();
        assert_eq!(
            told,
            [
                ("w", None),
                ("t", Some(0)),
                ("t#0,0", Some(1)),
                ("t#0,1", Some(1)),
                ("box", Some(0)),
                ("button", Some(4))
            ]
        );
    }
}
