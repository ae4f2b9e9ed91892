//! Takes requests and starts runs, each in a task of its own: it goes on where its client is gone.

use super::budget::{Budget, DAY, spent};
use super::catalog::Catalog;
use super::drive::Job;
use super::hearing::{Hearing, Hearings};
use super::log::RunLog;
use super::meter::Meter;
use super::stop::Stop;
use super::tool_sets::ToolSets;
use crate::decide::Naming;
use crate::decide::digest::digest;
use crate::decide::permit::Rules;
use crate::decide::redact::Redact;
use crate::store::{Accepted, Incoming, Offering, Returned, Said, Store, User};
use crate::tools::ServerTool;
use crate::wire::chunk::Chunk;
use crate::wire::page::Places;
use crate::wire::reply::{Approval, browser_result};
use crate::wire::{ChatBody, ChatError, ErrorCode, Page, Role};
use handeye_models::Usage;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How often leases are held for longer.
const BEAT: Duration = Duration::from_secs(4);
/// How often in a row that may fail: until the leases have run out.
const MISSED: u32 = 3;
/// How long it is tried to give a lease back that the database couldn't be told of, and how often: until it has run out.
const GIVING_BACK: (Duration, u32) = (Duration::from_millis(500), 30);
/// How long runs that were told to end may take to keep what they told.
const KEEPING: Duration = Duration::from_secs(5);
/// Runs at once.
const RUNS: usize = 4_096;
/// Runs whose events are kept for who lost the connection.
const KEPT: usize = 4_096;
/// How long they are kept.
const FOR: Duration = Duration::from_secs(600);
/// What is said of a run whose lease another has.
const LOST: &str = "the answer was cancelled, or another server goes on with it";

/// What bounds users.
#[derive(Debug, Clone)]
pub struct Limits {
    /// For how long a call waits for the person.
    pub approval: Duration,
    /// Tokens that a user may use in a day.
    pub tokens_per_day: Option<u64>,
    /// What becomes of calls.
    pub rules: Rules,
    /// What is kept of no text.
    pub redact: Redact,
}

/// Who asks, and how the client is spoken to.
pub struct Asked {
    /// Who.
    pub user: User,
    /// With what.
    pub body: ChatBody,
    /// What is said.
    pub said: Said,
    /// What the client is told to name calls by.
    pub naming: Naming,
}

/// A run, and what it tells.
#[derive(Clone)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// Its id in the database.
    pub lease: String,
    /// What it tells.
    pub log: Arc<RunLog>,
    /// The word that it answers, where it is to be noted that the answer was heard.
    pub word: Option<Word>,
}

/// A word of a client in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The conversation.
    pub conversation: String,
    /// The number of its message.
    pub seq: i64,
}

/// The running runs, and what they are made from.
pub struct Service {
    store: Store,
    catalog: Catalog,
    tools: Arc<ToolSets>,
    limits: Limits,
    running: Mutex<HashMap<String, Arc<Stop>>>,
    is_beating: AtomicBool,
    latest: Mutex<HashMap<String, (Instant, Run)>>,
    hearings: Hearings,
    ended: Notify,
    is_stopping: AtomicBool,
    /// Runs that were started, and those that failed.
    pub(crate) counts: (AtomicU64, AtomicU64),
}

