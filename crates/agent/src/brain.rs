//! The configured model of the role `agent`, asked from a loop that blocks.

use crate::port::Asks;
use handeye_models::Clients;
use handeye_models::budget::Used;
use handeye_scene::chat::{ChatReply, ChatRequest};
use handeye_scene::{Code, ModelAccess, ModelRole, Models, ModelsConfig, Problem};
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often it is looked whether the person has ended the task.
const TICK: Duration = Duration::from_millis(50);

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
        let role = ModelRole::Agent;
        let settings = access.config.of(role).map_err(|mut problem| {
            let variable = access.config.key_variable(role).unwrap_or("that models.agent.key_env names");
            problem.message.push_str(&format!(
                "; set models.url and models.model, or [models.agent] url and model, in your own handeye.toml; the key comes from the environment variable {variable}"
            ));
            problem.hint("handeye models --help").hint("handeye models test agent")
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|e| Problem::new(Code::Unavailable, format!("no runtime for requests can be made: {e}")))?;
        Ok(Self { clients: Clients::new(), model: settings.model, access, runtime })
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
        self.runtime.block_on(async {
            let asked = self.clients.ask(&self.access, ModelRole::Agent, request, limit);
            let mut asked = std::pin::pin!(asked);
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
        })
    }

    fn used(&self) -> Used {
        self.clients.used()
    }
}
