//! When a desktop is done with what a gesture began.

pub(crate) mod settled;
