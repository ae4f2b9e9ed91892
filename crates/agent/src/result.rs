//! What a command's answer is to the model: what handeye says of it, and what was shown, as data.

use crate::fence;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_commands::{Response, Status};
use handeye_engine::matching::normalize;
use handeye_engine::perceive::{pixels, resample};
use handeye_engine::wording::shown;
use handeye_scene::task::Step;
use handeye_scene::{Code, Shot};
use serde_json::{Map, Value};

/// Characters of one answer that a model is shown.
const SHOWN: usize = 16_000;
/// Members of a target that say something.
const SAYING: [&str; 4] = ["name", "text", "value", "reads"];
/// Characters of what a target says that are kept.
pub const SAID: usize = 1_000;
/// What a receipt calls what was not done: the verb, where what was done is told as past.
const VERBS: [&str; 14] = [
    "click", "hover", "focus", "input", "type", "press", "select", "check", "uncheck", "expand", "collapse", "scroll",
    "drag", "upload",
];
/// Problems after which nobody knows whether something was done, whatever else is told.
const MAYBE_DONE: [Code; 4] = [Code::Timeout, Code::Lost, Code::Bug, Code::Unreachable];
/// The verdict of what was done and says of itself no more than that.
const OK: &str = "ok";
/// The verdict of a step that is carried out: nobody knows what comes of it, or came, where that was the end of the run.
pub const UNKNOWN: &str = "unknown";

/// How a call ended: a verdict, or a problem's code.
pub fn verdict(response: &Response) -> String {
    let told = response.result.as_ref().and_then(|result| result.get("verdict")?.as_str()).map(str::to_owned);
    match (&response.error, told, response.status) {
        (Some(problem), ..) => problem.code.word().to_owned(),
        (None, Some(verdict), _) => verdict,
        (None, None, Status::Ok) => OK.to_owned(),
        (None, None, _) => "not_confirmed".to_owned(),
    }
}

/// Whether anything may have been done, rather than refused.
fn was_done(response: &Response) -> bool {
    if let Some(problem) = &response.error {
        return problem.begun || MAYBE_DONE.contains(&problem.code);
    }
    let member = |name: &str| response.result.as_ref()?.get(name);
    let is_refused = member("action").and_then(Value::as_str).is_some_and(|action| VERBS.contains(&action));
    !is_refused || member("begun").is_some_and(|begun| begun == true)
}

/// What a receipt's target is called.
fn target(response: &Response) -> Option<String> {
    let target = response.result.as_ref()?.get("target")?;
    let text = |member: &str| target.get(member).and_then(Value::as_str).unwrap_or_default();
    let words = [text("name"), text("text")].into_iter().find(|words| !words.is_empty()).unwrap_or_default();
    Some(format!("{} {}", shown::word(text("role"), 30), shown::quote(words, 80)))
}

/// Whether what a target says is kept in part.
pub fn is_cut(said: &str) -> bool {
    said.chars().count() > SAID
}

/// What was chosen of a list, as the list shows it afterwards; none where the receipt doesn't tell.
fn chosen(result: &Value) -> Option<&str> {
    let number = result.get("target")?.get("ref")?;
    let changes = result.get("changes").and_then(Value::as_array).into_iter().flatten();
    let mut own = changes.filter(|change| change.get("ref") == Some(number));
    let changed = own.find(|change| change.get("property").is_some_and(|property| property == "value"));
    // Chosen already, it shows what it showed before.
    let shown = match changed {
        Some(change) => change.get("to"),
        None if result.get("verdict")? == "confirmed" => result.get("target")?.get("value"),
        None => None,
    };
    shown?.as_str().filter(|shown| !normalize(shown).is_empty())
}

