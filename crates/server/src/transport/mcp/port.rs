//! What the server needs from the program around it.

use handeye_commands::{Entry, Response, ReturnState};
use handeye_scene::{Backend, Question};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What holds for any command, as one call asks for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Return a state too.
    pub return_state: Option<ReturnState>,
    /// Limit on the whole command, in seconds.
    pub timeout: Option<f64>,
    /// The window to look at from here on.
    pub window: Option<String>,
    /// By what the windows of Windows are looked into.
    pub backend: Option<Backend>,
}

/// One call of a command.
pub struct Asked {
    /// The command.
    pub entry: &'static Entry,
    /// Its arguments, in their wire form.
    pub args: Value,
    /// The rest.
    pub options: Options,
}

/// Puts a question of the policy to a person, and says whether that person agrees; none where nobody answers in time.
pub type Asks = Arc<dyn Fn(&Question) -> Option<bool> + Send + Sync>;

/// Who waits for a call.
pub struct Caller<'a> {
    /// Whether nobody does any more.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Who is asked where the policy wants a person's consent; none where nobody can be.
    pub asks: Option<Asks>,
}

/// Carries calls out. Methods block; they are called on threads that may.
pub trait Calls: Send + Sync + 'static {
    /// Carries one call out, until it is done or nobody waits for it.
    fn call(&self, asked: Asked, caller: Caller<'_>) -> Response;

    /// What carries calls out on a further session; none where all are for one that was named.
    fn another(&self) -> Option<Arc<dyn Calls>>;

    /// Ends the session, where it was opened for its calls alone.
    fn end(&self);

    /// A command line, without the program's name, as a command and the arguments that it gives; none where it is no such.
    fn read(&self, words: &[String]) -> Option<(&'static Entry, Map<String, Value>)>;
}
