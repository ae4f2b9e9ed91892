//! Conversations: listed, read, exported, cancelled, deleted, by their own user alone.

use super::client::{Answer, begin, read, send};
use super::conformance::scripted;
use super::server::{CHAT, Chat, Database, JSON, WAYS, bare, call, page, request, settings};
use handeye_commands::core::chat_settings::Calling;
use handeye_testkit::models::{Answer as Says, Asked, ModelServer};
use serde_json::json;
use std::time::Duration;

fn ask(chat: &Chat, token: &str, line: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    send(chat.port, line, &[("authorization", &bearer)], b"").unwrap()
}

#[test]
pub(super) fn a_user_reads_exports_and_deletes_what_is_theirs() {
    let model = scripted([call(Calling::Native, "", "clear_ai_styles", "{}"), Says::Say("完".into())]);
    let chat = Chat::start(&Database::new(), &settings(&model, WAYS[0]), false);
    let (ann, bob) = (chat.token("ann"), chat.token("bob"));
    chat.chat_as(&ann, &request("清除"));
    chat.chat_as(&ann, &request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}"));
    let listed = ask(&chat, &ann, "GET /api/v1/conversations").json();
    assert_eq!(listed["conversations"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&listed["conversations"][0]["session_id"], &listed["conversations"][0]["running"]),
        (&json!("s-1"), &json!(false))
    );
    let whole = ask(&chat, &ann, "GET /api/v1/conversations/s-1").json();
    let messages = whole["messages"].as_array().unwrap();
    assert_eq!((&messages[0]["content"], &messages[2]["content"]), (&json!("清除"), &json!("完")));
    assert_eq!(messages[1]["tool_calls"][0]["status"], "done");
    assert_eq!(messages[1]["tool_calls"][0]["result"], "{\"success\": true}");
    let exported = ask(&chat, &ann, "GET /api/v1/conversations/s-1/export");
    assert!(exported.header("content-disposition").is_some_and(|value| value.starts_with("attachment")));
    assert_eq!(exported.json()["messages"], whole["messages"]);
    for line in [
        "GET /api/v1/conversations/s-1",
        "GET /api/v1/conversations/s-1/export",
        "DELETE /api/v1/conversations/s-1",
        "POST /api/v1/conversations/s-1/cancel",
    ] {
        let answer = ask(&chat, &bob, line);
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"), "{line}");
        let answer = send(chat.port, line, &[], b"").unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (401, "unauthorized"), "{line}");
    }
    assert_eq!(ask(&chat, &ann, "DELETE /api/v1/conversations/s-1").json(), json!({"deleted": true}));
    assert_eq!(ask(&chat, &ann, "GET /api/v1/conversations/s-1").status, 404);
    assert_eq!(ask(&chat, &ann, "GET /api/v1/conversations").json(), json!({"conversations": []}));
    assert!(chat.audit().iter().any(|entry| entry.event == "deleted"));
}

#[test]
pub(super) fn an_answer_is_cancelled_and_the_conversation_goes_on() {
    let model = ModelServer::new(|asked: &Asked| match asked.number {
        0 => Says::Stall(Duration::from_secs(20)),
        _ => Says::Say("好".into()),
    });
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    let mut stream = begin(chat.port, CHAT, &[JSON], bare("问").to_string().as_bytes()).unwrap();
    while model.asked().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let user = ("x-user-id", "user_xxx");
    let busy = send(chat.port, "DELETE /api/v1/conversations/s-1", &[user], b"").unwrap();
    assert_eq!(busy.code(), "run_in_progress");
    let cancelled = send(chat.port, "POST /api/v1/conversations/s-1/cancel", &[user], b"").unwrap();
    assert_eq!(cancelled.json(), json!({"cancelled": true}));
    let told = read(&mut stream).unwrap();
    assert!(told.events().iter().any(|event| event["error"]["code"] == "cancelled"), "{told:?}");
    assert_eq!(chat.chat(&bare("再问")).text(), "好");
    let again = send(chat.port, "POST /api/v1/conversations/s-1/cancel", &[user], b"").unwrap();
    assert_eq!(again.json(), json!({"cancelled": false}));
}

