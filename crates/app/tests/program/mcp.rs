//! `handeye mcp`, called by the SDK's own client over standard input and output, with a real browser.

use crate::schema::holds;
use handeye_testkit::home::{Home, eventually};
use handeye_testkit::is_full;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam, Tool};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::process::Child;

/// Characters that all tools may take in a model's context.
const ROOM: usize = 12_000;
/// How long a server may take to end.
const END: Duration = Duration::from_secs(30);

pub(crate) const PAGE: &str = "data:text/html,<title>Shop</title><button id=add onclick=\"n.textContent=++c\">Add</button>\
<p>Pears: <b id=n>0</b></p><button id=pay>Pay 10</button><button id=later onclick=\"setTimeout(()=>pay.textContent='Pay 999',2500)\">Later</button>\
<input aria-label=Name><label><input type=checkbox>Gift</label><select aria-label=Size><option>Small<option>Large</select>\
<div style=height:3000px></div><script>c=0</script>";

/// What a client hears beside answers.
#[derive(Clone, Default)]
pub(crate) struct Ear(Arc<Mutex<Vec<ProgressNotificationParam>>>);

impl ClientHandler for Ear {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(params);
    }
}

/// An agent that is connected to a server of its own.
pub(crate) struct Agent {
    pub(crate) client: RunningService<RoleClient, Ear>,
    pub(crate) ear: Ear,
    pub(crate) server: Child,
}

impl Agent {
    pub(crate) async fn connect(home: &Home, args: &[&str]) -> Self {
        let mut command = tokio::process::Command::from(home.command(["mcp"].iter().chain(args)));
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let ear = Ear::default();
        let transport = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        let client = ear.clone().serve(transport).await.unwrap();
        Self { client, ear, server }
    }

    pub(crate) async fn call(&self, tool: &'static str, args: Value) -> CallToolResult {
        self.client.call_tool(params(tool, args)).await.unwrap_or_else(|e| panic!("{tool}: {e}"))
    }

    /// The value of a call that is no error, checked against what the tool and the command declare.
    pub(crate) async fn value(&self, tool: &'static str, args: Value) -> Value {
        let given = self.call(tool, args.clone()).await;
        assert_eq!(given.is_error, Some(false), "{tool} {args}: {}", text(&given));
        let value = given.structured_content.unwrap();
        let described = self.call("help", json!({"command": tool, "output": true})).await.structured_content.unwrap();
        holds(&described["result"]["output"], &value["result"]);
        value["result"].clone()
    }

    /// The number of the one target of a name.
    async fn number(&self, name: &str) -> u64 {
        let found = self.value("find", json!({"name": name})).await;
        found["targets"][0]["ref"].as_u64().unwrap_or_else(|| panic!("no {name} in {found}"))
    }

    /// Hangs up, and checks that the server ends.
    pub(crate) async fn leave(mut self) {
        self.client.close().await.unwrap();
        drop(self.client);
        let ended = tokio::time::timeout(END, self.server.wait()).await.expect("the server goes on").unwrap();
        assert!(ended.success(), "{ended}");
    }
}

pub(crate) fn params(tool: &'static str, args: Value) -> CallToolRequestParams {
    let Value::Object(args) = args else { panic!("{args} is no object") };
    CallToolRequestParams::new(tool).with_arguments(args)
}

pub(crate) fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|part| part.as_text()).map(|part| part.text.clone()).collect()
}

fn length(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).unwrap().chars().count()
}

#[tokio::test]
async fn the_tools_fit_into_a_context_and_reach_every_command() {
    let home = Home::new();
    let agent = Agent::connect(&home, &[]).await;
    let tools: Vec<Tool> = agent.client.list_all_tools().await.unwrap();
    let schemas: usize = tools.iter().map(|t| length(&t.input_schema) + length(&t.output_schema)).sum();
    let all = length(&tools);
    eprintln!("{} tools: {schemas} characters of schemas, {all} of everything", tools.len());
    assert!(all <= ROOM, "{all} characters");
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let wanted = "open state find inspect click input keys select check scroll drag screenshot wait tabs close commands help run";
    assert_eq!(names.join(" "), wanted);

    let listed = agent.call("commands", json!({})).await.structured_content.unwrap();
    let listed = listed["result"]["commands"].as_array().unwrap().clone();
    assert!(listed.len() > 50, "{}", listed.len());
    for command in listed {
        let told = agent.call("help", json!({"command": command["name"]})).await;
        assert_eq!(told.is_error, Some(false), "{command}");
        let arguments = &told.structured_content.unwrap()["result"]["arguments"];
        assert_eq!(arguments["type"], "object", "{command}");
    }
    // One that needs no session, and one that has none yet.
    let version = agent.call("run", json!({"command": "version"})).await;
    assert_eq!((version.is_error, text(&version).as_str()), (Some(false), env!("CARGO_PKG_VERSION")));
    let state = agent.call("state", json!({})).await;
    assert_eq!(state.is_error, Some(true));
    assert_eq!(state.structured_content.unwrap()["error"]["code"], "not_found");
    agent.leave().await;
}

