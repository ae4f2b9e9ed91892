//! The thread that makes the system's calls: handles and COM objects never leave it, and it alone waits for them.

use crate::windows::calls::Fault;
use crate::windows::desktop::Desktop;
use handeye_scene::{Code, Problem};
use std::sync::mpsc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long one call may take in all, whatever it is made of.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

type Job = Box<dyn FnOnce(&mut Desktop) + Send>;

/// The way to the thread.
pub(crate) struct Worker {
    jobs: mpsc::Sender<Job>,
}

impl Worker {
    /// Starts the thread; `make` runs on it.
    pub(crate) async fn start(make: impl FnOnce() -> Desktop + Send + 'static) -> Result<Self, Problem> {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let (made, is_made) = oneshot::channel();
        let run = move || {
            let mut desktop = make();
            // Nobody waits for one whose session ended meanwhile.
            let _ = made.send(());
            for job in waiting {
                job(&mut desktop);
            }
        };
        let started = std::thread::Builder::new().name("windows".into()).spawn(run);
        started.map_err(|e| Problem::new(Code::Unavailable, format!("no thread for windows can be started: {e}")))?;
        let ready = tokio::time::timeout(LIMIT, is_made).await;
        ready.map_err(|_| late())?.map_err(|_| lost())?;
        Ok(Self { jobs })
    }

    /// Runs a job on the thread.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Desktop) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        self.run_within(LIMIT, job).await
    }

    /// Runs one on the thread before all that comes later, and doesn't wait for it.
    pub(crate) fn tell(&self, job: impl FnOnce(&mut Desktop) + Send + 'static) {
        // A thread that ended is told of by the next call that waits for it.
        let _ = self.jobs.send(Box::new(job));
    }

    /// The same within a limit of its own.
    pub(crate) async fn run_within<T: Send + 'static>(
        &self,
        limit: Duration,
        job: impl FnOnce(&mut Desktop) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (done, is_done) = oneshot::channel();
        let work: Job = Box::new(move |desktop| {
            // Nobody waits for it once the limit has passed.
            let _ = done.send(job(desktop));
        });
        self.jobs.send(work).map_err(|_| lost())?;
        tokio::time::timeout(limit, is_done).await.map_err(|_| late())?.map_err(|_| lost())?
    }
}

fn late() -> Problem {
    Fault::Late.problem("be looked at")
}

fn lost() -> Problem {
    Problem::new(Code::Bug, "the thread that looks at windows ended").hint("handeye sessions list")
}
