//! What the two interfaces have in common that tell what is inside of a window.

use crate::windows::calls::Fault;
use crate::windows::records::element::Element;
use crate::windows::records::ids::Key;
use crate::windows::records::window_list::Seen;
use handeye_scene::{Cover, Point, Rect};
use std::time::Instant;

/// One element of a window, in reading order.
pub(crate) struct Part {
    pub(crate) key: Key,
    /// Index of its parent among the parts.
    pub(crate) parent: Option<usize>,
    pub(crate) element: Element,
}

/// What was read of a window.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) parts: Vec<Part>,
    /// Why that isn't all.
    pub(crate) partial: Option<String>,
}

/// What became of an element's own means.
pub(crate) enum Done {
    /// It was done, by this.
    By(&'static str),
    /// It wasn't: why.
    Not(String),
}

/// What a pointer would hit.
pub(crate) enum Hit {
    /// The element.
    Own,
    /// Something else.
    Other(Option<Cover>),
}

/// Tells what is inside of windows, and operates it. It lives on one thread, and so do its handles.
pub(crate) trait Tree {
    /// All of a window that can be read until then.
    fn read(&mut self, window: &Seen, until: Instant) -> Result<Reading, Fault>;
    /// One element as it is now; none when it is gone or another one took its place.
    fn look(&mut self, window: &Seen, key: &Key) -> Result<Option<Element>, Fault>;
    /// Its name now, by as few questions as can be, and nothing more; none where it can't be told. At a place that it was just
    /// found at, fewer do.
    fn says(&mut self, window: &Seen, key: &Key, at: Option<Point>) -> Result<Option<String>, Fault>;
    /// Whether it is held down; none where it doesn't tell.
    fn is_down(&mut self, key: &Key) -> Result<Option<bool>, Fault>;
    /// Does what a click does.
    fn invoke(&mut self, key: &Key) -> Result<Done, Fault>;
    /// Opens or closes it.
    fn expand(&mut self, key: &Key, on: bool) -> Result<Done, Fault>;
    /// Puts it somewhere between its ends.
    fn set(&mut self, key: &Key, number: f64) -> Result<Done, Fault>;
    /// Replaces its text.
    fn replace(&mut self, key: &Key, text: &str) -> Result<Done, Fault>;
    /// Chooses one of its options, if that still says so.
    fn choose(&mut self, key: &Key, option: usize, says: &str) -> Result<Done, Fault>;
    /// Gives it the keyboard; whether it was asked to.
    fn focus(&mut self, key: &Key) -> Result<bool, Fault>;
    /// Scrolls it into view.
    fn reveal(&mut self, key: &Key) -> Result<(), Fault>;
    /// Its whole text; none where it has no text of its own.
    fn text(&mut self, key: &Key) -> Result<Option<String>, Fault>;
    /// What can be seen of it, of all that it fills: not what lies outside of what holds it, or of the screen.
    fn visible(&mut self, window: &Seen, key: &Key, rect: Rect) -> Result<Option<Rect>, Fault>;
    /// What a pointer at this place would hit.
    fn hit(&mut self, window: &Seen, key: &Key, at: Point) -> Result<Hit, Fault>;
    /// How far what is under a place is scrolled, right and down, in steps of its own.
    fn scrolled(&mut self, at: Point) -> Option<(f64, f64)>;
}