impl Service {
    /// One with nothing running.
    pub fn new(store: Store, catalog: Catalog, tools: Vec<Arc<dyn ServerTool>>, limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            store,
            catalog,
            tools: Arc::new(ToolSets::new(tools)),
            limits,
            running: Mutex::default(),
            is_beating: AtomicBool::new(false),
            latest: Mutex::default(),
            hearings: Hearings::default(),
            ended: Notify::new(),
            is_stopping: AtomicBool::new(false),
            counts: Default::default(),
        })
    }

    /// The agents that may be asked.
    pub fn agents(&self) -> Vec<&str> {
        self.catalog.agents()
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Stop>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many runs there are.
    pub fn running(&self) -> usize {
        self.held().len()
    }

    /// Takes a request. What it says is stored when this returns. A client that hangs up meanwhile can't stop it half way: what is
    /// stored is answered.
    pub async fn ask(self: &Arc<Self>, asked: Asked) -> Result<Run, ChatError> {
        let service = self.clone();
        let taken = tokio::spawn(async move { service.take(asked).await });
        taken.await.unwrap_or_else(|_| Err(ChatError::new(ErrorCode::Bug, "the request couldn't be taken")))
    }

    async fn take(self: &Arc<Self>, asked: Asked) -> Result<Run, ChatError> {
        let Asked { user, mut body, mut said, naming } = asked;
        self.redact(&mut said, body.page.as_mut());
        if self.is_stopping.load(Ordering::SeqCst) {
            return Err(ChatError::new(ErrorCode::Stopping, "the server is ending").again_after(5));
        }
        if self.running() >= RUNS {
            return Err(ChatError::new(ErrorCode::RateLimited, format!("{RUNS} answers are under way")).again_after(5));
        }
        let (agent, prompt) = self.catalog.agent(&body.agent)?;
        let model = self.catalog.model(&body.model, agent)?.clone();
        let tools = self.tools.of(agent, std::mem::take(&mut body.tools)).await?;
        // What was done in the browser is kept all the same: then no model is asked.
        if !matches!(said, Said::Results(_)) {
            self.within_budget(&user).await?;
        }
        if body.request_id.is_none() && said.is_known_by_hearing() {
            self.hearings.known(&key(&user, &body.session)).await;
        }
        let waits = i64::try_from(self.limits.approval.as_millis()).unwrap_or(i64::MAX);
        let check = |tool: &str, arguments: &serde_json::Value| tools.checks.check(tool, arguments);
        let incoming = Incoming {
            user: &user,
            session: &body.session,
            agent: &body.agent,
            said,
            page: body.page.as_ref(),
            request_id: body.request_id.as_deref(),
            names_calls: naming != Naming::Nothing,
            waits,
            check: &check,
        };
        let accepted = self.store.accept(incoming).await?;
        let log = Arc::new(RunLog::default());
        let job = Job {
            store: self.store.clone(),
            model,
            agent: agent.id.clone(),
            prompt: prompt.to_owned(),
            tools: tools.clone(),
            page: body.page.clone(),
            rules: self.limits.rules.clone(),
            offering: Offering { naming, waits },
            log: log.clone(),
            redact: self.limits.redact.clone(),
            budget: self.limits.tokens_per_day.map(|most| Budget { user: user.id.clone(), most }),
        };
        let id = body.request_id.clone().unwrap_or_else(|| accepted.lease.run.clone());
        let word = accepted.word.map(|seq| Word { conversation: accepted.lease.conversation.clone(), seq });
        let run = Run { id, lease: accepted.lease.run.clone(), log, word };
        self.keep(&accepted.lease.conversation, &run);
        self.start(job, accepted);
        Ok(run)
    }

    /// An answer of a session is on its way to its client.
    pub fn hears(&self, user: &User, session: &str) -> Option<Hearing> {
        self.hearings.begin(&key(user, session))
    }

    /// Notes that the answer to a word was told to its end. Where that can't be kept, the same word is told the same once more.
    pub async fn heard(&self, word: &Word) {
        let _ = crate::store::heard(&self.store, &word.conversation, word.seq).await;
    }

    /// Takes out of what comes in what isn't to be kept. What the person put into a call's place is left as it is: it is carried out.
    fn redact(&self, said: &mut Said, page: Option<&mut Page>) {
        let redact = &self.limits.redact;
        let hide = |text: &mut String| *text = redact.text(text);
        match said {
            Said::Text(text) => hide(text),
            Said::Results(results) => results.iter_mut().for_each(|result| hide(&mut result.text)),
            Said::Decision(decision) => decision.reason.iter_mut().for_each(hide),
        }
        let Some(page) = page else { return };
        let (whole, bare) = (page.whole_address(), page.address());
        page.url.iter_mut().for_each(|url| *url = redact.address(url));
        // Two addresses that differ by what is hidden alone are two places all the same: an approval on one holds for no other.
        let place = |before: Option<String>, now: Option<String>| {
            before.filter(|told| now.as_ref() != Some(told)).map(|told| digest(&["place", &told]))
        };
        page.places = Places { whole: place(whole, page.whole_address()), bare: place(bare, page.address()) };
        page.title.iter_mut().chain(&mut page.selected).for_each(hide);
        page.elements.iter_mut().for_each(|element| hide(&mut element.desc));
    }

    async fn within_budget(&self, user: &User) -> Result<(), ChatError> {
        let Some(most) = self.limits.tokens_per_day else { return Ok(()) };
        let used = self.store.tokens_within(&user.id, DAY).await?;
        if used < most { Ok(()) } else { Err(spent(used, most)) }
    }

    /// Keeps what the latest run of a conversation tells, for whoever lost the connection.
    fn keep(&self, conversation: &str, run: &Run) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.retain(|_, (begun, run)| begun.elapsed() < FOR || !run.log.is_over());
        if latest.len() < KEPT {
            latest.insert(conversation.to_owned(), (Instant::now(), run.clone()));
        } else {
            latest.remove(conversation);
        }
    }

    /// The latest run of a conversation, where it was one of this server's not long ago.
    pub fn latest(&self, conversation: &str) -> Option<Run> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.get(conversation).map(|(_, run)| run.clone())
    }

    fn start(self: &Arc<Self>, job: Job, accepted: Accepted) {
        let stop = Arc::new(Stop::default());
        self.held().insert(accepted.lease.run.clone(), stop.clone());
        self.counts.0.fetch_add(1, Ordering::Relaxed);
        self.keep_beating();
        let service = self.clone();
        tokio::spawn(async move {
            service.run(&job, &accepted, &stop).await;
            service.held().remove(&accepted.lease.run);
            service.ended.notify_waiters();
        });
    }

    async fn run(&self, job: &Job, accepted: &Accepted, stop: &Stop) {
        let mut meter = Meter::default();
        let came = tokio::select! {
            came = job.answer(accepted, &mut meter) => came,
            error = stop.asked() => Err(error),
        };
        let outcome = came.as_ref().map_or_else(|error| error.code.word(), |()| "done");
        let cut = came.as_ref().err().filter(|error| is_stopped(error)).and_then(|_| job.log.cut_answer());
        let end = || self.store.end_run(&accepted.lease, outcome, meter.total(), cut.as_ref());
        let mut given_back = end().await;
        let Usage { input, output } = meter.total();
        if input + output > 0 && job.offering.naming != Naming::Nothing {
            job.log.push(Chunk::Used { input, output });
        }
        if let Err(error) = came {
            self.counts.1.fetch_add(1, Ordering::Relaxed);
            let message = self.limits.redact.text(&error.message);
            job.log.push(Chunk::Failed(Box::new(ChatError { message, ..error })));
        }
        job.log.push(Chunk::Done);
        let (pause, times) = GIVING_BACK;
        for _ in 0..times {
            if given_back.is_ok() {
                return;
            }
            tokio::time::sleep(pause).await;
            given_back = end().await;
        }
    }

    /// Holds the leases of all runs for as long as there are any.
    fn keep_beating(self: &Arc<Self>) {
        if self.is_beating.swap(true, Ordering::SeqCst) {
            return;
        }
        let service = self.clone();
        tokio::spawn(async move {
            let mut missed = 0;
            loop {
                tokio::time::sleep(BEAT).await;
                let runs: Vec<String> = {
                    let held = service.held();
                    if held.is_empty() {
                        // Whoever starts a run has put it there before it asks for this.
                        service.is_beating.store(false, Ordering::SeqCst);
                        return;
                    }
                    held.keys().cloned().collect()
                };
                missed = service.beat(&runs, missed).await;
            }
        });
    }

    /// Holds the leases of these runs for longer, and ends those that have lost theirs; how often in a row that failed.
    async fn beat(&self, runs: &[String], missed: u32) -> u32 {
        let (still, error, missed) = match self.store.beat(runs).await {
            Ok(held) => (held, ChatError::new(ErrorCode::Cancelled, LOST), 0),
            Err(_) if missed + 1 < MISSED => return missed + 1,
            Err(error) => (Vec::new(), error, 0),
        };
        let held = self.held();
        let lost = runs.iter().filter(|run| !still.contains(run)).filter_map(|run| held.get(run));
        lost.for_each(|stop| stop.ask(error.clone()));
        missed
    }

    /// Ends a user's run of a session, on whichever server it is.
    pub async fn cancel(&self, user: &User, session: &str) -> Result<bool, ChatError> {
        let found = self.store.conversation(&user.id, session).await?;
        let missing =
            || ChatError::new(ErrorCode::NotFound, format!("there is no conversation `{}`", session.escape_debug()));
        let conversation = found.ok_or_else(missing)?.id;
        let (run, was_running) = self.store.cancel_run(&conversation, &user.name).await?;
        let ours = run.and_then(|run| self.held().get(&run).cloned().map(|stop| (run, stop)));
        if let Some((run, stop)) = ours {
            stop.ask(cancelled());
            // What it told is kept before anything else is said.
            let is_over = self.until(|| !self.held().contains_key(&run));
            let _ = tokio::time::timeout(KEEPING, is_over).await;
        }
        Ok(was_running)
    }

    /// Waits for the end of runs until something holds.
    async fn until(&self, holds: impl Fn() -> bool) {
        loop {
            let ended = self.ended.notified();
            if holds() {
                return;
            }
            // One that ends between the question and the wait is told of all the same, a moment later.
            let _ = tokio::time::timeout(Duration::from_millis(200), ended).await;
        }
    }

    /// Takes no more requests, waits for the runs that there are, and ends those that take longer.
    pub async fn stop(&self, patience: Duration) {
        self.is_stopping.store(true, Ordering::SeqCst);
        let all_ended = self.until(|| self.running() == 0);
        if tokio::time::timeout(patience, all_ended).await.is_err() {
            self.held().values().for_each(|stop| stop.ask(stopping()));
            let _ = tokio::time::timeout(KEEPING, self.until(|| self.running() == 0)).await;
        }
    }
}

