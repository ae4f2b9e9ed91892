//! The tools that the settings name.

use super::port::ServerTool;
use super::search::SearchWeb;
use handeye_commands::core::chat_settings::ChatSettings;
use handeye_scene::{Code, Problem};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);

/// The tools that the settings name.
pub fn configured(settings: &ChatSettings) -> Result<Vec<Arc<dyn ServerTool>>, Problem> {
    let mut tools: Vec<Arc<dyn ServerTool>> = Vec::new();
    if let Some(url) = &settings.search.url {
        tools.push(Arc::new(SearchWeb::new(address("chat.search.url", url)?, http()?)));
    }
    for agent in &settings.agents {
        let missing = agent.tools.iter().flatten().find(|name| !tools.iter().any(|tool| tool.spec().name == **name));
        if let Some(name) = missing {
            return Err(wrong(format!("the agent `{}` names the tool `{name}`, which isn't configured", agent.id)));
        }
    }
    Ok(tools)
}

fn wrong(what: String) -> Problem {
    Problem::new(Code::BadRequest, what).hint("handeye config show")
}

/// An address of the settings. It isn't repeated where it is wrong: it may hold a password.
fn address(key: &str, text: &str) -> Result<Url, Problem> {
    let url = Url::parse(text).map_err(|e| wrong(format!("{key} can't be used: {e}")))?;
    if matches!(url.scheme(), "http" | "https") && url.host_str().is_some() {
        return Ok(url);
    }
    Err(wrong(format!("{key} begins with neither http:// nor https://")))
}

/// Connections of the tools, which follow nothing by themselves.
fn http() -> Result<reqwest::Client, Problem> {
    // Another part of the program may have chosen before; either will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECTING)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("handeye/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|e| Problem::new(Code::Unavailable, format!("no connections can be had: {e}")))
}
