//! What is streamed: server-sent events whose data are written byte for byte as the document's own code writes them.
//!
//! That is Python's `json.dumps`: a space after `:` and `,`, letters beyond ASCII as they are, but escaped in the closing event, which the
//! document writes without `ensure_ascii=False`.

use super::error::ChatError;
use super::json::Json;

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
    /// The call's id, and the hash of what is proposed; none where the client knows the document alone.
    pub id: Option<(String, String)>,
}

/// An event of the stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// More of the answer.
    Content(String),
    /// A call that waits for the person.
    ToolCall(CallChunk),
    /// The run failed. Whoever knows the document alone shows its text.
    Failed(ChatError),
    /// It is over.
    Done,
}

impl Chunk {
    /// Its data.
    pub fn data(&self) -> String {
        match self {
            Self::Content(text) => Json::object([("content", Json::text(text))]).python(),
            Self::ToolCall(CallChunk { tool, arguments, id }) => {
                let mut members =
                    vec![("tool_name".to_owned(), Json::text(tool)), ("arguments".to_owned(), Json::text(arguments))];
                if let Some((id, hash)) = id {
                    members.push(("id".to_owned(), Json::text(id)));
                    members.push(("hash".to_owned(), Json::text(hash)));
                }
                Json::object([("tool_call", Json::Object(members))]).python()
            }
            Self::Failed(error) => {
                let told = format!("（出错：{}）", error.message);
                Json::object([("content", Json::Text(told)), ("error", Json::from(&error.to_value()))]).python()
            }
            Self::Done => Json::object([("message", Json::text(DONE))]).python_ascii(),
        }
    }

    /// The whole event.
    pub fn event(&self) -> String {
        format!("data: {}\n\n", self.data())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ErrorCode;

    #[test]
    fn events_have_the_document_s_bytes() {
        let call = |id| CallChunk { tool: "page_action".into(), arguments: r#"{"a": "京"}"#.into(), id };
        for (chunk, wanted) in [
            (Chunk::Content("好的，我来帮你\n".into()), "data: {\"content\": \"好的，我来帮你\\n\"}\n\n"),
            (
                Chunk::ToolCall(call(None)),
                "data: {\"tool_call\": {\"tool_name\": \"page_action\", \"arguments\": \"{\\\"a\\\": \\\"京\\\"}\"}}\n\n",
            ),
            (
                Chunk::ToolCall(call(Some(("c".into(), "h".into())))),
                "data: {\"tool_call\": {\"tool_name\": \"page_action\", \"arguments\": \"{\\\"a\\\": \\\"京\\\"}\", \"id\": \"c\", \"hash\": \"h\"}}\n\n",
            ),
            (
                Chunk::Failed(ChatError::new(ErrorCode::ModelFailed, "x")),
                "data: {\"content\": \"（出错：x）\", \"error\": {\"code\": \"model_failed\", \"message\": \"x\"}}\n\n",
            ),
            (Chunk::Done, "data: {\"message\": \"\\u5bf9\\u8bdd\\u5b8c\\u6210\"}\n\n"),
        ] {
            assert_eq!(chunk.event(), wanted);
        }
    }
}
