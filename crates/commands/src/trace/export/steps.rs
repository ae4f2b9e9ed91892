//! Calls of a trace as statements of a test.

use super::places::{locator, written};
use super::words::{finds, finds_address, held, key, literal, visible_text};
use crate::trace::line::Called;
use handeye_engine::recording::is_hidden;
use handeye_scene::model::chord::hold;
use handeye_scene::{Evidence, Modifiers, Receipt, Target};
use serde_json::{Value, json};

/// What a call is in a test.
pub(super) enum Step {
    /// Nothing: it only looked.
    Look,
    /// This, and what came of it is to be expected.
    Act(String, Option<(String, String)>),
    /// This alone.
    Say(Vec<String>),
    /// What a test can't say; why.
    Left(&'static str),
}

/// Commands that only look, or that a test needs nothing of.
pub(super) const LOOKS: [&str; 16] = [
    "state",
    "find",
    "locate",
    "inspect",
    "get",
    "screenshot",
    "pdf",
    "highlight",
    "console",
    "errors",
    "snapshot",
    "sessions",
    "windows",
    "close",
    "batch",
    "doctor",
];

/// Texts that the trace hides, by the names under which a test gets them.
#[derive(Default)]
pub(super) struct Hidden {
    /// Names of variables of the environment.
    pub(super) names: Vec<String>,
    unnamed: usize,
}

impl Hidden {
    /// A text, or what stands for it: the secret that the call named, or one without a name.
    fn text(&mut self, text: &str, secret: Option<&str>) -> String {
        if secret.is_none() && !is_hidden(text) {
            return literal(text);
        }
        let name = match secret {
            Some(name) => format!("HANDEYE_SECRET_{}", variable(name)),
            None => {
                self.unnamed += 1;
                format!("HANDEYE_TEXT_{}", self.unnamed)
            }
        };
        let out = format!("hidden({})", literal(&name));
        if !self.names.contains(&name) {
            self.names.push(name);
        }
        out
    }
}

fn variable(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// What an action's call is. `before`: the lines of the state in which its target was found.
pub(super) fn act(called: &Called, receipt: &Receipt, before: &[String], hidden: &mut Hidden) -> Step {
    let args = &called.args;
    let text = |name: &str| args.get(name).and_then(Value::as_str);
    let target = receipt.target.as_ref().and_then(|target| locator(target, before));
    let on = |deed: String| match &target {
        Some((found, tag)) => Step::Act(format!("{found}.{deed}"), Some((found.clone(), tag.clone()))),
        None => Step::Left("nothing tells its target to a test"),
    };
    let at = |deed: String| Step::Act(deed, None);
    let click = |deed: &str, more: &[&str]| match options(args, more) {
        Some(options) => on(format!("{deed}({options})")),
        None => Step::Left("a key that Playwright doesn't hold"),
    };
    match called.command.as_str() {
        // What was as asked isn't pressed, which would undo it.
        "expand" | "collapse" if is_already_so(receipt) => Step::Look,
        "click" | "expand" | "collapse" => click("click", &[]),
        "dblclick" => click("dblclick", &[]),
        "rightclick" => click("click", &["button: 'right'"]),
        "hover" => on("hover()".into()),
        "focus" => on("focus()".into()),
        "check" => on("check()".into()),
        "uncheck" => on("uncheck()".into()),
        "select" => match chosen(args.get("options")) {
            Some(options) => on(format!("selectOption({options})")),
            None => Step::Left("options that the trace doesn't tell"),
        },
        "input" => {
            let secret = text("secret");
            let value = hidden.text(text("text").unwrap_or_default(), secret);
            let deed = if text("method") == Some("keys") { "pressSequentially" } else { "fill" };
            match (on(format!("{deed}({value})")), args.get("enter") == Some(&Value::Bool(true))) {
                (Step::Act(deed, found), true) => {
                    let enter = found.as_ref().map(|(found, _)| format!("; await {found}.press('Enter')"));
                    Step::Act(format!("{deed}{}", enter.unwrap_or_default()), found)
                }
                (step, _) => step,
            }
        }
        "type" => {
            let value = hidden.text(text("text").unwrap_or_default(), None);
            let enter =
                if args.get("enter") == Some(&Value::Bool(true)) { "; await page.keyboard.press('Enter')" } else { "" };
            match args.get("target").is_some_and(|target| !target.is_null()) {
                true => on(format!("pressSequentially({value}){enter}")),
                false => at(format!("page.keyboard.type({value}){enter}")),
            }
        }
        "keys" => keys(args, target.as_ref()),
        "upload" => match args.get("files").map(Value::to_string).filter(|files| !is_hidden(files)) {
            Some(files) if args.get("click") != Some(&Value::Bool(true)) => on(format!("setInputFiles({files})")),
            _ => Step::Left("a file chooser"),
        },
        "click-at" => mouse(args, "click"),
        "dblclick-at" => mouse(args, "dblclick"),
        "scroll" => match &target {
            Some((found, _)) => at(format!("{found}.hover(); await {}", wheel(args))),
            None => at(wheel(args)),
        },
        _ => Step::Left("no statement of a test does the same"),
    }
}

fn is_already_so(receipt: &Receipt) -> bool {
    receipt.evidence.iter().any(|evidence| matches!(evidence, Evidence::Already { .. }))
}

/// The fields of a form, each as a statement with its target.
pub(super) fn fields(
    called: &Called,
    before: &[String],
    hidden: &mut Hidden,
) -> Vec<(String, Receipt, (String, String))> {
    let told = called.answer.as_ref().and_then(|answer| answer.pointer("/result/fields")).cloned().unwrap_or_default();
    let receipts: Vec<Receipt> = serde_json::from_value(told).unwrap_or_default();
    let asked = called.args.get("fields").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut out = Vec::new();
    for (receipt, asked) in receipts.into_iter().zip(asked) {
        let value = asked.get("value").cloned().unwrap_or_default();
        let Some(found) = receipt.target.as_ref().and_then(|target| locator(target, before)) else { continue };
        let deed = match receipt.action.as_str() {
            "checked" => "check()".to_owned(),
            "unchecked" => "uncheck()".to_owned(),
            "selected in" => match chosen(Some(&value)) {
                Some(options) => format!("selectOption({options})"),
                None => continue,
            },
            _ => format!("fill({})", hidden.text(value.as_str().unwrap_or_default(), None)),
        };
        out.push((format!("{}.{deed}", found.0), receipt, found));
    }
    out
}

/// Options of a click; none where one can't be said.
fn options(args: &Value, more: &[&str]) -> Option<String> {
    let mut modifiers = Modifiers::default();
    for name in args.get("modifiers").and_then(Value::as_array).into_iter().flatten() {
        if !hold(&mut modifiers, name.as_str()?) {
            return None;
        }
    }
    let held = held(modifiers);
    let mut all: Vec<String> = more.iter().map(|text| (*text).to_owned()).collect();
    if !held.is_empty() {
        all.push(format!("modifiers: ['{}']", held.join("', '")));
    }
    Some(if all.is_empty() { String::new() } else { format!("{{ {} }}", all.join(", ")) })
}

/// Options of a list, by label or value, or by place.
fn chosen(options: Option<&Value>) -> Option<String> {
    let all: Vec<&str> = match options? {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one],
        _ => return None,
    };
    let written = all.iter().map(|option| match option.strip_prefix('#').and_then(|n| n.parse::<usize>().ok()) {
        Some(place) => format!("{{ index: {place} }}"),
        None => literal(option),
    });
    let written: Vec<String> = written.collect();
    let is_told = !all.is_empty() && !all.iter().any(|option| is_hidden(option));
    is_told.then(|| match written.as_slice() {
        [one] => one.clone(),
        all => format!("[{}]", all.join(", ")),
    })
}

fn keys(args: &Value, target: Option<&(String, String)>) -> Step {
    let written: Vec<&str> = match args.get("keys") {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).flat_map(str::split_whitespace).collect(),
        _ => Vec::new(),
    };
    let named: Option<Vec<String>> = written.iter().map(|chord| key(chord).filter(|_| !is_hidden(chord))).collect();
    let Some(named) = named.filter(|named| !named.is_empty()) else {
        return Step::Left("keys that the trace hides, or Playwright lacks");
    };
    let is_aimed = args.get("target").is_some_and(|target| !target.is_null());
    let to = match (is_aimed, target) {
        (true, Some((found, _))) => found.clone(),
        (true, None) => return Step::Left("nothing tells its target to a test"),
        (false, _) => "page.keyboard".to_owned(),
    };
    let all: Vec<String> = named.iter().map(|key| format!("{to}.press({})", literal(key))).collect();
    Step::Act(all.join("; await "), target.cloned().filter(|_| is_aimed))
}