/// Everything that a receipt says of its target, or an answer of the dialog that was answered; nothing where it doesn't show what was
/// chosen of a list: an index or a value says nothing of that.
fn says(command: &str, response: &Response) -> Vec<String> {
    let result = response.result.as_ref();
    let chosen = match command {
        "select" => match result.and_then(chosen) {
            Some(shown) => Some(shown),
            None => return Vec::new(),
        },
        _ => None,
    };
    let told = |part: &str, members: &'static [&str]| {
        let part = result.and_then(|result| result.get(part));
        members.iter().filter_map(move |member| part?.get(*member)?.as_str()).collect::<Vec<_>>()
    };
    let mut all: Vec<String> = Vec::new();
    for text in told("target", &SAYING).into_iter().chain(told("dialog", &["message"])).chain(chosen) {
        let text = shown::cut(text, SAID);
        if !text.trim().is_empty() && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// The step that a call was.
pub fn step(number: u32, command: &str, args: &Map<String, Value>, response: &Response, page: &str) -> Step {
    Step {
        number,
        command: command.to_owned(),
        arguments: Value::Object(args.clone()),
        target: target(response),
        says: says(command, response),
        verdict: verdict(response),
        done: was_done(response),
        page: page.to_owned(),
    }
}

/// The step that a call is while it is carried out: whatever becomes of this run, it may have been done.
pub fn pending(number: u32, command: &str, args: &Map<String, Value>, page: &str) -> Step {
    Step {
        number,
        command: command.to_owned(),
        arguments: Value::Object(args.clone()),
        target: None,
        says: Vec::new(),
        verdict: UNKNOWN.to_owned(),
        done: true,
        page: page.to_owned(),
    }
}

/// What was shown, as data from a page.
pub fn body(response: &Response, page: &str) -> String {
    let (said, hints) = match &response.error {
        Some(problem) => (format!("error[{}]: {}", problem.code.word(), problem.told()), &problem.hints),
        None => (response.text.clone().unwrap_or_default(), &response.hints),
    };
    let text = hints.iter().fold(said, |said, hint| format!("{said}\n  try: {hint}"));
    let text = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}\n… cut off here", &text[..end]),
        None => text,
    };
    fence::fenced(&fence::origin(page), &text)
}

/// Arguments of `state` that say what kind of look it is: with one of them, it isn't annotated.
pub const ANNOTATED: [&str; 4] = ["since", "page", "within", "all"];

/// Arguments of `state` that bring a picture with marks.
pub fn annotating() -> Map<String, Value> {
    Map::from_iter([("annotated".to_owned(), Value::from("")), ("base64".to_owned(), Value::from(true))])
}

/// Takes the picture out of an answer, no longer on any side than a model sees.
pub fn picture(response: &mut Response, longest: u32) -> Option<Vec<u8>> {
    let annotation = response.result.as_mut()?.get_mut("annotation")?.as_object_mut()?;
    let Some(Value::String(data)) = annotation.remove("base64") else { return None };
    let bytes = STANDARD.decode(data).ok()?;
    let (scale, area) = (annotation.get("scale")?.as_f64()?, annotation.get("area")?.clone());
    let shot = Shot { bytes, scale, area: serde_json::from_value(area).ok()? };
    let picture = pixels::decode(&shot).ok()?;
    match picture.width().max(picture.height()) > longest {
        true => pixels::encode(&resample::fitted(&picture, longest)).ok(),
        false => Some(shot.bytes),
    }
}

/// Why nobody could say whether a target without text is what it is described as, where that is why nothing was done.
pub fn unsettled(response: &Response) -> Option<String> {
    let described = response.result.as_ref().filter(|_| !was_done(response))?.get("described")?;
    let is_open = described.get("by").is_some_and(|by| by == "nothing");
    is_open.then(|| described.get("why").and_then(Value::as_str).unwrap_or("nobody can say").to_owned())
}

/// How the addresses of windows begin here.
pub const DESKTOP: &str = "desktop:";

