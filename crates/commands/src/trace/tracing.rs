//! What a session holds of the trace that it writes.

use crate::trace::line::Asked;
use crate::trace::writer::Tracer;
use async_trait::async_trait;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::{Clock, ModelAccess, ModelRole, Models, Problem};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A trace that a session writes.
pub struct Tracing {
    /// Its folder, as it was asked for.
    pub folder: PathBuf,
    /// What writes it.
    pub tracer: Tracer,
    /// What models are asked.
    pub asked: Arc<AskedLog>,
    /// The number of the next message of consoles.
    pub heard: u64,
}

/// What models were asked since it was last taken.
#[derive(Debug, Default)]
pub struct AskedLog(Mutex<Vec<Asked>>);

impl AskedLog {
    /// Takes it.
    pub fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, asked: Asked) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    }
}

/// Models of which every answer is noted.
pub struct Noting {
    /// They.
    pub inner: Arc<dyn Models>,
    /// Where to.
    pub log: Arc<AskedLog>,
    /// Tells how long an answer took.
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl Models for Noting {
    async fn ask(
        &self,
        access: &ModelAccess,
        role: ModelRole,
        request: &ChatRequest,
        limit: Duration,
    ) -> Result<ChatReply, Problem> {
        let began = self.clock.elapsed();
        let reply = self.inner.ask(access, role, request, limit).await;
        let seconds = self.clock.elapsed().saturating_sub(began).as_secs_f64();
        let model = access.config.of(role).map(|settings| settings.model).unwrap_or_default();
        self.log.add(Asked::of(role.word(), model, &reply, &access.keys, seconds));
        reply
    }
}
