//! A question: the state is shown to the model, which answers by one tool. What doesn't hold is given back to it.

use super::learnt::Learns;
use crate::collect::pick::{Mark, marks};
use crate::fence;
use crate::port::{Asks, Hand, Hands};
use crate::prompt::Prompt;
use crate::transcript::Transcript;
use handeye_commands::core::aims::LONGEST_STATE as STATE;
use handeye_commands::dispatch::find;
use handeye_scene::chat::{ChatRequest, Stop, Tool, ToolCall};
use handeye_scene::{Code, Problem, Snapshot};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Answers of the model at most.
pub const ANSWERS: u32 = 3;
/// Tokens of one answer at most.
const ANSWER: u32 = 8_192;

/// Everything outside of a question.
pub struct QuestionPorts<'a> {
    /// Carries commands out.
    pub hands: &'a dyn Hands,
    /// By what it is answered.
    pub thinking: Thinking<'a>,
    /// Keeps what was learnt of aims.
    pub learns: &'a dyn Learns,
}

/// By what a question is answered.
pub struct Thinking<'a> {
    /// Asks the model.
    pub brain: &'a dyn Asks,
    /// Tells how far it is, a line at a time.
    pub tell: &'a dyn Fn(&str),
    /// Whether the person has ended it.
    pub cancelled: &'a dyn Fn() -> bool,
    /// How long it may take.
    pub limit: Duration,
}

/// The prompt.
pub fn prompt() -> Prompt {
    let text = include_str!("../prompts/question.md");
    let (version, text) = text.split_once('\n').unwrap_or(("", text));
    Prompt { version, text }
}

/// What is in sight.
pub struct Seen {
    pub(super) text: String,
    /// The same, as data.
    pub(super) page: Snapshot,
    pub(super) marks: BTreeMap<u64, Mark>,
    from: String,
    is_folded: bool,
}

impl Seen {
    /// A state, as text and as data. `is_folded`: the text is a part of it, with the rest folded.
    pub fn of(text: String, state: Value, is_folded: bool) -> Result<Self, Problem> {
        let marks = marks(&state);
        let page: Snapshot = serde_json::from_value(state)
            .map_err(|e| Problem::new(Code::Bug, format!("the state can't be read: {e}")))?;
        Ok(Self { text, marks, from: fence::origin(&page.url), page, is_folded })
    }
}

/// What an answer comes to.
pub(super) enum Told<T> {
    /// It holds.
    Good(T),
    /// It is given back with what is wrong; what it is worth if nothing better comes.
    Back(String, Option<T>),
}

/// Looks at what is in sight; it counts as shown.
pub(super) fn look(ports: &QuestionPorts<'_>) -> Result<Seen, Problem> {
    let state = |args: Value| -> Result<(String, Value), Problem> {
        let entry = find("state").ok_or_else(|| Problem::new(Code::Bug, "there is no command `state`"))?;
        let response = ports.hands.call(Hand { entry, args, return_state: None, window: None });
        match response.error {
            Some(problem) => Err(problem),
            None => Ok((response.text.unwrap_or_default(), response.result.unwrap_or_default())),
        }
    };
    let (mut text, result) = state(json!({ "budget": 0 }))?;
    let is_folded = text.chars().count() > STATE;
    if is_folded {
        text = state(json!({ "budget": STATE }))?.0;
    }
    Seen::of(text, result, is_folded)
}

/// Asks until an answer holds; else the best that came.
pub(super) fn ask<T>(
    thinking: &Thinking<'_>,
    (question, seen): (&str, &Seen),
    tool: Tool,
    mut read: impl FnMut(&ToolCall) -> Told<T>,
) -> Result<(T, u32), Problem> {
    let begun = Instant::now();
    let name = tool.name.clone();
    let mut talk = Transcript::new(question);
    talk.shown("state", fence::fenced(&seen.from, &seen.text));
    talk.say(format!("Answer by calling `{name}`."));
    let tools = vec![tool];
    let (mut best, mut last) = (None, String::new());
    for calls in 1..=ANSWERS {
        if (thinking.cancelled)() {
            return Err(Problem::new(Code::Lost, "ended by the person"));
        }
        let request = ChatRequest {
            system: Some(prompt().text.to_owned()),
            messages: talk.messages(),
            tools: tools.clone(),
            max_tokens: ANSWER,
            temperature: None,
        };
        let reply = thinking.brain.ask(&request, thinking.limit.saturating_sub(begun.elapsed()), thinking.cancelled)?;
        let answered = talk.answered(&reply.text, &reply.calls);
        let cut = if reply.stop == Stop::Length { ", and was cut off at its limit of tokens" } else { "" };
        let Some((call, written)) = answered.first().zip(reply.calls.first()) else {
            last = format!("it didn't call `{name}`{cut}");
            talk.say(format!("Answer by calling `{name}`."));
            continue;
        };
        for more in answered.iter().skip(1) {
            talk.result(&more.id, "not looked at: one call is enough".to_owned(), None, true);
        }
        let told = match written.name == name {
            true => read(written),
            false => Told::Back(format!("there is no such tool: call `{name}`"), None),
        };
        match told {
            Told::Good(value) => return Ok((value, calls)),
            Told::Back(why, value) => {
                (thinking.tell)(&format!("given back: {}", handeye_engine::wording::shown::line(&why, 200)));
                talk.result(&call.id, "this doesn't hold:".to_owned(), Some(fence::fenced(&seen.from, &why)), true);
                best = value.or(best);
                last = format!("{why}{cut}");
            }
        }
    }
    best.map(|value| (value, ANSWERS)).ok_or_else(|| {
        let why = handeye_engine::wording::shown::line(&last, 300);
        Problem::new(Code::Unavailable, format!("no answer of the model can be used: {why}"))
            .hint("handeye models test agent")
    })
}

/// What is told where a state was too long to be shown as a whole.
pub(super) fn warnings(seen: &Seen) -> Vec<String> {
    let folded = "the page is long: the model was shown a part of it, with the rest folded";
    seen.is_folded.then(|| folded.to_owned()).into_iter().collect()
}
