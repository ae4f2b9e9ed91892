//! What needs no question, what is refused, and what is asked about in any case.

use super::client::begin;
use super::conformance::scripted;
use super::models::search_server;
use super::server::{CHAT, Chat, Database, JSON, WAYS, call, decision, request, settings};
use handeye_chat::tools::ServerTool;
use handeye_chat::wire::{Json, ToolSpec};
use handeye_commands::core::chat_settings::{Calling, ChatEffect, ChatPermission, ChatRule, ChatSettings};
use handeye_testkit::models::{Answer as Says, Asked, ModelServer};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn rule(tools: &[&str], then: ChatPermission) -> ChatRule {
    ChatRule { tools: tools.iter().map(|name| (*name).to_owned()).collect(), then, ..ChatRule::default() }
}

fn search(query: &str) -> Says {
    call(Calling::Native, "", "search_web", &json!({ "query": query }).to_string())
}

fn with_search(model: &ModelServer, url: String, rules: Vec<ChatRule>) -> ChatSettings {
    let mut settings = settings(model, WAYS[0]);
    settings.search.url = Some(url);
    settings.rules = rules;
    settings
}

/// A tool of the server that notes its calls.
struct Noting {
    spec: ToolSpec,
    calls: Arc<Mutex<Vec<Value>>>,
}

#[async_trait::async_trait]
impl ServerTool for Noting {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: &Value) -> Result<String, String> {
        self.calls.lock().unwrap().push(arguments.clone());
        Ok("done".into())
    }
}

#[test]
pub(super) fn what_a_rule_allows_is_carried_out_without_a_question() {
    let server = search_server();
    let model = scripted([search("甲"), search("乙"), Says::Say("完".into())]);
    let read = ChatRule { effects: vec![ChatEffect::Read], ..rule(&[], ChatPermission::Allow) };
    let chat = Chat::start(&Database::new(), &with_search(&model, server.url(), vec![read]), false);
    let answer = chat.chat_as(&chat.token("ann"), &request("查"));
    assert_eq!((answer.text().as_str(), answer.calls().len()), ("完", 0), "{answer:?}");
    assert_eq!(server.asked(), ["甲", "乙"]);
    // The client is shown what was done.
    let done: Vec<Value> = answer.events().iter().filter_map(|event| event.get("tool_allowed").cloned()).collect();
    assert_eq!((done.len(), &done[0]["tool_name"]), (2, &json!("search_web")), "{answer:?}");
    let events: Vec<String> = chat.audit().into_iter().map(|entry| entry.event).collect();
    assert_eq!(events[1..], ["allowed", "carried_out", "allowed", "carried_out"]);
}

#[test]
pub(super) fn what_a_rule_denies_is_not_done_and_the_model_is_told() {
    let server = search_server();
    let model = scripted([
        search("甲"),
        call(Calling::Native, "", "page_action", "{\"actions\": [{\"action\": \"read\", \"target\": {}}]}"),
        Says::Say("好吧".into()),
    ]);
    let rules = vec![rule(&["search_*", "page_action"], ChatPermission::Deny)];
    let chat = Chat::plain(&Database::new(), &with_search(&model, server.url(), rules));
    let answer = chat.chat(&request("查"));
    assert_eq!((answer.text().as_str(), answer.calls().len(), server.asked().len()), ("好吧", 0, 0));
    for (number, tool) in [(1, "search_web"), (2, "page_action")] {
        let told = model.asked()[number].results().concat();
        assert!(told.contains(&format!("the policy doesn't allow `{tool}` here")), "{told}");
    }
}

#[test]
pub(super) fn what_pays_deletes_sends_or_logs_in_is_asked_about_whatever_a_rule_allows() {
    let calls: Arc<Mutex<Vec<Value>>> = Arc::default();
    let parameters = Json::from(&json!({"type": "object"}));
    let tool = |name: &str| -> Arc<dyn ServerTool> {
        let spec = ToolSpec { name: name.into(), description: String::new(), parameters: parameters.clone() };
        Arc::new(Noting { spec, calls: calls.clone() })
    };
    for (name, arguments, is_asked) in [
        ("note_down", "{\"x\": 1}", false),
        ("send_mail", "{\"x\": 1}", true),
        ("files__delete", "{\"x\": 1}", true),
        ("payInvoice", "{\"x\": 1}", true),
        ("crm__run", "{\"operation\": \"list\"}", false),
        ("crm__run", "{\"operation\": \"delete_account\"}", true),
        ("http__request", "{\"method\": \"DELETE\"}", true),
    ] {
        let does = || call(Calling::Native, "", name, arguments);
        let model = scripted([does(), Says::Say("完".into()), does()]);
        let mut settings = settings(&model, WAYS[0]);
        settings.rules = vec![rule(&[], ChatPermission::Allow)];
        let chat = Chat::with(&Database::new(), &settings, false, &[tool(name)]);
        let token = chat.token("ann");
        calls.lock().unwrap().clear();
        let answer = chat.chat_as(&token, &request("做"));
        assert_eq!(
            (answer.calls().len(), calls.lock().unwrap().len()),
            (usize::from(is_asked), usize::from(!is_asked)),
            "{name} {arguments}"
        );
        if is_asked {
            // Nor does a grant change that.
            let approval = decision(&json!({"toolId": answer.id(), "approved": true, "scope": "conversation"}));
            assert_eq!(chat.chat_as(&token, &approval).text(), "完");
            assert_eq!(chat.chat_as(&token, &request("再做")).calls().len(), 1, "{name}");
            assert_eq!(calls.lock().unwrap().len(), 1, "{name}");
        }
    }
}

