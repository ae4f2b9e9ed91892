//! Answers of the model that are known from an earlier run of the same task: where everything that it was shown up to then is shown
//! again, word for word, it isn't asked again. Only numbers of targets may be others, each in place of the same one throughout; so a
//! recalled call names the target that stands where the one of then stood, with the same role and texts. Everything else about the
//! call is as if the model had made it now: the policy, its expected text, the guard, the verdict. Where one thing is shown otherwise,
//! the model is asked from there on.
//!
//! Only calls that act or look are kept, and nothing of what they say: each text and number of them is kept as its place in what the
//! model was asked, which is known again by its digest alone. An answer with a text that doesn't stand there isn't kept.

use crate::tools::{HANDS, ON_DESKTOP};
use handeye_scene::chat::{ChatReply, ChatRequest, Message, Part, Stop, ToolCall, Usage};
use handeye_scene::{Problem, RoleSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// So many answers are kept; those that were used longest ago go first.
const MOST: usize = 1_000;
/// Bytes of the calls of an answer that is kept.
const LONGEST: usize = 4_000;
/// Members of arguments that hold numbers of targets.
const NUMBERS: [&str; 5] = ["ref", "target", "to", "mark_id", "mark_ids"];

/// Keeps known answers, in whatever was written last.
pub trait Recalls {
    /// All of them; a problem where they are there and can't be trusted or read.
    fn read(&self) -> Result<Vec<Recalled>, Problem>;
    /// Puts these in their place.
    fn write(&self, all: &[Recalled]) -> Result<(), Problem>;
}

/// A known answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recalled {
    /// The digest of what was asked, and of all that was shown.
    key: String,
    /// What was called.
    calls: Vec<Known>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Name of the command.
    name: String,
    /// Its arguments by their declared names.
    arguments: BTreeMap<String, Place>,
}

/// A value by where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Place {
    /// A target, in the order in which they were first shown, from 1.
    Target(usize),
    /// A text: where it begins in what was asked, and its bytes.
    Text(usize, usize),
    /// A number that is written there.
    Number(usize, usize),
    /// Yes or no.
    Flag(bool),
    /// Nothing.
    Null,
    /// Several of them.
    List(Vec<Place>),
}

/// A question to the model, as it is known again.
pub struct Question {
    key: String,
    /// What is asked, without what is another one each time.
    text: String,
    numbers: Numbers,
    /// Names of members by the tool that takes them.
    members: HashMap<String, Vec<String>>,
}

/// Numbers of targets in the order in which they were first shown.
#[derive(Debug, Default)]
struct Numbers {
    places: HashMap<u64, usize>,
    order: Vec<u64>,
}

impl Numbers {
    fn place(&mut self, number: u64) -> usize {
        *self.places.entry(number).or_insert_with(|| {
            self.order.push(number);
            self.order.len()
        })
    }
}

impl Question {
    /// A call as it is kept; none where it isn't one that acts or looks, or holds what doesn't stand in the question.
    fn known(&self, call: &ToolCall) -> Option<Known> {
        let name = call.name.clone();
        let members = self.members.get(&name).filter(|_| is_hand(&name))?;
        let arguments: Map<String, Value> = match call.arguments.trim() {
            "" => Map::new(),
            written => serde_json::from_str(written).ok()?,
        };
        let placed = |(member, value): (String, Value)| {
            let place = self.place(&value, NUMBERS.contains(&member.as_str()))?;
            members.contains(&member).then_some((member, place))
        };
        Some(Known { arguments: arguments.into_iter().map(placed).collect::<Option<_>>()?, name })
    }

    fn place(&self, value: &Value, is_target: bool) -> Option<Place> {
        let find = |written: &str| Some((self.text.find(written)?, written.len()));
        Some(match value {
            Value::Null => Place::Null,
            Value::Bool(flag) => Place::Flag(*flag),
            Value::Number(number) if is_target => Place::Target(*self.numbers.places.get(&number.as_u64()?)?),
            Value::Number(number) => find(&number.to_string()).map(|(at, length)| Place::Number(at, length))?,
            Value::String(text) => find(text).map(|(at, length)| Place::Text(at, length))?,
            Value::Array(items) => {
                Place::List(items.iter().map(|item| self.place(item, is_target)).collect::<Option<_>>()?)
            }
            Value::Object(_) => return None,
        })
    }

