//! AG-UI 1.0 over HTTP: runs, calls of both sides, interrupts, replay.

use super::client::{Answer, begin, read, send};
use super::conformance::scripted;
use super::server::{Chat, Database, JSON, WAYS, browser_tools, page, settings};
use handeye_testkit::models::{Answer as Says, Asked, ModelServer};
use serde_json::{Value, json};
use std::sync::{Mutex, mpsc};

const RUN: &str = "POST /api/v1/agui";
const USER: (&str, &str) = ("x-user-id", "ann");

fn input(run: &str, messages: &Value) -> Value {
    json!({
        "threadId": "t-1", "runId": run, "state": {}, "messages": messages, "tools": browser_tools(), "context": [],
        "forwardedProps": {"current_page_info": page()}
    })
}

fn user(text: &str) -> Value {
    json!([{"id": "m", "role": "user", "content": text}])
}

fn ask(chat: &Chat, input: &Value) -> Answer {
    send(chat.port, RUN, &[JSON, USER], input.to_string().as_bytes()).unwrap()
}

/// Events with their ids.
#[track_caller]
fn told(answer: &Answer) -> Vec<(String, Value)> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let event = |text: &str| {
        let (id, data) = text.split_once('\n').unwrap_or_else(|| panic!("no id: {text}"));
        let data = data.strip_prefix("data: ").unwrap_or_else(|| panic!("no data: {text}"));
        (id.strip_prefix("id: ").unwrap().to_owned(), serde_json::from_str(data).unwrap())
    };
    answer.body.split("\n\n").filter(|text| !text.is_empty() && !text.starts_with(':')).map(event).collect()
}

fn types(answer: &Answer) -> Vec<String> {
    told(answer).iter().map(|(_, event)| event["type"].as_str().unwrap().to_owned()).collect()
}

fn outcome(answer: &Answer) -> Value {
    told(answer).last().unwrap().1["outcome"].clone()
}

#[test]
pub(super) fn a_conversation_with_calls_of_both_sides_and_an_approval() {
    let search = super::models::search_server();
    let model = scripted([
        Says::Call(vec![("clear_ai_styles".into(), "{}".into()), ("get_selected_text".into(), "{}".into())]),
        Says::Call(vec![
            ("search_web".into(), "{\"query\": \"a\"}".into()),
            ("search_web".into(), "{\"query\": \"b\"}".into()),
        ]),
        Says::Say("完成".into()),
    ]);
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    let chat = Chat::plain(&Database::new(), &settings);
    let first = ask(&chat, &input("r-1", &user("做")));
    let tool = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"];
    assert_eq!(types(&first), [&["RUN_STARTED"][..], &tool, &tool, &["RUN_FINISHED"]].concat());
    let ids = outcome(&first)["pendingToolCallIds"].clone();
    assert_eq!((outcome(&first)["type"].as_str(), ids.as_array().map(Vec::len)), (Some("success"), Some(2)));
    let result = |id: &Value| json!([{"id": "m", "role": "tool", "toolCallId": id, "content": "{\"success\": true}"}]);
    let second = ask(&chat, &input("r-2", &result(&ids[1])));
    assert_eq!(outcome(&second), json!({"type": "success", "pendingToolCallIds": [ids[0]]}), "one waits still");
    let third = ask(&chat, &input("r-3", &result(&ids[0])));
    let interrupt = outcome(&third)["interrupts"][0].clone();
    assert_eq!(
        (&interrupt["reason"], &interrupt["metadata"]["tool_name"]),
        (&json!("tool_call"), &json!("search_web"))
    );
    assert_eq!(outcome(&third)["interrupts"].as_array().map(Vec::len), Some(1), "one decision at a time");
    assert_eq!(search.asked(), Vec::<String>::new());
    let resume = |run: &str, interrupt: &Value, payload: Value| {
        let mut input = input(run, &json!([]));
        input["resume"] = json!([{"interruptId": interrupt["id"], "status": "resolved", "payload": payload}]);
        input
    };
    let approved = json!({"approved": true, "hash": interrupt["metadata"]["hash"]});
    let fourth = ask(&chat, &resume("r-4", &interrupt, approved));
    assert!(types(&fourth).contains(&"TOOL_CALL_RESULT".to_owned()), "{fourth:?}");
    let interrupt = outcome(&fourth)["interrupts"][0].clone();
    let mut refusal = input("r-5", &json!([]));
    refusal["resume"] = json!([{"interruptId": interrupt["id"], "status": "cancelled"}]);
    assert_eq!(outcome(&ask(&chat, &refusal)), json!({"type": "success"}));
    assert_eq!(search.asked(), ["a"]);
    let last = ask(&chat, &input("r-6", &user("继续")));
    let text: String = told(&last).iter().filter_map(|(_, event)| event["delta"].as_str()).collect();
    assert_eq!(text, "完成");
    assert_eq!(types(&last)[..2], ["RUN_STARTED", "TEXT_MESSAGE_START"]);
    // The same run sent again is told again, and the model isn't asked.
    assert_eq!(types(&ask(&chat, &input("r-6", &user("继续")))).len(), 5);
    assert_eq!(model.asked().len(), 3);
    let wrong = ask(&chat, &json!({"threadId": "t-1", "messages": []}));
    assert_eq!((wrong.status, wrong.json()["error"]["field"].clone()), (422, json!("runId")));
}