/// The address of the page that an answer tells of. A window has a handle in its place, which is no address of any page.
pub fn page(response: &Response) -> Option<String> {
    let url = |value: &Option<Value>| value.as_ref()?.get("url")?.as_str().map(str::to_owned);
    let url = url(&response.state).or_else(|| url(&response.result))?;
    let is_handle = !url.is_empty() && !url.contains(':');
    Some(if is_handle { format!("{DESKTOP}{url}") } else { url })
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Problem;
    use serde_json::json;

    fn receipt(action: &str, verdict: &str) -> Response {
        let target = json!({"ref": 5, "role": "button", "name": "Pay"});
        let result = json!({"action": action, "verdict": verdict, "target": target});
        let status = if verdict == "confirmed" { Status::Ok } else { Status::NotConfirmed };
        Response {
            status,
            result: Some(result),
            text: Some("t".into()),
            state: Some(json!({"url": "http://a/"})),
            hints: Vec::new(),
            error: None,
        }
    }

    fn begun(mut response: Response) -> Response {
        if let Some(Value::Object(members)) = &mut response.result {
            members.insert("begun".into(), true.into());
        }
        response
    }

    #[test]
    fn a_refusal_is_told_from_what_was_done() {
        for (response, verdict, done) in [
            (receipt("clicked", "confirmed"), "confirmed", true),
            (receipt("clicked", "no_effect"), "no_effect", true),
            (receipt("clicked", "unverifiable"), "unverifiable", true),
            (receipt("click", "contradicted"), "contradicted", false),
            (receipt("click", "unverifiable"), "unverifiable", false),
            (Problem::new(Code::Stale, "gone").into(), "stale", false),
            (Problem::new(Code::Timeout, "late").into(), "timeout", true),
            (Problem::new(Code::Bug, "broke off").into(), "bug", true),
            (Problem::new(Code::Denied, "the policy").into(), "denied", false),
            // Stopped by a person, or by a rule, after something of it had reached the page.
            (Problem { begun: true, ..Problem::new(Code::Denied, "stopped") }.into(), "denied", true),
            (Problem { begun: true, ..Problem::new(Code::Stale, "gone") }.into(), "stale", true),
            (begun(receipt("type", "contradicted")), "contradicted", true),
            (begun(receipt("click", "contradicted")), "contradicted", true),
        ] {
            let step = step(1, "click", &Map::new(), &response, "http://a/");
            assert_eq!((step.verdict.as_str(), step.done), (verdict, done), "{response:?}");
        }
        let step = step(1, "click", &Map::new(), &receipt("clicked", "confirmed"), "");
        assert_eq!(step.target.as_deref(), Some("button \"Pay\""));
    }

    #[test]
    fn what_was_chosen_of_a_list_is_told_only_as_it_is_shown() {
        let target = json!({"ref": 5, "role": "combobox", "name": "Size", "value": "Small"});
        let change = |number: u32, property: &str, to: &str| json!({"change": "changed", "ref": number, "property": property, "from": "Small", "to": to});
        for (changes, verdict, wanted) in [
            (json!([change(5, "value", "Large")]), "confirmed", vec!["Size", "Small", "Large"]),
            (json!([]), "confirmed", vec!["Size", "Small"]),
            (json!([]), "contradicted", vec![]),
            (json!([change(5, "value", "")]), "confirmed", vec![]),
            (json!([change(6, "value", "Large")]), "unverifiable", vec![]),
            (json!([change(5, "states", "focused")]), "unverifiable", vec![]),
        ] {
            let mut response = receipt("selected in", verdict);
            let result = json!({"action": "selected in", "verdict": verdict, "target": target, "changes": changes});
            response.result = Some(result);
            let step = step(1, "select", &Map::new(), &response, "");
            assert_eq!(step.says, wanted, "{changes}");
        }
    }

    #[test]
    fn what_was_shown_is_data_and_bounded() {
        let mut response = receipt("clicked", "confirmed");
        response.text = Some("a\n".repeat(100_000));
        let body = body(&response, "http://a/x");
        assert!(
            body.starts_with("=====data ")
                && body.lines().next().is_some_and(|line| line.ends_with(" from http://a====="))
        );
        assert!(body.len() < 17_000 && body.contains("cut off here"));
        assert_eq!(page(&response).as_deref(), Some("http://a/"));
        for (url, wanted) in
            [("0x1400003", "desktop:0x1400003"), ("desktop:", "desktop:"), ("about:blank", "about:blank"), ("", "")]
        {
            response.state = Some(json!({ "url": url }));
            assert_eq!(page(&response).as_deref(), Some(wanted));
        }
    }
}
