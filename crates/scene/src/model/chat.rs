//! What a language model is asked, and what it answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Tokens that one or more answers took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens of prompts, pictures included.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
}

impl Usage {
    /// Both together.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Adds another.
    pub fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }
}

/// What a model is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// Instructions that stand above the conversation.
    pub system: Option<String>,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// What it may call.
    pub tools: Vec<Tool>,
    /// Tokens of the answer at most.
    pub max_tokens: u32,
    /// 0 is as steady as the model can be; none leaves it to the server.
    pub temperature: Option<f64>,
}

/// A turn of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// From whoever asks.
    User {
        /// Its texts and pictures.
        parts: Vec<Part>,
    },
    /// From the model.
    Assistant {
        /// What it said.
        text: String,
        /// What it called.
        calls: Vec<ToolCall>,
    },
    /// What a call returned.
    Tool {
        /// The call's id.
        id: String,
        /// What it returned.
        content: String,
        /// Whether that is an error.
        failed: bool,
    },
}

impl Message {
    /// A text from whoever asks.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { parts: vec![Part::Text { text: text.into() }] }
    }
}

/// A part of what is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// The file's bytes.
        #[serde(skip)]
        bytes: Vec<u8>,
    },
}

/// What a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// A call that a model makes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them: JSON, if it did well.
    pub arguments: String,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It was done.
    End,
    /// It waits for what it called.
    Tools,
    /// It reached the limit of tokens.
    Length,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChatReply {
    /// What it said.
    pub text: String,
    /// What it thought before, where the server tells: for the trace, never sent back.
    pub thinking: String,
    /// What it calls.
    pub calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop: Stop,
    /// What that took; estimated where the server doesn't say.
    pub usage: Usage,
}

/// A piece of an answer that is still coming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// More words.
    Text(String),
    /// A call begins.
    Call {
        /// Which, counted from 0.
        index: usize,
        /// Its id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments.
    Arguments {
        /// Which call.
        index: usize,
        /// What to add.
        piece: String,
    },
    /// The connection was lost and the request is sent again: forget the pieces so far.
    Restart,
}
