//! The port: asks the model of a role, with what one call brings, against what the session has used.

use crate::budget::{Cap, Price, Used};
use crate::dialect::Dialects;
use crate::{Budget, Client, Endpoint, ModelError, Secret};
use async_trait::async_trait;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::{Code, Hint, ModelAccess, ModelRole, Models, Problem, RoleSettings};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// Clients of every role. What they use is counted together.
#[derive(Debug, Default)]
pub struct Clients {
    budget: Arc<Budget>,
    /// Connections, which don't depend on the endpoint.
    http: Mutex<Option<reqwest::Client>>,
    dialects: Arc<Dialects>,
    /// The session that they are for; none where they are for one command alone.
    session: Option<String>,
}

impl Clients {
    /// Those of one command, with nothing used yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of a session, with nothing used yet.
    pub fn of_session(name: &str) -> Self {
        Self { session: Some(name.to_owned()), ..Self::default() }
    }

    /// What was used so far.
    pub fn used(&self) -> Used {
        self.budget.used()
    }

    fn client(&self, access: &ModelAccess, role: ModelRole, limit: Duration) -> Result<Client, Problem> {
        let endpoint = endpoint(access, role, limit)?;
        // An earlier call may have limited it, whatever this one brings.
        if self.budget.limits_cost() {
            access.priced(role).map_err(|problem| limited(problem, self.session.as_deref()))?;
        }
        let mut http = self.http.lock().unwrap_or_else(PoisonError::into_inner);
        let http = match &*http {
            Some(made) => made.clone(),
            None => http.insert(Client::connections(&endpoint)?).clone(),
        };
        Ok(Client::with(http, endpoint, self.budget.clone(), self.dialects.clone()))
    }
}

#[async_trait]
impl Models for Clients {
    async fn ask(
        &self,
        access: &ModelAccess,
        role: ModelRole,
        request: &ChatRequest,
        limit: Duration,
    ) -> Result<ChatReply, Problem> {
        let client = self.client(access, role, limit)?;
        // What is refused limits nothing.
        self.budget.hold_to(Cap::of(&access.config));
        client.ask(request).await.map_err(|error| match error {
            ModelError::Spent(_) => spent(error, self.session.as_deref()),
            error => problem(error, access, role),
        })
    }
}

/// That an earlier call limited what may be spent.
fn limited(mut problem: Problem, session: Option<&str>) -> Problem {
    problem.message.push_str("; the session was limited by an earlier call");
    if let Some(session) = session {
        problem.hints.push(Hint::command("sessions").arg("stop").arg(session));
    }
    problem
}

/// That the budget is used up, with whose it is and how to get another.
fn spent(error: ModelError, session: Option<&str>) -> Problem {
    let mut problem = Problem::from(error);
    let Some(session) = session else {
        problem.message.push_str("; that is the limit of this command (models.max_tokens, models.max_cost)");
        return problem;
    };
    problem.message.push_str(
        "; that is the limit of the session (models.max_tokens, models.max_cost), which no later call lifts: a new session begins with nothing used",
    );
    problem.hints = vec![Hint::command("sessions").arg("stop").arg(session), "handeye open URL".into()];
    problem
}

/// The error as the caller can act on it, which of all models it is about included.
fn problem(error: ModelError, access: &ModelAccess, role: ModelRole) -> Problem {
    let is_key = matches!(error, ModelError::Key { .. });
    let mut problem = Problem::from(error);
    if is_key {
        problem.message.push_str(&match access.config.key_variable(role) {
            Some(variable) => {
                let held = if access.keys.get(variable).is_some() { "is taken from" } else { "would be taken from" };
                format!("; the key {held} the environment variable {variable}")
            }
            None => {
                let why = access.config.why_no_key(role).unwrap_or_default();
                format!("; no key was sent: {why}")
            }
        });
    }
    problem.hints = vec![format!("handeye models test {}", role.word()).into(), "handeye models list".into()];
    problem
}

/// Where the model of a role is reached.
fn endpoint(access: &ModelAccess, role: ModelRole, limit: Duration) -> Result<Endpoint, Problem> {
    let RoleSettings { url, wire, model, key_env, key_is_named, timeout, prices } = access.of(role)?;
    let wrong = |why: String| {
        Problem::new(Code::BadRequest, format!("models.url of the role {} can't be used: {why}", role.word()))
            .hint("handeye models list")
    };
    // What is wrong with an address is told without repeating it: it may hold a password.
    let base = Url::parse(&url).map_err(|e| wrong(e.to_string()))?;
    if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
        return Err(wrong("it begins with neither http:// nor https://".into()));
    }
    let key = key_env.as_deref().and_then(|variable| access.keys.get(variable));
    if let Some(variable) = key_env.as_deref().filter(|_| key.is_none() && key_is_named) {
        let text =
            format!("the environment variable {variable}, which holds the key of the role {}, is not set", role.word());
        return Err(Problem::new(Code::Denied, text).hint("handeye models list"));
    }
    let mut endpoint = Endpoint::new(wire, base, model, key.map(Secret::new));
    let seconds = if timeout.is_finite() { timeout.clamp(0.0, 86_400.0) } else { 60.0 };
    endpoint.timeout = Duration::from_secs_f64(seconds).min(limit);
    endpoint.attempts = access.config.attempts.clamp(1, 20);
    endpoint.price = prices.map(|(input, output)| Price { input, output });
    Ok(endpoint)
}
