//! What models do wrong: errors, stalls, garbage, invented tools, arguments that don't fit, ends in the middle.

use super::conformance::scripted;
use super::server::{Chat, Database, WAYS, call, request, settings, ways};
use handeye_commands::core::chat_settings::Calling;
use handeye_scene::Wire;
use handeye_testkit::Sample;
use handeye_testkit::models::Answer;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A SearXNG that knows one hit.
pub(super) struct Search {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Search {
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/search", self.port)
    }

    /// What was searched for.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Starts one; it ends with the test's process.
pub(super) fn search_server() -> Search {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = asked.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            let url = url::Url::parse("http://x").unwrap().join(line.split(' ').nth(1).unwrap_or_default()).unwrap();
            let of =
                |name: &str| url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned());
            assert_eq!(of("format").as_deref(), Some("json"));
            noted.lock().unwrap().push(of("q").unwrap_or_default());
            let body = json!({"results": [{"title": "天气", "url": "https://w.example/", "content": "京都明天晴"}]})
                .to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    Search { port, asked }
}

/// The code of the error that an answer ends with.
#[track_caller]
fn failure(answer: &super::client::Answer) -> String {
    let events = answer.events();
    let error = events.iter().find_map(|event| event.get("error")).unwrap_or_else(|| panic!("no error: {answer:?}"));
    assert_eq!(events.last().and_then(|event| event["message"].as_str()), Some("对话完成"), "{answer:?}");
    error["code"].as_str().unwrap().to_owned()
}

/// A stream that ends in the middle of a call.
fn mid_call(wire: Wire) -> String {
    let begun = match wire {
        Wire::Openai => {
            let function = json!({"name": "clear_ai_styles", "arguments": "{\"a"});
            vec![
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": function}]}}]}),
            ]
        }
        Wire::Anthropic => vec![
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "name": "clear_ai_styles", "input": {}}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"a"}}),
        ],
    };
    begun.iter().map(|event| format!("data: {event}\n\n")).collect()
}

