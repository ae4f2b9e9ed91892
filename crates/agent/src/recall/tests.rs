//! What of a run is kept, and that nothing of what was said is: each row a call and what the file then holds.

use super::*;
use handeye_scene::Wire;
use handeye_scene::chat::Tool;
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

impl Memory {
    fn written(&self) -> String {
        serde_json::to_string(&*self.0.borrow()).expect("it is JSON")
    }
}

const TASK: &str = "log in with hunter22";
const STATE: &str = "[5] button \"Log in\"\n[7] link \"Home [2024]\"\n12 steps";
const ARGUMENTS: &str = r#"{"ref": 7, "expected_text": "Home", "text": "hunter22", "step": 12, "enter": true}"#;

fn settings() -> RoleSettings {
    RoleSettings {
        url: "http://m/v1".into(),
        wire: Wire::default(),
        model: "m".into(),
        key_env: None,
        key_is_named: false,
        timeout: 1.0,
        prices: None,
    }
}

/// The task with a state, and what the model called after it, if anything.
fn request(task: &str, nonce: &str, state: &str) -> ChatRequest {
    let content = format!("state:\n=====data {nonce} from http://a=====\n{state}\n=====end {nonce}=====");
    let messages = vec![Message::user(task), Message::Tool { id: "call_1".into(), content, failed: false }];
    let members = ["ref", "expected_text", "text", "step", "enter", "keys"];
    let members: Map<String, Value> = members.map(|name| (name.to_owned(), json!({}))).into_iter().collect();
    let tool = |name: &str| Tool {
        name: name.into(),
        description: String::new(),
        parameters: json!({"properties": Value::Object(members.clone())}),
    };
    ChatRequest { messages, tools: ["click", "plan", "prove"].map(tool).into(), ..ChatRequest::default() }
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: "c".into(), name: name.into(), arguments: arguments.into() }
}

fn reply(calls: Vec<ToolCall>) -> ChatReply {
    ChatReply { text: "I click".into(), thinking: String::new(), calls, stop: Stop::Tools, usage: Usage::default() }
}

fn asked(request: &ChatRequest) -> Question {
    question(&settings(), request, |number| number < 100).expect("there are no pictures")
}

fn first() -> Question {
    asked(&request(TASK, "n1", STATE))
}

fn recall(memory: &Memory) -> Recall<'_> {
    Recall::new(Some(memory), false, &|_| {})
}

/// What is kept of a run that is done with one answer.
fn learnt(calls: Vec<ToolCall>) -> Memory {
    let memory = Memory::default();
    let mut recall = recall(&memory);
    assert!(recall.find(&first()).is_none());
    recall.note(first(), &reply(calls));
    recall.end(true).expect("it is kept");
    memory
}

fn recalled(memory: &Memory, question: &Question) -> Option<Value> {
    let found = recall(memory).find(question)?;
    serde_json::from_str(&found.calls[0].arguments).ok()
}

#[test]
fn an_answer_is_recalled_where_all_is_shown_as_it_was_but_for_numbers_of_targets() {
    let memory = learnt(vec![call("click", ARGUMENTS)]);
    let again = json!({"ref": 31, "expected_text": "Home", "text": "hunter22", "step": 12, "enter": true});
    let state = "[30] button \"Log in\"\n[31] link \"Home [2024]\"\n12 steps";
    assert_eq!(recalled(&memory, &asked(&request(TASK, "n2", state))), Some(again));
    for (what, task, state) in [
        ("another task", "log in with hunter23", STATE.to_owned()),
        ("another text", TASK, STATE.replace("Log in", "Log out")),
        ("another year", TASK, STATE.replace("2024", "2025")),
        ("another order", TASK, "[7] link \"Home [2024]\"\n[5] button \"Log in\"\n12 steps".to_owned()),
        ("one more", TASK, format!("{STATE}\n[8] link \"x\"")),
        ("one target twice", TASK, STATE.replace("[7]", "[5]")),
    ] {
        assert_eq!(recalled(&memory, &asked(&request(task, "n1", &state))), None, "{what}");
    }
    for (what, model) in [
        ("another model", RoleSettings { model: "m2".into(), ..settings() }),
        ("another server", RoleSettings { url: "http://n/v1".into(), ..settings() }),
        ("another wire", RoleSettings { wire: Wire::Anthropic, ..settings() }),
    ] {
        let other = question(&model, &request(TASK, "n1", STATE), |number| number < 100).expect("no pictures");
        assert_eq!(recalled(&memory, &other), None, "{what}");
    }
}

