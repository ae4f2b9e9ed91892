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

/// Tools that handeye's own client has.
const OF_THE_BROWSER: [&str; 4] = ["page_action", "request_more_elements", "get_selected_text", "clear_ai_styles"];
/// Tools that may be configured.
const OF_THE_SERVER: [&str; 3] = ["search_web", "query_database", "fetch_url"];

/// Refuses tools of one name, and agents and rules that name one which isn't there; what else may be wrong with rules. The tools are all
/// that there are: servers have told theirs.
pub fn check(settings: &ChatSettings, tools: &[Arc<dyn ServerTool>]) -> Result<Vec<String>, Problem> {
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
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    let named = settings.rules.iter().flat_map(|rule| &rule.tools);
    Ok(named.map(|pattern| check_rule(pattern, &names)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Refuses the tool of a rule that nothing is called: what it guards wouldn't be guarded. Of the beginning of a name it is only said that
/// nothing is called so now, since clients may bring tools of their own; but those of servers are all known.
fn check_rule(pattern: &str, names: &[&str]) -> Result<Option<String>, Problem> {
    let known = || names.iter().chain(&OF_THE_BROWSER).chain(&OF_THE_SERVER);
    let Some(begin) = pattern.strip_suffix('*') else {
        let what = format!(
            "a rule of chat.rules names the tool `{pattern}`, which there isn't: of a client's own tool write its name with `*` behind it"
        );
        return if known().any(|name| *name == pattern) { Ok(None) } else { Err(wrong(what)) };
    };
    match known().any(|name| name.starts_with(begin)) {
        true => Ok(None),
        false if begin.contains("__") => {
            Err(wrong(format!("a rule of chat.rules names the tools `{pattern}`, and no server has such")))
        }
        false => Ok(Some(format!("a rule of chat.rules names the tools `{pattern}`, and the server has none such"))),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_tools_that_there_are() {
        let names = ["files__list", "search_web"];
        for (pattern, wanted) in [
            ("search_web", "fine"),
            // It may be configured, and isn't.
            ("query_database", "fine"),
            ("page_action", "fine"),
            ("files__list", "fine"),
            ("files__*", "fine"),
            ("*", "fine"),
            ("query_databse", "refused"),
            ("files__lst", "refused"),
            ("fils__*", "refused"),
            ("", "refused"),
            ("of_a_client*", "told"),
        ] {
            let came = match check_rule(pattern, &names) {
                Ok(None) => "fine",
                Ok(Some(_)) => "told",
                Err(_) => "refused",
            };
            assert_eq!(came, wanted, "{pattern}");
        }
    }
}
