//! Tables that may tell what their rows said before they were sorted.
//!
//! GTK 3 keeps the text of each cell that it was asked for. A program that sorts its rows without saying so as GTK wants it
//! (Thunar 4.18 does) has the old texts told of the rows that are there now. So a click on a heading is followed by a look at the
//! table: where it shows something else, and each row has the object that it had before, what these objects say can't be trusted.

use super::bus::Place;
use super::gestures::Ready;
use super::hit::{found_at, placed};
use super::surface::Linux;
use super::tree::{self, parent};
use crate::record::Record;
use crate::roles::HEADERS;
use futures_util::future::join_all;
use handeye_scene::{Capture, Notice, Point, Rect};
use std::collections::HashSet;
use std::sync::Arc;

/// Pixels from one place to the next at which rows are asked for; a row is no lower.
const STEP: f64 = 12.0;
/// Most places that are asked.
const MOST: usize = 80;

/// A table as it was before its heading was clicked.
pub(crate) struct Before {
    table: Place,
    body: Rect,
    rows: Vec<Option<Place>>,
    picture: Vec<u8>,
}

/// Cells that are not to be trusted, by their apps' names on the bus and their paths.
#[derive(Default)]
pub(crate) struct Doubted(HashSet<(Arc<str>, Arc<str>)>);

impl Doubted {
    pub(crate) fn has(&self, place: &Place) -> bool {
        !self.0.is_empty() && self.0.contains(&(place.bus.clone(), place.path.clone()))
    }

    /// Whether any is of this app.
    pub(crate) fn any_of(&self, app: &str) -> bool {
        self.0.iter().any(|(bus, _)| **bus == *app)
    }
}

impl Linux {
    /// Notes how a table is before its heading is clicked.
    pub(super) async fn note_table(&mut self, ready: &Ready) {
        self.sorting = None;
        if !ready.tree.quirks.keeps_cells || !HEADERS.contains(&ready.role) {
            return;
        }
        let Ok(path) = parent(&self.bus, &ready.place).await else { return };
        let table = ready.place.at(&path);
        let Some(whole) = tree::extents(&self.bus, &table, &placed()).await else { return };
        let top = (ready.probe.rect.y + ready.probe.rect.height).max(whole.y);
        let body = Rect::new(whole.x, top, whole.width, whole.y + whole.height - top);
        let (rows, picture) = (self.rows(&table, body).await, self.picture(body).await);
        self.sorting = picture.map(|picture| Before { table, body, rows, picture });
    }

    /// Looks at the table again once its window has settled.
    pub(super) async fn check_table(&mut self) {
        let Some(before) = self.sorting.take() else { return };
        if self.picture(before.body).await.is_none_or(|now| now == before.picture) {
            return;
        }
        if before.rows.iter().all(Option::is_none) || self.rows(&before.table, before.body).await != before.rows {
            return;
        }
        // All objects that there were of it; those that are made from now on tell what there is.
        let cells = self.ids.cells_of(&before.table);
        self.doubted.0.extend(cells.map(|place| (place.bus.clone(), place.path.clone())));
    }

    /// Takes cells out that are not to be trusted, and says so.
    pub(super) fn leave_out_doubted(&self, capture: &mut Capture, frame: &Place, records: &mut Vec<Record>) {
        if !self.doubted.any_of(&frame.bus) {
            return;
        }
        let doubted = |i: &usize| self.doubted.has(&frame.at(&records[*i].path));
        let these: HashSet<usize> = (0..records.len()).filter(doubted).collect();
        if !these.is_empty() {
            let what = format!(
                "{} cells aren't listed: their rows were sorted, and the app still tells what they said before; scroll to other rows, reload them in the app, or act on places by handeye click-at",
                these.len()
            );
            capture.notices.push(Notice::new("stale", what));
        }
        super::bars::leave_out(records, &these);
    }

    /// The objects of the rows in sight.
    async fn rows(&self, table: &Place, body: Rect) -> Vec<Option<Place>> {
        let count = ((body.height / STEP) as usize).min(MOST);
        let places = (0..count).map(|i| Point::new(body.x + STEP, body.y + STEP / 2.0 + STEP * i as f64));
        join_all(places.map(async |at| found_at(&self.bus, table, at, (0.0, 0.0)).await.ok().flatten())).await
    }

    async fn picture(&self, body: Rect) -> Option<Vec<u8>> {
        self.display.run(move |side| side.shoot_screen(body)).await.ok().map(|shot| shot.bytes)
    }
}
