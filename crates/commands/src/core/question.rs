//! Questions to a person in words, and what becomes of what was asked about: the same wherever a person is asked, at the terminal, behind
//! an MCP client, beside a session or in a chat.

use handeye_engine::wording::shown;
use handeye_scene::{Consented, Question};
use serde_json::Value;

/// Characters of one detail.
pub(crate) const DETAIL: usize = 80;
/// Characters of a name.
pub const NAME: usize = 40;

/// A question in words, a line each: what is done and where, to what, and the rest of what was asked for.
pub fn told(question: &Question) -> Vec<String> {
    let place = question.place.as_deref().map(|place| format!(" on {place}")).unwrap_or_default();
    let asked = format!("The policy asks for consent: `{}`{place} ({})", question.command, question.does);
    let target = question.target.iter().map(|target| format!("target: {target}"));
    std::iter::once(asked).chain(target).chain(question.details.iter().cloned()).collect()
}

/// An argument as a detail; none where it asks for nothing. `hide` takes secrets out of what it says.
pub fn detail(name: &str, value: &Value, hide: impl Fn(&str) -> String) -> Option<String> {
    let value = said(value).filter(|_| *value != Value::Bool(false))?;
    Some(format!("{}: {}", shown::word(name, NAME), quoted(&hide(&value))))
}

/// What a detail says, as it is written.
pub(crate) fn quoted(value: &str) -> String {
    shown::quote_own(value, DETAIL)
}

/// An argument in words; none where it asks for nothing.
pub(crate) fn said(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Array(items) if items.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Why what a person was to be asked about isn't done; none where they agreed. `None` is a question that nobody could be asked.
pub fn refusal(consented: Option<Consented>) -> Option<&'static str> {
    match consented {
        Some(Consented::Yes) => None,
        Some(Consented::No) => Some("who refused it"),
        Some(Consented::Late) => Some("and nobody answered in time"),
        Some(Consented::Kept) => Some("and nobody has answered yet"),
        None => Some("and there is no one to ask"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_question_says_what_is_done_where_and_to_what() {
        let question = Question {
            command: "input".into(),
            does: "acts on the page".into(),
            place: Some("https://bank.example".into()),
            target: Some("[5] textbox \"Amount\"".into()),
            details: vec!["text: \"100\"".into()],
            limit: 60.0,
        };
        let lines = [
            "The policy asks for consent: `input` on https://bank.example (acts on the page)",
            "target: [5] textbox \"Amount\"",
            "text: \"100\"",
        ];
        assert_eq!(told(&question), lines);
    }

    #[test]
    fn details_are_quoted_cut_and_without_secrets_and_what_asks_for_nothing_is_none() {
        let hide = |text: &str| text.replace("pw", "…");
        for (value, wanted) in [
            (json!("my pw"), Some("x: \"my …\"")),
            (json!(5), Some("x: \"5\"")),
            (json!(true), Some("x: \"true\"")),
            (json!({"a": 1}), Some("x: \"{\\\"a\\\":1}\"")),
            (json!(false), None),
            (json!(null), None),
            (json!([]), None),
        ] {
            assert_eq!(detail("x", &value, hide).as_deref(), wanted, "{value}");
        }
        let long = detail("x", &json!("y".repeat(500)), hide).unwrap_or_default();
        assert!(long.chars().count() < DETAIL + 10, "{long}");
    }

    #[test]
    fn only_yes_is_no_refusal() {
        let all = [None, Some(Consented::No), Some(Consented::Late), Some(Consented::Kept)];
        assert!(all.into_iter().all(|consented| refusal(consented).is_some()));
        assert_eq!(refusal(Some(Consented::Yes)), None);
    }
}
