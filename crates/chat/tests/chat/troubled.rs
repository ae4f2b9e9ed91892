//! A database that another program has locked, or that has no room left: told as such, nothing half done, and it goes on later.

use super::conformance::scripted;
use super::server::{Chat, Database, WAYS, bare, call, decision, request, settings};
use handeye_chat::store::verify_audit;
use handeye_commands::core::chat_settings::Calling;
use handeye_testkit::models::Answer;
use serde_json::json;
use sqlx::{AnyConnection, Connection, Executor};

/// Another program that writes to the file.
fn other(chat: &Chat, database: &Database) -> AnyConnection {
    chat.block_on(AnyConnection::connect(&database.url())).unwrap()
}

#[test]
fn a_locked_file_is_told_and_waited_for() {
    let search = super::models::search_server();
    let model = scripted([call(Calling::Native, "", "search_web", "{\"query\": \"x\"}"), Answer::Say("完".into())]);
    let database = Database::new();
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    let chat = Chat::plain(&database, &settings);
    assert_eq!(chat.chat(&request("查")).calls().len(), 1);
    let mut other = other(&chat, &database);
    chat.block_on(other.execute("BEGIN IMMEDIATE")).unwrap();
    let approval = decision(&json!({"toolId": "x", "approved": true}));
    let refused = chat.chat(&approval);
    assert_eq!((refused.status, refused.code().as_str()), (503, "database"), "{refused:?}");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(search.asked(), Vec::<String>::new());
    // One who lets go in time is waited for.
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| chat.chat(&approval));
        std::thread::sleep(std::time::Duration::from_millis(500));
        chat.block_on(other.execute("ROLLBACK")).unwrap();
        asking.join().unwrap()
    });
    assert_eq!((answer.text().as_str(), search.asked().len()), ("完", 1));
    assert_eq!(verify_audit(&chat.audit()), None);
}

#[test]
fn a_file_that_is_locked_during_an_answer_loses_nothing() {
    let database = Database::new();
    let long = "很长的回答".repeat(20);
    let model =
        scripted([Answer::Paced(long.clone(), std::time::Duration::from_millis(20)), Answer::Say("后来".into())]);
    let chat = Chat::plain(&database, &settings(&model, WAYS[0]));
    let mut other = other(&chat, &database);
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| chat.chat(&bare("问")));
        while model.asked().is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        chat.block_on(other.execute("BEGIN IMMEDIATE")).unwrap();
        let answer = asking.join().unwrap();
        chat.block_on(other.execute("ROLLBACK")).unwrap();
        answer
    });
    // It was told, but couldn't be kept: that is said, and the same once more is the same message.
    let events = answer.events();
    assert!(events.iter().any(|event| event["error"]["code"] == "database"), "{answer:?}");
    let again = loop {
        let again = chat.chat(&bare("问"));
        if again.status == 200 {
            break again;
        }
        assert_eq!(again.code(), "run_in_progress");
        std::thread::sleep(std::time::Duration::from_millis(200));
    };
    assert_eq!(again.text(), "后来");
    assert_eq!(model.asked()[1].from_person(), ["问"]);
}
