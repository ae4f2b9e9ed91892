//! Requests that are wrong or of ill will: refused with a code, changing nothing, and in the audit log.

use super::client::{Answer, begin, send};
use super::conformance::scripted;
use super::server::{CHAT, Chat, Database, JSON, SECRET, WAYS, bare, call, decision, request, settings};
use handeye_chat::store::verify_audit;
use handeye_commands::core::chat_settings::{Calling, ChatAgent, ChatPermission, ChatRule};
use handeye_testkit::models::{Answer as Says, Asked, ModelServer};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

#[track_caller]
fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{answer:?}");
}

pub(super) fn idle() -> handeye_testkit::models::ModelServer {
    scripted([])
}

#[test]
pub(super) fn only_our_own_names_and_listed_origins_and_json_are_let_in() {
    let model = idle();
    let mut settings = settings(&model, WAYS[0]);
    settings.origins = vec!["chrome-extension://abc".into()];
    let chat = Chat::plain(&Database::new(), &settings);
    let body = bare("x").to_string();
    for (headers, status, code) in [
        (&[JSON, ("host", "evil.example")][..], 403, "forbidden"),
        (&[JSON, ("host", "127.0.0.1.evil.example:80")], 403, "forbidden"),
        (&[JSON, ("host", "")], 403, "forbidden"),
        (&[JSON, ("origin", "https://evil.example")], 403, "forbidden"),
        (&[JSON, ("origin", "null")], 403, "forbidden"),
        (&[JSON, ("origin", "chrome-extension://abcd")], 403, "forbidden"),
        (&[JSON, ("origin", "chrome-extension://abc"), ("origin", "https://evil.example")], 403, "forbidden"),
        (&[("content-type", "text/plain")], 415, "not_json"),
        (&[JSON, ("content-encoding", "gzip")], 415, "not_json"),
        (&[("content-type", "application/x-www-form-urlencoded")], 415, "not_json"),
        (&[("content-type", "multipart/form-data; boundary=x")], 415, "not_json"),
        (&[], 415, "not_json"),
        (&[JSON, ("authorization", "Bearer he_wrong")], 401, "unauthorized"),
        (&[JSON, ("authorization", "Bearer ")], 401, "unauthorized"),
    ] {
        refused(&send(chat.port, CHAT, headers, body.as_bytes()).unwrap(), status, code);
        let origin = headers.iter().find(|(name, _)| *name == "origin");
        let from = origin.map(|(_, origin)| format!(" from {origin}")).unwrap_or_default();
        let noted = chat.audit().pop().unwrap();
        let wanted = format!("{code} /api/v1/agent/chat{from}");
        assert_eq!((noted.event.as_str(), noted.detail), ("refused", wanted), "{headers:?}");
    }
    for (line, status, code) in [
        ("GET /api/v1/agent/chat", 405, "method_not_allowed"),
        ("POST /", 404, "not_found"),
        ("POST /api/v1/agent/chat/", 404, "not_found"),
    ] {
        refused(&send(chat.port, line, &[JSON], body.as_bytes()).unwrap(), status, code);
    }
    let preflight =
        send(chat.port, "OPTIONS /api/v1/agent/chat", &[("origin", "chrome-extension://abc")], b"").unwrap();
    assert_eq!(
        (preflight.status, preflight.header("access-control-allow-origin")),
        (204, Some("chrome-extension://abc"))
    );
    assert_eq!(model.asked().len(), 0);
    assert_eq!(chat.audit().iter().filter(|entry| entry.event == "refused").count(), 14);
    assert_eq!(verify_audit(&chat.audit()), None);
}

