//! What the person is asked, by the one port and in the one wording of every front end, and what becomes of it.

use super::client::{Answer, send};
use super::conformance::scripted;
use super::server::{Chat, Database, JSON, SECRET, WAYS, call, decision, request, settings};
use handeye_commands::core::chat_settings::{Calling, ChatSettings};
use handeye_commands::core::question::told;
use handeye_scene::Question;
use handeye_testkit::models::{Answer as Says, ModelServer};
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection, Row};
use std::time::Duration;

fn search() -> Says {
    call(Calling::Native, "", "search_web", "{\"query\": \"甲\"}")
}

fn with_search(model: &ModelServer, url: String) -> ChatSettings {
    let mut settings = settings(model, WAYS[0]);
    settings.search.url = Some(url);
    settings
}

/// The question about a call as it is kept.
fn kept(chat: &Chat, database: &Database) -> Question {
    let text: String = chat.block_on(async {
        let mut other = AnyConnection::connect(&database.url()).await.unwrap();
        let row = sqlx::query("SELECT question FROM calls").fetch_one(&mut other).await.unwrap();
        row.try_get("question").unwrap()
    });
    serde_json::from_str(&text).unwrap()
}

fn run(chat: &Chat, run: &str, more: &Value) -> Answer {
    let mut input = json!({
        "threadId": "t-1", "runId": run, "state": {}, "tools": [], "context": [], "messages": [],
        "forwardedProps": {"current_page_info": super::server::page()}
    });
    input.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    send(chat.port, "POST /api/v1/agui", &[JSON, ("x-user-id", "ann")], input.to_string().as_bytes()).unwrap()
}

#[track_caller]
fn interrupt(answer: &Answer) -> Value {
    let told = answer.body.split("\n\n").filter_map(|event| event.split_once("data: "));
    let events: Vec<Value> = told.map(|(_, data)| serde_json::from_str(data).unwrap()).collect();
    events.last().unwrap()["outcome"]["interrupts"][0].clone()
}

#[test]
pub(super) fn the_person_is_asked_by_the_question_of_every_front_end_and_it_is_kept() {
    let server = super::models::search_server();
    let model = scripted([search(), Says::Say("完".into())]);
    let (database, settings) = (Database::new(), with_search(&model, server.url()));
    let chat = Chat::plain(&database, &settings);
    let first = run(&chat, "r-1", &json!({"messages": [{"id": "m", "role": "user", "content": "查"}]}));
    let question = Question {
        command: "search_web".into(),
        does: "reads".into(),
        place: Some("https://www.taobao.com".into()),
        details: vec!["query: \"甲\"".into()],
        limit: 600.0,
        ..Question::default()
    };
    assert_eq!(kept(&chat, &database), question);
    let asked = interrupt(&first);
    assert_eq!(
        (&asked["message"], &asked["metadata"]["question"]),
        (&json!(told(&question).join("\n")), &json!(question))
    );
    // It outlives the server, and so does the answer, which the next one goes on from.
    drop(chat);
    let chat = Chat::plain(&database, &settings);
    let approved = json!([{"interruptId": asked["id"], "status": "resolved", "payload": {"approved": true}}]);
    let second = run(&chat, "r-2", &json!({ "resume": approved }));
    assert!(second.body.contains("完"), "{second:?}");
    assert_eq!(server.asked(), ["甲"]);
}

/// What nobody answered comes to nothing, and holds up nothing that was answered.
#[test]
pub(super) fn a_question_that_nobody_answers_in_time_holds_up_nothing() {
    let server = super::models::search_server();
    let both = [("search_web".to_owned(), "{\"query\": \"甲\"}".to_owned()), ("clear_ai_styles".into(), "{}".into())];
    let model = scripted([Says::Call(both.to_vec()), Says::Say("好".into())]);
    let mut settings = with_search(&model, server.url());
    settings.approval = 0.3;
    let chat = Chat::start(&Database::new(), &settings, false);
    let ann = chat.token("ann");
    let first = chat.chat_as(&ann, &request("做"));
    let tools: Vec<String> = first.calls().into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(tools, ["search_web", "clear_ai_styles"], "in their order");
    std::thread::sleep(Duration::from_millis(600));
    let done = chat.chat_as(&ann, &request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}"));
    assert_eq!(done.text(), "好", "{done:?}");
    assert!(model.asked()[1].results().concat().contains("nobody answered in time"));
    let events: Vec<String> = chat.audit().into_iter().map(|entry| entry.event).collect();
    assert_eq!(events[events.len() - 2..], ["result", "expired"]);
    // A word that comes later changes nothing.
    let late = decision(&json!({"toolId": first.events()[0]["tool_call"]["id"], "approved": true}));
    assert_eq!(chat.chat_as(&ann, &late).code(), "expired");
    assert_eq!(server.asked(), Vec::<String>::new());
}

