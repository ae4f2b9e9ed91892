//! The policy: what may be done, asked once for every call.

use crate::Effect;
use crate::settings::PolicySettings;
use handeye_scene::{Code, Problem};

/// What the policy says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Allow,
    /// A person must agree first.
    Ask,
    /// Refused.
    Deny,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    effect: Effect,
    origin: Option<String>,
}

impl Rule {
    fn parse(text: &str) -> Result<Self, Problem> {
        let (effect, origin) = match text.split_once('@') {
            Some((effect, origin)) => (effect, Some(origin.to_owned())),
            None => (text, None),
        };
        let effect = match effect {
            "reads" => Effect::Reads,
            "acts" => Effect::Acts,
            "manages" => Effect::Manages,
            _ => {
                return Err(Problem::new(
                    Code::BadRequest,
                    format!("the policy rule `{text}` names no effect: write `reads`, `acts` or `manages`, then `@ORIGIN` where it holds for one origin only"),
                )
                .hint("handeye config show"));
            }
        };
        if origin.as_deref().is_some_and(|o| o != "null" && !o.contains("://")) {
            return Err(Problem::new(
                Code::BadRequest,
                format!(
                    "the policy rule `{text}` has no valid origin: write it as scheme://host or scheme://host:port"
                ),
            )
            .hint("handeye config show"));
        }
        Ok(Self { effect, origin })
    }

    fn holds(&self, effect: Effect, origin: Option<&str>) -> bool {
        self.effect == effect && self.origin.as_deref().is_none_or(|o| Some(o) == origin)
    }
}

/// What may be done. A policy that doesn't parse refuses to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    deny: Vec<Rule>,
    ask: Vec<Rule>,
}

impl Policy {
    /// Reads the rules.
    pub fn parse(settings: &PolicySettings) -> Result<Self, Problem> {
        let rules = |list: &[String]| list.iter().map(|t| Rule::parse(t)).collect::<Result<Vec<_>, _>>();
        Ok(Self { deny: rules(&settings.deny)?, ask: rules(&settings.ask)? })
    }

    /// What it says of a command of `effect` on a page of `origin`; deny beats ask beats allow.
    pub fn decide(&self, effect: Effect, origin: Option<&str>) -> Decision {
        if self.deny.iter().any(|r| r.holds(effect, origin)) {
            Decision::Deny
        } else if self.ask.iter().any(|r| r.holds(effect, origin)) {
            Decision::Ask
        } else {
            Decision::Allow
        }
    }
}
