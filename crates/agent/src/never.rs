//! What was never done: held to every step that was done, or may have been. What a receipt doesn't tell counts as done.

use crate::result::is_cut;
use handeye_engine::matching::{contains, normalize};
use handeye_scene::task::{Step, StepKind};
use serde_json::Value;

/// Keys that only move the focus, or leave what is open.
const LEAVING: [&str; 3] = ["tab", "shift+tab", "escape"];
/// Keys that only move the caret in a field. Elsewhere they choose, or set a value.
const MOVING: [&str; 10] =
    ["arrowdown", "arrowleft", "arrowright", "arrowup", "down", "end", "home", "pagedown", "pageup", "up"];
/// Roles into which characters go as text, and choose nothing.
const FIELDS: [&str; 2] = ["textbox", "searchbox"];
/// Commands that press what they are done to.
const PRESSING: [&str; 6] = ["click", "dblclick", "check", "uncheck", "select", "keys"];
/// Commands that press nothing and put nothing in.
const GENTLE: [&str; 8] = ["scroll", "hover", "wait", "state", "find", "inspect", "windows", "back"];

/// Why it isn't so that nothing of this kind was done, nor anything to what says the text: the first step that speaks against it.
pub fn breach(text: &str, kind: Option<StepKind>, steps: &[Step]) -> Option<(u32, String)> {
    let against = |step: &Step| {
        if kind.is_some_and(|kind| is_of(step, kind)) {
            return Some("is of that kind".to_owned());
        }
        if normalize(text).is_empty() {
            return None;
        }
        if said(step).iter().any(|said| contains(said, text)) {
            return Some("was done to it, or with it".to_owned());
        }
        untold(step).map(|why| format!("may have done it: {why}"))
    };
    steps.iter().filter(|step| step.done).find_map(|step| Some((step.number, against(step)?)))
}

/// Whether a step is of a kind. What may be is.
fn is_of(step: &Step, kind: StepKind) -> bool {
    let command = step.command.as_str();
    match kind {
        StepKind::Type => matches!(command, "input" | "keys" | "dialog"),
        StepKind::Press if command == "input" => has_enter(step),
        StepKind::Press => !GENTLE.contains(&command) && !matches!(command, "open" | "tabs"),
        StepKind::Anything => !["wait", "state", "find", "inspect", "windows"].contains(&command),
    }
}

/// Whether a command presses nothing and puts nothing in.
pub fn is_gentle(command: &str) -> bool {
    GENTLE.contains(&command)
}

/// Everything that a step says of what was done to what: what its receipt names, and what it was given.
pub fn said(step: &Step) -> Vec<&str> {
    let mut all: Vec<&str> = step.target.iter().chain(&step.says).map(String::as_str).collect();
    gather(&step.arguments, &mut all);
    all
}

fn gather<'a>(value: &'a Value, all: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => all.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, all)),
        Value::Object(members) => members.values().for_each(|member| gather(member, all)),
        _ => {}
    }
}

/// Why nobody can say by the receipt what a step set off.
fn untold(step: &Step) -> Option<&'static str> {
    let is_told = step.says.iter().any(|said| !normalize(said).is_empty());
    if !GENTLE.contains(&step.command.as_str()) && step.says.iter().any(|said| is_cut(said)) {
        return Some("its receipt is cut off");
    }
    match step.command.as_str() {
        "drag" => Some("its receipt doesn't say what it was dropped on"),
        "dialog" if !is_told => Some("its receipt doesn't say what the dialog asked"),
        "input" if has_enter(step) => Some("Enter may set off what its receipt doesn't name"),
        "keys" if moves_alone(step) => None,
        "keys" => Some("keys may set off what its receipt doesn't name"),
        command if PRESSING.contains(&command) && !is_told => Some("its receipt names no text of the target"),
        _ => None,
    }
}

fn has_enter(step: &Step) -> bool {
    let puts_break = step.arguments.get("text").and_then(Value::as_str).is_some_and(|text| text.contains('\n'));
    puts_break || step.arguments.get("enter") == Some(&Value::Bool(true))
}

