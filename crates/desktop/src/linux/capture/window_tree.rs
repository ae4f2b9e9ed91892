//! A window with what was read of its tree.

use crate::linux::capture::frames::Frame;
use crate::linux::capture::reading::Reading;
use crate::quirks::Quirks;
use x11rb::protocol::xproto::Window;

/// A window with its tree.
#[derive(Clone)]
pub(crate) struct WindowTree {
    pub(crate) window: Option<Window>,
    pub(crate) pid: u32,
    pub(crate) frame: Frame,
    pub(crate) quirks: Quirks,
    pub(crate) reading: Reading,
    pub(crate) shift: (f64, f64),
}

impl WindowTree {
    /// Whether all of it was read.
    pub(crate) fn is_whole(&self) -> bool {
        self.reading.partial.is_none()
    }
}
