//! Who a call is made by, for commands that make calls themselves.

use crate::cli::{Call, Globals};
use handeye_commands::Response;
use handeye_scene::Problem;
use handeye_server::Asks;

/// Carries a call out, until nobody waits for it.
pub(crate) type Perform = fn(Call, Option<&dyn Fn() -> bool>, Option<Asks>) -> Result<Response, Problem>;

/// Who called, and how.
pub(crate) struct By<'a> {
    /// The options of every command.
    pub(crate) globals: Globals,
    /// Whether nobody waits for it any more; none where that is told by nothing but this process's end.
    pub(crate) cancelled: Option<&'a dyn Fn() -> bool>,
    /// Who is asked what the policy asks of a person; none where nobody can be.
    pub(crate) asks: Option<Asks>,
    /// Carries calls out.
    pub(crate) perform: Perform,
}
