//! Both wires against a server that speaks them, faults included.
#![allow(clippy::unwrap_used, clippy::panic)]

use handeye_models::budget::{Cap, Price};
use handeye_models::{
    Budget, ChatReply, ChatRequest, Client, Delta, Endpoint, Message, ModelError, Part, Secret, Stop, Tool, ToolCall,
    Wire,
};
use handeye_testkit::is_full;
use handeye_testkit::models::{Answer, ModelServer};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-a-key-that-must-not-be-seen";
const WIRES: [Wire; 2] = [Wire::Openai, Wire::Anthropic];

fn client(server: &ModelServer, wire: Wire, cap: Cap) -> Client {
    let mut endpoint = Endpoint::new(wire, server.url().parse().unwrap(), "eye-1", Some(Secret::new(KEY)));
    endpoint.timeout = Duration::from_secs(20);
    endpoint.price = Some(Price { input: 1.0, output: 10.0 });
    Client::new(endpoint, Arc::new(Budget::new(cap))).unwrap()
}

fn request() -> ChatRequest {
    let weather = Tool {
        name: "weather".into(),
        description: "Tells the weather".into(),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}}),
    };
    let picture = Part::Image { media_type: "image/png".into(), bytes: b"\x89PNG picture".to_vec() };
    ChatRequest {
        system: Some("Be brief.".into()),
        messages: vec![
            Message::user("天气怎么样？"),
            Message::Assistant {
                text: String::new(),
                calls: vec![ToolCall {
                    id: "c1".into(),
                    name: "weather".into(),
                    arguments: r#"{"city":"北京"}"#.into(),
                }],
            },
            Message::Tool { id: "c1".into(), content: "sunny".into(), failed: false },
            Message::User { parts: vec![Part::Text { text: "And here?".into() }, picture] },
        ],
        tools: vec![weather],
        max_tokens: 300,
        temperature: Some(0.0),
    }
}

/// Asks whole or streamed; the second is what the pieces add up to.
async fn ask(client: &Client, streamed: bool) -> (Result<ChatReply, ModelError>, ChatReply) {
    let mut sum = ChatReply {
        text: String::new(),
        thinking: String::new(),
        calls: Vec::new(),
        stop: Stop::End,
        usage: Default::default(),
    };
    if !streamed {
        return (client.ask(&request()).await, sum);
    }
    let mut tell = |delta| match delta {
        Delta::Text(text) => sum.text.push_str(&text),
        Delta::Call { id, name, .. } => sum.calls.push(ToolCall { id, name, arguments: String::new() }),
        Delta::Arguments { index, piece } => sum.calls[index].arguments.push_str(&piece),
        Delta::Restart => {
            sum.text.clear();
            sum.calls.clear();
        }
    };
    let reply = client.stream(&request(), &mut tell).await;
    (reply, sum)
}