#[test]
pub(super) fn who_lost_the_connection_hears_the_rest_once() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let model = ModelServer::new(move |_: &Asked| {
        wait.lock().unwrap().recv().unwrap();
        Says::Say("一二三四五六七八九".into())
    });
    let database = Database::new();
    let settings = settings(&model, WAYS[0]);
    let chat = Chat::plain(&database, &settings);
    let lost = begin(chat.port, RUN, &[JSON, USER], input("r-1", &user("问")).to_string().as_bytes()).unwrap();
    while model.asked().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(lost);
    let busy = ask(&chat, &input("r-2", &user("又问")));
    assert_eq!((busy.status, busy.code().as_str()), (409, "run_in_progress"));
    let line = "GET /api/v1/agui/t-1/events";
    let mut listening = begin(chat.port, line, &[USER, ("last-event-id", "r-1:0")], b"").unwrap();
    go.send(()).unwrap();
    let rest = read(&mut listening).unwrap();
    let ids: Vec<String> = told(&rest).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["r-1:1", "r-1:2", "r-1:3", "r-1:4", "r-1:5", "r-1:6"], "{rest:?}");
    let part = send(chat.port, line, &[USER, ("last-event-id", "r-1:4")], b"").unwrap();
    assert_eq!(told(&part), told(&rest)[4..]);
    // After a restart, what is kept is told whole.
    drop(chat);
    let chat = Chat::plain(&database, &settings);
    let kept = send(chat.port, line, &[USER, ("last-event-id", "r-1:4")], b"").unwrap();
    let events: Vec<Value> = told(&kept).into_iter().map(|(_, event)| event).collect();
    assert_eq!(events[1]["messages"][1]["content"], json!("一二三四五六七八九"), "{kept:?}");
    assert_eq!(outcome(&kept), json!({"type": "success"}));
    let other = send(chat.port, line, &[("x-user-id", "bob")], b"").unwrap();
    assert_eq!((other.status, other.code().as_str()), (404, "not_found"));
}

