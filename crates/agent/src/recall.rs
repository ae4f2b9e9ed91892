//! Answers of the model that are known from an earlier run of the same task: where everything that it was shown up to then is shown
//! again, word for word, it isn't asked again. Only numbers of targets may be others, each in place of the same one throughout; so a
//! recalled call names the target that stands where the one of then stood, with the same role and texts. Everything else about the
//! call is as if the model had made it now: the policy, its expected text, the guard, the verdict. Where one thing is shown otherwise,
//! the model is asked from there on.

use handeye_scene::Problem;
use handeye_scene::chat::{ChatReply, ChatRequest, Message, Part, Stop, ToolCall, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write;

/// So many answers are kept; those that were used longest ago go first.
const MOST: usize = 1_000;
/// Bytes of the calls of an answer that is kept.
const LONGEST: usize = 4_000;
/// Members of arguments that hold numbers of targets.
const NUMBERS: [&str; 5] = ["ref", "target", "to", "mark_id", "mark_ids"];
/// Stands for a part of the task's own words, which may hold what isn't to be kept: where it begins, and its length.
const TASK: &str = "$task";
/// What of a text stands for the task's words is at least this long.
const WORDY: usize = 3;

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

/// A call, with numbers of targets in the order in which they were first shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    name: String,
    arguments: Value,
}

/// A question to the model, as it is known again.
pub struct Question {
    key: String,
    numbers: Numbers,
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

/// What is recalled in a run, and what is learnt in it.
pub struct Recall<'a> {
    store: Option<&'a dyn Recalls>,
    task: String,
    known: Vec<Recalled>,
    fresh: Vec<Recalled>,
    /// Those that were recalled.
    used: Vec<Recalled>,
}

impl<'a> Recall<'a> {
    /// For a run of a task. What can't be read is told, and nothing is recalled.
    pub fn new(store: Option<&'a dyn Recalls>, task: &str, tell: &dyn Fn(&str)) -> Self {
        let known = store.map_or(Ok(Vec::new()), Recalls::read).unwrap_or_else(|problem| {
            tell(&format!("  {}", problem.message));
            Vec::new()
        });
        Self { store, task: task.to_owned(), known, fresh: Vec::new(), used: Vec::new() }
    }

    /// How many answers were recalled.
    pub fn count(&self) -> u32 {
        self.used.len() as u32
    }

    /// The known answer to a question, if there is one.
    pub fn find(&mut self, question: &Question) -> Option<ChatReply> {
        let found = self.known.iter().find(|known| known.key == question.key)?.clone();
        let calls = found.calls.iter().enumerate().map(|(at, call)| {
            let arguments = self.spelled(&call.arguments, &question.numbers, None)?;
            Some(ToolCall { id: format!("recalled_{at}"), name: call.name.clone(), arguments: arguments.to_string() })
        });
        let calls = calls.collect::<Option<Vec<_>>>()?;
        self.used.push(found);
        let (text, thinking) = (String::new(), String::new());
        Some(ChatReply { text, thinking, calls, stop: Stop::Tools, usage: Usage::default() })
    }

