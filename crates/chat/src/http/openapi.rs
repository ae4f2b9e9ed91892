//! `GET /api/v1/openapi.json`: what can be asked here, as OpenAPI 3.1.

use super::answer::json_of;
use super::{refusals, snapshot};
use crate::wire::ErrorCode;
use crate::wire::request::MODEL;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What one address takes: method, address, what it does, the schema of its body, and what it answers.
type Operation = (&'static str, &'static str, &'static str, Option<&'static str>, Answer);

/// What an address answers.
#[derive(Clone, Copy)]
enum Answer {
    Json,
    /// JSON by this schema.
    Of(&'static str),
    Events,
    Text,
}

/// All of them.
const OPERATIONS: [Operation; 14] = [
    (
        "post",
        "/api/v1/agent/chat",
        "Say something, hand in a result, or decide on a call",
        Some("ChatRequest"),
        Answer::Events,
    ),
    ("post", "/api/v1/agui", "Start a run of AG-UI 1.0", Some("RunAgentInput"), Answer::Events),
    ("get", "/api/v1/agui/{thread}/events", "Go on listening to a run, from Last-Event-ID on", None, Answer::Events),
    ("get", "/api/v1/conversations", "List the user's conversations", None, Answer::Json),
    ("get", "/api/v1/conversations/{session}", "Read a conversation", None, Answer::Json),
    ("delete", "/api/v1/conversations/{session}", "Delete a conversation", None, Answer::Json),
    ("get", "/api/v1/conversations/{session}/export", "Export a conversation", None, Answer::Json),
    ("post", "/api/v1/conversations/{session}/cancel", "Cancel the answer that is under way", None, Answer::Json),
    (
        "post",
        "/api/v1/pair",
        "Get a token for a code of `handeye token pair`",
        Some("PairRequest"),
        Answer::Of("Paired"),
    ),
    (
        "post",
        "/api/v1/snapshot",
        "Get the trees of a page that a session has open",
        Some("SnapshotRequest"),
        Answer::Of("Snapshot"),
    ),
    (
        "post",
        "/api/v1/refusals",
        "Tell of messages to the client that it refused",
        Some("RefusalsRequest"),
        Answer::Of("Noted"),
    ),
    ("get", "/api/v1/openapi.json", "This document", None, Answer::Json),
    ("get", "/healthz", "Whether the database answers", None, Answer::Json),
    ("get", "/metrics", "Counts for Prometheus", None, Answer::Text),
];

pub(super) async fn openapi() -> Response {
    json_of(StatusCode::OK, &document())
}

/// The document.
pub fn document() -> Value {
    let mut paths = Map::new();
    for (method, path, summary, body, answer) in OPERATIONS {
        let mut operation = json!({"summary": summary, "responses": responses(answer)});
        let named: Vec<Value> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        if !named.is_empty() {
            operation["parameters"] = Value::Array(named);
        }
        if let Some(schema) = body {
            let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
            operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
        if matches!(path, "/healthz" | "/metrics" | "/api/v1/openapi.json" | "/api/v1/pair") {
            operation["security"] = json!([]);
        }
        let of_path = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
        of_path[method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "The chat of handeye", "version": env!("CARGO_PKG_VERSION")},
        "paths": paths,
        "security": [{"token": []}],
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"ChatRequest": chat_request(), "ChatEvent": chat_event(), "PairRequest": pair_request(), "Paired": paired(),
                "RefusalsRequest": refusals::request_schema(), "Noted": refusals::answer_schema(), "SnapshotRequest": snapshot::request_schema(), "Snapshot": snapshot::answer_schema(), "RunAgentInput": run_input(), "Error": error()}
        }
    })
}

fn responses(answer: Answer) -> Value {
    let content = match answer {
        Answer::Json => json!({"application/json": {"schema": {"type": "object"}}}),
        Answer::Of(name) => {
            json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}})
        }
        Answer::Events => json!({"text/event-stream": {"schema": {"type": "string"}}}),
        Answer::Text => json!({"text/plain": {"schema": {"type": "string"}}}),
    };
    let mut responses = json!({"200": {"description": "done", "content": content}});
    for (status, codes) in refusals_by_status() {
        let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
        responses[status.to_string()] = json!({"description": codes.join(", "), "content": content});
    }
    responses["default"] = json!({"description": "an error", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
    responses
}

/// The statuses that errors have before a stream, each with its codes. Within one there is no status.
fn refusals_by_status() -> BTreeMap<u16, Vec<&'static str>> {
    let mut all: BTreeMap<u16, Vec<&'static str>> = BTreeMap::new();
    let in_streams = [ErrorCode::ModelFailed, ErrorCode::ModelConfused, ErrorCode::Cancelled];
    for code in ErrorCode::ALL.into_iter().filter(|code| !in_streams.contains(code)) {
        all.entry(code.status()).or_default().push(code.word());
    }
    all
}

