//! `do` across tabs, under rules by wording, and past the room that a model has for its conversation.

use crate::consent::at_terminal;
use crate::do_task::{call, check_requests, finish, on, plan, prove, run, saying};
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer as Page, Live, page};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};
use std::sync::Mutex;

const PRICES: &str = "<title>Prices</title><h1>Prices of today</h1><p>Pear 2.40 EUR</p><p>Plum 1.10 EUR</p>";
const ORDER: &str = r#"<title>Order</title><h1>Order</h1><label>Price <input id=price></label>
<button onclick="log('ordered', price.value); told.textContent = 'Ordered at ' + price.value">Order</button><p id=told role=status></p>"#;
const FILES: &str = r#"<title>Files</title><h1>Files</h1>
<button onclick="log('deleted'); told.textContent = 'Gone'">Delete report</button>
<form onsubmit="log('sent'); return false"><label>Name <input></label><button>Delete by name</button></form>
<button onclick="log('renamed'); told.textContent = 'Renamed'">Rename report</button><p id=told role=status></p>"#;

fn route(path: &str) -> Page {
    match path {
        "/prices" => page(PRICES),
        "/order" => page(ORDER),
        "/long" => page(format!(
            "<title>Long</title><h1>Long list</h1><p>The code is 4711</p>{}<p>The last line</p>",
            (0..400)
                .map(|n| format!("<button>Line {n} of a list that says nothing more than that it is long</button>"))
                .collect::<String>()
        )),
        _ => page(FILES),
    }
}

fn live(server: &ModelServer, wire: &str, more: &str) -> Live {
    let live = Live::closed(route);
    let models = format!("[models]\nurl = \"{}\"\nmodel = \"agent-1\"\nwire = \"{wire}\"\n", server.url());
    live.settings(&format!("{models}key_env = \"AGENT_KEY\"\nattempts = 1\n{more}\n"));
    live
}

/// The id of the tab that a title stands beside.
fn tab(asked: &Asked, title: &str) -> String {
    let results = asked.results().join("\n");
    let line = results.lines().find(|line| line.contains(title)).unwrap_or_else(|| panic!("no {title} in {results}"));
    line.trim_start_matches([' ', '*']).split(' ').next().unwrap().to_owned()
}

/// Copies a price from one tab into another.
fn copier(order: String) -> impl Fn(&Asked) -> Answer + Send + Sync {
    move |asked| match asked.number {
        0 => plan(&["the order has the price of the list", "the list is still open"]),
        1 => call("note", json!({"mark_ids": [0], "expected_texts": ["Pear 2.40 EUR"], "reasoning": "the price"})),
        // A file of this machine is no page to open.
        2 => call("tabs", json!({"action": "new", "url": "file:///etc/passwd"})),
        3 => call("tabs", json!({"action": "new", "url": order})),
        4 => call("state", json!({})),
        5 => on(asked, "input", "textbox \"Price\"", json!({"expected_text": "Price", "text": "2.40"})),
        6 => on(asked, "click", "button \"Order\"", saying("Order")),
        7 => prove(1, "page", "Ordered at 2.40"),
        8 => call("tabs", json!({"action": "list"})),
        9 => call("tabs", json!({"action": "switch", "id": tab(asked, "\"Prices\"")})),
        10 => prove(2, "page", "Pear 2.40 EUR"),
        _ => finish("It is ordered at 2.40."),
    }
}

