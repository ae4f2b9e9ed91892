//! `handeye serve` spoken to by the official client of AG-UI, that of npm. What it does stands in `clients/agui.mjs`, in its own language;
//! `cargo xtask test --only install` installs it.

use super::mcp_clients::{script, tool};
use super::serving::{Server, home, search};
use handeye_testkit::models::{Answer, Asked, ModelServer};
#[cfg(target_os = "linux")]
use handeye_testkit::postgres::Postgres;
use serde_json::json;
use std::process::Command;

/// What the model says is told by what the person said last; what a page says stands between the lines of a fence.
fn says(asked: &Asked) -> Answer {
    let messages = asked.body["messages"].as_array().cloned().unwrap_or_default();
    let person = asked.from_person();
    let last = person.iter().rev().find(|text| !text.contains("=====data ")).map(String::as_str).unwrap_or_default();
    let mut since = messages.iter().rev().take_while(|message| message["role"] != "assistant");
    let is_answered = since.any(|message| message["role"] == "tool");
    match last.split_once(' ').unwrap_or((last, "")) {
        ("both", _) if !is_answered => {
            Answer::Call(["clear_ai_styles", "get_selected_text"].map(|tool| (tool.into(), "{}".into())).to_vec())
        }
        ("search", query) if !is_answered => {
            Answer::Call(vec![("search_web".into(), json!({ "query": query }).to_string())])
        }
        ("fail", _) => Answer::Fail(400, "", "{}".into()),
        _ => Answer::Say(format!("answer to {last}")),
    }
}

fn a_conversation(more: impl FnOnce() -> Vec<String>) {
    let model = ModelServer::new(says);
    let (url, searched) = search();
    let home = home(&model, &url);
    let more = more();
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let token = home.run(&[&["token", "create", "ann", "--json"], &more[..]].concat().join(" ")).exit(0).json();
    let server = Server::start(&home, &more);
    let mut command = Command::new("node");
    command.arg(script("agui.mjs")).env("HANDEYE_TEST_MODULES", tool("agui-npm"));
    command.env("HANDEYE_TEST_TOKEN", token["token"].as_str().unwrap());
    let ran = command.args([&format!("http://{}/api/v1/agui", server.address), "t-1"]).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.ends_with("ok\n"), "{}\n{out}{err}", ran.status);
    assert_eq!(*searched.lock().unwrap(), ["one", "three"]);
}

#[test]
fn the_client_of_npm_has_a_conversation_with_approvals() {
    a_conversation(Vec::new);
}

#[cfg(target_os = "linux")]
#[test]
fn the_client_of_npm_has_a_conversation_with_approvals_on_postgresql() {
    let cluster = Postgres::start();
    a_conversation(|| vec!["--database".into(), cluster.database()]);
}
