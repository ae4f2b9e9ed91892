//! What is streamed: server-sent events whose data are written byte for byte as the document's own code writes them.
//!
//! That is Python's `json.dumps`: a space after `:` and `,`, letters beyond ASCII as they are, but escaped in the closing event, which the
//! document writes without `ensure_ascii=False`.

use super::error::ChatError;
use super::json::Json;
use handeye_scene::Question;

/// What the last event says.
pub const DONE: &str = "对话完成";
/// What is said where the person refused a call.
pub const REJECTED: &str = "用户取消了工具执行";

/// A call as the client is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallChunk {
    /// The tool's name.
    pub tool: String,
    /// The arguments, as `json.dumps` writes them.
    pub arguments: String,
    /// The call's id.
    pub id: String,
    /// The hash of what is proposed.
    pub hash: String,
    /// Until when it waits for the person, in milliseconds since 1970.
    pub expires: i64,
    /// Whether the client is told id and hash: not where it knows the document alone.
    pub is_named: bool,
    /// Whether it is carried out here, once it is approved.
    pub is_ours: bool,
    /// What the person is asked about it, where it is.
    pub question: Option<Box<Question>>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Returned {
    /// The call.
    pub id: String,
    /// What it returned.
    pub text: String,
}

/// An event of the stream. Most are short pieces of words, and many are kept: what is larger stands elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// More of the answer.
    Content(String),
    /// A call that waits for the person.
    ToolCall(Box<CallChunk>),
    /// One that was told of before, and waits still. The document's clients aren't told again.
    Waits(Box<CallChunk>),
    /// One that is carried out here without a question.
    Called(Box<CallChunk>),
    /// What came of a call that was carried out here. The document's clients aren't told.
    Result(Box<Returned>),
    /// What the run took, in tokens. The document's clients aren't told.
    Used {
        /// Those that models were told.
        input: u64,
        /// Those that they said.
        output: u64,
    },
    /// The run failed. Whoever knows the document alone shows its text.
    Failed(Box<ChatError>),
    /// It is over.
    Done,
}

impl Chunk {
    /// Its data; none where the document has no form for it.
    pub fn data(&self) -> Option<String> {
        Some(match self {
            Self::Content(text) => Json::object([("content", Json::text(text))]).python(),
            Self::ToolCall(call) => {
                let mut members = vec![
                    ("tool_name".to_owned(), Json::text(&call.tool)),
                    ("arguments".to_owned(), Json::text(&call.arguments)),
                ];
                if call.is_named {
                    members.push(("id".to_owned(), Json::text(&call.id)));
                    members.push(("hash".to_owned(), Json::text(&call.hash)));
                }
                Json::object([("tool_call", Json::Object(members))]).python()
            }
            // A client that was told of ids is shown what was done; another would take it for a call that waits.
            Self::Called(call) if call.is_named => {
                let members = [
                    ("tool_name", Json::text(&call.tool)),
                    ("arguments", Json::text(&call.arguments)),
                    ("id", Json::text(&call.id)),
                ];
                Json::object([("tool_allowed", Json::object(members))]).python()
            }
            Self::Used { input, output } => {
                let members = [("input_tokens", *input), ("output_tokens", *output)];
                let members = members.map(|(name, tokens)| (name, Json::Number(tokens.into())));
                Json::object([("usage", Json::object(members))]).python()
            }
            Self::Waits(_) | Self::Called(_) | Self::Result(_) => return None,
            Self::Failed(error) => {
                let told = format!("（出错：{}）", error.message);
                Json::object([("content", Json::Text(told)), ("error", Json::from(&error.to_value()))]).python()
            }
            Self::Done => Json::object([("message", Json::text(DONE))]).python_ascii(),
        })
    }

    /// The whole event; empty where there is none.
    pub fn event(&self) -> String {
        self.data().map_or_else(String::new, |data| format!("data: {data}\n\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ErrorCode;

    #[test]
    fn events_have_the_document_s_bytes() {
        let call = |is_named| CallChunk {
            tool: "page_action".into(),
            arguments: r#"{"a": "京"}"#.into(),
            id: "c".into(),
            hash: "h".into(),
            expires: 0,
            is_named,
            is_ours: false,
            question: None,
        };
        for (chunk, wanted) in [
            (Chunk::Content("好的，我来帮你\n".into()), "data: {\"content\": \"好的，我来帮你\\n\"}\n\n"),
            (
                Chunk::ToolCall(Box::new(call(false))),
                "data: {\"tool_call\": {\"tool_name\": \"page_action\", \"arguments\": \"{\\\"a\\\": \\\"京\\\"}\"}}\n\n",
            ),
            (
                Chunk::ToolCall(Box::new(call(true))),
                "data: {\"tool_call\": {\"tool_name\": \"page_action\", \"arguments\": \"{\\\"a\\\": \\\"京\\\"}\", \"id\": \"c\", \"hash\": \"h\"}}\n\n",
            ),
            (
                Chunk::Failed(Box::new(ChatError::new(ErrorCode::ModelFailed, "x"))),
                "data: {\"content\": \"（出错：x）\", \"error\": {\"code\": \"model_failed\", \"message\": \"x\"}}\n\n",
            ),
            (Chunk::Used { input: 3, output: 4 }, "data: {\"usage\": {\"input_tokens\": 3, \"output_tokens\": 4}}\n\n"),
            (Chunk::Waits(Box::new(call(true))), ""),
            (Chunk::Result(Box::new(Returned { id: "c".into(), text: "x".into() })), ""),
            (Chunk::Done, "data: {\"message\": \"\\u5bf9\\u8bdd\\u5b8c\\u6210\"}\n\n"),
        ] {
            assert_eq!(chunk.event(), wanted);
        }
    }
}