#[test]
fn a_task_goes_across_two_tabs_over_either_wire() {
    for wire in ["openai", "anthropic"].into_iter().take(if is_full() { 2 } else { 1 }) {
        // The site's port is known only when the server is there.
        let at = std::sync::Arc::new(Mutex::new(String::new()));
        let order = at.clone();
        let server = ModelServer::new(move |asked| copier(order.lock().unwrap().clone())(asked));
        let live = live(&server, wire, "");
        *at.lock().unwrap() = live.site.at("/order");
        let report = run(&live, &["order a pear at the price of the list", "--on", &live.site.at("/prices"), "--json"]);
        let report = report.exit(0).json();
        assert_eq!(report["outcome"], "done", "{report:#}");
        check_requests(&server, "Plum 1.10 EUR");
        assert!(server.asked()[3].results().join("").contains("http://"), "{:?}", server.asked()[3].results());
        let ledger = &report["ledger"];
        let (prices, order) = (live.site.at("/prices"), live.site.at("/order"));
        assert_eq!(ledger["facts"][0]["page"], prices, "{report:#}");
        assert_eq!(ledger["constraints"][0]["evidence"][0]["page"], order, "{report:#}");
        assert_eq!(ledger["constraints"][1]["evidence"][0]["page"], prices, "{report:#}");
        let tabs = live.json("tabs list")["tabs"].as_array().unwrap().clone();
        assert_eq!(tabs.len(), 2, "{tabs:?}");
        assert!(!tabs.iter().any(|tab| tab["url"].as_str().unwrap().starts_with("file:")), "{tabs:?}");
        let other = tabs.iter().find(|tab| tab["active"] == false).unwrap()["id"].as_str().unwrap().to_owned();
        live.ok(&format!("tabs switch {other}"));
        live.logged("ordered 2.40");
    }
}

/// Tries every way to what is denied.
fn deleter(asked: &Asked) -> Answer {
    let (delete, field) = ("button \"Delete report\"", "textbox \"Name\"");
    match asked.number {
        0 => plan(&["the report is deleted"]),
        1 => on(asked, "click", delete, saying("Delete report")),
        2 => on(asked, "dblclick", delete, saying("Delete report")),
        3 => {
            let number = asked.mark(delete).unwrap();
            call("keys", json!({"keys": ["Enter"], "target": number, "expected_text": "Delete report"}))
        }
        4 => on(asked, "input", field, json!({"expected_text": "Name", "text": "report", "enter": true})),
        5 => {
            let number = asked.mark(field).unwrap();
            call("keys", json!({"keys": ["Enter"], "target": number, "expected_text": "Name"}))
        }
        6 => {
            let from = asked.mark("button \"Rename report\"").unwrap();
            on(asked, "drag", delete, json!({"expected_text": "Delete report", "to": from}))
        }
        7 => call("eval", json!({"expression": "document.querySelector('button').click()"})),
        8 => call("open", json!({"url": "javascript:document.querySelector('button').click()"})),
        9 => call("ask", json!({"question": "May I delete it?"})),
        _ => call("finish", json!({"success": false, "answer": "The policy denies it."})),
    }
}

#[test]
fn what_a_rule_by_wording_denies_is_denied_to_the_model_whichever_way_it_takes() {
    for (rule, wire) in [("deny", "openai"), ("ask", "anthropic")] {
        let server = ModelServer::new(deleter);
        let live = live(&server, wire, &format!("[policy]\n{rule} = [\"acts:button:Delete*\"]"));
        let ran = run(&live, &["delete the report", "--on", &live.site.at("/files"), "--json"]).exit(1);
        let report = ran.json();
        assert_eq!(report["outcome"], "failed", "{report:#}");
        // A drag onto a neighbour presses what it begins on; no step did anything.
        live.logged("");
        let asked = server.asked();
        for number in [1, 2, 3, 4, 5] {
            let told = asked[number + 1].results().join("\n");
            assert!(told.contains("error[denied]") && told.contains("acts:button:Delete*"), "{rule} {number}: {told}");
        }
        for number in [7, 8] {
            let told = asked[number + 1].results().join("\n");
            assert!(told.contains("there is no tool") || told.contains("http://"), "{rule} {number}: {told}");
        }
    }
}

