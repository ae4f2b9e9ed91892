//! Agents and models that requests may name.

use crate::prompt::system::{self, Calling};
use crate::wire::{ChatError, ErrorCode};
use handeye_commands::core::chat_settings::{self, ChatAgent, ChatModel, ChatSettings};
use handeye_models::{Budget, Client, Endpoint, Secret};
use handeye_scene::{Code, KEY_VARIABLE, ModelKeys, ModelsConfig, Problem};
use std::sync::Arc;
use url::Url;

/// Tokens of an answer, where the settings don't say.
const TOKENS: u32 = 4_096;
/// How long an answer may take, where the settings don't say.
const ANSWER: f64 = 180.0;
/// The agent where none is configured.
const AGENT: &str = "default";

/// A model, ready to be asked.
#[derive(Debug, Clone)]
pub struct Model {
    /// What requests call it.
    pub name: String,
    /// Asks it.
    pub client: Client,
    /// How it is given tools.
    pub calling: Calling,
    /// Tokens of an answer at most.
    pub max_tokens: u32,
}

/// What requests may name.
#[derive(Debug, Clone)]
pub struct Catalog {
    models: Vec<Model>,
    agents: Vec<ChatAgent>,
}

/// The variable that holds the key of a model; none where its server gets no key.
pub fn key_variable<'a>(model: &'a ChatModel, shared: &'a ModelsConfig) -> Option<&'a str> {
    // A server of its own doesn't get the key that is meant for another.
    let lent = shared.lends_key_to(model.url.as_deref());
    let shared = lent.then(|| shared.key_env.as_deref().unwrap_or(KEY_VARIABLE));
    model.key_env.as_deref().or(shared)
}

impl Catalog {
    /// What the settings name. `keys` holds the keys that [`key_variable`] names.
    pub fn new(settings: &ChatSettings, shared: &ModelsConfig, keys: &ModelKeys) -> Result<Self, Problem> {
        let models: Vec<Model> =
            settings.models.iter().map(|model| of(model, shared, keys)).collect::<Result<_, Problem>>()?;
        if models.is_empty() {
            return Err(wrong("chat.models is empty: name at least one model, with [[chat.models]] and `name`".into()));
        }
        if let Some(twice) =
            models.iter().enumerate().find(|(at, model)| models[..*at].iter().any(|m| m.name == model.name))
        {
            return Err(wrong(format!("chat.models names `{}` twice", twice.1.name)));
        }
        let mut agents = settings.agents.clone();
        if agents.is_empty() {
            agents.push(ChatAgent { id: AGENT.to_owned(), ..ChatAgent::default() });
        }
        for agent in &agents {
            if agent.id.is_empty() {
                return Err(wrong("an agent of chat.agents has no `id`".into()));
            }
            if let Some(odd) = agent.models.iter().find(|name| !models.iter().any(|model| model.name == **name)) {
                return Err(wrong(format!(
                    "the agent `{}` names the model `{odd}`, which chat.models doesn't",
                    agent.id
                )));
            }
        }
        let mut ruled = settings.rules.iter().flat_map(|rule| &rule.agents);
        if let Some(odd) = ruled.find(|name| !agents.iter().any(|agent| agent.id == **name)) {
            return Err(wrong(format!("chat.rules names the agent `{odd}`, which chat.agents doesn't")));
        }
        Ok(Self { models, agents })
    }

    /// The ids of all agents.
    pub fn agents(&self) -> Vec<&str> {
        self.agents.iter().map(|agent| agent.id.as_str()).collect()
    }

    /// The agent of a request, and its prompt.
    pub fn agent(&self, id: &str) -> Result<(&ChatAgent, &str), ChatError> {
        let agent = self.agents.iter().find(|agent| agent.id == id).ok_or_else(|| {
            let what = format!(
                "there is no agent `{}`; there are {}",
                id.escape_debug(),
                list(self.agents.iter().map(|a| &a.id))
            );
            ChatError::new(ErrorCode::UnknownAgent, what).at("agent_id")
        })?;
        Ok((agent, agent.prompt.as_deref().unwrap_or(system::PLAIN)))
    }

    /// The model of a request.
    pub fn model(&self, name: &str, agent: &ChatAgent) -> Result<&Model, ChatError> {
        let may = |model: &&Model| agent.models.is_empty() || agent.models.contains(&model.name);
        self.models.iter().filter(may).find(|model| model.name == name).ok_or_else(|| {
            let known = list(self.models.iter().filter(may).map(|model| &model.name));
            let what = format!("the agent `{}` has no model `{}`; there are {known}", agent.id, name.escape_debug());
            ChatError::new(ErrorCode::UnknownModel, what).at("model")
        })
    }
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn wrong(what: String) -> Problem {
    Problem::new(Code::BadRequest, what).hint("handeye config show")
}

fn of(model: &ChatModel, shared: &ModelsConfig, keys: &ModelKeys) -> Result<Model, Problem> {
    let name = &model.name;
    if name.is_empty() {
        return Err(wrong("a model of chat.models has no `name`".into()));
    }
    let url = model.url.as_ref().or(shared.url.as_ref());
    let url =
        url.ok_or_else(|| wrong(format!("the model `{name}` of chat.models has no `url`, and models.url isn't set")))?;
    // What is wrong with an address is told without repeating it: it may hold a password.
    let base = Url::parse(url).map_err(|e| wrong(format!("the `url` of the model `{name}` can't be used: {e}")))?;
    if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
        return Err(wrong(format!("the `url` of the model `{name}` begins with neither http:// nor https://")));
    }
    let variable = key_variable(model, shared);
    let key = variable.and_then(|variable| keys.get(variable));
    if let Some(variable) = variable.filter(|_| key.is_none() && model.key_env.is_some()) {
        let what =
            format!("the environment variable {variable}, which holds the key of the model `{name}`, is not set");
        return Err(Problem::new(Code::Denied, what).hint("handeye config show"));
    }
    let wire = model.wire.unwrap_or(shared.wire);
    let mut endpoint = Endpoint::new(wire, base, model.model.as_ref().unwrap_or(name), key.map(Secret::new));
    endpoint.timeout =
        chat_settings::seconds("timeout of chat.models", model.timeout.unwrap_or(ANSWER), 1.0..=3_600.0)?;
    // What was told can't be taken back: the run itself asks again where nothing was told yet.
    endpoint.attempts = 1;
    let client = Client::new(endpoint, Arc::new(Budget::default()))?;
    let calling = match model.calling {
        chat_settings::Calling::Native => Calling::Native,
        chat_settings::Calling::Prompt => Calling::Prompt,
    };
    Ok(Model { name: name.clone(), client, calling, max_tokens: model.max_tokens.unwrap_or(TOKENS).max(1) })
}
