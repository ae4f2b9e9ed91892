//! Conversations, pages and logs that are long: what is read of them has bounds.

use super::client::send;
use super::server::{Chat, Database, WAYS, bare, browser_tools, request, settings};
use handeye_chat::store::{Body, follow_audit};
use handeye_testkit::is_full;
use handeye_testkit::models::{Answer as Says, Asked, ModelServer};
use serde_json::{Value, json};

fn talker() -> ModelServer {
    ModelServer::new(|_: &Asked| Says::Say("好".into()))
}

/// Of the pages only the latest is read whole, and of the texts no more than a model could be told.
#[test]
pub(super) fn a_long_conversation_is_read_as_far_as_it_is_told() {
    let model = talker();
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    for number in 0..30 {
        let mut body = request(&format!("{number} {}", "长".repeat(60_000)));
        body["current_page_info"]["url"] = json!(format!("https://a.example/{number}"));
        assert_eq!(chat.chat(&body).text(), "好");
    }
    let user = chat.block_on(chat.store.user("user_id:user_xxx")).unwrap();
    let id = chat.block_on(chat.store.conversation(&user.id, "s-1")).unwrap().unwrap().id;
    let entries = chat.block_on(chat.store.history(&id)).unwrap();
    let texts: usize =
        entries.iter().map(|entry| if let Body::User(text) = &entry.body { text.len() } else { 0 }).sum();
    assert!((4_000_000..4_600_000).contains(&texts), "{texts}");
    let pages: Vec<usize> = entries.iter().filter_map(|entry| Some(entry.page.as_ref()?.elements.len())).collect();
    assert_eq!(pages.last(), Some(&3));
    assert!(pages.len() > 20 && pages[..pages.len() - 1].iter().all(|elements| *elements == 0), "{pages:?}");
    let told = send(chat.port, "GET /api/v1/conversations/s-1", &[("x-user-id", "user_xxx")], b"").unwrap().json();
    assert_eq!(told["cut"], json!(true));
    let addresses: Vec<&Value> =
        told["messages"].as_array().unwrap().iter().filter_map(|message| message.get("page")).collect();
    assert_eq!(addresses.last(), Some(&&json!("https://a.example/29")));
    assert_eq!(addresses.len(), pages.len());
}

/// Results that are longer than what is read: the model is told the latest, and what the person said.
#[test]
#[ignore = "long: runs with cargo xtask test --full"]
pub(super) fn a_conversation_without_end_is_told_from_the_person_s_last_words() {
    let model = ModelServer::new(|asked: &Asked| match asked.number {
        0..40 => Says::Call(vec![("get_selected_text".into(), "{}".into())]),
        _ => Says::Say("够了".into()),
    });
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    let mut body = bare("把它读完");
    body["browser_tools"] = browser_tools();
    assert_eq!(chat.chat(&body).calls().len(), 1);
    let mut last = String::new();
    for number in 0..40 {
        let text = format!("{number} {}", "长".repeat(190_000));
        body["message"] =
            json!(format!("浏览器工具 get_selected_text 执行结果: {{\"success\": true, \"text\": \"{text}\"}}"));
        last = chat.chat(&body).text();
    }
    assert_eq!(last, "够了");
    let asked = model.asked();
    let last = asked.last().unwrap();
    assert!(last.from_person().join("\n").contains("把它读完"), "{:.300}", last.text);
    let results = last.body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool").count();
    assert!((20..=35).contains(&results), "{results}");
    assert!(last.results().last().is_some_and(|text| text.contains("39 长")));
}

/// Whoever can write to the database can't change its log unseen.
#[test]
pub(super) fn a_log_that_was_changed_is_found_by_following_it() {
    let model = talker();
    let database = Database::new();
    let chat = Chat::plain(&database, &settings(&model, WAYS[0]));
    // Enough to be read in several parts, of a thousand each.
    let (count, seq) = if is_full() { (2_345, 1_500) } else { (1_100, 1_050) };
    chat.block_on(async {
        for number in 0..count {
            chat.store.note("ann", "refused", &format!("x {number}")).await.unwrap();
        }
    });
    let log = chat.audit();
    let followed = chat.block_on(follow_audit(&chat.store)).unwrap();
    assert_eq!((followed.entries, followed.broken), (log.len() as i64, None));
    assert_eq!(followed.last, log.last().unwrap().hash);
    let pool = chat.block_on(sqlx::AnyPool::connect(&database.url())).unwrap();
    let off = match database {
        Database::Sqlite(_) => "DROP TRIGGER audit_is_never_changed",
        Database::Postgres(_) => "DROP TRIGGER audit_is_never_changed ON audit",
    };
    chat.block_on(async {
        sqlx::query(off).execute(&pool).await.unwrap();
        sqlx::query("UPDATE audit SET user_name = 'bob' WHERE seq = $1").bind(seq).execute(&pool).await.unwrap();
        pool.close().await;
    });
    let followed = chat.block_on(follow_audit(&chat.store)).unwrap();
    assert_eq!((followed.entries, followed.broken), (i64::from(seq) - 1, Some(i64::from(seq))));
}
