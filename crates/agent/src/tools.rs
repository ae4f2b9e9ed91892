//! The tools: commands, made from their one declaration, and the loop's own.
//!
//! What a command calls `expect` is `expected_text` here, and required of every call that names a target (seed 2): a model says
//! what it means, and nothing is done where the target says otherwise.

use crate::own;
use handeye_commands::core::schema;
use handeye_commands::dispatch::find;
use handeye_commands::{Effect, Entry};
use handeye_scene::chat::Tool;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Commands that are tools. None of them runs scripts, reads what the browser keeps, or starts programs.
pub const HANDS: [&str; 18] = [
    "state", "find", "inspect", "open", "click", "dblclick", "hover", "input", "keys", "select", "check", "uncheck",
    "scroll", "drag", "wait", "back", "tabs", "dialog",
];

/// Commands that are tools besides where windows are worked on: else a task on pages would open the whole desktop.
pub const ON_DESKTOP: [&str; 1] = ["windows"];

/// What a task is offered besides pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offers {
    /// Windows of the desktop.
    pub windows: bool,
    /// Pictures with marks.
    pub pictures: bool,
}

/// Commands that may be meant for what has the focus, or for the page: then no target is named.
const WITHOUT_TARGET: [&str; 2] = ["keys", "scroll"];

/// What the text is called that a target must show.
pub const EXPECTED: &str = "expected_text";
/// What a model that is shown pictures may say of its choice, for the trace.
pub const THINKING: &str = "thinking";
/// The window that `state` is to look at.
pub const WINDOW: &str = "window";
/// What commands call it.
pub const EXPECT: &str = "expect";

/// Members that no model may set: they reach outside of the page, and write files where they are told to.
const NEVER: [&str; 3] = ["path", "files", "annotated"];

/// Every tool. `answer`: what the answer must satisfy.
pub fn all(answer: Option<&Value>, offers: Offers) -> Vec<Tool> {
    let mut told = HashSet::new();
    let more = if offers.windows { &ON_DESKTOP[..] } else { &[] };
    let names = HANDS.iter().chain(more);
    let hands = names.filter_map(|name| Some(of_command(find(name)?, offers, &mut told)));
    hands.chain(own::tools(answer)).collect()
}

/// A command as a tool.
fn of_command(entry: &Entry, offers: Offers, told: &mut HashSet<String>) -> Tool {
    let declared = (entry.schema)().to_value();
    let description = declared.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut object = schema::brief(&declared, told);
    let needs_target = !WITHOUT_TARGET.contains(&entry.name);
    // Servers want to be told that there are none, too.
    object.entry("properties").or_insert_with(|| json!({}));
    let mut required: Vec<Value> = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(members)) = object.get_mut("properties") {
        members.retain(|name, _| !NEVER.contains(&name.as_str()));
        if offers.windows && entry.name == "state" {
            let about = "Look at this window from here on: a part of its title, or its id";
            members.insert(WINDOW.to_owned(), json!({"type": "string", "description": about}));
        }
        if members.remove(EXPECT).is_some() {
            if offers.pictures {
                let about = "What you see in the picture, and why it is this mark";
                members.insert(THINKING.to_owned(), json!({"type": "string", "description": about}));
            }
            members.insert(EXPECTED.to_owned(), expected_member(needs_target));
            if needs_target {
                required.extend([json!(EXPECTED), json!("ref")]);
            }
        }
    }
    if !required.is_empty() {
        object.insert("required".to_owned(), Value::Array(required));
    }
    Tool { name: entry.name.to_owned(), description, parameters: Value::Object(object) }
}

fn expected_member(needs_target: bool) -> Value {
    let about = if needs_target {
        "The text that the state shows for this target; an icon is described in words"
    } else {
        "The text that the state shows for the target, where one is named"
    };
    json!({"type": "string", "description": about})
}

/// Whether a call acts on the page or window.
pub fn acts(entry: &Entry, args: &Map<String, Value>) -> bool {
    match entry.effect_of {
        // What is wrong with the arguments is told when it runs; until then it acts.
        Some(effect_of) => effect_of(Value::Object(args.clone())).is_ok_and(|effect| effect == Effect::Acts),
        None => entry.effect == Effect::Acts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_that_names_a_target_to_act_on_must_say_what_it_shows() {
        let tools = all(None, Offers { windows: true, pictures: true });
        assert_eq!(tools.len(), HANDS.len() + ON_DESKTOP.len() + 6, "every name is a command's");
        let names = |offers| all(None, offers).into_iter().map(|tool| tool.name).collect::<Vec<_>>();
        assert!(!names(Offers::default()).contains(&"windows".to_owned()), "pages alone");
        for tool in &tools {
            let members = tool.parameters["properties"].as_object().expect("it takes something");
            let required = tool.parameters["required"].as_array().cloned().unwrap_or_default();
            assert!(!members.contains_key(EXPECT), "{}", tool.name);
            for hidden in [
                "expect_any",
                "locators",
                "secrets",
                "cdp",
                "profile",
                "method",
                "unverifiable",
                "annotated",
                "screenshot",
                "path",
                "files",
                "base64",
                "record",
                "trace",
            ] {
                assert!(!members.contains_key(hidden), "{}: {hidden}", tool.name);
            }
            let acts = find(&tool.name).is_some_and(|entry| entry.effect == Effect::Acts && entry.name != "dialog");
            if acts && !WITHOUT_TARGET.contains(&tool.name.as_str()) && members.contains_key("ref") {
                for name in [EXPECTED, "ref"] {
                    assert!(required.contains(&json!(name)), "{} without {name}", tool.name);
                }
            }
        }
        let size: usize = tools.iter().map(|tool| tool.parameters.to_string().len() + tool.description.len()).sum();
        assert!(size < 14_000, "{size} characters");
    }
}
