//! A conversation as a model is asked it: what the person said with the person's role, what pages and tools said as fenced data.

use crate::decide::{Call, Side};
use crate::prompt::page;
use crate::prompt::system::{self, Calling};
use crate::store::{Body, Entry};
use crate::wire::reply::browser_message;
use crate::wire::{Json, Page, ToolSpec};
use handeye_agent::fence;
use handeye_models::{ChatRequest, Message, Part, ToolCall};

/// Characters of one result that a model is told.
const RESULT: usize = 20_000;
/// What stands behind an answer that was cut off: no model is to take it for one that it finished.
const CUT: &str = "[你的这个回答在此处被中断，没有说完]";
/// Characters of a conversation that a model is told; what is older is left out.
const CONVERSATION: usize = 240_000;

/// What a model is asked.
pub(super) struct Composed<'a> {
    /// The agent's prompt.
    pub(super) prompt: &'a str,
    /// Tools that it may call.
    pub(super) tools: &'a [ToolSpec],
    /// How it is given them.
    pub(super) calling: Calling,
    /// Tokens of the answer at most.
    pub(super) max_tokens: u32,
}

/// The request.
pub(super) fn request(entries: &[Entry], how: &Composed<'_>) -> ChatRequest {
    let entries = recent(entries);
    let latest = entries.iter().rev().find(|entry| entry.page.is_some()).map(|entry| entry.seq);
    let last = entries.iter().rev().find(|entry| entry.body.is_said()).map(|entry| entry.seq);
    let asked = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::User(text) => Some(text.as_str()),
        _ => None,
    });
    let mut messages = Vec::new();
    for entry in entries {
        let looked_at = entry.page.as_ref().filter(|_| Some(entry.seq) == latest);
        let shown = looked_at.map(|looked_at| page::block(looked_at, asked.unwrap_or_default()));
        match &entry.body {
            Body::User(text) => {
                let parts = shown.into_iter().chain([text.clone()]);
                messages.push(Message::User { parts: parts.map(|text| Part::Text { text }).collect() });
            }
            Body::Page => messages.extend(shown.map(Message::user)),
            // At the end it would be asked to go on where it was stopped, and not what was said then.
            Body::Cut(text) if last.is_some_and(|last| entry.seq < last) => {
                messages.push(Message::Assistant { text: format!("{text}\n\n{CUT}"), calls: Vec::new() });
            }
            Body::Cut(_) => {}
            Body::Assistant(text, calls) => match how.calling {
                Calling::Native => native(text, calls, &mut messages),
                Calling::Prompt => written(text, calls, &mut messages),
            },
        }
    }
    let has_data = !how.tools.is_empty() || latest.is_some();
    let tools = match how.calling {
        Calling::Native => how.tools.iter().map(ToolSpec::to_tool).collect(),
        Calling::Prompt => Vec::new(),
    };
    ChatRequest {
        system: Some(system::prompt(how.prompt, how.tools, how.calling, has_data)),
        messages,
        tools,
        max_tokens: how.max_tokens,
        temperature: None,
    }
}

/// The latest of the conversation that isn't too long, from something that the person said on.
fn recent(entries: &[Entry]) -> &[Entry] {
    let length = |entry: &Entry| match &entry.body {
        Body::User(text) | Body::Cut(text) => text.len(),
        Body::Assistant(text, calls) => {
            let of_call =
                |call: &Call| call.arguments.len() + call.result.as_ref().map_or(0, |text| text.len().min(RESULT * 4));
            text.len() + calls.iter().map(of_call).sum::<usize>()
        }
        Body::Page => 0,
    };
    let mut start = entries.len();
    let mut total = 0;
    for (at, entry) in entries.iter().enumerate().rev() {
        total += length(entry);
        let is_person = matches!(entry.body, Body::User(_));
        if total > CONVERSATION && start < entries.len() {
            break;
        }
        if is_person {
            start = at;
        }
    }
    entries.get(start..).unwrap_or_default()
}

/// What came of a call, as a model is told it: as data, but for what we say of it ourselves.
fn result(call: &Call) -> String {
    let Some(text) = &call.result else { return "nothing came of it".to_owned() };
    if call.side == Side::Nowhere || call.status != crate::decide::Status::Done {
        return text.clone();
    }
    let mut cut: String = text.chars().take(RESULT).collect();
    if cut.len() < text.len() {
        cut.push_str("\n… cut off here");
    }
    let from = match call.side {
        Side::Browser => page::origin(&Page { url: call.page.clone(), ..Page::default() }),
        _ => format!("the tool {}", call.tool),
    };
    fence::fenced(&from, &cut)
}

fn native(text: &str, calls: &[Call], messages: &mut Vec<Message>) {
    if text.is_empty() && calls.is_empty() {
        return;
    }
    let named =
        |call: &Call| ToolCall { id: call.id.clone(), name: name(&call.tool), arguments: call.arguments.clone() };
    messages.push(Message::Assistant { text: text.to_owned(), calls: calls.iter().map(named).collect() });
    messages.extend(calls.iter().map(|call| Message::Tool {
        id: call.id.clone(),
        content: result(call),
        failed: call.failed,
    }));
}

/// A name that every wire takes: a model may have made one up that none does.
fn name(tool: &str) -> String {
    let name: String = tool
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
        .take(64)
        .collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// Calls and results in the words of the prompt's section.
fn written(text: &str, calls: &[Call], messages: &mut Vec<Message>) {
    let mut said = text.to_owned();
    for call in calls {
        let members = [("tool_name", Json::text(&call.tool)), ("arguments", Json::text(&call.arguments))];
        let object = Json::object([("tool_call", Json::object(members))]);
        if !said.is_empty() {
            said.push('\n');
        }
        said.push_str(&format!("```json\n{}\n```", object.python()));
    }
    if !said.is_empty() {
        messages.push(Message::Assistant { text: said, calls: Vec::new() });
    }
    messages
        .extend(calls.iter().map(|call| Message::user(browser_message(&call.tool, &format!("\n{}", result(call))))));
}
