//! Settings and where they come from: flags over environment over `handeye.toml` over defaults.
//!
//! The only reader of the environment in the workspace.

use crate::source::{self, Source};
use handeye_chat::decide::redact::secrets_in;
use handeye_chat::run::key_variable;
use handeye_chat::tools::mcp::Reach;
use handeye_commands::Settings;
use handeye_commands::core::chat_settings::{ChatSettings, McpSettings};
use handeye_scene::{Code, KEY_VARIABLE, ModelKeys, ModelRole, ModelsConfig, Problem};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Name of the file.
const FILE: &str = "handeye.toml";

/// Where the environment is documented from: name and meaning.
pub(crate) const VARIABLES: &[(&str, &str)] = &[
    ("HANDEYE_SESSION", "session name, as --session"),
    (MCP_TOKEN, "what clients of `handeye mcp --http` show"),
    ("HANDEYE_TIMEOUT", "limit on the whole command in seconds, as --timeout"),
    ("HANDEYE_CONFIG", "configuration file, as --config"),
    ("HANDEYE_BROWSER", "path of the browser: browser.path"),
    ("HANDEYE_HEADED", "1 shows a window: browser.headed"),
    ("HANDEYE_CDP", "endpoint to attach to: browser.cdp"),
    ("HANDEYE_PROFILE", "profile folder to keep: browser.profile"),
    ("HANDEYE_PROXY", "proxy for pages: browser.proxy"),
    (DATABASE, "database of the chat, as serve --database"),
    (KEY_VARIABLE, "key of model servers, unless models.key_env names another variable"),
    ("DISPLAY", "the X display of the desktop: desktop.display"),
    ("DBUS_SESSION_BUS_ADDRESS", "the message bus of the desktop: desktop.bus"),
    ("WAYLAND_DISPLAY", "the Wayland display of the desktop: desktop.wayland"),
    ("HANDEYE_RUNTIME_DIR", "folder for sockets and temporary profiles"),
];

/// What the command line says about configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    /// `--session`.
    pub(crate) session: Option<String>,
    /// `--timeout`.
    pub(crate) timeout: Option<f64>,
    /// `--config`.
    pub(crate) config: Option<PathBuf>,
}

/// Everything configured, in force.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The settings.
    pub(crate) settings: Settings,
    /// Where each setting that isn't a default comes from, by dotted key.
    pub(crate) sources: BTreeMap<String, Source>,
    /// Name of the session, not yet checked.
    pub(crate) session: String,
    /// Limit on the whole command.
    pub(crate) timeout: Option<f64>,
    /// The files that were read, the later over the earlier.
    pub(crate) files: Vec<PathBuf>,
    /// The file in which the user sets what is missing, whether it is there or not: the one that was named, else the user's own.
    pub(crate) own: Option<PathBuf>,
}

impl Config {
    /// Reads everything.
    pub(crate) fn load(given: &Given) -> Result<Self, Problem> {
        let named = given.config.clone().or_else(|| variable("HANDEYE_CONFIG").map(PathBuf::from));
        let (own, (files, project)) = match named {
            Some(named) => (absolute(&named).ok(), (vec![named], None)),
            None => (own_file(), search()?),
        };
        let mut sources = BTreeMap::new();
        let mut settings = Settings::default();
        for path in &files {
            let found = project.as_deref() == Some(path);
            let (read, keys) = read(path, found)?;
            if found {
                source::check_project(&keys, path, &own)?;
            }
            settings = source::lay(settings, read, &keys)?;
            sources.extend(keys);
        }
        overlay(&mut settings, &mut sources)?;
        let session = match given.session.clone() {
            Some(session) => session,
            None => text("HANDEYE_SESSION")?.unwrap_or_else(|| "default".to_owned()),
        };
        let timeout = match given.timeout {
            Some(timeout) => Some(timeout),
            None => text("HANDEYE_TIMEOUT")?
                .map(|t| parse_seconds(&t).map_err(|why| bad("HANDEYE_TIMEOUT", &why)))
                .transpose()?,
        };
        Ok(Self { settings, sources, session, timeout, files, own })
    }

