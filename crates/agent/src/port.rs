//! What the loop needs from the program around it.

use crate::recall::Recalls;
use handeye_commands::{Entry, Response, ReturnState};
use handeye_models::budget::Used;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::task::Ledger;
use handeye_scene::task::Step;
use handeye_scene::{ModelsConfig, Problem};
use serde_json::Value;
use std::time::Duration;

/// One command to carry out.
pub struct Hand {
    /// The command.
    pub entry: &'static Entry,
    /// Its arguments, in their wire form.
    pub args: Value,
    /// The state to return with it.
    pub return_state: Option<ReturnState>,
    /// The window to look at from here on.
    pub window: Option<String>,
}

/// Carries commands out, with policy and consent, as for every other caller. It blocks.
pub trait Hands {
    /// Carries one out, until it is done or the task is cancelled.
    fn call(&self, hand: Hand) -> Response;
}

/// Asks the model. It blocks.
pub trait Asks {
    /// The model's name.
    fn model(&self) -> String;
    /// Where models are, and what may be spent on them.
    fn config(&self) -> &ModelsConfig;
    /// Asks once, until the answer is there, the limit has passed or the task is cancelled.
    fn ask(&self, request: &ChatRequest, limit: Duration, cancelled: &dyn Fn() -> bool) -> Result<ChatReply, Problem>;
    /// What was used so far.
    fn used(&self) -> Used;
    /// Notes an answer of an earlier run that is used in place of asking.
    fn note_recalled(&self, _reply: &ChatReply) {}
}

/// Asks the person a question of the model; none where the person says nothing.
pub type Person<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Everything outside of the loop.
pub struct Ports<'a> {
    /// Carries commands out.
    pub hands: &'a dyn Hands,
    /// Asks the model.
    pub brain: &'a dyn Asks,
    /// Asks the person; none where nobody can be asked.
    pub person: Option<Person<'a>>,
    /// Tells how far it is, a line at a time.
    pub tell: &'a dyn Fn(&str),
    /// Whether the person has ended it.
    pub cancelled: &'a dyn Fn() -> bool,
    /// How long it may take.
    pub limit: Duration,
    /// Keeps what a later run goes on with.
    pub keep: &'a dyn Fn(&Kept),
    /// Keeps answers of the model that led to their end; none where nothing is kept.
    pub recalls: Option<&'a dyn Recalls>,
    /// What an earlier run kept, to go on with.
    pub kept: Option<Kept>,
}

/// What a later run goes on with.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Kept {
    /// The task, in the person's words.
    pub text: String,
    /// The ledger so far.
    pub ledger: Ledger,
    /// What was done so far.
    pub steps: Vec<Step>,
}