fn tool() -> Value {
    json!({
        "type": "object",
        "required": ["name", "description", "parameters"],
        "properties": {"name": {"type": "string"}, "description": {"type": "string"}, "parameters": {"type": "object"}}
    })
}

fn page() -> Value {
    json!({
        "type": ["object", "null"],
        "properties": {
            "url": {"type": ["string", "null"]},
            "title": {"type": ["string", "null"]},
            "selectedText": {"type": ["string", "null"]},
            "document": {"type": ["string", "null"]},
            "elements": {"type": ["array", "null"], "items": {
                "type": "object",
                "required": ["id", "desc"],
                "properties": {"id": {"type": "string"}, "desc": {"type": "string"}, "print": {"type": ["string", "null"]}}
            }}
        }
    })
}

fn chat_request() -> Value {
    json!({
        "type": "object",
        "required": ["message", "agent_id", "session_id"],
        "properties": {
            "message": {"type": "string"},
            "role": {"enum": ["user", "function", null], "default": "user"},
            "model": {"type": ["string", "null"], "default": MODEL},
            "agent_id": {"type": "string"},
            "session_id": {"type": "string"},
            "user_id": {"type": ["string", "null"]},
            "current_page_info": page(),
            "browser_tools": {"type": ["array", "null"], "items": tool()},
            "tool_call_id": {"type": ["string", "null"]},
            "request_id": {"type": ["string", "null"]}
        }
    })
}

/// One event of the answer.
fn chat_event() -> Value {
    let call = json!({
        "type": "object",
        "required": ["tool_name", "arguments"],
        "properties": {
            "tool_name": {"type": "string"},
            "arguments": {"type": "string"},
            "id": {"type": "string"},
            "hash": {"type": "string"}
        }
    });
    json!({
        "type": "object",
        "description": "One event of an answer.",
        "properties": {
            "content": {"type": "string"},
            "tool_call": call,
            "tool_allowed": call,
            "usage": {
                "type": "object",
                "required": ["input_tokens", "output_tokens"],
                "properties": {"input_tokens": {"type": "integer"}, "output_tokens": {"type": "integer"}}
            },
            "error": error()["properties"]["error"],
            "message": {"type": "string"}
        }
    })
}

fn pair_request() -> Value {
    json!({"type": "object", "required": ["code"], "properties": {"code": {"type": "string"}}})
}

/// What a code is exchanged for.
fn paired() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "required": ["token", "id", "user", "agents"],
        "properties": {"token": text, "id": text, "user": text, "agents": {"type": "array", "items": text}}
    })
}

fn run_input() -> Value {
    json!({
        "type": "object",
        "required": ["threadId", "runId"],
        "properties": {
            "threadId": {"type": "string"},
            "runId": {"type": "string"},
            "messages": {"type": ["array", "null"], "items": {"type": "object"}},
            "tools": {"type": ["array", "null"], "items": tool()},
            "context": {"type": ["array", "null"]},
            "resume": {"type": ["array", "null"], "maxItems": 1, "items": {
                "type": "object",
                "required": ["interruptId", "status"],
                "properties": {
                    "interruptId": {"type": "string"},
                    "status": {"enum": ["resolved", "cancelled"]},
                    "payload": {"type": "object"}
                }
            }},
            "forwardedProps": {"type": ["object", "null"], "properties": {
                "agent_id": {"type": ["string", "null"]},
                "model": {"type": ["string", "null"]},
                "current_page_info": page()
            }}
        }
    })
}

fn error() -> Value {
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.word()).collect();
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {"error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"enum": codes},
                "message": {"type": "string"},
                "field": {"type": "string"},
                "retry_after": {"type": "integer"}
            }
        }}
    })
}
