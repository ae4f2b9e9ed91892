//! Answers in the words of either wire.

use super::answer::Answer;
use serde_json::{Value, json};

/// An answer in one piece.
pub(super) fn whole(is_anthropic: bool, answer: &Answer) -> String {
    let (text, calls) = parts(answer);
    let refuses = matches!(answer, Answer::Refuse(_));
    let body = if is_anthropic {
        let mut content = Vec::new();
        if !text.is_empty() {
            content.push(json!({"type": "text", "text": text}));
        }
        content.extend(calls.iter().enumerate().map(|(i, (name, arguments))| {
            let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
            json!({"type": "tool_use", "id": format!("toolu_{i}"), "name": name, "input": input})
        }));
        json!({"type": "message", "role": "assistant", "content": content,
            "stop_reason": if refuses { "refusal" } else { anthropic_stop(&calls) },
            "usage": {"input_tokens": 100, "output_tokens": 20}})
    } else {
        let calls_json: Vec<Value> = calls.iter().enumerate().map(|(i, call)| openai_call(i, call, false)).collect();
        let mut message = json!({"role": "assistant", "content": if refuses { "" } else { &text }});
        if refuses {
            message["refusal"] = json!(text);
        }
        if !calls_json.is_empty() {
            message["tool_calls"] = json!(calls_json);
        }
        json!({"object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": openai_stop(&calls)}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20}})
    };
    body.to_string()
}

/// An answer as events, words and arguments in small pieces.
pub(super) fn events(is_anthropic: bool, answer: &Answer) -> Vec<String> {
    let (text, calls) = parts(answer);
    let refuses = matches!(answer, Answer::Refuse(_));
    if is_anthropic { anthropic_events(&text, &calls, refuses) } else { openai_events(&text, &calls, refuses) }
}

fn parts(answer: &Answer) -> (String, Vec<(String, String)>) {
    match answer {
        Answer::Say(text) | Answer::Refuse(text) | Answer::Paced(text, _) => (text.clone(), Vec::new()),
        Answer::Call(calls) => (String::new(), calls.clone()),
        _ => (String::new(), Vec::new()),
    }
}

/// Pieces of a few characters, so that no character is ever sent whole with its neighbours by luck.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(3).map(|piece| piece.iter().collect()).collect()
}

fn openai_events(text: &str, calls: &[(String, String)], refuses: bool) -> Vec<String> {
    let event = |body: Value| format!("data: {body}\n\n");
    let choice = |delta: Value, stop: Value| {
        event(
            json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": stop}]}),
        )
    };
    let mut events = vec![choice(json!({"role": "assistant", "content": ""}), Value::Null)];
    let member = if refuses { "refusal" } else { "content" };
    events.extend(pieces(text).into_iter().map(|piece| choice(json!({ member: piece }), Value::Null)));
    for (i, call) in calls.iter().enumerate() {
        events.push(choice(json!({"tool_calls": [openai_call(i, call, true)]}), Value::Null));
        events.extend(
            pieces(&call.1).into_iter().map(|piece| {
                choice(json!({"tool_calls": [{"index": i, "function": {"arguments": piece}}]}), Value::Null)
            }),
        );
    }
    events.push(choice(json!({}), json!(openai_stop(calls))));
    events.push(event(json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}})));
    events.push("data: [DONE]\n\n".into());
    events
}

fn openai_call(index: usize, (name, arguments): &(String, String), begins: bool) -> Value {
    let arguments = if begins { "" } else { arguments };
    json!({"index": index, "id": format!("call_{index}"), "type": "function",
        "function": {"name": name, "arguments": arguments}})
}

fn openai_stop(calls: &[(String, String)]) -> &'static str {
    if calls.is_empty() { "stop" } else { "tool_calls" }
}

fn anthropic_stop(calls: &[(String, String)]) -> &'static str {
    if calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn anthropic_events(text: &str, calls: &[(String, String)], refuses: bool) -> Vec<String> {
    let event = |kind: &str, mut body: Value| {
        body["type"] = json!(kind);
        format!("event: {kind}\ndata: {body}\n\n")
    };
    let start = json!({"message": {"usage": {"input_tokens": 100, "output_tokens": 1}}});
    let mut events = vec![event("message_start", start), event("ping", json!({}))];
    let mut index = 0;
    let mut block = |begin: Value, deltas: Vec<Value>| {
        events.push(event("content_block_start", json!({"index": index, "content_block": begin})));
        events.extend(
            deltas.into_iter().map(|delta| event("content_block_delta", json!({"index": index, "delta": delta}))),
        );
        events.push(event("content_block_stop", json!({ "index": index })));
        index += 1;
    };
    if !text.is_empty() {
        let deltas = pieces(text).into_iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for (i, (name, arguments)) in calls.iter().enumerate() {
        let deltas =
            pieces(arguments).into_iter().map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
        let begin = json!({"type": "tool_use", "id": format!("toolu_{i}"), "name": name, "input": {}});
        block(begin, deltas.collect());
    }
    let stop = if refuses { "refusal" } else { anthropic_stop(calls) };
    events.push(event("message_delta", json!({"delta": {"stop_reason": stop}, "usage": {"output_tokens": 20}})));
    events.push(event("message_stop", json!({})));
    events
}