    /// Notes an answer of the model: it is known from then on, if the task is done by it.
    pub fn note(&mut self, mut question: Question, reply: &ChatReply) {
        let known = |call: &ToolCall| {
            let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).ok()?;
            let arguments = self.kept(&Value::Object(arguments), &mut question.numbers, None);
            Some(Known { name: call.name.clone(), arguments })
        };
        let calls = reply.calls.iter().map(known).collect::<Option<Vec<_>>>();
        let Some(calls) = calls.filter(|calls| !calls.is_empty()) else { return };
        let size: usize = calls.iter().map(|call| call.arguments.to_string().len()).sum();
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
        let others: Vec<Recalled> =
            self.known.into_iter().filter(|known| !is_in(&self.used, known) && !is_in(&self.fresh, known)).collect();
        let good = if is_done { [self.fresh, self.used].concat() } else { Vec::new() };
        let all: Vec<Recalled> = good.into_iter().chain(others).take(MOST).collect();
        store.write(&all)
    }

    /// Arguments as they are kept.
    fn kept(&self, value: &Value, numbers: &mut Numbers, member: Option<&str>) -> Value {
        match value {
            Value::Object(members) => {
                let kept = members.iter().map(|(name, value)| (name.clone(), self.kept(value, numbers, Some(name))));
                Value::Object(kept.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.kept(item, numbers, member)).collect(),
            Value::Number(number) if is_number(member) => match number.as_u64().filter(|number| *number > 0) {
                Some(number) => json!(numbers.place(number)),
                None => value.clone(),
            },
            Value::String(text) if text.len() >= WORDY => match self.task.find(text.as_str()) {
                Some(at) => json!({ TASK: [at, text.len()] }),
                None => value.clone(),
            },
            other => other.clone(),
        }
    }

    /// Arguments as they are now; none where they name a target that isn't shown.
    fn spelled(&self, value: &Value, numbers: &Numbers, member: Option<&str>) -> Option<Value> {
        Some(match value {
            Value::Object(members) => match members.get(TASK).and_then(Value::as_array).map(Vec::as_slice) {
                Some([at, length]) => {
                    let (at, length) = (at.as_u64()? as usize, length.as_u64()? as usize);
                    self.task.get(at..at.checked_add(length)?)?.into()
                }
                _ => {
                    let spelled = |(name, value): (&String, &Value)| {
                        Some((name.clone(), self.spelled(value, numbers, Some(name))?))
                    };
                    Value::Object(members.iter().map(spelled).collect::<Option<_>>()?)
                }
            },
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.spelled(item, numbers, member)).collect::<Option<_>>()?)
            }
            Value::Number(place) if is_number(member) => match place.as_u64()? as usize {
                0 => value.clone(),
                place => json!(numbers.order.get(place - 1)?),
            },
            other => other.clone(),
        })
    }
}

fn is_number(member: Option<&str>) -> bool {
    member.is_some_and(|member| NUMBERS.contains(&member))
}

