//! AG-UI 1.0: a run's input, and what it tells as events. <https://docs.ag-ui.com/spec/1.0>

use super::chunk::{CallChunk, Chunk, Returned};
use super::error::{ChatError, ErrorCode};
use super::fields::Fields;
use super::json::Json;
use super::page::Page;
use super::reply::Approval;
use super::request::{ChatBody, MESSAGE, MODEL, Role};
use super::tool::{TOOLS, ToolSpec};
use handeye_commands::core::question::told;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The version of the protocol.
const VERSION: &str = "1.0";
/// Characters of a name or an id.
const NAME: usize = 200;
/// Messages that an input may hold; the conversation is kept here, and the last one counts.
const MESSAGES: usize = 10_000;
/// The agent of an input that names none.
const AGENT: &str = "default";

/// What an input asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// The person said something.
    Text(String),
    /// What tools of the client returned, each with its call.
    Results(Vec<(String, String)>),
    /// The person decided on a call of the server.
    Decision(Approval),
}

/// Reads a `RunAgentInput`.
pub fn read(bytes: &[u8]) -> Result<(ChatBody, Act), ChatError> {
    let body = Json::parse(bytes)
        .map_err(|e| ChatError::new(ErrorCode::BadBody, format!("the body can't be read as JSON: {e}")))?;
    let fields = Fields::of_body(&body)?;
    let (session, run) = (fields.session("threadId", NAME)?.to_owned(), fields.filled("runId", NAME)?.to_owned());
    let nothing = Json::Object(Vec::new());
    let props = Fields::of(fields.get("forwardedProps").unwrap_or(&nothing), "forwardedProps")?;
    let named = |name, otherwise: &str| match props.get(name) {
        None => Ok(otherwise.to_owned()),
        Some(_) => props.filled(name, NAME).map(str::to_owned),
    };
    let place = props.path("current_page_info");
    let page = props.get("current_page_info").map(|page| Page::read(page, &place)).transpose()?.flatten();
    let act = match fields.list("resume", 1)? {
        [entry] => Act::Decision(decision(entry)?),
        _ => last_messages(&fields)?,
    };
    let chat = ChatBody {
        message: String::new(),
        role: Role::User,
        model: named("model", MODEL)?,
        agent: named("agent_id", AGENT)?,
        session,
        user: None,
        page,
        tools: ToolSpec::read_all(fields.list("tools", TOOLS)?, "tools")?,
        call: None,
        request_id: Some(run),
    };
    Ok((chat, act))
}

fn decision(entry: &Json) -> Result<Approval, ChatError> {
    let fields = Fields::of(entry, "resume[0]")?;
    let id = Some(fields.filled("interruptId", NAME)?.to_owned());
    match fields.needed("status", NAME)? {
        "cancelled" => Ok(Approval { id, approved: false, arguments: None, hash: None, reason: None, grants: false }),
        "resolved" => {
            let payload = fields.get("payload").ok_or_else(|| ChatError::field("resume[0].payload", "is missing"))?;
            let mut read = Approval::read(&payload.python())?;
            read.id = id;
            Ok(read)
        }
        _ => Err(ChatError::field("resume[0].status", "is neither `resolved` nor `cancelled`")),
    }
}

/// The last message; of results those before it, too, as far as they stand together: a client answers all of its calls at once.
fn last_messages(fields: &Fields<'_>) -> Result<Act, ChatError> {
    let messages = fields.list("messages", MESSAGES)?;
    let mut results = Vec::new();
    for (at, message) in messages.iter().enumerate().rev() {
        let place = format!("messages[{at}]");
        let message = Fields::of(message, &place)?;
        let role = message.needed("role", NAME)?;
        match role {
            "tool" => results.push((message.filled("toolCallId", NAME)?.to_owned(), content(&message)?)),
            _ if !results.is_empty() => break,
            "user" => {
                let text = content(&message)?;
                if text.trim().is_empty() {
                    return Err(ChatError::field(message.path("content"), "is empty"));
                }
                return Ok(Act::Text(text));
            }
            _ => {
                let why = "is neither `user` nor `tool`: the last message is what is said now";
                return Err(ChatError::field(message.path("role"), why));
            }
        }
    }
    if results.is_empty() {
        return Err(ChatError::field("messages", "is empty, and nothing is resumed"));
    }
    results.reverse();
    Ok(Act::Results(results))
}

/// The words of a message: a string, or parts of which only texts are read.
fn content(message: &Fields<'_>) -> Result<String, ChatError> {
    let Some(Json::List(parts)) = message.get("content") else {
        return message.needed("content", MESSAGE).map(str::to_owned);
    };
    let mut text = String::new();
    for (at, part) in parts.iter().enumerate() {
        let place = format!("{}[{at}]", message.path("content"));
        let part = Fields::of(part, &place)?;
        if part.needed("type", NAME)? != "text" {
            return Err(ChatError::field(part.path("type"), "isn't `text`, and nothing else is read here"));
        }
        text.push_str(part.needed("text", MESSAGE)?);
    }
    Ok(text)
}