#[tokio::test]
async fn an_agent_sees_acts_is_refused_and_gets_a_picture() {
    let home = Home::new();
    let agent = Agent::connect(&home, &[]).await;
    let opened = agent.value("open", json!({"url": PAGE})).await;
    assert_eq!(opened["title"], "Shop");
    let state = agent.call("state", json!({})).await;
    assert!(text(&state).contains("button \"Pay 10\""), "{}", text(&state));
    agent.value("state", json!({})).await;

    let (add, pay) = (agent.number("Add").await, agent.number("Pay 10").await);
    assert_eq!(agent.value("click", json!({"ref": add, "expect": "Add"})).await["verdict"], "confirmed");
    let both = agent.call("click", json!({"ref": add, "return_state": "change"})).await.structured_content.unwrap();
    assert_eq!((&both["status"], both["state"].is_object()), (&json!("ok"), true), "{both}");

    // What it was shown is not what is there any more: refused, which is a result.
    let later = agent.number("Later").await;
    agent.call("click", json!({"ref": later})).await;
    agent.value("wait", json!({"text": "Pay 999"})).await;
    let refused = agent.call("click", json!({"ref": pay})).await;
    assert_eq!(refused.is_error, Some(false), "{}", text(&refused));
    let value = refused.structured_content.as_ref().unwrap();
    assert_eq!(
        (&value["status"], &value["result"]["verdict"]),
        (&json!("not_confirmed"), &json!("contradicted")),
        "{value}"
    );
    assert!(!text(&refused).contains("try: handeye"), "{}", text(&refused));

    // A hint is a call that can be made.
    let stale = agent.call("click", json!({"ref": 4000})).await;
    let error = stale.structured_content.unwrap()["error"].clone();
    let hint = error["hints"][0].as_str().unwrap_or_else(|| panic!("no hint in {error}")).to_owned();
    assert_eq!((error["code"].as_str(), hint.as_str()), (Some("not_found"), "state {}"), "{error}");

    let shot = agent.call("screenshot", json!({})).await;
    let picture = shot.content.iter().find_map(|part| part.as_image()).expect("a picture is sent along");
    assert_eq!(picture.mime_type, "image/png");
    assert!(picture.data.starts_with("iVBORw0KGgo"), "no PNG");
    let path = shot.structured_content.unwrap()["result"]["path"].as_str().unwrap().to_owned();
    assert!(std::path::Path::new(&path).is_file(), "{path}");
    agent.value("screenshot", json!({"path": "here.png"})).await;
    assert!(home.work().join("here.png").is_file(), "a relative path is where the server runs");

    agent.leave().await;
    home.assert_nothing_left();
}

#[tokio::test]
async fn every_core_tool_does_what_its_schema_says() {
    let home = Home::new();
    let agent = Agent::connect(&home, &[]).await;
    agent.value("open", json!({"url": PAGE})).await;
    agent.value("state", json!({"visible": true})).await;
    let (name, gift, size) = (agent.number("Name").await, agent.number("Gift").await, agent.number("Size").await);
    let (add, pay) = (agent.number("Add").await, agent.number("Pay 10").await);
    assert_eq!(agent.value("inspect", json!({"ref": add})).await["name"], "Add");
    let confirmed = [
        ("input", json!({"ref": name, "text": "Ann"})),
        ("keys", json!({"keys": ["End", "a"], "target": name})),
        ("select", json!({"ref": size, "options": ["Large"]})),
        ("check", json!({"ref": gift})),
        ("scroll", json!({"direction": "down"})),
        ("scroll", json!({"direction": "top"})),
        ("click", json!({"ref": add})),
    ];
    for (tool, args) in confirmed {
        let receipt = agent.value(tool, args.clone()).await;
        assert_eq!(receipt["verdict"], "confirmed", "{tool} {args}: {receipt}");
    }
    agent.value("drag", json!({"ref": add, "to": pay})).await;
    agent.value("wait", json!({"text": "Pears"})).await;
    let tabs = agent.value("tabs", json!({"action": "list"})).await;
    assert_eq!(tabs["tabs"].as_array().map(Vec::len), Some(1), "{tabs}");
    let got = agent.call("run", json!({"command": "get", "arguments": {"what": "title"}})).await;
    assert_eq!(text(&got), "Shop");
    assert_eq!(agent.value("close", json!({})).await["ended"], true);
    agent.leave().await;
    home.assert_nothing_left();
}

