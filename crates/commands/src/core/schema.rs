//! Schemas for a model's eyes: what a command takes, in few characters. One rule for every command.
//!
//! References are put in place; what is optional is told by `required` alone; annotations that restrict nothing and defaults
//! that say "nothing" are left out, and so are members that are seldom used (they are still taken, and `help` shows them) and
//! texts that an earlier tool gave for a member of that name. A choice between objects becomes one object, because clients
//! take no schema with a choice at its root.

use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Members that are left out of every core tool: how a browser is launched, other ways to name a target, fine control.
const SELDOM: &[&str] = &[
    "allow",
    "allow_origin",
    "automation_id",
    "ax",
    "base64",
    "browser",
    "browser_arg",
    "button",
    "cdp",
    "class",
    "context",
    "deny_origin",
    "duration",
    "expect_any",
    "fn",
    "format",
    "headed",
    "ignore_tls_errors",
    "in",
    "locators",
    "max_marks",
    "method",
    "modifiers",
    "near",
    "placeholder",
    "profile",
    "proxy",
    "public_only",
    "quality",
    "response",
    "screenshot",
    "secrets",
    "since",
    "testid",
    "tree",
    "unverifiable",
    "verbose",
    "via",
    "wait_after",
];

/// Deepest nesting of a schema that is followed; ours end long before.
const DEEPEST: usize = 16;

/// A schema cut down, with every member.
pub fn whole(schema: &Value) -> Map<String, Value> {
    let mut object = merged(plain(schema, schema, 0));
    object.remove("description");
    object.insert("type".to_owned(), json!("object"));
    object
}

/// The same for a core tool. `told`: the texts of members that were given already.
pub fn brief(schema: &Value, told: &mut HashSet<String>) -> Map<String, Value> {
    let mut object = whole(schema);
    let members = object.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(members) = members {
        members.retain(|name, _| !SELDOM.contains(&name.as_str()));
        members.values_mut().filter_map(Value::as_object_mut).for_each(by_number);
        for (name, member) in members.iter_mut().filter_map(|(name, member)| Some((name, member.as_object_mut()?))) {
            let text = member.get("description").and_then(Value::as_str).unwrap_or_default();
            if !told.insert(format!("{name}: {text}")) {
                member.remove("description");
            }
        }
    }
    object
}

/// A target that may be named by its number or by a locator, named by its number: what an agent was shown has one.
fn by_number(member: &mut Map<String, Value>) {
    let Some(Value::Array(ways)) = member.get_mut("anyOf") else { return };
    ways.iter_mut().filter_map(Value::as_object_mut).for_each(by_number);
    let is_number = |way: &&Value| way.get("type").is_some_and(|name| name == "integer" || name == "number");
    let is_locator = |way: &Value| way.pointer("/properties/xpath").is_some();
    let Some(number) = ways.iter().find(is_number).filter(|_| ways.iter().any(is_locator)).cloned() else { return };
    member.remove("anyOf");
    for (keyword, value) in number.as_object().into_iter().flatten() {
        member.entry(keyword.clone()).or_insert_with(|| value.clone());
    }
}

/// A schema without references, empty annotations and `null`.
fn plain(schema: &Value, root: &Value, depth: usize) -> Map<String, Value> {
    let Some(object) = schema.as_object().filter(|_| depth < DEEPEST) else { return Map::new() };
    let mut object = object.clone();
    if let Some(Value::String(name)) = object.remove("$ref") {
        let referred = name.strip_prefix('#').and_then(|pointer| root.pointer(pointer)).unwrap_or(&Value::Null);
        let mut referred = referred.as_object().cloned().unwrap_or_default();
        referred.remove("description");
        for (keyword, value) in referred {
            object.entry(keyword).or_insert(value);
        }
        // What is referred to may be a reference itself.
        if object.contains_key("$ref") {
            return plain(&Value::Object(object), root, depth + 1);
        }
    }
    for keyword in ["$schema", "$defs", "title", "format", "additionalProperties"] {
        object.remove(keyword);
    }
    object.retain(|keyword, value| match keyword.as_str() {
        "default" => !says_nothing(value),
        "minimum" => value.as_f64() != Some(0.0),
        _ => true,
    });
    if let Some(Value::Array(types)) = object.get("type") {
        let left: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
        let left = if let [one] = left.as_slice() { one.clone() } else { Value::Array(left) };
        object.insert("type".to_owned(), left);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(ways)) = object.remove(keyword) {
            choice(&mut object, keyword, &ways, root, depth);
        }
    }
    if let Some(items) = object.get("items").cloned() {
        object.insert("items".to_owned(), Value::Object(plain(&items, root, depth + 1)));
    }
    if let Some(Value::Object(members)) = object.get_mut("properties") {
        for member in members.values_mut() {
            *member = Value::Object(plain(member, root, depth + 1));
        }
    }
    object
}