    /// What holds without a file or an environment.
    pub(crate) fn defaults() -> Self {
        let (settings, sources, session) = (Settings::default(), BTreeMap::new(), "default".to_owned());
        Self { settings, sources, session, timeout: None, files: Vec::new(), own: own_file() }
    }
}

/// The variable that holds what clients over HTTP show.
pub(crate) const MCP_TOKEN: &str = "HANDEYE_MCP_TOKEN";

/// What clients over HTTP show, where the environment says it.
pub(crate) fn mcp_token() -> Result<Option<String>, Problem> {
    match text(MCP_TOKEN)? {
        Some(token) if token.len() < 16 || !token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(bad(MCP_TOKEN, "it takes 16 or more visible ASCII characters, without spaces"))
        }
        token => Ok(token),
    }
}

/// Whether the environment names a session.
pub(crate) fn names_session() -> bool {
    variable("HANDEYE_SESSION").is_some()
}

/// The folder for sockets. Read apart from the rest: a broken file must not keep sessions from being listed and ended.
pub(crate) fn runtime_folder() -> PathBuf {
    if let Some(folder) = variable("HANDEYE_RUNTIME_DIR") {
        return PathBuf::from(folder);
    }
    own_runtime_folder()
}

#[cfg(unix)]
fn own_runtime_folder() -> PathBuf {
    match variable("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute() && folder.is_dir()) {
        Some(folder) => folder.join("handeye"),
        None => PathBuf::from(format!("/tmp/handeye-{}", nix::unistd::geteuid())),
    }
}

/// What belongs to the user and not to a roaming profile.
#[cfg(windows)]
fn own_runtime_folder() -> PathBuf {
    let local = variable("LOCALAPPDATA").map(PathBuf::from).filter(|folder| folder.is_absolute());
    local.unwrap_or_else(env::temp_dir).join("handeye").join("run")
}

/// The home folder of whoever calls.
pub(crate) fn home_folder() -> Result<PathBuf, Problem> {
    home().filter(|home| home.is_absolute()).ok_or_else(|| {
        let what = "the environment names no home folder";
        Problem::new(Code::File, what).hint("handeye skill install --for ./skills")
    })
}

/// The home folder.
fn home() -> Option<PathBuf> {
    variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from)
}

/// Where programs keep the user's settings.
fn settings_folder(home: Option<&Path>) -> Option<PathBuf> {
    if cfg!(windows) {
        return variable("APPDATA").map(PathBuf::from);
    }
    let named = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    named.or_else(|| Some(home?.join(".config")))
}

/// Puts the values of variables that secrets name in their place.
pub(crate) fn take_secrets(args: &mut serde_json::Value) -> Result<(), Problem> {
    let secrets = args.get_mut("secrets").and_then(serde_json::Value::as_array_mut);
    for secret in secrets.into_iter().flatten().filter_map(serde_json::Value::as_object_mut) {
        let Some(serde_json::Value::String(name)) = secret.remove("env") else { continue };
        let value = text(&name)?.ok_or_else(|| {
            Problem::new(
                Code::BadRequest,
                format!("the environment variable {name} {}, so it holds no secret", lacks(&name)),
            )
            .hint("handeye open URL --secret NAME=file:PATH")
        })?;
        secret.insert("value".to_owned(), value.into());
    }
    Ok(())
}

/// Puts the password of a variable that arguments name in the variable's place: the daemon has an environment of its own.
pub(crate) fn take_passwords(args: &mut serde_json::Value) -> Result<(), Problem> {
    let Some(members) = args.as_object_mut() else { return Ok(()) };
    let Some(serde_json::Value::String(name)) = members.remove("password_env") else { return Ok(()) };
    let password = text(&name)?.ok_or_else(|| {
        Problem::new(
            Code::BadRequest,
            format!("the environment variable {name} {}, so it holds no password", lacks(&name)),
        )
        .hint("handeye set credentials USER --password-file FILE")
    })?;
    members.insert("password".to_owned(), password.into());
    Ok(())
}

/// Why a variable says nothing.
fn lacks(name: &str) -> &'static str {
    if env::var_os(name).is_some() { "is empty" } else { "isn't set" }
}

/// The variable that holds the address of the chat's database.
const DATABASE: &str = "HANDEYE_DATABASE";

