//! One look at every document of a tab, and at single elements of it.
//!
//! Start reading at `look.rs`, then `closed_roots.rs` and `assemble.rs`; `probe.rs` for a single element.

mod assemble;
pub(crate) mod ax;
mod cache;
pub(crate) mod closed_roots;
pub(crate) mod codec;
mod cover;
pub(crate) mod focus;
mod leads;
pub(crate) mod look;
pub(crate) mod placement;
pub(crate) mod probe;
mod raw;
mod roots;
pub(crate) mod rows;
pub(crate) mod search;
mod transform;
