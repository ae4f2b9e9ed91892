//! Anthropic's messages.

use super::coming::{Coming, count, error_message};
use crate::ModelError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_scene::chat::{ChatReply, ChatRequest, Delta, Message, Part, Stop, Tool, ToolCall, Usage};
use serde_json::{Value, json};

/// Tools in this wire's form.
pub fn tools(tools: &[Tool]) -> Value {
    let one =
        |tool: &Tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters});
    tools.iter().map(one).collect()
}

pub(super) fn body(model: &str, request: &ChatRequest, stream: bool) -> Value {
    let mut body = json!({
        "model": model,
        "messages": turns(&request.messages),
        "max_tokens": request.max_tokens,
        "stream": stream,
    });
    if let Some(system) = &request.system {
        body["system"] = json!(system);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if !request.tools.is_empty() {
        body["tools"] = tools(&request.tools);
    }
    body
}

/// Turns alternate on this wire: what calls returned comes in one turn, together with what was said next.
fn turns(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::User { parts } => ("user", parts.iter().map(part).collect()),
            Message::Assistant { text, calls } => ("assistant", said(text, calls)),
            Message::Tool { id, content, failed } => {
                let result = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed});
                ("user", vec![result])
            }
        };
        match turns.last_mut().filter(|(last, _)| *last == role) {
            Some((_, together)) => together.extend(blocks),
            None => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn said(text: &str, calls: &[ToolCall]) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !text.is_empty() {
        blocks.push(json!({"type": "text", "text": text}));
    }
    for call in calls {
        // What isn't JSON can't be sent back as what it was.
        let input: Value = serde_json::from_str(&call.arguments).ok().filter(Value::is_object).unwrap_or(json!({}));
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    blocks
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text { text } => json!({"type": "text", "text": text}),
        Part::Image { media_type, bytes } => {
            let data = STANDARD.encode(bytes);
            json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
        }
    }
}

pub(super) fn reply(body: &Value) -> Result<ChatReply, ModelError> {
    let blocks = body.get("content").and_then(Value::as_array);
    let blocks = blocks.ok_or_else(|| ModelError::Garbled("there is no `content` in it".into()))?;
    let mut coming = Coming::default();
    for (number, block) in blocks.iter().enumerate() {
        begin(&mut coming, number as u64, block)?;
        let input = block.get("input").filter(|input| !input.is_null());
        if let Some((input, index)) = input.zip(coming.calls.len().checked_sub(1)) {
            coming.argue(index, &input.to_string());
        }
    }
    stop(&mut coming, body);
    coming.usage = body
        .get("usage")
        .map(|usage| Usage { input: count(usage, "input_tokens"), output: count(usage, "output_tokens") });
    coming.finish()
}

pub(super) fn event(coming: &mut Coming, data: &str) -> Result<Vec<Delta>, ModelError> {
    let body: Value =
        serde_json::from_str(data).map_err(|e| ModelError::Garbled(format!("an event isn't JSON: {e}")))?;
    let number = count(&body, "index");
    let delta = body.get("delta").unwrap_or(&Value::Null);
    let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut deltas = Vec::new();
    match body.get("type").and_then(Value::as_str).unwrap_or_default() {
        "message_start" => {
            let usage = body.pointer("/message/usage").unwrap_or(&Value::Null);
            coming.usage = Some(Usage { input: count(usage, "input_tokens"), output: count(usage, "output_tokens") });
        }
        "content_block_start" => {
            deltas.extend(begin(coming, number, body.get("content_block").unwrap_or(&Value::Null))?);
        }
        "content_block_delta" if text("type") == "input_json_delta" => {
            let (index, _) = coming.call(number, "", "")?;
            deltas.extend(coming.argue(index, text("partial_json")));
        }
        "content_block_delta" if text("type") == "thinking_delta" => coming.thinking.push_str(text("thinking")),
        "content_block_delta" => deltas.extend(coming.say(text("text"))),
        "message_delta" => {
            stop(coming, delta);
            if let Some(usage) = body.get("usage") {
                coming.usage.get_or_insert_default().output = count(usage, "output_tokens");
            }
        }
        "message_stop" => coming.is_over = true,
        "error" => return Err(ModelError::Dropped(error_message(data))),
        _ => {}
    }
    Ok(deltas)
}

/// A block begins: words, or a call.
fn begin(coming: &mut Coming, number: u64, block: &Value) -> Result<Option<Delta>, ModelError> {
    let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "tool_use" => Ok(coming.call(number, text("id"), text("name"))?.1),
        "text" => Ok(coming.say(text("text"))),
        "thinking" => {
            coming.thinking.push_str(text("thinking"));
            Ok(None)
        }
        _ => Ok(None),
    }
}

fn stop(coming: &mut Coming, holder: &Value) {
    match holder.get("stop_reason").and_then(Value::as_str) {
        Some("tool_use") => coming.stop = Some(Stop::Tools),
        Some("max_tokens") => coming.stop = Some(Stop::Length),
        Some("refusal") => {
            coming.refusal = if coming.text.is_empty() { "it gives no reason".into() } else { coming.text.clone() }
        }
        Some(_) => coming.stop = Some(Stop::End),
        None => {}
    }
}
