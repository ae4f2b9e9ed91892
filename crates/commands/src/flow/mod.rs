//! Commands that are lists of others.

pub mod batch;