#[tokio::test]
async fn words_and_calls_come_whole_and_in_pieces_over_both_wires() {
    for wire in WIRES {
        for streamed in [false, true] {
            let what = format!("{wire:?}, streamed {streamed}");
            let words = ModelServer::new(|_| Answer::Say("晴天, and “warm” 🌞".into()));
            let (reply, sum) = ask(&client(&words, wire, Cap::default()), streamed).await;
            let reply = reply.unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(reply.text, "晴天, and “warm” 🌞", "{what}");
            assert_eq!((reply.stop, reply.usage.input, reply.usage.output), (Stop::End, 100, 20), "{what}");

            let call = r#"{"city":"东京","days":2}"#;
            let calls = ModelServer::new(move |_| {
                Answer::Call(vec![("weather".into(), call.into()), ("weather".into(), r#"{"city":"Oslo"}"#.into())])
            });
            let (called, called_sum) = ask(&client(&calls, wire, Cap::default()), streamed).await;
            let called = called.unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(called.stop, Stop::Tools, "{what}");
            let arguments = |i: usize| serde_json::from_str::<serde_json::Value>(&called.calls[i].arguments).unwrap();
            assert_eq!(arguments(0), json!({"city": "东京", "days": 2}), "{what}");
            assert_eq!(arguments(1), json!({"city": "Oslo"}), "{what}");
            assert_ne!(called.calls[0].id, called.calls[1].id, "{what}");
            if streamed {
                assert_eq!(sum.text, reply.text, "{what}");
                assert_eq!(called_sum.calls, called.calls, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_in_no_piece_of_an_answer() {
    for wire in WIRES {
        let words = ModelServer::new(|_| Answer::Say(format!("so: {KEY}, sk-a")));
        let (reply, sum) = ask(&client(&words, wire, Cap::default()), true).await;
        assert_eq!(
            (reply.unwrap().text.as_str(), sum.text.as_str()),
            ("so: [key], sk-a", "so: [key], sk-a"),
            "{wire:?}"
        );
        let calls = ModelServer::new(|_| Answer::Call(vec![("say".into(), format!(r#"{{"key":"{KEY}"}}"#))]));
        let (reply, sum) = ask(&client(&calls, wire, Cap::default()), true).await;
        assert_eq!(reply.unwrap().calls, sum.calls, "{wire:?}");
        assert_eq!(sum.calls[0].arguments, r#"{"key":"[key]"}"#, "{wire:?}");
    }
}

#[tokio::test]
async fn a_request_carries_key_words_calls_pictures_and_tools() {
    for wire in WIRES {
        let server = ModelServer::new(|_| Answer::Say("ok".into()));
        client(&server, wire, Cap::default()).ask(&request()).await.unwrap();
        let asked = server.asked().remove(0);
        assert_eq!(asked.key.as_deref(), Some(KEY));
        assert_eq!(asked.pictures, [b"\x89PNG picture".to_vec()]);
        assert_eq!(asked.body["model"], "eye-1");
        for said in ["Be brief.", "天气怎么样？", "sunny", "And here?"] {
            assert!(asked.text.contains(said), "{wire:?}: {said}");
        }
        let messages = asked.body["messages"].as_array().unwrap();
        match wire {
            Wire::Openai => {
                assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], r#"{"city":"北京"}"#);
                assert_eq!(asked.body["tools"][0]["function"]["name"], "weather");
            }
            Wire::Anthropic => {
                assert_eq!(messages.len(), 3, "turns alternate");
                assert_eq!(messages[1]["content"][0]["input"], json!({"city": "北京"}));
                assert_eq!(messages[2]["content"][0]["tool_use_id"], "c1");
                assert_eq!(asked.body["tools"][0]["input_schema"]["type"], "object");
            }
        }
    }
}

/// A fault, how often it is tried, and the error that comes of it.
type Fault = (&'static str, fn() -> Answer, usize, fn(&ModelError) -> bool);

#[tokio::test]
async fn faults_are_told_apart_retried_where_it_helps_and_never_show_the_key() {
    let faults: [Fault; 15] = [
        (
            "wrong key",
            || Answer::Fail(401, "", format!(r#"{{"error":{{"message":"bad key {KEY}"}}}}"#)),
            1,
            |e| matches!(e, ModelError::Key { status: 401, message } if message == "bad key [key]"),
        ),
        (
            "unknown model",
            || Answer::Fail(404, "", r#"{"error":{"message":"no eye-1"}}"#.into()),
            1,
            |e| matches!(e, ModelError::Request { status: 404, message } if message == "no eye-1"),
        ),
        (
            "too many",
            || Answer::Fail(429, "retry-after: 0\r\n", "slow down".into()),
            3,
            |e| matches!(e, ModelError::Server { status: 429, attempts: 3, .. }),
        ),
        (
            "asked to wait for too long",
            || Answer::Fail(429, "retry-after: 3600\r\n", "slow down".into()),
            1,
            |e| matches!(e, ModelError::Later { status: 429, seconds: 3600, .. }),
        ),
        (
            "failing",
            || Answer::Fail(503, "retry-after: 0\r\n", String::new()),
            3,
            |e| matches!(e, ModelError::Server { status: 503, .. }),
        ),
        (
            "redirect",
            || Answer::Fail(302, "location: http://127.0.0.1:9/\r\n", String::new()),
            1,
            |e| matches!(e, ModelError::Redirect { status: 302, to } if to == "http://127.0.0.1:9/"),
        ),
        ("a web page", || Answer::Raw("text/html", "<html>502</html>".into()), 1, garbled),
        ("nothing", || Answer::Raw("application/json", String::new()), 1, garbled),
        (
            "an error within the stream",
            || {
                Answer::Raw(
                    "text/event-stream",
                    format!("data: {{\"type\":\"error\",\"error\":{{\"message\":\"{KEY}\"}}}}\n\n"),
                )
            },
            3,
            |e| matches!(e, ModelError::Dropped(why) if why == "[key]"),
        ),
        ("cut JSON", || Answer::Raw("application/json", r#"{"choices":[{"mes"#.into()), 1, garbled),
        ("another JSON", || Answer::Raw("application/json", "[1,2,3]".into()), 1, garbled),
        ("events that are none", || Answer::Raw("text/event-stream", "data: {oops\n\n".into()), 1, garbled),
        ("an empty answer", || Answer::Say(String::new()), 1, garbled),
        (
            "declined",
            || Answer::Refuse("I can't do that.".into()),
            1,
            |e| matches!(e, ModelError::Refused(why) if why == "I can't do that."),
        ),
        (
            "cut off",
            || Answer::Cut("a long answer that is cut in the middle of it".into()),
            3,
            |e| matches!(e, ModelError::Dropped(_)),
        ),
    ];
    for wire in WIRES {
        for streamed in [false, true] {
            for (number, (name, answer, tries, expected)) in faults.iter().enumerate() {
                // Each by one wire whole, and by the other streamed.
                let is_turn = (number + usize::from(streamed) + usize::from(wire == Wire::Anthropic)).is_multiple_of(2);
                if !is_full() && !is_turn {
                    continue;
                }
                // Whole answers have no events.
                if !streamed && ["events that are none", "an error within the stream"].contains(name) {
                    continue;
                }
                let answer = *answer;
                let server = ModelServer::new(move |_| answer());
                let (reply, _) = ask(&client(&server, wire, Cap::default()), streamed).await;
                let error = reply.expect_err(name);
                assert!(expected(&error), "{name}, {wire:?}, streamed {streamed}: {error:?}");
                assert!(!format!("{error:?} {error}").contains(KEY), "{name}");
                assert_eq!(server.asked().len(), *tries, "{name}, {wire:?}, streamed {streamed}");
            }
        }
    }
}

fn garbled(error: &ModelError) -> bool {
    matches!(error, ModelError::Garbled(_))
}

#[tokio::test]
async fn what_passes_is_tried_again_and_pieces_of_a_cut_answer_are_taken_back() {
    for wire in WIRES {
        for streamed in [false, true] {
            let server = ModelServer::new(|asked| match asked.number {
                0 => Answer::Cut("half of an answer that nobody should keep".into()),
                1 => Answer::Fail(500, "", "oops".into()),
                _ => Answer::Say("whole".into()),
            });
            let (reply, sum) = ask(&client(&server, wire, Cap::default()), streamed).await;
            assert_eq!(reply.unwrap().text, "whole");
            if streamed {
                assert_eq!(sum.text, "whole", "{wire:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_or_is_not_there_ends_in_time() {
    let server = ModelServer::new(|_| Answer::Stall(Duration::from_secs(30)));
    let mut endpoint = Endpoint::new(Wire::Openai, server.url().parse().unwrap(), "eye-1", None);
    endpoint.timeout = Duration::from_millis(300);
    let slow = Client::new(endpoint.clone(), Arc::default()).unwrap();
    assert_eq!(slow.ask(&request()).await.unwrap_err(), ModelError::TimedOut(0));

    // A port that was just free.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    endpoint.base = format!("http://127.0.0.1:{free}/v1").parse().unwrap();
    endpoint.timeout = Duration::from_secs(20);
    let absent = Client::new(endpoint, Arc::default()).unwrap();
    let error = absent.ask(&request()).await.unwrap_err();
    assert!(
        matches!(&error, ModelError::Unreachable { address, .. } if address.ends_with(&free.to_string())),
        "{error:?}"
    );
}

#[tokio::test]
async fn usage_is_counted_and_a_spent_budget_sends_nothing() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    for cap in [Cap { tokens: Some(200), cost: None }, Cap { tokens: None, cost: Some(0.0005) }] {
        let client = client(&server, Wire::Openai, cap);
        let before = server.asked().len();
        client.ask(&request()).await.unwrap();
        client.ask(&request()).await.unwrap();
        let error = client.ask(&request()).await.unwrap_err();
        assert!(matches!(error, ModelError::Spent(_)), "{error:?}");
        assert_eq!(server.asked().len(), before + 2);
        let used = client.budget().used();
        assert_eq!((used.calls, used.usage.input, used.usage.output), (2, 200, 40));
        assert!((used.cost - 0.0006).abs() < 1e-9, "{}", used.cost);
    }
}

#[tokio::test]
async fn a_key_that_no_header_carries_is_refused_before_anything_is_sent() {
    let server = ModelServer::new(|_| Answer::Say("ok".into()));
    let endpoint = Endpoint::new(Wire::Anthropic, server.url().parse().unwrap(), "m", Some(Secret::new("a\nb")));
    let error = Client::new(endpoint, Arc::default()).unwrap().ask(&request()).await.unwrap_err();
    assert!(matches!(error, ModelError::Key { .. }), "{error:?}");
    assert!(server.asked().is_empty());
}

/// What a server does, and the tokens that count: of the prompt and of the answer, at least; none where the model wasn't asked.
type Failing = (&'static str, fn() -> Answer, Option<(u64, u64)>);

#[tokio::test]
async fn what_fails_counts_as_far_as_the_model_may_have_been_asked() {
    let table: [Failing; 15] = [
        ("wrong key", || Answer::Fail(401, "", String::new()), None),
        ("forbidden", || Answer::Fail(403, "", String::new()), None),
        ("unknown model", || Answer::Fail(404, "", String::new()), None),
        ("bad request", || Answer::Fail(400, "", "{}".into()), None),
        ("too many", || Answer::Fail(429, "", String::new()), None),
        ("overloaded", || Answer::Fail(529, "", String::new()), None),
        ("redirect", || Answer::Fail(302, "location: http://127.0.0.1:9/\r\n", String::new()), None),
        ("failing", || Answer::Fail(500, "", String::new()), Some((1_500, 0))),
        ("behind a gateway", || Answer::Fail(504, "", String::new()), Some((1_500, 0))),
        ("a web page", || Answer::Raw("text/html", "<html>".into()), Some((1_500, 0))),
        ("nothing", || Answer::Raw("application/json", String::new()), Some((1_500, 0))),
        ("an empty answer", || Answer::Say(String::new()), Some((100, 20))),
        ("declined", || Answer::Refuse("no".into()), Some((100, 20))),
        ("cut off", || Answer::Cut("a long answer that is cut in the middle of it".into()), Some((100, 0))),
        ("silent", || Answer::Stall(Duration::from_secs(30)), Some((1_500, 0))),
    ];
    for wire in WIRES {
        for streamed in [false, true] {
            for (name, answer, counted) in &table {
                let answer = *answer;
                let server = ModelServer::new(move |_| answer());
                let mut endpoint = Endpoint::new(wire, server.url().parse().unwrap(), "eye-1", None);
                let is_silent = *name == "silent";
                (endpoint.attempts, endpoint.price) = (1, Some(Price { input: 1.0, output: 10.0 }));
                endpoint.timeout = Duration::from_millis(if is_silent { 500 } else { 20_000 });
                let client = Client::new(endpoint, Arc::default()).unwrap();
                ask(&client, streamed).await.0.expect_err(name);
                let (used, what) = (client.budget().used(), format!("{name}, {wire:?}, streamed {streamed}"));
                let Some((input, output)) = counted else {
                    assert_eq!((used.calls, used.usage.total()), (0, 0), "{what}");
                    continue;
                };
                assert_eq!(used.calls, 1, "{what}");
                assert!(used.usage.input >= *input && used.usage.output >= *output, "{what}: {used:?}");
                assert!(used.cost > 0.0, "{what}: {used:?}");
            }
        }
    }
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nowhere = format!("http://127.0.0.1:{free}/v1").parse().unwrap();
    let mut endpoint = Endpoint::new(Wire::Openai, nowhere, "eye-1", None);
    endpoint.attempts = 1;
    let absent = Client::new(endpoint, Arc::default()).unwrap();
    absent.ask(&request()).await.unwrap_err();
    assert_eq!(absent.budget().used().calls, 0, "nobody was asked");
}

#[tokio::test]
async fn attempts_that_fail_use_up_a_budget_too_and_so_does_what_is_given_up() {
    let server = ModelServer::new(|_| Answer::Cut("a long answer that is cut in the middle of it".into()));
    let mut endpoint = Endpoint::new(Wire::Openai, server.url().parse().unwrap(), "eye-1", None);
    endpoint.attempts = 9;
    // Each attempt is a prompt with a picture, of some 1,500 tokens.
    let budget = Arc::new(Budget::new(Cap { tokens: Some(2_000), cost: None }));
    let client = Client::new(endpoint, budget).unwrap();
    let error = client.ask(&request()).await.unwrap_err();
    assert!(matches!(error, ModelError::Spent(_)), "{error:?}");
    assert_eq!(server.asked().len(), 2);

    let silent = ModelServer::new(|_| Answer::Stall(Duration::from_secs(30)));
    let client = self::client(&silent, Wire::Openai, Cap { tokens: Some(1_000), cost: None });
    let given_up = tokio::time::timeout(Duration::from_secs(1), client.ask(&request())).await;
    assert!(given_up.is_err());
    assert!(matches!(client.ask(&request()).await, Err(ModelError::Spent(_))));
    assert_eq!(silent.asked().len(), 1);
}

#[tokio::test]
async fn what_a_model_does_not_take_is_left_out_once_it_said_so() {
    for streamed in [false, true] {
        let server = ModelServer::new(|asked| Answer::of_the_newest(asked).unwrap_or_else(|| Answer::Say("ok".into())));
        let client = client(&server, Wire::Openai, Cap::default());
        assert_eq!(ask(&client, streamed).await.0.unwrap().text, "ok");
        let sent = |members: &serde_json::Value| {
            ["max_tokens", "max_completion_tokens", "temperature"].map(|name| members.get(name).is_some())
        };
        let all: Vec<[bool; 3]> = server.asked().iter().map(|asked| sent(&asked.body)).collect();
        assert_eq!(all, [[true, false, true], [false, true, true], [false, true, false]], "streamed {streamed}");
        assert_eq!(server.asked()[2].body["max_completion_tokens"], 300);
        // From then on it is known, and what was refused cost nothing.
        assert_eq!(ask(&client, streamed).await.0.unwrap().text, "ok");
        assert_eq!((server.asked().len(), client.budget().used().calls), (4, 2));
    }
    // Who takes the usual form goes on getting it.
    let older = ModelServer::new(|asked| match asked.body.get("max_completion_tokens") {
        Some(_) => Answer::Fail(400, "", "{}".into()),
        None => Answer::Say("ok".into()),
    });
    client(&older, Wire::Openai, Cap::default()).ask(&request()).await.unwrap();
    assert_eq!((older.asked().len(), &older.asked()[0].body["max_tokens"]), (1, &300.into()));
    // So it is where requests without a temperature were taken before, and nothing is tried twice.
    let newest = ModelServer::new(|asked| Answer::of_the_newest(asked).unwrap_or_else(|| Answer::Say("ok".into())));
    let mut endpoint = Endpoint::new(Wire::Openai, newest.url().parse().unwrap(), "eye-1", None);
    endpoint.attempts = 1;
    let once = Client::new(endpoint, Arc::new(Budget::new(Cap::default()))).unwrap();
    for temperature in [None, Some(0.0), Some(0.0)] {
        once.ask(&ChatRequest { temperature, ..request() }).await.unwrap();
    }
    assert_eq!(newest.asked().len(), 2 + 2 + 1);
    // A server that refuses whatever it is sent is asked once for each member, and the other wire has but one form.
    for (wire, most) in [(Wire::Openai, 2), (Wire::Anthropic, 1)] {
        let body = r#"{"error":{"code":"unsupported_parameter","param":"max_tokens","message":"no"}}"#;
        let stubborn = ModelServer::new(move |_| Answer::Fail(400, "", body.into()));
        let error = client(&stubborn, wire, Cap::default()).ask(&request()).await.unwrap_err();
        assert!(matches!(error, ModelError::Request { status: 400, .. }), "{error:?}");
        assert_eq!(stubborn.asked().len(), most, "{wire:?}");
    }
}
