//! What is sent again because its answer got lost: it is taken once, and is never taken for a word on the next call.

use super::client::{Answer, begin};
use super::models::{Search, search_server};
use super::server::{CHAT, Chat, Database, JSON, WAYS, call, decision, request, settings};
use handeye_commands::core::chat_settings::{Calling, ChatPermission, ChatRule, ChatSettings};
use handeye_testkit::models::{Answer as Says, Asked, ModelServer};
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

fn search(query: &str) -> Says {
    call(Calling::Native, "", "search_web", &json!({ "query": query }).to_string())
}

fn act(id: &str) -> (String, String) {
    ("page_action".into(), json!({"actions": [{"action": "click", "target": {"elementId": id}}]}).to_string())
}

fn with_search(model: &ModelServer, search: &Search) -> ChatSettings {
    let mut settings = settings(model, WAYS[0]);
    settings.search.url = Some(search.url());
    settings
}

/// A model that says one thing after the other, each once it is let.
struct Gated {
    model: ModelServer,
    go: mpsc::Sender<()>,
}

impl Gated {
    fn new(answers: Vec<Says>) -> Self {
        let (go, wait) = mpsc::channel::<()>();
        let wait = Mutex::new(wait);
        let model = ModelServer::new(move |asked: &Asked| {
            let _ = wait.lock().unwrap().recv();
            answers.get(asked.number).cloned().unwrap_or_else(|| Says::Say("没有了".into()))
        });
        Self { model, go }
    }

    fn ask(&self, chat: &Chat, body: &Value) -> Answer {
        self.go.send(()).unwrap();
        chat.chat(body)
    }

