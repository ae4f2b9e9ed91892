//! Arguments over the wire that aren't what a command takes: which of them it is, and in words that a caller knows.

use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

/// How Rust calls numbers.
const NUMBERS: [&str; 12] = ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "f32", "f64"];

/// The arguments with a number in place of each text that is one where only a number is taken; none where there is no such.
pub(super) fn with_numbers(schema: &Value, args: &Value) -> Option<Value> {
    let mut mended = args.clone();
    let mut is_changed = false;
    for (name, value) in mended.as_object_mut()? {
        let Value::String(text) = &*value else { continue };
        let number = text.trim().parse::<Number>().ok().filter(|_| takes_only_numbers(schema, name));
        if let Some(number) = number {
            *value = Value::Number(number);
            is_changed = true;
        }
    }
    is_changed.then_some(mended)
}

/// Whether every schema of a member says that it is a number.
fn takes_only_numbers(schema: &Value, name: &str) -> bool {
    let mut found = Vec::new();
    members(schema, name, &mut found);
    let is_number = |schema: &&Value| match schema.get("type") {
        Some(Value::String(kind)) => is_numeric(kind),
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").peekable();
            kinds.peek().is_some() && kinds.all(is_numeric)
        }
        _ => false,
    };
    !found.is_empty() && found.iter().all(is_number)
}

fn is_numeric(kind: &str) -> bool {
    matches!(kind, "integer" | "number")
}

fn members<'a>(schema: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    found.extend(schema.get("properties").and_then(|members| members.get(name)));
    for key in ["oneOf", "anyOf", "allOf"] {
        for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            members(part, name, found);
        }
    }
}

/// What is wrong, with the name of the member that it is about: without that one, something else or nothing is.
pub(super) fn told<C: DeserializeOwned>(args: &Value, error: &str) -> String {
    let is_about = |name: &String| {
        let mut without = args.clone();
        without.as_object_mut().map(|members| members.remove(name));
        C::deserialize(&without).err().is_none_or(|other| other.to_string() != error)
    };
    let names = args.as_object().into_iter().flat_map(|members| members.keys());
    let about = names.filter(|name| !error.contains(&format!("`{name}`"))).find(|name| is_about(name));
    let plain = NUMBERS.iter().fold(error.to_owned(), |text, kind| {
        let end = format!("expected {kind}");
        text.strip_suffix(&end).map_or(text.clone(), |head| format!("{head}expected a number"))
    });
    about.map_or(plain.clone(), |name| format!("`{name}`: {plain}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Args {
        #[serde(rename = "ref")]
        number: Option<u32>,
        text: String,
    }

    #[test]
    fn a_member_is_named_and_a_type_is_a_word() {
        let said = |args: Value| told::<Args>(&args, &Args::deserialize(&args).expect_err("it is wrong").to_string());
        assert_eq!(said(json!({"text": "x", "ref": "8x"})), "`ref`: invalid type: string \"8x\", expected a number");
        assert_eq!(said(json!({"ref": 8, "text": 5})), "`text`: invalid type: integer `5`, expected a string");
        let used = Args::deserialize(&json!({"ref": 8, "text": "x"})).expect("it is right");
        assert_eq!((used.number, used.text.as_str()), (Some(8), "x"));
    }

    #[test]
    fn a_text_that_is_a_number_is_one_where_nothing_else_is_taken() {
        let schema = json!({
            "properties": { "ref": { "type": ["integer", "null"] }, "either": { "type": ["integer", "string"] } },
            "oneOf": [{ "properties": { "time": { "type": "number" } } }, { "properties": { "text": { "type": "string" } } }],
        });
        let args = json!({"ref": " 8", "either": "5", "time": "2.5", "text": "7"});
        assert_eq!(with_numbers(&schema, &args), Some(json!({"ref": 8, "either": "5", "time": 2.5, "text": "7"})));
        assert_eq!(with_numbers(&schema, &json!({"ref": "eight", "text": "7"})), None);
    }
}
