//! The tools that the settings name.

use super::fetch::FetchUrl;
use super::http::connections;
use super::port::ServerTool;
use super::query::QueryDatabase;
use super::search::SearchWeb;
use handeye_commands::core::chat_settings::{ChatSettings, seconds};
use handeye_engine::policy::bounds::Origins;
use handeye_scene::{Code, Problem};
use std::sync::Arc;
use url::Url;

/// The tools that the settings name. `database`: the address that `query_database` reads.
pub fn configured(settings: &ChatSettings, database: Option<&str>) -> Result<Vec<Arc<dyn ServerTool>>, Problem> {
    let mut tools: Vec<Arc<dyn ServerTool>> = Vec::new();
    if let Some(url) = &settings.search.url {
        let http = connections().build();
        let http = http.map_err(|e| Problem::new(Code::Unavailable, format!("no connections can be had: {e}")))?;
        tools.push(Arc::new(SearchWeb::new(address("chat.search.url", url)?, http)));
    }
    if settings.fetch.enabled {
        let fetch = &settings.fetch;
        let bounds = Origins::default().with(&fetch.allow_origins, &fetch.deny_origins, !fetch.private)?;
        tools.push(Arc::new(FetchUrl::new(bounds)));
    }
    if let Some(url) = database {
        let query = &settings.query;
        let limit = seconds("chat.query.seconds", query.seconds, 0.1..=300.0)?;
        let rows = query.rows.clamp(1, 10_000) as usize;
        // What is wrong with the address is told without repeating it: it may hold a password.
        let made = QueryDatabase::new(url, &query.about, rows, limit);
        tools
            .push(Arc::new(made.map_err(|_| wrong("the address that chat.query.url_env names can't be used".into()))?));
    }
    Ok(tools)
}

/// Refuses tools of one name, and agents that name one which isn't there.
pub fn check(settings: &ChatSettings, tools: &[Arc<dyn ServerTool>]) -> Result<(), Problem> {
    for (at, tool) in tools.iter().enumerate() {
        let name = &tool.spec().name;
        if tools[..at].iter().any(|known| known.spec().name == *name) {
            return Err(wrong(format!("two tools of the server are called `{name}`")));
        }
    }
    for agent in &settings.agents {
        let missing = agent.tools.iter().flatten().find(|name| !tools.iter().any(|tool| tool.spec().name == **name));
        if let Some(name) = missing {
            return Err(wrong(format!("the agent `{}` names the tool `{name}`, which isn't configured", agent.id)));
        }
    }
    Ok(())
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