#[test]
pub(super) fn each_field_that_is_wrong_is_named() {
    let model = idle();
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    for (pointer, value, field) in [
        ("/message", Value::Null, "message"),
        ("/user_id", Value::Null, "user_id"),
        ("/agent_id", json!(5), "agent_id"),
        ("/session_id", json!(""), "session_id"),
        ("/role", json!("assistant"), "role"),
        ("/current_page_info/elements/1/desc", json!(null), "current_page_info.elements[1].desc"),
        ("/browser_tools/2/name", json!("a b"), "browser_tools[2].name"),
        ("/browser_tools/1/name", json!("page_action"), "browser_tools[1].name"),
        ("/browser_tools/0/parameters/type", json!("objekt"), "browser_tools[0].parameters"),
        (
            "/browser_tools/0/parameters/properties",
            json!({"a": {"$ref": "http://127.0.0.1:9/x"}}),
            "browser_tools[0].parameters",
        ),
        // It would take megabytes.
        (
            "/browser_tools/3/parameters/properties",
            json!({"a": {"pattern": "\\p{L}{99}"}}),
            "browser_tools[3].parameters",
        ),
    ] {
        let mut body = request("x");
        *body.pointer_mut(pointer).unwrap() = value;
        let answer = chat.chat(&body);
        assert_eq!((answer.status, answer.json()["error"]["field"].as_str()), (422, Some(field)), "{answer:?}");
    }
    for (name, value, code) in [("agent_id", "nobody", "unknown_agent"), ("model", "gpt-9", "unknown_model")] {
        let mut body = request("x");
        body[name] = json!(value);
        let answer = chat.chat(&body);
        refused(&answer, 422, code);
        assert_eq!(answer.json()["error"]["field"], json!(name));
    }
    refused(&send(chat.port, CHAT, &[JSON], b"{\"message\": ").unwrap(), 400, "bad_body");
    refused(&send(chat.port, CHAT, &[JSON], &[0xff; 9]).unwrap(), 400, "bad_body");
    let deep = format!("{{\"message\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    refused(&send(chat.port, CHAT, &[JSON], deep.as_bytes()).unwrap(), 400, "bad_body");
    refused(&send(chat.port, CHAT, &[JSON], &vec![b' '; (2 << 20) + 1]).unwrap(), 413, "too_large");
    for message in ["yes", "{}", "{\"approved\": 1}"] {
        let mut body = request(message);
        body["role"] = json!("function");
        refused(&chat.chat(&body), 422, "bad_field");
    }
    assert_eq!(model.asked().len(), 0);
}

#[test]
pub(super) fn a_tool_of_the_client_can_t_take_the_name_of_one_of_ours() {
    let (model, search) = (idle(), super::models::search_server());
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    settings.agents = vec![ChatAgent { id: "default".into(), tools: Some(Vec::new()), ..ChatAgent::default() }];
    let chat = Chat::plain(&Database::new(), &settings);
    let mut body = request("x");
    body["browser_tools"][3]["name"] = json!("search_web");
    refused(&chat.chat(&body), 422, "bad_tool");
}

#[test]
pub(super) fn users_are_told_apart_by_their_tokens_alone() {
    let model = scripted(vec![call(Calling::Native, "", "clear_ai_styles", "{}"); 2]);
    let chat = Chat::start(&Database::new(), &settings(&model, WAYS[0]), false);
    refused(&chat.chat(&request("x")), 401, "unauthorized");
    let (ann, bob) = (chat.token("ann"), chat.token("bob"));
    let id = chat.chat_as(&ann, &request("清除")).id();
    // The same session of another user is another conversation.
    let mut theirs = request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}");
    refused(&chat.chat_as(&bob, &theirs), 409, "no_pending_call");
    theirs["tool_call_id"] = json!(id);
    refused(&chat.chat_as(&bob, &theirs), 409, "no_pending_call");
    refused(&chat.chat_as(&bob, &decision(&json!({"toolId": id, "approved": false}))), 409, "no_pending_call");
    let tokens = chat.block_on(chat.store.tokens()).unwrap();
    assert!(tokens.iter().all(|token| !format!("{token:?}").contains(&ann)));
    let anns = tokens.iter().find(|token| token.user == "ann").unwrap();
    chat.block_on(chat.store.revoke_token(&anns.id)).unwrap();
    refused(&chat.chat_as(&ann, &request("x")), 401, "unauthorized");
    assert!(chat.block_on(chat.store.revoke_token(&anns.id)).is_err());
}

