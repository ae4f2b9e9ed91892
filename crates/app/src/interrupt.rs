//! Ctrl-C on a list of commands: the session is asked to end it in order, and tells what was done by then.

use crate::task::{listen, until};
use handeye_commands::{Request, Response};
use handeye_scene::Problem;
use handeye_server::{Asks, Client, Missing, SessionName};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::oneshot::Sender;

/// How long a session may take to tell what was done. After that it is hung up on, which cancels the rest.
const LIMIT: Duration = Duration::from_secs(10);

/// Listens for Ctrl-C as long as it lives.
pub(crate) struct Interrupt {
    is_stopped: Arc<AtomicBool>,
    /// Names the call among all of its session.
    pub(crate) call: String,
    _ended: Sender<()>,
}

impl Interrupt {
    /// From now on.
    pub(crate) fn listen() -> Result<Self, Problem> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let call = format!("{}-{now}", std::process::id());
        Ok(Self { _ended: listen(is_stopped.clone())?, is_stopped, call })
    }

    /// Asks until it is interrupted: then nobody agrees.
    pub(crate) fn until(&self, asks: Asks) -> Asks {
        until(asks, self.is_stopped.clone())
    }

    /// Makes a call that has this name.
    pub(crate) fn call(
        &self,
        client: &Client<'_>,
        (name, request): (&SessionName, &Request),
        missing: Missing,
    ) -> Result<Response, Problem> {
        let asked: Cell<Option<Instant>> = Cell::new(None);
        let is_given_up = || {
            if !self.is_stopped.load(Ordering::Relaxed) {
                return false;
            }
            if let Some(asked) = asked.get() {
                return asked.elapsed() >= LIMIT;
            }
            asked.set(Some(Instant::now()));
            // A session that can't be told is hung up on at once.
            client.interrupt(name, &self.call).is_err()
        };
        client.call_until(name, request, missing, Some(&is_given_up))
    }
}
