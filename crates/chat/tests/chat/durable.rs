//! What was accepted stays: clients that go away, requests that are sent again, servers that end.

use super::client;
use super::conformance::scripted;
use super::server::{CHAT, Chat, Database, JSON, WAYS, bare, call, decision, request, settings, ways};
use handeye_commands::core::chat_settings::Calling;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::json;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Looks again until something holds.
fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
pub(super) fn an_answer_is_kept_though_its_client_is_gone() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let model = ModelServer::new(move |asked: &Asked| {
        if asked.number == 0 {
            wait.lock().unwrap().recv().unwrap();
        }
        Answer::Say(format!("答{}", asked.number))
    });
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    let mut body = bare("问");
    body["request_id"] = json!("r-1");
    let gone = client::begin(chat.port, CHAT, &[JSON], body.to_string().as_bytes()).unwrap();
    assert!(eventually(|| model.asked().len() == 1));
    // While it is answered, the conversation takes nothing else.
    let busy = chat.chat(&body);
    assert_eq!((busy.status, busy.code().as_str()), (409, "run_in_progress"));
    assert_eq!(busy.header("retry-after"), Some("1"));
    drop(gone);
    go.send(()).unwrap();
    // Sent again, it is told what was answered, and the model isn't asked again.
    let mut again = chat.chat(&body);
    assert!(eventually(|| {
        again = chat.chat(&body);
        again.status == 200
    }));
    assert_eq!((again.text().as_str(), model.asked().len()), ("答0", 1));
    // Another message with the same id is refused.
    body["message"] = json!("别的");
    assert_eq!(chat.chat(&body).code(), "already_decided");
}

#[test]
pub(super) fn results_and_approvals_that_are_sent_again_are_taken_once() {
    let search = super::models::search_server();
    let model = scripted([
        call(Calling::Native, "", "clear_ai_styles", "{}"),
        call(Calling::Native, "", "search_web", "{\"query\": \"x\"}"),
        Answer::Say("完".into()),
    ]);
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    let chat = Chat::plain(&Database::new(), &settings);
    chat.chat(&request("做"));
    let result = request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}");
    let first = chat.chat(&result);
    assert_eq!(first.calls().len(), 1);
    // The answer got lost: it is told once more.
    assert_eq!(chat.chat(&result).calls(), first.calls());
    let other = request("浏览器工具 clear_ai_styles 执行结果: {\"success\": false}");
    assert_eq!(chat.chat(&other).code(), "no_pending_call");
    let approval = decision(&json!({"toolId": "tool_1", "approved": true}));
    assert_eq!(chat.chat(&approval).text(), "完");
    assert_eq!(chat.chat(&approval).text(), "完");
    assert_eq!((search.asked().len(), model.asked().len()), (1, 3), "carried out once");
    assert_eq!(chat.chat(&decision(&json!({"toolId": "tool_1", "approved": false}))).code(), "already_decided");
    assert_eq!(chat.chat(&decision(&json!({"toolId": "tool_2", "approved": true}))).code(), "no_pending_call");
}

#[test]
pub(super) fn a_conversation_goes_on_at_another_start_of_the_server() {
    let database = Database::new();
    for way in ways() {
        let session = |mut body: serde_json::Value| {
            body["session_id"] = json!(format!("{way:?}"));
            body
        };
        let model = scripted([call(way.1, "", "get_selected_text", "{}"), Answer::Say("完".into())]);
        let mut chat = Chat::plain(&database, &settings(&model, way));
        assert_eq!(chat.chat(&session(request("读"))).calls().len(), 1);
        chat.stop();
        drop(chat);
        let chat = Chat::plain(&database, &settings(&model, way));
        let result = session(request("浏览器工具 get_selected_text 执行结果: {\"success\": true, \"text\": \"甲\"}"));
        assert_eq!(chat.chat(&result).text(), "完");
        assert!(model.asked()[1].text.contains("甲"));
    }
}

#[test]
pub(super) fn a_server_that_is_asked_to_end_finishes_what_it_answers() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let model = ModelServer::new(move |_: &Asked| {
        wait.lock().unwrap().recv().unwrap();
        Answer::Say("还是说完了".into())
    });
    let database = Database::new();
    let mut chat = Chat::plain(&database, &settings(&model, WAYS[0]));
    let mut stream = client::begin(chat.port, CHAT, &[JSON], bare("问").to_string().as_bytes()).unwrap();
    assert!(eventually(|| model.asked().len() == 1));
    let reader = std::thread::spawn(move || client::read(&mut stream).unwrap());
    let ender = std::thread::spawn(move || chat.stop());
    std::thread::sleep(Duration::from_millis(200));
    go.send(()).unwrap();
    assert_eq!(reader.join().unwrap().text(), "还是说完了");
    ender.join().unwrap();
}