/// Puts a choice into `object`: an enumeration where all are words, the one way where there is but one.
fn choice(object: &mut Map<String, Value>, keyword: &str, ways: &[Value], root: &Value, depth: usize) {
    let ways = ways.iter().filter(|way| way.get("type").is_none_or(|name| name != "null"));
    let ways: Vec<Map<String, Value>> = ways.map(|way| plain(way, root, depth + 1)).collect();
    if let Some(words) = ways.iter().map(|way| way.get("const").cloned()).collect::<Option<Vec<Value>>>() {
        object.insert("enum".to_owned(), Value::Array(words));
    } else if let [way] = ways.as_slice() {
        for (keyword, value) in way {
            object.entry(keyword.clone()).or_insert_with(|| value.clone());
        }
    } else {
        let ways = ways.into_iter().map(|mut way| {
            // The text of the whole says what each way is.
            if object.contains_key("description") {
                way.remove("description");
            }
            Value::Object(way)
        });
        object.insert(keyword.to_owned(), ways.collect());
    }
}

/// A choice between objects as one object: the members of all, of which those that all need are required.
fn merged(mut object: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(ways)) = object.remove("oneOf").or_else(|| object.remove("anyOf")) else { return object };
    let mut members = object.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut required: Option<Vec<Value>> = None;
    for way in ways.into_iter().filter_map(|way| if let Value::Object(way) = way { Some(merged(way)) } else { None }) {
        for (name, member) in way.get("properties").and_then(Value::as_object).into_iter().flatten() {
            join(members.entry(name.clone()).or_insert_with(|| member.clone()), member);
        }
        let needs = way.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        required = Some(match required {
            None => needs,
            Some(before) => before.into_iter().filter(|name| needs.contains(name)).collect(),
        });
    }
    let own = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let required: Vec<Value> = own.into_iter().chain(required.unwrap_or_default()).collect();
    object.insert("properties".to_owned(), Value::Object(members));
    if required.is_empty() {
        object.remove("required");
    } else {
        object.insert("required".to_owned(), Value::Array(required));
    }
    object
}

/// Widens a member by another of its name: words are gathered into one enumeration.
fn join(member: &mut Value, other: &Value) {
    let (Some(held), Some(word)) = (member.as_object_mut(), other.get("const")) else { return };
    let mut words = match held.remove("enum") {
        Some(Value::Array(words)) => words,
        _ => held.remove("const").into_iter().collect(),
    };
    if !words.contains(word) {
        words.push(word.clone());
    }
    held.insert("enum".to_owned(), Value::Array(words));
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// The arguments that say something: those that differ from what holds without them.
pub fn telling(schema: &Value, args: Map<String, Value>) -> Map<String, Value> {
    let default = |name: &str| schema.get("properties")?.get(name)?.get("default").cloned();
    args.into_iter().filter(|(name, value)| !says_nothing(value) && default(name).as_ref() != Some(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_cut_down_to_what_restricts() {
        let schema = json!({
            "$schema": "x", "title": "T", "description": "About", "type": "object", "additionalProperties": false,
            "$defs": {"Way": {"description": "inner", "oneOf": [{"const": "a", "type": "string"}, {"const": "b", "type": "string"}]}},
            "properties": {
                "n": {"type": ["integer", "null"], "default": null, "format": "uint32", "minimum": 0, "description": "Number"},
                "way": {"anyOf": [{"$ref": "#/$defs/Way"}, {"type": "null"}], "default": null, "description": "Which"},
                "via": {"type": "string"},
            },
        });
        let wanted = json!({"type": "object", "properties": {
            "n": {"type": "integer", "description": "Number"},
            "way": {"enum": ["a", "b"], "description": "Which"},
        }});
        assert_eq!(Value::Object(brief(&schema, &mut HashSet::new())), wanted);
        let mut told = HashSet::from(["n: Number".to_owned()]);
        assert_eq!(brief(&schema, &mut told)["properties"]["n"], json!({"type": "integer"}));
    }

    #[test]
    fn a_choice_of_objects_becomes_one() {
        let way = |word: &str, needs: Value| json!({"type": "object", "properties": {"action": {"const": word}, "id": {"type": "string"}}, "required": needs});
        let schema = json!({"oneOf": [way("list", json!(["action"])), way("close", json!(["action", "id"]))]});
        let wanted = json!({"type": "object", "required": ["action"],
            "properties": {"action": {"enum": ["list", "close"]}, "id": {"type": "string"}}});
        assert_eq!(Value::Object(whole(&schema)), wanted);
    }
}
