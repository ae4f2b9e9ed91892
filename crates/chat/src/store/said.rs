//! What a client says, and what tells a word on a call from every other.

use crate::decide::bind::OURS;
use crate::decide::digest::digest;
use crate::wire::reply::Approval;

/// What a client says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The person's words.
    Text(String),
    /// What browser tools returned.
    Results(Vec<Returned>),
    /// The person's decision on a call.
    Decision(Approval),
}

/// What a browser tool returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    /// The tool, where the client names it.
    pub tool: Option<String>,
    /// The call, where the client names it.
    pub call: Option<String>,
    /// What it returned.
    pub text: String,
}

impl Said {
    /// What tells a word on calls from every other; none of the person's own words.
    pub(super) fn print(&self) -> Option<String> {
        match self {
            Self::Text(_) => None,
            Self::Results(results) => {
                let some = |text: &'_ Option<String>| text.clone().unwrap_or_default();
                let parts: Vec<String> = results
                    .iter()
                    .flat_map(|result| [some(&result.tool), some(&result.call), result.text.clone()])
                    .collect();
                Some(digest(&[&["results"], &parts.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat()))
            }
            Self::Decision(said) => {
                let arguments = said.arguments.as_ref().map(|arguments| arguments.python());
                let word = |known: bool| if known { "yes" } else { "no" };
                Some(digest(&[
                    "decision",
                    said.id.as_deref().unwrap_or_default(),
                    word(said.approved),
                    word(arguments.is_some()),
                    arguments.as_deref().unwrap_or_default(),
                    said.hash.as_deref().unwrap_or_default(),
                    said.reason.as_deref().unwrap_or_default(),
                    word(said.grants),
                ]))
            }
        }
    }

    /// Whether only what was heard of the last answer tells it from that word once more.
    pub(crate) fn is_known_by_hearing(&self) -> bool {
        !matches!(self, Self::Text(_)) && !self.names_calls()
    }

    /// Whether it names each call that it is about by an id of ours: then it can be about no other.
    pub(super) fn names_calls(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Results(results) => results.iter().all(|result| result.call.is_some()),
            Self::Decision(said) => said.id.as_ref().is_some_and(|id| id.starts_with(OURS)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Json;

    #[test]
    fn words_on_calls_are_told_apart_by_all_that_they_say() {
        let decision = |change: &dyn Fn(&mut Approval)| {
            let mut said =
                Approval { id: None, approved: true, arguments: None, hash: None, reason: None, grants: false };
            change(&mut said);
            Said::Decision(said)
        };
        let result = |tool: Option<&str>, call: Option<&str>, text: &str| {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            Said::Results(vec![Returned { tool: owned(tool), call: owned(call), text: text.into() }])
        };
        let all = [
            decision(&|_| ()),
            decision(&|said| said.approved = false),
            decision(&|said| said.id = Some("a".into())),
            decision(&|said| said.hash = Some("a".into())),
            decision(&|said| said.reason = Some("a".into())),
            decision(&|said| said.grants = true),
            decision(&|said| said.arguments = Some(Json::text(""))),
            result(Some("a"), None, "b"),
            result(None, Some("a"), "b"),
            result(Some("b"), None, "a"),
            Said::Results(Vec::new()),
        ];
        for (at, one) in all.iter().enumerate() {
            let same = all.iter().filter(|other| other.print() == one.print()).count();
            assert_eq!(same, 1, "{at}");
        }
        assert_eq!(Said::Text("x".into()).print(), None);
    }
}
