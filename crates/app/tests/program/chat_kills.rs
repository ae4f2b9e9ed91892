//! The server and its database killed at any moment of a conversation: nothing is lost or doubled, on SQLite and on PostgreSQL.

use super::serving::{LIMIT, Server, home, said, search, words};
use handeye_chat::store::{Body, Entry, Store, verify_audit};
use handeye_testkit::home::{Home, kill};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use handeye_testkit::postgres::Postgres;
use handeye_testkit::{Dice, is_full, trials};
use serde_json::{Value, json};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// What the model says is told by what it was said last, so that the same question has the same answer.
fn script(asked: &Asked) -> Answer {
    let messages = asked.body["messages"].as_array().cloned().unwrap_or_default();
    let person = asked.from_person();
    let last = person.last().map(String::as_str).unwrap_or_default();
    let since = messages.iter().rev().take_while(|message| message["role"] != "user");
    let results = since.filter(|message| message["role"] == "tool").count();
    let session = last.split(' ').next_back().unwrap_or_default();
    match last.split(' ').next() {
        Some("clear") if results == 0 => Answer::Call(vec![("clear_ai_styles".into(), "{}".into())]),
        // The same tool twice in a row, by the same words of approval.
        Some("search") if results < 2 => {
            Answer::Call(vec![("search_web".into(), json!({"query": format!("{session}.{results}")}).to_string())])
        }
        // Slow enough that it can be killed in between.
        _ => Answer::Paced(format!("answer to {last}"), Duration::from_millis(4)),
    }
}

/// Whether an answer says this, or calls this tool.
fn is_told(told: &str, wanted: &str) -> bool {
    words(told).contains(wanted) || told.contains(wanted)
}

/// A step of the conversation, and whether an answer is what belongs to it.
fn steps(session: &str) -> Vec<(Value, String)> {
    let message = |number: usize, words: &str| {
        let mut body = said(session, &format!("{words} {session}"));
        body["request_id"] = json!(format!("r-{number}"));
        body
    };
    let mut result = said(session, "浏览器工具 clear_ai_styles 执行结果: {\"success\": true}");
    let mut approval = said(session, &json!({"toolId": "made_up", "approved": true}).to_string());
    approval["role"] = json!("function");
    result["request_id"] = json!("r-result");
    let approval = |number: usize| {
        let mut approval = approval.clone();
        approval["request_id"] = json!(format!("r-approval-{number}"));
        approval
    };
    vec![
        (message(0, "hello"), format!("answer to hello {session}")),
        (message(1, "clear"), "clear_ai_styles".into()),
        (result, format!("answer to clear {session}")),
        (message(2, "search"), "search_web".into()),
        (approval(0), "search_web".into()),
        (approval(1), format!("answer to search {session}")),
        (message(3, "bye"), format!("answer to bye {session}")),
    ]
}

/// What is killed.
#[derive(Clone, Copy, PartialEq)]
enum Victim {
    Server,
    Database,
}

/// Where the conversations are kept.
struct Ground {
    home: Home,
    cluster: Option<Postgres>,
    url: String,
    /// Seconds that the cluster's clock is ahead.
    ahead: Cell<i64>,
}

/// Longer than a server that was killed holds a conversation.
const LEASE: i64 = 60;

impl Ground {
    fn sqlite(home: Home) -> Self {
        let file = home.path().join(".local/share/handeye/chat/chat.db");
        Self { url: format!("sqlite://{}", file.display()), home, cluster: None, ahead: Cell::new(0) }
    }

    fn postgres(home: Home) -> Self {
        let cluster = Postgres::start();
        let url = cluster.database();
        if !is_full() {
            // It is there before anybody connects.
            cluster.set_clock(&url, 0);
        }
        Self { url, home, cluster: Some(cluster), ahead: Cell::new(0) }
    }

    fn serve(&self) -> Server {
        let database: &[&str] = if self.cluster.is_some() { &["--database", &self.url] } else { &[] };
        Server::start(&self.home, &[&["--trust-user-id"], database].concat())
    }

    /// Has the time pass on a cluster for which a killed server holds its conversation; with `--full` it is waited for.
    fn pass(&self) {
        if let Some(cluster) = self.cluster.as_ref().filter(|_| !is_full()) {
            self.ahead.set(self.ahead.get() + LEASE);
            cluster.set_clock(&self.url, self.ahead.get());
        }
    }

    /// Sends a message, kills what is to be killed a moment later, and has it run again: the server, and what the client was told.
    fn kill(&self, victim: Victim, server: Server, body: &Value, pause: Duration) -> (Server, Option<String>) {
        let told = std::thread::scope(|scope| {
            let asked = scope.spawn(|| server.chat(None, body));
            std::thread::sleep(pause);
            match (victim, &self.cluster) {
                (Victim::Database, Some(cluster)) => {
                    cluster.crash();
                    cluster.run();
                }
                _ => kill(i32::try_from(server.child.id()).unwrap(), "KILL"),
            }
            asked.join().unwrap()
        });
        let whole = told.filter(|(status, told)| *status == 200 && is_whole(told)).map(|(_, told)| told);
        let again = match victim {
            Victim::Database => server,
            Victim::Server => {
                // It holds its file until it is gone.
                drop(server);
                self.pass();
                self.serve()
            }
        };
        (again, whole)
    }
}

