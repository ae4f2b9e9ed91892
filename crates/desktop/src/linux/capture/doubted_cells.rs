//! What is known of tables that may have been sorted unsaid.

use crate::linux::atspi::bus::Place;
use handeye_scene::Rect;
use std::collections::HashSet;
use std::sync::Arc;

/// A table as it was before its heading was clicked.
pub(crate) struct Before {
    pub(crate) table: Place,
    pub(crate) body: Rect,
    pub(crate) rows: Vec<Option<Place>>,
    pub(crate) picture: Vec<u8>,
}

/// Cells that are not to be trusted, by their apps' names on the bus and their paths.
#[derive(Default)]
pub(crate) struct Doubted(pub(crate) HashSet<(Arc<str>, Arc<str>)>);

impl Doubted {
    pub(crate) fn has(&self, place: &Place) -> bool {
        !self.0.is_empty() && self.0.contains(&(place.bus.clone(), place.path.clone()))
    }

    /// Whether any is of this app.
    pub(crate) fn any_of(&self, app: &str) -> bool {
        self.0.iter().any(|(bus, _)| **bus == *app)
    }
}

/// A table that is about to be sorted, and what came of former ones.
#[derive(Default)]
pub(crate) struct Sorting {
    /// A table whose heading is clicked, as it was before.
    pub(crate) before: Option<Before>,
    /// Cells that may tell what they said before.
    pub(crate) doubted: Doubted,
}
