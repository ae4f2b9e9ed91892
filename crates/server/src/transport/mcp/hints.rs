//! Commands to run next, as calls of tools: `handeye state --within 3` is `state {"within":3}` to an agent.

use super::port::Calls;
use super::tools::{CORE, HELP, LIST, RUN};
use handeye_commands::core::schema;
use handeye_scene::Hint;
use serde_json::{Map, Value, json};

/// A command to run next as a call of a tool; what is none stays as it is.
pub(crate) fn call(hint: &Hint, calls: &dyn Calls) -> String {
    match hint.name() {
        Some(HELP) if hint.args().is_empty() => return format!("{LIST} {{}}"),
        Some(name) if hint.asks_for_help() => return format!("{HELP} {}", json!({ "command": name })),
        _ => {}
    }
    let Some((entry, args)) = hint.argv().and_then(|words| calls.read(&words)) else { return hint.to_string() };
    let args = schema::telling(&(entry.schema)(), args);
    if CORE.contains(&entry.name) {
        return format!("{} {}", entry.name, Value::Object(args));
    }
    let mut members = Map::from_iter([("command".to_owned(), json!(entry.name))]);
    if !args.is_empty() {
        members.insert("arguments".to_owned(), Value::Object(args));
    }
    format!("{RUN} {}", Value::Object(members))
}
