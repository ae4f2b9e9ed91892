//! What the policy asks of the person behind an agent, where the client, or the way that it asks, is out of the ordinary.

use crate::mcp::{PAGE, params};
use crate::mcp_bad::Raw;
use handeye_testkit::home::Home;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How soon a call is over that waits for nobody.
const SOON: Duration = Duration::from_secs(30);

/// A home whose policy asks before anything is acted on.
fn asking() -> Home {
    let home = Home::new();
    let own = home.path().join(".config/handeye");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("handeye.toml"), "[policy]\nask = [\"acts\"]\n").unwrap();
    home
}

/// A client that writes its own lines, by the version in which servers make no requests.
pub(crate) struct Newest {
    pub(crate) raw: Raw,
    id: u64,
}

impl Newest {
    pub(crate) fn new(home: &Home) -> Self {
        Self { raw: Raw::new(home), id: 0 }
    }

    fn send(&mut self, tool: &'static str, args: Value, more: Value) -> u64 {
        self.id += 1;
        let mut sent = serde_json::to_value(params(tool, args)).unwrap();
        sent["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        });
        sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let line = json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": sent});
        self.raw.send(line.to_string().as_bytes());
        self.id
    }

    pub(crate) fn call(&mut self, tool: &'static str, args: Value, more: Value) -> Value {
        let id = self.send(tool, args, more);
        self.raw.answer(id)["result"].clone()
    }

    pub(crate) fn number(&mut self, name: &str) -> u64 {
        let found = self.call("find", json!({"name": name}), json!({}));
        found["structuredContent"]["result"]["targets"][0]["ref"].as_u64().unwrap_or_else(|| panic!("{found}"))
    }
}

pub(crate) fn allowing(state: &Value) -> Value {
    json!({"requestState": state, "inputResponses": {"consent": {"action": "accept", "content": {"allow": true}}}})
}

pub(crate) fn code(given: &Value) -> &str {
    given["structuredContent"]["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {given}"))
}

#[test]
fn an_answer_counts_once_and_for_the_call_that_it_was_asked_for() {
    let home = asking();
    let mut client = Newest::new(&home);
    client.call("open", json!({"url": PAGE}), json!({}));
    let (add, pay) = (client.number("Add"), client.number("Pay 10"));
    let asked = client.call("click", json!({"ref": add}), json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let form = &asked["inputRequests"]["consent"];
    assert_eq!(form["method"], "elicitation/create", "{asked}");
    let told = form["params"]["message"].as_str().unwrap();
    assert!(told.contains("`click`") && told.contains("button \"Add\""), "{told}");
    let state = &asked["requestState"];
    // Consent for one call is none for another; nor is it with a state that nobody gave out.
    for (args, state) in [(json!({"ref": pay}), state), (json!({"ref": add}), &json!("consent"))] {
        let other = client.call("click", args, allowing(state));
        assert_eq!(code(&other), "denied", "{other}");
    }
    let done = client.call("click", json!({"ref": add}), allowing(state));
    assert_eq!(done["structuredContent"]["result"]["verdict"], "confirmed", "{done}");
    let again = client.call("click", json!({"ref": add}), allowing(state));
    assert_eq!(code(&again), "denied", "{again}");
    let got = client.call("run", json!({"command": "get", "arguments": {"what": "text"}}), json!({}));
    assert!(got.to_string().contains("Pears: 1"), "clicked once: {got}");
    assert_eq!(client.raw.end(), 0);
    home.assert_nothing_left();
}

#[test]
fn who_goes_away_while_asked_takes_the_call_along() {
    let home = asking();
    let mut client = Newest::new(&home);
    client.call("open", json!({"url": PAGE}), json!({}));
    let add = client.number("Add");
    let asked = client.call("click", json!({"ref": add}), json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    // Another call waits for the question's end; both end with the client.
    client.send("state", json!({}), json!({}));
    let begun = Instant::now();
    assert_eq!(client.raw.end(), 0);
    assert!(begun.elapsed() < SOON, "the question was waited for");
    home.assert_nothing_left();
}

#[test]
fn a_question_that_nobody_comes_back_to_expires() {
    let home = asking();
    let mut client = Newest::new(&home);
    client.call("open", json!({"url": PAGE}), json!({}));
    let add = client.number("Add");
    let asked = client.call("run", json!({"command": "click", "arguments": {"ref": add}, "timeout": 2}), json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let state = client.call("state", json!({}), json!({}));
    assert_eq!(state["structuredContent"]["status"], "ok", "{state}");
    let args = json!({"command": "click", "arguments": {"ref": add}, "timeout": 2});
    let late = client.call("run", args, allowing(&asked["requestState"]));
    assert_eq!(code(&late), "denied", "{late}");
    assert_eq!(client.raw.end(), 0);
    home.assert_nothing_left();
}
