//! Tables that may tell what their rows said before they were sorted.
//!
//! GTK 3 keeps the text of each cell that it was asked for. A program that sorts its rows without saying so as GTK wants it
//! (Thunar 4.18 does) has the old texts told of the rows that are there now. So a click on a heading is followed by a look at the
//! table: where it shows something else, and each row has the object that it had before, what these objects say can't be trusted.

use crate::linux::atspi::bus::Place;
use crate::linux::atspi::objects::{self, found_at, parent, placed};
use crate::linux::capture::doubted_cells::Before;
use crate::linux::capture::reading::leave_out;
use crate::linux::desktop::Desktop;
use crate::linux::x11::screenshot;
use crate::quirks::Quirks;
use crate::record::Record;
use crate::roles::HEADERS;
use futures_util::future::join_all;
use handeye_scene::{Capture, Notice, Point, Rect};
use std::collections::HashSet;

/// Pixels from one place to the next at which rows are asked for; a row is no lower.
const STEP: f64 = 12.0;
/// Most places that are asked.
const MOST: usize = 80;

/// Notes how a table is before its heading is clicked.
pub(crate) async fn note(desktop: &mut Desktop, at: &Place, role: u32, quirks: Quirks, rect: Rect) {
    desktop.sorting.before = None;
    if !quirks.keeps_cells || !HEADERS.contains(&role) {
        return;
    }
    let Ok(path) = parent(&desktop.bus, at).await else { return };
    let table = at.at(&path);
    let Some(whole) = objects::extents(&desktop.bus, &table, &placed()).await else { return };
    let top = (rect.y + rect.height).max(whole.y);
    let body = Rect::new(whole.x, top, whole.width, whole.y + whole.height - top);
    let (rows, picture) = (rows(desktop, &table, body).await, picture(desktop, body).await);
    desktop.sorting.before = picture.map(|picture| Before { table, body, rows, picture });
}

/// Looks at the table again once its window has settled.
pub(crate) async fn check(desktop: &mut Desktop) {
    let Some(before) = desktop.sorting.before.take() else { return };
    if picture(desktop, before.body).await.is_none_or(|now| now == before.picture) {
        return;
    }
    if before.rows.iter().all(Option::is_none) || rows(desktop, &before.table, before.body).await != before.rows {
        return;
    }
    // All objects that there were of it; those that are made from now on tell what there is.
    let cells = desktop.ids.cells_of(&before.table);
    desktop.sorting.doubted.0.extend(cells.map(|place| (place.bus.clone(), place.path.clone())));
}

/// Takes cells out that are not to be trusted, and says so.
pub(crate) fn leave_out_doubted(desktop: &Desktop, capture: &mut Capture, frame: &Place, records: &mut Vec<Record>) {
    if !desktop.sorting.doubted.any_of(&frame.bus) {
        return;
    }
    let doubted = |i: &usize| desktop.sorting.doubted.has(&frame.at(&records[*i].path));
    let these: HashSet<usize> = (0..records.len()).filter(doubted).collect();
    if !these.is_empty() {
        let what = format!(
            "{} cells aren't listed: their rows were sorted, and the app still tells what they said before; scroll to other rows, reload them in the app, or act on places of the window",
            these.len()
        );
        capture.notices.push(Notice::new("stale", what).hint("handeye click-at X Y"));
    }
    leave_out(records, &these);
}

/// The objects of the rows in sight.
async fn rows(desktop: &Desktop, table: &Place, body: Rect) -> Vec<Option<Place>> {
    let count = ((body.height / STEP) as usize).min(MOST);
    let places = (0..count).map(|i| Point::new(body.x + STEP, body.y + STEP / 2.0 + STEP * i as f64));
    join_all(places.map(async |at| found_at(&desktop.bus, table, at, (0.0, 0.0)).await.ok().flatten())).await
}

async fn picture(desktop: &Desktop, body: Rect) -> Option<Vec<u8>> {
    desktop.display.run(move |side| screenshot::shoot_screen(&side.server, body)).await.ok().map(|shot| shot.bytes)
}
