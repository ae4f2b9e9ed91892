//! Where a list of calls has been and where its steps say to go: whether the page is at an origin that one of them asked for.

use crate::core::steps::Step;
use handeye_engine::policy::origin::leads_to;
use handeye_engine::wording::shown;
use serde_json::Value;

/// Commands that go to what they name, or to none that could be told.
const NAMED: [&str; 4] = ["open", "tabs", "close", "launch"];
/// Commands that go to where the tab was before.
const HISTORY: [&str; 2] = ["back", "forward"];

/// Where a list of calls has been, and where its steps said to go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    /// Origins at which it was.
    visited: Vec<String>,
    /// Addresses that steps have named.
    asked: Vec<String>,
}

impl Trail {
    /// One that begins at an origin.
    pub(crate) fn from(origin: Option<&str>) -> Self {
        Self { visited: origin.into_iter().map(str::to_owned).collect(), asked: Vec::new() }
    }

    /// Takes note of a step that is over, and of where it came to.
    pub(crate) fn note(&mut self, step: &Step, origin: Option<&str>) {
        self.asked.extend(named(step).map(str::to_owned));
        if let Some(origin) = origin.filter(|origin| !self.visited.iter().any(|known| known == origin)) {
            self.visited.push(origin.to_owned());
        }
    }

    /// Why where a step came to isn't what was asked for, in words. `from`: where it was before.
    pub(crate) fn strays(&self, step: &Step, from: Option<&str>, to: &str) -> Option<String> {
        if let Some(asked) = named(step) {
            let what = || format!("{} was asked for, and the page is at {}", shown::address(asked), shown::address(to));
            return (!leads_to(asked, to)).then(what);
        }
        let command = step.command.as_str();
        let is_known = HISTORY.contains(&command) && self.visited.iter().any(|known| known == to)
            // A page may ask before it is left: what was opened then comes with the answer.
            || command == "dialog" && self.asked.iter().any(|asked| leads_to(asked, to));
        let from = from.filter(|from| *from != to && !is_known && !NAMED.contains(&command))?;
        Some(format!("the page went from {} to {}", shown::address(from), shown::address(to)))
    }
}

/// The address that a step names to go to. A tab that is lent has none that is known before.
fn named(step: &Step) -> Option<&str> {
    let url = match step.command.as_str() {
        "open" => step.args.get("url"),
        "tabs" if step.args.get("action").is_some_and(|action| action == "new") => step.args.get("url"),
        _ => None,
    };
    let url = url.and_then(Value::as_str)?;
    (!url.starts_with(handeye_scene::TAB) && url != "desktop" && !url.starts_with("desktop:")).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(command: &str, args: Value) -> Step {
        Step { command: command.into(), args, ..Step::default() }
    }

    #[test]
    fn only_an_origin_that_a_step_asked_for_is_gone_on_at() {
        let open = |url: &str| step("open", json!({ "url": url }));
        let tab = |url: &str| step("tabs", json!({ "action": "new", "url": url }));
        let plain = |command: &str| step(command, json!({}));
        let mut trail = Trail::from(Some("http://before"));
        trail.note(&open("http://a/1"), Some("http://a"));
        trail.note(&open("http://slow/1"), Some("http://a"));
        for (of, from, to, strays) in [
            (open("http://b/1"), Some("http://a"), "http://b", false),
            (open("http://b/1"), None, "http://b", false),
            // It leads elsewhere, though it was there before, or is where it was.
            (open("http://b/1"), Some("http://a"), "http://a", true),
            (open("http://b/1"), None, "http://login", true),
            (tab("http://b/1"), Some("http://a"), "http://b", false),
            (tab("http://b/1"), Some("http://a"), "http://login", true),
            (step("tabs", json!({"action": "switch", "id": "t2"})), Some("http://a"), "http://c", false),
            (plain("close"), Some("http://a"), "http://c", false),
            (open("tab:CODE"), Some("http://a"), "http://c", false),
            (plain("back"), Some("http://a"), "http://before", false),
            (plain("back"), Some("http://a"), "http://c", true),
            (plain("forward"), Some("http://before"), "http://a", false),
            (plain("reload"), Some("http://a"), "http://before", true),
            (plain("reload"), Some("http://a"), "http://a", false),
            (plain("dialog"), Some("http://a"), "http://c", true),
            (plain("dialog"), Some("http://a"), "http://before", true),
            // The page asked before it was left for what a step opened.
            (plain("dialog"), Some("http://a"), "http://slow", false),
            (plain("click"), Some("http://a"), "http://slow", true),
            (plain("click"), None, "http://c", false),
        ] {
            assert_eq!(trail.strays(&of, from, to).is_some(), strays, "{of:?} {from:?} {to}");
        }
    }
}