fn mouse(args: &Value, deed: &str) -> Step {
    let number = |name: &str| args.get(name).and_then(Value::as_f64);
    let held = args.get("modifiers").and_then(Value::as_array).is_some_and(|held| !held.is_empty());
    match (number("x"), number("y"), held) {
        (Some(x), Some(y), false) => Step::Act(format!("page.mouse.{deed}({x}, {y})"), None),
        _ => Step::Left("a place in a target, or keys held at a place"),
    }
}

fn wheel(args: &Value) -> String {
    let by = args.get("pixels").and_then(Value::as_f64).unwrap_or(600.0);
    let (x, y) = match args.get("direction").and_then(Value::as_str).unwrap_or("down") {
        "up" => (0.0, -by),
        "left" => (-by, 0.0),
        "right" => (by, 0.0),
        "top" => (0.0, -1e6),
        "bottom" => (0.0, 1e6),
        _ => (0.0, by),
    };
    format!("page.mouse.wheel({x}, {y})")
}

/// What was verified, as an expectation.
pub(super) fn verified(called: &Called, before: &[String]) -> Step {
    let args = &called.args;
    let expected = args.get("expected").cloned().unwrap_or_default();
    let text = expected.as_str().unwrap_or_default();
    let is = |name: &str| args.get(name) == Some(&Value::Bool(true));
    let not = if is("not") { ".not" } else { "" };
    let own = args.pointer("/locators/0").and_then(written);
    let told = called.answer.as_ref().and_then(|answer| answer.pointer("/result/target")).cloned();
    let target = told.and_then(|told| serde_json::from_value::<Target>(told).ok());
    let found = own.or_else(|| locator(target.as_ref()?, before).map(|(found, _)| found));
    let is_named = ["ref", "locators"].iter().any(|name| args.get(name).is_some_and(|value| !value.is_null()));
    let what = args.get("what").and_then(Value::as_str).unwrap_or_default();
    if is_hidden(&expected.to_string()) {
        return Step::Left("a text that the trace hides");
    }
    let words = |text: &str| if is("exact") { exactly(text) } else { finds(text, false) };
    let statement = match (what, found) {
        ("url", _) if is("exact") => format!("await expect(page){not}.toHaveURL({});", literal(text)),
        ("url", _) => format!("await expect(page){not}.toHaveURL({});", finds_address(text)),
        ("title", _) => format!("await expect(page){not}.toHaveTitle({});", words(text)),
        ("text", None) if !is_named => match not {
            "" => format!("await expect({}.first()).toBeVisible();", visible_text(&words(text))),
            _ => format!("await expect({}).toHaveCount(0);", visible_text(&words(text))),
        },
        ("text", Some(found)) => format!("await expect({found}){not}.toContainText({});", words(text)),
        ("value", Some(found)) => format!("await expect({found}){not}.toHaveValue({});", words(text)),
        ("visible", Some(found)) => format!("await expect({found}.first()){not}.toBeVisible();"),
        ("enabled", Some(found)) => format!("await expect({found}){not}.toBeEnabled();"),
        ("checked", Some(found)) => format!("await expect({found}){not}.toBeChecked();"),
        ("count", Some(found)) => return counted(&expected, &found, (is("visible"), not)),
        _ => return Step::Left("nothing tells its target to a test"),
    };
    Step::Say(vec![statement])
}

