//! What there is beyond the tree: what perceivers see in a surface's structure and its pixels, merged into one list.
//!
//! [`sources::claims`] asks the perceivers, [`fuse`] merges what they say with the tree, [`regions`] numbers what has no element,
//! [`marks`] and [`draw`] put the numbers into a picture. Everything but the asking is pure.

pub mod ax;
pub mod blink;
pub mod by_model;
pub mod draw;
pub mod fuse;
pub mod ink;
pub mod judged;
pub mod likeness;
pub mod marks;
pub mod moment;
mod overlap;
pub mod pixels;
pub mod regions;
pub mod resample;
pub mod scope;
pub mod sources;
pub mod structure;
pub mod text;