/// A run of one server, followed at another: it is told when it is over, and what it waits for.
pub(super) fn a_run_of_another_server_is_followed_to_its_end() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let search = super::models::search_server();
    let model = ModelServer::new(move |asked: &Asked| {
        let _ = wait.lock().unwrap().recv();
        match asked.number {
            0 => Says::Call(vec![("search_web".into(), "{\"query\": \"a\"}".into())]),
            _ => Says::Say("一二三".into()),
        }
    });
    let database = Database::new();
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    let (here, there) = (Chat::plain(&database, &settings), Chat::plain(&database, &settings));
    let follow = || begin(there.port, "GET /api/v1/agui/t-1/events", &[USER], b"").unwrap();
    let asking = |chat: &Chat, input: Value| {
        let (body, before) = (input.to_string(), model.asked().len());
        let lost = begin(chat.port, RUN, &[JSON, USER], body.as_bytes()).unwrap();
        while model.asked().len() == before {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        lost
    };
    let lost = asking(&here, input("r-1", &user("查")));
    let mut following = follow();
    go.send(()).unwrap();
    let first = read(&mut following).unwrap();
    assert_eq!(types(&first), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"], "{first:?}");
    let interrupt = outcome(&first)["interrupts"][0].clone();
    assert_eq!(interrupt["metadata"]["tool_name"], "search_web", "{first:?}");
    drop(lost);
    // The decision at the other server, and the rest followed at the first.
    let mut resume = input("r-2", &json!([]));
    resume["resume"] = json!([{"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": true}}]);
    let lost = asking(&there, resume);
    let line = "GET /api/v1/agui/t-1/events";
    let mut following = begin(here.port, line, &[USER, ("last-event-id", "r-2:2")], b"").unwrap();
    // Who heard the run before hears that it is over, at whichever server: nobody waits for the one that goes on.
    for server in [&here, &there] {
        let before = send(server.port, line, &[USER, ("last-event-id", "r-1:2")], b"").unwrap();
        assert_eq!(types(&before), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"], "{before:?}");
        assert_eq!(outcome(&before), json!({"type": "success"}));
    }
    go.send(()).unwrap();
    let second = read(&mut following).unwrap();
    let (_, snapshot) = told(&second)[1].clone();
    assert_eq!(snapshot["messages"].as_array().unwrap().last().unwrap()["content"], "一二三", "{second:?}");
    assert_eq!(outcome(&second), json!({"type": "success"}));
    drop(lost);
    // One that fails says so.
    let lost = asking(&here, input("r-3", &user("再")));
    let mut following = follow();
    let cancelled = send(there.port, "POST /api/v1/conversations/t-1/cancel", &[USER], b"").unwrap();
    assert_eq!(cancelled.json(), json!({"cancelled": true}));
    let third = read(&mut following).unwrap();
    assert_eq!(outcome(&third)["type"], "cancelled", "{third:?}");
    drop((lost, go));
}

/// Who lost the connection to a run hears what came of it, though another run followed.
#[test]
pub(super) fn the_rest_of_a_run_is_told_though_another_followed() {
    let model = scripted([Says::Say("一二三".into()), Says::Say("四五六".into())]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    ask(&chat, &input("o-1", &user("问")));
    ask(&chat, &input("o-2", &user("再问")));
    let line = "GET /api/v1/agui/t-1/events";
    let rest = send(chat.port, line, &[USER, ("last-event-id", "o-1:3")], b"").unwrap();
    assert_eq!(types(&rest), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"], "{rest:?}");
    let (id, snapshot) = told(&rest)[1].clone();
    let words: Vec<&str> =
        snapshot["messages"].as_array().unwrap().iter().filter_map(|message| message["content"].as_str()).collect();
    assert_eq!((id.as_str(), &words[..]), ("o-1:1", &["问", "一二三", "再问", "四五六"][..]));
    let latest = send(chat.port, line, &[USER], b"").unwrap();
    let text: String = told(&latest).iter().filter_map(|(_, event)| event["delta"].as_str()).collect();
    assert_eq!(text, "四五六", "who names none hears the latest");
}

/// What came of the latest run, or waits in it, is nothing of one before.
#[test]
pub(super) fn who_heard_an_earlier_run_is_told_nothing_of_what_the_latest_came_to() {
    let search = super::models::search_server();
    let waits = || Says::Call(vec![("search_web".into(), "{\"query\": \"a\"}".into())]);
    for latest in [Says::Fail(400, "", "{}".into()), waits()] {
        let model = scripted([Says::Say("一二三".into()), latest]);
        let database = Database::new();
        let mut settings = settings(&model, WAYS[0]);
        settings.search.url = Some(search.url());
        let chat = Chat::plain(&database, &settings);
        let line = "GET /api/v1/agui/t-1/events";
        let after = |chat: &Chat, id: &str| send(chat.port, line, &[USER, ("last-event-id", id)], b"").unwrap();
        ask(&chat, &input("o-1", &user("问")));
        ask(&chat, &input("o-2", &user("再问")));
        let of_earlier = |chat: &Chat| {
            let rest = after(chat, "o-1:3");
            assert_eq!(types(&rest), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"], "{rest:?}");
            assert_eq!(outcome(&rest), json!({"type": "success"}), "{rest:?}");
        };
        of_earlier(&chat);
        drop(chat);
        let chat = Chat::plain(&database, &settings);
        of_earlier(&chat);
        // The latest itself is told with what it came to.
        let rest = after(&chat, "o-2:3");
        assert_ne!(outcome(&rest), json!({"type": "success"}), "{rest:?}");
    }
}

/// What is wrong is named as this wire names it.
#[test]
pub(super) fn errors_name_the_fields_of_agui() {
    let model = scripted([Says::Say("好".into())]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    ask(&chat, &input("r-1", &user("问")));
    let resume = |entry: Value| {
        let mut input = input("r-2", &json!([]));
        input["resume"] = json!([entry]);
        input
    };
    let with = |name: &str, value: Value| {
        let mut input = input("r-3", &user("问"));
        input["forwardedProps"][name] = value;
        input
    };
    let resolved = |payload: Value| resume(json!({"interruptId": "call_0", "status": "resolved", "payload": payload}));
    for (input, field) in [
        (resolved(json!({"approved": true})), "resume[0].interruptId"),
        (resolved(json!({})), "resume[0].payload.approved"),
        (resolved(json!({"approved": true, "scope": "always"})), "resume[0].payload.scope"),
        (resolved(json!("yes")), "resume[0].payload"),
        (input("r-4", &json!([{"role": "tool", "toolCallId": "call_0", "content": "x"}])), "toolCallId"),
        (input("r-1", &user("别的")), "runId"),
        (with("agent_id", json!("nobody")), "forwardedProps.agent_id"),
        (with("model", json!("none")), "forwardedProps.model"),
    ] {
        let error = ask(&chat, &input).json()["error"].clone();
        assert_eq!(error["field"], field, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.contains("message.") && !message.contains("request_id"), "{message}");
    }
}