/// Whether keys only moved something, or went into a field as characters.
fn moves_alone(step: &Step) -> bool {
    let role = step.target.as_deref().and_then(|target| target.split(' ').next()).unwrap_or_default();
    let is_field = FIELDS.contains(&role);
    let keys = step.arguments.get("keys").and_then(Value::as_array);
    keys.is_some_and(|keys| {
        keys.iter().filter_map(Value::as_str).flat_map(str::split_whitespace).all(|key| {
            let is_character = key.chars().count() == 1 || key == "Backspace";
            let key = key.to_ascii_lowercase();
            let moves = MOVING.contains(&key.as_str());
            LEAVING.contains(&key.as_str()) || is_field && (moves || is_character)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::SAID;
    use handeye_engine::wording::shown;
    use serde_json::json;

    fn step(command: &str, target: Option<(&str, &str)>, arguments: Value) -> Step {
        Step {
            number: 1,
            command: command.into(),
            arguments,
            target: target.map(|(role, text)| format!("{role} \"{text}\"")),
            says: target.into_iter().map(|(_, text)| text.to_owned()).collect(),
            verdict: "confirmed".into(),
            done: true,
            page: String::new(),
        }
    }

    #[test]
    fn what_is_proven_never_done_is_held_to_all_that_was_done() {
        let button = |text| step("click", Some(("button", text)), json!({"ref": 3}));
        let keys = |keys: &str, role| step("keys", Some((role, "Name")), json!({"keys": [keys]}));
        let is_never = |text, step: &Step| breach(text, None, std::slice::from_ref(step)).is_none();
        for (text, step, wanted) in [
            ("Pay", button("Add pear"), true),
            ("Pay", button("Pay now"), false),
            ("Pay", button("Payments"), true),
            // An icon: nobody knows what it says.
            ("Pay", button(" "), false),
            ("Pay", step("click", None, json!({"ref": 3})), false),
            // By what is beside its name.
            ("Pay", Step { says: vec!["x".into(), "Pay".into()], ..button("x") }, false),
            ("Pay", step("select", Some(("combobox", "Then")), json!({"options": ["Pay at once"]})), false),
            ("Pay", step("input", Some(("textbox", "Name")), json!({"text": "Ann"})), true),
            ("Pay", step("input", Some(("textbox", "Name")), json!({"text": "Ann", "enter": true})), false),
            ("Pay", step("input", Some(("textbox", "Name")), json!({"text": "Ann\n"})), false),
            ("Pay", keys("Enter", "textbox"), false),
            ("Pay", keys("shift+Tab", "button"), true),
            ("Pay", keys("a b Backspace", "textbox"), true),
            ("Pay", keys("a", "button"), false),
            ("Pay", keys("ctrl+Enter", "textbox"), false),
            ("Pay", keys("ArrowDown Home PageUp", "textbox"), true),
            ("Pay", keys("End", "searchbox"), true),
            ("Pay", keys("Escape", "dialog"), true),
            // There they choose, or set a value.
            ("Pay", keys("ArrowDown", "radio"), false),
            ("Pay", keys("Home", "listbox"), false),
            ("Pay", keys("p", "listbox"), false),
            ("Pay", keys("ArrowDown", "combobox"), false),
            ("Pay", keys("p", "combobox"), false),
            ("Pay", keys("ArrowRight", "tab"), false),
            ("Pay", keys("PageUp", "slider"), false),
            ("Pay", keys("ArrowUp", "spinbutton"), false),
            ("Pay", keys("5", "spinbutton"), false),
            ("Pay", keys("ArrowDown", "menuitem"), false),
            ("Pay", step("keys", None, json!({"keys": ["ArrowDown"]})), false),
            ("Pay", Step { says: vec![shown::cut(&"a".repeat(2_000), SAID)], ..button("x") }, false),
            ("Pay", Step { says: vec![shown::cut(&"a".repeat(1_000), SAID)], ..button("x") }, true),
            ("Delete", keys("Delete", "textbox"), false),
            ("Pay", step("keys", None, json!({"keys": ["Enter"]})), false),
            ("Delete", step("drag", Some(("row", "Mail")), json!({"to": 9})), false),
            ("Pay", step("dialog", None, json!({"action": "accept"})), false),
            ("Pay", Step { says: vec!["Pay 5?".into()], ..step("dialog", None, Value::Null) }, false),
            ("Pay", step("scroll", None, json!({"direction": "down"})), true),
            ("Pay", step("open", None, json!({"url": "http://a/pay"})), false),
            ("Pay", Step { done: false, ..button("Pay") }, true),
        ] {
            assert_eq!(is_never(text, &step), wanted, "{text} {step:?}");
        }
    }

    #[test]
    fn a_kind_of_step_is_held_to_whatever_may_be_of_it() {
        use StepKind::{Anything, Press, Type};
        for (command, arguments, wanted) in [
            ("click", json!({}), [true, false, true]),
            ("check", json!({}), [true, false, true]),
            ("drag", json!({}), [true, false, true]),
            ("keys", json!({"keys": ["a"]}), [true, true, true]),
            ("dialog", json!({}), [true, true, true]),
            ("input", json!({"text": "a"}), [false, true, true]),
            ("input", json!({"text": "a", "enter": true}), [true, true, true]),
            ("open", json!({"url": "http://a"}), [false, false, true]),
            ("scroll", json!({}), [false, false, true]),
            ("wait", json!({}), [false, false, false]),
        ] {
            let steps = [step(command, Some(("textbox", "Name")), arguments)];
            let got = [Press, Type, Anything].map(|kind| breach("", Some(kind), &steps).is_some());
            assert_eq!(got, wanted, "{command}");
        }
        // Both: neither of the kind, nor to what says so.
        let steps = [step("input", Some(("textbox", "Name")), json!({"text": "Ann"}))];
        assert!(breach("Name", Some(Press), &steps).is_some() && breach("Pay", Some(Type), &steps).is_some());
        assert!(breach("Pay", Some(Press), &steps).is_none());
    }
}
