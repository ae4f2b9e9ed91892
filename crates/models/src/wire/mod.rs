//! The two wires: requests as JSON, answers read whole or piece by piece.

mod anthropic;
mod coming;
mod openai;

use crate::ModelError;
use crate::dialect::Dialect;
use crate::endpoint::Endpoint;
use handeye_scene::Wire;
use handeye_scene::chat::{ChatReply, ChatRequest, Delta, Usage};
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;

pub use coming::estimate;
pub(crate) use coming::{Coming, error_message};

/// Tools in OpenAI's form, as seed 4 hands them to a model.
pub use openai::tools as to_openai_tools;

/// Tools in Anthropic's form.
pub use anthropic::tools as to_anthropic_tools;

/// The path of a chat, after the base address.
pub(crate) fn path(wire: Wire) -> &'static str {
    match wire {
        Wire::Openai => "chat/completions",
        Wire::Anthropic => "messages",
    }
}

/// Headers that carry the key and the version. A key that no header can carry is refused.
pub(crate) fn headers(endpoint: &Endpoint) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    let mut put = |name: &'static str, text: String| {
        let mut value = HeaderValue::from_str(&text).map_err(|_| ModelError::Key {
            status: 0,
            message: "it holds characters that no header can carry".into(),
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok::<(), ModelError>(())
    };
    if let Some(key) = &endpoint.key {
        match endpoint.wire {
            Wire::Openai => put("authorization", format!("Bearer {}", key.reveal()))?,
            Wire::Anthropic => put("x-api-key", key.reveal().to_owned())?,
        }
    }
    if endpoint.wire == Wire::Anthropic {
        put("anthropic-version", "2023-06-01".to_owned())?;
    }
    Ok(headers)
}

/// A request's body, as the model takes it.
pub(crate) fn body(endpoint: &Endpoint, request: &ChatRequest, stream: bool, dialect: Dialect) -> Value {
    match endpoint.wire {
        Wire::Openai => openai::body(&endpoint.model, request, stream, dialect),
        Wire::Anthropic => anthropic::body(&endpoint.model, request, stream),
    }
}

/// An answer that came whole.
pub(crate) fn reply(wire: Wire, body: &Value) -> Result<ChatReply, ModelError> {
    match wire {
        Wire::Openai => openai::reply(body),
        Wire::Anthropic => anthropic::reply(body),
    }
}

/// What a whole answer says that it took, whatever else is in it.
pub(crate) fn usage(wire: Wire, body: &Value) -> Option<Usage> {
    match wire {
        Wire::Openai => openai::usage(body),
        Wire::Anthropic => anthropic::usage(body),
    }
}

/// Reads one event of a stream; what to hand on at once comes back.
pub(crate) fn event(wire: Wire, coming: &mut Coming, data: &str) -> Result<Vec<Delta>, ModelError> {
    match wire {
        Wire::Openai => openai::event(coming, data),
        Wire::Anthropic => anthropic::event(coming, data),
    }
}