/// The address of the chat's database, where the environment says it: it may hold a password, which a command line would show to all.
pub(crate) fn database() -> Result<Option<String>, Problem> {
    text(DATABASE)
}

/// The file of the chat's database where no other is named.
pub(crate) fn chat_file() -> Result<PathBuf, Problem> {
    let folder = data_folder().ok_or_else(|| {
        let what = "there is no home folder to keep the chat's database in: name one with --database";
        Problem::new(Code::File, what).hint("handeye serve --help")
    })?;
    Ok(folder.join("handeye").join("chat").join("chat.db"))
}

/// The address of the database that the chat's `query_database` reads.
pub(crate) fn chat_query(settings: &ChatSettings) -> Result<Option<String>, Problem> {
    let Some(name) = &settings.query.url_env else { return Ok(None) };
    match keys_in(std::iter::once(name.as_str()))?.get(name) {
        Some(url) => Ok(Some(url.to_owned())),
        None => Err(bad(name, "chat.query.url_env names it, and it isn't set")),
    }
}

/// Variables whose values nobody is to be told.
fn secret_variables(settings: &Settings) -> Vec<String> {
    let chat = &settings.chat;
    let of_models = chat.models.iter().filter_map(|model| key_variable(model, &settings.models));
    let of_roles = ModelRole::ALL.into_iter().filter_map(|role| settings.models.key_variable(role));
    let of_servers = chat.mcp.iter().filter_map(|server| server.token_env.as_deref());
    let named = of_models.chain(of_roles).chain(of_servers).chain(chat.query.url_env.as_deref());
    named.chain([DATABASE, KEY_VARIABLE, MCP_TOKEN]).map(str::to_owned).collect()
}

/// What the chat hides in every text: keys and tokens, and what lets in by the addresses of its settings.
pub(crate) fn chat_secrets(settings: &Settings, database: Option<&str>) -> Vec<String> {
    let chat = &settings.chat;
    // One that can't be read is used by nobody.
    let held = secret_variables(settings).into_iter().filter_map(|name| text(&name).ok().flatten());
    let models = chat.models.iter().filter_map(|model| model.url.as_ref()).chain(&settings.models.url);
    let servers = chat.mcp.iter().filter_map(|server| server.url.as_ref()).chain(&chat.search.url);
    let named = models.chain(servers).cloned().chain(database.map(str::to_owned));
    let (addresses, mut secrets): (Vec<String>, Vec<String>) = held.chain(named).partition(|text| text.contains("://"));
    secrets.extend(addresses.iter().flat_map(|url| secrets_in(url)));
    secrets
}

/// The servers whose tools the chat has, with their tokens, and without what their programs must not see.
pub(crate) fn chat_servers(settings: &Settings) -> Result<Vec<Reach>, Problem> {
    let chat = &settings.chat;
    let hidden = secret_variables(settings);
    let reach = |server: &McpSettings| {
        let token = match server.token_env.as_deref() {
            None => None,
            Some(name) => {
                Some(text(name)?.ok_or_else(|| bad(name, "a server of chat.mcp names it, and it isn't set"))?)
            }
        };
        Ok(Reach { settings: server.clone(), token, hidden: hidden.clone() })
    };
    chat.mcp.iter().map(reach).collect()
}

/// The keys of the chat's models.
pub(crate) fn chat_keys(settings: &Settings) -> Result<ModelKeys, Problem> {
    keys_in(settings.chat.models.iter().filter_map(|model| key_variable(model, &settings.models)))
}

/// The keys of every model that is set, from the variables that settings name: the daemon has an environment of its own.
pub(crate) fn model_keys(config: &ModelsConfig) -> Result<ModelKeys, Problem> {
    keys_in(ModelRole::ALL.into_iter().filter_map(|role| config.key_variable(role)))
}

/// The keys that these variables hold.
fn keys_in<'a>(names: impl Iterator<Item = &'a str>) -> Result<ModelKeys, Problem> {
    let mut keys = Vec::new();
    for name in names {
        // What no variable can be called holds nothing; to ask for it would be a fault.
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(Problem::new(Code::BadRequest, "models.key_env is no name of a variable"));
        }
        if let Some(key) = text(name)? {
            keys.push((name.to_owned(), key));
        }
    }
    Ok(ModelKeys::new(keys))
}