#[test]
pub(super) fn what_is_granted_holds_for_the_tool_the_site_and_the_conversation() {
    let server = search_server();
    let model = ModelServer::new(|asked: &Asked| {
        let is_result = asked.body["messages"].as_array().unwrap().last().unwrap()["role"] == "tool";
        match asked.from_person().last().is_some_and(|said| said == "查") && !is_result {
            true => search("x"),
            false => Says::Say("完".into()),
        }
    });
    let chat = Chat::start(&Database::new(), &with_search(&model, server.url(), Vec::new()), false);
    let (ann, bob) = (chat.token("ann"), chat.token("bob"));
    let on = |session: &str, url: &str| {
        let mut body = request("查");
        body["session_id"] = json!(session);
        body["current_page_info"]["url"] = json!(url);
        body
    };
    let first = chat.chat_as(&ann, &on("s-1", "https://a.example/1"));
    let mut approval = decision(&json!({"toolId": first.id(), "approved": true, "scope": "conversation"}));
    approval["current_page_info"]["url"] = json!("https://a.example/1");
    assert_eq!(chat.chat_as(&ann, &approval).text(), "完");
    for (token, session, url, is_asked) in [
        (&ann, "s-1", "https://a.example/2", false),
        (&ann, "s-1", "https://b.example/1", true),
        (&ann, "s-1", "http://a.example/1", true),
        (&ann, "s-2", "https://a.example/1", true),
        (&bob, "s-1", "https://a.example/1", true),
        (&ann, "s-1", "https://a.example/1", false),
    ] {
        let answer = chat.chat_as(token, &on(session, url));
        assert_eq!(answer.calls().len(), usize::from(is_asked), "{session} {url}: {answer:?}");
    }
    assert_eq!(server.asked().len(), 3);
    assert!(chat.audit().iter().any(|entry| entry.event == "granted"));
}

#[test]
pub(super) fn a_model_that_only_calls_what_is_allowed_comes_to_an_end() {
    let server = search_server();
    let model = ModelServer::new(|_: &Asked| search("x"));
    let rules = vec![rule(&[], ChatPermission::Allow)];
    let chat = Chat::plain(&Database::new(), &with_search(&model, server.url(), rules));
    let answer = chat.chat(&request("查"));
    assert_eq!(
        answer.events().iter().filter(|event| event["error"]["code"] == "model_confused").count(),
        1,
        "{answer:?}"
    );
    assert_eq!((server.asked().len(), model.asked().len()), (25, 26));
}

/// The server dies after a call that nobody was asked about: the same message sent again gets the rest of the answer.
#[test]
pub(super) fn an_answer_that_broke_off_after_an_allowed_call_goes_on() {
    let server = search_server();
    let model = ModelServer::new(|asked: &Asked| match asked.number {
        0 => search("x"),
        1 => Says::Stall(std::time::Duration::from_secs(30)),
        _ => Says::Say("完".into()),
    });
    let database = Database::new();
    let settings = with_search(&model, server.url(), vec![rule(&[], ChatPermission::Allow)]);
    let chat = Chat::plain(&database, &settings);
    let mut body = request("查");
    body["request_id"] = json!("r-1");
    let lost = begin(chat.port, CHAT, &[JSON], body.to_string().as_bytes()).unwrap();
    while model.asked().len() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    chat.crash();
    let chat = Chat::plain(&database, &settings);
    chat.block_on(chat.store.forget_leases()).unwrap();
    for _ in 0..2 {
        assert_eq!(chat.chat(&body).text(), "完");
    }
    assert_eq!((server.asked().len(), model.asked().len()), (1, 3));
    drop(lost);
}
