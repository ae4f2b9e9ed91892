//! What finds, in a session's daemon, the command that serves an aim in words.

use crate::asked::Noting;
use crate::config;
use crate::learnt::File;
use async_trait::async_trait;
use handeye_agent::port::Asks;
use handeye_agent::{Learns, Seen, Thinking, brain};
use handeye_commands::core::aims::{Aims, Found, FoundBy, Sought};
use handeye_engine::wording::shown::line;
use handeye_models::budget::Used;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::question::{Observed, Observing};
use handeye_scene::{Code, ModelAccess, Models, ModelsConfig, Problem};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;

/// Characters of a model's words.
const WORDS: usize = 300;

/// Finds by what was learnt before, in the user's data folder, else by the model of the role `agent`.
pub(crate) struct Finder;

#[async_trait]
impl Aims for Finder {
    async fn find(&self, sought: Sought, models: Arc<dyn Models>, access: ModelAccess) -> Result<Found, Problem> {
        let over = Over(Arc::default());
        let is_over = over.0.clone();
        let lent = Lent { models, access, used: Mutex::default(), handle: Handle::current() };
        blocking(move || find(sought, &lent, &|| is_over.load(Ordering::Relaxed))).await
    }

    async fn forget(&self, url: &str, aim: &str) -> Result<(), Problem> {
        let (url, aim) = (url.to_owned(), aim.to_owned());
        blocking(move || handeye_agent::forget(&url, &aim, &File(config::learnt_file()))).await
    }
}

/// Tells, when it goes, that nobody waits any more.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
    let failed = |e| Problem::new(Code::Bug, format!("what serves the aim can't be found: {e}"));
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

fn find(sought: Sought, lent: &Lent, cancelled: &dyn Fn() -> bool) -> Result<Found, Problem> {
    let Sought { aiming, text, state, is_folded, limit } = sought;
    let seen = Seen::of(text, state, is_folded)?;
    let noting = Noting::new(lent, lent.access.keys.clone());
    let thinking = Thinking { brain: &noting, tell: &|_| {}, cancelled, limit };
    let learns: &dyn Learns = &File(config::learnt_file());
    let asked = Observing { aim: aiming.aim, anew: aiming.anew };
    let observed = handeye_agent::observe_in(&asked, &seen, &thinking, learns)?;
    let Observed { candidates, reason, learnt, warnings, model, model_calls, .. } = observed;
    let Some(first) = candidates.into_iter().next() else {
        let why = line(reason.as_deref().unwrap_or_default(), WORDS);
        return Err(Problem::new(Code::NotFound, format!("nothing in sight serves the aim, says the model: {why}"))
            .hint("handeye state"));
    };
    let command = first.run.name().unwrap_or_default().to_owned();
    let told = FoundBy {
        run: first.run,
        target: first.target,
        why: line(&first.why, WORDS),
        learnt,
        not_used: None,
        warnings,
        model,
        model_calls,
    };
    Ok(Found { command, args: first.args, told, asked: noting.take() })
}

/// The session's models, asked from a thread that blocks.
struct Lent {
    models: Arc<dyn Models>,
    access: ModelAccess,
    used: Mutex<Used>,
    handle: Handle,
}

impl Asks for Lent {
    fn model(&self) -> String {
        brain::settings(&self.access).map(|settings| settings.model).unwrap_or_default()
    }

    fn config(&self) -> &ModelsConfig {
        &self.access.config
    }

    fn ask(&self, request: &ChatRequest, limit: Duration, cancelled: &dyn Fn() -> bool) -> Result<ChatReply, Problem> {
        let asked = brain::asked(self.models.as_ref(), &self.access, (request, limit), cancelled);
        let reply = self.handle.block_on(asked)?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.calls += 1;
        used.usage.input += reply.usage.input;
        used.usage.output += reply.usage.output;
        Ok(reply)
    }

    fn used(&self) -> Used {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