/// The folder of the text models: the one that is set, or that of the user's own data.
pub(crate) fn models_folder(config: &ModelsConfig) -> Result<PathBuf, Problem> {
    let own = || Some(data_folder()?.join("handeye").join("models"));
    config.folder.clone().or_else(own).ok_or_else(|| {
        let what = "there is no home folder to keep the text models in: name a file with --config, and set models.folder in it";
        Problem::new(Code::File, what).hint("handeye config show")
    })
}

/// The folder of the checkpoints of collections that are written to no file.
pub(crate) fn collect_folder() -> Result<PathBuf, Problem> {
    let folder = data_folder().ok_or_else(|| {
        let what = "there is no home folder to keep the checkpoint in: name a file with -o";
        Problem::new(Code::File, what).hint("handeye collect --help")
    })?;
    Ok(folder.join("handeye").join("collect"))
}

/// The file of what was learnt of aims; none where there is no home folder to keep it in.
pub(crate) fn learnt_file() -> Option<PathBuf> {
    Some(data_folder()?.join("handeye").join("learnt.json"))
}

/// Where answers of models are kept that a repeated task needs again.
pub(crate) fn recalled_file() -> Option<PathBuf> {
    Some(data_folder()?.join("handeye").join("recalled.json"))
}

/// Where programs keep the user's data.
fn data_folder() -> Option<PathBuf> {
    if cfg!(windows) {
        return variable("LOCALAPPDATA").map(PathBuf::from);
    }
    let named = variable("XDG_DATA_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    named.or_else(|| Some(home()?.join(".local").join("share")))
}

/// Adds to a call that starts a program where it was made from: the daemon has a folder and an environment of its own.
pub(crate) fn take_surroundings(command: &str, args: &mut serde_json::Value) {
    let Some(members) = args.as_object_mut().filter(|_| command == "launch") else { return };
    if let Some(folder) = env::current_dir().ok().and_then(|folder| folder.to_str().map(str::to_owned)) {
        members.insert("folder".to_owned(), folder.into());
    }
    // What is no text can't be handed on as JSON.
    let told = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let environment: serde_json::Map<String, serde_json::Value> = told.map(|(n, v)| (n, v.into())).collect();
    members.insert("environment".to_owned(), environment.into());
}

/// Lays the environment over the settings.
fn overlay(settings: &mut Settings, sources: &mut BTreeMap<String, Source>) -> Result<(), Problem> {
    let here = Path::new(".");
    let mut set = |key: &str| {
        sources.insert(key.to_owned(), Source::Environment);
    };
    if let Some(path) = text("HANDEYE_BROWSER")? {
        settings.browser.path = Some(resolve_program(here, path.into())?);
        set("browser.path");
    }
    if let Some(headed) = text("HANDEYE_HEADED")? {
        settings.browser.headed = match headed.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => true,
            "0" | "false" | "no" | "off" => false,
            _ => return Err(bad("HANDEYE_HEADED", &format!("`{headed}` is neither 1 nor 0"))),
        };
        set("browser.headed");
    }
    if let Some(url) = text("HANDEYE_CDP")? {
        settings.browser.cdp = Some(url);
        set("browser.cdp");
    }
    if let Some(proxy) = text("HANDEYE_PROXY")? {
        settings.browser.proxy = Some(proxy);
        set("browser.proxy");
    }
    if let Some(folder) = text("HANDEYE_PROFILE")? {
        settings.browser.profile = Some(resolve(here, Path::new(&folder))?);
        set("browser.profile");
    }
    // What a desktop's programs go by themselves: a file that says otherwise means another desktop.
    let desktop = &mut settings.desktop;
    for (key, name, held) in [
        ("desktop.display", "DISPLAY", &mut desktop.display),
        ("desktop.bus", "DBUS_SESSION_BUS_ADDRESS", &mut desktop.bus),
        ("desktop.wayland", "WAYLAND_DISPLAY", &mut desktop.wayland),
    ] {
        if held.is_none()
            && let Some(value) = text(name)?
        {
            *held = Some(value);
            set(key);
        }
    }
    Ok(())
}

