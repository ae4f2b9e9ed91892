//! What to do with a call of the model: carry out a command, do something of the loop's own, or give it back.

use crate::index::Index;
use crate::own::{self, Own};
use crate::tools::{EXPECT, EXPECTED, HANDS, ON_DESKTOP, THINKING, WINDOW, acts};
use handeye_commands::Entry;
use handeye_commands::dispatch::find;
use handeye_engine::wording::shown;
use handeye_scene::chat::{Tool, ToolCall};
use serde_json::{Map, Value};

/// What a call comes to.
pub enum Decided {
    /// A command, with the arguments that are carried out.
    Command(Planned),
    /// Something of the loop's own.
    Own(Own),
    /// Nothing: why, for the model.
    Wrong(String),
}

/// A command to carry out.
pub struct Planned {
    /// The command.
    pub entry: &'static Entry,
    /// Its arguments.
    pub args: Map<String, Value>,
    /// Whether it acts.
    pub acts: bool,
    /// What the target is described as, where it shows no text: judged by its picture where a model can, else held to what the state
    /// shows for it.
    pub described: Option<String>,
    /// The window to look at from here on.
    pub window: Option<String>,
}

/// Where addresses that a model opens may lead by their scheme.
const SCHEMES: [&str; 2] = ["http://", "https://"];
/// Characters of what a model wrote that are worth repeating to it.
const WRITTEN: usize = 200;

/// Decides on a call. `tools`: what the model was given; `index`: what it was shown.
pub fn decide(call: &ToolCall, tools: &[Tool], index: &Index) -> Decided {
    match planned(call, tools, index) {
        Ok(decided) => decided,
        Err(why) => Decided::Wrong(why),
    }
}

fn planned(call: &ToolCall, tools: &[Tool], index: &Index) -> Result<Decided, String> {
    let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
        let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        return Err(format!("there is no tool {}; there are {}", quoted(&call.name), known.join(", ")));
    };
    let args = arguments(&call.arguments)?;
    let members = tool.parameters.get("properties").and_then(Value::as_object);
    let has = |name: &str| members.is_some_and(|members| members.contains_key(name));
    if let Some(stray) = args.keys().find(|name| !has(name)) {
        let known: Vec<&str> = members.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        return Err(format!("`{}` has no {}; it takes {}", tool.name, quoted(stray), known.join(", ")));
    }
    let required = tool.parameters.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing = required.filter_map(Value::as_str).find(|name| args.get(*name).is_none_or(Value::is_null));
    if let Some(missing) = missing {
        return Err(format!("`{}` needs `{missing}`: {}", tool.name, why_needed(missing)));
    }
    if let Some(own) = own::read(&tool.name, &args) {
        return own.map(Decided::Own).map_err(|why| format!("the arguments of `{}` are wrong: {why}", tool.name));
    }
    let entry = find(&tool.name).filter(|entry| HANDS.contains(&entry.name) || ON_DESKTOP.contains(&entry.name));
    let entry = entry.ok_or_else(|| format!("`{}` can't be called here", tool.name))?;
    command(entry, args, index).map(Decided::Command)
}

fn why_needed(member: &str) -> &'static str {
    match member {
        EXPECTED => "the text that the state shows for the target, copied; an icon is described in words",
        "ref" => "the number of the target, as the state shows it",
        _ => "it can't be left out",
    }
}

/// The arguments as an object.
fn arguments(written: &str) -> Result<Map<String, Value>, String> {
    if written.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(written) {
        Ok(Value::Object(args)) => Ok(args),
        Ok(_) => Err(format!("the arguments are no JSON object; you wrote {}", quoted(written))),
        Err(e) if e.is_eof() => Err(format!("the arguments are cut off; you wrote {}", quoted(written))),
        Err(e) => Err(format!("the arguments are no JSON ({e}); you wrote {}", quoted(written))),
    }
}

