//! `do`: what the loop of `agent` needs of this machine, with progress on standard error.

use crate::asked::Noting;
use crate::caller::{By, Perform};
use crate::cli::{Call, Globals};
use crate::config::{self, Config};
use crate::learnt::File;
use crate::{consent, print};
use handeye_agent::port::Kept;
use handeye_agent::{Brain, Hand, Hands, Ports};
use handeye_commands::Response;
use handeye_commands::core::session::seconds;
use handeye_scene::task::{Outcome, Task, TaskReport};
use handeye_scene::{Code, ModelAccess, Problem, Question};
use handeye_server::{Asks, Place, SessionName};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long a task may take where nothing says so.
const LIMIT: Duration = Duration::from_secs(1_800);
/// How often it is looked whether a question is still waited for.
const TICK: Duration = Duration::from_millis(100);
/// The file in a session's folder from which its last task can be gone on with.
const KEPT: &str = "task.json";

/// Works on a task until it ends.
pub(crate) fn work(task: &Task, config: &Config, mut access: ModelAccess, by: &By<'_>) -> Result<TaskReport, Problem> {
    let models = &mut access.config;
    models.max_tokens = models.max_tokens.into_iter().chain(task.max_tokens).min();
    models.max_cost = models.max_cost.into_iter().chain(task.max_cost).min_by(f64::total_cmp);
    let unpriced = models.missing_prices(handeye_scene::ModelRole::Agent);
    if task.max_cost.is_some() && !unpriced.is_empty() {
        let text = format!("--max-cost needs prices: set {}", unpriced.join(" and "));
        return Err(Problem::new(Code::BadRequest, text).hint("handeye models list"));
    }
    let keys = access.keys.clone();
    let brain = Brain::new(access)?;
    let brain = Noting::new(&brain, keys);
    let kept = kept_at(&config.session)?;
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _ended = listen(is_stopped.clone())?;
    let cancelled = || is_stopped.load(Ordering::Relaxed) || by.cancelled.is_some_and(|cancelled| cancelled());
    let asks = by.asks.clone().map(|asks| until(asks, is_stopped.clone()));
    let hands = Fingers::new(by, &config.session, &cancelled, asks, Some(&brain));
    let person = |question: &str| consent::answer(question, &cancelled);
    // Only the terminal takes an answer in words.
    let is_there = by.cancelled.is_none() && consent::terminal().is_some();
    let known = File(config::recalled_file());
    let ports = Ports {
        hands: &hands,
        brain: &brain,
        person: is_there.then_some(&person),
        tell: &|line| print::progress(line, false),
        cancelled: &cancelled,
        limit: config.timeout.map_or(LIMIT, seconds),
        keep: &|state| keep(&kept, state),
        recalls: Some(&known),
        kept: if task.resume { read(&kept) } else { None },
    };
    let report = handeye_agent::work(task, &ports)?;
    if matches!(report.outcome, Outcome::Done | Outcome::Failed) {
        // What is over isn't gone on with; where the file can't be taken away, the session's end does it.
        let _ = fs::remove_file(&kept);
    }
    Ok(report)
}

/// Carries calls out as those of the command line are.
pub(crate) struct Fingers<'a> {
    globals: Globals,
    cancelled: &'a dyn Fn() -> bool,
    asks: Option<Asks>,
    perform: Perform,
    /// The model whose answers go along with the next call, for the session's trace.
    brain: Option<&'a Noting<'a>>,
}

impl<'a> Fingers<'a> {
    /// Those of a session. The limit of the whole is the caller's; each call has that of its command.
    pub(crate) fn new(
        by: &By<'_>,
        session: &str,
        cancelled: &'a dyn Fn() -> bool,
        asks: Option<Asks>,
        brain: Option<&'a Noting<'a>>,
    ) -> Self {
        let globals = Globals { session: Some(session.to_owned()), json: false, timeout: None, ..by.globals.clone() };
        Self { globals, cancelled, asks, perform: by.perform, brain }
    }
}

impl Hands for Fingers<'_> {
    fn call(&self, hand: Hand) -> Response {
        let mut globals = self.globals.clone();
        globals.return_state = hand.return_state;
        globals.window = hand.window.or(globals.window);
        globals.asked = self.brain.map(Noting::take).unwrap_or_default();
        let prepared = (hand.entry.resolve_paths)(hand.args);
        let call =
            |args| (self.perform)(Call { entry: hand.entry, args, globals }, Some(self.cancelled), self.asks.clone());
        prepared.and_then(call).unwrap_or_else(Response::from)
    }
}

/// Asks until the person has ended the task: then nobody agrees.
pub(crate) fn until(asks: Asks, is_stopped: Arc<AtomicBool>) -> Asks {
    Arc::new(move |question: &Question| {
        let (told, tells) = channel();
        let (asks, question) = (asks.clone(), question.clone());
        let asking = std::thread::Builder::new().name("consent".into()).spawn(move || {
            // Nobody waits for it once the task has ended.
            let _ = told.send(asks(&question));
        });
        while asking.is_ok() {
            match tells.recv_timeout(TICK) {
                Ok(agreed) => return agreed,
                Err(RecvTimeoutError::Timeout) if !is_stopped.load(Ordering::Relaxed) => {}
                Err(_) => return Some(false),
            }
        }
        Some(false)
    })
}

/// Notes when the system asks this process to end, as long as what comes back is held.
pub(crate) fn listen(is_stopped: Arc<AtomicBool>) -> Result<tokio::sync::oneshot::Sender<()>, Problem> {
    let failed = |e: std::io::Error| Problem::new(Code::Unavailable, format!("Ctrl-C can't be listened for: {e}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let (ended, ends) = tokio::sync::oneshot::channel();
    let listening = runtime
        .block_on(async { handeye_server::when_asked_to_end(move || is_stopped.store(true, Ordering::Relaxed)) });
    listening.map_err(failed)?;
    let waits = move || {
        // Whether it was told or dropped: the task is over.
        let _ = runtime.block_on(ends);
    };
    std::thread::Builder::new().name("signals".into()).spawn(waits).map_err(failed)?;
    Ok(ended)
}

/// Where a session's task is kept.
fn kept_at(session: &str) -> Result<PathBuf, Problem> {
    let name = SessionName::new(session)?;
    Ok(Place::open(&config::runtime_folder())?.own(&name).join(KEPT))
}

/// Keeps a task for a later run. The folder is the session's, and goes with it; without one, nothing is kept.
fn keep(path: &Path, kept: &Kept) {
    let Ok(bytes) = serde_json::to_vec(kept) else { return };
    // Whole or not at all: it may be read after this process was killed.
    let draft = path.with_extension("draft");
    let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, path));
    if let Err(e) = written
        && e.kind() != ErrorKind::NotFound
    {
        print::progress(&format!("  the task can't be kept for --resume: {e}"), false);
    }
}

/// What an earlier run kept, where there is any that can be read.
fn read(path: &Path) -> Option<Kept> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