#[test]
fn nothing_of_a_call_is_kept_but_the_places_of_what_it_holds() {
    let memory = learnt(vec![call("click", ARGUMENTS)]);
    for text in ["hunter", "Home", "12"] {
        let place = format!("\"{text}");
        assert!(!memory.written().contains(&place), "{text}: {}", memory.written());
    }
    assert!(!memory.written().contains("hunter"));
    let kept = |calls: Vec<ToolCall>| !learnt(calls).0.borrow().is_empty();
    let typed = |text: &str| vec![call("click", &json!({"ref": 5, "text": text}).to_string())];
    for (what, calls, wanted) in [
        ("whole", typed("hunter22"), true),
        ("a part of the task", typed("with hunter22"), true),
        ("prefix", typed("ann:hunter22"), false),
        ("suffix", typed("hunter22\n"), false),
        ("embedded", typed("<hunter22>"), false),
        ("in other letters", typed("HUNTER22"), false),
        ("in a list", vec![call("click", r#"{"keys": ["hunter22", "hunter22\t"]}"#)], false),
        ("a number", vec![call("click", r#"{"text": 4711}"#)], false),
        ("the number of nothing that is shown", vec![call("click", r#"{"ref": 4711}"#)], false),
        ("as a member", vec![call("click", r#"{"ref": 5, "hunter22": true}"#)], false),
        ("in an object", vec![call("click", r#"{"text": {"hunter22": true}}"#)], false),
        ("nothing", Vec::new(), false),
        ("cut off", vec![call("click", "{\"ref\": 5, \"expec")], false),
        ("a plan", vec![call("plan", r#"{"text": "hunter22"}"#)], false),
        ("a proof", vec![call("prove", r#"{"text": "Home"}"#)], false),
        ("beside a plan", vec![call("click", r#"{"ref": 5}"#), call("plan", r#"{"text": "Home"}"#)], false),
        ("too long", (0..200).map(|_| call("click", ARGUMENTS)).collect(), false),
    ] {
        assert_eq!(kept(calls), wanted, "{what}");
    }
}

#[test]
fn how_a_model_words_what_it_notes_for_itself_decides_nothing_and_what_it_does_decides() {
    let after = |name: &str, arguments: &str, result: &str| {
        let mut request = request(TASK, "n1", STATE);
        let calls = vec![call(name, arguments)];
        let said = Message::Assistant { text: String::new(), calls };
        let result = Message::Tool { id: "c".into(), content: result.into(), failed: false };
        request.messages.extend([said, result]);
        asked(&request).key
    };
    let one = r#"{"constraints": ["Ann is logged in"]}"#;
    let other = r#"{"constraints": ["it is done"]}"#;
    assert_eq!(after("plan", one, "1 constraints are held"), after("plan", other, "1 constraints are held"));
    assert_ne!(after("plan", one, "1 constraints are held"), after("plan", one, "2 constraints are held"));
    assert_ne!(after("plan", one, "ok"), after("prove", one, "ok"));
    assert_ne!(after("click", r#"{"ref": 5}"#, "ok"), after("click", r#"{"ref": 7}"#, "ok"));
    // In whatever order.
    let (one, other) = (r#"{"ref": 5, "text": "a"}"#, r#"{"text": "a", "ref": 5}"#);
    assert_eq!(after("click", one, "ok"), after("click", other, "ok"));
}

#[test]
fn only_what_led_to_its_end_is_kept() {
    let memory = Memory::default();
    let mut first_run = recall(&memory);
    first_run.note(first(), &reply(vec![call("click", ARGUMENTS)]));
    first_run.end(false).expect("nothing is written");
    assert!(memory.0.borrow().is_empty());
    // What was recalled in a run that came to nothing is forgotten, and nothing else.
    let memory = learnt(vec![call("click", ARGUMENTS)]);
    let mut again = recall(&memory);
    assert!(again.find(&first()).is_some() && again.count() == 1);
    // Written by another run meanwhile.
    memory.0.borrow_mut().push(Recalled { key: "other".into(), calls: Vec::new() });
    again.end(false).expect("it is forgotten");
    let keys = |memory: &Memory| memory.0.borrow().iter().map(|one| one.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&memory), ["other"]);
    // Asked anew, nothing is recalled, and the new answer takes the place of the old one.
    let memory = learnt(vec![call("click", ARGUMENTS)]);
    memory.0.borrow_mut().push(Recalled { key: "other".into(), calls: Vec::new() });
    let mut anew = Recall::new(Some(&memory), true, &|_| {});
    assert!(anew.find(&first()).is_none());
    anew.note(first(), &reply(vec![call("click", r#"{"ref": 5}"#)]));
    anew.end(true).expect("it is kept");
    assert_eq!(keys(&memory), [first().key, "other".into()]);
    assert_eq!(recalled(&memory, &first()), Some(json!({"ref": 5})));
}