fn command(entry: &'static Entry, mut args: Map<String, Value>, index: &Index) -> Result<Planned, String> {
    let expected = match args.remove(EXPECTED) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => return Err(format!("`{EXPECTED}` is a text, not {other}")),
    };
    // For the trace alone.
    args.remove(THINKING);
    let window = match args.remove(WINDOW) {
        None | Some(Value::Null) => None,
        Some(Value::String(title)) => Some(title),
        Some(other) => return Err(format!("`{WINDOW}` is a part of a title, not {other}")),
    };
    let named = args.get("ref").or_else(|| args.get("target")).filter(|named| !named.is_null()).cloned();
    if let Some(named) = &named
        && !named.is_u64()
    {
        return Err(format!("a target is named by its number, not by {}", quoted(&named.to_string())));
    }
    let number = named.as_ref().and_then(Value::as_u64);
    let is_held = entry_holds(entry);
    let mut described = None;
    if let Some(number) = number.filter(|_| is_held) {
        let expected = expected.as_deref().unwrap_or_default().trim();
        if expected.is_empty() {
            return Err(format!("`{}` names [{number}] and needs `{EXPECTED}`: {}", entry.name, why_needed(EXPECTED)));
        }
        if index.is_textless(number) {
            let others = index.saying(expected, number);
            if !others.is_empty() {
                let others: Vec<String> = others.iter().map(|other| format!("[{other}]")).collect();
                let shown =
                    format!("[{number}] shows no text, and {} is what {} shows", quoted(expected), others.join(", "));
                return Err(format!("nothing was done: {shown}. Use that number, or describe the icon in other words"));
            }
            described = Some(expected.to_owned());
        } else {
            args.insert(EXPECT.to_owned(), expected.into());
        }
    } else if let Some(text) = expected.filter(|text| is_held && !text.trim().is_empty()) {
        args.insert(EXPECT.to_owned(), text.into());
    }
    // Wherever an address is taken: `tabs` opens pages, too, and what has no scheme may be a file of this machine.
    if let Some(url) = args.get("url").and_then(Value::as_str).map(|url| url.trim().to_ascii_lowercase())
        && !SCHEMES.iter().any(|scheme| url.starts_with(scheme))
    {
        return Err(format!("`{}` takes addresses that begin with http:// or https:// here", entry.name));
    }
    // What is wrong with the rest is told before anything is asked of the session.
    (entry.resolve_paths)(Value::Object(args.clone())).map_err(|problem| problem.message)?;
    let acts = acts(entry, &args);
    Ok(Planned { entry, args, acts, described, window })
}

/// Whether a command holds its target to a text.
fn entry_holds(entry: &Entry) -> bool {
    let declared = (entry.schema)().to_value();
    handeye_commands::core::schema::whole(&declared)
        .get("properties")
        .is_some_and(|members| members.get(EXPECT).is_some())
}

