//! What is told of a page that must not be read: that something was done to it, and how that ended.

use crate::core::read_policy::WITHHELD;
use crate::{Effect, Entry, Response, Status};
use handeye_scene::{Code, Notice, Problem};
use serde_json::{Value, json};

/// Members whose texts are not a page's: names of things, words of our own, and addresses.
const KEPT: [&str; 11] =
    ["action", "by", "change", "id", "kind", "opener", "origin", "path", "sha256", "url", "verdict"];

/// Takes everything that a page shows out of what came of a call; `place` is the origin that must not be read.
pub(crate) fn withhold(outcome: &mut Result<Response, Problem>, entry: &Entry, place: &str) {
    let why = format!("the policy denies reading {place}");
    match outcome {
        Err(problem) => withhold_problem(problem, entry.name, &why),
        // It was allowed where it began, and the page is elsewhere now.
        Ok(_) if entry.effect == Effect::Reads && entry.effect_of.is_none() => {
            let what = format!("the page went elsewhere meanwhile, and {why}");
            *outcome = Err(Problem::new(Code::Denied, what).hint("handeye config show"));
        }
        Ok(response) => {
            let result = response.result.as_mut();
            let Some(result) = result else { return };
            blank(result, &why);
            let verb = if response.status == Status::Ok { "was done" } else { "was not confirmed" };
            response.text = Some(format!("`{}` {verb}; what it shows is withheld: {why}\n{result}", entry.name));
            response.hints.clear();
        }
    }
}

/// A refusal of the policy names what it refuses, and the end of a browser nothing; any other problem may say what is on the page.
fn withhold_problem(problem: &mut Problem, command: &str, why: &str) {
    if !matches!(problem.code, Code::Denied | Code::Lost) {
        problem.message = format!("`{command}` couldn't be done; why is withheld: {why}");
        problem.hints = vec!["handeye config show".into()];
    }
}

/// Takes the texts out of a value, wherever they stand. A receipt keeps its shape.
fn blank(value: &mut Value, why: &str) {
    match value {
        Value::Object(members) => {
            if members.contains_key("verdict") && members.contains_key("evidence") {
                for member in ["target", "matched", "hints"] {
                    members.remove(member);
                }
                for member in ["evidence", "changes"] {
                    members.insert(member.to_owned(), json!([]));
                }
                members.insert("notices".to_owned(), json!([]));
            }
            for (name, member) in members.iter_mut() {
                if !(member.is_string() && KEPT.contains(&name.as_str())) {
                    blank(member, why);
                }
            }
            if let Some(Value::Array(notices)) = members.get_mut("notices") {
                let notice = Notice::new("denied", format!("what it shows is withheld: {why}"));
                *notices = serde_json::to_value(notice).into_iter().collect();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| blank(item, why)),
        Value::String(text) => *text = WITHHELD.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::{Change, Evidence, Receipt, Verdict};

    #[test]
    fn a_receipt_keeps_its_shape_and_no_text() {
        let mut receipt = Receipt::new("clicked", Verdict::NoEffect);
        receipt.reason = Some("a hidden word".into());
        receipt.hints = vec!["handeye find 'hidden'".into()];
        receipt.evidence = vec![Evidence::Value { value: "hidden".into() }];
        receipt.changes = vec![Change::TextAdded { text: "hidden".into() }];
        receipt.notices = vec![Notice::new("dialog", "hidden")];
        let mut value = json!({ "receipt": receipt, "said": ["hidden"], "url": "http://a.example/" });
        blank(&mut value, "the policy denies reading http://a.example");
        let text = value.to_string();
        assert!(!text.contains("hidden") && text.contains("http://a.example/") && text.contains("no_effect"), "{text}");
        let again: Receipt = serde_json::from_value(value["receipt"].clone()).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!((again.verdict, again.changes.len(), again.notices.len()), (Verdict::NoEffect, 0, 1));
    }

    #[test]
    fn problems_keep_their_code() {
        for (code, kept) in [(Code::Stale, false), (Code::Blocked, false), (Code::Bug, false), (Code::Denied, true)] {
            let mut problem = Problem::new(code, "hidden").hint("handeye click 3");
            withhold_problem(&mut problem, "click", "the policy denies reading it");
            assert_eq!((problem.code, problem.message.contains("hidden")), (code, kept));
        }
    }
}