fn exactly(text: &str) -> String {
    finds(text, false).replacen("new RegExp('", "new RegExp('^\\\\s*", 1).replacen("', 'i')", "\\\\s*$', 'i')", 1)
}

fn counted(expected: &Value, found: &str, (visible, not): (bool, &str)) -> Step {
    let number = expected.as_u64().or_else(|| expected.as_str()?.trim().parse().ok());
    let shown = if visible { ".filter({ visible: true })" } else { "" };
    match number {
        Some(number) => Step::Say(vec![format!("await expect({found}{shown}){not}.toHaveCount({number});")]),
        None => Step::Left("a range of numbers"),
    }
}

/// What was waited for, as an expectation.
pub(super) fn waited(called: &Called) -> Step {
    let text = |name: &str| called.args.get(name).and_then(Value::as_str).filter(|text| !is_hidden(text));
    match (text("text"), text("url")) {
        (Some(text), _) => {
            Step::Say(vec![format!("await expect({}.first()).toBeVisible();", visible_text(&finds(text, false)))])
        }
        (_, Some(url)) => Step::Say(vec![format!("await expect(page).toHaveURL({});", finds_address(url))]),
        // Expectations wait by themselves.
        _ => Step::Look,
    }
}

/// An action that a dialog holds up until it is answered, as the calls behind it did.
pub(super) fn with_dialog(deed: &str, message: &str, answer: Option<&Called>) -> Vec<String> {
    let args = answer.map_or(json!({}), |called| called.args.clone());
    let text =
        args.get("text").and_then(Value::as_str).filter(|text| !is_hidden(text)).map(literal).unwrap_or_default();
    let answered = match args.get("action").and_then(Value::as_str) {
        Some("accept") => format!("accept({text})"),
        _ => "dismiss()".to_owned(),
    };
    let mut out = vec![
        "const opened = page.waitForEvent('dialog');".to_owned(),
        format!("const acted = (async () => {{ await {deed}; }})();"),
        "const dialog = await opened;".to_owned(),
    ];
    if !is_hidden(message) {
        out.push(format!("expect(dialog.message()).toBe({});", literal(message)));
    }
    out.extend([format!("await dialog.{answered};"), "await acted;".to_owned()]);
    out
}
