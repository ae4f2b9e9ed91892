//! What the model of a task was asked, for the trace of the session that it works in.

use handeye_agent::port::Asks;
use handeye_commands::trace::line::Asked;
use handeye_models::budget::Used;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::{ModelKeys, ModelRole, ModelsConfig, Problem};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A model of which every answer is noted, until it is taken.
pub(crate) struct Noting<'a> {
    brain: &'a dyn Asks,
    keys: ModelKeys,
    asked: Mutex<Vec<Asked>>,
}

impl<'a> Noting<'a> {
    pub(crate) fn new(brain: &'a dyn Asks, keys: ModelKeys) -> Self {
        Self { brain, keys, asked: Mutex::default() }
    }

    /// What was asked since this was last taken.
    pub(crate) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Asks for Noting<'_> {
    fn model(&self) -> String {
        self.brain.model()
    }

    fn config(&self) -> &ModelsConfig {
        self.brain.config()
    }

    fn ask(&self, request: &ChatRequest, limit: Duration, cancelled: &dyn Fn() -> bool) -> Result<ChatReply, Problem> {
        let began = Instant::now();
        let reply = self.brain.ask(request, limit, cancelled);
        let seconds = began.elapsed().as_secs_f64();
        let asked = Asked::of(ModelRole::Agent.word(), self.brain.model(), &reply, &self.keys, seconds);
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        reply
    }

    fn used(&self) -> Used {
        self.brain.used()
    }

    fn note_recalled(&self, reply: &ChatReply) {
        let asked = Asked::of(ModelRole::Agent.word(), self.brain.model(), &Ok(reply.clone()), &self.keys, 0.0);
        let asked = Asked { recalled: true, ..asked };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    }
}
