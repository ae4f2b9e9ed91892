//! What a password field holds is shown nowhere, whether it was there from the start or put in.

use handeye_testkit::is_full;
use handeye_testkit::stage::{Agent, PLACES, Place, Site, encoded};
use serde_json::{Value, json};

const HTML: &str = "<form id=f aria-label=Login><label>Key <input id=a type=password value=SECRET></label>
    <label>Pick <input id=b type=password role=combobox value=SECRET></label>
    <button aria-labelledby='b c'>Go</button><span id=c>with it</span>
    <label>Size <input id=s type=password role=slider value=SECRET></label>
    <label>Plain <input id=p value=seen></label></form>";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_shows_what_a_password_field_holds() {
    let site = Site::new();
    let mut agent = Agent::new();
    for place in PLACES {
        if !is_full() && !matches!(place, Place::Main | Place::ForeignClosed) {
            continue;
        }
        let before = site.arrivals("case");
        agent.open(&place.url(&site, "/case", &format!("&html={}", encoded(HTML)))).await;
        site.arrived("case", before);
        site.run(
            "case",
            "root.querySelectorAll('[type=password]').forEach(e => { e.setAttribute('value', 'hunter2') }), null",
        );
        for round in 0..2 {
            let key = agent.see("Key").await;
            let form = agent.must("find", json!({ "css": "#f" })).await["targets"][0]["ref"].clone();
            let calls: Vec<(&str, Value)> = vec![
                ("state", json!({})),
                ("state", json!({ "all": true, "verbose": true })),
                ("inspect", json!({ "ref": key })),
                ("get", json!({ "what": "value", "ref": key })),
                ("get", json!({ "what": "attr", "ref": key, "attribute": "value" })),
                ("get", json!({ "what": "attr", "ref": key, "attribute": "VALUE" })),
                ("get", json!({ "what": "html", "ref": key })),
                ("get", json!({ "what": "html", "ref": form })),
                ("get", json!({ "what": "html" })),
                ("get", json!({ "what": "text" })),
                ("input", json!({ "ref": key, "text": "hunter2" })),
                ("focus", json!({ "ref": key })),
                ("type", json!({ "text": "hunter2" })),
                ("click", json!({ "ref": key })),
                ("find", json!({ "css": "input" })),
                ("find", json!({ "css": "input", "via": "ax" })),
                ("state", json!({ "via": "ax", "all": true })),
                ("inspect", json!({ "ref": key, "via": "ax" })),
                ("snapshot", json!({})),
                ("console", json!({ "all": true })),
                ("errors", json!({ "all": true })),
                ("network", json!({ "action": "list", "all": true })),
            ];
            for (command, args) in calls {
                let response = agent.call(command, args.clone()).await;
                let all = format!("{:?}", response);
                assert!(!all.contains("hunter2"), "{place:?} {round}: {command} {args}: {all}");
                // Nor how long it is, once more is in the field than dots are shown for.
                assert!(!all.contains(&"•".repeat(9)), "{place:?} {round}: {command} {args}: {all}");
                if command == "input" {
                    assert!(response.text.unwrap().contains("confirmed"), "{place:?} {round}: {all}");
                }
            }
            // A page that shows it to the person who typed it doesn't show it to everyone.
            site.run("case", "$('a').type = 'text', null");
        }
        let form = agent.must("find", json!({ "css": "#f" })).await["targets"][0]["ref"].clone();
        let html = agent.must("get", json!({ "what": "html", "ref": form })).await;
        assert!(html["value"].as_str().unwrap().contains("value=\"seen\""), "{html}");
    }
}
