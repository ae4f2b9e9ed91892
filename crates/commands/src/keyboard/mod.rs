//! Commands that press keys.

pub mod chord;
pub mod keys;