    /// The value that stands at a place now.
    fn value(&self, place: &Place) -> Option<Value> {
        let written = |at: usize, length: usize| self.text.get(at..at.checked_add(length)?);
        Some(match place {
            Place::Target(place) => json!(self.numbers.order.get(place.checked_sub(1)?)?),
            Place::Text(at, length) => written(*at, *length)?.into(),
            Place::Number(at, length) => Value::Number(serde_json::from_str(written(*at, *length)?).ok()?),
            Place::Flag(flag) => (*flag).into(),
            Place::Null => Value::Null,
            Place::List(places) => places.iter().map(|place| self.value(place)).collect::<Option<_>>()?,
        })
    }
}

fn is_hand(name: &str) -> bool {
    HANDS.contains(&name) || ON_DESKTOP.contains(&name)
}

/// What is recalled in a run, and what is learnt in it.
pub struct Recall<'a> {
    store: Option<&'a dyn Recalls>,
    known: Vec<Recalled>,
    fresh: Vec<Recalled>,
    /// Those that were recalled.
    used: Vec<Recalled>,
}

impl<'a> Recall<'a> {
    /// For a run of a task. What can't be read is told, and nothing is recalled; nor is anything where all is asked anew.
    pub fn new(store: Option<&'a dyn Recalls>, is_anew: bool, tell: &dyn Fn(&str)) -> Self {
        let known = store.filter(|_| !is_anew).map_or(Ok(Vec::new()), Recalls::read).unwrap_or_else(|problem| {
            tell(&format!("  {}", problem.message));
            Vec::new()
        });
        Self { store, known, fresh: Vec::new(), used: Vec::new() }
    }

    /// How many answers were recalled.
    pub fn count(&self) -> u32 {
        self.used.len() as u32
    }

    /// The known answer to a question, if there is one.
    pub fn find(&mut self, question: &Question) -> Option<ChatReply> {
        let found = self.known.iter().find(|known| known.key == question.key)?.clone();
        let calls = found.calls.iter().enumerate().map(|(at, call)| {
            let spelled = |(name, place): (&String, &Place)| Some((name.clone(), question.value(place)?));
            let arguments = Value::Object(call.arguments.iter().map(spelled).collect::<Option<_>>()?);
            let is_known = is_hand(&call.name);
            is_known.then(|| ToolCall {
                id: format!("recalled_{at}"),
                name: call.name.clone(),
                arguments: arguments.to_string(),
            })
        });
        let calls = calls.collect::<Option<Vec<_>>>()?;
        self.used.push(found);
        let (text, thinking) = (String::new(), String::new());
        Some(ChatReply { text, thinking, calls, stop: Stop::Tools, usage: Usage::default() })
    }

    /// Notes an answer of the model: it is known from then on, if the task is done by it.
    pub fn note(&mut self, question: Question, reply: &ChatReply) {
        let calls = reply.calls.iter().map(|call| question.known(call)).collect::<Option<Vec<_>>>();
        let Some(calls) = calls.filter(|calls| !calls.is_empty()) else { return };
        let size = serde_json::to_string(&calls).map_or(usize::MAX, |written| written.len());
        if size <= LONGEST {
            self.fresh.push(Recalled { key: question.key, calls });
        }
    }

    /// Keeps what was learnt by a run that came to its end as it should; forgets what led another one astray.
    pub fn end(self, is_done: bool) -> Result<(), Problem> {
        let Some(store) = self.store.filter(|_| is_done && !self.fresh.is_empty() || !self.used.is_empty()) else {
            return Ok(());
        };
        let is_in = |list: &[Recalled], one: &Recalled| list.iter().any(|other| other.key == one.key);
        // Other runs may have written meanwhile. What can't be trusted was told of at the start, and is replaced.
        let others = store.read().unwrap_or_default();
        let others = others.into_iter().filter(|known| !is_in(&self.used, known) && !is_in(&self.fresh, known));
        let others: Vec<Recalled> = others.collect();
        let good = if is_done { [self.fresh, self.used].concat() } else { Vec::new() };
        let all: Vec<Recalled> = good.into_iter().chain(others).take(MOST).collect();
        store.write(&all)
    }
}

