//! `extract`: data in a form, each value with where it was read.

use super::asking::{QuestionPorts, Seen, Told, ask, look, warnings};
use super::proof;
use crate::finish::{Validator, faults, validator};
use handeye_engine::matching::contains;
use handeye_engine::wording::shown::quote;
use handeye_scene::Problem;
use handeye_scene::chat::{Tool, ToolCall};
use handeye_scene::question::{Extract, Extracting, Unproven, ValueSource};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The tool's name.
const EXTRACT: &str = "extract";
/// Faults that are told of one answer.
const TOLD: usize = 30;

/// A call of the model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    data: Value,
    sources: Vec<ValueSource>,
}

/// Reads what is in sight in a form. Values that nothing shows are named as such.
pub fn extract(asked: &Extracting, ports: &QuestionPorts<'_>) -> Result<Extract, Problem> {
    let validator = validator(&asked.schema)?;
    let seen = look(ports)?;
    let mut question = "Extract data from what is shown.".to_owned();
    if let Some(want) = &asked.want {
        question.push_str(&format!(" What is wanted: {want}"));
    }
    let (found, model_calls) =
        ask(&ports.thinking, (&question, &seen), tool(&asked.schema), |call| read(call, &validator, &seen))?;
    let brain = ports.thinking.brain;
    let usage = brain.used().usage;
    Ok(Extract { warnings: warnings(&seen), model: brain.model(), model_calls, usage, ..found })
}

fn tool(schema: &Value) -> Tool {
    let sources = json!({
        "type": "array",
        "description": "For each value of the data (text, number, true or false) where it is shown",
        "items": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The value, as a JSON Pointer into data, such as /items/0/price"},
                "ref": {"type": ["integer", "null"], "description": "Number of the target that shows it; null where it stands in a text without a number"},
                "text": {"type": "string", "description": "What is shown there, copied; the value is in it"},
            },
            "required": ["path", "text"],
            "additionalProperties": false,
        },
    });
    let parameters = json!({
        "type": "object",
        "properties": {"data": inner(schema), "sources": sources},
        "required": ["data", "sources"],
        "additionalProperties": false,
        "$defs": schema.get("$defs").cloned().unwrap_or_else(|| json!({})),
    });
    Tool {
        name: EXTRACT.to_owned(),
        description: "Give the data, and where each value is shown".to_owned(),
        parameters,
    }
}

/// A schema as part of another: what it defines is moved up.
fn inner(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        for own in ["$schema", "$id", "$defs"] {
            members.remove(own);
        }
    }
    schema
}

/// Holds an answer to the schema, and each of its values to what is shown.
fn read(call: &ToolCall, validator: &Validator, seen: &Seen) -> Told<Extract> {
    let Call { data, sources } = match serde_json::from_str(&call.arguments) {
        Ok(call) => call,
        Err(e) => return Told::Back(format!("the arguments can't be read: {e}"), None),
    };
    let faults = faults(validator, &data);
    if !faults.is_empty() {
        return Told::Back(format!("the data isn't in the form that was asked for: {}", faults.join("; ")), None);
    }
    let (sources, unproven) = prove(&data, sources, seen);
    let told: Vec<String> =
        unproven.iter().take(TOLD).map(|fault| format!("{}: {}", fault.path, fault.reason)).collect();
    let found = Extract { data, sources, unproven, ..Extract::default() };
    if told.is_empty() { Told::Good(found) } else { Told::Back(told.join("\n"), Some(found)) }
}

/// The sources that hold, and the values that have none.
fn prove(data: &Value, sources: Vec<ValueSource>, seen: &Seen) -> (Vec<ValueSource>, Vec<Unproven>) {
    let mut by_path: BTreeMap<String, Vec<ValueSource>> = BTreeMap::new();
    for source in sources {
        by_path.entry(source.path.clone()).or_default().push(source);
    }
    let (mut good, mut unproven) = (Vec::new(), Vec::new());
    for (path, value) in proof::leaves(data) {
        let mut reason = "no source is given".to_owned();
        let mut proven = None;
        for source in by_path.remove(&path).unwrap_or_default() {
            match check(&source, value, seen) {
                Ok(()) => {
                    proven = Some(source);
                    break;
                }
                Err(why) => reason = why,
            }
        }
        match proven {
            Some(source) => good.push(source),
            None => unproven.push(Unproven { path, reason }),
        }
    }
    (good, unproven)
}

fn check(source: &ValueSource, value: &Value, seen: &Seen) -> Result<(), String> {
    let text = quote(&source.text, 120);
    if source.text.trim().is_empty() || !proof::shows(&source.text, value) {
        return Err(format!("{text} doesn't show {}", quote(&value.to_string(), 120)));
    }
    match source.r#ref {
        Some(number) => match seen.marks.get(&number) {
            None => Err(format!("there is no target [{number}]")),
            Some(mark) if mark.shows_surely(&source.text) => Ok(()),
            Some(mark) => Err(format!("[{number}] is {}, which doesn't show {text}", mark.words())),
        },
        None if contains(&seen.text, &source.text) => Ok(()),
        None => Err(format!("{text} is nowhere in what is shown")),
    }
}
