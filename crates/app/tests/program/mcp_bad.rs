//! What agents send that is wrong, too much, or all at once.

use crate::mcp::{Agent, PAGE, params, text};
use handeye_testkit::home::Home;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Stdio};

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;

#[tokio::test]
async fn wrong_calls_are_errors_that_tell_what_to_write() {
    let home = Home::new();
    let agent = Agent::connect(&home, &[]).await;
    let cases = [
        ("run", json!({}), "bad_request"),
        ("run", json!({"command": "nonsense"}), "bad_request"),
        ("run", json!({"command": "state", "arguments": 3}), "bad_request"),
        ("run", json!({"command": "state", "ref": 3}), "bad_request"),
        ("run", json!({"command": "state", "timeout": "long"}), "bad_request"),
        ("help", json!({"command": ["x"]}), "bad_request"),
        ("click", json!({"return_state": "some"}), "bad_request"),
        ("click", json!({"ref": 1}), "not_found"),
        ("open", json!({"url": PAGE, "secrets": [{"name": "x", "env": "HOME"}]}), "denied"),
    ];
    for (tool, args, code) in cases {
        let given = agent.call(tool, args.clone()).await;
        assert_eq!(given.is_error, Some(true), "{tool} {args}: {}", text(&given));
        let value = given.structured_content.unwrap();
        assert_eq!((&value["status"], &value["error"]["code"]), (&json!("error"), &json!(code)), "{tool} {args}");
    }
    // No such tool: the protocol's own error.
    assert!(agent.client.call_tool(params("nonsense", json!({}))).await.is_err());

    agent.value("open", json!({"url": PAGE})).await;
    for (args, part) in [
        (json!({"ref": "five"}), "`ref`: invalid type: string \"five\", expected a number"),
        (json!({"ref": -1}), "`ref`: "),
        (json!({"nonsense": 1}), "`nonsense`"),
        (json!({"ref": 1e99}), "`ref`: "),
        (json!({"ref": 1, "expect": 5}), "`expect`: "),
        (json!({"ref": 1, "expect": ""}), "leave it out"),
    ] {
        let given = agent.call("click", args.clone()).await.structured_content.unwrap();
        assert_eq!(given["error"]["code"], "bad_request", "{args}");
        assert!(given["error"]["message"].as_str().unwrap().contains(part), "{args}: {given}");
    }
    // A number is one in quotes, too.
    let given = agent.call("click", json!({"ref": "99999"})).await.structured_content.unwrap();
    assert_eq!(given["error"]["code"], "not_found", "{given}");
    // 5 MB of text are put into a field like any other.
    let found = agent.call("find", json!({"name": "Name"})).await.structured_content.unwrap();
    let many = "x".repeat(5_000_000);
    let given = agent.call("input", json!({"ref": found["result"]["targets"][0]["ref"], "text": many})).await;
    // Whether all of it could be read back in time is another matter.
    let verdict = given.structured_content.unwrap()["result"]["verdict"].clone();
    assert!(verdict == "confirmed" || verdict == "unverifiable", "{verdict}");

    // At once: each answered, in the order in which they came.
    let texts = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let name = found["result"]["targets"][0]["ref"].clone();
    let calls = texts.map(|letter| {
        let (peer, args) = (agent.client.peer().clone(), json!({"ref": name, "text": letter}));
        tokio::spawn(async move { peer.call_tool(params("input", args)).await.unwrap() })
    });
    for call in calls {
        assert_eq!(call.await.unwrap().is_error, Some(false));
    }
    let got = agent.call("run", json!({"command": "get", "arguments": {"what": "value", "ref": name}})).await;
    assert_eq!(text(&got), "h");
    agent.leave().await;
    home.assert_nothing_left();
}

/// A server whose lines a test writes itself.
pub(crate) struct Raw {
    input: Option<ChildStdin>,
    answers: std::io::Lines<BufReader<std::process::ChildStdout>>,
    child: std::process::Child,
}

impl Raw {
    pub(crate) fn new(home: &Home) -> Self {
        let mut command = home.command(["mcp"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { input: child.stdin.take(), answers, child }
    }

    pub(crate) fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn next(&mut self) -> Value {
        let line = self.answers.next().expect("the server hung up").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    /// The answer to the request of that number; every line before it must be JSON, too.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let value = self.next();
            if value["id"] == id {
                return value;
            }
        }
    }

    pub(crate) fn end(mut self) -> i32 {
        self.input = None;
        self.child.wait().unwrap().code().unwrap()
    }
}

#[test]
fn garbage_is_passed_over_and_the_server_goes_on() {
    let home = Home::new();
    let mut raw = Raw::new(&home);
    raw.send(HELLO.as_bytes());
    assert_eq!(raw.answer(1)["result"]["serverInfo"]["name"], "handeye");
    raw.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let deep = "[".repeat(100_000);
    let huge = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"{}\"}}", "x".repeat(70 * 1024 * 1024));
    let garbage: [&[u8]; 8] = [
        b"",
        b"hello",
        b"{\"jsonrpc\":",
        b"\xff\xfe\x00\x01",
        b"[]",
        br#"{"jsonrpc":"2.0","id":7}"#,
        deep.as_bytes(),
        huge.as_bytes(),
    ];
    for line in garbage {
        raw.send(line);
    }
    // What has a number is answered by it, so that nobody waits.
    for (line, id, code) in [
        (r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"nam":"state"}}"#, 20, -32602),
        (r#"{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"state","arguments":[1]}}"#, 21, -32602),
        (r#"{"jsonrpc":"2.0","id":22,"method":"resources/read","params":7}"#, 22, -32602),
        (r#"{"jsonrpc":"2.0","id":23}"#, 23, -32600),
    ] {
        raw.send(line.as_bytes());
        assert_eq!(raw.answer(id)["error"]["code"], code, "{line}");
    }
    raw.send(b"{\"jsonrpc\":");
    let unread = raw.next();
    assert_eq!((&unread["id"], &unread["error"]["code"]), (&Value::Null, &json!(-32700)), "{unread}");
    raw.send(br#"{"jsonrpc":"2.0","id":8,"method":"nonsense/call","params":{}}"#);
    assert!(raw.answer(8)["error"]["code"].is_i64());
    raw.send(
        br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"run","arguments":{"command":"version"}}}"#,
    );
    assert_eq!(raw.answer(9)["result"]["isError"], false);
    assert_eq!(raw.end(), 0);
}

#[test]
fn a_client_that_says_nothing_or_another_language_ends_the_server() {
    let home = Home::new();
    assert_eq!(Raw::new(&home).end(), 0);
    let mut raw = Raw::new(&home);
    raw.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(raw.end(), 2);
    let mut raw = Raw::new(&home);
    raw.send(HELLO.as_bytes());
    raw.answer(1);
    let pid = i32::try_from(raw.child.id()).unwrap();
    handeye_testkit::home::kill(pid, "TERM");
    assert_eq!(raw.child.wait().unwrap().code(), Some(0));
    home.assert_nothing_left();
}
