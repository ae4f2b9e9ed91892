//! What a tool returns: the text that the command line prints, the value that programs read, and pictures.

use super::hints;
use super::port::Calls;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use handeye_commands::{Response, Status};
use handeye_scene::Hint;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes of a picture that is sent along, at most: a model takes no larger one.
const PICTURE_MAX: u64 = 5 * 1024 * 1024;

/// What a command answered, as a tool's result.
///
/// A problem is an error. A receipt is not, whatever its verdict: the call did what it should, and the receipt says what came
/// of it, also where the action was refused.
pub(crate) fn of(command: &str, mut response: Response, calls: &dyn Calls) -> CallToolResult {
    let write = |hint: &Hint| hints::call(hint, calls);
    let hints = response.write_hints(write);
    let text = match &response.error {
        Some(problem) => format!("error[{}]: {}", problem.code.word(), problem.told()),
        None => response.text.take().unwrap_or_default(),
    };
    let mut content = vec![ContentBlock::text(text + &hints)];
    content.extend(picture(command, response.result.as_ref()).map(|(data, kind)| ContentBlock::image(data, kind)));
    let is_error = response.status == Status::Error;
    result(content, structured(response, write), is_error)
}

/// What the server itself answers.
pub(crate) fn own(text: String, value: Value) -> CallToolResult {
    result(vec![ContentBlock::text(text)], json!({"status": "ok", "result": value}), false)
}

fn result(content: Vec<ContentBlock>, structured: Value, is_error: bool) -> CallToolResult {
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(structured);
    result
}

/// The answer's value, without its text.
fn structured(response: Response, write: impl Fn(&Hint) -> String) -> Value {
    let mut members = Map::new();
    members.insert("status".to_owned(), json!(response.status));
    members.extend(response.result.map(|result| ("result".to_owned(), result)));
    members.extend(response.state.map(|state| ("state".to_owned(), state)));
    members.extend(response.error.map(|problem| {
        let mut error = json!({"code": problem.code, "message": problem.message});
        if !problem.hints.is_empty() {
            error["hints"] = problem.hints.iter().map(write).collect();
        }
        ("error".to_owned(), error)
    }));
    Value::Object(members)
}

/// As much of a name that nobody gave as is worth repeating.
pub(super) fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}

/// The picture that a command saved and named, and its kind.
fn picture(command: &str, result: Option<&Value>) -> Option<(String, &'static str)> {
    let members: &[&str] = match command {
        "screenshot" => &["path"],
        "state" => &["annotated_screenshot", "screenshot"],
        _ => return None,
    };
    let result = result?;
    let path = Path::new(members.iter().find_map(|member| result.get(*member)?.as_str())?);
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(PICTURE_MAX + 1).read_to_end(&mut bytes).ok()?;
    let kind = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return None,
    };
    (bytes.len() as u64 <= PICTURE_MAX).then(|| (STANDARD.encode(&bytes), kind))
}