    /// Sends a request whose connection breaks before the model has answered; returns when the answer is kept.
    fn lose(&self, chat: &Chat, body: &Value) {
        let before = self.model.asked().len();
        let stream = begin(chat.port, CHAT, &[JSON], body.to_string().as_bytes()).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        while self.model.asked().len() == before {
            assert!(Instant::now() < end, "the model isn't asked");
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(stream);
        std::thread::sleep(Duration::from_millis(200));
        self.go.send(()).unwrap();
        let user = chat.block_on(chat.store.user("user_id:user_xxx")).unwrap();
        while chat.block_on(chat.store.conversation(&user.id, "s-1")).unwrap().unwrap().is_running {
            assert!(Instant::now() < end, "it goes on and on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
pub(super) fn an_approval_whose_answer_got_lost_doesn_t_approve_the_next_call() {
    for said in [json!({"approved": true}), json!({"approved": true, "toolId": "made_up"})] {
        let server = search_server();
        let gated = Gated::new(vec![search("甲"), search("乙"), Says::Say("完".into())]);
        let chat = Chat::plain(&Database::new(), &with_search(&gated.model, &server));
        assert_eq!(gated.ask(&chat, &request("查")).calls().len(), 1);
        gated.lose(&chat, &decision(&said));
        assert_eq!(server.asked(), ["甲"]);
        // Nobody has seen the next one: it is told of, and waits.
        let again = chat.chat(&decision(&said));
        assert_eq!((again.calls().len(), server.asked()), (1, vec!["甲".to_owned()]), "{said}: {again:?}");
        assert!(again.calls()[0].1.contains("乙"), "{again:?}");
        // From here on the same words are a word on it.
        assert_eq!(gated.ask(&chat, &decision(&said)).text(), "完", "{said}");
        assert_eq!(server.asked(), ["甲", "乙"]);
        let events: Vec<String> = chat.audit().into_iter().map(|entry| entry.event).collect();
        let wanted = ["proposed", "approved", "carried_out", "proposed", "repeated", "approved", "carried_out"]
            .map(str::to_owned);
        assert_eq!(events, wanted);
    }
}

#[test]
pub(super) fn a_refusal_whose_answer_got_lost_doesn_t_refuse_the_next_call() {
    let server = search_server();
    let both = |one: &str, two: &str| {
        let of = |query: &str| ("search_web".to_owned(), json!({ "query": query }).to_string());
        Says::Call(vec![of(one), of(two)])
    };
    let gated = Gated::new(vec![both("甲", "乙"), Says::Say("完".into())]);
    let chat = Chat::plain(&Database::new(), &with_search(&gated.model, &server));
    assert_eq!(gated.ask(&chat, &request("查")).calls().len(), 1);
    let mut refusal = decision(&json!({"approved": false}));
    refusal["request_id"] = json!("r-1");
    for _ in 0..2 {
        let told = chat.chat(&refusal);
        assert_eq!((told.text().as_str(), told.calls().len()), ("用户取消了工具执行", 1), "{told:?}");
        assert!(told.calls()[0].1.contains("乙"), "{told:?}");
    }
    let approval = decision(&json!({"approved": true}));
    assert_eq!(gated.ask(&chat, &approval).text(), "完");
    assert_eq!(server.asked(), ["乙"]);
}

#[test]
pub(super) fn a_result_whose_answer_got_lost_isn_t_the_next_call_s() {
    let gated = Gated::new(vec![
        Says::Call(vec![act("e_1")]),
        Says::Call(vec![act("e_2"), act("e_3")]),
        Says::Say("完".into()),
    ]);
    let chat = Chat::plain(&Database::new(), &settings(&gated.model, WAYS[0]));
    assert_eq!(gated.ask(&chat, &request("点")).calls().len(), 1);
    let result = request("浏览器工具 page_action 执行结果: {\"success\": true}");
    gated.lose(&chat, &result);
    let second = chat.chat(&result);
    assert!(second.calls().len() == 1 && second.calls()[0].1.contains("e_2"), "{second:?}");
    // Now it was heard, and the same words are what the second call came to.
    let third = chat.chat(&result);
    assert!(third.calls().len() == 1 && third.calls()[0].1.contains("e_3"), "{third:?}");
    assert_eq!(gated.ask(&chat, &result).text(), "完");
    assert_eq!(gated.model.asked()[2].results().len(), 2);
}

/// Nor where another word came in between.
#[test]
pub(super) fn a_result_that_comes_again_after_another_isn_t_the_next_call_s() {
    for is_heard in [false, true] {
        let selected = ("get_selected_text".to_owned(), "{}".to_owned());
        let gated = Gated::new(vec![
            Says::Call(vec![act("e_1"), selected]),
            Says::Call(vec![act("e_2")]),
            Says::Say("完".into()),
        ]);
        let database = Database::new();
        let chat = Chat::plain(&database, &settings(&gated.model, WAYS[0]));
        assert_eq!(gated.ask(&chat, &request("点")).calls().len(), 2);
        let one = request("浏览器工具 page_action 执行结果: {\"success\": true}");
        chat.chat(&one);
        if !is_heard {
            chat.block_on(async {
                let mut other = AnyConnection::connect(&database.url()).await.unwrap();
                let lost = "UPDATE messages SET heard = NULL";
                assert!(sqlx::query(lost).execute(&mut other).await.unwrap().rows_affected() > 0);
            });
        }
        let other = request("浏览器工具 get_selected_text 执行结果: {\"success\": true}");
        let next = gated.ask(&chat, &other);
        assert!(next.calls().len() == 1 && next.calls()[0].1.contains("e_2"), "{next:?}");
        if !is_heard {
            // It is the first call's once more: told again is what came of it since, and from here on it is heard.
            let again = chat.chat(&one);
            assert!(again.calls().len() == 1 && again.calls()[0].1.contains("e_2"), "{again:?}");
            assert_eq!(gated.model.asked().len(), 2);
        }
        assert_eq!(gated.ask(&chat, &one).text(), "完", "heard: {is_heard}");
    }
}

/// A client that acts on a call before it has taken the end of the answer says the same of the next call, and is understood.
#[test]
pub(super) fn a_word_before_the_end_of_the_last_answer_is_about_the_next_call() {
    let calls = ["e_1", "e_2", "e_3", "e_4"].map(|id| Says::Call(vec![act(id)]));
    let gated = Gated::new(calls.to_vec());
    (0..4).for_each(|_| gated.go.send(()).unwrap());
    let chat = Chat::plain(&Database::new(), &settings(&gated.model, WAYS[0]));
    chat.chat(&request("点"));
    let result = request("浏览器工具 page_action 执行结果: {\"success\": true}");
    let mut open = Vec::new();
    for id in ["e_2", "e_3", "e_4"] {
        let (mut heard, end) = (String::new(), Instant::now() + Duration::from_secs(20));
        while !heard.contains("tool_call") {
            assert!(Instant::now() < end, "{heard}");
            // Until the answer before is over, it is being given.
            let mut stream = begin(chat.port, CHAT, &[JSON], result.to_string().as_bytes()).unwrap();
            heard.clear();
            while !heard.contains("tool_call") && std::io::BufRead::read_line(&mut stream, &mut heard).unwrap() > 0 {}
            open.push(stream);
        }
        assert!(heard.contains(id), "{id}: {heard}");
    }
}

#[test]
pub(super) fn a_call_that_was_held_back_is_told_again_with_the_answer_that_told_of_it() {
    let gated = Gated::new(vec![Says::Call(vec![act("e_1"), act("e_2")]), Says::Say("完".into())]);
    let chat = Chat::plain(&Database::new(), &settings(&gated.model, WAYS[0]));
    assert_eq!(gated.ask(&chat, &request("点")).calls().len(), 1);
    let mut result = request("浏览器工具 page_action 执行结果: {\"success\": true}");
    result["request_id"] = json!("r-1");
    for _ in 0..3 {
        let told = chat.chat(&result);
        assert!(told.calls().len() == 1 && told.calls()[0].1.contains("e_2"), "{told:?}");
    }
    result["request_id"] = json!("r-2");
    assert_eq!(gated.ask(&chat, &result).text(), "完");
    assert_eq!(chat.chat(&result).text(), "完");
}

#[test]
pub(super) fn results_and_decisions_with_a_request_id_are_taken_once() {
    let server = search_server();
    let gated =
        Gated::new(vec![Says::Call(vec![act("e_1")]), Says::Call(vec![act("e_2")]), search("甲"), search("乙")]);
    let chat = Chat::plain(&Database::new(), &with_search(&gated.model, &server));
    gated.ask(&chat, &request("做"));
    let named = |mut body: Value, id: &str| {
        body["request_id"] = json!(id);
        body
    };
    let result = request("浏览器工具 page_action 执行结果: {\"success\": true}");
    let first = gated.ask(&chat, &named(result.clone(), "r-1"));
    assert!(first.calls()[0].1.contains("e_2"), "{first:?}");
    // It was heard, and comes again all the same.
    assert_eq!(chat.chat(&named(result.clone(), "r-1")).calls(), first.calls());
    let other = request("浏览器工具 page_action 执行结果: {\"success\": false}");
    assert_eq!(chat.chat(&named(other, "r-1")).code(), "already_decided");
    assert_eq!(chat.chat(&named(request("别的"), "r-1")).code(), "already_decided");
    assert_eq!(gated.ask(&chat, &named(result, "r-2")).calls().len(), 1);
    let approval = decision(&json!({"approved": true}));
    let next = gated.ask(&chat, &named(approval.clone(), "r-3"));
    assert!(next.calls()[0].1.contains("乙"), "{next:?}");
    assert_eq!(chat.chat(&named(approval, "r-3")).calls(), next.calls());
    assert_eq!(chat.chat(&named(decision(&json!({"approved": false})), "r-3")).code(), "already_decided");
    assert_eq!(server.asked(), ["甲"]);
}

/// A client without ids names calls by their tool, as the extension does.
#[test]
pub(super) fn the_second_call_of_a_tool_of_the_server_is_decided_on_by_the_tool_s_name() {
    for (approved, wanted) in [(true, vec!["甲", "乙"]), (false, vec!["甲"])] {
        for id in ["search_web", "tool_xxx"] {
            let server = search_server();
            let gated = Gated::new(vec![search("甲"), search("乙"), Says::Say("完".into())]);
            let chat = Chat::plain(&Database::new(), &with_search(&gated.model, &server));
            assert_eq!(gated.ask(&chat, &request("查")).calls().len(), 1);
            assert_eq!(gated.ask(&chat, &decision(&json!({"toolId": id, "approved": true}))).calls().len(), 1);
            let second = decision(&json!({"toolId": id, "approved": approved}));
            let told = if approved { gated.ask(&chat, &second) } else { chat.chat(&second) };
            assert_eq!(told.text(), if approved { "完" } else { "用户取消了工具执行" }, "{id}: {told:?}");
            assert_eq!(server.asked(), wanted, "{id}");
        }
    }
}

/// An answer that failed is to be asked for again by the same words.
#[test]
pub(super) fn an_approval_whose_answer_failed_is_answered_by_the_same_words() {
    let server = search_server();
    let fail = || Says::Fail(400, "", "{}".into());
    let gated = Gated::new(vec![search("甲"), fail(), Says::Say("完".into())]);
    let chat = Chat::plain(&Database::new(), &with_search(&gated.model, &server));
    gated.ask(&chat, &request("查"));
    let approval = decision(&json!({"approved": true}));
    assert!(gated.ask(&chat, &approval).body.contains("model_failed"));
    assert_eq!(gated.ask(&chat, &approval).text(), "完");
    assert_eq!(server.asked(), ["甲"]);
    // Nothing waits: the same once more is told the same.
    assert_eq!(chat.chat(&approval).text(), "完");
}

/// What the model is told of the page, and what rules judge by, is the page that came last.
#[test]
pub(super) fn a_message_that_comes_again_comes_with_its_new_page() {
    for request_id in [json!("r-1"), Value::Null] {
        let server = search_server();
        let gated = Gated::new(vec![Says::Fail(400, "", "{}".into()), search("甲"), Says::Say("完".into())]);
        let mut settings = with_search(&gated.model, &server);
        settings.rules = vec![ChatRule {
            origins: vec!["https://intranet.example".into()],
            then: ChatPermission::Allow,
            ..ChatRule::default()
        }];
        let chat = Chat::plain(&Database::new(), &settings);
        let on = |url: &str, desc: &str| {
            let mut body = request("查");
            body["request_id"] = request_id.clone();
            body["current_page_info"] = json!({"url": url, "elements": [{"id": "e_1", "desc": desc}]});
            body
        };
        assert!(gated.ask(&chat, &on("https://evil.example/", "坏")).body.contains("model_failed"));
        (0..2).for_each(|_| gated.go.send(()).unwrap());
        assert_eq!(chat.chat(&on("https://intranet.example/", "好")).text(), "完");
        let told = &gated.model.asked()[1].text;
        assert!(told.contains("intranet.example") && !told.contains("evil.example"), "{request_id}: {told}");
    }
}
