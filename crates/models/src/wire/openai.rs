//! OpenAI's chat completions.

use super::coming::{Coming, count, error_message};
use crate::ModelError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_scene::chat::{ChatReply, ChatRequest, Delta, Message, Part, Stop, Tool, Usage};
use serde_json::{Value, json};

/// Tools in this wire's form.
pub fn tools(tools: &[Tool]) -> Value {
    let one = |tool: &Tool| {
        json!({"type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}})
    };
    tools.iter().map(one).collect()
}

pub(super) fn body(model: &str, request: &ChatRequest, stream: bool) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    messages.extend(request.system.iter().map(|text| json!({"role": "system", "content": text})));
    messages.extend(request.messages.iter().map(message));
    let mut body = json!({"model": model, "messages": messages, "max_tokens": request.max_tokens, "stream": stream});
    if stream {
        body["stream_options"] = json!({"include_usage": true});
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if !request.tools.is_empty() {
        body["tools"] = tools(&request.tools);
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { parts } => match &parts[..] {
            // Servers without vision read nothing but a plain text.
            [Part::Text { text }] => json!({"role": "user", "content": text}),
            parts => json!({"role": "user", "content": parts.iter().map(part).collect::<Vec<_>>()}),
        },
        Message::Assistant { text, calls } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments}})
                })
                .collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Message::Tool { id, content, .. } => json!({"role": "tool", "tool_call_id": id, "content": content}),
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text { text } => json!({"type": "text", "text": text}),
        Part::Image { media_type, bytes } => {
            let url = format!("data:{media_type};base64,{}", STANDARD.encode(bytes));
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    }
}

pub(super) fn reply(body: &Value) -> Result<ChatReply, ModelError> {
    let choice = first_choice(body).ok_or_else(|| ModelError::Garbled("there is no `choices[0]` in it".into()))?;
    let mut coming = Coming::default();
    read(&mut coming, choice, "message")?;
    coming.usage = usage(body);
    coming.finish()
}

pub(super) fn event(coming: &mut Coming, data: &str) -> Result<Vec<Delta>, ModelError> {
    if data.trim() == "[DONE]" {
        coming.is_over = true;
        return Ok(Vec::new());
    }
    let body: Value =
        serde_json::from_str(data).map_err(|e| ModelError::Garbled(format!("an event isn't JSON: {e}")))?;
    if body.get("error").is_some_and(|error| !error.is_null()) {
        return Err(ModelError::Dropped(error_message(data)));
    }
    if let Some(usage) = usage(&body) {
        coming.usage = Some(usage);
    }
    first_choice(&body).map_or_else(|| Ok(Vec::new()), |choice| read(coming, choice, "delta"))
}

fn first_choice(body: &Value) -> Option<&Value> {
    body.get("choices")?.as_array()?.first()
}

/// Reads a whole message, or a piece of one: they have the same members.
fn read(coming: &mut Coming, choice: &Value, member: &str) -> Result<Vec<Delta>, ModelError> {
    let text_of = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut deltas = Vec::new();
    if let Some(message) = choice.get(member) {
        deltas.extend(coming.say(&text_of(message, "content")));
        // Local servers tell what a model thought beside what it says, by one name or the other.
        let thought = ["reasoning_content", "reasoning"].map(|key| text_of(message, key));
        coming.thinking.push_str(thought.iter().find(|text| !text.is_empty()).map_or("", String::as_str));
        coming.refusal.push_str(&text_of(message, "refusal"));
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for (place, call) in calls.into_iter().flatten().enumerate() {
            let number = call.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
            let function = call.get("function").unwrap_or(&Value::Null);
            let (index, begun) = coming.call(number, &text_of(call, "id"), &text_of(function, "name"))?;
            deltas.extend(begun);
            deltas.extend(coming.argue(index, &text_of(function, "arguments")));
        }
    }
    match choice.get("finish_reason").and_then(Value::as_str) {
        Some("tool_calls" | "function_call") => coming.stop = Some(Stop::Tools),
        Some("length") => coming.stop = Some(Stop::Length),
        Some("content_filter") => coming.refusal.push_str("the server's content filter ended the answer"),
        Some(_) => coming.stop = Some(Stop::End),
        None => {}
    }
    Ok(deltas)
}

fn usage(body: &Value) -> Option<Usage> {
    let usage = body.get("usage").filter(|usage| usage.is_object())?;
    Some(Usage { input: count(usage, "prompt_tokens"), output: count(usage, "completion_tokens") })
}
