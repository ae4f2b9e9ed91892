//! The nouns: what every other crate speaks of.

pub mod activity;
pub mod capture;
pub mod chat;
pub mod chord;
pub mod claim;
pub mod collect;
pub mod denied;
pub mod geometry;
pub mod gesture;
pub mod held;
pub mod hint;
pub mod id;
pub mod mark;
pub mod mask;
pub mod picture;
pub mod press;
pub mod probe;
pub mod problem;
pub mod question;
pub mod receipt;
pub mod role;
pub mod snapshot;
pub mod state;
pub mod task;
pub mod text;
pub mod tree;