#[test]
pub(super) fn an_approval_holds_for_what_was_proposed_on_that_page_once() {
    let search = super::models::search_server();
    let model = scripted([
        call(Calling::Native, "", "search_web", "{\"query\": \"甲\"}"),
        call(Calling::Native, "", "search_web", "{\"query\": \"乙\"}"),
        Says::Say("完".into()),
    ]);
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    let chat = Chat::start(&Database::new(), &settings, false);
    let token = chat.token("ann");
    let answer = chat.chat_as(&token, &request("查"));
    assert_eq!(answer.events()[1]["usage"], json!({"input_tokens": 100, "output_tokens": 20}));
    let (id, hash) = (answer.id(), answer.events()[0]["tool_call"]["hash"].clone());
    let decide = |more: Value| {
        let mut said = json!({"toolId": id, "approved": true});
        said.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        decision(&said)
    };
    refused(&chat.chat_as(&token, &decide(json!({"hash": "0"}))), 409, "not_as_proposed");
    refused(&chat.chat_as(&token, &decide(json!({"arguments": {"query": 5}}))), 422, "bad_field");
    refused(&chat.chat_as(&token, &decide(json!({"arguments": {"query": "x", "url": "y"}}))), 422, "bad_field");
    refused(&chat.chat_as(&token, &decide(json!({"toolId": "call_00"}))), 409, "no_pending_call");
    assert_eq!(search.asked(), Vec::<String>::new());
    // With the person's own words in place of the model's.
    let edited = decide(json!({"hash": hash, "arguments": {"query": "丙"}}));
    let next = chat.chat_as(&token, &edited);
    assert_eq!((next.calls().len(), search.asked()), (1, vec!["丙".to_owned()]));
    // The person went to another page meanwhile.
    let mut elsewhere = decision(&json!({"toolId": next.id(), "approved": true}));
    elsewhere["current_page_info"]["url"] = json!("https://other.example/");
    refused(&chat.chat_as(&token, &elsewhere), 409, "page_changed");
    elsewhere["current_page_info"]["url"] = json!("https://www.taobao.com/#top");
    refused(&chat.chat_as(&token, &elsewhere), 410, "expired");
    assert_eq!(search.asked().len(), 1);
    let events: Vec<String> = chat.audit().into_iter().map(|entry| entry.event).collect();
    for event in ["proposed", "edited", "approved", "carried_out", "page_changed", "refused"] {
        assert!(events.iter().any(|known| known == event), "{event}: {events:?}");
    }
    assert_eq!(verify_audit(&chat.audit()), None);
}

#[test]
pub(super) fn two_approvals_at_once_carry_a_call_out_once() {
    for _ in 0..5 {
        let search = super::models::search_server();
        let model = scripted([call(Calling::Native, "", "search_web", "{\"query\": \"甲\"}"), Says::Say("完".into())]);
        let mut settings = settings(&model, WAYS[0]);
        settings.search.url = Some(search.url());
        let chat = Chat::start(&Database::new(), &settings, false);
        let token = chat.token("ann");
        let id = chat.chat_as(&token, &request("查")).id();
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let one = || chat.chat_as(&token, &decision(&json!({"toolId": id, "approved": true})));
            let all: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(search.asked().len(), 1);
        for answer in answers {
            assert!(answer.status == 200 && answer.text() == "完" || answer.code() == "run_in_progress", "{answer:?}");
        }
    }
}

#[test]
pub(super) fn a_user_has_so_many_requests_and_tokens() {
    let model = scripted(vec![Says::Say("好".into()); 3]);
    let mut settings = settings(&model, WAYS[0]);
    settings.requests_per_minute = 4;
    settings.tokens_per_day = Some(200);
    let chat = Chat::plain(&Database::new(), &settings);
    // Each answer takes 120 tokens.
    assert_eq!(chat.chat(&bare("1")).text(), "好");
    assert_eq!(chat.chat(&bare("2")).text(), "好");
    refused(&chat.chat(&bare("3")), 429, "spent");
    refused(&chat.chat(&bare("4")), 429, "spent");
    let many = chat.chat(&bare("5"));
    refused(&many, 429, "rate_limited");
    assert!(many.header("retry-after").is_some());
    let mut other = bare("x");
    other["user_id"] = json!("someone else");
    assert_eq!(chat.chat(&other).text(), "好");
}

