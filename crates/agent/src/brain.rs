//! The configured model of the role `agent`, asked from a loop that blocks.

use crate::port::Asks;
use handeye_models::Clients;
use handeye_models::budget::Used;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::{Code, ModelAccess, ModelRole, Models, ModelsConfig, Problem, RoleSettings};
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often it is looked whether the person has ended the task.
const TICK: Duration = Duration::from_millis(50);

/// What is set for the role; where no model is, the problem names what to set.
pub fn settings(access: &ModelAccess) -> Result<RoleSettings, Problem> {
    access.of(ModelRole::Agent)
}

/// Asks the model of the role once, until the person has ended it.
pub async fn asked(
    models: &dyn Models,
    access: &ModelAccess,
    (request, limit): (&ChatRequest, Duration),
    cancelled: &dyn Fn() -> bool,
) -> Result<ChatReply, Problem> {
    settings(access)?;
    let mut asked = std::pin::pin!(models.ask(access, ModelRole::Agent, request, limit));
    loop {
        tokio::select! {
            answer = &mut asked => return answer,
            () = tokio::time::sleep(TICK) => {
                if cancelled() {
                    return Err(Problem::new(Code::Lost, "the question to the model was cancelled"));
                }
            }
        }
    }
}

/// Asks the model of the role `agent`.
pub struct Brain {
    clients: Clients,
    access: ModelAccess,
    model: String,
    runtime: Runtime,
}

impl Brain {
    /// One by these settings and keys. Where no model is set, the problem names what to set.
    pub fn new(access: ModelAccess) -> Result<Self, Problem> {
        settings(&access)?;
        Self::for_later(access)
    }

    /// The same, where it may turn out that nothing is asked: that no model is set is a problem of asking.
    pub fn for_later(access: ModelAccess) -> Result<Self, Problem> {
        let model = settings(&access).map(|settings| settings.model).unwrap_or_default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|e| Problem::new(Code::Unavailable, format!("no runtime for requests can be made: {e}")))?;
        Ok(Self { clients: Clients::new(), model, access, runtime })
    }
}

impl Asks for Brain {
    fn model(&self) -> String {
        self.model.clone()
    }

    fn config(&self) -> &ModelsConfig {
        &self.access.config
    }

    fn ask(&self, request: &ChatRequest, limit: Duration, cancelled: &dyn Fn() -> bool) -> Result<ChatReply, Problem> {
        self.runtime.block_on(asked(&self.clients, &self.access, (request, limit), cancelled))
    }

    fn used(&self) -> Used {
        self.clients.used()
    }
}
