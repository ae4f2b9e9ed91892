//! Nothing stays behind: what a chore starts is ended when the chore ends, fails or is interrupted.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

type Job = Box<dyn FnOnce() + Send>;

static JOBS: Mutex<Vec<(u64, Job)>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(1);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs its job when dropped, unless an interruption did it first.
#[must_use = "the job runs at once when this is dropped"]
pub(crate) struct Later(u64);

/// Leaves `job` to be done later.
pub(crate) fn later(job: impl FnOnce() + Send + 'static) -> Later {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    JOBS.lock().unwrap_or_else(PoisonError::into_inner).push((id, Box::new(job)));
    Later(id)
}

impl Drop for Later {
    fn drop(&mut self) {
        let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        let found = jobs.iter().position(|(id, _)| *id == self.0).map(|at| jobs.remove(at).1);
        drop(jobs);
        if let Some(job) = found {
            job();
        }
    }
}

/// Does what is left to do, last come first.
pub(crate) fn run_all() {
    loop {
        let job = JOBS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match job {
            Some((_, job)) => job(),
            None => return,
        }
    }
}

/// Stays here for good once we were interrupted: what is about to be started would be left behind.
pub(crate) fn hold_if_interrupted() {
    while INTERRUPTED.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// From now on Ctrl-C, a hang-up or a request to end does the jobs first.
pub(crate) fn on_interrupt() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            eprintln!("\nxtask: interrupted, cleaning up");
            INTERRUPTED.store(true, Ordering::SeqCst);
            run_all();
            std::process::exit(128 + signal);
        }
    });
}