fn quoted(text: &str) -> String {
    shown::quote(text, WRITTEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;
    use serde_json::json;

    fn said(name: &str, arguments: &str) -> Result<Value, String> {
        let mut index = Index::default();
        index.note(
            &json!({"targets": [{"ref": 5, "name": "Next"}, {"ref": 6, "name": ""}, {"ref": 7, "name": "Delete"}]}),
        );
        let call = ToolCall { id: "c".into(), name: name.into(), arguments: arguments.into() };
        match decide(&call, &tools::all(None, tools::Offers { windows: true, pictures: true }), &index) {
            Decided::Command(planned) => Ok(json!([planned.entry.name, planned.args, planned.acts, planned.described])),
            Decided::Own(own) => Ok(json!(format!("{own:?}"))),
            Decided::Wrong(why) => Err(why),
        }
    }

    #[test]
    fn a_call_becomes_a_command_that_is_held_to_what_the_model_says() {
        let cases = [
            (
                "click",
                r#"{"ref": 5, "expected_text": "Next"}"#,
                json!(["click", {"ref": 5, "expect": "Next"}, true, null]),
            ),
            // An icon is held to what the state shows for it.
            ("click", r#"{"ref": 6, "expected_text": "a bin"}"#, json!(["click", {"ref": 6}, true, "a bin"])),
            // One that wasn't shown is compared all the same; the session says what it is.
            ("click", r#"{"ref": 99, "expected_text": "x"}"#, json!(["click", {"ref": 99, "expect": "x"}, true, null])),
            ("keys", r#"{"keys": ["Enter"]}"#, json!(["keys", {"keys": ["Enter"]}, true, null])),
            ("state", "", json!(["state", {}, false, null])),
            ("open", r#"{"url": "https://a.example"}"#, json!(["open", {"url": "https://a.example"}, false, null])),
            ("tabs", r#"{"action": "new"}"#, json!(["tabs", {"action": "new"}, false, null])),
            ("state", r#"{"window": "Editor"}"#, json!(["state", {}, false, null])),
            // What it thinks is for the trace.
            (
                "click",
                r#"{"ref": 5, "expected_text": "Next", "thinking": "mark 5 says Next"}"#,
                json!(["click", {"ref": 5, "expect": "Next"}, true, null]),
            ),
        ];
        for (name, arguments, wanted) in cases {
            assert_eq!(said(name, arguments), Ok(wanted), "{name} {arguments}");
        }
    }

    #[test]
    fn what_is_wrong_is_given_back_and_nothing_is_carried_out() {
        for (name, arguments, part) in [
            ("press_button", "{}", "there is no tool"),
            ("eval", r#"{"script": "1"}"#, "there is no tool"),
            ("click", "{\"ref\": 5, \"expected_te", "cut off"),
            ("click", "ref=5", "no JSON"),
            ("click", "[5]", "no JSON object"),
            ("click", r#"{"ref": 5}"#, "needs `expected_text`"),
            ("click", r#"{"ref": 5, "expected_text": "  "}"#, "needs `expected_text`"),
            ("click", r#"{"ref": 5, "expected_text": null}"#, "needs `expected_text`"),
            ("click", r#"{"ref": 5, "expected_text": 5}"#, "is a text"),
            ("click", r#"{"expected_text": "Next"}"#, "needs `ref`"),
            ("click", r#"{"ref": "5", "expected_text": "Next"}"#, "by its number"),
            ("click", r#"{"ref": -5, "expected_text": "Next"}"#, "by its number"),
            ("click", r#"{"ref": 5, "expected_text": "Next", "expect_any": true}"#, "has no \"expect_any\""),
            ("click", r#"{"locators": [{"css": "a"}], "expected_text": "Next", "ref": 5}"#, "has no \"locators\""),
            // The text of another target is no description of an icon.
            ("click", r#"{"ref": 6, "expected_text": "delete"}"#, "[7]"),
            ("keys", r#"{"keys": ["Enter"], "target": 5}"#, "needs `expected_text`"),
            ("keys", r#"{"keys": ["Enter"], "target": {"css": "a"}, "expected_text": "a"}"#, "by its number"),
            ("open", r#"{"url": "file:///etc/passwd"}"#, "http://"),
            ("open", r#"{"url": "desktop:"}"#, "http://"),
            ("open", r#"{"url": " File:///etc/passwd"}"#, "http://"),
            ("open", r#"{"url": "/etc/passwd"}"#, "http://"),
            ("open", r#"{"url": "Cargo.toml"}"#, "http://"),
            ("open", r#"{"url": "../notes.html"}"#, "http://"),
            ("open", r#"{"url": "javascript:alert(1)"}"#, "http://"),
            ("tabs", r#"{"action": "new", "url": "file:///etc/passwd"}"#, "http://"),
            ("tabs", r#"{"action": "new", "url": "data:text/html,x"}"#, "http://"),
            ("state", r#"{"annotated": "/tmp/x.png"}"#, "has no \"annotated\""),
            ("state", r#"{"window": 5}"#, "is a part of a title"),
            ("open", r#"{"url": "http://a", "cdp": "http://b"}"#, "has no \"cdp\""),
            ("state", r#"{"within": true}"#, "wrong"),
            ("plan", r#"{"constraints": "all"}"#, "wrong"),
        ] {
            let why = said(name, arguments).expect_err(arguments);
            assert!(why.contains(part), "{name} {arguments}: {why}");
        }
    }
}
