//! What the card of a server's tool shows in the open.

use crate::panel::SHOP;
use crate::server::Said;
use crate::stage::Stage;
use serde_json::{Value, json};

/// The members as they are seen, names and values; what is closed away isn't.
const SEEN: &str = "[...document.querySelectorAll('.card:not(.done) dl > *')].filter((e) => e.checkVisibility() && !e.closest('details')).map((e) => e.innerText)";

async fn shown(arguments: &str) -> (Stage, Value) {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([Said::CallById("call_1", Some("h1"), "crm__run", arguments.to_owned())]);
    stage.say("做").await;
    stage.card().await;
    let seen = stage.panel.eval(SEEN).await;
    (stage, seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_the_server_shows_each_member_of_its_arguments() {
    let long = "长".repeat(3000);
    let arguments = format!(
        "{{\"operation\": \"delete_account\", \"order\": 123456789012345678901, \"to\": [\"甲\u{202e}\", {{\"n\": 1.50}}], \"note\": \"{long}\", \"none\": null, \"blank\": \"\"}}"
    );
    let (stage, seen) = shown(&arguments).await;
    let seen: Vec<&str> = seen.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let list = "[\n  \"甲\\u{202e}\",\n  {\n    \"n\": 1.50\n  }\n]";
    let wanted = [
        ["operation", "delete_account"],
        ["order", "123456789012345678901"],
        ["to", list],
        ["note", &long],
        ["none", "null"],
        ["blank", "\"\""],
    ];
    assert_eq!(seen, wanted.concat());
    // However long, the buttons stay within reach, and what is cut off by its box can be scrolled to by the keyboard.
    let fits = "(() => { const dd = [...document.querySelectorAll('.card:not(.done) dd')].find((e) => e.scrollHeight > e.clientHeight); return [dd.tabIndex, dd.clientHeight < 300, dd.closest('.card').getBoundingClientRect().height < 1200]; })()";
    assert_eq!(stage.panel.eval(fits).await, json!([0, true, true]));
    // Edited, what wasn't changed stays to the digit.
    stage.press("edit").await;
    stage.press("save").await;
    stage.panel.until("!document.querySelector('.editor')").await;
    stage.card().await;
    stage.server.then([Said::Text("好")]);
    stage.press("approve").await;
    let told = stage.server.asked_times(2).await;
    let decision = told["message"].as_str().unwrap();
    assert!(decision.contains("\"order\":123456789012345678901,"), "{decision}");
    assert!(decision.contains("{\"n\":1.50}"), "{decision}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn arguments_without_names_are_shown_too() {
    for (arguments, seen) in
        [("{}", json!([])), ("[1, 2]", json!(["[\n  1,\n  2\n]"])), ("{\"a\": ", json!(["{\"a\": "]))]
    {
        let stage = shown(arguments).await.0;
        let open = "[...document.querySelectorAll('.card:not(.done) .arguments')].filter((e) => e.checkVisibility()).map((e) => e.innerText)";
        assert_eq!(stage.panel.eval(open).await, seen, "{arguments}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_members_are_all_there() {
    let members: Vec<String> = (0..300).map(|i| format!("\"m{i}\": {i}")).collect();
    let (_stage, seen) = shown(&format!("{{{}}}", members.join(", "))).await;
    let seen = seen.as_array().unwrap();
    assert_eq!((seen.len(), &seen[598], &seen[599]), (600, &json!("m299"), &json!("299")));
}
