//! A session's task and the handle through which every front end calls it: calls run one at a time, in the order in
//! which they came, and a caller that gives up takes its call with it.

use crate::session::interrupt::Interrupted;
use crate::session::watchers::{self, Watchers};
use handeye_commands::core::secrets::hide;
use handeye_commands::core::session::seconds;
use handeye_commands::dispatch;
use handeye_commands::dispatch::glance::glance;
use handeye_commands::{Request, Response, Session, Settings};
use handeye_scene::{Code, Consent, Problem, Shot};
use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long a question about the page's address may take before it is left open.
const URL_LIMIT: Duration = Duration::from_millis(300);

/// How long a picture may take, with the wait for the call that runs.
const PICTURE_LIMIT: Duration = Duration::from_secs(8);

/// How much longer than its `--timeout` a call may take before it is cancelled. Commands keep the limit themselves and know
/// better what to say; this is for the one that can't.
const GRACE: Duration = Duration::from_secs(3);

/// What a call may wait for its turn whatever its limit, and what isn't taken off the limit: no more than passing it on takes.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);

/// Calls a session. Clones call the same one.
#[derive(Clone)]
pub struct SessionHandle {
    pub(crate) watchers: Watchers,
    pub(crate) interrupted: Interrupted,
    jobs: mpsc::Sender<Job>,
    waiting: Arc<AtomicUsize>,
}

enum Job {
    Call(Call),
    Url(oneshot::Sender<Option<String>>),
    Picture(oneshot::Sender<Result<Option<Shot>, Problem>>),
}

/// A call in the queue.
struct Call {
    request: Box<Request>,
    /// Whoever can be asked what the policy asks of a person.
    consent: Option<Arc<dyn Consent>>,
    reply: oneshot::Sender<Response>,
    /// Told when its turn comes.
    begin: oneshot::Sender<()>,
    came: Instant,
    waiting: Waiting,
}

/// Counts a call for as long as it is queued or runs.
struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a session's task must know of the world around it.
pub(crate) struct Around {
    /// How many front ends hold on to the session.
    pub(crate) guests: watch::Receiver<usize>,
    /// Becomes true when the session is told to end.
    pub(crate) stop: watch::Receiver<bool>,
}

/// A session whose task is over.
pub(crate) struct Over {
    /// It; its surface may still be open.
    pub(crate) session: Session,
    /// The answer to the call that ended it, to be given once everything is tidied up.
    pub(crate) last: Option<(oneshot::Sender<Response>, Response)>,
}

impl SessionHandle {
    /// Puts a session into a task of its own, which ends with the last handle. Needs a tokio runtime.
    pub fn spawn(session: Session) -> Self {
        // Whoever holds the senders decides; dropped at once, they never say anything.
        let around = Around { guests: watch::channel(1).1, stop: watch::channel(false).1 };
        let (handle, task) = Self::spawn_within(session, around);
        tokio::spawn(async move {
            if let Ok(mut over) = task.await {
                let session = &mut over.session;
                let aside = session.other_surface.iter_mut().map(|aside| &mut aside.surface);
                for surface in session.surface.iter_mut().chain(aside) {
                    let _ = surface.close().await;
                }
                if let Some((reply, response)) = over.last {
                    let _ = reply.send(response);
                }
            }
        });
        handle
    }

    pub(crate) fn spawn_within(session: Session, around: Around) -> (Self, JoinHandle<Over>) {
        let (jobs, queue) = mpsc::channel(16);
        let watchers = Watchers::default();
        let interrupted = Interrupted::default();
        let task = tokio::spawn(run(session, queue, around, (watchers.clone(), interrupted.clone())));
        (Self { watchers, interrupted, jobs, waiting: Arc::default() }, task)
    }

    /// Runs one call after those that came before it. Dropping the future cancels the call.
    pub async fn call(&self, request: Request) -> Response {
        let command = request.command.clone();
        self.submit(request, None).await.unwrap_or_else(|| ended(&format!("before `{command}` could run")).into())
    }

