//! Endpoints that don't keep to the protocol: those that drop the connection, say nothing, say too much, or say what nobody
//! asked. Every command ends in its time with a clear problem, the daemon goes on, and its memory doesn't grow with what it is
//! sent.

use handeye_testkit::home::{self, Home, Ran};
use serde_json::{Value, json};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, WebSocket, accept_with_config};

/// What a machine that has much else to do may take longer.
const SLOW: Duration = Duration::from_secs(15);

type Socket = WebSocket<TcpStream>;

/// What an endpoint does when it is asked something; false: it hangs up.
type Answers = fn(&mut Socket, &Value) -> bool;

/// An endpoint of its own, until the test ends; its address.
fn endpoint(answers: Answers) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || talk(stream, answers));
        }
    });
    format!("ws://127.0.0.1:{port}/devtools/browser")
}

fn talk(stream: TcpStream, answers: Answers) -> Option<()> {
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let mut socket = accept_with_config(stream, Some(config)).ok()?;
    loop {
        let Message::Text(text) = socket.read().ok()? else { continue };
        let asked: Value = serde_json::from_str(&text).ok()?;
        if !answers(&mut socket, &asked) {
            return None;
        }
    }
}

fn say(socket: &mut Socket, text: impl Into<String>) -> bool {
    socket.send(Message::text(text.into())).is_ok()
}

fn event(socket: &mut Socket, session: Option<&str>, method: &str, params: &Value) -> bool {
    let mut message = json!({ "method": method, "params": params });
    if let Some(session) = session {
        message["sessionId"] = json!(session);
    }
    say(socket, message.to_string())
}

/// The answer a browser would give that has one page, as far as anything is opened with.
fn well(socket: &mut Socket, asked: &Value) -> bool {
    let method = asked["method"].as_str().unwrap_or_default();
    let info =
        json!({ "targetId": "T", "type": "page", "url": "http://page.test/", "title": "Page", "attached": false });
    let result = match method {
        "Target.getTargets" => json!({ "targetInfos": [info] }),
        "Target.attachToTarget" => {
            event(
                socket,
                None,
                "Target.attachedToTarget",
                &json!({ "sessionId": "S", "targetInfo": info, "waitingForDebugger": false }),
            );
            json!({ "sessionId": "S" })
        }
        "Page.getFrameTree" => {
            json!({ "frameTree": { "frame": { "id": "T", "loaderId": "L", "url": "http://page.test/", "securityOrigin": "http://page.test" } } })
        }
        "Browser.getVersion" => json!({ "product": "Fake/1" }),
        "Page.addScriptToEvaluateOnNewDocument" if asked["params"]["worldName"].is_string() => {
            event(
                socket,
                Some("S"),
                "Runtime.executionContextCreated",
                &json!({ "context": {
                "id": 2, "uniqueId": "2.2", "name": "", "origin": "http://page.test",
                "auxData": { "frameId": "T", "isDefault": true, "type": "default" } } }),
            );
            let name = asked["params"]["worldName"].clone();
            event(
                socket,
                Some("S"),
                "Runtime.executionContextCreated",
                &json!({ "context": {
                "id": 3, "uniqueId": "3.3", "name": name, "origin": "http://page.test",
                "auxData": { "frameId": "T", "isDefault": false, "type": "isolated" } } }),
            );
            json!({ "identifier": "1" })
        }
        "Runtime.evaluate" if is_title(asked) => {
            json!({ "result": { "type": "object", "value": ["http://page.test/", "Page"] } })
        }
        "Storage.getCookies" => json!({ "cookies": [] }),
        "Runtime.evaluate" | "Runtime.callFunctionOn" => json!({ "result": { "type": "object", "value": null } }),
        _ => json!({}),
    };
    let mut answer = json!({ "id": asked["id"], "result": result });
    if let Some(session) = asked.get("sessionId") {
        answer["sessionId"] = session.clone();
    }
    say(socket, answer.to_string())
}

/// Whether the title was asked for: the page is open by then.
fn is_title(asked: &Value) -> bool {
    asked["params"]["expression"].as_str().is_some_and(|e| e.contains("handeye.about()"))
}

fn timed(home: &Home, line: &str, limit: Duration) -> Ran {
    let start = Instant::now();
    let ran = home.run(line);
    assert!(start.elapsed() < limit + SLOW, "{line}: {:?}: {ran:?}", start.elapsed());
    assert!(ran.status.is_some(), "{line}: {ran:?}");
    ran
}

/// Kilobytes that the session's daemon holds in memory.
fn memory(home: &Home) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", home.pid("default").unwrap())).unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn endpoints_that_never_become_a_browser_are_refused_in_time() {
    let silent: Answers = |_, _| true;
    let gone: Answers = |_, _| false;
    let nonsense: Answers = |socket, _| say(socket, "nonsense {");
    let refuses: Answers =
        |socket, asked| say(socket, json!({ "id": asked["id"], "error": { "message": "no" } }).to_string());
    let empty: Answers = |socket, asked| say(socket, json!({ "id": asked["id"] }).to_string());
    let refused = |what: &str, answers: Answers, limit: u64| {
        let home = Home::new();
        let line = format!("open --cdp {} --timeout 3", endpoint(answers));
        let ran = timed(&home, &line, Duration::from_secs(limit)).exit(2);
        assert!(ran.err.starts_with("error[") && ran.err.contains("\n  try: "), "{what}: {ran:?}");
        home.assert_nothing_left();
    };
    // Each has a home of its own, and most of its time nothing happens.
    std::thread::scope(|scope| {
        for (what, answers, limit) in [
            ("silent", silent, 3),
            ("gone", gone, 1),
            ("nonsense", nonsense, 3),
            ("refuses", refuses, 1),
            ("empty", empty, 1),
        ] {
            let refused = &refused;
            scope.spawn(move || refused(what, answers, limit));
        }
    });
}

