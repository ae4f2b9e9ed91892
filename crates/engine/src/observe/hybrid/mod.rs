//! The hybrid snapshot: the accessibility trees of all documents as one outline, tied to the DOM by ids and XPaths.
//!
//! Start reading at [`hybrid`]; `prune.rs` says what of a tree is shown, `index.rs` where nodes are, `outline.rs` how one
//! outline is put into another.

pub mod index;
pub mod outline;
pub mod prune;
pub mod text;
pub mod xpath;

mod merge;
#[cfg(test)]
mod tests;

pub use merge::{Hybrid, HybridDocument, Operable, hybrid};
