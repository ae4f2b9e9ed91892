//! Top-level windows: which there are, and which one commands look at.

pub(crate) mod current_window;
pub(crate) mod raise;
