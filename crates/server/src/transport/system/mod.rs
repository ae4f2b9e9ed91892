//! What the operating systems do each in their own way: the endpoint where daemons are called, the folder that is closed to
//! others, the record that tells whether a daemon lives, and letting go of whoever started one.
//!
//! Both sides give the same names: an address, a listener, its two halves, and the functions below them.

mod exchange;
mod refusal;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use exchange::{Replies, Watch};
pub(crate) use refusal::{Unconnected, Unfit};
#[cfg(unix)]
pub use unix::when_asked_to_end;
#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub use windows::when_asked_to_end;
#[cfg(windows)]
pub(crate) use windows::*;