#[test]
fn a_person_at_the_terminal_is_asked_what_the_model_would_press() {
    for (answer, outcome, log) in [("y\n", "done", "deleted"), ("n\n", "failed", "")] {
        let server = ModelServer::new(move |asked| match asked.number {
            0 => plan(&["the report is deleted"]),
            1 => on(asked, "click", "button \"Delete report\"", saying("Delete report")),
            2 if outcome == "failed" => call("finish", json!({"success": false, "answer": "The person refused."})),
            2 => prove(1, "page", "Gone"),
            _ => finish("It is deleted."),
        });
        let live = Live::closed(route);
        let models = format!("[models.agent]\nurl = \"{}\"\nmodel = \"agent-1\"\n", server.url());
        live.settings(&format!("{models}[policy]\nask = [\"acts:button:Delete*\"]\n"));
        live.ok(&format!("open {}", live.site.at("/files")));
        let ran = at_terminal(&live.home, "do 'delete the report'", answer);
        assert!(ran.shown.contains("presses button \"Delete report\""), "{ran:?}");
        assert_eq!(ran.status, Some(i32::from(outcome != "done")), "{ran:?}");
        live.logged(log);
        if log.is_empty() {
            let told = server.asked()[2].results().join("\n");
            assert!(told.contains("error[denied]") && told.contains("refused"), "the model is told: {told}");
        }
    }
}

/// So many characters of a request a server with little room takes, tools left out.
const ROOM: usize = 30_000;

/// How many answers of the model stand in a request, or were dropped from it: counted by the test.
struct Turns(Mutex<usize>);

#[test]
fn the_ledger_survives_a_server_with_little_room_and_a_run_that_ended() {
    let turns = Turns(Mutex::new(0));
    let server = ModelServer::new(move |asked| {
        let messages = asked.body["messages"].to_string();
        if messages.len() > ROOM {
            return Answer::Fail(400, "", r#"{"error":{"message":"the request exceeds the context size"}}"#.into());
        }
        let mut turn = turns.0.lock().unwrap();
        *turn += 1;
        match *turn {
            1 => plan(&["the code is told", "nothing is pressed"]),
            2 => call(
                "note",
                json!({"mark_ids": [0], "expected_texts": ["The code is 4711"], "reasoning": "what is asked for"}),
            ),
            3 => call("prove", json!({"constraint": 2, "by": "never", "forbidden": "press"})),
            // Long looks, each another one.
            4..=12 => call("state", json!({"budget": 12_000 + *turn})),
            13 => prove(1, "page", "The code is 4711"),
            _ => finish("4711"),
        }
    });
    let live = live(&server, "openai", "");
    let on = live.site.at("/long");
    let stopped = run(&live, &["what is the code?", "--on", &on, "--max-steps", "10", "--json"]).exit(1).json();
    assert_eq!(stopped["outcome"], "stopped", "{stopped:#}");
    let refused = server.asked().iter().filter(|asked| asked.body["messages"].to_string().len() > ROOM).count();
    assert!(refused > 0, "it was too long for the server at least once");
    let last = server.asked().pop().unwrap();
    for part in ["what is the code?", "the code is told", "The code is 4711", "no step having been of the kind"] {
        assert!(last.text.contains(part), "{part} is gone from {}", last.text);
    }
    let before = server.asked().len();
    let report = run(&live, &["--resume", "--json"]).exit(0).json();
    let first = &server.asked()[before];
    for part in
        ["what is the code?", "1. the code is told (unproven)", "2. nothing is pressed (proven)", "The code is 4711"]
    {
        assert!(first.text.contains(part), "{part} isn't in {}", first.text);
    }
    assert_eq!((&report["outcome"], &report["answer"]), (&json!("done"), &json!("4711")), "{report:#}");
    let ledger = &report["ledger"];
    let proven: Vec<usize> = ledger["constraints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|constraint| constraint["evidence"].as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!((proven, &ledger["facts"][0]["text"]), (vec![1, 1], &Value::from("The code is 4711")), "{report:#}");
}