/// A question to the model that is reached by these settings. `is_shown`: whether a number is that of a target that was shown. None
/// where pictures are shown: no two are alike.
pub fn question(model: &RoleSettings, request: &ChatRequest, is_shown: impl Fn(u64) -> bool) -> Option<Question> {
    let mut numbers = Numbers::default();
    let tools = serde_json::to_string(&request.tools).unwrap_or_default();
    let (url, wire, name) = (&model.url, model.wire, &model.model);
    let mut text = format!("{url}\n{wire:?}\n{name}\n{}\n{tools}", request.system.as_deref().unwrap_or_default());
    // No text of a call reaches from one part into the next.
    for message in &request.messages {
        match message {
            Message::User { parts } => {
                for part in parts {
                    let Part::Text { text: said } = part else { return None };
                    let _ = write!(text, "\0person {}:{said}", said.len());
                }
            }
            // What it said beside its calls decides nothing, nor how it worded what it noted for itself: what came of that is shown.
            Message::Assistant { calls, .. } => {
                for call in calls {
                    let arguments = match is_hand(&call.name) {
                        true => serde_json::from_str(&call.arguments).unwrap_or_default(),
                        false => Value::Null,
                    };
                    let _ = write!(text, "\0call {} {}", call.name, renumbered(arguments, &mut numbers, None));
                }
            }
            Message::Tool { content, failed, .. } => {
                let content = told(content, &mut numbers, &is_shown);
                let _ = write!(text, "\0result {failed} {}:{content}", content.len());
            }
        }
    }
    let digest = Sha256::digest(text.as_bytes());
    let key = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let members = request.tools.iter().map(|tool| {
        let members = tool.parameters.get("properties").and_then(Value::as_object);
        (tool.name.clone(), members.into_iter().flatten().map(|(name, _)| name.clone()).collect())
    });
    Some(Question { key, text, numbers, members: members.collect() })
}

fn is_number(member: Option<&str>) -> bool {
    member.is_some_and(|member| NUMBERS.contains(&member))
}

fn renumbered(value: Value, numbers: &mut Numbers, member: Option<&str>) -> Value {
    match value {
        Value::Object(members) => {
            let renumbered = |(name, value): (String, Value)| {
                let value = renumbered(value, numbers, Some(&name));
                (name, value)
            };
            Value::Object(members.into_iter().map(renumbered).collect())
        }
        Value::Array(items) => items.into_iter().map(|item| renumbered(item, numbers, member)).collect(),
        Value::Number(number) if is_number(member) => match number.as_u64().filter(|number| *number > 0) {
            Some(number) => json!(numbers.place(number)),
            None => Value::Number(number),
        },
        other => other,
    }
}

/// What a call returned, without what is another one each time: the letters of fences, and numbers of targets.
fn told(content: &str, numbers: &mut Numbers, is_shown: &impl Fn(u64) -> bool) -> String {
    let mut out = String::with_capacity(content.len());
    for line in content.lines() {
        match line.strip_prefix("=====data ").or_else(|| line.strip_prefix("=====end ")) {
            Some(rest) => {
                let from = rest.split_once(' ').map_or("", |(_, from)| from);
                let _ = writeln!(out, "===== {from}");
                continue;
            }
            None => renumber(line, numbers, is_shown, &mut out),
        }
        out.push('\n');
    }
    out
}

fn renumber(line: &str, numbers: &mut Numbers, is_shown: &impl Fn(u64) -> bool, out: &mut String) {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let number = after.split_once(']').and_then(|(number, tail)| Some((number.parse::<u64>().ok()?, tail)));
        match number.filter(|(number, _)| is_shown(*number)) {
            Some((number, tail)) => {
                let _ = write!(out, "[#{}]", numbers.place(number));
                rest = tail;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests;
