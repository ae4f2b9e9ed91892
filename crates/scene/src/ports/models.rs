//! The port by which language and vision models are asked, and what settings say of them.

use crate::chat::{ChatReply, ChatRequest};
use crate::{Code, Problem};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable that holds the key where settings name no other.
pub const KEY_VARIABLE: &str = "HANDEYE_MODEL_KEY";

/// Which of the two wires a server speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// OpenAI's chat completions, as most local servers speak it.
    #[default]
    Openai,
    /// Anthropic's messages.
    Anthropic,
}

impl Wire {
    /// Its word in settings.
    pub const fn word(self) -> &'static str {
        match self {
            Wire::Openai => "openai",
            Wire::Anthropic => "anthropic",
        }
    }
}

/// What a model is asked for. Each role may have a model of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Says where an element lies relative to lines in a picture.
    Judge,
    /// Picks one of a few marked elements.
    Choose,
    /// Infers structure from a list of elements.
    Infer,
    /// Finds elements in a picture.
    Vision,
    /// Works on a task by commands.
    Agent,
}

impl ModelRole {
    /// Every role.
    pub const ALL: [ModelRole; 5] =
        [ModelRole::Judge, ModelRole::Choose, ModelRole::Infer, ModelRole::Vision, ModelRole::Agent];

    /// Its word in settings and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            ModelRole::Judge => "judge",
            ModelRole::Choose => "choose",
            ModelRole::Infer => "infer",
            ModelRole::Vision => "vision",
            ModelRole::Agent => "agent",
        }
    }

    /// The role of this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == text)
    }
}

/// What differs for one role from what holds for all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoleConfig {
    /// Base address of the server.
    pub url: Option<String>,
    /// Which wire it speaks.
    pub wire: Option<Wire>,
    /// The model's name there.
    pub model: Option<String>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// How long an answer may take, in seconds, with all attempts.
    pub timeout: Option<f64>,
    /// Price of a million tokens of prompts.
    pub input_price: Option<f64>,
    /// Price of a million tokens of answers.
    pub output_price: Option<f64>,
}

/// Where models are reached: what holds for every role, and what differs for one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ModelsConfig {
    /// Base address of the server, such as `https://api.openai.com/v1`.
    pub url: Option<String>,
    /// Which wire it speaks.
    pub wire: Wire,
    /// The model's name there.
    pub model: Option<String>,
    /// Name of the environment variable that holds the key; never the key itself.
    pub key_env: Option<String>,
    /// How long an answer may take, in seconds, with all attempts.
    pub timeout: f64,
    /// How often a request is sent at most, the first time included.
    pub attempts: u32,
    /// Tokens of prompts and answers that a session may use.
    pub max_tokens: Option<u64>,
    /// What a session may spend, in the currency of the prices.
    pub max_cost: Option<f64>,
    /// Price of a million tokens of prompts.
    pub input_price: Option<f64>,
    /// Price of a million tokens of answers.
    pub output_price: Option<f64>,
    /// The longest side of a picture that a model is shown, in pixels.
    pub image: u32,
    /// How often the judge is taken to err about one line, from 0 to 0.5.
    pub error: f64,
    /// The folder of the models that read text in pictures on this machine.
    pub folder: Option<PathBuf>,
    /// Where `models install` takes them from: a wheel of their package, by path or address. Without it, pip's package index.
    pub source: Option<String>,
    /// Of the judge alone.
    pub judge: RoleConfig,
    /// Of who picks a mark alone.
    pub choose: RoleConfig,
    /// Of who infers structure alone.
    pub infer: RoleConfig,
    /// Of who finds elements in pictures alone.
    pub vision: RoleConfig,
    /// Of the agent alone.
    pub agent: RoleConfig,
}

impl Default for ModelsConfig {
    fn default() -> Self {
        Self {
            url: None,
            wire: Wire::default(),
            model: None,
            key_env: None,
            timeout: 60.0,
            attempts: 3,
            max_tokens: None,
            max_cost: None,
            input_price: None,
            output_price: None,
            image: 1568,
            error: 0.05,
            folder: None,
            source: None,
            judge: RoleConfig::default(),
            choose: RoleConfig::default(),
            infer: RoleConfig::default(),
            vision: RoleConfig::default(),
            agent: RoleConfig::default(),
        }
    }
}