/// What a user's session is held by.
fn key(user: &User, session: &str) -> String {
    format!("{} {session}", user.id)
}

/// Whether an answer ended since it was told to, and not by a fault.
fn is_stopped(error: &ChatError) -> bool {
    matches!(error.code, ErrorCode::Cancelled | ErrorCode::Stopping)
}

fn cancelled() -> ChatError {
    ChatError::new(ErrorCode::Cancelled, "the answer was cancelled")
}

/// Nobody cancelled it: what was said isn't answered yet, as where a server was killed.
fn stopping() -> ChatError {
    ChatError::new(ErrorCode::Stopping, "the server ended before all was said: send the message again").again_after(5)
}

/// What a request of the document's wire says.
pub fn said(body: &ChatBody) -> Result<Said, ChatError> {
    match (body.role, browser_result(&body.message)) {
        (Role::Function, _) => Approval::read(&body.message).map(Said::Decision),
        (Role::User, Some((tool, text))) => {
            let returned = Returned { tool: Some(tool.to_owned()), call: body.call.clone(), text: text.to_owned() };
            Ok(Said::Results(vec![returned]))
        }
        (Role::User, None) if body.call.is_some() => {
            Err(ChatError::field("message", "isn't the result of a browser tool, and `tool_call_id` names a call"))
        }
        (Role::User, None) => Ok(Said::Text(body.message.clone())),
    }
}