/// What one file says, its paths meant from its own folder, and the keys that it names. `found` is one that nobody named.
fn read(path: &Path, found: bool) -> Result<(Settings, BTreeMap<String, Source>), Problem> {
    let text = source::text_of(path, found)?;
    let mut keys = BTreeMap::new();
    let mut settings = source::parse(&text, path, &mut keys)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    settings.browser.path = settings.browser.path.map(|p| resolve_program(folder, p)).transpose()?;
    settings.browser.profile = settings.browser.profile.map(|p| resolve(folder, &p)).transpose()?;
    settings.models.folder = settings.models.folder.map(|p| resolve(folder, &p)).transpose()?;
    if let Some(source) = settings.models.source.take_if(|source| !source.contains("://")) {
        settings.models.source = Some(resolve(folder, Path::new(&source))?.display().to_string());
    }
    Ok((settings, keys))
}

/// The user's own file, whether it is there or not.
pub(crate) fn own_file() -> Option<PathBuf> {
    settings_folder(home().as_deref()).map(|folder| folder.join("handeye").join(FILE))
}

/// The user's own `handeye.toml`, then the one here or in a folder above, up to the home folder (or the root, outside of it), which
/// is named once more: it may have come with what is in that folder, such as a clone of a repository.
fn search() -> Result<(Vec<PathBuf>, Option<PathBuf>), Problem> {
    let home = home();
    let mut files: Vec<PathBuf> = own_file().into_iter().filter(|path| path.symlink_metadata().is_ok()).collect();
    // Without a current folder there is nothing to search above.
    for folder in env::current_dir().ok().iter().flat_map(|here| here.ancestors()) {
        let path = folder.join(FILE);
        if files.contains(&path) {
            break;
        }
        if path.symlink_metadata().is_ok() {
            trusted(&path)?;
            files.push(path.clone());
            return Ok((files, Some(path)));
        }
        if home.as_deref() == Some(folder) {
            break;
        }
    }
    Ok((files, None))
}

/// A file that was found, not named, must be the user's own, or the system's.
fn trusted(path: &Path) -> Result<(), Problem> {
    let why = match handeye_server::distrust(path) {
        Ok(None) => return Ok(()),
        Ok(Some(why)) => why,
        Err(e) => format!("whose it is can't be told: {e}"),
    };
    // No command that would follow it is named: whoever reads this may run what is.
    let what = format!(
        "the configuration file {} isn't trusted: {why}; remove it, or run handeye from another folder",
        path.display()
    );
    Err(Problem::new(Code::Denied, what))
}

/// A program: a bare name is looked up later, anything with a folder in it is made absolute now.
fn resolve_program(folder: &Path, path: PathBuf) -> Result<PathBuf, Problem> {
    if path.components().count() == 1 && !path.is_absolute() { Ok(path) } else { resolve(folder, &path) }
}

/// A path that was named on the command line, as the daemon takes it.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Problem> {
    resolve(Path::new(""), path)
}

/// Absolute, because the daemon runs in another folder; and UTF-8, because it travels as JSON.
fn resolve(folder: &Path, path: &Path) -> Result<PathBuf, Problem> {
    let path = folder.join(path);
    let path = std::path::absolute(&path)
        .map_err(|e| Problem::new(Code::File, format!("the path {} can't be made absolute: {e}", path.display())))?;
    match path.to_str() {
        Some(_) => Ok(path),
        None => Err(Problem::new(
            Code::BadRequest,
            format!("the path {} isn't valid UTF-8, which handeye needs", path.display()),
        )),
    }
}

/// A variable; an empty one counts as absent.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn text(name: &str) -> Result<Option<String>, Problem> {
    variable(name)
        .map(|value| value.into_string().map_err(|value| bad(name, &format!("{} isn't valid UTF-8", value.display()))))
        .transpose()
}

fn bad(name: &str, why: &str) -> Problem {
    Problem::new(Code::BadRequest, format!("the environment variable {name} can't be used: {why}")).hint("handeye help")
}

/// Seconds, 0 or more.
pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err(format!("`{text}` is no time: write seconds, 0 or more, such as 2.5")),
    }
}
