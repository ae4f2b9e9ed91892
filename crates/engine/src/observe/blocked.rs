//! A script dialog that holds a page: nothing else of it goes on until the dialog is answered.

use super::outline::quote;
use handeye_scene::{Code, Problem, Surface};

/// A problem where the page shows a dialog.
pub(crate) fn check(surface: &mut dyn Surface) -> Result<(), Problem> {
    let Some(dialog) = surface.web().and_then(|w| w.dialog()) else { return Ok(()) };
    let what = format!("a dialog is open: {} {}", dialog.kind, quote(&dialog.message, 200));
    Err(Problem::new(Code::Blocked, what)
        .hint("handeye dialog accept")
        .hint("handeye dialog dismiss")
        .hint("handeye tabs new URL"))
}