/// Turns what a run tells into events.
pub struct Encoder {
    thread: String,
    run: String,
    /// Messages so far, and whether the last one is still being told.
    messages: usize,
    is_open: bool,
    interrupts: Vec<Value>,
    pending: Vec<String>,
    failed: Option<Box<ChatError>>,
    used: Option<Value>,
}

impl Encoder {
    /// One for a run.
    pub fn new(thread: &str, run: &str) -> Self {
        let (thread, run) = (thread.to_owned(), run.to_owned());
        let (interrupts, pending) = (Vec::new(), Vec::new());
        Self { thread, run, messages: 0, is_open: false, interrupts, pending, failed: None, used: None }
    }

    /// How it begins.
    pub fn started(&self) -> Value {
        json!({"type": "RUN_STARTED", "threadId": self.thread, "runId": self.run, "protocolVersion": VERSION})
    }

    fn message(&self) -> String {
        format!("{}-{}", self.run, self.messages)
    }

    fn close(&mut self, events: &mut Vec<Value>) {
        if std::mem::take(&mut self.is_open) {
            events.push(json!({"type": "TEXT_MESSAGE_END", "messageId": self.message()}));
        }
    }

    /// The events of a chunk.
    pub fn events(&mut self, chunk: &Chunk) -> Vec<Value> {
        let mut events = Vec::new();
        match chunk {
            Chunk::Content(text) => {
                if !self.is_open {
                    (self.is_open, self.messages) = (true, self.messages + 1);
                    events
                        .push(json!({"type": "TEXT_MESSAGE_START", "messageId": self.message(), "role": "assistant"}));
                }
                events.push(json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": self.message(), "delta": text}));
            }
            Chunk::ToolCall(call) | Chunk::Called(call) => {
                self.close(&mut events);
                let id = &call.id;
                events.push(json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": call.tool}));
                events.push(json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": call.arguments}));
                events.push(json!({"type": "TOOL_CALL_END", "toolCallId": id}));
                if matches!(chunk, Chunk::ToolCall(_)) {
                    self.waits(call);
                }
            }
            Chunk::Waits(call) => self.waits(call),
            Chunk::Result(returned) => {
                let Returned { id, text } = &**returned;
                self.close(&mut events);
                self.messages += 1;
                let message = self.message();
                events.push(json!({"type": "TOOL_CALL_RESULT", "messageId": message, "toolCallId": id, "content": text, "role": "tool"}));
            }
            Chunk::Used { input, output } => {
                self.used =
                    Some(json!([{"inputTokens": input, "outputTokens": output, "totalTokens": input + output}]));
            }
            Chunk::Failed(error) => self.failed = Some(error.clone()),
            Chunk::Done => {
                self.close(&mut events);
                let mut ended = self.ended();
                if let Some(used) = self.used.take() {
                    ended["usage"] = used;
                }
                events.push(ended);
            }
        }
        events
    }

    fn waits(&mut self, call: &CallChunk) {
        if !call.is_ours {
            self.pending.push(call.id.clone());
            return;
        }
        let asked = call.question.as_deref().map(|question| told(question).join("\n"));
        self.interrupts.push(json!({
            "id": call.id,
            "expiresAt": moment(call.expires),
            "reason": "tool_call",
            "toolCallId": call.id,
            "message": asked.unwrap_or_else(|| format!("{} {}", call.tool, call.arguments)),
            "responseSchema": {
                "type": "object",
                "properties": {"approved": {"type": "boolean"}, "arguments": {"type": "object"}, "reason": {"type": "string"}, "hash": {"type": "string"}, "scope": {"enum": ["once", "conversation"]}},
                "required": ["approved"]
            },
            "metadata": {"tool_name": call.tool, "arguments": call.arguments, "hash": call.hash, "question": call.question}
        }));
    }

    fn ended(&mut self) -> Value {
        let outcome = match &self.failed {
            Some(error) if error.code == ErrorCode::Cancelled => json!({"type": "cancelled"}),
            Some(error) => return json!({"type": "RUN_ERROR", "message": error.message, "code": error.code.word()}),
            None if !self.interrupts.is_empty() => json!({"type": "interrupt", "interrupts": self.interrupts}),
            None if !self.pending.is_empty() => json!({"type": "success", "pendingToolCallIds": self.pending}),
            None => json!({"type": "success"}),
        };
        json!({"type": "RUN_FINISHED", "threadId": self.thread, "runId": self.run, "outcome": outcome})
    }
}

/// A moment in milliseconds since 1970, as RFC 3339 writes it.
fn moment(at: i64) -> Option<String> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).ok()?.format(&Rfc3339).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, is_ours: bool) -> Box<CallChunk> {
        let text = str::to_owned;
        let (tool, arguments, id, hash) = (text("t"), text("{}"), text(id), text("h"));
        Box::new(CallChunk { tool, arguments, id, hash, expires: 1_000, is_named: true, is_ours, question: None })
    }

