//! What is known of a gesture while it is made, and until what came of it is told.

use crate::linux::atspi::bus::Place;
use crate::linux::input::double_click::LastClick;
use crate::linux::settle::outcome::Begun;
use handeye_scene::InputMethod;
use x11rb::protocol::xproto::Window;

/// What is known of the gesture that is made, and of the last one.
#[derive(Default)]
pub(crate) struct GestureState {
    /// What there was when it began.
    pub(crate) begun: Option<Begun>,
    /// The app that it went to.
    pub(crate) acted_on: Option<Place>,
    /// The window that it went to.
    pub(crate) acted_in: Option<Window>,
    /// The window that lay where it was made at a place.
    pub(crate) pointed_in: Option<Window>,
    /// The object that it went to.
    pub(crate) target: Option<Place>,
    /// Whether it may only have begun what its target does a while later.
    pub(crate) acts_late: bool,
    /// Whether what it went to promises a dialog.
    pub(crate) promises: bool,
    /// Whether it was a press of a menu's item, which closes the menu by itself.
    pub(crate) chooses: bool,
    /// How many events had come when something was last waited for.
    pub(crate) heard: u64,
    /// The children of the root that the next gesture may hit; none: any.
    pub(crate) held_to: Vec<Window>,
    /// When and where the last click was made.
    pub(crate) clicked: LastClick,
    /// By what text is put into fields; none: by the accessible interface, else by keys.
    pub(crate) input_by: Option<InputMethod>,
}
