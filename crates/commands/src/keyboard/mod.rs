//! Commands that press keys.

pub mod keys;