    fn types(chunks: &[Chunk]) -> (Vec<String>, Value) {
        let mut encoder = Encoder::new("t", "r");
        let events: Vec<Value> = chunks.iter().flat_map(|chunk| encoder.events(chunk)).collect();
        let types = events.iter().filter_map(|event| event["type"].as_str().map(str::to_owned)).collect();
        (types, events.last().map(|event| event["outcome"].clone()).unwrap_or_default())
    }

    #[test]
    fn a_run_is_told_as_events_that_end_with_what_it_waits_for() {
        let text = || Chunk::Content("a".into());
        let error = |code| Chunk::Failed(Box::new(ChatError::new(code, "x")));
        for (chunks, last, outcome) in [
            (vec![text(), text(), Chunk::Done], "RUN_FINISHED", json!("success")),
            (vec![text(), Chunk::ToolCall(call("c", false)), Chunk::Done], "RUN_FINISHED", json!("success")),
            (
                vec![Chunk::Waits(call("b", false)), Chunk::ToolCall(call("c", true)), Chunk::Done],
                "RUN_FINISHED",
                json!("interrupt"),
            ),
            (vec![text(), error(ErrorCode::Cancelled), Chunk::Done], "RUN_FINISHED", json!("cancelled")),
            (vec![text(), error(ErrorCode::ModelFailed), Chunk::Done], "RUN_ERROR", Value::Null),
        ] {
            let (types, ended) = types(&chunks);
            assert_eq!((types.last().map(String::as_str), &ended["type"]), (Some(last), &outcome), "{chunks:?}");
            let count = |name: &str| types.iter().filter(|known| *known == name).count();
            assert_eq!(count("TEXT_MESSAGE_START"), count("TEXT_MESSAGE_END"), "{types:?}");
        }
        let (_, ended) = types(&[Chunk::ToolCall(call("c", false)), Chunk::Done]);
        assert_eq!(ended["pendingToolCallIds"], json!(["c"]));
    }

    #[test]
    fn an_input_is_read_by_its_last_message_or_what_it_resumes() {
        let input = |more: Value| {
            let mut input = json!({"threadId": "t", "runId": "r", "state": {}, "messages": [{"id": "1", "role": "user", "content": "hi"}], "tools": [], "context": []});
            input.as_object_mut().expect("it is one").extend(more.as_object().cloned().unwrap_or_default());
            read(input.to_string().as_bytes())
        };
        let (body, act) = input(json!({})).expect("it is whole");
        assert_eq!((body.session.as_str(), body.agent.as_str(), act), ("t", "default", Act::Text("hi".into())));
        let tool = json!({"messages": [{"id": "2", "role": "tool", "toolCallId": "c", "content": "x"}]});
        let result = |call: &str, text: &str| (call.to_owned(), text.to_owned());
        assert_eq!(input(tool).expect("it is whole").1, Act::Results(vec![result("c", "x")]));
        let tools = json!({"messages": [
            {"id": "1", "role": "tool", "toolCallId": "a", "content": "w"},
            {"id": "2", "role": "assistant", "content": "y"},
            {"id": "3", "role": "tool", "toolCallId": "b", "content": "x"},
            {"id": "4", "role": "tool", "toolCallId": "c", "content": "y"}
        ]});
        assert_eq!(input(tools).expect("it is whole").1, Act::Results(vec![result("b", "x"), result("c", "y")]));
        let resume = json!({"resume": [{"interruptId": "c", "status": "resolved", "payload": {"approved": true}}]});
        assert!(matches!(input(resume).expect("it is whole").1, Act::Decision(Approval { approved: true, .. })));
        for (more, field) in [
            (json!({"threadId": 5}), "threadId"),
            (json!({"messages": []}), "messages"),
            (json!({"messages": [{"role": "system", "content": "x"}]}), "messages[0].role"),
            (json!({"messages": [{"role": "user", "content": [{"type": "image"}]}]}), "messages[0].content[0].type"),
            (json!({"resume": [{"interruptId": "c", "status": "maybe"}]}), "resume[0].status"),
            (json!({"resume": [{"interruptId": "c", "status": "resolved"}]}), "resume[0].payload"),
            (json!({"resume": [{}, {}]}), "resume"),
            (json!({"forwardedProps": {"current_page_info": {"url": 1}}}), "forwardedProps.current_page_info.url"),
        ] {
            assert_eq!(input(more).expect_err(field).field.as_deref(), Some(field));
        }
    }
}
