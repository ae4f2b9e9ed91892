//! `do` for agents: a task that is handed on by the tool `run`, over standard input and over HTTP. What the policy asks of a person
//! reaches the one behind the client in mid-task; what is denied is told to the model, which finds no way around.

use crate::mcp::PAGE;
use crate::mcp_ask::{Newest, allowing};
use crate::mcp_http::{METHOD, Server, VERSION, result, shown};
use handeye_testkit::home::Home;
use handeye_testkit::is_full;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};

fn call(name: &str, args: Value) -> Answer {
    Answer::Call(vec![(name.to_owned(), args.to_string())])
}

/// Adds a pear, and ends as that turned out.
fn buyer(asked: &Asked) -> Answer {
    let add = || json!({"ref": asked.mark("button \"Add\""), "expected_text": "Add"});
    let was_denied = || asked.results().join("").contains("error[denied]");
    match asked.number {
        0 => call("plan", json!({"constraints": ["one pear is in the basket"]})),
        1 => call("click", add()),
        // Another way to the same button.
        2 if was_denied() => {
            call("keys", json!({"keys": ["Enter"], "target": asked.mark("button \"Add\""), "expected_text": "Add"}))
        }
        2 => call("prove", json!({"constraint": 1, "by": "page", "expected_text": "Pears: 1"})),
        _ if was_denied() => call("finish", json!({"success": false, "answer": "It was refused."})),
        _ => call("finish", json!({"success": true, "answer": "One pear."})),
    }
}

fn home(server: &ModelServer, policy: &str) -> Home {
    let home = Home::new();
    let own = home.path().join(".config/handeye");
    std::fs::create_dir_all(&own).unwrap();
    let models = format!("[models.agent]\nurl = \"{}\"\nmodel = \"agent-1\"\n", server.url());
    std::fs::write(own.join("handeye.toml"), format!("{models}[policy]\n{policy}\n")).unwrap();
    home
}

fn task() -> Value {
    json!({"command": "do", "arguments": {"task": "put a pear into the basket", "on": PAGE}, "timeout": 200})
}

fn declining(state: &Value) -> Value {
    json!({"requestState": state, "inputResponses": {"consent": {"action": "decline"}}})
}

/// A client by the newest version, over either transport.
trait Client {
    fn run(&mut self, args: Value, more: Value) -> Value;

    fn end(self: Box<Self>);
}

impl Client for Newest {
    fn run(&mut self, args: Value, more: Value) -> Value {
        self.call("run", args, more)
    }

    fn end(self: Box<Self>) {
        assert_eq!(self.raw.end(), 0);
    }
}

struct Http(Server);

impl Client for Http {
    fn run(&mut self, args: Value, more: Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        });
        let mut params = json!({"name": "run", "arguments": args, "_meta": meta});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let shown = shown();
        let headers = [("Authorization", shown.as_str()), VERSION, METHOD, ("Mcp-Name", "run")];
        let (status, got) = self.0.post(&headers, &body);
        assert_eq!(status, 200, "{got}");
        result(&got, 1)
    }

    fn end(self: Box<Self>) {
        self.0.end();
    }
}

/// The policy, what the person says to each question, how the task ends, and how often the button was pressed.
const CASES: [(&str, &[bool], &str, u32); 4] = [
    ("ask = [\"acts:button:Add*\"]", &[true], "done", 1),
    ("ask = [\"acts:button:Add*\"]", &[false, false], "failed", 0),
    ("deny = [\"acts:button:Add*\"]", &[], "failed", 0),
    ("", &[], "done", 1),
];

/// Each case; else those of one half, the other transport those of the other.
fn every_case(half: usize, client: fn(&Home) -> Box<dyn Client>) {
    let (from, step) = if is_full() { (0, 1) } else { (half, 2) };
    for (policy, answers, outcome, pressed) in CASES.into_iter().skip(from).step_by(step) {
        let server = ModelServer::new(buyer);
        let home = home(&server, policy);
        let mut client = client(&home);
        let mut given = client.run(task(), json!({}));
        for agrees in answers {
            assert_eq!(given["resultType"], "input_required", "{policy}: {given}");
            let told = given["inputRequests"]["consent"]["params"]["message"].as_str().unwrap();
            assert!(told.contains("presses button \"Add\""), "{policy}: {told}");
            let state = given["requestState"].clone();
            let answer = if *agrees { allowing(&state) } else { declining(&state) };
            given = client.run(task(), answer);
        }
        let report = &given["structuredContent"]["result"];
        assert_eq!(report["outcome"], outcome, "{policy}: {given}");
        let text = client.run(json!({"command": "get", "arguments": {"what": "text"}}), json!({}));
        assert!(text.to_string().contains(&format!("Pears: {pressed}")), "{policy}: {text}");
        let denied = report["steps"].as_array().unwrap().iter().filter(|step| step["verdict"] == "denied").count();
        assert_eq!(denied, if pressed == 0 { 2 } else { 0 }, "{policy}: {report}");
        client.end();
        home.assert_nothing_left();
    }
}

#[test]
fn a_task_is_handed_on_over_standard_input_and_its_questions_reach_the_person() {
    every_case(1, |home| Box::new(Newest::new(home)));
}

#[test]
fn a_task_is_handed_on_over_http_and_its_questions_reach_the_person() {
    every_case(0, |home| Box::new(Http(Server::new(home))));
}
