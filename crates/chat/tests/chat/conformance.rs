//! Every example of the chat's document, over HTTP, both ways: what the client sends, byte for byte what it is told, and what the model is
//! told. By both wires, with and without function calling.

use super::client::send;
use super::server::{
    BROWSER_TOOLS, CHAT, Chat, Database, JSON, WAYS, bare, browser_tools, call, decision, page, request, settings,
    system, ways,
};
use handeye_commands::core::chat_settings::Calling;
use handeye_scene::Wire;
use handeye_testkit::Sample;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The last event, as the document's own code writes it.
const DONE: &str = "data: {\"message\": \"\\u5bf9\\u8bdd\\u5b8c\\u6210\"}\n\n";

/// A model that says one thing after the other.
pub(super) fn scripted(answers: impl IntoIterator<Item = Answer>) -> ModelServer {
    let answers: Arc<Mutex<VecDeque<Answer>>> = Arc::new(Mutex::new(answers.into_iter().collect()));
    ModelServer::new(move |_: &Asked| {
        answers.lock().unwrap().pop_front().unwrap_or_else(|| Answer::Fail(400, "", "the script is over".into()))
    })
}

/// Calls as a model writes them, and what Python's `json` says that the document's code tells of them.
const CALLS: &str = include_str!("../../../../fixtures/chat/calls.jsonl");

/// Every form of a call that the document's schemas have, batched and alone, is told in the document's bytes.
#[test]
pub(super) fn every_form_of_a_call_is_told_as_the_document_writes_it() {
    let calls: Vec<Value> = CALLS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(calls.len(), 69);
    let text = |call: &Value, member: &str| call[member].as_str().unwrap().to_owned();
    // Each call by one way or other.
    let mut sample = Sample::one_in(4);
    for way in ways() {
        let tried: Vec<&Value> = calls.iter().filter(|_| sample.takes()).collect();
        let script = tried.iter().flat_map(|known| {
            [call(way.1, "", &text(known, "tool"), &text(known, "arguments")), Answer::Say("完".into())]
        });
        let model = scripted(script.collect::<Vec<_>>());
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        for (number, known) in tried.into_iter().enumerate() {
            let mut body = request("做");
            body["session_id"] = json!(format!("s-{number}"));
            assert_eq!(chat.chat(&body).body, format!("{}{DONE}", text(known, "event")), "{way:?}");
            body["message"] = json!(format!("浏览器工具 {} 执行结果: {}", text(known, "tool"), results()[number % 3]));
            assert_eq!(chat.chat(&body).text(), "完", "{way:?} {known}");
        }
    }
}

/// Each action of `page_action` with what it takes, and the other tools.
fn calls() -> Vec<(&'static str, Value)> {
    let action = |action: Value| ("page_action", json!({"actions": [action]}));
    vec![
        (
            "page_action",
            json!({"actions": [
                {"action": "fill", "target": {"elementId": "e_1706789012_abc123"}, "params": {"value": "iPhone 16"}},
                {"action": "click", "target": {"elementId": "e_1706789012_def456"}}
            ]}),
        ),
        action(json!({"action": "highlight", "target": {}, "params": {"color": "#ffeb3b"}})),
        action(json!({"action": "underline", "target": {"selector": "#p > a", "description": "\"第一段\"\n"}})),
        action(json!({"action": "select", "target": {"elementId": "e_1"}, "params": {"value": "北京"}})),
        action(json!({"action": "check", "target": {"elementId": "e_1"}})),
        action(json!({"action": "read", "target": {"selector": "main"}})),
        action(json!({"action": "scroll", "target": {}, "params": {"direction": "up"}})),
        action(json!({"action": "scroll", "target": {}, "params": {"direction": "down"}})),
        action(json!({"action": "scroll", "target": {}, "params": {"direction": "top"}})),
        action(json!({"action": "scroll", "target": {}, "params": {"direction": "bottom"}})),
        ("request_more_elements", json!({"region": "form", "elementType": "button"})),
        ("request_more_elements", json!({"region": "below_viewport", "elementType": "all", "keyword": "提交"})),
        ("get_selected_text", json!({})),
        ("clear_ai_styles", json!({})),
    ]
}

