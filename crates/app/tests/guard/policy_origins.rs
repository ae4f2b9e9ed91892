//! A policy that bars an origin bars its documents wherever they are shown.

use handeye_scene::Code;
use handeye_testkit::stage::{Agent, Expect, Outcome, Place, Site, encoded};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_of_a_barred_origin_are_not_acted_on_inside_other_pages() {
    let site = Site::new();
    let mut agent = Agent::new();
    let html = encoded("<button id=t draggable=true>Pay</button><input id=u aria-label=Amount autofocus>");
    agent.open(&Place::Foreign.url(&site, "/case", &format!("&html={html}"))).await;
    site.arrived("case", 0);
    let pay = agent.see("Pay").await;
    let amount = agent.see("Amount").await;
    assert!(agent.click(pay, &Expect::Shown).await.confirmed());
    assert!(agent.act("focus", amount, &Expect::Shown, json!({})).await.confirmed());
    site.run("case", "log.splice(0)");
    // The page around it is of http://127.0.0.1, the case of http://localhost.
    let origin = site.foreign("").replace("localhost", "LocalHost");
    let outer = agent.must("state", json!({})).await["targets"][0]["ref"].as_u64().unwrap() as u32;
    for list in ["deny", "ask"] {
        agent.bar(list, &[format!("acts@{origin}/")]);
        let at = agent.must("get", json!({ "what": "rect", "ref": pay })).await["value"].clone();
        let (x, y) = (at[0].as_f64().unwrap() + 5.0, at[1].as_f64().unwrap() + 5.0);
        let outcomes: Vec<(&str, Outcome)> = vec![
            ("click", agent.click(pay, &Expect::Shown).await),
            ("click any", agent.click(pay, &Expect::Any).await),
            ("input", agent.act("input", amount, &Expect::Shown, json!({ "text": "9" })).await),
            ("type", agent.call("type", json!({ "text": "9" })).await.into()),
            ("click-at", agent.call("click-at", json!({ "x": x, "y": y })).await.into()),
            ("drag", agent.act("drag", outer, &Expect::Shown, json!({ "to": pay })).await),
            ("mouse", agent.call("mouse", json!({ "action": "down" })).await.into()),
            ("keydown", agent.call("keydown", json!({ "key": "Shift" })).await.into()),
        ];
        for (what, outcome) in outcomes {
            assert!(outcome.failed(Code::Denied), "{list} {what}: {outcome:?}");
        }
        assert_eq!(site.run("case", "log"), json!([]), "{list}");
    }
    agent.bar("ask", &[]);
    agent.bar("deny", &["acts@http://localhost:1".into()]);
    assert!(agent.click(pay, &Expect::Shown).await.confirmed(), "another port is another origin");
}
