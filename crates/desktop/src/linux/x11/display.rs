//! The X display: one thread owns the connection, and runs what it is handed.
//!
//! A server that hangs holds that thread up and nothing else: every call has a limit.

use crate::linux::x11::clipboard::{self, Clip};
use crate::linux::x11::copies;
use crate::linux::x11::crash_recovery;
use crate::linux::x11::held_keys::{self, Held};
use crate::linux::x11::lent_keys::{self, Lent};
use crate::linux::x11::overlay::Overlay;
use crate::linux::x11::pending_windows::{self, Met};
use crate::linux::x11::server::{Fault, Server};
use handeye_scene::{Code, Problem};
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::oneshot;
use x11rb::connection::Connection as _;

/// How long the display may take for one call.
pub(crate) const LIMIT: Duration = Duration::from_secs(5);
/// How often events are looked for while nothing is asked.
const IDLE: Duration = Duration::from_millis(20);

/// The thread's side: the connection, and what is kept from one job to the next.
pub(crate) struct Side {
    pub(crate) server: Server,
    pub(crate) clip: Clip,
    pub(crate) met: Met,
    /// What is kept down between commands.
    pub(crate) held: Held,
    /// Keys that are lent a meaning.
    pub(crate) lent: Lent,
    /// The marks that are shown.
    pub(crate) overlay: Overlay,
}

impl Side {
    fn connect(display: Option<&str>) -> Result<Self, Problem> {
        let mut side = Self {
            server: Server::connect(display)?,
            clip: Clip::default(),
            met: Met::default(),
            held: Held::default(),
            lent: Lent::default(),
            overlay: Overlay::default(),
        };
        side.begin().map_err(|e| e.problem("be looked at"))?;
        Ok(side)
    }

    /// Undoes what sessions left that ended without doing so, and notes which windows there are.
    fn begin(&mut self) -> Result<(), Fault> {
        lent_keys::restore_left_over(&self.server)?;
        held_keys::let_go_left_over(&self.server)?;
        crash_recovery::begin(&mut self.server)?;
        copies::listen(&self.server)?;
        pending_windows::meet(&self.server, &mut self.met).map(drop)
    }

    /// Leaves the keyboard and the pointer as they were found.
    pub(crate) fn put_back(&mut self) -> Result<(), Fault> {
        let let_go = held_keys::let_go(&self.server, &mut self.held);
        lent_keys::restore(&self.server, &mut self.lent).and(let_go)
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // A display that is gone has no keys.
        let _ = self.put_back();
    }
}

type Job = Box<dyn FnOnce(&mut Side) + Send>;

/// The way to the thread. It ends when this is dropped.
pub(crate) struct Display {
    jobs: mpsc::Sender<Job>,
}

impl Display {
    /// Connects.
    pub(crate) async fn connect(display: Option<String>) -> Result<Self, Problem> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let (ready, begun) = oneshot::channel();
        let spawned = std::thread::Builder::new().name("x-display".into()).spawn(move || {
            match Side::connect(display.as_deref()) {
                Ok(side) => {
                    let _ = ready.send(Ok(()));
                    serve(side, &queue);
                }
                Err(problem) => {
                    let _ = ready.send(Err(problem));
                }
            }
        });
        spawned.map_err(|e| Problem::new(Code::Unavailable, format!("no thread can be started: {e}")))?;
        match tokio::time::timeout(LIMIT, begun).await {
            Ok(Ok(outcome)) => outcome.map(|()| Self { jobs }),
            _ => Err(Problem::new(Code::Unavailable, "the X display doesn't answer").hint("handeye doctor")),
        }
    }

    /// Hands `job` to the thread without waiting for it.
    pub(crate) fn post(&self, job: impl FnOnce(&mut Side) -> Result<(), Fault> + Send + 'static) {
        // A display that is gone holds nothing that was to be undone.
        let _ = self.jobs.send(Box::new(move |side| drop(job(side))));
    }

    /// Runs `job` on the thread, within the limit of one call.
    pub(crate) async fn run<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Side) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        self.run_within(LIMIT, job).await
    }

    /// The same within a limit of its own.
    pub(crate) async fn run_within<R: Send + 'static>(
        &self,
        limit: Duration,
        job: impl FnOnce(&mut Side) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        self.run_while(limit, |side, _| job(side)).await
    }

    /// The same for a job that goes on for a while: it is told whether anyone still waits for it.
    pub(crate) async fn run_while<R: Send + 'static>(
        &self,
        limit: Duration,
        job: impl FnOnce(&mut Side, &dyn Fn() -> bool) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        let (done, outcome) = oneshot::channel();
        let job: Job = Box::new(move |side| {
            // Nobody waits for it any more: what was given up is not done later.
            if !done.is_closed() {
                let outcome = job(side, &|| !done.is_closed());
                let _ = done.send(outcome);
            }
        });
        self.jobs.send(job).map_err(|_| Fault::Lost)?;
        match tokio::time::timeout(limit, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(Fault::Lost),
            Err(_) => Err(Fault::Problem(
                Problem::new(Code::Timeout, format!("the X display didn't answer within {:.0} s", limit.as_secs_f64()))
                    .hint("handeye windows"),
            )),
        }
    }
}

fn serve(mut side: Side, queue: &mpsc::Receiver<Job>) {
    loop {
        match queue.recv_timeout(IDLE) {
            Ok(job) => job(&mut side),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
        loop {
            match side.server.connection.poll_for_event() {
                Ok(Some(event)) => clipboard::answer(&side.server, &mut side.clip, &event),
                Ok(None) => break,
                // The next job says that the display is gone.
                Err(_) => break,
            }
        }
    }
}
