//! The tools: some commands as tools of their own, and three by which every command is reached.

use handeye_commands::core::schema;
use handeye_commands::dispatch::find;
use handeye_commands::{COMMANDS, Effect, Entry, Flags, Run};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// Commands that are tools of their own.
pub(crate) const CORE: [&str; 15] = [
    "open",
    "state",
    "find",
    "inspect",
    "click",
    "input",
    "keys",
    "select",
    "check",
    "scroll",
    "drag",
    "screenshot",
    "wait",
    "tabs",
    "close",
];

/// Lists the commands.
pub(crate) const LIST: &str = "commands";
/// Tells of one.
pub(crate) const HELP: &str = "help";
/// Runs one.
pub(crate) const RUN: &str = "run";

/// Options of every command that a call may hold beside its arguments.
pub(crate) const OPTIONS: [&str; 4] = ["return_state", "timeout", "window", "backend"];

/// What an agent is told of the tools as a whole.
pub(crate) const INSTRUCTIONS: &str = "handeye shows a web page or desktop as numbered targets, acts on a number, and \
proves that it acted on the right one. `open`, then `state`; act by `ref`. A number belongs to one element for good. With \
`expect` an action runs only if the target shows that text; without it, only if the target is what you were last shown. \
Every action gives a verdict: confirmed, no_effect, contradicted (refused, or it did something else) or unverifiable; go on \
only after confirmed. `return_state` gives what changed with it. A problem (isError) comes with calls to try next. \
`commands`, `help` and `run` reach everything else.";

/// Every tool.
pub(crate) fn all() -> Vec<Tool> {
    let mut told = HashSet::new();
    let mut tools: Vec<Tool> = CORE.iter().filter_map(|name| Some(core(find(name)?, &mut told))).collect();
    tools.push(tool(LIST, "List every command and what it is for", json!({}), looking(false)));
    let named = json!({"command": {"type": "string", "description": "Its name"}});
    tools.push(tool(
        HELP,
        "Show a command's arguments, and with `output` what it returns",
        with(&named, help_members()),
        looking(false),
    ));
    tools.push(tool(RUN, "Run any command", with(&named, run_members()), acting(true)));
    tools
}

fn core(entry: &'static Entry, told: &mut HashSet<String>) -> Tool {
    let declared = (entry.schema)();
    let mut input = schema::brief(&declared, told);
    if entry.effect == Effect::Acts
        && let Some(Value::Object(members)) = input.get_mut("properties")
    {
        members.insert("return_state".to_owned(), option("return_state", told));
    }
    finish(entry.name, &about(entry), input, annotations(entry))
}

fn tool(name: &'static str, about: &str, members: Value, annotations: ToolAnnotations) -> Tool {
    let mut input = Map::new();
    input.insert("type".to_owned(), json!("object"));
    if members.get("command").is_some() {
        input.insert("required".to_owned(), json!(["command"]));
    }
    input.insert("properties".to_owned(), members);
    finish(name, about, input, annotations)
}

fn finish(name: &'static str, about: &str, input: Map<String, Value>, annotations: ToolAnnotations) -> Tool {
    let gives_state = input.get("properties").is_some_and(|members| members.get("return_state").is_some());
    let output = if let Value::Object(output) = output(gives_state) { output } else { Map::new() };
    Tool::new(name, about.to_owned(), Arc::new(input))
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations)
}

/// What every tool returns beside its text. What `result` holds is told by `help`, because a receipt's schema alone is longer
/// than those of all tools.
fn output(gives_state: bool) -> Value {
    let mut members = Map::from_iter([
        ("status".to_owned(), json!({"enum": ["ok", "not_confirmed", "error"]})),
        ("result".to_owned(), json!({})),
        ("error".to_owned(), json!({"type": "object"})),
    ]);
    if gives_state {
        members.insert("state".to_owned(), json!({}));
    }
    json!({"type": "object", "properties": members, "required": ["status"]})
}

fn with(named: &Value, more: Map<String, Value>) -> Value {
    let mut members = named.as_object().cloned().unwrap_or_default();
    members.extend(more);
    Value::Object(members)
}

fn help_members() -> Map<String, Value> {
    Map::from_iter([("output".to_owned(), json!({"type": "boolean"}))])
}