/// The server died after the answer was kept and before the person was asked: the same message sent again has them asked.
#[test]
pub(super) fn a_question_that_a_server_died_before_is_asked_by_the_next() {
    let server = super::models::search_server();
    let model = scripted([search(), Says::Say("完".into())]);
    let (database, settings) = (Database::new(), with_search(&model, server.url()));
    let chat = Chat::plain(&database, &settings);
    let mut body = request("查");
    body["request_id"] = json!("r-1");
    assert_eq!(chat.chat(&body).calls().len(), 1);
    chat.block_on(async {
        let mut other = AnyConnection::connect(&database.url()).await.unwrap();
        let back = "UPDATE calls SET status = 'queued', question = NULL, expires = 0";
        assert_eq!(sqlx::query(back).execute(&mut other).await.unwrap().rows_affected(), 1);
    });
    drop(chat);
    let chat = Chat::plain(&database, &settings);
    for _ in 0..2 {
        assert_eq!(chat.chat(&body).calls().len(), 1, "it is told, and again where that is lost");
    }
    assert_eq!(kept(&chat, &database).command, "search_web");
    assert_eq!(chat.chat(&decision(&json!({"toolId": "x", "approved": true}))).text(), "完");
    assert_eq!((server.asked().len(), model.asked().len()), (1, 2));
}

/// The same between two questions that a decision led to: what was told is told again, and the other is asked.
#[test]
pub(super) fn a_question_that_a_server_died_before_is_asked_where_another_was_told() {
    let server = super::models::search_server();
    let of = |query: &str| ("search_web".to_owned(), json!({ "query": query }).to_string());
    let model = scripted([Says::Call(vec![of("甲"), of("乙"), ("clear_ai_styles".into(), "{}".into())])]);
    let (database, settings) = (Database::new(), with_search(&model, server.url()));
    let chat = Chat::plain(&database, &settings);
    assert_eq!(chat.chat(&request("查")).calls().len(), 1);
    let mut approval = decision(&json!({"approved": true}));
    approval["request_id"] = json!("r-1");
    assert_eq!(chat.chat(&approval).calls().len(), 2);
    chat.block_on(async {
        let mut other = AnyConnection::connect(&database.url()).await.unwrap();
        let back = "UPDATE calls SET status = 'queued', question = NULL, expires = 0, offered = NULL WHERE status = 'offered' AND side = 'server'";
        assert_eq!(sqlx::query(back).execute(&mut other).await.unwrap().rows_affected(), 1);
    });
    drop(chat);
    let chat = Chat::plain(&database, &settings);
    for _ in 0..2 {
        let mut tools: Vec<String> = chat.chat(&approval).calls().into_iter().map(|(tool, _)| tool).collect();
        tools.sort();
        assert_eq!(tools, ["clear_ai_styles", "search_web"]);
    }
    assert_eq!((server.asked(), model.asked().len()), (vec!["甲".to_owned()], 1));
}

/// What the settings name is in no question that is kept or told.
#[test]
pub(super) fn a_question_tells_no_secret() {
    let server = super::models::search_server();
    let arguments = json!({"query": format!("who has {SECRET}")}).to_string();
    let model = scripted([call(Calling::Native, "", "search_web", &arguments)]);
    let (database, settings) = (Database::new(), with_search(&model, server.url()));
    let chat = Chat::plain(&database, &settings);
    let first = run(&chat, "r-1", &json!({"messages": [{"id": "m", "role": "user", "content": "查"}]}));
    let (kept, asked) = (kept(&chat, &database), interrupt(&first));
    assert!(kept.details[0].starts_with("query: \"who has •"), "{:?}", kept.details);
    assert!(!kept.details.concat().contains(SECRET), "{:?}", kept.details);
    assert_eq!(asked["metadata"]["question"], json!(kept));
    assert_eq!(asked["message"], json!(told(&kept).join("\n")));
}

/// Where the clock was set back, nobody knows for how long a question has waited: it has waited for too long.
#[test]
pub(super) fn a_question_outlives_no_clock_that_is_set_back() {
    let server = super::models::search_server();
    let model = scripted([search(), Says::Say("完".into())]);
    let (database, settings) = (Database::new(), with_search(&model, server.url()));
    let chat = Chat::plain(&database, &settings);
    assert_eq!(chat.chat(&request("查")).calls().len(), 1);
    chat.block_on(async {
        let mut other = AnyConnection::connect(&database.url()).await.unwrap();
        let later = "UPDATE calls SET expires = expires + 3600000";
        assert_eq!(sqlx::query(later).execute(&mut other).await.unwrap().rows_affected(), 1);
    });
    assert_eq!(chat.chat(&decision(&json!({"toolId": "x", "approved": true}))).code(), "expired");
    assert_eq!(server.asked(), Vec::<String>::new());
    assert_eq!(chat.audit().pop().unwrap().event, "expired");
}
