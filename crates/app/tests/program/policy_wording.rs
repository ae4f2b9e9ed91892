//! What the policy denies by its wording is denied to agents whichever tool and transport they take; the neighbour is not.

use crate::mcp::Agent;
use crate::mcp_http::{METHOD, Server, VERSION, call, result, shown};
use handeye_testkit::home::Home;
use handeye_testkit::is_full;
use serde_json::{Value, json};

const PAGE: &str = "data:text/html,<title>Files</title><style>button{width:120px;height:30px}</style>\
<button id=edit onclick=\"told.textContent+='edited '\">Edit</button>\
<p><button id=del onclick=\"told.textContent+='deleted '\">Delete</button></p>\
<form onsubmit=\"told.textContent+='sent ';return false\"><input id=f aria-label=Name><button id=all>Delete all</button></form>\
<form onsubmit=\"told.textContent+='sent ';return false\"><input id=g aria-label=Street><button>Save</button></form>\
<p id=told>-</p>";

/// A home whose policy denies what is called so, and allows scripts.
fn denying() -> Home {
    let home = Home::new();
    let own = home.path().join(".config/handeye");
    std::fs::create_dir_all(&own).unwrap();
    let rules = "[policy]\nallow = [\"eval\"]\ndeny = [\"acts:button:Delete*\"]\n";
    std::fs::write(own.join("handeye.toml"), rules).unwrap();
    home
}

/// One call after the other, by any transport.
trait Calls {
    async fn call(&mut self, command: &str, args: Value) -> Value;
}

/// The middle of an element.
async fn middle(calls: &mut impl Calls, css: &str) -> (f64, f64) {
    let got = calls.call("get", json!({"what": "rect", "locators": [{"css": css}]})).await;
    let side = |i: usize| got["result"]["value"][i].as_f64().unwrap_or_else(|| panic!("{got}"));
    (side(0) + side(2) / 2.0, side(1) + side(3) / 2.0)
}

/// Ways to press the button `css` in the form of the field `field`.
async fn ways(
    calls: &mut impl Calls,
    css: &str,
    field: &str,
    name: &str,
) -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
    let ((x, y), (from_x, from_y)) = (middle(calls, css).await, middle(calls, "#g").await);
    let found = calls.call("find", json!({"name": name})).await;
    let number = found["result"]["targets"][0]["ref"].clone();
    let on = |css: &str| json!({"locators": [{"css": css}], "expect_any": true});
    let script = json!({"expression": format!("document.querySelector('{css}').click()")});
    vec![
        ("find and click", vec![("click", json!({"ref": number}))]),
        ("click", vec![("click", on(css))]),
        ("click-at", vec![("click-at", json!({"x": x, "y": y, "expect_any": true}))]),
        (
            "mouse",
            vec![
                ("mouse", json!({"action": "move", "at": [format!("{x},{y}")]})),
                ("mouse", json!({"action": "down"})),
                ("mouse", json!({"action": "up"})),
            ],
        ),
        ("drag", vec![("drag-at", json!({"x1": from_x, "y1": from_y, "x2": x, "y2": y, "expect_any": true}))]),
        ("Enter", vec![("focus", on(css)), ("keys", json!({"keys": ["Enter"]}))]),
        ("Space", vec![("focus", on(css)), ("keys", json!({"keys": ["Space"], "expect_any": true}))]),
        ("Enter in a field", vec![("focus", on(field)), ("keys", json!({"keys": ["Enter"]}))]),
        ("a line in a field", vec![("focus", on(field)), ("type", json!({"text": "x\n"}))]),
        ("input", vec![("input", json!({"locators": [{"css": field}], "text": "x", "enter": true}))]),
        ("batch", vec![("batch", json!({"steps": [{"command": "click", "args": on(css)}]}))]),
        ("eval", vec![("eval", script)]),
        ("wait", vec![("wait", json!({"fn": format!("document.querySelector('{css}').click() || true")}))]),
        ("mock", vec![("network", json!({"action": "mock", "pattern": "*/app.js", "body": "x"}))]),
    ]
}

/// Each way, or one in so many where not everything is to be tried.
async fn every_way(calls: &mut impl Calls, one_in: usize) {
    let step = if is_full() { 1 } else { one_in };
    let opened = calls.call("open", json!({"url": PAGE})).await;
    assert_eq!(opened["status"], "ok", "{opened}");
    for (css, field, name, denied) in [("#del", "#f", "Delete", true), ("#edit", "#g", "Edit", false)] {
        for (way, steps) in ways(calls, css, field, name).await.into_iter().step_by(step) {
            // Nobody can say what a script presses.
            let is_script = matches!(way, "eval" | "wait" | "mock");
            let mut last = Value::Null;
            for (command, args) in steps {
                last = calls.call(command, args).await;
                if !last["error"].is_null() {
                    break;
                }
            }
            let told = format!("{name} {way}: {last}");
            if denied || is_script {
                let code = if way == "batch" {
                    last.to_string().contains("\"denied\"")
                } else {
                    last["error"]["code"] == "denied"
                };
                assert!(code, "{told}");
            } else {
                assert!(last["error"].is_null() && !last.is_null(), "{told}");
            }
        }
        let told = calls.call("get", json!({"what": "text", "locators": [{"css": "#told"}]})).await.to_string();
        assert!(!told.contains("deleted"), "{told}");
        assert_eq!(told.contains("edited"), !denied, "{told}");
        assert_eq!(told.contains("sent"), !denied, "{told}");
    }
}

struct Stdio(Agent);

impl Calls for Stdio {
    async fn call(&mut self, command: &str, args: Value) -> Value {
        self.0.call("run", json!({"command": command, "arguments": args})).await.structured_content.unwrap_or_default()
    }
}

#[tokio::test]
async fn no_tool_presses_what_is_denied_over_standard_input() {
    let home = denying();
    let mut stdio = Stdio(Agent::connect(&home, &[]).await);
    every_way(&mut stdio, 1).await;
    // The tools of their own do no more than `run`.
    for (name, denied) in [("Delete", true), ("Edit", false)] {
        let found = stdio.0.call("find", json!({"name": name})).await.structured_content.unwrap();
        let number = &found["result"]["targets"][0]["ref"];
        let given = stdio.0.call("click", json!({"ref": number})).await.structured_content.unwrap();
        assert_eq!(given["error"]["code"] == "denied", denied, "{given}");
    }
    stdio.0.leave().await;
    home.assert_nothing_left();
}

struct Http(Server);

impl Calls for Http {
    async fn call(&mut self, command: &str, args: Value) -> Value {
        let shown = shown();
        let headers = [("Authorization", shown.as_str()), VERSION, METHOD, ("Mcp-Name", "run")];
        let (status, got) = self.0.post(&headers, &call("run", json!({"command": command, "arguments": args})));
        assert_eq!(status, 200, "{got}");
        result(&got, 1)["structuredContent"].clone()
    }
}

#[tokio::test]
async fn no_tool_presses_what_is_denied_over_http() {
    let home = denying();
    let mut http = Http(Server::new(&home));
    every_way(&mut http, 2).await;
    http.0.end();
    home.assert_nothing_left();
}
