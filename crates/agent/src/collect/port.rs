//! What the collector needs from the program around it.

use crate::collect::journal::Written;
use crate::port::{Asks, Hands};
use handeye_scene::Problem;
use handeye_scene::collect::StoppedBy;
use std::time::Duration;

/// Everything outside of the collector.
pub struct CollectPorts<'a> {
    /// Carries commands out.
    pub hands: &'a dyn Hands,
    /// Asks the model; else why it can't be asked.
    pub brain: Result<&'a dyn Asks, Problem>,
    /// Tells how far it is, a line at a time.
    pub tell: &'a dyn Fn(&str),
    /// Whether the person has ended it.
    pub cancelled: &'a dyn Fn() -> bool,
    /// How long it may take.
    pub limit: Duration,
    /// Keeps the checkpoint, and what is written out.
    pub store: &'a dyn Store,
}

/// Files of one collection.
pub trait Store {
    /// The checkpoint's name, for people.
    fn name(&self) -> String;
    /// The checkpoint; none where there is none.
    fn read(&self) -> Result<Option<Vec<u8>>, Problem>;
    /// Adds a line to the checkpoint, which must have so many bytes before: all of it, or nothing. Bytes beyond are cut off first
    /// where `cuts` says that they are the rest of a line.
    fn append(&self, line: &str, at: u64, cuts: bool) -> Result<(), Problem>;
    /// A problem where the file that was asked for is there already with something in it that is none of `own`.
    fn may_write(&self, own: &[Written]) -> Result<(), Problem>;
    /// Writes the file that was asked for, all of it or nothing, over nothing but what is `own`; its name. None where no file was
    /// asked for.
    fn publish(&self, content: &[u8], own: &[Written]) -> Result<Option<String>, Problem>;
    /// Takes the checkpoint away.
    fn forget(&self) -> Result<(), Problem>;
}

/// Why it ends before the end of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// What ends it.
    pub by: StoppedBy,
    /// Why, in words.
    pub reason: String,
    /// The problem behind it, where nothing was begun yet.
    pub problem: Option<Problem>,
}

impl Stop {
    /// One for this reason.
    pub fn new(by: StoppedBy, reason: impl Into<String>) -> Self {
        Self { by, reason: reason.into(), problem: None }
    }

    /// One for a problem.
    pub fn of(by: StoppedBy, problem: Problem) -> Self {
        Self { by, reason: problem.to_string(), problem: Some(problem) }
    }
}
