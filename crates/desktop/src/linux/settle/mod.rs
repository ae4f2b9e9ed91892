//! When an app is done with what a gesture began.

pub(crate) mod answered;
pub(crate) mod outcome;
pub(crate) mod quiet;
pub(crate) mod settled;
pub(crate) mod stirred;