#[tokio::test]
async fn a_named_session_is_shared_with_the_command_line_and_outlives_the_agent() {
    let home = Home::new();
    home.run(&format!("open {} --session both", PAGE.replace(' ', "%20"))).exit(0);
    let agent = Agent::connect(&home, &["--session", "both"]).await;
    let got = agent.call("run", json!({"command": "get", "arguments": {"what": "title"}})).await;
    assert_eq!(text(&got), "Shop");
    agent.leave().await;
    assert_eq!(home.run("get title --session both").exit(0).out, "Shop\n");
    home.run("close --session both").exit(0);
    home.assert_nothing_left();
}

#[tokio::test]
async fn a_long_call_tells_of_itself_and_can_be_cancelled() {
    let home = Home::new();
    let agent = Agent::connect(&home, &[]).await;
    agent.value("open", json!({"url": PAGE})).await;
    agent.ear.0.lock().unwrap().clear();
    agent.call("wait", json!({"seconds": 3.5})).await;
    let told: Vec<f64> = agent.ear.0.lock().unwrap().iter().map(|told| told.progress).collect();
    assert!(told.len() >= 2 && told.is_sorted(), "{told:?}");

    let request =
        ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(params("wait", json!({"seconds": 25}))));
    let pending =
        agent.client.peer().send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let start = Instant::now();
    pending.cancel(None).await.unwrap();
    let got = agent.call("run", json!({"command": "get", "arguments": {"what": "title"}})).await;
    assert_eq!(text(&got), "Shop");
    assert!(start.elapsed() < Duration::from_secs(10), "the cancelled call was waited for");
    agent.leave().await;
    home.assert_nothing_left();
}

#[tokio::test]
async fn an_agent_that_goes_away_in_mid_call_leaves_no_process() {
    let home = Home::new();
    let nowhere = is_full().then(|| json!({"url": "http://127.0.0.1:9/"}));
    for args in std::iter::once(json!({"url": PAGE})).chain(nowhere) {
        let agent = Agent::connect(&home, &[]).await;
        let peer = agent.client.peer().clone();
        let opening = tokio::spawn(async move { peer.call_tool(params("open", args)).await });
        tokio::time::sleep(Duration::from_millis(300)).await;
        agent.leave().await;
        opening.abort();
        home.assert_nothing_left();
    }
    let agent = Agent::connect(&home, &[]).await;
    agent.value("open", json!({"url": PAGE})).await;
    let peer = agent.client.peer().clone();
    let waiting = tokio::spawn(async move { peer.call_tool(params("wait", json!({"seconds": 25}))).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    agent.leave().await;
    waiting.abort();
    home.assert_nothing_left();
    assert!(eventually(END, || home.processes().is_empty()));
}

#[tokio::test]
async fn an_agent_runs_a_list_in_one_call() {
    let home = Home::new();
    let agent = Agent::connect(&home, &[]).await;
    let run = |steps: Value| agent.call("run", json!({"command": "batch", "arguments": {"steps": steps}}));
    let open = json!({"command": "open", "args": {"url": PAGE}});
    let click = json!({"command": "click", "args": {"locators": [{"css": "#add"}], "expect": "Add"}});
    let done = run(json!([open, click, "verify text css=#n 1 --exact"])).await;
    let value = done.structured_content.clone().unwrap();
    assert_eq!((&value["status"], &value["result"]["stopped_at"]), (&json!("ok"), &Value::Null), "{value}");
    assert_eq!(value["result"]["steps"][1]["result"]["verdict"], "confirmed", "{value}");
    // Hints are calls, and what is amiss is a result, not an error.
    let done = run(json!([click, "click 9999", click])).await;
    let value = done.structured_content.clone().unwrap();
    assert_eq!((done.is_error, &value["result"]["stopped_at"]), (Some(false), &json!(2)), "{value}");
    assert_eq!(value["result"]["hints"][0], "state {}", "{value}");
    // Whatever an agent may not name it may not name in a list either; a file of the protocol there is none.
    let secret = json!({"command": "open", "args": {"url": PAGE, "secrets": [{"name": "x", "env": "HOME"}]}});
    for (steps, code) in
        [(json!([click, secret]), "denied"), (json!([click, "clik"]), "bad_request"), (json!([]), "bad_request")]
    {
        let done = run(steps.clone()).await;
        let value = done.structured_content.unwrap();
        assert_eq!((done.is_error, &value["error"]["code"]), (Some(true), &json!(code)), "{steps}: {value}");
    }
    let got =
        agent.call("run", json!({"command": "get", "arguments": {"what": "text", "locators": [{"css": "#n"}]}})).await;
    assert_eq!(text(&got), "2");
    agent.leave().await;
    home.assert_nothing_left();
}
