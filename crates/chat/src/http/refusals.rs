//! `POST /api/v1/refusals`: what a client refused by itself, for the audit log: messages to the extension of web pages and of other
//! extensions. Of an attacker only the sender's origin is kept, and how often it tried; so much as one user may tell.

use super::admit::{App, body};
use super::answer::json_of;
use super::conversations;
use crate::wire::fields::Fields;
use crate::wire::json::Json;
use crate::wire::{ChatError, ErrorCode};
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// Reports of a user in a minute.
pub(super) const REPORTS: u32 = 12;
/// Senders of one report.
const SENDERS: usize = 10;
/// Characters of an origin.
const ORIGIN: usize = 100;
/// How often one sender is said to have tried, at most.
const TIMES: u64 = 1_000_000;

/// A sender, and how often it tried.
#[derive(Debug, PartialEq, Eq)]
struct Refused {
    from: String,
    times: u64,
}

fn read(body: &[u8]) -> Result<Vec<Refused>, ChatError> {
    let body = Json::parse(body)
        .map_err(|e| ChatError::new(ErrorCode::BadBody, format!("the body can't be read as JSON: {e}")))?;
    let fields = Fields::of_body(&body)?;
    let all = fields.list("refused", SENDERS)?;
    if all.is_empty() {
        return Err(ChatError::field("refused", "is missing or empty"));
    }
    let one = |(at, item): (usize, &Json)| {
        let place = format!("refused[{at}]");
        let item = Fields::of(item, &place)?;
        let from = item.filled("from", ORIGIN)?;
        if from.contains(char::is_whitespace) {
            return Err(ChatError::field(item.path("from"), "is no origin: it has white space"));
        }
        let times = item.get("times").and_then(|times| times.to_value().as_u64());
        let times = times.filter(|times| (1..=TIMES).contains(times)).ok_or_else(|| {
            ChatError::field(item.path("times"), format!("is missing, or no whole number from 1 to {TIMES}"))
        })?;
        Ok(Refused { from: from.to_owned(), times })
    };
    all.iter().enumerate().map(one).collect()
}

pub(super) async fn refusals(State(app): State<Arc<App>>, request: Request<Body>) -> Result<Response, ChatError> {
    let user = conversations::user(&app, request.headers()).await?;
    app.refusals.take(&user.id, Instant::now()).map_err(|seconds| {
        ChatError::new(ErrorCode::RateLimited, format!("more than {REPORTS} reports in a minute")).again_after(seconds)
    })?;
    let all = read(&body(request).await?)?;
    let told: Vec<String> =
        all.iter().map(|Refused { from, times }| format!("{times} from {}", from.escape_debug())).collect();
    app.service.store().note(&user.name, "refused_message", &told.join(", ")).await?;
    Ok(json_of(StatusCode::OK, &json!({"noted": all.len()})))
}

/// The schema of what is told.
pub(super) fn request_schema() -> Value {
    json!({
        "type": "object",
        "required": ["refused"],
        "properties": {"refused": {"type": "array", "maxItems": SENDERS, "items": {
            "type": "object",
            "required": ["from", "times"],
            "properties": {"from": {"type": "string"}, "times": {"type": "integer"}}
        }}}
    })
}

/// The schema of the answer.
pub(super) fn answer_schema() -> Value {
    json!({"type": "object", "required": ["noted"], "properties": {"noted": {"type": "integer"}}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_that_is_wrong_is_named() {
        let one =
            |from: Value, times: Value| json!({"refused": [{"from": "a", "times": 1}, {"from": from, "times": times}]});
        let read = |body: &Value| read(body.to_string().as_bytes());
        let whole = read(&one(json!("https://a.example"), json!(TIMES))).expect("it is whole");
        assert_eq!(whole[1], Refused { from: "https://a.example".into(), times: TIMES });
        for (body, field) in [
            (json!({}), "refused"),
            (json!({"refused": []}), "refused"),
            (json!({"refused": {}}), "refused"),
            (json!({"refused": vec![json!({"from": "a", "times": 1}); SENDERS + 1]}), "refused"),
            (json!({"refused": ["a"]}), "refused[0]"),
            (one(json!(""), json!(1)), "refused[1].from"),
            (one(json!(5), json!(1)), "refused[1].from"),
            (one(json!("a, 1 from b"), json!(1)), "refused[1].from"),
            (one(json!("a\nb"), json!(1)), "refused[1].from"),
            (one(json!("a".repeat(ORIGIN + 1)), json!(1)), "refused[1].from"),
            (one(json!("a"), json!(null)), "refused[1].times"),
            (one(json!("a"), json!(0)), "refused[1].times"),
            (one(json!("a"), json!(-1)), "refused[1].times"),
            (one(json!("a"), json!(1.5)), "refused[1].times"),
            (one(json!("a"), json!("1")), "refused[1].times"),
            (one(json!("a"), json!(TIMES + 1)), "refused[1].times"),
        ] {
            assert_eq!(read(&body).expect_err(field).field.as_deref(), Some(field), "{body}");
        }
    }
}