/// What the settings come to for one role.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleSettings {
    /// Base address of the server.
    pub url: String,
    /// Which wire it speaks.
    pub wire: Wire,
    /// The model's name there.
    pub model: String,
    /// Name of the variable that holds the key; none where its server gets no key.
    pub key_env: Option<String>,
    /// Whether the settings name that variable, so that a key must be in it.
    pub key_is_named: bool,
    /// How long an answer may take, in seconds.
    pub timeout: f64,
    /// Prices of a million tokens of prompts and of answers; none where neither is set.
    pub prices: Option<(f64, f64)>,
}

impl ModelsConfig {
    /// What is set for a role alone.
    pub fn own(&self, role: ModelRole) -> &RoleConfig {
        match role {
            ModelRole::Judge => &self.judge,
            ModelRole::Choose => &self.choose,
            ModelRole::Infer => &self.infer,
            ModelRole::Vision => &self.vision,
            ModelRole::Agent => &self.agent,
        }
    }

    /// Name of the variable that holds a role's key; none where its server gets no key.
    pub fn key_variable(&self, role: ModelRole) -> Option<&str> {
        let shared = self.shares_key_with(role).then_some(KEY_VARIABLE);
        self.named_key(role).or(shared)
    }

    /// Whether a role gets the key of all. Where no server is set for all, it is the only one that is set which the key can be meant
    /// for.
    fn shares_key_with(&self, role: ModelRole) -> bool {
        let own = self.own(role).url.as_deref();
        match (own, &self.url) {
            (Some(own), None) => self.is_only_server(own),
            _ => self.lends_key_to(own),
        }
    }

    /// Whether every role that names no key of its own, but a server, names this one.
    fn is_only_server(&self, url: &str) -> bool {
        let roles = ModelRole::ALL.into_iter().map(|role| self.own(role));
        let mut urls = roles.filter(|own| own.key_env.is_none()).filter_map(|own| own.url.as_deref());
        origin(url).is_some() && urls.all(|other| origin(other) == origin(url))
    }

    /// Why a role's server gets no key, in words; none where it would get one.
    pub fn why_no_key(&self, role: ModelRole) -> Option<String> {
        if self.key_variable(role).is_some() {
            return None;
        }
        let why = match &self.url {
            Some(_) => "its server isn't that of models.url",
            None => "other roles have other servers, so the key of all could be meant for any",
        };
        Some(format!("models.{}.key_env isn't set, and {why}", role.word()))
    }

    /// Whether a model with this address of its own gets the key of all: another server never gets what is meant for this one.
    pub fn lends_key_to(&self, own: Option<&str>) -> bool {
        own.is_none_or(|own| origin(own).is_some() && origin(own) == self.url.as_deref().and_then(origin))
    }

    fn named_key(&self, role: ModelRole) -> Option<&str> {
        let shared = self.key_env.as_deref().filter(|_| self.shares_key_with(role));
        self.own(role).key_env.as_deref().or(shared)
    }

    /// Prices of a role's model that aren't set, for it or for all: without them nobody can hold it to `max_cost`.
    pub fn missing_prices(&self, role: ModelRole) -> Vec<&'static str> {
        let own = self.own(role);
        let input = own.input_price.or(self.input_price).is_none().then_some("models.input_price");
        let output = own.output_price.or(self.output_price).is_none().then_some("models.output_price");
        input.into_iter().chain(output).collect()
    }

    /// Settings without which a role isn't asked, and which are missing, for it and for all.
    pub fn missing(&self, role: ModelRole) -> Vec<&'static str> {
        let own = self.own(role);
        let url = own.url.as_ref().or(self.url.as_ref()).is_none().then_some("models.url");
        let model = own.model.as_ref().or(self.model.as_ref()).is_none().then_some("models.model");
        let prices = self.max_cost.map(|_| self.missing_prices(role)).unwrap_or_default();
        url.into_iter().chain(model).chain(prices).collect()
    }

    /// Where a role's model is; a problem where none is set.
    pub fn of(&self, role: ModelRole) -> Result<RoleSettings, Problem> {
        let own = self.own(role);
        let missing = |key: &str| {
            let text = format!(
                "no model is set for the role {role}: models.{key} is missing in the configuration, and models.{role}.{key} too",
                role = role.word()
            );
            Problem::new(Code::Unavailable, text).hint("handeye models --help").hint("handeye models list")
        };
        let input = own.input_price.or(self.input_price);
        let output = own.output_price.or(self.output_price);
        Ok(RoleSettings {
            url: own.url.clone().or_else(|| self.url.clone()).ok_or_else(|| missing("url"))?,
            wire: own.wire.unwrap_or(self.wire),
            model: own.model.clone().or_else(|| self.model.clone()).ok_or_else(|| missing("model"))?,
            key_env: self.key_variable(role).map(str::to_owned),
            key_is_named: self.named_key(role).is_some(),
            timeout: own.timeout.unwrap_or(self.timeout),
            prices: input.or(output).map(|_| (input.unwrap_or(0.0), output.unwrap_or(0.0))),
        })
    }
}