/// What answers under way may take is set aside: many that are asked for at once don't go beyond what a user may use.
#[test]
pub(super) fn many_answers_at_once_are_held_to_the_limit_of_tokens() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let model = ModelServer::new(move |_: &Asked| {
        let _ = wait.lock().unwrap().recv();
        Says::Say("好".into())
    });
    let mut settings = settings(&model, WAYS[0]);
    settings.tokens_per_day = Some(20_000);
    let chat = Chat::plain(&Database::new(), &settings);
    let sessions: Vec<Value> = (0..20)
        .map(|number| {
            let mut body = bare("x");
            body["session_id"] = json!(format!("s-{number}"));
            body
        })
        .collect();
    let over = AtomicUsize::new(0);
    let (chat, over) = (&chat, &over);
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let ask = |body| {
            let answer = chat.chat(body);
            over.fetch_add(1, Ordering::SeqCst);
            answer
        };
        let all: Vec<_> = sessions.iter().map(|body| scope.spawn(move || ask(body))).collect();
        // Nobody is answered until all the others are refused.
        let end = std::time::Instant::now() + Duration::from_secs(30);
        while over.load(Ordering::SeqCst) + model.asked().len() < sessions.len() {
            assert!(std::time::Instant::now() < end, "{over:?} {}", model.asked().len());
            std::thread::sleep(Duration::from_millis(20));
        }
        (0..sessions.len()).for_each(|_| go.send(()).unwrap());
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let refused = answers.iter().filter(|answer| answer.body.contains("\"spent\"")).count();
    // Each may take 4,096 tokens and what it is asked with, so that five are too many.
    assert!(refused >= 15, "{refused}");
    assert!(model.asked().len() <= 5, "{}", model.asked().len());
    // Once they are over, what they took counts alone.
    go.send(()).unwrap();
    assert_eq!(chat.chat(&bare("y")).text(), "好");
}

/// A run that goes on and on is held to it at each step, and what a killed server was at counts.
#[test]
pub(super) fn each_step_of_an_answer_is_held_to_the_limit_and_a_killed_server_s_counts() {
    let search = super::models::search_server();
    let model = ModelServer::new(|asked: &Asked| match asked.number {
        0..4 => call(Calling::Native, "", "search_web", "{\"query\": \"x\"}"),
        _ => Says::Stall(Duration::from_secs(30)),
    });
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    settings.rules = vec![ChatRule { then: ChatPermission::Allow, ..ChatRule::default() }];
    settings.tokens_per_day = Some(300);
    let database = Database::new();
    let chat = Chat::plain(&database, &settings);
    // Each question and answer takes 120 tokens.
    let answer = chat.chat(&bare("x"));
    assert!(answer.body.contains("\"spent\""), "{answer:?}");
    assert_eq!((model.asked().len(), search.asked().len()), (3, 3));
    let mut other = bare("y");
    other["user_id"] = json!("another");
    // This one calls once, and is asked again when its server dies.
    let lost = begin(chat.port, CHAT, &[JSON], other.to_string().as_bytes()).unwrap();
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while model.asked().len() < 5 {
        assert!(std::time::Instant::now() < end);
        std::thread::sleep(Duration::from_millis(20));
    }
    chat.crash();
    let chat = Chat::plain(&database, &settings);
    other["session_id"] = json!("s-2");
    refused(&chat.chat(&other), 429, "spent");
    drop(lost);
}

/// What the settings name is in nothing that is kept or told, and of the page's address what lets in isn't either.
#[test]
pub(super) fn keys_and_tokens_reach_no_model_no_export_and_nobody_else() {
    let search = super::models::search_server();
    let model = scripted([
        call(Calling::Native, "", "get_selected_text", "{}"),
        call(Calling::Native, "", "search_web", "{\"query\": \"x\"}"),
        Says::Say("完".into()),
    ]);
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    let chat = Chat::plain(&Database::new(), &settings);
    let on = |mut body: Value| {
        body["current_page_info"] = json!({
            "url": "https://a.example/cb?q=tea&access_token=t0ken-of-page#code=c0de-of-page", "title": format!("t {SECRET}"),
            "selectedText": format!("s {SECRET}"), "elements": [{"id": "e_1", "desc": format!("d {SECRET}")}]
        });
        body
    };
    chat.chat(&on(request(&format!("is {SECRET} right?"))));
    chat.chat(&on(request(&format!(
        "浏览器工具 get_selected_text 执行结果: {{\"success\": true, \"text\": \"{SECRET}\"}}"
    ))));
    let approval = json!({"approved": true, "toolId": "x"});
    assert_eq!(chat.chat(&on(decision(&approval))).text(), "完");
    let user = ("x-user-id", "user_xxx");
    let export = send(chat.port, "GET /api/v1/conversations/s-1/export", &[user], b"").unwrap().body;
    let told: String = model.asked().iter().map(|asked| asked.text.clone()).collect();
    let log = format!("{:?}", chat.audit());
    for (what, text) in [("models", &told), ("the export", &export), ("the log", &log)] {
        for part in [SECRET, "t0ken-of-page", "c0de-of-page"] {
            assert!(!text.contains(part), "{what}: {part}: {text}");
        }
    }
    assert!(told.contains("••••") && told.contains("q=tea"), "{told}");
    assert_eq!(model.asked().len(), 3);
}