/// Whether an answer came to its end without an error.
fn is_whole(told: &str) -> bool {
    told.contains("\\u5bf9\\u8bdd") && !told.contains("\"error\":")
}

/// Sends a message until it is answered, as a client does.
fn until_answered(server: &Server, body: &Value) -> String {
    let began = Instant::now();
    loop {
        let (status, told) = server.chat(None, body).unwrap();
        if status == 200 && is_whole(&told) {
            return told;
        }
        let may_pass = ["\"database\"", "\"run_in_progress\""].iter().any(|code| told.contains(code));
        assert!(may_pass && began.elapsed() < LIMIT, "{status} {told}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// In each trial something is killed once, at a random moment of a random step; the client sends again what wasn't answered.
fn nothing_is_lost_or_doubled(victim: Victim, short: usize, ground: impl Fn(Home) -> Ground) {
    let model = ModelServer::new(script);
    let (url, searched) = search();
    let ground = ground(home(&model, &url));
    let mut dice = Dice::new(7);
    let trials = trials(short, 200);
    let mut server = ground.serve();
    for trial in 0..trials {
        let session = format!("s{trial}");
        let killed_at = dice.below(7);
        for (number, (body, wanted)) in steps(&session).iter().enumerate() {
            // Of a call that was being carried out the model is told that it isn't known what came of it; it says the same then.
            let is_answer = |told: &str| is_told(told, wanted);
            if number == killed_at {
                let pause = Duration::from_millis(dice.below(120) as u64);
                let (again, told) = ground.kill(victim, server, body, pause);
                server = again;
                // What was told before the end is told the same way after it.
                assert!(told.iter().all(|told| is_answer(told)), "{session} {number}: {told:?}");
            }
            let told = until_answered(&server, body);
            assert!(is_answer(&told), "{session} {number}: {told}");
        }
    }
    drop(server);
    check(&ground.url, trials, &searched.lock().unwrap());
}

#[test]
fn a_killed_server_loses_and_doubles_nothing() {
    nothing_is_lost_or_doubled(Victim::Server, 6, Ground::sqlite);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_server_on_postgresql_loses_and_doubles_nothing() {
    nothing_is_lost_or_doubled(Victim::Server, 6, Ground::postgres);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_postgresql_loses_and_doubles_nothing() {
    nothing_is_lost_or_doubled(Victim::Database, 2, Ground::postgres);
}

/// What the database holds: each message, call and answer once, in order, in a log that nobody changed.
fn check(url: &str, trials: usize, searched: &[String]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(url).await.unwrap();
        let user = store.user("user_id:u").await.unwrap();
        let log = store.audit_log().await.unwrap();
        for trial in 0..trials {
            let session = format!("s{trial}");
            let conversation = store.conversation(&user.id, &session).await.unwrap().unwrap();
            let entries = store.history(&conversation.id).await.unwrap();
            let said = entries.iter().filter(|entry| entry.body != Body::Page);
            let shape: Vec<String> = said.map(told).collect();
            let wanted = [
                format!("user hello {session}"),
                format!("answer answer to hello {session} []"),
                format!("user clear {session}"),
                "answer  [clear_ai_styles done]".to_owned(),
                format!("answer answer to clear {session} []"),
                format!("user search {session}"),
                "answer  [search_web done]".to_owned(),
                "answer  [search_web done]".to_owned(),
                format!("answer answer to search {session} []"),
                format!("user bye {session}"),
                format!("answer answer to bye {session} []"),
            ];
            assert_eq!(shape, wanted);
            // What was approved is carried out once; only where the server was killed while it was at it, that isn't known.
            let interrupted: Vec<bool> = entries.iter().flat_map(searches).collect();
            for (number, is_interrupted) in interrupted.iter().enumerate() {
                let times = searched.iter().filter(|query| **query == format!("{session}.{number}")).count();
                assert!(
                    times == 1 || times == 0 && *is_interrupted,
                    "{session}.{number} was searched for {times} times"
                );
            }
            let of_call = |event: &str| {
                log.iter().filter(|entry| entry.event == event && entry.conversation == conversation.id).count()
            };
            let done = interrupted.iter().filter(|is_interrupted| !**is_interrupted).count();
            assert_eq!((of_call("approved"), of_call("carried_out")), (2, done), "{session}");
        }
        assert_eq!(verify_audit(&log), None);
        store.close().await;
    });
}

/// The searches of an answer: whether each was being carried out when its server was killed.
fn searches(entry: &Entry) -> Vec<bool> {
    let Body::Assistant(_, calls) = &entry.body else { return Vec::new() };
    let is_interrupted = |text: &String| text.starts_with("the server ended while");
    let searches = calls.iter().filter(|call| call.tool == "search_web");
    searches.map(|call| call.result.as_ref().is_some_and(is_interrupted)).collect()
}

fn told(entry: &Entry) -> String {
    match &entry.body {
        Body::User(text) => format!("user {text}"),
        Body::Assistant(text, calls) => {
            let calls: Vec<String> = calls.iter().map(|call| format!("{} {}", call.tool, call.status.word())).collect();
            format!("answer {text} [{}]", calls.join(", "))
        }
        Body::Cut(text) => format!("cut {text}"),
        Body::Page => "page".to_owned(),
    }
}
