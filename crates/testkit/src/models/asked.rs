//! What a model server was asked.

use serde_json::Value;

/// What a model server was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Which request it is, counted from 0.
    pub number: usize,
    /// Whether it came over Anthropic's wire.
    pub is_anthropic: bool,
    /// Whether the answer is to be streamed.
    pub is_streamed: bool,
    /// The key that it came with.
    pub key: Option<String>,
    /// The whole body.
    pub body: Value,
    /// All texts of it, instructions included, one after the other.
    pub text: String,
    /// The pictures of its last message, as files.
    pub pictures: Vec<Vec<u8>>,
}

impl Asked {
    /// The number of the target that was last shown like this, such as `button "Add"`; none where none was.
    pub fn mark(&self, target: &str) -> Option<u64> {
        self.text.lines().rev().find_map(|line| {
            let (number, rest) = line.split_once('[')?.1.split_once("] ")?;
            rest.starts_with(target).then(|| number.parse().ok())?
        })
    }

    /// Texts with the role of the person, and no others: what calls returned isn't among them.
    pub fn from_person(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for message in self.body.get("messages").and_then(Value::as_array).into_iter().flatten() {
            match message.get("content") {
                _ if message.get("role").is_none_or(|role| role != "user") => {}
                Some(Value::String(text)) => texts.push(text.clone()),
                Some(Value::Array(parts)) => {
                    texts.extend(parts.iter().filter_map(|part| part.get("text")?.as_str().map(str::to_owned)));
                }
                _ => {}
            }
        }
        texts
    }

    /// What the calls of the answer before returned.
    pub fn results(&self) -> Vec<String> {
        let mut results = Vec::new();
        let messages = self.body.get("messages").and_then(Value::as_array).into_iter().flatten();
        for message in messages.rev() {
            let parts = message.get("content").and_then(Value::as_array);
            let blocks = parts.into_iter().flatten().filter(|part| part["type"] == "tool_result");
            match message["role"].as_str() {
                Some("tool") => results.insert(0, message["content"].as_str().unwrap_or_default().to_owned()),
                Some("user") => results.extend(blocks.filter_map(|part| part["content"].as_str().map(str::to_owned))),
                _ => break,
            }
        }
        results
    }
}