#[test]
pub(super) fn what_is_cancelled_counts_against_the_limit_of_tokens() {
    let model = ModelServer::new(|_: &Asked| Says::Paced("说很多很多的话".repeat(40), Duration::from_millis(20)));
    let mut settings = settings(&model, WAYS[0]);
    settings.tokens_per_day = Some(20);
    let chat = Chat::plain(&Database::new(), &settings);
    let mut stream = begin(chat.port, CHAT, &[JSON], bare("x").to_string().as_bytes()).unwrap();
    let mut heard = String::new();
    while !heard.contains("话说很") {
        assert_ne!(std::io::BufRead::read_line(&mut stream, &mut heard).unwrap(), 0, "{heard}");
    }
    let user = ("x-user-id", "user_xxx");
    let cancelled = send(chat.port, "POST /api/v1/conversations/s-1/cancel", &[user], b"").unwrap();
    assert_eq!(cancelled.json(), json!({"cancelled": true}));
    std::io::Read::read_to_string(&mut stream, &mut heard).unwrap();
    refused(&chat.chat(&bare("y")), 429, "spent");
}

#[test]
pub(super) fn health_and_metrics_are_told() {
    let model = scripted([Says::Say("好".into())]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    chat.chat(&bare("x"));
    assert_eq!(send(chat.port, "GET /healthz", &[], b"").unwrap().json(), json!({"status": "ok"}));
    let metrics = send(chat.port, "GET /metrics", &[], b"").unwrap().body;
    for line in [
        "handeye_chat_runs_total 1\n",
        "handeye_chat_runs_running 0\n",
        "handeye_chat_http_responses_total{status=\"2xx\"} 2\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
}

#[test]
pub(super) fn the_document_of_the_interface_names_what_there_is() {
    let model = idle();
    let chat = Chat::start(&Database::new(), &settings(&model, WAYS[0]), false);
    let document = send(chat.port, "GET /api/v1/openapi.json", &[], b"").unwrap().json();
    assert_eq!(document["openapi"], "3.1.0");
    let mut asked = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let line = format!("{} {}", method.to_uppercase(), path.replace("{session}", "s").replace("{thread}", "s"));
            let is_open = operation["security"] == json!([]);
            let answer = send(chat.port, &line, &[JSON], b"{}").unwrap();
            // A code that is missing is no code.
            let open = if path == "/api/v1/pair" { 422 } else { 200 };
            assert_eq!(answer.status, if is_open { open } else { 401 }, "{line}: {answer:?}");
            asked += 1;
        }
    }
    assert_eq!(asked, 14);
    let chat_events = &document["components"]["schemas"]["ChatEvent"]["properties"];
    assert!(chat_events["usage"].is_object(), "{chat_events}");
    let responses = &document["paths"]["/api/v1/agent/chat"]["post"]["responses"];
    for status in
        ["400", "401", "403", "404", "405", "408", "409", "410", "413", "415", "422", "429", "500", "502", "503"]
    {
        assert!(responses[status]["description"].is_string(), "{status}: {responses}");
    }
    // What is taken fits.
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["RunAgentInput"]["required"], json!(["threadId", "runId"]));
    assert_eq!(schemas["ChatRequest"]["properties"]["model"]["type"], json!(["string", "null"]));
    // Every reference leads somewhere.
    let text = document.to_string();
    for reference in text.split("\"#/").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(document.pointer(&format!("/{reference}")).is_some(), "{reference}");
    }
}

#[test]
pub(super) fn nothing_of_a_page_or_a_conversation_is_in_the_audit_log() {
    let model =
        scripted([call(Calling::Native, "", "get_selected_text", "{\"x\": \"秘密一\"}"), Says::Say("秘密二".into())]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    chat.chat(&request("秘密三"));
    chat.chat(&request("浏览器工具 get_selected_text 执行结果: {\"success\": true, \"text\": \"秘密四\"}"));
    let log = format!("{:?}", chat.audit());
    assert!(log.contains("get_selected_text") && !log.contains("秘密") && !log.contains("taobao"), "{log}");
}
