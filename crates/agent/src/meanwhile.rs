//! What came up by itself since the look before: in the state that came with an action, and not among what the action brought.

use handeye_commands::Response;
use handeye_engine::observe::came_up::MEANWHILE;
use handeye_engine::wording::shown;
use serde_json::Value;

/// How many of one look are told.
const MOST: usize = 8;
/// Characters of each.
const TEXT: usize = 160;

/// What came up, each as it was shown. Only what is new counts: what changed or went may be a clock.
pub fn of(response: &Response) -> Vec<String> {
    let result = response.result.as_ref().unwrap_or(&Value::Null);
    let state = response.state.as_ref().unwrap_or(&Value::Null);
    let caused: Vec<&Value> = list(result, "changes").collect();
    // Of what an action brought, only the first are listed: where there are more, nothing can be told apart.
    let is_whole = result.get("more_changes").and_then(Value::as_u64).unwrap_or(0) == 0;
    let fresh = list(state, "changes").filter(|change| is_whole && !caused.iter().any(|known| same(known, change)));
    let came = fresh.filter_map(words);
    // What an action brought stands among its evidence too.
    let is_caused = |kind: &str| list(result, "evidence").any(|one| one.get("kind").is_some_and(|known| known == kind));
    // Where the change of the state is told, it is among that.
    let is_among = state.get("changes").is_some_and(Value::is_array);
    let notices = list(result, "notices").chain(list(state, "notices")).filter_map(|notice| {
        let kind = notice.get("kind").and_then(Value::as_str)?;
        if kind == MEANWHILE && !is_among {
            return Some(shown::line(notice.get("text")?.as_str()?, 2 * TEXT));
        }
        if !TOLD.contains(&kind) || is_caused(kind) {
            return None;
        }
        Some(format!("{kind}: {}", shown::line(notice.get("text")?.as_str()?, TEXT)))
    });
    came.chain(notices).take(MOST).collect()
}

/// Kinds of notices that tell of something that came up.
const TOLD: [&str; 5] = ["dialog", "new_tab", "download", "window", "fault"];

fn list<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value.get(member).and_then(Value::as_array).into_iter().flatten()
}

/// Whether two changes are of the same thing: a target by its number, a text by its words.
fn same(one: &Value, other: &Value) -> bool {
    let key = |change: &Value| {
        let number = change.pointer("/target/ref").or_else(|| change.get("ref")).cloned();
        (change.get("change").cloned(), number, change.get("text").cloned())
    };
    key(one) == key(other)
}

/// A change that is something new, in words.
fn words(change: &Value) -> Option<String> {
    let text = |value: &Value, member: &str| value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    match change.get("change")?.as_str()? {
        "added" => {
            let target = change.get("target")?;
            let number = target.get("ref")?.as_u64()?;
            let name =
                Some(text(target, "name")).filter(|name| !name.is_empty()).unwrap_or_else(|| text(target, "text"));
            Some(format!("[{number}] {} {}", shown::word(&text(target, "role"), 30), shown::quote(&name, TEXT)))
        }
        "text_added" => Some(shown::quote(&text(change, "text"), TEXT)).filter(|said| said.chars().count() > 4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_commands::Status;
    use serde_json::json;

    fn came(result: Value, state: Value) -> Vec<String> {
        let (result, state) = (Some(result), Some(state));
        of(&Response { status: Status::Ok, result, text: None, state, hints: Vec::new(), error: None })
    }

    #[test]
    fn what_the_action_brought_and_what_only_changed_did_not_come_up_by_itself() {
        let row = json!({"change": "added", "target": {"ref": 9, "role": "row", "name": "Pear"}});
        let toast = json!({"change": "text_added", "text": "Ann sent you a message"});
        let clock = json!({"change": "changed", "ref": 3, "property": "name", "from": "12:01", "to": "12:02"});
        let state = json!({"changes": [row, toast, clock], "notices": [{"kind": "dialog", "text": "alert: Hi"}, {"kind": "partial", "text": "x"}]});
        let told = came(json!({"changes": [row]}), state.clone());
        assert_eq!(told, ["\"Ann sent you a message\"", "dialog: alert: Hi"]);
        // More was brought than is listed: nothing can be told apart.
        assert_eq!(came(json!({"changes": [row], "more_changes": 2}), state), ["dialog: alert: Hi"]);
        assert!(came(json!({}), Value::Null).is_empty());
        // A state by itself, or a receipt without the change of the state, tells it in a notice.
        let meanwhile = json!({"notices": [{"kind": "meanwhile", "text": "\"Ann: wait\""}]});
        assert_eq!(came(meanwhile.clone(), Value::Null), ["\"Ann: wait\""]);
        assert!(came(meanwhile, json!({"changes": []})).is_empty());
        // A tab that the action opened is its evidence; a dialog that came up beside isn't.
        let notices = json!([{"kind": "new_tab", "text": "http://b/"}, {"kind": "dialog", "text": "confirm: Leave?"}]);
        let told =
            came(json!({"evidence": [{"kind": "new_tab", "url": "http://b/"}], "notices": notices}), Value::Null);
        assert_eq!(told, ["dialog: confirm: Leave?"]);
    }
}
