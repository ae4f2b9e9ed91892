//! `do` on windows: a task across two of them, over either wire, with a model that errs on the way; what the apps log says what
//! was done.

use handeye_testkit::desk::Desk;
use handeye_testkit::home;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;

/// How long a task may take here.
const LIMIT: Duration = Duration::from_secs(240);

fn call(name: &str, args: Value) -> Answer {
    Answer::Call(vec![(name.to_owned(), args.to_string())])
}

fn on(asked: &Asked, name: &str, target: &str, more: Value) -> Answer {
    let mut args = json!({ "ref": asked.mark(target).unwrap_or_else(|| panic!("no {target} in {}", asked.text)) });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call(name, args)
}

/// Ticks a box in one window, and writes a name into another.
fn clerk(asked: &Asked) -> Answer {
    let keep = "checkbox \"Keep a copy\"";
    match asked.number {
        0 => call(
            "plan",
            json!({"constraints": ["a copy of the order is kept", "Ann's name is noted", "nothing is approved"]}),
        ),
        // The text of another target.
        1 => on(asked, "click", "button \"Approve\"", json!({"expected_text": "Keep a copy"})),
        2 => on(asked, "check", keep, json!({"expected_text": "Keep a copy"})),
        3 => call("prove", json!({"constraint": 1, "by": "step", "step": 2, "expected_text": "Keep a copy"})),
        4 => call("windows", json!({})),
        5 => call("state", json!({"window": "Notes"})),
        6 => on(asked, "input", "textbox \"Name\"", json!({"expected_text": "Name", "text": "Ann"})),
        7 => on(asked, "prove", "textbox \"Name\"", json!({})),
        8 => {
            let number = asked.mark("textbox \"Name\"").unwrap();
            call("prove", json!({"constraint": 2, "by": "target", "mark_id": number, "expected_text": "Ann"}))
        }
        9 => call("prove", json!({"constraint": 3, "by": "never", "expected_text": "Approve"})),
        _ => call("finish", json!({"success": true, "answer": "The copy is kept, and Ann is noted."})),
    }
}

#[test]
fn a_task_goes_across_two_windows_over_either_wire() {
    for wire in ["openai", "anthropic"] {
        let Some(desk) = Desk::open(&[]) else { return };
        let server = ModelServer::new(clerk);
        let own = desk.home.path().join(".config/handeye");
        std::fs::create_dir_all(&own).unwrap();
        let settings = format!("[models.agent]\nurl = \"{}\"\nmodel = \"agent-1\"\nwire = \"{wire}\"\n", server.url());
        std::fs::write(own.join("handeye.toml"), settings).unwrap();
        let (orders, notes) = (desk.panel("Orders"), desk.panel("Notes"));
        let mut command =
            desk.command(&["do", "keep a copy of the order, and note Ann's name", "--on", "Orders", "--json"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let ran = home::finish_within(child, LIMIT).exit(0);
        let report = ran.json();
        assert_eq!(report["outcome"], "done", "{wire}: {report:#}");
        let asked = server.asked();
        let logs = format!("{} | {}", orders.log(), notes.log());
        assert!(
            notes.log().contains("name Ann"),
            "{logs}: {:?} {report:#}",
            asked.iter().map(Asked::results).collect::<Vec<_>>()
        );
        orders.logs("keep True");
        for panel in [&orders, &notes] {
            assert!(!panel.log().contains("clicked"), "{wire}: {}", panel.log());
        }
        assert!(!notes.log().contains("keep") && !orders.log().contains("name Ann"), "{wire}: each in its own window");
        assert!(asked[2].results().join("").contains("Approve"), "{:?}", asked[2].results());
        let listed = asked[5].results().join("\n");
        assert!(listed.contains("\"Orders\"") && listed.contains("\"Notes\""), "{listed}");
        // What a window says comes as a tool's result, labelled, and never in the person's name.
        assert!(asked.iter().all(|asked| asked.from_person().iter().all(|text| !text.contains("Approve"))));
        assert!(asked[0].results().join("").contains("from desktop:"), "{:?}", asked[0].results());
    }
}