/// Scheme, host and port of an address that is plainly written; what could be read in two ways has none.
fn origin(url: &str) -> Option<(String, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '?', '#', '\\']).next()?.to_ascii_lowercase();
    let host = authority.rsplit('@').next()?;
    let usual = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    let host = host.strip_suffix(usual).unwrap_or(host);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    (!host.is_empty() && host.chars().all(is_plain)).then(|| (scheme, host.to_owned()))
}

/// Keys from the environment of whoever calls, by the name of their variable. Nothing prints them.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ModelKeys(BTreeMap<String, String>);

impl ModelKeys {
    /// Those of these variables and values.
    pub fn new(keys: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(keys.into_iter().collect())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key in this variable.
    pub fn get(&self, variable: &str) -> Option<&str> {
        self.0.get(variable).map(String::as_str)
    }

    /// A text without any of them.
    pub fn redact(&self, text: &str) -> String {
        // Shorter ones can't be told from other text.
        let told = self.0.values().filter(|key| key.len() >= 4);
        told.fold(text.to_owned(), |text, key| text.replace(key.as_str(), "[key]"))
    }
}

impl fmt::Debug for ModelKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// What a call brings to ask models with: where they are, and the keys for them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelAccess {
    /// Where they are.
    pub config: ModelsConfig,
    /// The keys.
    pub keys: ModelKeys,
    /// The caller's own settings file, to be named where something is missing in it.
    pub file: Option<PathBuf>,
}

impl ModelAccess {
    /// Where a role's model is; where none is set, or no price for what is to be limited, the problem names what to set, and where.
    pub fn of(&self, role: ModelRole) -> Result<RoleSettings, Problem> {
        let settings = self.config.of(role).map_err(|mut problem| {
            let file = self.settings_file();
            let variable = self.config.own(role).key_env.as_deref().or(self.config.key_env.as_deref());
            problem.message.push_str(&format!(
                "; set models.url and models.model, or [models.{}] url and model, in {file}; the key comes from the environment variable {}",
                role.word(),
                variable.unwrap_or(KEY_VARIABLE)
            ));
            problem
        })?;
        if self.config.max_cost.is_some() {
            self.priced(role)?;
        }
        Ok(settings)
    }

    /// Refuses a role whose model has no prices, for where what may be spent is limited.
    pub fn priced(&self, role: ModelRole) -> Result<(), Problem> {
        let missing = self.config.missing_prices(role).join(" and ");
        if missing.is_empty() {
            return Ok(());
        }
        let text = format!(
            "models.max_cost can't be held for the role {role}: {missing} missing; set what a million tokens cost (0 for nothing) there, or in [models.{role}], in {file}",
            role = role.word(),
            file = self.settings_file()
        );
        Err(Problem::new(Code::BadRequest, text).hint("handeye models list"))
    }

    /// The file to set what is missing in.
    fn settings_file(&self) -> Cow<'_, str> {
        self.file.as_deref().map_or_else(|| "your own handeye.toml".into(), Path::to_string_lossy)
    }
}

/// Asks models. What was used is counted against the session's limit for as long as this lives.
#[async_trait]
pub trait Models: Send + Sync {
    /// Asks the model of a role, within `limit` and the time that the settings give an answer. Where the session's limit is
    /// used up, nothing is sent.
    async fn ask(
        &self,
        access: &ModelAccess,
        role: ModelRole,
        request: &ChatRequest,
        limit: Duration,
    ) -> Result<ChatReply, Problem>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_takes_what_it_has_of_its_own_and_the_rest_from_all() {
        let config = ModelsConfig {
            url: Some("http://a/v1".into()),
            model: Some("big".into()),
            key_env: Some("KEY_A".into()),
            judge: RoleConfig { model: Some("small".into()), timeout: Some(5.0), ..RoleConfig::default() },
            vision: RoleConfig {
                url: Some("http://b".into()),
                wire: Some(Wire::Anthropic),
                input_price: Some(3.0),
                ..RoleConfig::default()
            },
            ..ModelsConfig::default()
        };
        let judge = config.of(ModelRole::Judge).expect("it is set");
        assert_eq!((judge.url.as_str(), judge.model.as_str(), judge.timeout), ("http://a/v1", "small", 5.0));
        assert_eq!((judge.key_env.as_deref(), judge.prices), (Some("KEY_A"), None));
        let vision = config.of(ModelRole::Vision).expect("it is set");
        assert_eq!((vision.wire, vision.model.as_str(), vision.prices), (Wire::Anthropic, "big", Some((3.0, 0.0))));
        // The key of one server isn't sent to another.
        assert_eq!((vision.key_env, vision.key_is_named), (None, false));
        let none = ModelsConfig::default().of(ModelRole::Agent).expect_err("nothing is set");
        assert_eq!(none.code, Code::Unavailable);
    }