#[test]
fn a_connection_that_drops_in_the_middle_of_a_command_is_lost_at_once() {
    let home = Home::new();
    let drops: Answers = |socket, asked| !is_title(asked) && well(socket, asked);
    let opened = home.run(&format!("open --cdp {}", endpoint(drops)));
    assert!(opened.err.contains("error[lost]: the browser is gone"), "{opened:?}");
    for line in ["state", "get title", "click 1", "tabs list"] {
        let ran = timed(&home, line, Duration::from_secs(1)).exit(2);
        assert!(ran.err.starts_with("error["), "{line}: {ran:?}");
    }
}

#[test]
fn an_endpoint_that_falls_silent_is_told_from_a_busy_page() {
    let home = Home::new();
    // All is well until the cookies are asked for; from then on nothing is answered.
    let stalls: Answers = |socket, asked| {
        if asked["method"] == "Storage.getCookies" {
            while socket.read().is_ok() {}
            return false;
        }
        well(socket, asked)
    };
    home.run(&format!("open --cdp {}", endpoint(stalls))).exit(0);
    let ran = timed(&home, "cookies list --timeout 2", Duration::from_secs(2)).exit(2);
    assert!(ran.err.starts_with("error[timeout]: the browser doesn't answer"), "{ran:?}");
    let ran = timed(&home, "get title --timeout 1", Duration::from_secs(1)).exit(2);
    assert!(
        ran.err.starts_with("error[timeout]: the browser doesn't answer") && ran.err.contains("handeye close"),
        "{ran:?}"
    );
    timed(&home, "close", Duration::from_secs(10)).exit(0);
    home.assert_nothing_left();
}

#[test]
fn what_nobody_asked_for_is_passed_over() {
    let home = Home::new();
    let noisy: Answers = |socket, asked| {
        if is_title(asked) {
            for text in [
                "",
                "null",
                "[]",
                "{",
                "{\"id\":\"x\"}",
                "{\"id\":-1,\"result\":{}}",
                "{\"id\":999999999,\"result\":{}}",
                "{\"id\":1e99}",
                "{\"method\":5}",
                "{\"method\":\"Page.frameNavigated\",\"params\":[]}",
                "{\"method\":\"Page.frameNavigated\",\"sessionId\":\"nobody\",\"params\":{\"frame\":{\"id\":\"Z\"}}}",
                "{\"method\":\"Nothing.known\",\"params\":{\"a\":[1,2,3]}}",
                "\u{0}\u{1}",
                "{\"id\":1,\"id\":2,\"result\":{}}",
                "{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"nobody\"}}",
                "{\"method\":\"Runtime.executionContextDestroyed\",\"sessionId\":\"S\",\"params\":{}}",
            ] {
                say(socket, text);
            }
            let deep = "[".repeat(100_000);
            say(socket, format!("{{\"method\":\"Page.frameNavigated\",\"sessionId\":\"S\",\"params\":{deep}"));
            say(socket, format!("{{\"id\":3,\"result\":{deep}{}}}", "]".repeat(100_000)));
            let _ = socket.send(Message::binary(vec![0xff, 0xfe, 0x00, 0x80]));
        }
        well(socket, asked)
    };
    home.run(&format!("open --cdp {}", endpoint(noisy))).exit(0);
    for _ in 0..3 {
        assert_eq!(timed(&home, "get title", Duration::from_secs(2)).exit(0).out, "Page\n");
    }
    timed(&home, "close", Duration::from_secs(5)).exit(0);
}

#[test]
fn a_flood_of_events_and_large_messages_pass_and_are_not_kept() {
    let home = Home::new();
    let floods: Answers = |socket, asked| {
        if asked["method"] == "Storage.getCookies" {
            for n in 0..5_000 {
                let call = json!({ "type": "log", "timestamp": 1.0, "args": [{ "type": "string", "value": format!("{n} {}", "x".repeat(400)) }] });
                event(socket, Some("S"), "Runtime.consoleAPICalled", &call);
                event(
                    socket,
                    Some("S"),
                    "Network.requestWillBeSent",
                    &json!({ "requestId": n.to_string(), "type": "Fetch", "frameId": "T",
                    "timestamp": 1.0, "wallTime": 1.0, "request": { "url": "http://page.test/x", "method": "GET" } }),
                );
            }
            // A hundred megabytes in one message.
            let large = "x".repeat(100 << 20);
            say(socket, format!("{{\"method\":\"Nothing.known\",\"params\":{{\"text\":\"{large}\"}}}}"));
        }
        well(socket, asked)
    };
    home.run(&format!("open --cdp {}", endpoint(floods))).exit(0);
    for _ in 0..2 {
        timed(&home, "cookies list --timeout 25", Duration::from_secs(25)).exit(0);
        assert_eq!(timed(&home, "get title", Duration::from_secs(5)).exit(0).out, "Page\n");
    }
    let held = home::eventually(Duration::from_secs(20), || memory(&home) < 250_000);
    assert!(held, "{} kB", memory(&home));
    timed(&home, "close", Duration::from_secs(5)).exit(0);
}
