//! What a call does: whether it reads, or acts.

use handeye_commands::core::chat_settings::ChatEffect;
use serde_json::Value;

/// Actions that change nothing but how the page looks.
const READS: [&str; 4] = ["read", "scroll", "highlight", "underline"];
/// Tools of the browser that only read.
const READERS: [&str; 3] = ["request_more_elements", "get_selected_text", "clear_ai_styles"];

/// What a call of a browser's tool does. Of a tool that isn't known it isn't known: it acts.
pub fn in_the_browser(tool: &str, arguments: &Value) -> ChatEffect {
    let actions = arguments.get("actions").and_then(Value::as_array);
    let reads = |action: &Value| action.get("action").and_then(Value::as_str).is_some_and(|name| READS.contains(&name));
    let only_reads = match tool {
        "page_action" => actions.is_some_and(|actions| actions.iter().all(reads)),
        _ => READERS.contains(&tool),
    };
    if only_reads { ChatEffect::Read } else { ChatEffect::Act }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_batch_acts_where_any_of_its_actions_does() {
        let batch = |actions: &[&str]| json!({"actions": actions.iter().map(|name| json!({"action": name})).collect::<Vec<_>>()});
        for (tool, arguments, wanted) in [
            ("page_action", batch(&["read", "scroll"]), ChatEffect::Read),
            ("page_action", batch(&["read", "click"]), ChatEffect::Act),
            ("page_action", json!({}), ChatEffect::Act),
            ("get_selected_text", json!({}), ChatEffect::Read),
            ("something", json!({}), ChatEffect::Act),
        ] {
            assert_eq!(in_the_browser(tool, &arguments), wanted, "{tool} {arguments}");
        }
    }
}