/// Results as the client sends them.
fn results() -> [&'static str; 3] {
    [
        "{\"success\": true, \"results\": [{\"success\": true, \"message\": \"已填充: iPhone 16\"}, {\"success\": true, \"message\": \"已点击: 搜索按钮\"}], \"summary\": \"执行了 2 个操作，成功 2 个，失败 0 个\"}",
        "{\"success\": false, \"error\": \"未找到目标元素\"}",
        "{\"success\": true, \"elements\": [{\"id\": \"e_xxx\", \"desc\": \"按钮:提交\"}, {\"id\": \"e_yyy\", \"desc\": \"按钮:取消\"}]}",
    ]
}

#[test]
pub(super) fn words_are_streamed_in_the_document_s_bytes() {
    for way in ways() {
        let model = scripted([Answer::Say("好的，我来帮你操作网页。\n\"引号\"".into())]);
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        let answer = chat.chat(&request("帮我在搜索框输入 iPhone 16 然后点击搜索"));
        assert_eq!(answer.header("content-type"), Some("text/event-stream; charset=utf-8"));
        // The model's words come in pieces of three letters.
        let wanted: String = ["好的，", "我来帮", "你操作", "网页。", "\\n\\\"引", "号\\\""]
            .map(|piece| format!("data: {{\"content\": \"{piece}\"}}\n\n"))
            .concat();
        assert_eq!(answer.body, format!("{wanted}{DONE}"), "{way:?}");
        assert_eq!(model.asked().len(), 1);
        assert!(model.asked()[0].is_streamed);
    }
}

#[test]
pub(super) fn each_browser_tool_is_called_carried_out_by_the_client_and_told_to_the_model() {
    for way in ways() {
        let script = calls().into_iter().flat_map(|(tool, arguments)| {
            [call(way.1, "好的，我来帮你。\n", tool, &arguments.to_string()), Answer::Say("完成了。".into())]
        });
        let model = scripted(script);
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        for (number, (tool, arguments)) in calls().into_iter().enumerate() {
            let result = results()[number % 3];
            let mut body = request("做这一步");
            body["session_id"] = json!(format!("s-{number}"));
            let answer = chat.chat(&body);
            assert!(answer.body.ends_with(DONE), "{way:?} {tool}: {}", answer.body);
            let [(called, told)] = &answer.calls()[..] else { panic!("{way:?} {tool}: {answer:?}") };
            assert_eq!((called.as_str(), serde_json::from_str(told).ok()), (tool, Some(arguments)));
            assert_eq!(answer.text().trim(), if way.1 == Calling::Prompt { "好的，我来帮你。" } else { "" });
            assert!(!answer.text().contains("tool_call") && !answer.text().contains("```"), "{}", answer.text());

            body["message"] = json!(format!("浏览器工具 {tool} 执行结果: {result}"));
            let answer = chat.chat(&body);
            assert_eq!(answer.text(), "完成了。", "{way:?} {tool}: {answer:?}");
            let asked = &model.asked()[number * 2 + 1];
            let returned = returned(asked, way.1);
            assert!(returned.contains(result), "{way:?} {tool}: {returned}");
            assert!(returned.contains("from https://www.taobao.com====="), "{returned}");
            assert!(returned.contains("=====end "), "{returned}");
            if way.1 == Calling::Native {
                let as_person = asked.from_person().join("\n");
                assert!(!as_person.contains(result), "a result never has the person's role: {as_person}");
            }
        }
    }
}

/// What the model was told that the last call returned.
fn returned(asked: &Asked, calling: Calling) -> String {
    match calling {
        Calling::Native => asked.results().join("\n"),
        Calling::Prompt => asked.from_person().into_iter().filter(|text| text.starts_with("浏览器工具 ")).collect(),
    }
}

