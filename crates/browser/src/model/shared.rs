//! The model, shared between the reader's task, which writes it, and whoever reads it and waits for what comes.

use super::{BrowserState, Model};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What the reader's task and the surface share.
pub(crate) struct Shared {
    model: Mutex<Model>,
    bump: watch::Sender<u64>,
}

impl Shared {
    pub(crate) fn new(owned: bool) -> Arc<Self> {
        let browser = BrowserState { owned, ..BrowserState::default() };
        Arc::new(Self { model: Mutex::new(Model { browser, ..Model::default() }), bump: watch::Sender::new(0) })
    }

    /// What is known. Never held across an await.
    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whenever an event was applied.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.bump.subscribe()
    }

    pub(crate) fn bump(&self) {
        self.bump.send_modify(|n| *n += 1);
    }
}