/// A question to a model. `is_shown`: whether a number is that of a target that was shown. None where pictures are shown: no two are
/// alike.
pub fn question(model: &str, request: &ChatRequest, is_shown: impl Fn(u64) -> bool) -> Option<Question> {
    let mut numbers = Numbers::default();
    let tools = serde_json::to_string(&request.tools).unwrap_or_default();
    let mut text = format!("{model}\n{}\n{tools}", request.system.as_deref().unwrap_or_default());
    for message in &request.messages {
        match message {
            Message::User { parts } => {
                for part in parts {
                    let Part::Text { text: said } = part else { return None };
                    let _ = write!(text, "\nperson {}:{said}", said.len());
                }
            }
            // What it said beside its calls decides nothing.
            Message::Assistant { calls, .. } => {
                for call in calls {
                    let arguments = serde_json::from_str(&call.arguments).unwrap_or_default();
                    let _ = write!(text, "\ncall {} {}", call.name, renumbered(arguments, &mut numbers, None));
                }
            }
            Message::Tool { content, failed, .. } => {
                let content = told(content, &mut numbers, &is_shown);
                let _ = write!(text, "\nresult {failed} {}:{content}", content.len());
            }
        }
    }
    let digest = Sha256::digest(text.as_bytes());
    let key = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Question { key, numbers })
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
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[derive(Default)]
    struct Memory(RefCell<Vec<Recalled>>);

    impl Recalls for Memory {
        fn read(&self) -> Result<Vec<Recalled>, Problem> {
            Ok(self.0.borrow().clone())
        }

        fn write(&self, all: &[Recalled]) -> Result<(), Problem> {
            *self.0.borrow_mut() = all.to_vec();
            Ok(())
        }
    }

    fn request(task: &str, nonce: &str, state: &str) -> ChatRequest {
        let content = format!("state:\n=====data {nonce} from http://a=====\n{state}\n=====end {nonce}=====");
        let messages = vec![Message::user(task), Message::Tool { id: "call_1".into(), content, failed: false }];
        ChatRequest { messages, ..ChatRequest::default() }
    }

    fn reply(arguments: &str) -> ChatReply {
        let call = ToolCall { id: "c".into(), name: "click".into(), arguments: arguments.into() };
        let text = "I click".to_owned();
        ChatReply { text, thinking: String::new(), calls: vec![call], stop: Stop::Tools, usage: Usage::default() }
    }

    fn asked(request: &ChatRequest) -> Question {
        question("m", request, |number| number < 100).expect("there are no pictures")
    }

    const TASK_TEXT: &str = "log in with hunter22";
    const STATE: &str = "[5] button \"Log in\"\n[7] link \"Home [2024]\"";

    fn learnt() -> Memory {
        let memory = Memory::default();
        let mut recall = Recall::new(Some(&memory), TASK_TEXT, &|_| {});
        let first = request(TASK_TEXT, "n1", STATE);
        assert!(recall.find(&asked(&first)).is_none());
        recall.note(asked(&first), &reply(r#"{"ref": 7, "expected_text": "Home", "text": "hunter22", "step": 5}"#));
        recall.end(true).expect("it is kept");
        memory
    }

    fn recalled(memory: &Memory, request: &ChatRequest) -> Option<Value> {
        let found = Recall::new(Some(memory), TASK_TEXT, &|_| {}).find(&asked(request))?;
        serde_json::from_str(&found.calls[0].arguments).ok()
    }

    #[test]
    fn an_answer_is_recalled_where_all_is_shown_as_it_was_but_for_numbers_of_targets() {
        let memory = learnt();
        assert!(!serde_json::to_string(&*memory.0.borrow()).expect("it is JSON").contains("hunter22"));
        let again = json!({"ref": 31, "expected_text": "Home", "text": "hunter22", "step": 5});
        let state = "[30] button \"Log in\"\n[31] link \"Home [2024]\"";
        assert_eq!(recalled(&memory, &request(TASK_TEXT, "n2", state)), Some(again));
        for (what, task, state) in [
            ("another task", "log in with hunter23", STATE),
            ("another text", TASK_TEXT, "[5] button \"Log out\"\n[7] link \"Home [2024]\""),
            ("another year", TASK_TEXT, "[5] button \"Log in\"\n[7] link \"Home [2025]\""),
            ("another order", TASK_TEXT, "[7] link \"Home [2024]\"\n[5] button \"Log in\""),
            ("one more", TASK_TEXT, "[5] button \"Log in\"\n[7] link \"Home [2024]\"\n[8] link \"x\""),
            ("one target twice", TASK_TEXT, "[5] button \"Log in\"\n[5] link \"Home [2024]\""),
        ] {
            assert_eq!(recalled(&memory, &request(task, "n1", state)), None, "{what}");
        }
        let other = question("m2", &request(TASK_TEXT, "n1", STATE), |_| true).expect("there are no pictures");
        assert!(Recall::new(Some(&memory), TASK_TEXT, &|_| {}).find(&other).is_none(), "another model");
    }

    #[test]
    fn only_what_led_to_its_end_is_kept() {
        let question = || asked(&request(TASK_TEXT, "n1", STATE));
        let memory = Memory::default();
        let mut recall = Recall::new(Some(&memory), TASK_TEXT, &|_| {});
        recall.note(question(), &reply(r#"{"ref": 5}"#));
        recall.end(false).expect("nothing is written");
        assert!(memory.0.borrow().is_empty());
        // What was recalled in a run that came to nothing is forgotten, and nothing else.
        let memory = learnt();
        memory.0.borrow_mut().push(Recalled { key: "other".into(), calls: Vec::new() });
        let mut recall = Recall::new(Some(&memory), TASK_TEXT, &|_| {});
        assert!(recall.find(&question()).is_some() && recall.count() == 1);
        recall.end(false).expect("it is forgotten");
        assert_eq!(memory.0.borrow().iter().map(|one| one.key.as_str()).collect::<Vec<_>>(), ["other"]);
        // Calls that can't be read are never known, nor what is too long.
        let memory = Memory::default();
        let mut recall = Recall::new(Some(&memory), TASK_TEXT, &|_| {});
        recall.note(question(), &reply("{\"ref\": 5, \"expec"));
        recall.note(question(), &reply(&json!({"text": "x".repeat(LONGEST)}).to_string()));
        recall.end(true).expect("nothing is written");
        assert!(memory.0.borrow().is_empty());
    }
}
