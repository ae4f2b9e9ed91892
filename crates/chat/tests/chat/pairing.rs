//! Codes that are exchanged for tokens, on either database.

use super::client::send;
use super::hostile::idle;
use super::server::{Chat, Database, JSON, WAYS, bare, settings};
use serde_json::{Value, json};

const PAIR: &str = "POST /api/v1/pair";

#[test]
fn a_code_is_exchanged_once_and_by_no_page() {
    let model = idle();
    let mut settings = settings(&model, WAYS[0]);
    settings.origins = vec!["chrome-extension://ckfmhdkpalfpgelkpiibdfkllkfhffim".into()];
    let chat = Chat::start(&Database::new(), &settings, false);
    let code = chat.block_on(chat.store.pairings().create("ann")).unwrap();
    let body = json!({"code": code}).to_string();
    // Other sites' requests don't reach it, in whatever form a page may send them.
    for (more, status) in [
        (vec![JSON, ("origin", "https://evil.example")], 403),
        (vec![("content-type", "text/plain"), ("origin", "https://evil.example")], 403),
        (vec![("content-type", "text/plain")], 415),
        (vec![("content-type", "application/x-www-form-urlencoded")], 415),
    ] {
        assert_eq!(send(chat.port, PAIR, &more, body.as_bytes()).unwrap().status, status, "{more:?}");
    }
    assert_eq!(send(chat.port, "GET /api/v1/pair", &[], b"").unwrap().status, 405);
    let paired = send(chat.port, PAIR, &[JSON, ("origin", &settings.origins[0])], body.as_bytes()).unwrap();
    assert_eq!(paired.status, 200, "{paired:?}");
    let paired: Value = paired.json();
    let token = paired["token"].as_str().unwrap();
    assert_eq!(chat.chat_as(token, &bare("hi")).status, 200);
    assert_eq!(send(chat.port, PAIR, &[JSON], body.as_bytes()).unwrap().status, 401, "twice");
    // Whoever comes first of two gets it, and the other nothing.
    let code = chat.block_on(chat.store.pairings().create("bob")).unwrap();
    let both = chat
        .block_on(async { tokio::join!(chat.store.pairings().exchange(&code), chat.store.pairings().exchange(&code)) });
    let given: Vec<_> = [both.0.unwrap(), both.1.unwrap()].into_iter().flatten().collect();
    assert_eq!(given.iter().map(|one| one.user.as_str()).collect::<Vec<_>>(), ["bob"]);
    let tokens = chat.block_on(chat.store.tokens()).unwrap();
    assert_eq!(tokens.iter().map(|one| one.user.as_str()).collect::<Vec<_>>(), ["ann", "bob"]);
    let log = chat.audit();
    let events: Vec<&str> = log.iter().map(|entry| entry.event.as_str()).filter(|e| *e != "refused").collect();
    assert!(events.starts_with(&["pairing_created", "paired"]), "{events:?}");
    assert_eq!(log.iter().filter(|entry| entry.event == "refused").count(), 5, "{log:?}");
    assert!(!format!("{log:?}").contains(token));
}

#[cfg(target_os = "linux")]
#[test]
fn so_it_is_on_postgresql() {
    let cluster = std::rc::Rc::new(super::cluster::Postgres::start());
    super::server::use_postgres(&cluster);
    a_code_is_exchanged_once_and_by_no_page();
}
