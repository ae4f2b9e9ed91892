//! Commands that act at a place.

pub mod at;
pub mod mouse;
