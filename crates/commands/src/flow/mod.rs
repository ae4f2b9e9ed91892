//! Commands that are lists of others, or stand for one.

pub mod act;
pub mod batch;
