//! The second capture: by the trees that the browser keeps itself, asked for over the protocol.
//!
//! Start reading at `look.rs`, which makes a look at one document of what `tree.rs` asks for and `nodes.rs` reads; `frames.rs` and
//! `dom.rs` are for who wants the trees themselves.

pub(crate) mod dom;
pub(crate) mod frames;
pub(crate) mod look;
mod nodes;
mod reader;
pub(crate) mod resolve;
pub(crate) mod tree;

#[cfg(test)]
pub(crate) use reader::{in_order, read};
