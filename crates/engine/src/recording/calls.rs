//! Names of calls that more than their own method needs to know, and the answer to those that aren't recorded.

use handeye_scene::{Code, Problem};

/// Performs a gesture: calls are matched between one gesture and the next.
pub(super) const PERFORM: &str = "perform";
/// Looks.
pub(super) const CAPTURE: &str = "capture";
/// Asks for one element.
pub(super) const PROBE: &str = "probe";
/// Asks for the focus.
pub(super) const FOCUSED: &str = "focused";
/// Tells what a gesture brought without waiting for quiet.
pub(super) const ANSWERED: &str = "answered";
/// Takes what else is to be told.
pub(super) const NOTICES: &str = "notices";
/// Gives a window the keyboard.
pub(super) const TAKE_KEYBOARD: &str = "take_keyboard";
/// Tells where a form would be sent by loading the page again.
pub(super) const POSTED_TO: &str = "posted_to";
/// Reads the clock.
pub(super) const ELAPSED: &str = "elapsed";
/// Opens a browser.
pub(super) const BROWSER: &str = "browser";
/// Opens a desktop.
pub(super) const DESKTOP: &str = "desktop";

/// What is asked of a recording that is never written into one.
pub(super) fn unrecorded(what: &str) -> Problem {
    Problem::new(Code::Unsupported, format!("a recording holds no {what}"))
}