    /// Like [`SessionHandle::call`]; none when the session ended before the call began.
    pub(crate) async fn submit(&self, request: Request, consent: Option<Arc<dyn Consent>>) -> Option<Response> {
        let (reply, answer) = oneshot::channel();
        let (begin, begun) = oneshot::channel();
        let (command, limit) = (request.command.clone(), request.flags.timeout.map(seconds));
        let waiting = Waiting::new(&self.waiting);
        let call = Call { request: Box::new(request), consent, reply, begin, came: Instant::now(), waiting };
        let turn = async {
            self.jobs.send(Job::Call(call)).await.ok()?;
            begun.await.ok()
        };
        let Some(limit) = limit else {
            turn.await?;
            return answer.await.ok();
        };
        // Whoever waits no longer takes the call with them: its end of the reply is gone.
        match timeout(limit.max(SHORTEST_WAIT), turn).await {
            Ok(turn) => turn?,
            Err(_) => return Some(queued(&command, limit)),
        }
        answer.await.ok()
    }

    /// Address of the session's page; none when nothing is open, or when a call runs, which this doesn't wait for.
    pub async fn url(&self) -> Option<String> {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            return None;
        }
        let (reply, answer) = oneshot::channel();
        self.jobs.try_send(Job::Url(reply)).ok()?;
        timeout(URL_LIMIT, answer).await.ok()?.ok()?
    }

    /// What the session's surface shows; none where nothing is open. It waits for the call that runs.
    pub(crate) async fn picture(&self) -> Result<Option<Shot>, Problem> {
        let (reply, answer) = oneshot::channel();
        let asked = async {
            self.jobs.send(Job::Picture(reply)).await.ok()?;
            answer.await.ok()
        };
        match timeout(PICTURE_LIMIT, asked).await {
            Ok(Some(picture)) => picture,
            Ok(None) => Err(ended("before it was looked at")),
            Err(_) => Err(Problem::new(Code::Timeout, "a command still runs")),
        }
    }
}

