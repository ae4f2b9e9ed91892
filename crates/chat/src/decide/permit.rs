//! Whether a call needs the person: by the rules of the settings, what the person granted for the conversation, and how grave it is.

use handeye_commands::core::chat_settings::{ChatEffect, ChatPermission, ChatRule};
use handeye_engine::policy::bounds::Origins;
use handeye_scene::{Bounds as _, Problem, Ruling};

/// A rule, ready to be asked.
#[derive(Debug, Clone)]
struct Rule {
    agents: Vec<String>,
    tools: Vec<String>,
    origins: Option<Origins>,
    effects: Vec<ChatEffect>,
    then: ChatPermission,
}

/// The rules of the settings. The first that fits counts; where none does, the person is asked.
#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<Rule>);

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub struct Proposed<'a> {
    /// The agent that was asked.
    pub agent: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// What the call does.
    pub effect: ChatEffect,
    /// The address of the page that the person looks at.
    pub page: Option<&'a str>,
    /// Whether it pays, deletes, sends or logs in.
    pub is_sensitive: bool,
    /// Whether the person granted the tool on this site for the conversation.
    pub is_granted: bool,
}

impl Rules {
    /// Reads them.
    pub fn new(rules: &[ChatRule]) -> Result<Self, Problem> {
        let read = |rule: &ChatRule| {
            let origins = (!rule.origins.is_empty()).then(|| Origins::default().with(&rule.origins, &[], false));
            let (agents, tools, effects) = (rule.agents.clone(), rule.tools.clone(), rule.effects.clone());
            Ok::<_, Problem>(Rule { agents, tools, origins: origins.transpose()?, effects, then: rule.then })
        };
        Ok(Self(rules.iter().map(read).collect::<Result<_, Problem>>()?))
    }

    /// What becomes of a call.
    pub fn permit(&self, call: Proposed<'_>) -> ChatPermission {
        let said = self.0.iter().find(|rule| rule.fits(&call)).map_or(ChatPermission::Ask, |rule| rule.then);
        match said {
            ChatPermission::Deny => ChatPermission::Deny,
            _ if call.is_sensitive => ChatPermission::Ask,
            ChatPermission::Ask if call.is_granted => ChatPermission::Allow,
            said => said,
        }
    }
}

impl Rule {
    fn fits(&self, call: &Proposed<'_>) -> bool {
        let means = |pattern: &String| match pattern.strip_suffix('*') {
            Some(begin) => call.tool.starts_with(begin),
            None => call.tool == pattern,
        };
        let is_of = |origins: &Origins| {
            let page = call.page.filter(|page| page.starts_with("http://") || page.starts_with("https://"));
            page.is_some_and(|page| origins.document(page) == Ruling::Allow)
        };
        (self.agents.is_empty() || self.agents.iter().any(|agent| agent == call.agent))
            && (self.tools.is_empty() || self.tools.iter().any(means))
            && (self.effects.is_empty() || self.effects.contains(&call.effect))
            && self.origins.as_ref().is_none_or(is_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_counts_and_what_is_grave_is_asked_about_all_the_same() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let rule = |tools: &[&str], origins: &[&str], effects: &[ChatEffect], then| ChatRule {
            agents: Vec::new(),
            tools: list(tools),
            origins: list(origins),
            effects: effects.to_vec(),
            then,
        };
        use ChatEffect::{Act, Read};
        use ChatPermission::{Allow, Ask, Deny};
        let rules = Rules::new(&[
            rule(&["files__delete"], &[], &[], Deny),
            rule(&["files__*"], &[], &[Read], Allow),
            rule(&[], &["https://*.a.example"], &[], Allow),
            rule(&["search_web"], &[], &[], Ask),
        ])
        .expect("they are whole");
        let here = Some("https://www.a.example/x");
        for (tool, effect, page, is_sensitive, is_granted, wanted) in [
            ("files__delete", Read, here, false, true, Deny),
            ("files__list", Read, None, false, false, Allow),
            ("files__list", Act, None, false, false, Ask),
            ("files__list", Act, here, false, false, Allow),
            ("files__list", Read, None, true, true, Ask),
            ("search_web", Read, here, false, false, Allow),
            ("search_web", Read, Some("https://b.example/"), false, false, Ask),
            ("search_web", Read, Some("https://b.example/"), false, true, Allow),
            ("search_web", Read, Some("about:blank"), false, false, Ask),
            ("search_web", Read, None, false, false, Ask),
            ("search_web", Read, here, true, true, Ask),
        ] {
            let call = Proposed { agent: "a", tool, effect, page, is_sensitive, is_granted };
            assert_eq!(rules.permit(call), wanted, "{call:?}");
        }
        let of_agents = |agents: &[&str], then| ChatRule { agents: list(agents), ..rule(&[], &[], &[], then) };
        let rules = Rules::new(&[of_agents(&["a", "b"], Allow), of_agents(&["c"], Deny)]).expect("they are whole");
        for (agent, wanted) in [("a", Allow), ("b", Allow), ("c", Deny), ("d", Ask), ("A", Ask), ("", Ask)] {
            let call = Proposed { agent, tool: "t", effect: Read, page: None, is_sensitive: false, is_granted: false };
            assert_eq!(rules.permit(call), wanted, "{call:?}");
        }
        assert!(Rules::new(&[rule(&[], &["nonsense"], &[], Allow)]).is_err());
    }
}