#[test]
pub(super) fn what_the_person_says_instead_of_answering_voids_the_call() {
    for way in ways() {
        let model =
            scripted([call(way.1, "", "clear_ai_styles", "{}"), Answer::Say("好".into()), Answer::Say("嗯".into())]);
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        chat.chat(&request("清除"));
        assert_eq!(chat.chat(&request("不用了")).text(), "好");
        assert!(model.asked()[1].text.contains("it isn't known whether it was carried out"));
        let late = chat.chat(&request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}"));
        assert_eq!(late.code(), "no_pending_call");
    }
}

#[test]
pub(super) fn what_was_done_is_taken_however_late() {
    let model = scripted([call(Calling::Native, "", "clear_ai_styles", "{}"), Answer::Say("好".into())]);
    let mut settings = settings(&model, WAYS[0]);
    settings.approval = 0.2;
    let chat = Chat::plain(&Database::new(), &settings);
    chat.chat(&request("清除"));
    std::thread::sleep(Duration::from_millis(400));
    let result = request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}");
    assert_eq!(chat.chat(&result).text(), "好");
    assert!(model.asked()[1].text.contains("success"));
}

/// The database is held while the message is taken, and the client gives up meanwhile.
#[test]
pub(super) fn a_client_that_hangs_up_while_it_is_taken_leaves_nothing_half_done() {
    let model = ModelServer::new(|_: &Asked| Answer::Say("答".into()));
    let database = Database::new();
    let chat = Chat::plain(&database, &settings(&model, WAYS[0]));
    chat.chat(&bare("一"));
    let pool = chat.block_on(sqlx::AnyPool::connect(&database.url())).unwrap();
    let held = chat.block_on(async {
        let mut held = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
        sqlx::query("UPDATE conversations SET updated = 0").execute(&mut *held).await.unwrap();
        held
    });
    let mut body = bare("二");
    body["request_id"] = json!("r-2");
    let gone = client::begin(chat.port, CHAT, &[JSON], body.to_string().as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    drop(gone);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(model.asked().len(), 1);
    chat.block_on(held.rollback()).unwrap();
    assert!(eventually(|| model.asked().len() == 2), "what was taken is answered");
    // Sent again it is the same message, and answered already.
    assert!(eventually(|| chat.chat(&body).status == 200));
    assert_eq!((chat.chat(&body).text().as_str(), model.asked().len()), ("答", 2));
}

/// Nobody cancelled what a server cut off that was asked to end: whoever listens is told so, and whoever asks later, too.
#[test]
pub(super) fn an_answer_that_a_server_cut_off_at_its_end_is_not_told_as_cancelled() {
    let model = ModelServer::new(|_: &Asked| Answer::Paced("慢慢地说".repeat(200), Duration::from_millis(50)));
    let database = Database::new();
    let settings = settings(&model, WAYS[0]);
    let chat = Chat::plain(&database, &settings);
    let mut stream = client::begin(chat.port, CHAT, &[JSON], bare("问").to_string().as_bytes()).unwrap();
    assert!(eventually(|| model.asked().len() == 1));
    chat.block_on(chat.service.stop(Duration::from_millis(300)));
    let told = client::read(&mut stream).unwrap();
    let error = told.events().iter().find_map(|event| event.get("error").cloned()).expect("it is told");
    assert_eq!(error["code"], "stopping", "{told:?}");
    drop(chat);
    let chat = Chat::plain(&database, &settings);
    let user = ("x-user-id", "user_xxx");
    let kept = client::send(chat.port, "GET /api/v1/conversations/s-1", &[user], b"").unwrap().json();
    assert_eq!((&kept["messages"][1]["content"], &kept["messages"][1]["cut"]), (&json!(told.text()), &json!(true)));
    let later = client::send(chat.port, "GET /api/v1/agui/s-1/events", &[user], b"").unwrap();
    assert!(later.body.contains("RUN_ERROR") && later.body.contains("\"code\":\"stopping\""), "{later:?}");
}
