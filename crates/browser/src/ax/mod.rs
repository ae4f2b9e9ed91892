//! The second capture: by the trees that the browser keeps itself, asked for over the protocol.
//!
//! Start reading at `trees.rs`, which puts together what `frames.rs`, `dom.rs` and `tree.rs` ask for; `nodes.rs` and
//! `look.rs` make a capture of it.

mod dom;
mod frames;
mod look;
mod nodes;
mod reader;
mod resolve;
mod tree;
mod trees;

#[cfg(test)]
pub(crate) use reader::{in_order, read};
