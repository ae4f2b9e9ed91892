//! What a session keeps down between its commands.

use crate::windows::calls::Stroke;
use handeye_scene::Button;

/// What is kept down between commands. All of it is let go when the session ends.
pub(crate) enum Held {
    Key(Stroke),
    Button(Button),
}
