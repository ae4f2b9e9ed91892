//! Bringing what is out of sight in its pane to where it is seen: by the pane's scroll bars, where nothing else can.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place};
use crate::linux::atspi::objects::{self, look};
use crate::record::{Interfaces, Record};
use handeye_scene::Rect;
use std::time::Duration;

const VALUE: &str = "org.a11y.atspi.Value";
const SCROLL_BAR: u32 = 48;
/// An upright bar.
const UPRIGHT: u64 = 1 << 29;
/// How far up its pane is looked for.
const LEVELS: usize = 6;
/// How often a bar is turned, which needn't count in pixels.
const TRIES: usize = 5;
/// How long all of it may take.
const LIMIT: Duration = Duration::from_secs(3);
/// How long an app may take to show it.
const SHOWS: Duration = Duration::from_millis(60);

/// A pane, and its upright scroll bar.
struct Pane {
    at: Place,
    record: Record,
    bar: Place,
}

/// Brings an object to the middle of its pane, as far as that goes; whether it is in sight then.
pub(crate) async fn into_sight(bus: &Bus, object: &Place, record: &Record) -> bool {
    let Ok(Some(pane)) = tokio::time::timeout(LIMIT, pane_of(bus, object)).await else { return false };
    let before = number(bus, &pane.bar).await;
    let shown = tokio::time::timeout(LIMIT, bring(bus, object, record, &pane)).await.unwrap_or(false);
    // What couldn't be brought there leaves the view as it was.
    if let Some(before) = before.filter(|_| !shown) {
        let _ = turn(bus, &pane.bar, before).await;
    }
    shown
}

async fn bring(bus: &Bus, object: &Place, record: &Record, pane: &Pane) -> bool {
    // A cell of GTK 3 that is out of sight is nowhere: its row is turned to first.
    if objects::extents(bus, object, record).await.is_none() && turn_to_row(bus, object, &pane.bar).await.is_none() {
        return false;
    }
    // How far it moves for each unit of the bar.
    let mut rate = 1.0_f64;
    for _ in 0..TRIES {
        let (Some(rect), Some(view)) =
            (objects::extents(bus, object, record).await, objects::extents(bus, &pane.at, &pane.record).await)
        else {
            return false;
        };
        if is_within(rect, view) {
            return true;
        }
        let by = rect.center().y - view.center().y;
        let Some(value) = number(bus, &pane.bar).await else { return false };
        if turn(bus, &pane.bar, value + by / rate).await.is_none() {
            return false;
        }
        let (Some(now), Some(after)) = (number(bus, &pane.bar).await, objects::extents(bus, object, record).await)
        else {
            return false;
        };
        let (turned, moved) = (now - value, rect.y - after.y);
        if turned.abs() < f64::EPSILON || moved.abs() < 0.5 {
            // It goes no further: at the end of what is shown, rows stand at the edge.
            return after.center().y > view.y && after.center().y < view.y + view.height;
        }
        rate = (moved / turned).abs().max(f64::EPSILON);
    }
    false
}

/// Turns to about where the row of a cell must be.
async fn turn_to_row(bus: &Bus, cell: &Place, bar: &Place) -> Option<()> {
    const TABLE: &str = "org.a11y.atspi.Table";
    let table = cell.at(&objects::parent(bus, cell).await.ok()?);
    let index: i32 = bus.ask(cell, ACCESSIBLE, "GetIndexInParent", &()).await.ok()?;
    let row: i32 = bus.ask(&table, TABLE, "GetRowAtIndex", &(index,)).await.ok()?;
    let rows = i32::try_from(bus.property(&table, TABLE, "NRows").await.ok()?).ok()?;
    if row < 0 || rows < 2 || row >= rows {
        return None;
    }
    let highest = f64::try_from(bus.property(bar, VALUE, "MaximumValue").await.ok()?).ok()?;
    turn(bus, bar, highest * f64::from(row) / f64::from(rows - 1)).await
}

/// Turns a bar, and gives the app the time to show it.
async fn turn(bus: &Bus, bar: &Place, to: f64) -> Option<()> {
    let body = (VALUE, "CurrentValue", zbus::zvariant::Value::from(to.max(0.0)));
    bus.call(bar, "org.freedesktop.DBus.Properties", "Set", &body).await.ok()?;
    tokio::time::sleep(SHOWS).await;
    Some(())
}

/// Whether something stands in a pane, beside what may lie over its edges: headings.
fn is_within(rect: Rect, view: Rect) -> bool {
    let (inset, middle) = ((view.height / 4.0).min(40.0), rect.center().y);
    middle > view.y + inset && middle < view.y + view.height - inset
}

async fn number(bus: &Bus, bar: &Place) -> Option<f64> {
    f64::try_from(bus.property(bar, VALUE, "CurrentValue").await.ok()?).ok()
}

/// The innermost of those that an object lies in which has an upright scroll bar.
async fn pane_of(bus: &Bus, object: &Place) -> Option<Pane> {
    let mut at = object.clone();
    for _ in 0..LEVELS {
        at = at.at(&objects::parent(bus, &at).await.ok()?);
        let (record, children) = look(bus, &at).await.ok()?;
        for path in children.iter().rev().take(4) {
            let bar = at.at(path);
            let Ok((found, _)) = look(bus, &bar).await else { continue };
            if found.role == SCROLL_BAR && found.has(UPRIGHT) && found.interfaces.has(Interfaces::VALUE) {
                return Some(Pane { at, record, bar });
            }
        }
    }
    None
}