#[test]
pub(super) fn what_a_model_s_server_does_wrong_is_told_and_can_be_tried_again() {
    // Each fault by one way or other.
    let mut sample = Sample::one_in(4);
    for way in ways() {
        let fail = |status| Answer::Fail(status, "", r#"{"error":{"message":"sk-secret at 10.0.0.7"}}"#.into());
        for (faults, code) in [
            (vec![fail(401)], "model_failed"),
            (vec![fail(400)], "model_failed"),
            (vec![fail(500), fail(503), fail(500)], "model_failed"),
            (vec![Answer::Cut("这句话说到一半就".into())], "model_failed"),
            (vec![Answer::Raw("text/event-stream", "data: {nonsense\n\n".into()); 3], "model_failed"),
            (vec![Answer::Raw("text/html", "<html>".into()); 3], "model_failed"),
            (vec![Answer::Raw("text/event-stream", mid_call(way.0)); 3], "model_failed"),
            (vec![Answer::Raw("application/json", "{\"choices\": [], \"content\": []}".into()); 3], "model_failed"),
            (vec![Answer::Refuse("不行".into())], "model_failed"),
        ] {
            if !sample.takes() {
                continue;
            }
            let model = scripted(faults.clone().into_iter().chain([Answer::Say("现在好了".into())]));
            let chat = Chat::plain(&Database::new(), &settings(&model, way));
            let answer = chat.chat(&request("你好"));
            assert_eq!((failure(&answer).as_str(), answer.calls().len()), (code, 0), "{way:?} {faults:?}");
            assert!(!answer.body.contains("sk-secret") && !answer.body.contains("10.0.0.7"), "{}", answer.body);
            // The same once more is the same message, which was never answered.
            assert_eq!(chat.chat(&request("你好")).text(), "现在好了", "{way:?} {faults:?}");
            let asked = model.asked();
            assert_eq!(asked.last().unwrap().from_person().iter().filter(|text| *text == "你好").count(), 1);
        }
    }
}

#[test]
pub(super) fn a_model_that_says_nothing_is_given_up() {
    let mut sample = Sample::one_in(3);
    for way in ways() {
        // It says nothing at all, or too little at a time.
        let slow = Answer::Paced("很久很久以前".repeat(20), Duration::from_millis(300));
        for stalled in [Answer::Stall(Duration::from_secs(5)), slow] {
            if !sample.takes() {
                continue;
            }
            let model = scripted([stalled.clone(), Answer::Say("好".into())]);
            let mut settings = settings(&model, way);
            settings.models[0].timeout = Some(1.0);
            let chat = Chat::plain(&Database::new(), &settings);
            assert_eq!(failure(&chat.chat(&request("你好"))), "model_failed", "{way:?} {stalled:?}");
            assert_eq!(chat.chat(&request("你好")).text(), "好", "{way:?} {stalled:?}");
        }
    }
}

#[test]
pub(super) fn passing_faults_before_a_word_was_said_are_passed_over() {
    for way in ways() {
        let model = scripted([Answer::Fail(503, "", "{}".into()), Answer::Say("好".into())]);
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        assert_eq!(chat.chat(&request("你好")).text(), "好");
    }
}

/// A server that asks for more time than there is isn't asked again before that.
#[test]
pub(super) fn a_model_s_server_that_asks_to_wait_for_too_long_is_asked_once() {
    for way in ways() {
        let model = scripted([Answer::Fail(429, "retry-after: 3600\r\n", "{}".into()), Answer::Say("好".into())]);
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        assert_eq!(failure(&chat.chat(&request("你好"))), "model_failed", "{way:?}");
        assert_eq!(model.asked().len(), 1, "{way:?}");
        assert_eq!(chat.chat(&request("你好")).text(), "好", "{way:?}");
    }
}

#[test]
pub(super) fn a_call_that_can_t_be_made_goes_back_to_the_model_and_never_to_the_client() {
    let mut sample = Sample::one_in(3);
    for way in ways() {
        let cases: [(&str, &str, &str); 5] = [
            ("pay_now", "{}", "there is no tool `pay_now`"),
            ("page_action", "{\"actions\": [{\"action\": \"explode\", \"target\": {}}]}", "don't fit its schema"),
            ("page_action", "{}", "don't fit its schema"),
            ("page_action", "[1]", "no JSON object"),
            ("page_action", "{\"actions\": [{\"acti", "cut off"),
        ];
        for (tool, arguments, why) in cases {
            if !sample.takes() {
                continue;
            }
            // Anthropic's wire has arguments as JSON alone when they are sent back.
            let model = scripted([call(way.1, "", tool, arguments), call(way.1, "", "clear_ai_styles", "{}")]);
            let chat = Chat::plain(&Database::new(), &settings(&model, way));
            let answer = chat.chat(&request("做"));
            assert_eq!(answer.calls(), [("clear_ai_styles".to_owned(), "{}".to_owned())], "{way:?} {tool} {arguments}");
            assert_eq!(answer.text(), "");
            let told = &model.asked()[1];
            let told = if way.1 == Calling::Native { told.results().join("") } else { told.text.clone() };
            assert!(told.contains(why), "{way:?} {tool} {arguments}: {told}");
        }
    }
}

#[test]
pub(super) fn a_model_that_never_gets_it_right_is_stopped() {
    for way in ways() {
        let model = scripted(vec![call(way.1, "", "pay_now", "{}"); 9]);
        let chat = Chat::plain(&Database::new(), &settings(&model, way));
        let answer = chat.chat(&request("做"));
        assert_eq!(failure(&answer), "model_confused");
        assert_eq!((answer.calls().len(), model.asked().len()), (0, 4));
    }
}

#[test]
pub(super) fn a_call_in_the_text_that_is_cut_off_is_neither_told_nor_made() {
    let cut = "好。```json\n{\"tool_call\": {\"tool_name\": \"clear_ai_styles\", \"argu";
    let model = scripted([Answer::Say(cut.into()), Answer::Say("完成".into())]);
    let chat = Chat::plain(&Database::new(), &settings(&model, WAYS[2]));
    let answer = chat.chat(&request("做"));
    assert_eq!((answer.text().as_str(), answer.calls().len()), ("好。完成", 0));
    assert!(model.asked()[1].text.contains("cut off"));
    let no_call: Value = json!(answer.events().iter().any(|event| event.get("tool_call").is_some()));
    assert_eq!(no_call, json!(false));
}
