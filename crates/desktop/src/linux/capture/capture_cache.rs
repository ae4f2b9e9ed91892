//! What was read of an app, used again while the app tells of no change.
//!
//! An app's events come before its next answer, on the one connection; so after one call it is known whether it has told of any.
//! Input of ours ends it all the same: what it does need not be told.

use crate::linux::atspi::apps::App;
use crate::linux::atspi::bus::{ACCESSIBLE, Bus};
use crate::linux::capture::window_tree::WindowTree;
use crate::linux::windows::window_list::Seen;
use std::collections::HashMap;
use std::sync::Arc;

/// What was read of the windows of apps, by the apps' names on the bus.
#[derive(Default)]
pub(crate) struct CaptureCache(HashMap<Arc<str>, Reading>);

/// What was read of one app.
struct Reading {
    /// Its windows, as they lay then.
    windows: Vec<Seen>,
    /// Whether all rows of their tables were.
    rows: bool,
    /// How many events it had sent before.
    told: u64,
    parts: Vec<WindowTree>,
}

impl CaptureCache {
    /// Keeps what was read of an app that had sent so many events before.
    pub(crate) fn keep(&mut self, app: &App, (windows, rows): (&[&Seen], bool), told: u64, parts: &[WindowTree]) {
        if app.quirks.tells_changes && !parts.is_empty() && parts.iter().all(WindowTree::is_whole) {
            let windows = windows.iter().map(|w| (*w).clone()).collect();
            self.0.insert(app.root.bus.clone(), Reading { windows, rows, told, parts: parts.to_vec() });
        }
    }

    /// What was read of an app, if nothing has changed since.
    pub(crate) async fn unchanged(
        &self,
        bus: &Bus,
        app: &App,
        windows: &[&Seen],
        rows: bool,
    ) -> Option<Vec<WindowTree>> {
        let kept = self.0.get(&app.root.bus)?;
        if kept.rows != rows || !kept.windows.iter().eq(windows.iter().copied()) {
            return None;
        }
        bus.call(&app.root, ACCESSIBLE, "GetRole", &()).await.ok()?;
        (bus.told_by(&app.root.bus) == kept.told).then(|| kept.parts.clone())
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