fn run_members() -> Map<String, Value> {
    let mut members =
        Map::from_iter([("arguments".to_owned(), json!({"type": "object", "description": "As `help` shows them"}))]);
    let mut told = HashSet::new();
    members.extend(OPTIONS.iter().map(|name| ((*name).to_owned(), option(name, &mut told))));
    members
}

/// The schema of an option of every command.
fn option(name: &str, told: &mut HashSet<String>) -> Value {
    let flags = schemars::schema_for!(Flags).to_value();
    let mut members = schema::brief(&flags, told);
    members.get_mut("properties").and_then(|members| members.get_mut(name)).map(Value::take).unwrap_or_default()
}

/// What a command is for.
pub(crate) fn about(entry: &Entry) -> String {
    let schema = (entry.schema)();
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// What a call of a command does to the world.
fn annotations(entry: &Entry) -> ToolAnnotations {
    let is_outside = !matches!(entry.run, Run::Host(_));
    match entry.effect {
        _ if entry.effect_of.is_some() => acting(is_outside),
        Effect::Reads => looking(is_outside),
        Effect::Acts => acting(is_outside),
        Effect::Manages => looking(is_outside).read_only(false).destructive(false),
    }
}

fn looking(is_outside: bool) -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(is_outside)
}

fn acting(is_outside: bool) -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(true).open_world(is_outside)
}

/// The word for what a command does to the world.
pub(crate) fn effect(entry: &Entry) -> &'static str {
    match entry.effect {
        _ if entry.effect_of.is_some() => "varies",
        Effect::Reads => "reads",
        Effect::Acts => "acts",
        Effect::Manages => "manages",
    }
}

/// Every command, as `commands` lists it: text and value.
pub(crate) fn listed() -> (String, Value) {
    let lines: Vec<String> = COMMANDS.iter().map(|entry| format!("{:<14} {}", entry.name, about(entry))).collect();
    let value: Vec<Value> = COMMANDS
        .iter()
        .map(|entry| json!({"name": entry.name, "about": about(entry), "effect": effect(entry)}))
        .collect();
    (lines.join("\n"), json!({ "commands": value }))
}

/// One command, as `help` tells of it: text and value.
pub(crate) fn told(entry: &Entry, output: bool) -> (String, Value) {
    let arguments = Value::Object(schema::whole(&(entry.schema)()));
    let mut value = json!({"name": entry.name, "about": about(entry), "effect": effect(entry), "arguments": arguments});
    let mut text = format!("{}: {}\nIt {}. Arguments:\n", entry.name, about(entry), effect(entry));
    let required = arguments.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let members = arguments.get("properties").and_then(Value::as_object);
    for (name, member) in members.into_iter().flatten() {
        let mut shape = member.as_object().cloned().unwrap_or_default();
        let words = shape.remove("description").and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
        let needed = if required.iter().any(|needed| needed == name) { " (required)" } else { "" };
        text.push_str(&format!("  {name}{needed} {}: {words}\n", Value::Object(shape)));
    }
    if output {
        let returned = (entry.output)();
        text.push_str(&format!("It returns: {returned}\n"));
        if let Some(members) = value.as_object_mut() {
            members.insert("output".to_owned(), Value::clone(&returned));
        }
    }
    (text, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_says_what_its_command_does_to_the_world() {
        let hints = |name: &str| {
            let tool = all().into_iter().find(|tool| tool.name == name).expect("it is listed");
            let given = tool.annotations.expect("every tool has them");
            (given.read_only_hint, given.destructive_hint, given.open_world_hint)
        };
        assert_eq!(hints("state"), (Some(true), None, Some(true)));
        assert_eq!(hints("click"), (Some(false), Some(true), Some(true)));
        assert_eq!(hints("open"), (Some(false), Some(false), Some(true)));
        assert_eq!(hints("commands"), (Some(true), None, Some(false)));
        assert_eq!(hints("run"), (Some(false), Some(true), Some(true)));
    }

    #[test]
    fn every_core_tool_is_a_command_and_has_a_schema_that_clients_take() {
        let tools = all();
        assert_eq!(tools.len(), CORE.len() + 3);
        for tool in tools {
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            for choice in ["oneOf", "anyOf", "allOf", "$ref", "$defs"] {
                assert!(!tool.input_schema.contains_key(choice), "{}: {choice} at the root", tool.name);
            }
        }
    }
}