#[test]
pub(super) fn tools_are_given_to_the_model_in_the_form_of_its_wire_and_the_page_is_data() {
    for way in ways() {
        let model = scripted([Answer::Say("好".into())]);
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        let mut body = request("你好");
        body["current_page_info"]["selectedText"] = json!("选中的一段");
        body["browser_tools"] = json!("TOOLS");
        // As the client writes it: a JSON value here would sort the members.
        let body = body.to_string().replace("\"TOOLS\"", BROWSER_TOOLS);
        assert_eq!(send(chat.port, CHAT, &[JSON], body.as_bytes()).unwrap().text(), "好");
        let asked = &model.asked()[0];
        let tools = browser_tools();
        let tools = tools.as_array().unwrap();
        let wanted: Value = match way {
            (Wire::Openai, Calling::Native) => {
                tools.iter().map(|t| json!({"type": "function", "function": t})).collect()
            }
            (Wire::Anthropic, Calling::Native) => tools
                .iter()
                .map(|t| json!({"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}))
                .collect(),
            (_, Calling::Prompt) => Value::Null,
        };
        assert_eq!(asked.body["tools"], wanted, "{way:?}");
        let system = system(asked);
        assert_eq!(way.1 == Calling::Prompt, system.contains("#### 工具名称: `page_action`"), "{system}");
        if way.1 == Calling::Prompt {
            // The schema as the client wrote it: its members in its order, indented by two.
            assert!(
                system.contains("```json\n{\n  \"type\": \"object\",\n  \"properties\": {\n    \"actions\": {\n"),
                "{system}"
            );
        }
        let person = asked.from_person().join("\n");
        for line in [
            "- **URL**: https://www.taobao.com",
            "- **标题**: 淘宝网 - 首页",
            "| elementId | 元素描述 |\n|-----------|----------|\n| `e_1706789012_abc123` | 输入框:搜索(placeholder:搜索) |\n| `e_1706789012_def456` | 按钮:搜索 |\n",
            "### 用户选中的文字\n\n```\n选中的一段\n```\n",
        ] {
            assert!(person.contains(line), "{way:?} {line}: {person}");
            assert!(!system.contains(line), "what a page says never stands above the conversation: {system}");
        }
    }
}

#[test]
pub(super) fn without_tools_and_page_nothing_is_injected() {
    for way in ways() {
        for tools in [Value::Null, json!([])] {
            let model = scripted([Answer::Say("好".into())]);
            let mut settings = settings(&model, way);
            settings.agents = vec![handeye_commands::core::chat_settings::ChatAgent {
                id: "default".into(),
                prompt: Some("你是一个智能助手。".into()),
                ..Default::default()
            }];
            let chat = Chat::plain(&Database::new(), &settings);
            let mut body = bare("你好");
            body["browser_tools"] = tools;
            body["current_page_info"] = json!({});
            assert_eq!(chat.chat(&body).text(), "好");
            let asked = &model.asked()[0];
            assert_eq!(system(asked), "你是一个智能助手。");
            assert_eq!(asked.from_person(), ["你好"]);
            assert_eq!(asked.body.get("tools"), None);
        }
    }
}

#[test]
pub(super) fn a_page_without_elements_has_the_document_s_line_and_what_isn_t_told_is_unknown() {
    let model = scripted([Answer::Say("好".into())]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    let mut body = bare("你好");
    body["current_page_info"] = json!({"elements": []});
    chat.chat(&body);
    let person = model.asked()[0].from_person().join("\n");
    for line in
        ["- **URL**: 未知\n", "- **标题**: 未知\n", "（暂无可交互元素信息，可使用 `request_more_elements` 工具获取）\n"]
    {
        assert!(person.contains(line), "{person}");
    }
}

#[test]
pub(super) fn a_tool_of_the_server_waits_for_the_person_too() {
    for way in ways() {
        for id in [json!("tool_xxx"), json!("search_web"), Value::Null] {
            let search = super::models::search_server();
            let query = "{\"query\": \"京都 天气\"}";
            let model = scripted([call(way.1, "", "search_web", query), Answer::Say("晴。".into())]);
            let mut settings = settings(&model, way);
            settings.search.url = Some(search.url());
            let chat = Chat::plain(&Database::new(), &settings);
            let answer = chat.chat(&request("查一下京都的天气"));
            assert_eq!(answer.calls(), [("search_web".to_owned(), query.to_owned())]);
            assert_eq!(search.asked(), Vec::<String>::new(), "nothing is carried out before the person agrees");
            let mut told = json!({"approved": true});
            if !id.is_null() {
                told["toolId"] = id.clone();
            }
            let answer = chat.chat(&decision(&told));
            assert_eq!(answer.text(), "晴。", "{way:?} {id}: {answer:?}");
            assert_eq!(search.asked(), ["京都 天气"]);
            let told_to_model = match way.1 {
                Calling::Native => model.asked()[1].results().join(""),
                Calling::Prompt => model.asked()[1].from_person().join(""),
            };
            assert!(
                told_to_model.contains("京都明天晴") && told_to_model.contains("from the tool search_web====="),
                "{told_to_model}"
            );
        }
    }
}

#[test]
pub(super) fn a_refusal_is_answered_by_the_document_s_words_and_the_model_learns_of_it() {
    for way in ways() {
        let search = super::models::search_server();
        let model =
            scripted([call(way.1, "", "search_web", "{\"query\": \"x\"}"), Answer::Say("好的，不查了。".into())]);
        let mut settings = settings(&model, way);
        settings.search.url = Some(search.url());
        let chat = Chat::plain(&Database::new(), &settings);
        chat.chat(&request("查"));
        let answer = chat.chat(&decision(&json!({"toolId": "tool_xxx", "approved": false})));
        assert_eq!(answer.body, format!("data: {{\"content\": \"用户取消了工具执行\"}}\n\n{DONE}"));
        assert_eq!(search.asked(), Vec::<String>::new());
        assert_eq!(model.asked().len(), 1, "the model isn't asked by a refusal");
        assert_eq!(chat.chat(&request("那算了")).text(), "好的，不查了。");
        assert!(model.asked()[1].text.contains("用户取消了工具执行"));
    }
}

#[test]
pub(super) fn calls_that_a_client_without_ids_could_mix_up_are_told_one_after_the_other() {
    let act = |id: &str| {
        ("page_action".to_owned(), json!({"actions": [{"action": "click", "target": {"elementId": id}}]}).to_string())
    };
    let model = scripted([
        Answer::Call(vec![act("e_1"), act("e_2"), ("get_selected_text".into(), "{}".into())]),
        Answer::Say("完".into()),
    ]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[0]));
    let first = chat.chat(&request("点两下"));
    assert_eq!(first.calls().len(), 1);
    let second = chat.chat(&request("浏览器工具 page_action 执行结果: {\"success\": true}"));
    assert!(second.calls()[0].1.contains("e_2") && second.calls().len() == 2, "{second:?}");
    let third = chat.chat(&request("浏览器工具 get_selected_text 执行结果: {\"success\": true, \"text\": \"\"}"));
    assert_eq!(third.body, DONE, "one call still waits");
    assert_eq!(chat.chat(&request("浏览器工具 page_action 执行结果: {\"success\": false}")).text(), "完");
    assert_eq!(model.asked()[1].results().len(), 3);
}

#[test]
pub(super) fn a_client_with_a_token_is_told_ids_and_may_name_them() {
    let act = |id: &str| {
        ("page_action".to_owned(), json!({"actions": [{"action": "click", "target": {"elementId": id}}]}).to_string())
    };
    let model = scripted([Answer::Call(vec![act("e_1"), act("e_2")]), Answer::Say("完".into())]);
    let chat = Chat::start(&Database::new(), &settings(&model, WAYS[0]), false);
    let token = chat.token("ann");
    let mut body = request("点两下");
    body["user_id"] = Value::Null;
    let first = chat.chat_as(&token, &body);
    let ids: Vec<Value> = first.events().iter().filter_map(|e| e.pointer("/tool_call/id").cloned()).collect();
    assert_eq!(ids.len(), 2, "{first:?}");
    body["message"] = json!("浏览器工具 page_action 执行结果: {\"success\": true}");
    assert_eq!(chat.chat_as(&token, &body).code(), "ambiguous_call");
    body["tool_call_id"] = ids[1].clone();
    assert_eq!(chat.chat_as(&token, &body).body, DONE);
    body["tool_call_id"] = ids[0].clone();
    assert_eq!(chat.chat_as(&token, &body).text(), "完");
    assert_eq!(page()["elements"].as_array().map(Vec::len), Some(3));
}
