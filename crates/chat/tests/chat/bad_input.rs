//! Every field of a request in every wrong form: refused, named, and nothing done.

use super::client::send;
use super::conformance::scripted;
use super::server::{CHAT, Chat, Database, JSON, WAYS, request, settings};
use serde_json::{Value, json};

/// What may stand in a field's place.
const KINDS: [&str; 10] = ["missing", "null", "true", "number", "empty", "blank", "list", "object", "huge", "control"];

/// A value of a kind; none where the field is left out.
fn of(kind: &str) -> Option<Value> {
    Some(match kind {
        "missing" => return None,
        "null" => Value::Null,
        "true" => json!(true),
        "number" => json!(-1e300),
        "empty" => json!(""),
        "blank" => json!(" \n\t"),
        "list" => json!([]),
        "object" => json!({}),
        // More than any text may have, and less than a body.
        "huge" => json!("x".repeat(1_000_000)),
        _ => json!("a\u{0}b\u{1b}[2J\u{202e}"),
    })
}

/// The fields, and which kinds each takes.
const FIELDS: [(&str, &[&str]); 22] = [
    ("message", &["control"]),
    ("role", &["missing", "null"]),
    ("model", &["missing", "null"]),
    ("agent_id", &[]),
    ("session_id", &[]),
    ("user_id", &[]),
    ("tool_call_id", &["missing", "null"]),
    ("request_id", &["missing", "null"]),
    ("current_page_info", &["missing", "null", "object"]),
    ("current_page_info.url", &["missing", "null", "empty", "blank", "control"]),
    ("current_page_info.title", &["missing", "null", "empty", "blank", "control"]),
    ("current_page_info.selectedText", &["missing", "null", "empty", "blank", "control"]),
    ("current_page_info.document", &["missing", "null", "empty", "blank", "control"]),
    ("current_page_info.elements", &["missing", "null", "list"]),
    ("current_page_info.elements[1]", &[]),
    ("current_page_info.elements[1].id", &[]),
    ("current_page_info.elements[1].desc", &["empty", "blank", "control"]),
    ("current_page_info.elements[1].print", &["missing", "null", "empty", "blank", "control"]),
    ("browser_tools", &["missing", "null", "list"]),
    ("browser_tools[0].name", &[]),
    ("browser_tools[0].description", &["empty", "blank", "control"]),
    ("browser_tools[0].parameters", &["object"]),
];

/// Puts a value into a field, or takes the field away.
fn put(body: &mut Value, field: &str, value: Option<Value>) -> bool {
    let path = field.replace('[', ".").replace(']', "");
    let mut place = body;
    let parts: Vec<&str> = path.split('.').collect();
    let (last, before) = parts.split_last().unwrap();
    for part in before {
        place = match part.parse::<usize>() {
            Ok(at) => &mut place[at],
            Err(_) => &mut place[*part],
        };
    }
    match (last.parse::<usize>(), value) {
        // Of a list nothing can be missing.
        (Ok(_), None) => return false,
        (Ok(at), Some(value)) => place[at] = value,
        (Err(_), Some(value)) => place[*last] = value,
        (Err(_), None) => drop(place.as_object_mut().unwrap().remove(*last)),
    }
    true
}

#[test]
pub(super) fn each_field_in_each_wrong_form_is_refused_and_named() {
    let model = scripted([]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    let mut refused = 0;
    for (field, takes) in FIELDS {
        for kind in KINDS.into_iter().filter(|kind| !takes.contains(kind)) {
            let mut body = request("x");
            if !put(&mut body, field, of(kind)) {
                continue;
            }
            let answer = chat.chat(&body);
            let named = answer.json()["error"]["field"].as_str().unwrap_or_default().to_owned();
            // An element that is no element has no id.
            let wanted =
                if field.ends_with("elements[1]") && kind == "object" { format!("{field}.id") } else { field.into() };
            assert_eq!((answer.status, named), (422, wanted), "{field} {kind}: {:.300}", answer.body);
            refused += 1;
        }
    }
    assert!(refused > 140, "{refused}");
    assert_eq!(model.asked().len(), 0);
    let listed = send(chat.port, "GET /api/v1/conversations", &[("x-user-id", "user_xxx")], b"").unwrap();
    assert_eq!(listed.json()["conversations"], json!([]), "nothing of it is kept");
}

/// A conversation is named in addresses, where dots are none of its name.
#[test]
pub(super) fn a_session_that_no_address_can_name_is_refused() {
    let model = scripted([]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    for name in [".", ".."] {
        let mut body = request("x");
        body["session_id"] = json!(name);
        let answer = chat.chat(&body);
        assert_eq!((answer.status, &answer.json()["error"]["field"]), (422, &json!("session_id")), "{answer:?}");
    }
}

/// Bytes that are no text are refused in the form of every other error, whatever is asked of a conversation.
#[test]
fn an_address_that_is_no_text_is_refused_as_json() {
    let model = scripted([]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    for line in [
        "GET /api/v1/conversations/%ff",
        "DELETE /api/v1/conversations/%ff",
        "GET /api/v1/conversations/%ff/export",
        "POST /api/v1/conversations/%ff/cancel",
        "GET /api/v1/agui/%ff/events",
    ] {
        let answer = send(chat.port, line, &[("x-user-id", "user_xxx")], b"").unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (400, "bad_body"), "{line}");
    }
}

/// What a field takes, it takes.
#[test]
pub(super) fn what_a_field_takes_is_answered() {
    let model = handeye_testkit::models::ModelServer::new(|_: &handeye_testkit::models::Asked| {
        handeye_testkit::models::Answer::Say("好".into())
    });
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    for (field, takes) in FIELDS {
        for kind in takes {
            let mut body = request("x");
            put(&mut body, field, of(kind));
            let answer = send(chat.port, CHAT, &[JSON], body.to_string().as_bytes()).unwrap();
            assert_eq!(answer.status, 200, "{field} {kind}: {answer:?}");
            assert_eq!(answer.text(), "好", "{field} {kind}: {answer:?}");
        }
    }
}