    #[test]
    fn a_key_is_lent_to_the_same_server_alone() {
        for (all, own, is_lent) in [
            (Some("http://a/v1"), None, true),
            (None, None, true),
            (Some("http://a/v1"), Some("HTTP://A:80/v2"), true),
            (Some("https://a:443/v1"), Some("https://a"), true),
            (Some("http://[::1]:8/v1"), Some("http://[::1]:8"), true),
            (Some("http://a/v1"), Some("https://a/v1"), false),
            (Some("http://a/v1"), Some("http://a:81/v1"), false),
            (Some("http://a/v1"), Some("http://b/v1"), false),
            (Some("http://a/v1"), Some("http://a@b/v1"), false),
            (Some("http://a/v1"), Some("http://b\\@a/v1"), false),
            (Some("http://a/v1"), Some("http://a\t.b/v1"), false),
            (Some("http://a/v1"), Some("http:///a/v1"), false),
            // The only server that is set.
            (None, Some("http://b/v1"), true),
            (None, Some("http://a\t.b/v1"), false),
            (Some("nothing"), Some("nothing"), false),
        ] {
            for key_env in [None, Some("KEY_A".to_owned())] {
                let vision = RoleConfig { url: own.map(str::to_owned), ..RoleConfig::default() };
                let config = ModelsConfig { url: all.map(str::to_owned), key_env, vision, ..ModelsConfig::default() };
                let variable = config.key_env.as_deref().unwrap_or(KEY_VARIABLE);
                assert_eq!(config.key_variable(ModelRole::Vision), is_lent.then_some(variable), "{all:?} {own:?}");
            }
        }
    }

    #[test]
    fn where_roles_have_different_servers_and_no_key_of_their_own_none_gets_the_key_of_all() {
        let at = |url: &str, key: Option<&str>| RoleConfig {
            url: Some(url.to_owned()),
            key_env: key.map(str::to_owned),
            ..RoleConfig::default()
        };
        for (agent, judge, of_agent, of_judge) in [
            (at("http://a", None), at("http://b", None), None, None),
            (at("http://a", None), at("http://A:80/v1", None), Some(KEY_VARIABLE), Some(KEY_VARIABLE)),
            // What has a key of its own leaves no doubt for whom the other is.
            (at("http://a", None), at("http://b", Some("KEY_B")), Some(KEY_VARIABLE), Some("KEY_B")),
        ] {
            let config = ModelsConfig { agent, judge, ..ModelsConfig::default() };
            let keys = (config.key_variable(ModelRole::Agent), config.key_variable(ModelRole::Judge));
            assert_eq!(keys, (of_agent, of_judge), "{config:?}");
            let why = config.why_no_key(ModelRole::Agent);
            assert_eq!(why.is_some_and(|why| why.contains("other roles have other servers")), of_agent.is_none());
        }
        let config = ModelsConfig { url: Some("http://a".into()), judge: at("http://b", None), ..Default::default() };
        assert!(config.why_no_key(ModelRole::Judge).is_some_and(|why| why.contains("that of models.url")));
    }

    #[test]
    fn what_is_missing_is_told_with_where_to_set_it() {
        let access = ModelAccess { file: Some("/c/handeye.toml".into()), ..ModelAccess::default() };
        let said = access.of(ModelRole::Judge).expect_err("nothing is set").message;
        assert!(
            said.contains("[models.judge] url and model, in /c/handeye.toml") && said.contains(KEY_VARIABLE),
            "{said}"
        );
    }

    #[test]
    fn keys_are_never_printed() {
        let keys = ModelKeys::new([("K".to_owned(), "sk-secret".to_owned())]);
        assert_eq!(format!("{keys:?}"), "{\"K\"}");
        assert_eq!(keys.redact("wrong key sk-secret!"), "wrong key [key]!");
        assert_eq!(keys.get("K"), Some("sk-secret"));
    }
}