#[test]
pub(super) fn an_export_that_is_not_whole_says_so() {
    let model = scripted([Says::Say("完".into())]);
    let database = Database::new();
    let chat = Chat::start(&database, &settings(&model, WAYS[0]), false);
    let ann = chat.token("ann");
    chat.chat_as(&ann, &bare("一"));
    let export = || ask(&chat, &ann, "GET /api/v1/conversations/s-1/export").json();
    assert_eq!(export()["cut"], false);
    chat.block_on(async {
        let pool = sqlx::AnyPool::connect(&database.url()).await.unwrap();
        let mut tx = pool.begin().await.unwrap();
        for seq in 3..2_003 {
            let sql = "INSERT INTO messages (conversation, seq, kind, body, created) SELECT id, $1, 'user', 'x', 0 FROM conversations";
            sqlx::query(sql).bind(seq).execute(&mut *tx).await.unwrap();
        }
        tx.commit().await.unwrap();
        pool.close().await;
    });
    let whole = export();
    assert_eq!((whole["messages"].as_array().map(Vec::len), &whole["cut"]), (Some(2_000), &json!(true)));
    assert_eq!(whole["messages"][0]["seq"], 3);
}

/// What the person saw before they stopped it is kept, marked in every form, and told to no model as an answer.
#[test]
pub(super) fn what_was_told_before_a_stop_is_kept_as_cut_off() {
    let model = ModelServer::new(|asked: &Asked| match asked.number {
        0 | 1 => Says::Paced("慢慢地说".repeat(200), Duration::from_millis(30)),
        _ => Says::Say("好".into()),
    });
    let database = Database::new();
    let settings = settings(&model, WAYS[0]);
    let chat = Chat::plain(&database, &settings);
    let user = ("x-user-id", "user_xxx");
    let first = stopped(&chat, &bare("问"));
    let whole = || send(chat.port, "GET /api/v1/conversations/s-1", &[user], b"").unwrap().json();
    let exported = send(chat.port, "GET /api/v1/conversations/s-1/export", &[user], b"").unwrap().json();
    let kept = whole()["messages"][1].clone();
    assert_eq!((&kept["role"], &kept["content"], &kept["cut"]), (&json!("assistant"), &json!(first), &json!(true)));
    assert_eq!(exported["messages"][1], kept);
    // The same words once more are the same message: they are answered from the beginning.
    stopped(&chat, &bare("问"));
    assert!(!model.asked()[1].text.contains("慢慢"), "{}", model.asked()[1].text);
    assert_eq!(whole()["messages"].as_array().map(Vec::len), Some(3), "{}", whole());
    assert_eq!(chat.chat(&bare("再问")).text(), "好");
    let asked = model.asked()[2].text.clone();
    assert!(asked.contains("慢慢") && asked.contains("没有说完"), "{asked}");
    drop(chat);
    let chat = Chat::plain(&database, &settings);
    let snapshot = send(chat.port, "GET /api/v1/agui/s-1/events", &[user], b"").unwrap();
    assert!(snapshot.body.contains(&format!("{first}… [cut off]")), "{snapshot:?}");
}

/// However often an answer is stopped, what it answers is one message, also of a client that tells of the page each time.
#[test]
pub(super) fn a_message_that_was_stopped_again_and_again_is_one_message() {
    let model = ModelServer::new(|asked: &Asked| match asked.number {
        0..3 => Says::Paced("慢慢地说".repeat(200), Duration::from_millis(30)),
        _ => Says::Say("好".into()),
    });
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    let mut body = bare("问");
    body["current_page_info"] = page();
    (0..3).for_each(|_| drop(stopped(&chat, &body)));
    assert_eq!(chat.chat(&body).text(), "好");
    let said = |asked: &Asked| asked.from_person().iter().filter(|text| *text == "问").count();
    assert_eq!(model.asked().iter().map(said).collect::<Vec<_>>(), [1, 1, 1, 1]);
    let user = ("x-user-id", "user_xxx");
    let whole = send(chat.port, "GET /api/v1/conversations/s-1", &[user], b"").unwrap().json();
    let of_person = whole["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    assert_eq!(of_person.count(), 1, "{whole}");
}

/// Asks, and stops the answer once it has told something; what it told.
fn stopped(chat: &Chat, body: &serde_json::Value) -> String {
    let mut stream = begin(chat.port, CHAT, &[JSON], body.to_string().as_bytes()).unwrap();
    told_something(chat);
    send(chat.port, "POST /api/v1/conversations/s-1/cancel", &[("x-user-id", "user_xxx")], b"").unwrap();
    read(&mut stream).unwrap().text()
}

/// Waits until the answer that is under way has told something.
fn told_something(chat: &Chat) {
    chat.block_on(async {
        loop {
            let user = chat.store.user("user_id:user_xxx").await.unwrap();
            let conversation = chat.store.conversation(&user.id, "s-1").await.unwrap();
            let run = conversation.and_then(|conversation| chat.service.latest(&conversation.id));
            if let Some(run) = run.filter(|run| !run.log.is_over()) {
                run.log.reader().next().await;
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}