async fn run(
    mut session: Session,
    mut queue: mpsc::Receiver<Job>,
    mut around: Around,
    (watchers, interrupted): (Watchers, Interrupted),
) -> Over {
    let mut holds = watchers.holds();
    let mut idle_limit = seconds(Settings::default().waits.idle_exit);
    let mut used = Instant::now();
    // Whether anything came of a call yet. Until then nobody misses the session if its starter gives up.
    let mut opened = false;
    let mut last = None;
    loop {
        // One that had something open keeps its rules for what is opened in place of what was lost.
        let blank = (session.surface.is_none() && session.terms.rules.is_none()) || !opened;
        let job = tokio::select! {
            biased;
            () = becomes(&mut around.stop, |stop| *stop) => break,
            job = queue.recv() => job,
            () = becomes(&mut around.guests, |guests| *guests == 0), if blank => break,
            () = sleep_until(used + idle_limit) => break,
        };
        match job {
            None => break,
            Some(Job::Url(reply)) => {
                let _ = reply.send(url(&mut session).await);
            }
            Some(Job::Picture(reply)) => {
                if !reply.is_closed() {
                    let picture = timeout(PICTURE_LIMIT, unwinding(glance(&mut session))).await;
                    let late = || Err(Problem::new(Code::Timeout, "the surface doesn't answer"));
                    let _ = reply.send(picture.ok().and_then(Result::ok).unwrap_or_else(late));
                }
            }
            Some(Job::Call(Call { mut request, consent, mut reply, begin, came, waiting })) => {
                if reply.is_closed() || begin.send(()).is_err() {
                    continue;
                }
                // Its limit is on all of it, and counts from when it came.
                let waited = came.elapsed();
                if let Some(limit) = request.flags.timeout.as_mut().filter(|_| waited > SHORTEST_WAIT) {
                    *limit = (*limit - waited.as_secs_f64()).max(0.0);
                }
                idle_limit = seconds(request.flags.settings.waits.idle_exit);
                let command = request.command.clone();
                let limit = request.flags.timeout.map(seconds);
                session.call.consent = watchers.consent(consent);
                let name = request.flags.interruptible.clone();
                session.call.interrupts = name.as_deref().map(|name| interrupted.of(name));
                session.call.progress.begin(true, session.memory.gestures());
                watchers.begun(&command);
                let begun = Instant::now();
                // One that is held may still be closed.
                let may_go_on = command == "close";
                let over = tokio::select! {
                    biased;
                    () = becomes(&mut holds, |held| *held), if !may_go_on => Some(Err(watchers::held(&command))),
                    () = becomes(&mut around.stop, |stop| *stop) => Some(Err(ended(&format!("while `{command}` ran")))),
                    () = reply.closed() => None,
                    result = unwinding(dispatch(&mut session, *request)) => {
                        Some(result.map_err(|words| broke(&command, &hide(&session.secrets, &words))))
                    }
                    () = sleep(limit.unwrap_or_default().max(GRACE) + GRACE), if limit.is_some() => {
                        Some(Err(overdue(&command, limit.unwrap_or_default())))
                    }
                };
                // One that was cut off says whether it may have been done by then.
                let may_be_done = session.call.progress.may_have_begun(session.memory.gestures());
                let cut_off = |problem: Problem| Problem { begun: may_be_done, ..problem }.into();
                let response: Option<Response> = over.map(|result| result.unwrap_or_else(cut_off));
                session.call.consent = None;
                session.call.interrupts = None;
                name.iter().for_each(|name| interrupted.forget(name));
                watchers.ended(&command, begun.elapsed(), response.as_ref());
                // One that was cancelled may have got as far as a browser, and its caller was told to go on with that.
                opened |= response.is_some() && session.surface.is_some();
                used = Instant::now();
                drop(waiting);
                match response {
                    Some(response) if session.ended => {
                        last = Some((reply, response));
                        break;
                    }
                    Some(response) => {
                        let _ = reply.send(response);
                    }
                    None if session.ended => break,
                    None => {}
                }
            }
        }
    }
    Over { session, last }
}

async fn url(session: &mut Session) -> Option<String> {
    let question = async {
        let (url, _) = session.web().ok()?.location().await.ok()?;
        Some(hide(&session.secrets, &url))
    };
    timeout(URL_LIMIT, unwinding(question)).await.ok()?.ok()?
}

/// Waits until the watched value is as wanted: for ever, where nobody can change it any more.
pub(crate) async fn becomes<T>(watched: &mut watch::Receiver<T>, wanted: impl FnMut(&T) -> bool) {
    if watched.wait_for(wanted).await.is_err() {
        pending::<()>().await;
    }
}

/// Runs a future; a panic in it becomes an error with the panic's words.
pub(crate) async fn unwinding<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    // The future is dropped after a panic, never polled again; what it left half done in the session is the session's to
    // survive, as after a cancelled call.
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => {
            let words = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned());
            Poll::Ready(Err(words.unwrap_or_else(|| "no words".to_owned())))
        }
    })
    .await
}

fn ended(when: &str) -> Problem {
    Problem::new(Code::Lost, format!("the session was ended {when}")).hint("handeye open URL")
}

fn overdue(command: &str, limit: Duration) -> Problem {
    let message = format!("`{command}` went beyond its limit of {} s and was cancelled", limit.as_secs_f64());
    Problem::new(Code::Timeout, message).hint("handeye state --timeout 60").hint("handeye open URL")
}

fn queued(command: &str, limit: Duration) -> Response {
    let message = format!(
        "`{command}` was not begun within its limit of {} s: another command of the session still runs",
        limit.as_secs_f64()
    );
    Problem::new(Code::Timeout, message).hint("handeye open URL --session OTHER").into()
}

fn broke(command: &str, words: &str) -> Problem {
    Problem::new(Code::Bug, format!("`{command}` broke off by a fault of handeye: {words}; the session goes on"))
        .hint("handeye state")
}
