//! `POST /api/v1/snapshot`: the trees of a page that a session of this machine has open, whichever way its browser is reached.

use super::admit::{App, body};
use super::answer::json_of;
use super::conversations;
use super::sight::Wanted;
use crate::wire::fields::Fields;
use crate::wire::json::Json;
use crate::wire::{ChatError, ErrorCode};
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};
use std::sync::Arc;

/// Characters of a name.
const NAME: usize = 64;
/// Characters of a selector.
const SELECTOR: usize = 2_000;

fn read(body: &[u8]) -> Result<Wanted, ChatError> {
    let body = Json::parse(body)
        .map_err(|e| ChatError::new(ErrorCode::BadBody, format!("the body can't be read as JSON: {e}")))?;
    let fields = Fields::of_body(&body)?;
    let optional = |name, most| match fields.get(name) {
        None => Ok(None),
        Some(_) => fields.filled(name, most).map(|text| Some(text.to_owned())),
    };
    let tab = optional("tab", NAME)?;
    if let Some(tab) = tab.as_ref().filter(|tab| !is_tab(tab)) {
        return Err(ChatError::field("tab", format!("is `{}`, no number of a tab, such as t2", tab.escape_debug())));
    }
    Ok(Wanted {
        session: optional("session", NAME)?.unwrap_or_else(|| "default".to_owned()),
        tab,
        without_shadow: fields.flag("pierceShadow")? == Some(false),
        focus: optional("focusSelector", SELECTOR)?,
    })
}

fn is_tab(text: &str) -> bool {
    text.strip_prefix('t').is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

pub(super) async fn snapshot(State(app): State<Arc<App>>, request: Request<Body>) -> Result<Response, ChatError> {
    let user = conversations::user(&app, request.headers()).await?;
    let wanted = read(&body(request).await?)?;
    let missing = || {
        let what = format!("there is no session `{}` that is yours to look into", wanted.session.escape_debug());
        ChatError::new(ErrorCode::NotFound, what)
    };
    let taker = app.snapshots.as_ref().ok_or_else(missing)?;
    if !taker.may(&user.name, &wanted.session) {
        return Err(missing());
    }
    app.service.store().note(&user.name, "snapshot", &wanted.session).await?;
    let taken = taker.take(&wanted).await.map_err(|problem| refused(&problem))?;
    Ok(json_of(StatusCode::OK, &taken))
}

/// A session's problem as an error of the wire.
fn refused(problem: &Problem) -> ChatError {
    let what = problem.to_string();
    match problem.code {
        Code::BadRequest => ChatError::new(ErrorCode::BadField, what).at("focusSelector"),
        Code::NotFound => ChatError::new(ErrorCode::NotFound, what),
        Code::Denied => ChatError::new(ErrorCode::Forbidden, what),
        _ => ChatError::new(ErrorCode::SurfaceFailed, what),
    }
}

/// The schema of what is asked.
pub(super) fn request_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "session": {"type": "string", "default": "default"},
            "tab": {"type": "string"},
            "pierceShadow": {"type": "boolean", "default": true},
            "focusSelector": {"type": "string"}
        }
    })
}

/// The schema of what is answered: that of the command `snapshot`.
pub(super) fn answer_schema() -> Value {
    let text = json!({"type": "object", "additionalProperties": {"type": "string"}});
    json!({
        "type": "object",
        "required": ["url", "title", "timestamp", "documents", "outline", "xpath_map", "url_map"],
        "properties": {
            "url": {"type": "string"},
            "title": {"type": "string"},
            "timestamp": {"type": "string"},
            "documents": {"type": "array", "items": {"type": "object"}},
            "outline": {"type": "string"},
            "xpath_map": text,
            "url_map": text,
            "description_map": text,
            "ref_map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "notices": {"type": "array", "items": {"type": "object"}}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_read_member_by_member() {
        let read = |text: &str| read(text.as_bytes());
        assert_eq!(read("{}"), Ok(Wanted { session: "default".into(), ..Wanted::default() }));
        let whole = r#"{"session": "shop", "tab": "t2", "pierceShadow": false, "focusSelector": "main", "other": 1}"#;
        let expected =
            Wanted { session: "shop".into(), tab: Some("t2".into()), without_shadow: true, focus: Some("main".into()) };
        assert_eq!(read(whole), Ok(expected));
        for (text, code, field) in [
            ("", ErrorCode::BadBody, None),
            ("[]", ErrorCode::BadBody, None),
            (r#"{"session": 1}"#, ErrorCode::BadField, Some("session")),
            (r#"{"session": " "}"#, ErrorCode::BadField, Some("session")),
            (r#"{"session": "a\u0000"}"#, ErrorCode::BadField, Some("session")),
            (r#"{"tab": "two"}"#, ErrorCode::BadField, Some("tab")),
            (r#"{"tab": "t"}"#, ErrorCode::BadField, Some("tab")),
            (r#"{"tab": 2}"#, ErrorCode::BadField, Some("tab")),
            (r#"{"pierceShadow": "no"}"#, ErrorCode::BadField, Some("pierceShadow")),
            (r#"{"focusSelector": ""}"#, ErrorCode::BadField, Some("focusSelector")),
            (r#"{"focusSelector": {}}"#, ErrorCode::BadField, Some("focusSelector")),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!((error.code, error.field.as_deref()), (code, field), "{text}");
        }
        let long = format!(r#"{{"focusSelector": "{}"}}"#, "a".repeat(SELECTOR + 1));
        assert_eq!(read(&long).unwrap_err().field.as_deref(), Some("focusSelector"));
    }
}
