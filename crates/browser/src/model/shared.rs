//! The model, shared between the reader's task, which writes it, and whoever reads it and waits for what comes.

use super::{BrowserState, Model};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, watch};
use tokio::time::{Instant, timeout_at};

/// What the reader's task and the surface share.
pub(crate) struct Shared {
    model: Mutex<Model>,
    bump: watch::Sender<u64>,
    /// Read while input is on its way, written while a page is stopped that would lose it.
    input: RwLock<()>,
}

impl Shared {
    pub(crate) fn new(owned: bool) -> Arc<Self> {
        let browser = BrowserState { owned, ..BrowserState::default() };
        Arc::new(Self {
            model: Mutex::new(Model { browser, ..Model::default() }),
            bump: watch::Sender::new(0),
            input: RwLock::new(()),
        })
    }

    /// What is known. Never held across an await.
    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whenever an event was applied.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.bump.subscribe()
    }

    /// Looks at once, and again after each event, until something is there; none where it didn't come by the deadline.
    pub(crate) async fn wait_until<T, E>(
        &self,
        deadline: Instant,
        mut look: impl FnMut() -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        loop {
            // Before the look: what comes in between ends the wait.
            let mut watch = self.watch();
            let found = look()?;
            if found.is_some() || timeout_at(deadline, watch.changed()).await.is_err() {
                return Ok(found);
            }
        }
    }

    /// As [`Shared::wait_until`], for as long as something holds; whether it ceased.
    pub(crate) async fn wait_while(&self, deadline: Instant, mut holds: impl FnMut() -> bool) -> bool {
        let ceased = self.wait_until(deadline, || Ok::<_, Infallible>((!holds()).then_some(()))).await;
        matches!(ceased, Ok(Some(())))
    }

    /// Input is on its way until this is dropped. Not to be asked for by who has it. None: a page is stopped for too long.
    pub(crate) async fn sending(&self, deadline: Instant) -> Option<RwLockReadGuard<'_, ()>> {
        timeout_at(deadline, self.input.read()).await.ok()
    }

    /// No input is on its way until this is dropped, other than what a gesture sends bit by bit to a page that it stops itself.
    pub(crate) async fn stopping(&self) -> RwLockWriteGuard<'_, ()> {
        self.input.write().await
    }

    pub(crate) fn bump(&self) {
        self.bump.send_modify(|n| *n += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn what_is_waited_for_is_looked_for_at_once_after_each_event_and_until_the_deadline() {
        let shared = Shared::new(true);
        let deadline = Instant::now() + Duration::from_millis(500);
        let at_once = shared.wait_until(deadline, || Ok::<_, &str>(Some(1))).await;
        assert_eq!(at_once, Ok(Some(1)));
        let (waker, mut looks) = (shared.clone(), 0);
        let later = shared.wait_until(deadline, || {
            looks += 1;
            // It comes while it is being looked for.
            waker.bump();
            Ok::<_, &str>((looks == 3).then_some(looks))
        });
        assert_eq!(later.await, Ok(Some(3)));
        assert_eq!(shared.wait_until(deadline, || Err::<Option<u8>, _>("no")).await, Err("no"));
        assert_eq!(shared.wait_until(deadline, || Ok::<Option<u8>, &str>(None)).await, Ok(None));
        assert!(!shared.wait_while(deadline, || true).await && Instant::now() >= deadline);
        assert!(shared.wait_while(deadline, || false).await);
    }
}
