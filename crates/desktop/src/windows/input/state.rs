//! What is known of a gesture while it is made, and until what came of it is told.

use crate::windows::records::window_list::{Handle, Seen};
use handeye_scene::InputMethod;

/// What is known of the gesture that is made, and of the last one.
#[derive(Default)]
pub(crate) struct GestureState {
    /// The windows when it began, and what its window held.
    pub(crate) begun: Option<(Vec<Seen>, u64)>,
    /// The window that it went to.
    pub(crate) acted_in: Option<Handle>,
    /// Whether what it went to promises a dialog.
    pub(crate) promises: bool,
    /// The window that the next gesture must hit.
    pub(crate) held_to: Option<Handle>,
    /// By what text is put into fields; none: by the control's own means, else by keys.
    pub(crate) input_by: Option<InputMethod>,
}
